"""Wrote `stores.sql.gz`, a SQLite store with one conversation for each case, and refuses to write over it.

It was run once, with commit 209b92e of 18 November 2026 (version 0.1.0, "Unreleased" in the changelog), whose running
flows kept a `trail` and what lies `ahead`. It cannot be run again with later code, which stores conversations in
another form. It is kept to tell how each conversation came to stand where it stands.
"""

from __future__ import annotations

import asyncio
import gzip
import sqlite3
from collections.abc import Callable, Coroutine
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from soni import SoniConfig
from soni.core.commands import (
    AffirmConfirmation,
    Command,
    CorrectSlot,
    DenyConfirmation,
    HumanHandoff,
    OutOfScope,
    SetSlot,
    Skip,
    StartFlow,
)
from soni.store import Store, fail_points, open_store
from soni.testing import Conversation
from tests.upgrade.assistant import NOON, World, config

STORED = Path(__file__).with_name("stores.sql.gz")

Case = Callable[[Conversation], Coroutine[Any, Any, None]]
CASES: dict[str, Case] = {}
DONE = "That has already been done, so I cannot change it any more."
OFFER = "Would you like to talk to a person?"
REVIEW = "Pay 50 to Ana for rent, fee 5?"


def case(talk: Case) -> Case:
    """Keep the conversation that this function has, under the function's name."""
    CASES[talk.__name__] = talk
    return talk


def said(slot: str, value: object) -> SetSlot:
    return SetSlot(slot=slot, value=value)


async def all_of(user: Conversation, *commands: Command) -> list[str]:
    """One message for each command; what the last was answered with."""
    answer: list[str] = []
    for command in commands:
        answer = await user.say(command)
    return answer


async def frames(user: Conversation) -> list[Any]:
    """The running flows, as that version kept them."""
    return list((await user.state())["flow_stack"])


def pay(purpose: str | None = "rent") -> list[Command]:
    """What leads to the confirmation of a payment."""
    last = said("purpose", purpose) if purpose else Skip()
    return [StartFlow(flow="pay"), said("payee", "Ana"), said("amount", 50), said("email", "a@b"), last]


GIFT: list[Command] = [
    StartFlow(flow="gift", slots={"friend": "Bo"}),
    said("budget", 30),
    said("wrapping", "red"),
]
TRIP: list[Command] = [
    StartFlow(flow="trip"),
    said("name", "Eve"),
    said("age", 40),
    said("kind", "home"),
    said("hotel", "Ritz"),
    said("meal", "Fish"),
    Skip(),
]
ORDER: list[Command] = [
    StartFlow(flow="order", slots={"shop": "Red"}),
    said("item", "tea"),
    said("pieces", 2),
    said("more", True),
    said("item", "milk"),
    said("pieces", 1),
    said("more", True),
]
DELIVER: list[Command] = [
    StartFlow(flow="deliver", slots={"customer": "Ann"}),
    said("phone", "111"),
    said("day", "Monday"),
]


@case
async def in_the_middle(user: Conversation) -> None:
    answer = await all_of(user, *pay()[:-1])
    assert answer == ["What is it for?"]


@case
async def at_the_confirmation(user: Conversation) -> None:
    answer = await all_of(user, *pay())
    assert answer == [REVIEW]


@case
async def said_early(user: Conversation) -> None:
    """A value for a question that is still to come."""
    answer = await all_of(user, StartFlow(flow="pay", slots={"payee": "Ana", "email": "a@b"}), said("purpose", "rent"))
    assert answer == ["How much?"]


@case
async def optional_left_out(user: Conversation) -> None:
    answer = await all_of(user, *pay(purpose=None))
    assert answer == ["Pay 50 to Ana for —, fee 5?"]


@case
async def corrected_at_the_confirmation(user: Conversation) -> None:
    answer = await all_of(user, *pay(), CorrectSlot(slot="amount", value=70))
    assert answer[1:] == ["The fee is 7.", "Pay 70 to Ana for rent, fee 7?"]


@case
async def paid(user: Conversation) -> None:
    answer = await all_of(user, *pay(), AffirmConfirmation())
    assert answer == ["Paid: P50.", "How many stars?"]


@case
async def corrected_and_paid(user: Conversation) -> None:
    correction = CorrectSlot(slot="amount", value=70)
    answer = await all_of(user, *pay(), correction, AffirmConfirmation(), said("stars", 4))
    assert answer == ["Any comment?"]


@case
async def paid_and_refused(user: Conversation) -> None:
    """After a payment, with the offer of a person open because it cannot be changed."""
    answer = await all_of(user, *pay(), AffirmConfirmation(), CorrectSlot(slot="amount", value=90))
    assert answer == [DONE, OFFER]


