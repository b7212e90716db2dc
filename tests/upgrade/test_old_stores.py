"""Conversations that an earlier version has stored go on, are corrected, and pay once.

`write_stores.py` tells how each came to stand where it stands.
"""

from __future__ import annotations

import gzip
import json
import shutil
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from soni import RuntimeLoop, SoniConfig
from soni.core.commands import (
    Acknowledge,
    AffirmConfirmation,
    ClearSlot,
    Command,
    CorrectSlot,
    DenyConfirmation,
    Repeat,
    SetSlot,
    StartFlow,
)
from soni.store import Store, open_store
from soni.testing import Conversation
from tests.upgrade.assistant import NOON, World, config

STORED = Path(__file__).with_name("stores.sql.gz")
DONE = "That has already been done, so I cannot change it any more."
OFFER = "Would you like to talk to a person?"
REFUSED = [DONE, OFFER]
BACK = "Back to where we were: Pay somebody."
YES, NO = AffirmConfirmation(), DenyConfirmation()


def answer(slot: str, value: Any) -> SetSlot:
    return SetSlot(slot=slot, value=value)


def correct(slot: str, value: Any = None) -> CorrectSlot:
    return CorrectSlot(slot=slot, value=value)


def lines(said: list[str]) -> list[str]:
    """What was said, without the sentences that only tell that something was changed."""
    return [line for text in said for line in text.splitlines() if not line.startswith("I have changed")]


class Carried:
    """A conversation of the store, with its assistant in a new process for every turn."""

    def __init__(self, case: str, assistant: SoniConfig, store: Store) -> None:
        self.world = World()
        """What is done from here on; what the earlier version did is not in it."""
        self._case = case
        self._assistant = assistant
        self._options: dict[str, Any] = {
            "actions": self.world.actions,
            "store": store,
            "clock": lambda: NOON + timedelta(hours=1),
            "recover_every": None,
        }
        self.user = Conversation(assistant, user_id=case, fresh=True, **self._options)

    async def say(self, *commands: Command) -> list[str]:
        said = lines(await self.user.say(*commands))
        assert self.user.last is not None
        assert self.user.last.error is None
        return said

    async def all_of(self, *commands: Command) -> list[str]:
        """One message for each command; what the last was answered with."""
        said: list[str] = []
        for command in commands:
            said = await self.say(command)
        return said

    def called(self) -> list[tuple[Any, ...]]:
        """What was looked up since this was last asked."""
        calls, self.world.calls = self.world.calls, []
        return calls

    @property
    def deeds(self) -> list[tuple[Any, ...]]:
        return self.world.deeds

    async def returned(self) -> list[str]:
        """The person who has the conversation gives it back."""
        async with RuntimeLoop(self._assistant, understanding=self.user.understanding, **self._options) as loop:
            turn = await loop.return_to_assistant(self._case)
        return [message.text for message in turn.messages]

    async def transcript(self) -> str:
        async with RuntimeLoop(self._assistant, understanding=self.user.understanding, **self._options) as loop:
            return json.dumps([await loop.transcript(self._case), await loop.get_state(self._case)])


