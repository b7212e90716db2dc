"""The offline understanding: what it makes of sentences, word by word, and why."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from soni import SoniConfig, load_config
from soni.core.pending_task import collect, confirm
from soni.core.values import Reading
from soni.du.context import DialogueContext
from soni.du.local.understanding import LocalUnderstanding
from soni.du.understanding import Understood
from soni.evaluation.labelled import label_of
from tests.contracts.test_understandings import context

EXAMPLES = Path(__file__).parents[2] / "examples"
BANKING = load_config(EXAMPLES / "banking" / "domain")
RESTAURANT = load_config(EXAMPLES / "restaurant" / "domain")
LOCAL = {"banking": LocalUnderstanding(BANKING), "restaurant": LocalUnderstanding(RESTAURANT)}

AMOUNT = {"flow": "transfer_funds", "filled": {}, "asked": "amount"}
RECIPIENT = {"flow": "transfer_funds", "filled": {"amount": 50}, "asked": "recipient"}
REVIEW = {"flow": "transfer_funds", "filled": {"amount": 50, "recipient": "Ana"}, "asked": None}
GUESTS = {"flow": "book_table", "filled": {}, "asked": "guests"}
DAY = {"flow": "book_table", "filled": {"guests": 2}, "asked": "day"}


def place(config: SoniConfig, where: dict[str, Any] | None) -> DialogueContext:
    if where is None:
        return context(None, config)
    told = {"optional": True} if where.get("optional") else None
    task = confirm("Go on?") if where["asked"] is None else collect("?", where["asked"], metadata=told)
    return context(task, config, flow=where["flow"], filled=where["filled"], paused=where.get("paused", ()))


async def read(message: str, where: dict[str, Any] | None = None, example: str = "banking") -> Understood:
    config = BANKING if example == "banking" else RESTAURANT
    return await LOCAL[example].understand(message, place(config, where))


async def meant(message: str, where: dict[str, Any] | None = None, example: str = "banking") -> list[Any]:
    return [label_of(command) for command in (await read(message, where, example)).commands]


TRANSFER = {"start_flow": "transfer_funds"}


@pytest.mark.parametrize(
    ("message", "commands"),
    [
        ("could you send fifty euros over to Ana",
         [{"set_slot": {"amount": "fifty euros"}}, {"set_slot": {"recipient": "Ana"}}]),
        ("tranfer 40 to luis", [{"set_slot": {"amount": "40"}}, {"set_slot": {"recipient": "luis"}}]),
        ("quiero mandarle 30 euros a Marta",
         [{"set_slot": {"amount": "30 euros"}}, {"set_slot": {"recipient": "Marta"}}]),
        ("hacer una trasnferencia de 400", [{"set_slot": {"amount": "400"}}]),
    ],
)  # fmt: skip
async def test_a_request_brings_its_values_along(message: str, commands: list[Any]) -> None:
    assert await meant(message) == [TRANSFER, *commands]


@pytest.mark.parametrize(
    ("message", "commands"),
    [
        ("show my balance and then send 50 to Omar",
         [{"start_flow": "check_balance"}, TRANSFER, {"set_slot": {"amount": "50"}},
          {"set_slot": {"recipient": "Omar"}}]),
        ("enséñame los movimientos y luego paga la factura del agua",
         [{"start_flow": "list_transactions"}, {"start_flow": "pay_bill"}, {"set_slot": {"biller": "water"}}]),
    ],
)  # fmt: skip
async def test_two_requests_in_one_message_come_in_spoken_order(message: str, commands: list[Any]) -> None:
    assert await meant(message) == commands


@pytest.mark.parametrize(
    ("message", "where", "commands"),
    [
        ("20 to Ana", AMOUNT, [{"set_slot": {"amount": "20"}}, {"set_slot": {"recipient": "Ana"}}]),
        ("Eighty, and it's for Ingrid.", AMOUNT,
         [{"set_slot": {"amount": "Eighty"}}, {"set_slot": {"recipient": "Ingrid"}}]),
        ("to mei but make it 65 instead", RECIPIENT,
         [{"set_slot": {"recipient": "mei"}}, {"correct_slot": {"amount": "65"}}]),
        ("The money should go to Juan Carlos.", RECIPIENT, [{"set_slot": {"recipient": "Juan Carlos"}}]),
        ("120 dolars", AMOUNT, [{"set_slot": {"amount": "120 dolars"}}]),
    ],
)  # fmt: skip
async def test_an_answer_may_say_more_than_was_asked(message: str, where: dict[str, Any], commands: list[Any]) -> None:
    assert await meant(message, where) == commands


@pytest.mark.parametrize(
    ("message", "commands"),
    [
        ("no, 300", [{"correct_slot": {"amount": "300"}}]),
        ("I meant María", [{"correct_slot": {"recipient": "María"}}]),
        ("change the amount to 50", [{"correct_slot": {"amount": "50"}}]),
        ("the recipient is wrong", [{"correct_slot": {"recipient": None}}]),
        ("no son 50, son 60", [{"correct_slot": {"amount": "60"}}]),
        ("a Ana no, a María", [{"correct_slot": {"recipient": "María"}}]),
        ("not ana, anja", [{"correct_slot": {"recipient": "anja"}}]),
        ("70 instead of 50", [{"correct_slot": {"amount": "70"}}]),
        ("mejor 220 y a Julián en vez de a Ana",
         [{"correct_slot": {"amount": "220"}}, {"correct_slot": {"recipient": "Julián"}}]),
        ("actualy make it 75", [{"correct_slot": {"amount": "75"}}]),
    ],
)  # fmt: skip
async def test_what_is_taken_back_is_put_right(message: str, commands: list[Any]) -> None:
    assert await meant(message, REVIEW) == commands


@pytest.mark.parametrize(
    ("message", "commands"),
    [
        ("yes", [{"affirm_confirmation": True}]),
        ("perfect, send it", [{"affirm_confirmation": True}]),
        ("siii", [{"affirm_confirmation": True}]),
        ("that sounds good", [{"affirm_confirmation": True}]),
        ("Yes, and then pay my water bill.",
         [{"affirm_confirmation": True}, {"start_flow": "pay_bill"}, {"set_slot": {"biller": "water"}}]),
        ("yes, and also show my balance", [{"affirm_confirmation": True}, {"start_flow": "check_balance"}]),
        ("Yes. What's my balance?", [{"affirm_confirmation": True}, {"start_flow": "check_balance"}]),
        ("nooo", [{"deny_confirmation": True}]),
        ("not yet, I have to ask my girlfriend first", [{"deny_confirmation": True}]),
        ("already paid that one so no", [{"deny_confirmation": True}]),
        ("cancela eso y dime el saldo", [{"cancel_flow": True}, {"start_flow": "check_balance"}]),
    ],
)  # fmt: skip
async def test_yes_and_no_and_what_comes_after(message: str, commands: list[Any]) -> None:
    assert await meant(message, REVIEW) == commands


@pytest.mark.parametrize(
    "message",
    ["ok what is the fee?", "yes, but to María", "yes?", "right person?", "sure, wait", "ok, cancel it", "fine but 20",
     "yes if it is free", "correct amount, wrong person", "sí, pero mejor mañana", "yes please cancel it",
     "vale, espera"],
)  # fmt: skip
async def test_a_doubt_is_never_a_yes(message: str) -> None:
    assert {"affirm_confirmation": True} not in await meant(message, REVIEW)


@pytest.mark.parametrize(
    ("message", "where", "command"),
    [
        ("can I speak to somebody pls", RECIPIENT, {"human_handoff": True}),
        ("Perdón, ¿me repite la pregunta?", AMOUNT, {"repeat": True}),
        ("Can we start over from scratch?", AMOUNT, {"restart": True}),
        ("why do you need that?", RECIPIENT, {"explain": "why"}),
        ("stop i dont want to do this anymore", RECIPIENT, {"cancel_flow": True}),
        ("no clue, just drop the whole thing", AMOUNT, {"cancel_flow": True}),
        ("cheers mate that was really helpful", None, {"chit_chat": "thanks"}),
        ("holaa buens tardes", None, {"chit_chat": "greeting"}),
        ("back to the transfer", {**AMOUNT, "flow": "pay_bill", "asked": "biller", "paused": ("transfer_funds",)},
         {"resume_flow": "transfer_funds"}),
    ],
)  # fmt: skip
async def test_acts_need_not_be_said_word_for_word(message: str, where: Any, command: dict[str, Any]) -> None:
    assert await meant(message, where) == [command]


async def test_a_greeting_before_a_request_does_not_hide_it() -> None:
    assert (await meant("Good morning. I would like to send €20 to Helen Okafor."))[0] == TRANSFER
    assert await meant("oh wait, what's my balance first?", RECIPIENT) == [{"start_flow": "check_balance"}]


@pytest.mark.parametrize("message", ["what is the capital of Peru", "cuéntame un chiste", "purple monkey dishwasher"])
async def test_what_no_flow_is_for_is_out_of_scope(message: str) -> None:
    understood = await read(message)
    assert [label_of(command) for command in understood.commands] == [{"out_of_scope": True}]
    assert understood.found[0].confidence > 0.6


async def test_calling_off_is_a_flow_where_there_is_one_for_it() -> None:
    assert await meant("please cancel my reservation", None, "restaurant") == [{"start_flow": "cancel_booking"}]
    assert await meant("we can't make it on Friday after all", None, "restaurant") == [{"start_flow": "cancel_booking"}]
    review = {"flow": "cancel_booking", "filled": {"guest_name": "Eva"}, "asked": None}
    assert await meant("yeah cancel it", review, "restaurant") == [{"affirm_confirmation": True}]


@pytest.mark.parametrize(
    ("message", "where", "commands"),
    [
        ("a table for 4 on Friday at 9pm on the terrace, please", None,
         [{"start_flow": "book_table"}, {"set_slot": {"guests": "for 4"}}, {"set_slot": {"day": "on Friday"}},
          {"set_slot": {"hour": "at 9pm"}}, {"set_slot": {"seating": "terrace"}}]),
        ("Seven, on Saturday at 9pm.", GUESTS,
         [{"set_slot": {"guests": "Seven"}}, {"set_slot": {"day": "on Saturday"}}, {"set_slot": {"hour": "at 9pm"}}]),
        ("sorry 6 people not 2, and its for monday", DAY,
         [{"correct_slot": {"guests": "6"}}, {"set_slot": {"day": "for monday"}}]),
        ("quiero una mesa para cuatro el sábado a las nueve de la noche", None,
         [{"start_flow": "book_table"}, {"set_slot": {"guests": "para cuatro"}}, {"set_slot": {"day": "el sábado"}},
          {"set_slot": {"hour": "a las nueve de la noche"}}]),
        ("somos 5 personas", GUESTS, [{"set_slot": {"guests": "5"}}]),
        ("tomorow", DAY, [{"set_slot": {"day": "tomorow"}}]),
    ],
)  # fmt: skip
async def test_numbers_go_where_the_words_around_them_say(message: str, where: Any, commands: list[Any]) -> None:
    assert await meant(message, where, "restaurant") == commands


async def test_each_command_says_what_it_was_read_from() -> None:
    understood = await read("please transfer 20 euros to Ana")
    start, amount, recipient = understood.found
    assert start.evidence.startswith("like 'transfer ")
    assert (amount.words, recipient.words) == ("20 euros", "Ana")
    assert all(found.evidence for found in understood.found)
    assert understood.usage.seconds > 0
    assert understood.usage.calls == 0


async def test_numbers_are_read_in_the_language_they_are_said_in() -> None:
    spanish = await LOCAL["banking"].understand("envía 1.250 a Ana", place(BANKING, None))
    assert spanish.language == "es"
    slot = BANKING.slots["amount"]
    here = replace(Reading("es", place(BANKING, None).reading.now, languages=("en", "es")))
    assert slot.value_type.parse("1.250", here).amount == 1250


async def test_a_name_that_looks_like_a_slip_stays_as_it_was_written() -> None:
    assert await meant("send 20 to Trasfer", None) == [
        TRANSFER, {"set_slot": {"amount": "20"}}, {"set_slot": {"recipient": "Trasfer"}},
    ]  # fmt: skip


async def test_an_address_is_nobody_s_name() -> None:
    commands = await meant("pay the power bill and email the receipt to nadia@posteo.net")
    assert {"set_slot": {"receipt_email": "nadia@posteo.net"}} in commands
    assert all("recipient" not in str(command) for command in commands)