@case
async def paid_in_a_finished_call(user: Conversation) -> None:
    answer = await all_of(user, *GIFT, said("account", "main"), AffirmConfirmation(), said("receipt", "a@b"))
    assert answer == ["What does the card say?"]


@case
async def paid_in_an_open_call(user: Conversation) -> None:
    answer = await all_of(user, *GIFT, said("account", "main"), AffirmConfirmation())
    assert answer == ["Paid: F30.", "Where does the receipt go?"]


@case
async def in_a_call(user: Conversation) -> None:
    answer = await all_of(user, *GIFT)
    assert answer == ["From which account?"]


@case
async def said_early_in_a_call(user: Conversation) -> None:
    answer = await all_of(user, *GIFT, said("receipt", "a@b"))
    assert answer == ["From which account?"]


@case
async def at_the_confirmation_of_a_call(user: Conversation) -> None:
    answer = await all_of(user, *GIFT, said("account", "main"))
    assert answer == ["Pay 30 from main?"]


@case
async def after_a_call(user: Conversation) -> None:
    answer = await all_of(user, *TRIP)
    assert answer == ["Eve, home, Ritz, Fish, —, 404?"]


@case
async def in_the_third_round(user: Conversation) -> None:
    answer = await all_of(user, *ORDER, said("item", "bread"))
    assert answer == ["How many pieces?"]


@case
async def at_the_end_of_the_third_round(user: Conversation) -> None:
    answer = await all_of(user, *ORDER, said("item", "bread"), said("pieces", 3))
    assert answer == ["43 so far.", "Anything else?"]


@case
async def in_a_call_in_the_second_round(user: Conversation) -> None:
    answer = await all_of(
        user,
        StartFlow(flow="party", slots={"hotel": "Ritz"}),
        said("name", "Ana"),
        said("age", 30),
        said("more", True),
        said("name", "Bo"),
    )
    assert answer == ["How old?"]


@case
async def paid_in_the_first_round(user: Conversation) -> None:
    answer = await all_of(
        user,
        StartFlow(flow="donate", slots={"account": "main"}),
        said("payee", "Ana"),
        said("amount", 10),
        AffirmConfirmation(),
        said("more", True),
        said("payee", "Bo"),
        said("amount", 20),
    )
    assert answer == ["Give 20 to Bo from main?"]


@case
async def at_a_menu(user: Conversation) -> None:
    """Steps that a jump repeats, without a loop."""
    answer = await all_of(
        user,
        StartFlow(flow="menu", slots={"shop": "Red"}),
        said("choice", "add"),
        said("item", "tea"),
        said("choice", "add"),
        said("item", "milk"),
    )
    assert answer == ["Add or leave?"]


@case
async def half_gone_over(user: Conversation) -> None:
    """A correction has brought up a question, and the answers after it lie ahead."""
    answer = await all_of(user, *TRIP, CorrectSlot(slot="kind", value="abroad"))
    assert answer[1:] == ["Which passport?"]
    [frame] = await frames(user)
    assert frame["ahead"]


@case
async def half_gone_over_in_a_call(user: Conversation) -> None:
    """A called flow's answer was taken back: it is called again, and the caller's answers lie ahead."""
    answer = await all_of(user, *TRIP, CorrectSlot(slot="name"))
    assert answer == ["Who travels?"]
    assert (await frames(user))[0]["ahead"]


@case
async def half_gone_over_in_a_loop(user: Conversation) -> None:
    """The answer of this round was taken back."""
    answer = await all_of(user, *ORDER, said("item", "bread"), said("pieces", 3), CorrectSlot(slot="item"))
    assert answer == ["Which item?"]
    [frame] = await frames(user)
    assert frame["ahead"]


@case
async def paused(user: Conversation) -> None:
    answer = await all_of(user, *pay()[:-1], StartFlow(flow="alarm"))
    assert answer == ["At what hour?"]


@case
async def paused_and_paid(user: Conversation) -> None:
    answer = await all_of(user, *pay(), AffirmConfirmation(), StartFlow(flow="alarm"))
    assert answer == ["At what hour?"]


@case
async def confirmed(user: Conversation) -> None:
    """The yes was said, and what it was said to is not done yet."""
    answer = await all_of(user, StartFlow(flow="unlock"), said("number", "card 7"), AffirmConfirmation())
    assert answer == ["Which PIN?"]


@case
async def with_a_secret(user: Conversation) -> None:
    await all_of(user, StartFlow(flow="unlock"), said("number", "card 7"), AffirmConfirmation())
    answer = await user.say(said("pin", "4821"), text="4821")
    assert answer == ["Why?"]


