"""Other ways to say it: slips in a yes, people who are listed, codes in a sentence, what is written like an answer."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from soni import load_config
from soni.core.commands import AffirmConfirmation
from soni.du.local.people import people_in
from soni.du.local.understanding import LocalUnderstanding
from soni.evaluation import Labelled, Place
from soni.evaluation.labelled import label_of
from soni.languages import languages
from tests.du.test_local import AMOUNT, GUESTS, RECIPIENT, REVIEW, meant, read

NOW = datetime(2026, 11, 15, 12)
BOOKING = {"flow": "book_table", "filled": {"guests": 2, "day": "2026-11-20", "hour": "21:00"}, "asked": None}
CODE = {"flow": "security_check", "filled": {"amount": 4000, "recipient": "Ana"}, "asked": "code"}
IBAN = {"flow": "transfer_funds", "filled": {"amount": 50, "recipient": "Bo"}, "asked": "iban"}


@pytest.mark.parametrize(
    "message",
    ["absolutly", "perfekt", "That's all corect, thank you my dear", "Correcto, proceda usted", "afirmatibo",
     "ándale sí, de una vez", "de una parce", "dale pues", "listo", "crack on mate", "transfer away!", "por mí bien",
     "👍", "si porfavor", "that works for me", "sí, siga por favor", "sí, hazlo ya", "sí por favor, muy amable"],
)  # fmt: skip
async def test_a_yes_in_other_words(message: str) -> None:
    assert (await read(message, REVIEW)).commands == (AffirmConfirmation(),)


@pytest.mark.parametrize("message", ["book away!", "book it", "reserve it please", "resérvala", "sí, resérvamela"])
async def test_the_words_of_a_flow_agree_to_it_and_to_no_other(message: str) -> None:
    assert (await read(message, BOOKING, "restaurant")).commands == (AffirmConfirmation(),)
    assert AffirmConfirmation() not in (await read(message, REVIEW)).commands or message.startswith("sí")


@pytest.mark.parametrize(
    "message", ["change it", "table it", "no la reserves", "don't book it", "stop it", "leave it", "doubt it", "book"]
)
async def test_the_words_of_a_flow_do_not_make_a_yes_of_what_is_none(message: str) -> None:
    assert AffirmConfirmation() not in (await read(message, BOOKING, "restaurant")).commands


async def test_a_yes_and_what_comes_next() -> None:
    yes = {"affirm_confirmation": True}
    assert await meant("yes and once that is done show me my balance", REVIEW) == [yes, {"start_flow": "check_balance"}]
    assert await meant("sí, y luego enséñame mis movimientos", REVIEW) == [yes, {"start_flow": "list_transactions"}]


async def test_what_is_open_ends_before_a_person_is_asked_for() -> None:
    ends = [{"cancel_flow": True}, {"human_handoff": True}]
    assert await meant("cancel this and put me through to a real person", REVIEW) == ends
    assert await meant("cancela esto y pásame con alguien de carne y hueso", AMOUNT) == ends
    assert await meant("put me through to a real person", REVIEW) == [{"human_handoff": True}]


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
        ("a las dos", None), ("give me a couple of minutes", None), ("just one more thing", None), ("a couple", 2),
        ("book me, my mother is ill", None), ("los dos", 2),
        ("at home and my wife is out", None), ("extra kids and 2 chairs", None),
    ],
)  # fmt: skip
def test_who_comes_is_counted(text: str, count: int | None) -> None:
    listed = people_in(text, languages(("en", "es")))
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


async def test_other_words_are_not_written_like_an_account() -> None:
    assert await meant("it is 10 times longer than that one", IBAN) != [
        {"set_slot": {"iban": "is 10 times longer than"}}
    ]


async def test_a_day_is_no_telephone() -> None:
    where = {"flow": "book_table", "filled": {"guests": 2}, "asked": "phone"}
    assert {"set_slot": {"phone": "20-11-2026"}} not in await meant("the day is 20-11-2026", where, "restaurant")


NOTHING_SHOWN: dict[str, Any] = {"flow": "block_card", "filled": {}, "asked": None}


@pytest.mark.parametrize(
    "message",
    ["I would like to see my balance", "de una tarjeta", "i'm sure there is a fee", "yes scratch that", "sí, páralo",
     "si hay saldo", "yes, when I get paid", "sí, ni loco", "you have that wrong"],
)  # fmt: skip
async def test_no_yes_where_nothing_is_shown_either(message: str) -> None:
    assert AffirmConfirmation() not in (await read(message, NOTHING_SHOWN)).commands


async def test_words_before_a_name_are_not_part_of_it() -> None:
    drop = {"flow": "cancel_booking", "filled": {"guest_name": "Rubén"}, "asked": None}
    assert await meant("no, la de Rubén no, la de Rebeca", drop, "restaurant") == [
        {"correct_slot": {"guest_name": "Rebeca"}}
    ]
    comment = {"flow": "leave_review", "filled": {"stars": 2}, "asked": "comment"}
    told = "el de la barra fue muy amable"
    assert await meant(told, comment, "restaurant") == [{"set_slot": {"comment": told}}]


@pytest.mark.parametrize("message", ["Perdone, me he confundido de recibo.", "sorry, I picked the wrong bill"])
async def test_what_was_the_wrong_one_is_asked_for_again(message: str) -> None:
    bill = {"flow": "pay_bill", "filled": {"biller": "water"}, "asked": None}
    assert await meant(message, bill) == [{"correct_slot": {"biller": None}}]


async def test_tonight_is_a_day() -> None:
    commands = await meant("una mesa para cuatro esta noche", None, "restaurant")
    assert {"set_slot": {"day": "esta noche"}} in commands


BOOKED = {"flow": "book_table", "filled": {}, "asked": "guest_name"}
SENT = {"flow": "transfer_funds", "filled": {"amount": 50, "recipient": "Bo", "iban": "ES7921000813610123456789"}}


@pytest.mark.parametrize(
    ("message", "slot", "value"),
    [
        ("you put a zero too many, it is 5", "amount", "5"),
        ("no, not to Ana, to Berta", "recipient", "Berta"),
        ("no era para Ana sino para Begoña", "recipient", "Begoña"),
    ],
)
async def test_what_is_meant_instead_is_told_from_what_is_not(message: str, slot: str, value: str) -> None:
    assert await meant(message, REVIEW) == [{"correct_slot": {slot: value}}]


async def test_a_wrong_value_and_the_right_one() -> None:
    """Its check digits are wrong too, which the slot's own words will say."""
    account = "ES7401825322240201503312"
    told = await meant(f"the account is wrong, it should be {account}", {**SENT, "asked": None})
    assert told == [{"correct_slot": {"iban": account}}]