Carry = Callable[[str], Carried]


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store as it was written."""
    file = tmp_path_factory.mktemp("stored") / "stores.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(gzip.decompress(STORED.read_bytes()).decode())
    return file


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> SoniConfig:
    """The assistant, which is still the same."""
    return config(tmp_path_factory.mktemp("assistant"))


@pytest.fixture
async def carry(stored: Path, shop: SoniConfig, tmp_path: Path) -> AsyncIterator[Carry]:
    """Go on with a stored conversation."""
    file = shutil.copy(stored, tmp_path / "c.db")
    async with open_store(f"sqlite:{file}") as store:
        yield lambda case: Carried(case, shop, store)


PAYMENT = {"payee": "Ana", "amount": 50, "fee": 5, "email": "a@b"}
PAID = {**PAYMENT, "purpose": "rent", "reference": "P50"}
STANDING: dict[str, tuple[str, dict[str, Any]]] = {
    "in_the_middle": ("What is it for?", PAYMENT),
    "at_the_confirmation": ("Pay 50 to Ana for rent, fee 5?", {**PAYMENT, "purpose": "rent"}),
    "said_early": ("How much?", {"payee": "Ana", "email": "a@b", "purpose": "rent"}),
    "optional_left_out": ("Pay 50 to Ana for —, fee 5?", PAYMENT),
    "corrected_at_the_confirmation": ("Pay 70 to Ana for rent, fee 7?", {"amount": 70, "fee": 7, "purpose": "rent"}),
    "paid": ("How many stars?", PAID),
    "corrected_and_paid": ("Any comment?", {"amount": 70, "reference": "P70", "stars": 4}),
    "paid_and_refused": (OFFER, {}),
    "paid_in_a_finished_call": (
        "What does the card say?",
        {"friend": "Bo", "budget": 30, "wrapping": "red", "proof": "F30"},
    ),
    "paid_in_an_open_call": (
        "Where does the receipt go?",
        {"amount": 30, "account": "main", "reference": "F30"},
    ),
    "in_a_call": ("From which account?", {"amount": 30}),
    "said_early_in_a_call": ("From which account?", {"amount": 30, "receipt": "a@b"}),
    "at_the_confirmation_of_a_call": ("Pay 30 from main?", {"amount": 30, "account": "main"}),
    "after_a_call": ("Eve, home, Ritz, Fish, —, 404?", {"name": "Eve", "kind": "home", "hotel": "Ritz", "price": 404}),
    "in_the_third_round": ("How many pieces?", {"shop": "Red", "item": "bread", "total": 19, "basket": "-tea-milk-"}),
    "at_the_end_of_the_third_round": (
        "Anything else?",
        {"shop": "Red", "item": "bread", "pieces": 3, "total": 43, "basket": "-tea-milk-bread-"},
    ),
    "in_a_call_in_the_second_round": ("How old?", {"name": "Bo"}),
    "paid_in_the_first_round": ("Give 20 to Bo from main?", {"account": "main", "payee": "Bo", "amount": 20}),
    "at_a_menu": ("Add or leave?", {"shop": "Red", "basket": "-tea-milk-"}),
    "half_gone_over": ("Which passport?", {"name": "Eve", "kind": "abroad"}),
    "half_gone_over_in_a_call": ("Who travels?", {}),
    "half_gone_over_in_a_loop": ("Which item?", {"shop": "Red", "total": 19, "basket": "-tea-milk-"}),
    "paused": ("At what hour?", {}),
    "paused_and_paid": ("At what hour?", {}),
    "confirmed": ("Which PIN?", {"number": "card 7"}),
    "with_a_secret": ("Why?", {"number": "card 7", "pin": "4821"}),
    "overruled": (
        "For Ann, 111, to Elm Road on Monday?",
        {"customer": "Ann", "phone": "111", "address": "Elm Road", "day": "Monday"},
    ),
    "conversation_wide": ("On which day?", {"member": "gold", "amount": 4, "price": 20}),
    "offered_a_person": (OFFER, {}),
    "to_be_acknowledged": ("These are the terms for Ana.", {"name": "Ana"}),
    "not_understood": ("How much?", {"payee": "Ana"}),
    "long_after_a_payment": ("How many stars?", {"amount": 20, "reference": "R20", "n": 110}),
    "long_after_nothing": ("How many stars?", {"friend": "Bo", "n": 110}),
    "long_after_a_payment_in_a_call": ("How many stars?", {"amount": 20, "n": 98}),
    "paid_before_a_link": ("How many stars for 2 tickets?", {"amount": 2}),
    "paid_before_a_link_in_a_call": ("How many stars for 2 tickets?", {"amount": 2}),
}
"""The question that each conversation stands at, and what the flow on top knows."""
NOT_STANDING = {"denied", "with_a_person", "stopped_before_the_outcome", "stopped_after_the_outcome"}


@pytest.mark.parametrize(("case", "question", "slots"), [(case, *found) for case, found in STANDING.items()])
async def test_a_conversation_stands_where_it_stood(
    carry: Carry, case: str, question: str, slots: dict[str, Any]
) -> None:
    carried = carry(case)
    assert await carried.say(Repeat()) == [question]
    assert slots.items() <= (await carried.user.slots()).items()
    assert await carried.say(Repeat()) == [question], "as it is stored now"
    assert carried.called() == []
    assert carried.deeds == []


def test_every_stored_conversation_is_looked_at(stored: Path) -> None:
    with closing(sqlite3.connect(stored)) as connection:
        found = {name for (name,) in connection.execute("SELECT conversation FROM soni_conversations")}
    assert found == STANDING.keys() | NOT_STANDING


# In the middle of a flow, and at its confirmation


async def test_in_the_middle_it_goes_on_to_one_payment(carry: Carry) -> None:
    carried = carry("in_the_middle")
    assert await carried.say(answer("purpose", "rent")) == ["Pay 50 to Ana for rent, fee 5?"]
    assert await carried.say(YES) == ["Paid: P50.", "How many stars?"]
    assert await carried.say(answer("stars", 3)) == ["Any comment?"]
    assert await carried.say(answer("comment", "fine")) == ["3 stars, fine. The receipt goes to a@b."]
    assert carried.deeds == [("pay", 50, "Ana", "rent")]
    assert carried.called() == [], "the fee was known"


async def test_in_the_middle_an_earlier_answer_is_corrected(carry: Carry) -> None:
    carried = carry("in_the_middle")
    assert await carried.say(correct("amount", 80)) == ["The fee is 8.", "What is it for?"]
    assert carried.called() == [("fee_of", 80)]
    assert await carried.say(correct("payee", "Bo")) == ["What is it for?"]
    assert carried.called() == []
    assert await carried.say(answer("purpose", "rent")) == ["Pay 80 to Bo for rent, fee 8?"]
    assert await carried.say(YES) == ["Paid: P80.", "How many stars?"]
    assert carried.deeds == [("pay", 80, "Bo", "rent")]


async def test_at_the_confirmation_a_yes_pays_once(carry: Carry) -> None:
    carried = carry("at_the_confirmation")
    assert await carried.say(YES) == ["Paid: P50.", "How many stars?"]
    assert await carried.say(YES) == ["How many stars?"]
    assert await carried.say(correct("amount", 90)) == REFUSED
    assert carried.deeds == [("pay", 50, "Ana", "rent")]


async def test_at_the_confirmation_a_no_pays_nothing(carry: Carry) -> None:
    carried = carry("at_the_confirmation")
    assert await carried.say(NO) == ["All right. Nothing was done."]
    assert carried.deeds == []


async def test_at_the_confirmation_corrections_are_shown_and_paid(carry: Carry) -> None:
    carried = carry("at_the_confirmation")
    assert await carried.say(correct("payee", "Bo")) == ["Pay 50 to Bo for rent, fee 5?"]
    assert carried.called() == []
    said = await carried.say(correct("amount", 80), correct("purpose", "food"))
    assert said == ["The fee is 8.", "Pay 80 to Bo for food, fee 8?"]
    assert carried.called() == [("fee_of", 80)]
    assert await carried.say(correct("email", "c@d")) == ["Pay 80 to Bo for food, fee 8?"]
    assert carried.deeds == []
    assert await carried.say(YES) == ["Paid: P80.", "How many stars?"]
    assert carried.deeds == [("pay", 80, "Bo", "food")]


async def test_at_the_confirmation_a_yes_with_a_correction_is_asked_again(carry: Carry) -> None:
    carried = carry("at_the_confirmation")
    assert await carried.say(YES, correct("payee", "Bo")) == ["Pay 50 to Bo for rent, fee 5?"]
    assert carried.deeds == []
    await carried.say(YES)
    assert carried.deeds == [("pay", 50, "Bo", "rent")]


async def test_an_answer_that_is_taken_back_is_asked_for_and_the_others_are_not(carry: Carry) -> None:
    carried = carry("at_the_confirmation")
    assert await carried.say(correct("payee")) == ["Who gets the money?"]
    assert await carried.say(answer("payee", "Bo")) == ["Pay 50 to Bo for rent, fee 5?"]
    await carried.say(YES)
    assert carried.deeds == [("pay", 50, "Bo", "rent")]


async def test_after_an_earlier_correction_others_are_taken(carry: Carry) -> None:
    carried = carry("corrected_at_the_confirmation")
    assert await carried.say(correct("payee", "Bo")) == ["Pay 70 to Bo for rent, fee 7?"]
    assert carried.called() == []
    assert await carried.say(correct("amount", 90)) == ["The fee is 9.", "Pay 90 to Bo for rent, fee 9?"]
    assert await carried.say(YES) == ["Paid: P90.", "How many stars?"]
    assert carried.deeds == [("pay", 90, "Bo", "rent")]


async def test_after_an_earlier_correction_a_yes_pays_what_was_corrected(carry: Carry) -> None:
    carried = carry("corrected_at_the_confirmation")
    assert await carried.say(YES) == ["Paid: P70.", "How many stars?"]
    assert carried.deeds == [("pay", 70, "Ana", "rent")]


async def test_what_was_said_early_is_not_asked_for(carry: Carry) -> None:
    carried = carry("said_early")
    assert await carried.say(correct("payee", "Bo")) == ["How much?"]
    assert await carried.say(answer("amount", 50)) == ["The fee is 5.", "Pay 50 to Bo for rent, fee 5?"]
    assert await carried.say(correct("purpose", "food")) == ["Pay 50 to Bo for food, fee 5?"]
    await carried.say(YES)
    assert carried.deeds == [("pay", 50, "Bo", "food")]


async def test_what_was_left_out_stays_left_out_until_it_is_given(carry: Carry) -> None:
    carried = carry("optional_left_out")
    assert await carried.say(correct("amount", 80)) == ["The fee is 8.", "Pay 80 to Ana for —, fee 8?"]
    assert await carried.say(answer("purpose", "rent")) == ["Pay 80 to Ana for rent, fee 8?"]
    assert await carried.say(ClearSlot(slot="purpose")) == ["Pay 80 to Ana for —, fee 8?"]
    await carried.say(YES)
    assert carried.deeds == [("pay", 80, "Ana", None)]


# After a payment


@pytest.mark.parametrize(("slot", "value"), [("amount", 80), ("payee", "Bo"), ("purpose", "food")])
async def test_what_was_paid_cannot_be_corrected(carry: Carry, slot: str, value: Any) -> None:
    carried = carry("paid")
    assert await carried.say(correct(slot, value)) == REFUSED
    assert await carried.say(NO) == ["All right.", "How many stars?"]
    assert PAID.items() <= (await carried.user.slots()).items()
    said = await carried.all_of(answer("stars", 3), answer("comment", "fine"))
    assert said == ["3 stars, fine. The receipt goes to a@b."]
    assert carried.deeds == []


async def test_after_a_payment_a_person_takes_over_who_is_wanted(carry: Carry) -> None:
    carried = carry("paid")
    assert await carried.all_of(correct("amount", 80), YES) == ["A person will take it from here."]
    assert await carried.returned() == ["You are talking to the assistant again.", "How many stars?"]
    assert carried.deeds == []


async def test_what_the_payment_did_not_use_can_be_corrected(carry: Carry) -> None:
    carried = carry("paid")
    assert await carried.say(correct("email", "c@d")) == ["How many stars?"]
    assert await carried.say(answer("stars", 3)) == ["Any comment?"]
    assert await carried.say(correct("stars", 5)) == ["Any comment?"]
    assert await carried.say(answer("comment", "fine")) == ["5 stars, fine. The receipt goes to c@d."]
    assert carried.deeds == []
    assert carried.called() == []


async def test_what_was_corrected_and_paid_cannot_be_corrected_again(carry: Carry) -> None:
    carried = carry("corrected_and_paid")
    assert await carried.say(correct("amount", 50)) == REFUSED
    assert await carried.say(NO) == ["All right.", "Any comment?"]
    assert await carried.say(correct("stars", 5)) == ["Any comment?"]
    assert await carried.say(correct("email", "c@d")) == ["Any comment?"]
    assert await carried.say(answer("comment", "fine")) == ["5 stars, fine. The receipt goes to c@d."]
    assert carried.deeds == []


async def test_an_open_offer_after_a_refused_correction_is_declined(carry: Carry) -> None:
    carried = carry("paid_and_refused")
    assert await carried.say(NO) == ["All right.", "How many stars?"]
    said = await carried.all_of(answer("stars", 3), answer("comment", "fine"))
    assert said == ["3 stars, fine. The receipt goes to a@b."]
    assert carried.deeds == []


async def test_an_open_offer_after_a_refused_correction_is_passed_over(carry: Carry) -> None:
    carried = carry("paid_and_refused")
    assert await carried.say(answer("stars", 3)) == ["Any comment?"]
    assert await carried.say(correct("amount", 80)) == REFUSED
    assert carried.deeds == []


async def test_an_open_offer_after_a_refused_correction_is_taken(carry: Carry) -> None:
    carried = carry("paid_and_refused")
    assert await carried.say(YES) == ["A person will take it from here."]
    assert carried.deeds == []


# Called flows


async def test_what_a_finished_call_has_paid_cannot_be_corrected(carry: Carry) -> None:
    carried = carry("paid_in_a_finished_call")
    assert await carried.say(correct("budget", 90)) == REFUSED
    assert await carried.say(NO) == ["All right.", "What does the card say?"]
    said = await carried.all_of(answer("card", "hello"), answer("stars", 3))
    assert said == ["For Bo, in red: hello. 30 were paid: F30."]
    assert carried.deeds == []


async def test_what_a_finished_call_did_not_use_can_be_corrected(carry: Carry) -> None:
    carried = carry("paid_in_a_finished_call")
    assert await carried.say(correct("friend", "Al")) == ["Something for Al.", "What does the card say?"]
    assert await carried.say(correct("wrapping", "blue")) == ["What does the card say?"]
    assert await carried.say(answer("card", "hello")) == ["How many stars?"]
    assert await carried.say(correct("card", "bye")) == ["How many stars?"]
    assert await carried.say(answer("stars", 3)) == ["For Al, in blue: bye. 30 were paid: F30."]
    assert carried.deeds == []


@pytest.mark.parametrize(("slot", "value"), [("budget", 90), ("amount", 90), ("account", "other")])
async def test_what_an_open_call_has_paid_cannot_be_corrected(carry: Carry, slot: str, value: Any) -> None:
    carried = carry("paid_in_an_open_call")
    assert await carried.say(correct(slot, value)) == REFUSED
    assert await carried.say(NO) == ["All right.", "Where does the receipt go?"]
    assert await carried.say(answer("receipt", "c@d")) == ["What does the card say?"]
    said = await carried.all_of(answer("card", "hello"), answer("stars", 3))
    assert said == ["For Bo, in red: hello. 30 were paid: F30."]
    assert carried.deeds == []


async def test_a_called_flow_goes_on_and_comes_back(carry: Carry) -> None:
    carried = carry("in_a_call")
    assert await carried.say(answer("account", "main")) == ["Pay 30 from main?"]
    assert await carried.say(YES) == ["Paid: F30.", "Where does the receipt go?"]
    assert await carried.say(answer("receipt", "a@b")) == ["What does the card say?"]
    said = await carried.all_of(answer("card", "hello"), answer("stars", 3))
    assert said == ["For Bo, in red: hello. 30 were paid: F30."]
    assert carried.deeds == [("pay_from", 30, "main")]


@pytest.mark.parametrize("slot", ["budget", "amount"])
async def test_in_a_called_flow_the_callers_answers_are_corrected(carry: Carry, slot: str) -> None:
    carried = carry("in_a_call")
    assert await carried.say(correct(slot, 90)) == ["From which account?"]
    assert await carried.say(correct("friend", "Al")) == ["Something for Al.", "From which account?"]
    assert await carried.say(answer("account", "main")) == ["Pay 90 from main?"]
    assert await carried.say(YES) == ["Paid: F90.", "Where does the receipt go?"]
    said = await carried.all_of(answer("receipt", "a@b"), answer("card", "hello"), answer("stars", 3))
    assert said == ["For Al, in red: hello. 90 were paid: F90."]
    assert carried.deeds == [("pay_from", 90, "main")]


async def test_what_was_said_early_in_a_called_flow_is_not_asked_for(carry: Carry) -> None:
    carried = carry("said_early_in_a_call")
    assert await carried.say(correct("friend", "Al")) == ["Something for Al.", "From which account?"]
    assert await carried.say(answer("account", "main")) == ["Pay 30 from main?"]
    assert await carried.say(YES) == ["Paid: F30.", "What does the card say?"]
    assert carried.deeds == [("pay_from", 30, "main")]


async def test_at_the_confirmation_of_a_called_flow_corrections_are_shown_and_paid(carry: Carry) -> None:
    carried = carry("at_the_confirmation_of_a_call")
    assert await carried.say(correct("budget", 90)) == ["Pay 90 from main?"]
    assert await carried.say(correct("account", "other")) == ["Pay 90 from other?"]
    assert await carried.say(correct("friend", "Al")) == ["Something for Al.", "Pay 90 from other?"]
    assert await carried.say(YES) == ["Paid: F90.", "Where does the receipt go?"]
    assert await carried.say(correct("budget", 10)) == REFUSED
    assert carried.deeds == [("pay_from", 90, "other")]


async def test_what_a_finished_call_returned_is_corrected(carry: Carry) -> None:
    carried = carry("after_a_call")
    assert await carried.say(correct("name", "Al")) == ["Al is 40.", "Al, home, Ritz, Fish, —, 404?"]
    assert carried.called() == []
    assert await carried.say(correct("hotel", "Hilton")) == ["Al, home, Hilton, Fish, —, 406?"]
    assert carried.called() == [("trip_price", "home", "Hilton")]
    assert await carried.say(correct("meal", "Soup")) == ["Al, home, Hilton, Soup, —, 406?"]
    assert await carried.say(YES) == ["Booked."]
    assert carried.deeds == [("book", "Al", "home", "Hilton", "Soup", 406)]


async def test_what_a_finished_call_returned_is_taken_back(carry: Carry) -> None:
    carried = carry("after_a_call")
    assert await carried.say(correct("name")) == ["Who travels?"]
    assert await carried.say(answer("name", "Al")) == ["Al is 40.", "Al, home, Ritz, Fish, —, 404?"]
    await carried.say(YES)
    assert carried.deeds == [("book", "Al", "home", "Ritz", "Fish", 404)]


# Loops


async def test_in_the_third_round_it_goes_on(carry: Carry) -> None:
    carried = carry("in_the_third_round")
    assert await carried.say(answer("pieces", 3)) == ["43 so far.", "Anything else?"]
    assert await carried.say(answer("more", True)) == ["Which item?"]
    assert await carried.say(answer("item", "jam")) == ["How many pieces?"]
    assert await carried.say(answer("pieces", 1)) == ["49 so far.", "Anything else?"]
    assert await carried.say(answer("more", False)) == ["-tea-milk-bread-jam- from Red for 49?"]
    assert await carried.say(YES) == ["Bought."]
    assert carried.deeds == [("buy", "-tea-milk-bread-jam-", 49)]
    assert carried.called() == [("price_of", "Red", "bread"), ("price_of", "Red", "jam")]


async def test_in_the_third_round_what_was_said_before_the_loop_is_corrected(carry: Carry) -> None:
    carried = carry("in_the_third_round")
    assert await carried.say(correct("shop", "Green")) == ["16 so far.", "25 so far.", "How many pieces?"]
    assert carried.called() == [("price_of", "Green", "tea"), ("price_of", "Green", "milk")]
    assert await carried.say(answer("pieces", 3)) == ["55 so far.", "Anything else?"]
    assert await carried.say(answer("more", False)) == ["-tea-milk-bread- from Green for 55?"]
    assert await carried.say(YES) == ["Bought."]
    assert carried.deeds == [("buy", "-tea-milk-bread-", 55)]


async def test_a_correction_in_the_third_round_is_about_that_round(carry: Carry) -> None:
    carried = carry("at_the_end_of_the_third_round")
    assert await carried.say(correct("pieces", 1)) == ["27 so far.", "Anything else?"]
    assert carried.called() == []
    assert await carried.say(correct("item", "bun")) == ["25 so far.", "Anything else?"]
    assert carried.called() == [("price_of", "Red", "bun")]
    assert await carried.say(answer("more", False)) == ["-tea-milk-bun- from Red for 25?"]
    said = await carried.say(correct("shop", "Blue"))
    assert said == ["14 so far.", "22 so far.", "29 so far.", "-tea-milk-bun- from Blue for 29?"]
    assert await carried.say(YES) == ["Bought."]
    assert carried.deeds == [("buy", "-tea-milk-bun-", 29)]


async def test_a_called_flow_in_the_second_round_comes_back_to_that_round(carry: Carry) -> None:
    carried = carry("in_a_call_in_the_second_round")
    assert await carried.say(correct("hotel", "Hilton")) == ["Ana sleeps at the Hilton.", "How old?"]
    assert await carried.say(answer("age", 20)) == ["Bo is 20.", "Bo sleeps at the Hilton.", "Anybody else?"]
    said = await carried.say(correct("guest", "Al"))
    assert said == ["Al is 20.", "Al sleeps at the Hilton.", "Anybody else?"]
    assert await carried.say(answer("more", True)) == ["Who travels?"]
    assert await carried.say(answer("name", "Cy")) == ["How old?"]
    assert await carried.say(answer("age", 50)) == ["Cy is 50.", "Cy sleeps at the Hilton.", "Anybody else?"]
    assert await carried.say(answer("more", False)) == ["-Ana-Al-Cy- at the Hilton."]


async def test_what_a_round_has_paid_does_not_keep_the_next_from_paying_once(carry: Carry) -> None:
    carried = carry("paid_in_the_first_round")
    assert await carried.say(correct("amount", 25)) == ["Give 25 to Bo from main?"]
    assert await carried.say(correct("payee", "Al")) == ["Give 25 to Al from main?"]
    assert carried.deeds == []
    assert await carried.say(YES) == ["Given: G25.", "Anything else?"]
    assert await carried.say(correct("amount", 90)) == REFUSED
    assert await carried.say(NO) == ["All right.", "Anything else?"]
    assert await carried.say(answer("more", False)) == ["Thank you."]
    assert carried.deeds == [("give", 25, "Al", "main")]


async def test_what_an_earlier_round_was_paid_with_cannot_be_corrected(carry: Carry) -> None:
    carried = carry("paid_in_the_first_round")
    assert await carried.say(correct("account", "other")) == REFUSED
    assert await carried.say(NO) == ["All right.", "Give 20 to Bo from main?"]
    assert await carried.say(YES) == ["Given: G20.", "Anything else?"]
    assert carried.deeds == [("give", 20, "Bo", "main")]


async def test_steps_that_a_jump_repeats_keep_their_answers(carry: Carry) -> None:
    carried = carry("at_a_menu")
    assert await carried.say(correct("shop", "Blue")) == ["Add or leave?"]
    assert await carried.say(answer("choice", "add")) == ["Which item?"]
    assert await carried.say(answer("item", "jam")) == ["Add or leave?"]
    assert await carried.say(answer("choice", "leave")) == ["-tea-milk-jam- from Blue."]


async def test_at_a_menu_the_last_answer_is_corrected(carry: Carry) -> None:
    carried = carry("at_a_menu")
    assert await carried.say(correct("item", "jam")) == ["Add or leave?"]
    assert await carried.say(answer("choice", "leave")) == ["-tea-jam- from Red."]


# Corrections that were not gone over to the end


async def test_the_answer_to_what_a_correction_brought_up_leads_to_the_confirmation(carry: Carry) -> None:
    carried = carry("half_gone_over")
    assert await carried.say(answer("passport", "X1")) == ["Eve, abroad, Ritz, Fish, —, 604?"]
    assert carried.called() == [("trip_price", "abroad", "Ritz")]
    assert await carried.say(YES) == ["Booked."]
    assert carried.deeds == [("book", "Eve", "abroad", "Ritz", "Fish", 604)]


async def test_more_is_corrected_before_what_a_correction_brought_up_is_answered(carry: Carry) -> None:
    carried = carry("half_gone_over")
    assert await carried.say(correct("hotel", "Hilton")) == ["Which passport?"]
    assert await carried.say(correct("name", "Al")) == ["Al is 40.", "Which passport?"]
    said = await carried.say(answer("passport", "X1"), correct("meal", "Soup"))
    assert said == ["Al, abroad, Hilton, Soup, —, 606?"]
    assert await carried.say(YES) == ["Booked."]
    assert carried.deeds == [("book", "Al", "abroad", "Hilton", "Soup", 606)]


async def test_a_correction_that_brought_up_a_question_is_corrected_back(carry: Carry) -> None:
    carried = carry("half_gone_over")
    assert await carried.say(correct("kind", "home")) == ["Eve, home, Ritz, Fish, —, 404?"]
    assert await carried.say(YES) == ["Booked."]
    assert carried.deeds == [("book", "Eve", "home", "Ritz", "Fish", 404)]


async def test_a_called_flow_that_a_correction_has_opened_again_comes_back(carry: Carry) -> None:
    carried = carry("half_gone_over_in_a_call")
    assert await carried.say(correct("hotel", "Hilton")) == ["Who travels?"]
    assert await carried.say(answer("name", "Al")) == ["Al is 40.", "Al, home, Hilton, Fish, —, 406?"]
    assert await carried.say(YES) == ["Booked."]
    assert carried.deeds == [("book", "Al", "home", "Hilton", "Fish", 406)]


async def test_a_round_that_a_correction_has_opened_again_is_completed(carry: Carry) -> None:
    carried = carry("half_gone_over_in_a_loop")
    assert await carried.say(answer("item", "bun")) == ["37 so far.", "Anything else?"]
    assert carried.called() == [("price_of", "Red", "bun")]
    assert await carried.say(answer("more", False)) == ["-tea-milk-bun- from Red for 37?"]
    assert await carried.say(YES) == ["Bought."]
    assert carried.deeds == [("buy", "-tea-milk-bun-", 37)]


async def test_in_a_round_that_a_correction_has_opened_again_more_is_corrected(carry: Carry) -> None:
    carried = carry("half_gone_over_in_a_loop")
    assert await carried.say(correct("shop", "Green")) == ["16 so far.", "25 so far.", "Which item?"]
    assert await carried.say(answer("item", "bun")) == ["49 so far.", "Anything else?"]
    assert await carried.say(answer("more", False)) == ["-tea-milk-bun- from Green for 49?"]


# Paused flows


async def test_a_paused_flow_resumes_where_it_was(carry: Carry) -> None:
    carried = carry("paused")
    assert await carried.say(answer("hour", 7)) == ["It rings at 7.", BACK, "What is it for?"]
    assert await carried.say(answer("purpose", "rent")) == ["Pay 50 to Ana for rent, fee 5?"]
    await carried.say(YES)
    assert carried.deeds == [("pay", 50, "Ana", "rent")]


async def test_a_paused_flow_is_corrected(carry: Carry) -> None:
    carried = carry("paused")
    assert (await carried.say(correct("amount", 80)))[-1] == "At what hour?"
    said = await carried.say(answer("hour", 7))
    assert said[:2] == ["It rings at 7.", BACK]
    assert said[-1] == "What is it for?"
    assert await carried.say(answer("purpose", "rent")) == ["Pay 80 to Ana for rent, fee 8?"]
    assert carried.called() == [("fee_of", 80)]
    await carried.say(YES)
    assert carried.deeds == [("pay", 80, "Ana", "rent")]


async def test_what_a_paused_flow_has_paid_cannot_be_corrected(carry: Carry) -> None:
    carried = carry("paused_and_paid")
    assert await carried.say(correct("amount", 80)) == REFUSED
    assert await carried.say(NO) == ["All right.", "At what hour?"]
    assert (await carried.say(correct("email", "c@d")))[-1] == "At what hour?"
    assert await carried.say(answer("hour", 7)) == ["It rings at 7.", BACK, "How many stars?"]
    said = await carried.all_of(answer("stars", 3), answer("comment", "fine"))
    assert said == ["3 stars, fine. The receipt goes to c@d."]
    assert carried.deeds == []


# Confirmed and not done, secrets, values that were found, values of the conversation


async def test_a_yes_from_before_still_counts(carry: Carry) -> None:
    carried = carry("confirmed")
    assert await carried.say(answer("pin", "4821")) == ["Why?"]
    assert await carried.say(answer("reason", "lost")) == ["Unlocked."]
    assert carried.deeds == [("unlock", "card 7", "4821", "lost")]


async def test_a_yes_from_before_does_not_count_for_another_value(carry: Carry) -> None:
    carried = carry("confirmed")
    assert await carried.say(correct("number", "card 8")) == ["Unlock card 8?"]
    assert await carried.say(YES) == ["Which PIN?"]
    assert await carried.all_of(answer("pin", "4821"), answer("reason", "lost")) == ["Unlocked."]
    assert carried.deeds == [("unlock", "card 8", "4821", "lost")]


async def test_a_secret_is_used_and_then_gone(carry: Carry) -> None:
    carried = carry("with_a_secret")
    assert await carried.say(answer("reason", "lost")) == ["Unlocked."]
    assert carried.deeds == [("unlock", "card 7", "4821", "lost")]
    assert "4821" not in await carried.transcript()


async def test_a_secret_is_not_asked_for_again_after_a_correction(carry: Carry) -> None:
    carried = carry("with_a_secret")
    assert await carried.say(correct("number", "card 8")) == ["Unlock card 8?"]
    assert await carried.say(YES) == ["Why?"]
    assert await carried.say(answer("reason", "lost")) == ["Unlocked."]
    assert carried.deeds == [("unlock", "card 8", "4821", "lost")]
    assert "4821" not in await carried.transcript()


async def test_a_secret_is_corrected(carry: Carry) -> None:
    carried = carry("with_a_secret")
    assert await carried.say(correct("pin", "1111")) == ["Why?"]
    assert await carried.say(answer("reason", "lost")) == ["Unlocked."]
    assert carried.deeds == [("unlock", "card 7", "1111", "lost")]


async def test_what_a_person_said_over_an_actions_value_stays(carry: Carry) -> None:
    carried = carry("overruled")
    assert await carried.say(correct("day", "Friday")) == ["For Ann, 111, to Elm Road on Friday?"]
    assert await carried.say(correct("phone", "222")) == ["For Ann, 222, to Elm Road on Friday?"]
    assert carried.called() == []
    assert await carried.say(YES) == ["On its way to Elm Road."]
    assert carried.deeds == [("deliver", "Elm Road", "Friday")]


async def test_what_a_person_said_over_an_actions_value_is_corrected(carry: Carry) -> None:
    carried = carry("overruled")
    assert await carried.say(correct("address", "Oak Road")) == ["For Ann, 111, to Oak Road on Monday?"]
    assert await carried.say(YES) == ["On its way to Oak Road."]
    assert carried.deeds == [("deliver", "Oak Road", "Monday")]


async def test_what_is_found_for_another_value_counts_over_what_was_said_before(carry: Carry) -> None:
    carried = carry("overruled")
    assert await carried.say(correct("customer", "Cid")) == ["Which phone?"], "the phone belongs to the customer"
    assert carried.called() == [("address_of", "Cid")]
    assert await carried.say(answer("phone", "333")) == ["For Cid, 333, to Cid Street on Monday?"]
    assert await carried.say(YES) == ["On its way to Cid Street."]
    assert carried.deeds == [("deliver", "Cid Street", "Monday")]


async def test_a_value_of_the_conversation_is_corrected(carry: Carry) -> None:
    carried = carry("conversation_wide")
    assert await carried.say(correct("member", "blue")) == ["On which day?"]
    assert carried.called() == [("seat_price", 4, "blue")]
    assert await carried.say(answer("day", "Monday")) == ["4 seats on Monday for 40, blue?"]
    assert await carried.say(YES) == ["Reserved."]
    assert carried.deeds == [("reserve", 4, "Monday", 40)]
    assert (await carried.user.slots())["member"] == "blue"


async def test_a_value_of_the_conversation_is_still_known(carry: Carry) -> None:
    carried = carry("conversation_wide")
    assert await carried.say(answer("day", "Monday")) == ["4 seats on Monday for 20, gold?"]
    assert await carried.say(correct("amount", 3)) == ["3 seats on Monday for 15, gold?"]
    assert await carried.say(YES) == ["Reserved."]
    assert carried.deeds == [("reserve", 3, "Monday", 15)]


# People, and questions that got no answer


async def test_an_open_offer_of_a_person_is_declined(carry: Carry) -> None:
    carried = carry("offered_a_person")
    said = await carried.say(NO)
    assert said == ["All right.", "I could not make use of that, so I have stopped here. Nothing was done."]
    assert await carried.say(StartFlow(flow="pay")) == ["Who gets the money?"]


async def test_an_open_offer_of_a_person_is_taken(carry: Carry) -> None:
    assert await carry("offered_a_person").say(YES) == ["A person will take it from here."]


async def test_an_open_offer_of_a_person_is_passed_over(carry: Carry) -> None:
    carried = carry("offered_a_person")
    assert await carried.say(answer("amount", 50)) == ["The fee is 5.", "Where does the receipt go?"]
    assert await carried.say(correct("payee", "Bo")) == ["Where does the receipt go?"]
    assert await carried.all_of(answer("email", "a@b"), answer("purpose", "rent")) == ["Pay 50 to Bo for rent, fee 5?"]


async def test_attempts_that_were_made_count(carry: Carry) -> None:
    carried = carry("not_understood")
    assert await carried.say(answer("amount", -1)) == ["At least 1.", "How much?"]
    assert (await carried.say(answer("amount", -1)))[-1] == OFFER


async def test_a_person_gives_the_conversation_back(carry: Carry) -> None:
    carried = carry("with_a_person")
    assert await carried.say(answer("purpose", "rent")) == [], "the person hears it"
    assert await carried.returned() == ["You are talking to the assistant again.", "What is it for?"]
    assert await carried.say(correct("amount", 80)) == ["The fee is 8.", "What is it for?"]
    assert await carried.say(answer("purpose", "rent")) == ["Pay 80 to Ana for rent, fee 8?"]


async def test_what_is_to_be_acknowledged_is_corrected_and_acknowledged(carry: Carry) -> None:
    carried = carry("to_be_acknowledged")
    assert await carried.say(correct("name", "Bo")) == ["These are the terms for Bo."]
    assert await carried.say(Acknowledge()) == ["How old?"]
    assert await carried.say(answer("age", 50)) == ["Bo is 50."]


async def test_where_nothing_is_open_something_can_be_begun(carry: Carry) -> None:
    carried = carry("denied")
    assert await carried.say(StartFlow(flow="pay", slots={"payee": "Bo"})) == ["How much?"]
    assert carried.deeds == []


# What a flow did so long ago that it does not know of it, or that another flow did before it


LAST = {
    "long_after_a_payment": "20 were paid, 110 steps, 3 stars, fine.",
    "long_after_nothing": "110 steps with Bo, 3 stars, fine.",
    "long_after_a_payment_in_a_call": "20 were paid, 98 steps, 3 stars, fine.",
}


@pytest.mark.parametrize(("case", "last"), LAST.items())
async def test_after_a_long_way_it_goes_on(carry: Carry, case: str, last: str) -> None:
    carried = carry(case)
    assert await carried.say(answer("stars", 3)) == ["Any comment?"]
    assert await carried.say(answer("comment", "fine")) == [last]
    assert carried.deeds == []


@pytest.mark.parametrize("case", ["long_after_a_payment", "long_after_a_payment_in_a_call"])
async def test_after_a_long_way_what_was_paid_cannot_be_corrected(carry: Carry, case: str) -> None:
    carried = carry(case)
    assert await carried.say(correct("amount", 90)) == REFUSED
    assert await carried.say(NO) == ["All right.", "How many stars?"]
    assert (await carried.user.slots())["amount"] == 20
    assert await carried.all_of(answer("stars", 3), answer("comment", "fine")) == [LAST[case]]
    assert carried.deeds == []


async def test_what_was_paid_before_a_link_is_not_paid_again(carry: Carry) -> None:
    carried = carry("paid_before_a_link")
    assert await carried.say(answer("stars", 3)) == ["Any comment?"]
    assert await carried.say(answer("comment", "fine")) == ["2 tickets, 3 stars, fine."]
    assert carried.deeds == []


async def test_what_was_paid_before_a_link_in_a_call_cannot_be_corrected(carry: Carry) -> None:
    carried = carry("paid_before_a_link_in_a_call")
    assert await carried.say(correct("amount", 90)) == REFUSED
    assert await carried.say(NO) == ["All right.", "How many stars for 2 tickets?"]
    said = await carried.all_of(answer("stars", 3), answer("comment", "fine"))
    assert said == ["2 tickets, 3 stars, fine.", "Have fun with Bo."]
    assert carried.deeds == []


# Turns that the earlier version did not finish


def recovered(carried: Carried) -> list[str]:
    assert carried.user.last is not None
    return [message.text for message in carried.user.last.recovered]


async def test_a_turn_that_stopped_after_a_payment_is_finished_and_pays_nothing(carry: Carry) -> None:
    carried = carry("stopped_after_the_outcome")
    assert await carried.say(Repeat()) == ["How many stars?"]
    assert recovered(carried) == ["Paid: P50.", "How many stars?"]
    assert await carried.say(correct("amount", 80)) == REFUSED
    assert await carried.say(NO) == ["All right.", "How many stars?"]
    assert carried.deeds == []


async def test_a_turn_that_stopped_in_a_payment_is_finished_and_pays_nothing(carry: Carry) -> None:
    carried = carry("stopped_before_the_outcome")
    await carried.say(Repeat())
    assert recovered(carried) == ["I do not know whether that was paid."]
    assert await carried.say(StartFlow(flow="pay")) == ["Who gets the money?"]
    assert carried.deeds == []