@case
async def overruled(user: Conversation) -> None:
    """A person has said something else than what an action had found."""
    answer = await all_of(user, *DELIVER, CorrectSlot(slot="address", value="Elm Road"))
    assert answer[1:] == ["For Ann, 111, to Elm Road on Monday?"]


@case
async def conversation_wide(user: Conversation) -> None:
    answer = await all_of(
        user, StartFlow(flow="enrol", slots={"member": "gold"}), StartFlow(flow="seat", slots={"amount": 4})
    )
    assert answer == ["On which day?"]


@case
async def offered_a_person(user: Conversation) -> None:
    """After too many answers that could not be used."""
    answer = await all_of(user, *pay()[:2], *[said("amount", -1)] * 3)
    assert answer[-1] == OFFER


@case
async def with_a_person(user: Conversation) -> None:
    answer = await all_of(user, *pay()[:-1], HumanHandoff())
    assert answer == ["A person will take it from here."]


@case
async def long_after_a_payment(user: Conversation) -> None:
    answer = await all_of(user, StartFlow(flow="parade", slots={"amount": 20}), AffirmConfirmation())
    assert answer == ["How many stars?"]
    [frame] = await frames(user)
    assert frame["acted"]
    assert not any(passed["acted"] for passed in frame["trail"]), "the trail was cut"


@case
async def long_after_nothing(user: Conversation) -> None:
    answer = await all_of(user, StartFlow(flow="walk", slots={"friend": "Bo"}))
    assert answer == ["How many stars?"]
    [frame] = await frames(user)
    assert len(frame["trail"]) == 200


@case
async def long_after_a_payment_in_a_call(user: Conversation) -> None:
    """The call is remembered, and what the called flow went through is not any more."""
    start = StartFlow(flow="gala", slots={"amount": 20})
    answer = await all_of(user, start, said("account", "main"), AffirmConfirmation(), said("receipt", "a@b"))
    assert answer == ["How many stars?"]
    [frame] = await frames(user)
    called = next(passed for passed in frame["trail"] if passed["inner"])
    assert called["acted"]
    assert called["inner"] == {"flow": "settle", "trail": []}


@case
async def paid_before_a_link(user: Conversation) -> None:
    """The flow that paid is gone, and another has followed it."""
    answer = await all_of(user, StartFlow(flow="tickets", slots={"amount": 2}), AffirmConfirmation())
    assert answer == ["How many stars for 2 tickets?"]


@case
async def paid_before_a_link_in_a_call(user: Conversation) -> None:
    start = StartFlow(flow="outing", slots={"friend": "Bo", "amount": 2})
    answer = await all_of(user, start, AffirmConfirmation())
    assert answer == ["How many stars for 2 tickets?"]


@case
async def to_be_acknowledged(user: Conversation) -> None:
    answer = await all_of(user, StartFlow(flow="terms", slots={"name": "Ana"}))
    assert answer == ["These are the terms for Ana."]


@case
async def denied(user: Conversation) -> None:
    """Nothing is open any more."""
    await all_of(user, *pay(), DenyConfirmation())


@case
async def not_understood(user: Conversation) -> None:
    """A question was put again, and the attempts are counted."""
    answer = await all_of(user, *pay()[:2], said("amount", -1), OutOfScope())
    assert answer[-1] == "How much?"


class Stopped(BaseException):
    """The process stops here."""


async def _stopped(user: Conversation, point: str) -> None:
    """The yes to a payment, in a turn that does not come to its end."""
    await all_of(user, *pay())

    def stop(passed: str) -> None:
        if passed == point:
            raise Stopped

    fail_points.passing = stop
    with suppress(Stopped):
        await user.say(AffirmConfirmation())
        raise AssertionError(f"'{point}' was not passed")
    fail_points.passing = None


@case
async def stopped_before_the_outcome(user: Conversation) -> None:
    """Nobody knows whether the payment was made."""
    await _stopped(user, "before the result of an action")


@case
async def stopped_after_the_outcome(user: Conversation) -> None:
    """The payment was made, and the turn did not end."""
    await _stopped(user, "after the result of an action")


async def _write(assistant: SoniConfig, store: Store) -> None:
    for name, talk in CASES.items():
        options: dict[str, Any] = {"clock": lambda: NOON, "recover_every": None}
        await talk(Conversation(assistant, actions=World().actions, store=store, user_id=name, **options))


async def main() -> None:
    """Have all conversations, and write the store they are in as SQL."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "stores.db")
        async with open_store(f"sqlite:{file}") as store:
            await _write(config(Path(folder)), store)
        with closing(sqlite3.connect(file)) as connection:
            text = "\n".join(connection.iterdump())
        with STORED.open("xb") as target:
            target.write(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    asyncio.run(main())
