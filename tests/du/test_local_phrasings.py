"""Other ways to say it: slips in a yes, people who are listed, codes in a sentence, what is written like an answer."""

from __future__ import annotations

import pytest

from soni.core.commands import AffirmConfirmation
from soni.du.local.people import people_in
from tests.du.test_local import GUESTS, REVIEW, meant, read

CODE = {"flow": "security_check", "filled": {"amount": 4000, "recipient": "Ana"}, "asked": "code"}
IBAN = {"flow": "transfer_funds", "filled": {"amount": 50, "recipient": "Bo"}, "asked": "iban"}


@pytest.mark.parametrize(
    "message",
    ["absolutly", "perfekt", "That's all corect, thank you my dear", "Correcto, proceda usted", "afirmatibo",
     "ándale sí, de una vez", "de una parce", "dale pues", "listo", "crack on mate", "book away!", "por mí bien"],
)  # fmt: skip
async def test_a_yes_in_other_words(message: str) -> None:
    assert (await read(message, REVIEW)).commands == (AffirmConfirmation(),)


async def test_a_yes_and_what_comes_next() -> None:
    yes = {"affirm_confirmation": True}
    assert await meant("yes and once that is done show me my balance", REVIEW) == [yes, {"start_flow": "check_balance"}]
    assert await meant("sí, y luego enséñame mis movimientos", REVIEW) == [yes, {"start_flow": "list_transactions"}]


@pytest.mark.parametrize(
    "message", ["confirmation", "correction", "corregir", "perfection", "incorrecto", "adelanto 60"]
)
async def test_a_word_that_is_only_like_a_yes_is_none(message: str) -> None:
    assert AffirmConfirmation() not in (await read(message, REVIEW)).commands


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("just me", 1), ("solo yo", 1), ("the two of us", 2), ("my wife and I", 2), ("mi pareja y yo", 2),
        ("me, my husband and the twins", 4), ("tres adultos y dos niños, o sea cinco", 5), ("2 adults and a child", 3),
        ("mi mujer, mi hijo y yo", 3), ("yo y 4 amigos", 5), ("3 adultos", None),
        ("i want a table and my wife too", None),
        ("can i book for my mother", None), ("my mum booked it and i cancelled", None), ("", None),
    ],
)  # fmt: skip
def test_who_comes_is_counted(text: str, count: int | None) -> None:
    listed = people_in(text)
    assert (listed and listed[0]) == count


async def test_those_who_come_answer_how_many() -> None:
    assert await meant("mi pareja y yo", GUESTS, "restaurant") == [{"set_slot": {"guests": "2"}}]
    assert await meant("me, my husband and the twins", GUESTS, "restaurant") == [{"set_slot": {"guests": "4"}}]


@pytest.mark.parametrize("message", ["The text says 739204.", "me ha llegado el 739204", "739204"])
async def test_a_code_is_its_digits(message: str) -> None:
    assert await meant(message, CODE) == [{"set_slot": {"code": "739204"}}]


async def test_a_question_for_a_secret_can_be_left() -> None:
    assert await meant("No me llega nada. Dejémoslo, ya lo haré mañana", CODE) == [{"cancel_flow": True}]


@pytest.mark.parametrize(
    ("message", "value"),
    [
        ("es48 1465 0100 7220 3087 6293", "es48 1465 0100 7220 3087 6293"),
        ("wait, let me look... ok it is ES7401825322240201503312", "ES7401825322240201503312"),
    ],
)
async def test_what_is_written_like_the_answer_is_one_even_if_it_is_not_good(message: str, value: str) -> None:
    assert {"set_slot": {"iban": value}} in await meant(message, IBAN)


async def test_tonight_is_a_day() -> None:
    commands = await meant("una mesa para cuatro esta noche", None, "restaurant")
    assert {"set_slot": {"day": "esta noche"}} in commands