async def test_a_request_behind_a_yes_that_no_list_of_words_has() -> None:
    told = await meant("dale y luego dime cuanto me queda", REVIEW)
    assert told == [{"affirm_confirmation": True}, {"start_flow": "check_balance"}]


@pytest.mark.parametrize("message", ["heyyyy", "holaaaa"])
async def test_letters_that_are_held_down(message: str) -> None:
    assert await meant(message, None) == [{"chit_chat": "greeting"}]


async def test_a_request_behind_a_refusal() -> None:
    told = await meant("this card is no good to me any more, block it", None)
    assert told == [{"start_flow": "block_card"}]


async def test_a_vague_request_is_asked_back() -> None:
    (told,) = await meant("I want some information about your restaurant", None, "restaurant")
    assert "opening_hours" in told["clarify"]
    assert len(told["clarify"]) > 1


@pytest.mark.parametrize(
    ("message", "where", "example", "slot", "name"),
    [
        ("Francisco Javier Mora Ruiz", RECIPIENT, "banking", "recipient", "Francisco Javier Mora Ruiz"),
        ("soy la Edurne", BOOKED, "restaurant", "guest_name", "Edurne"),
        ("Zamorano, con z", BOOKED, "restaurant", "guest_name", "Zamorano"),
    ],
)
async def test_a_name_and_nothing_else(message: str, where: dict[str, Any], example: str, slot: str, name: str) -> None:
    assert await meant(message, where, example) == [{"set_slot": {slot: name}}]


