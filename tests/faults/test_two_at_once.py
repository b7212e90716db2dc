"""One writer: two processes, three copies of a message, a process that has stopped, a database that goes away."""

from __future__ import annotations

import asyncio

import pytest
from bench.postgres import postgres

from soni.errors import ConversationBusy, StoreUnavailable
from soni.store import fail_points, open_store
from tests.faults.assistant import TURNS, USER
from tests.faults.worker import Operation, Place, Stopped, do, everything, hammered, killed

SAID = [Operation("say", text, f"m{number}") for number, text in enumerate(TURNS)]


def test_g1_and_g2_two_processes_on_one_conversation_lose_and_repeat_nothing(place: Place) -> None:
    copies = 15
    hammered(place, copies)
    state, messages = asyncio.run(everything(place))
    assert state["turn"] == 3 * copies, "each one's own messages, and those of both once"
    assert [message.sequence for message in messages] == list(range(1, 3 * copies + 1)), messages
    assert {message.text for message in messages} == {"42 is left."}
    assert len(place.witness.lines("understood")) == 3 * copies


async def test_g2_three_copies_of_one_message_at_once_are_one(place: Place) -> None:
    for operation in SAID[:3]:
        await do(place, operation)
    async with place.loop() as loop, place.loop() as other:
        answers = await asyncio.gather(
            *(one.run_turn("yes", user_id=USER, message_id="m3") for one in (loop, other, loop))
        )
        assert {answer.text for answer in answers} == {"Sent…\nDone: T1."}
        assert len({str(answer.messages) for answer in answers}) == 1
        assert [answer.commands for answer in answers] == [answers[0].commands] * 3
        assert [answer.trace for answer in answers] == [answers[0].trace] * 3
        assert (await loop.get_state(USER))["turn"] == 4
    assert len(place.witness.lines("paid")) == 1


def test_g1_a_stopped_worker_keeps_others_out_and_does_no_harm_when_it_goes_on(place: Place) -> None:
    for operation in SAID[:3]:
        asyncio.run(do(place, operation))
    stopped = Stopped(place, SAID[3], "after paying")
    with pytest.raises(ConversationBusy, match="still being worked on"):
        asyncio.run(do(place, Operation("say", "what is left?"), wait=0.3))
    assert asyncio.run(everything(place))[0]["turn"] == 3, "reading does not wait"
    assert stopped.go_on() == ["Sent…", "Done: T1."]
    assert len(place.witness.lines("paid")) == 1
    assert asyncio.run(everything(place))[0]["turn"] == 4


def test_g1_and_g3_an_operator_can_take_a_conversation_from_a_stopped_worker(postgres_place: Place) -> None:
    """A file's lock goes with its process; there is nobody to ask for it, so this is for Postgres."""
    place = postgres_place
    for operation in SAID[:3]:
        asyncio.run(do(place, operation))
    stopped = Stopped(place, SAID[3], "after paying")

    async def taken() -> str:
        async with place.loop() as loop:
            turn = await loop.recover(USER, force=True)
            assert turn is not None
            return turn.text

    assert asyncio.run(taken()) == "I do not know whether it went through."
    before = asyncio.run(everything(place))
    heard = stopped.go_on()
    assert heard == ["I do not know whether it went through."], "it gets the answer that counts"
    assert asyncio.run(everything(place)) == before, "and writes nothing"
    assert len(place.witness.lines("paid")) == 1


async def test_g1_who_lost_the_connection_cannot_write(postgres_place: Place) -> None:
    url = postgres_place.url
    async with open_store(url) as store, open_store(url) as other, store.hold(USER, wait=1) as held:
        assert await other.force(USER)
        async with other.hold(USER, wait=5):
            with pytest.raises(StoreUnavailable, match="could not be kept"):
                await held.commit("a message", [("DELETE FROM soni_turns", ())])


async def test_g3_and_g5_a_postgres_that_restarts_in_the_middle_of_a_payment_costs_nothing(
    postgres_place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the action did is known here, and is written down as soon as there is a database again."""
    for operation in SAID[:3]:
        await do(postgres_place, operation)
    restarts = iter([postgres().restart])

    def restart_once(point: str) -> None:
        if point == "after paying":
            next(restarts)()

    monkeypatch.setattr(fail_points, "passing", restart_once)
    async with postgres_place.loop() as loop:
        turn = await loop.run_turn("yes", user_id=USER, message_id="m3")
        assert turn.text == "Sent…\nDone: T1."
        assert await loop.interrupted() == []
        assert (await loop.run_turn("what is left?", user_id=USER)).text == "42 is left."
    assert len(postgres_place.witness.lines("paid")) == 1


async def test_g5_another_replica_finishes_what_one_that_is_gone_has_begun(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without anybody saying anything: the other one looks by itself."""
    for operation in SAID[:3]:
        await do(place, operation)
    assert await asyncio.to_thread(killed, place, SAID[3], "before a message #2")
    finished = asyncio.Event()
    monkeypatch.setattr(fail_points, "passing", lambda point: finished.set() if "after the end" in point else None)
    async with place.loop(recover_every=3600.0) as loop:
        await finished.wait()
        async with asyncio.timeout(60):
            turn = await loop.run_turn("what is left?", user_id=USER)
        assert [message.text for message in turn.recovered] == ["Sent…", "Done: T1."], "nobody had heard it"
        assert [message.text for message in turn.messages] == ["42 is left."]
        assert [line["text"] for line in await loop.transcript(USER)][-3] == "Done: T1."
    assert len(place.witness.lines("paid")) == 1
