"""kill -9 before and after every persistence call, and inside an action, on SQLite and on Postgres.

Whatever the instant, the conversation stands afterwards where an undisturbed one stands (G5), the message was processed
once (G2), the payment was made at most once (G3), every message was stored before it was heard and is there once (G4),
nobody is locked out (G1), and the next message is processed normally (G6).
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.faults.assistant import TURNS, USER
from tests.faults.conftest import NewPlace
from tests.faults.worker import Operation, Place, do, everything, full, killed, points, state_in

SAID = [Operation("say", text, f"m{number}") for number, text in enumerate(TURNS)]
UNKNOWN = (
    "after the intent of an action",
    "before paying",
    "after paying",
    "before a message",
    "after a message",
    "before the result of an action",
)
"""After these, nobody can know whether the payment was made."""


def is_unknown(operation: Operation, point: str) -> bool:
    """Whether a kill at a point leaves it open whether the payment was made."""
    if operation.text != "yes":
        return False
    return any(point == f"{name} #1" for name in UNKNOWN)


async def undisturbed(place: Place, turns: list[Operation]) -> tuple[Any, list[Any]]:
    for operation in turns:
        await do(place, operation)
    return await everything(place)


def said(messages: list[Any]) -> list[tuple[Any, ...]]:
    # An id begins with the name of this life of the conversation, which is another in every run.
    return [(message.id.partition("/")[2], message.sequence, message.text) for message in messages]


@pytest.mark.sweep(2)
@pytest.mark.parametrize("number", range(len(SAID)), ids=TURNS)
def test_g1_to_g6_hold_after_a_kill_at_any_point_of_a_turn(new_place: NewPlace, number: int) -> None:
    operation, begun = SAID[number], new_place()
    asyncio.run(undisturbed(begun, SAID[:number]))
    whole = begun.copy()
    found = points(whole, operation)
    state, messages = asyncio.run(everything(whole))
    assert found[:2] == ["before accepting a message #1", "after accepting a message #1"]
    assert found[-2:] == ["before the end of a turn #1", "after the end of a turn #1"]
    for point in found:
        place = begun.copy()
        assert killed(place, operation, point), point
        asyncio.run(_check_after_a_kill(place, operation, point, state, said(messages)))


@pytest.mark.sweep(2)
@pytest.mark.parametrize("number", range(len(SAID)), ids=TURNS)
def test_g1_to_g6_hold_when_the_disk_is_full_at_any_point_of_a_turn(tmp_path: Path, number: int) -> None:
    """The system refuses to let the files grow; the process lives on and says so."""
    operation, begun = SAID[number], Place(f"sqlite:{tmp_path}/1/c.db", tmp_path / "1")
    begun.folder.mkdir()
    asyncio.run(undisturbed(begun, SAID[:number]))
    whole = begun.copy()
    found = points(whole, operation)
    state, messages = asyncio.run(everything(whole))
    for point in found:
        place = begun.copy()
        outcome = full(place, operation, point)
        if point.startswith("after the end"):
            assert outcome == "", "there was nothing left to write"
        else:
            assert "could not be kept" in outcome, point
        asyncio.run(_check_after_a_kill(place, operation, point, state, said(messages)))


async def _check_after_a_kill(
    place: Place, operation: Operation, point: str, state: Any, messages: list[tuple[Any, ...]]
) -> None:
    witness = place.witness
    heard_then = [tuple(line.split(" ", 3)[1:]) for line in witness.lines("heard")]
    async with place.loop(wait=1.0) as loop:
        stored = {(message.id, str(message.sequence), message.text) for message in await loop.messages_since(USER)}
        assert set(heard_then) <= stored, "G4: stored before it is sent"
        accepted = point != "before accepting a message #1"
        assert await loop.interrupted() == ([USER] if accepted and "after the end" not in point else []), point
        await loop.recover_all()
        again = await loop.run_turn(operation.text, user_id=USER, message_id=operation.message_id)
        assert again.error is None
        after = await state_in(loop)
        spoken = said(await loop.messages_since(USER))
        assert len({message[0] for message in spoken}) == len(spoken)
        if is_unknown(operation, point):
            assert len(witness.lines("paid")) <= 1, "G3: never a second call"
            assert again.text.endswith("I do not know whether it went through.")
            assert after["flow_stack"] == []
        else:
            assert after == state, f"G5: {point}"
            assert spoken == messages, f"G4: {point}"
            assert len(witness.lines("paid")) == (1 if after["turn"] >= 4 else 0), "G3"
        asked = len(witness.lines(f"understood {operation.text}"))
        heard_of_it = any(heard[0].split("/")[1] == str(TURNS.index(operation.text) + 1) for heard in heard_then)
        assert asked <= (1 if heard_of_it else 2), "what was heard rests on it"
        next_one = await loop.run_turn("what is left?", user_id=USER)
        assert "42 is left." in next_one.text, "G6"
        assert [line["text"] for line in await loop.transcript(USER) if line["role"] == "user"] == [
            *TURNS[: TURNS.index(operation.text) + 1],
            "what is left?",
        ], "G2: each message once, in order"


@pytest.mark.sweep(2)
def test_g3_and_g6_hold_when_the_recovery_is_killed_as_well(new_place: NewPlace) -> None:
    begun = new_place()
    asyncio.run(undisturbed(begun, SAID[:3]))
    assert killed(begun, SAID[3], "after paying #1")
    once = begun.copy()
    found = points(once, Operation("recover"))
    assert found[0] == "before another attempt #1"
    state, messages = asyncio.run(everything(once))
    for point in found:
        place = begun.copy()
        assert killed(place, Operation("recover"), point), point
        asyncio.run(do(place, Operation("recover")))
        after, spoken = asyncio.run(everything(place))
        assert after == state, point
        assert said(spoken) == said(messages), point
        assert len(place.witness.lines("paid")) == 1


@pytest.mark.sweep(2)
def test_g4_fetching_what_was_missed_can_be_killed_and_done_again(new_place: NewPlace) -> None:
    begun = new_place()
    asyncio.run(undisturbed(begun, SAID[:2]))
    assert killed(begun, SAID[2], "before a message #1")
    asyncio.run(do(begun, Operation("recover")))
    whole = begun.copy()
    found = points(whole, Operation("fetch"))
    assert found == ["before what was heard #1", "after what was heard #1"]
    assert points(whole, Operation("fetch")) == [], "it was heard"
    for point in found:
        place = begun.copy()
        assert killed(place, Operation("fetch"), point)
        asyncio.run(do(place, Operation("fetch")))
        turn = asyncio.run(do(place, SAID[3]))
        assert turn is not None
        assert turn.text == "Sent…\nDone: T1.", "who has fetched the question can answer it"


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", ["reset", "forget", "prune"])
def test_g5_what_is_done_to_a_whole_conversation_is_done_or_not(new_place: NewPlace, name: str) -> None:
    begun = new_place()
    before = asyncio.run(undisturbed(begun, SAID[:2]))
    whole = begun.copy()
    found = points(whole, Operation(name))
    after = asyncio.run(everything(whole))
    assert found
    for point in found:
        place = begun.copy()
        assert killed(place, Operation(name), point), point
        assert asyncio.run(everything(place)) in (before, after), point
        asyncio.run(do(place, Operation(name)))
        assert asyncio.run(everything(place)) == after


def test_g6_a_turn_that_kills_the_process_every_time_is_given_up_with_an_apology(new_place: NewPlace) -> None:
    place = new_place()
    asyncio.run(undisturbed(place, SAID[:2]))
    assert killed(place, SAID[2], "before a message #1")
    for _ in range(2):
        assert killed(place, Operation("recover"), "before the end of a turn #1")
    turn = asyncio.run(do(place, Operation("recover")))
    assert turn is not None
    assert turn.text == "Sorry, something went wrong on my side. Please try again."
    assert turn.error == "the process stopped each time"
    again = asyncio.run(do(place, SAID[2]))
    assert again is not None
    assert again.text == turn.text, "G2: the same message gets the stored answer"
    other = asyncio.run(do(place, Operation("say", "Ana")))
    assert other is not None
    assert other.text == "Send 100 to Ana?"


def test_g3_a_payment_in_a_turn_that_is_given_up_is_not_asked_for_again(new_place: NewPlace) -> None:
    place = new_place()
    asyncio.run(undisturbed(place, SAID[:3]))
    assert killed(place, SAID[3], "before a message #2")
    for _ in range(2):
        assert killed(place, Operation("recover"), "before the end of a turn #1")
    turn = asyncio.run(do(place, Operation("recover")))
    assert turn is not None
    assert turn.text == "Sent…\nThat was done, but something went wrong afterwards. A person will look into it."
    assert turn.handoff is not None
    assert turn.pending is None
    assert len(place.witness.lines("paid")) == 1