async def test_an_answer_with_more_is_no_request() -> None:
    told = await meant("Eleanor, and her account is GB29 NWBK 6016 1331 9268 19", RECIPIENT)
    assert told == [{"set_slot": {"recipient": "Eleanor"}}, {"set_slot": {"iban": "GB29 NWBK 6016 1331 9268 19"}}]
    told = await meant("two, on Saturday at 9pm", GUESTS, "restaurant")
    assert [next(iter(one["set_slot"])) for one in told] == ["guests", "day", "hour"]


@pytest.mark.parametrize(
    "name",
    [
        "maria del carmen",
        "juan de la cruz",
        "mariana de la cruz",
        "la madre de Ana",
        "Ana's mum",
        "el hijo de maria",
        "Ana and Bob",
    ],
)
async def test_somebody_else_is_not_taken_for_a_known_one(name: str) -> None:
    assert await meant(name, RECIPIENT) == [{"set_slot": {"recipient": name}}]


@pytest.mark.parametrize(
    ("message", "amount", "recipient"),
    [
        ("send 50 to Ana, no, María", "50", "María"),
        ("send 50 to Ana sorry María", "50", "María"),
        ("envía 50 a Ana, perdón, a María", "50", "María"),
        ("send 50, no 60 to Ana", "60", "Ana"),
    ],
)
async def test_what_is_put_right_while_it_is_said(message: str, amount: str, recipient: str) -> None:
    told = await meant(message, None)
    assert told == [
        {"start_flow": "transfer_funds"}, {"set_slot": {"amount": amount}}, {"set_slot": {"recipient": recipient}}
    ]  # fmt: skip


@pytest.mark.parametrize(("message", "amount"), [("50, no wait 60", "60"), ("cien, perdón, doscientos", "doscientos")])
async def test_an_amount_put_right(message: str, amount: str) -> None:
    assert await meant(message, AMOUNT) == [{"set_slot": {"amount": amount}}]


@pytest.mark.parametrize("message", ["sí, pero quítale 10", "that's 10 too much", "that's correct but not today"])
async def test_a_part_of_an_amount_is_no_new_one(message: str) -> None:
    assert "correct_slot" not in {key for one in await meant(message, REVIEW) for key in one}


@pytest.mark.parametrize("message", ["never mind the wait, food was great", "forget the dessert"])
async def test_what_sounds_like_an_end_may_be_told(message: str) -> None:
    comment = {"flow": "leave_review", "filled": {"stars": 3}, "asked": "comment"}
    assert await meant(message, comment, "restaurant") == [{"set_slot": {"comment": message}}]


@pytest.mark.parametrize("message", ["no terraza", "no inside"])
async def test_an_option_that_is_not_wanted_is_none(message: str) -> None:
    seating = {"flow": "book_table", "filled": {"guests": 2}, "asked": "seating"}
    assert await meant(message, seating, "restaurant") == [{"set_slot": {"seating": message}}]  # which is asked about


@pytest.mark.parametrize(
    ("message", "hour"),
    [("table for 2 tonight at 9", "at 9 at night"), ("mesa para dos esta noche a las nueve", "las nueve de la noche")],
)
async def test_tonight_at_nine_is_in_the_evening(message: str, hour: str) -> None:
    assert {"set_slot": {"hour": hour}} in await meant(message, None, "restaurant")


@pytest.mark.parametrize("message", ["cancel it", "anúlala"])
async def test_the_questions_own_verb_is_a_yes(message: str) -> None:
    drop = {"flow": "cancel_booking", "filled": {"guest_name": "Eva"}, "asked": None}
    assert (await read(message, drop, "restaurant")).commands == (AffirmConfirmation(),)


@pytest.mark.parametrize("message", ["cancel my card", "anular mi tarjeta"])
async def test_what_is_cancelled_may_be_a_request(message: str) -> None:
    assert await meant(message, None) == [{"start_flow": "block_card"}]


async def test_a_house_has_a_door() -> None:
    folder = Path(__file__).parents[2] / "bench" / "understanding" / "spanish" / "telefonia" / "domain"
    config = load_config(folder)
    asked = Place(flow="report_fault", task="collect", asked="address", slots={"service": "tv"})
    context = Labelled("", (), asked).context(config, now=NOW)
    understood = await LocalUnderstanding(config).understand("es en Avenida de América 31, 6º C", context)
    assert [label_of(command) for command in understood.commands] == [
        {"set_slot": {"address": "Avenida de América 31, 6º C"}}
    ]
