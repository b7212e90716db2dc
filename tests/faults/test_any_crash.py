"""Random conversations with random crashes, repetitions and restarts, held against the same one undisturbed."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from soni import RuntimeLoop
from soni.store import Store, fail_points
from soni.store.sqlite import SqliteStore
from tests.conftest import examples
from tests.faults.assistant import USER
from tests.faults.worker import Place

MESSAGES = st.sampled_from(["send", "100", "Ana", "yes", "what is left?", "no idea"])


class Crash(BaseException):
    """The process is gone; nothing after it runs."""


class AnyCrash(RuleBasedStateMachine):
    """A conversation on a file. A crash loses everything that was not written down; the file is opened anew."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="soni-crash-"))
        self.place = Place(f"sqlite:{self.folder}/c.db", self.folder)
        self.accepted: list[tuple[str, str]] = []
        self.sent = 0
        self.unknown = 0
        self.runner = asyncio.Runner()
        self.open()

    def open(self) -> None:
        async def opened() -> tuple[Store, RuntimeLoop]:
            store = SqliteStore(self.folder / "c.db")
            await store.open()
            return store, await self.place.loop_on(store).__aenter__()

        self.store, self.loop = self.runner.run(opened())

    def close(self) -> None:
        async def closed() -> None:
            assert isinstance(self.store, SqliteStore)
            await self.store.close()

        self.runner.run(closed())

    async def say(self, text: str, message_id: str) -> Any:
        return await self.loop.run_turn(text, user_id=USER, message_id=message_id)

    @rule(text=MESSAGES)
    def speaks(self, text: str) -> None:
        self.sent += 1
        turn = self.runner.run(self.say(text, f"m{self.sent}"))
        assert turn.error is None
        self.accepted.append((f"m{self.sent}", text))

    @rule(text=MESSAGES, points=st.integers(0, 12))
    def is_killed(self, text: str, points: int) -> None:
        """After so many fail points of a turn, or not at all if it has fewer."""
        self.sent += 1
        left, claimed = points, False

        def passing(point: str) -> None:
            nonlocal left, claimed
            claimed |= point == "after accepting a message"
            left -= 1
            if left < 0:
                raise Crash

        fail_points.passing = passing
        try:
            self.runner.run(self.say(text, f"m{self.sent}"))
        except Crash:
            self.close()
            fail_points.passing = None
            self.open()
        finally:
            fail_points.passing = None
        if claimed:
            self.accepted.append((f"m{self.sent}", text))

    @rule(points=st.integers(2, 12))
    def is_killed_while_paying(self, points: int) -> None:
        for text in ("send", "100", "Ana"):
            self.speaks(text)
        self.is_killed("yes", points)

    @precondition(lambda self: self.accepted)
    @rule(data=st.data())
    def is_repeated(self, data: st.DataObject) -> None:
        message_id, text = data.draw(st.sampled_from(self.accepted))

        async def three_at_once() -> list[Any]:
            return await asyncio.gather(*(self.say(text, message_id) for _ in range(3)))

        turns = self.runner.run(three_at_once())
        assert len({repr(turn.messages) for turn in turns}) == 1

    @rule()
    def is_recovered(self) -> None:
        self.runner.run(self.loop.recover_all())

    @rule()
    def is_restarted(self) -> None:
        self.close()
        self.open()

    @invariant()
    def promises_hold(self) -> None:
        async def looked() -> tuple[list[str], bool, Any, list[Any]]:
            heard = [line["text"] for line in await self.loop.transcript(USER) if line["role"] == "user"]
            running = await self.loop.is_running(USER)
            return heard, running, await self.loop.get_state(USER), await self.loop.messages_since(USER)

        heard, running, state, messages = self.runner.run(looked())
        accepted = [text for _, text in self.accepted]
        # The transcript shows a message when its turn has ended.
        assert heard == (accepted[:-1] if running else accepted), "G2: each accepted message, once, in order"
        assert [message.sequence for message in messages] == sorted({message.sequence for message in messages}), "G4"
        keys = [line.split(" ")[-1] for line in self.place.witness.lines("paid")]
        assert len(keys) == len(set(keys)), "G3: one visit, one payment"
        assert state["turn"] <= len(self.accepted), "G5: nothing runs ahead of what was accepted"

    def teardown(self) -> None:
        turn = self.runner.run(self.say("what is left?", "last"))
        assert turn.turn == len(self.accepted) + 1
        assert turn.error is None
        assert "42 is left." in turn.text or turn.handoff, "G6: the next message is processed, or goes to a person"
        self.close()
        self.runner.close()
        shutil.rmtree(self.folder)


TestAnyCrash = AnyCrash.TestCase
TestAnyCrash.settings = settings(max_examples=examples(4), stateful_step_count=12, deadline=None)
