"""What people say every day, and what was misread once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from soni.core.commands import AffirmConfirmation
from soni.du.local.merging import _meant_once
from soni.du.local.spans import Span
from tests.du.test_local import AMOUNT, BANKING, DAY, GUESTS, RECIPIENT, REVIEW, TRANSFER, meant, place, read
from tests.du.test_local_dangers import BILL, CARD, DROP, REASON

CODE = {"flow": "security_check", "filled": {"amount": 4000, "recipient": "Ana"}, "asked": "code"}
IBAN = {"flow": "transfer_funds", "filled": {"amount": 50, "recipient": "Bo"}, "asked": "iban"}
INCIDENT = {"flow": "block_card", "filled": {"card": "debit", "block_reason": "lost"}, "asked": "incident"}
TABLE = {
    "flow": "book_table",
    "filled": {"guests": 2, "day": "2026-11-20", "hour": "21:00", "seating": "inside", "guest_name": "Kay"},
    "asked": None,
}
DIET = {"flow": "see_menu", "filled": {}, "asked": "diet"}
SEATING = {"flow": "book_table", "filled": {"guests": 2}, "asked": "seating"}


@pytest.mark.parametrize(
    "message",
    ["Sure, do it", "I confirm the transfer.", "Autorizo la operación.", "no problem at all, send it", "hell yes",
     "no changes, send it as is", "yeah that's grand", "all good, hit send", "puede usted enviarlo", "simón, mándalo",
     "dale, joya", "luz verde", "nothing to change, go ahead"],
)  # fmt: skip
async def test_a_yes_that_was_asked_for_again(message: str) -> None:
    assert (await read(message, REVIEW)).commands == (AffirmConfirmation(),)


@pytest.mark.parametrize(
    "message",
    ["aye right", "confirm. Actually, disregard, I need to ask my accountant.", "no changes",
     "yes as long as it's free",
     "adelante siempre que quede saldo para el recibo de la luz", "supongo que sí", "no hay problema?",
     "go ahead and tell me which account that comes from", "dale, robame nomás", "ok if you say so",
     'yes please, and put "rent" as the reference', "yes genius, to the woman who blocked me"],
)  # fmt: skip
async def test_what_only_sounds_like_a_yes(message: str) -> None:
    assert AffirmConfirmation() not in (await read(message, REVIEW)).commands


async def test_what_happened_to_a_card_does_not_tell_which_one_it_is() -> None:
    found = await meant("bloquea mi tarjeta, me la robaron en el metro")
    assert {"set_slot": {"block_reason": "stolen"}} in found
    assert not any("card" in one.get("set_slot", {}) for one in found)


def test_an_answer_that_is_only_meant_stays_beside_another_option() -> None:
    answer = Span("block_reason", "", 0, 0, 0.6, "meant", value="damaged")
    named, hinted = (Span("card", "debito", 3, 9, sure, "named", value="debit") for sure in (0.95, 0.85))
    context = place(BANKING, REASON)
    assert _meant_once([answer, named], context) == [answer, named]
    assert _meant_once([answer, hinted], context) == [answer, hinted]
    assert _meant_once([answer, hinted], place(BANKING, CARD)) == [answer, hinted]
    assert _meant_once([answer, hinted], place(BANKING, None)) == [hinted]


@pytest.mark.parametrize("language", ["en", "es"])
async def test_nobody_pays_on_what_only_sounds_like_a_yes(language: str) -> None:
    """Answers to 'Send €50.00 to Ana?' on which a careful clerk would not, written without a look at the code."""
    lines = (Path(__file__).parent / "data" / f"not_yes.{language}.txt").read_text(encoding="utf-8").splitlines()
    assert len(lines) > 200
    taken = [line for line in lines if AffirmConfirmation() in (await read(line, REVIEW)).commands]
    assert taken == []


@pytest.mark.parametrize(
    ("message", "amount", "name"),
    [
        ("send 20 to Tom, no wait, 25", "25", "Tom"), ("mándale 40 a Beto, no perdón, 45", "45", "Beto"),
        ("Transfer 300 to Mum. Sorry, 350.", "350", "Mum"), ("Envía 80 a Álvaro, uy no, 180", "180", "Álvaro"),
        ("transfer 5000 to my brother Rajesh", "5000", "Rajesh"),
    ],
)  # fmt: skip
async def test_a_transfer_put_right_while_it_is_said(message: str, amount: str, name: str) -> None:
    found = await meant(message)
    assert found[0] == TRANSFER
    assert {"set_slot": {"amount": amount}} in found
    assert {"set_slot": {"recipient": name}} in found
    assert len(found) == 3


@pytest.mark.parametrize(
    ("message", "where", "example", "commands"),
    [
        ("My sister Orla", RECIPIENT, "banking", [{"set_slot": {"recipient": "Orla"}}]),
        ("the amount's wrong", REVIEW, "banking", [{"correct_slot": {"amount": None}}]),
        ("hmm the date's wrong", TABLE, "restaurant", [{"correct_slot": {"day": None}}]),
        ("está mal el nombre", TABLE, "restaurant", [{"correct_slot": {"guest_name": None}}]),
        ("can we do a different time?", TABLE, "restaurant", [{"correct_slot": {"hour": None}}]),
        ("Never mind, I don't want it now.", DAY, "restaurant", [{"cancel_flow": True}]),
        ("hey there", None, "restaurant", [{"chit_chat": "greeting"}]),
        ("not the bar... terrace", SEATING, "restaurant", [{"set_slot": {"seating": "terrace"}}]),
        ("de hoy en una semana", DAY, "restaurant", [{"set_slot": {"day": "de hoy en una semana"}}]),
        ("¿mande?", AMOUNT, "banking", [{"repeat": True}]),
        ("No, not yet. Tell me my balance.", BILL, "banking",
         [{"deny_confirmation": True}, {"start_flow": "check_balance"}]),
        ("ur code never came, put me thru to someone who can help", CODE, "banking", [{"human_handoff": True}]),
        ("borra todo y empezamos otra vez", CODE, "banking", [{"restart": True}]),
        ("let's begin again, I've mixed everything up", CODE, "banking", [{"restart": True}]),
        ("why do i have to type a code at all", CODE, "banking", [{"help": True}]),
        ("four zero two nine one six", CODE, "banking", [{"set_slot": {"code": "402916"}}]),
        ("what even is an iban", IBAN, "banking", [{"help": True}]),
        ("nope thats not right", REVIEW, "banking", [{"deny_confirmation": True}]),
        ("Wrong amount, sorry!", RECIPIENT, "banking", [{"correct_slot": {"amount": None}}]),
        ("Oops, I said water but I need the phone one.", BILL, "banking", [{"correct_slot": {"biller": "phone"}}]),
        ("drop a zero, it's 5 not 50", REVIEW, "banking", [{"correct_slot": {"amount": "5"}}]),
        ("el destinatario no es ese", REVIEW, "banking", [{"correct_slot": {"recipient": None}}]),
        ("hmm not yet, let me talk to someone from the staff first", TABLE, "restaurant", [{"human_handoff": True}]),
        ("me and my two kids", GUESTS, "restaurant", [{"set_slot": {"guests": "3"}}]),
        ("menu?", None, "restaurant", [{"start_flow": "see_menu"}]),
        ("tonite if poss", DAY, "restaurant", [{"set_slot": {"day": "tonite if poss"}}]),
        ("uy no, la que perdí es la de crédito", INCIDENT, "banking", [{"correct_slot": {"card": "credit"}}]),
        ("300 bucks... sorry i mean 300 euros", AMOUNT, "banking", [{"set_slot": {"amount": "300 euros"}}]),
        ("that's right, cancel that one please", DROP, "restaurant", [{"affirm_confirmation": True}]),
        ("me da igual, como lo que sea", DIET, "restaurant", [{"set_slot": {"diet": "any"}}]),
        ("me equivoqué, son 15 y no 50", RECIPIENT, "banking", [{"correct_slot": {"amount": "15"}}]),
        ("la de débito, que me la robaron", CARD, "banking",
         [{"set_slot": {"card": "debit"}}, {"set_slot": {"block_reason": "stolen"}}]),
        ("It got robbed", REASON, "banking", [{"set_slot": {"block_reason": "stolen"}}]),
        ("cancel my table under Brandt and get me another one for thursday at 9pm", None, "restaurant",
         [{"start_flow": "cancel_booking"}, {"set_slot": {"guest_name": "Brandt"}}, {"start_flow": "book_table"},
          {"set_slot": {"day": "for thursday"}}, {"set_slot": {"hour": "at 9pm"}}]),
    ],
)  # fmt: skip
async def test_what_was_misread(message: str, where: Any, example: str, commands: list[Any]) -> None:
    assert await meant(message, where, example) == commands
