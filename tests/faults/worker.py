"""One operation on a store, in a process of its own that may kill itself on the way."""

from __future__ import annotations

import asyncio
import itertools
import multiprocessing
import os
import resource
import shutil
import signal
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench.postgres import postgres

from soni import RuntimeLoop
from soni.core.message_sink import Message
from soni.errors import SoniError
from soni.runtime.result import TurnResult
from soni.store import Store, fail_points, history, open_store
from tests.faults.assistant import NOON, USER, Script, Witness, WitnessSink, actions, config

# A server that has everything imported forks a process for each operation.
_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["tests.faults.worker"])


_copies = itertools.count(1)


@dataclass(frozen=True)
class Operation:
    """Something that is done to the conversation."""

    name: str
    text: str = ""
    message_id: str = ""


@dataclass(frozen=True)
class Place:
    """Where a conversation is kept, and who watches."""

    url: str
    folder: Path

    @property
    def witness(self) -> Witness:
        return Witness(self.folder / "witness.txt")

    def copy(self) -> Place:
        """Another place where everything stands as here; nobody may be writing."""
        folder = self.folder.parent / f"{self.folder.name}-{next(_copies)}"
        shutil.copytree(self.folder, folder)
        url = postgres().new_database(self.url) if self.url.startswith("postgres") else f"sqlite:{folder}/c.db"
        return Place(url, folder)

    @asynccontextmanager
    async def loop(self, **options: Any) -> AsyncIterator[RuntimeLoop]:
        """The assistant on this store."""
        async with open_store(self.url) as store, self.loop_on(store, **options) as loop:
            yield loop

    def loop_on(self, store: Store, **options: Any) -> RuntimeLoop:
        return RuntimeLoop(
            config(self.folder),
            actions=actions(self.witness),
            store=store,
            understanding=Script(self.witness),
            clock=lambda: NOON,
            **{"recover_every": None, **options},
        )


async def do(place: Place, operation: Operation, **options: Any) -> TurnResult | None:
    """Do it."""
    async with open_store(place.url) as store, place.loop_on(store, **options) as loop:
        match operation.name:
            case "say":
                sink = WitnessSink(place.witness)
                return await loop.run_turn(
                    operation.text, user_id=USER, sink=sink, message_id=operation.message_id or None
                )
            case "reset":
                await loop.reset(USER)
            case "forget":
                await loop.forget(USER)
            case "prune":
                await history.prune(store, NOON.timestamp() + 1)
            case "fetch":
                await loop.messages_since(USER)
            case "recover":
                return await loop.recover(USER)
        return None


def points(place: Place, operation: Operation) -> list[str]:
    """The fail points that an operation passes, each with how often it was passed before."""
    found: list[str] = []
    seen: Counter[str] = Counter()

    def note(point: str) -> None:
        seen[point] += 1
        found.append(f"{point} #{seen[point]}")

    fail_points.passing = note
    try:
        asyncio.run(do(place, operation))
    finally:
        fail_points.passing = None
    return found


def kill_at(wanted: str) -> Callable[[str], None]:
    """What kills the process at a point."""
    seen: Counter[str] = Counter()

    def maybe(point: str) -> None:
        seen[point] += 1
        if f"{point} #{seen[point]}" == wanted:
            os.kill(os.getpid(), signal.SIGKILL)

    return maybe


def _run(place: Place, operation: Operation, point: str) -> None:
    fail_points.passing = kill_at(point)
    asyncio.run(do(place, operation))


def killed(place: Place, operation: Operation, point: str) -> bool:
    """Do it in a process that kills itself at a point; whether it did."""
    process = _context.Process(target=_run, args=(place, operation, point))
    process.start()
    process.join()
    assert process.exitcode in (0, -signal.SIGKILL)
    return process.exitcode != 0


def _full(place: Place, operation: Operation, point: str, pipe: Any) -> None:
    seen: Counter[str] = Counter()

    def fill(passed: str) -> None:
        seen[passed] += 1
        if f"{passed} #{seen[passed]}" == point:
            wal = place.folder / "c.db-wal"
            size = wal.stat().st_size if wal.exists() else 0
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    fail_points.passing = fill
    pipe.send(_outcome(lambda: asyncio.run(do(place, operation))))
    os._exit(0)  # without closing in an orderly way, which would want to write


def _outcome(work: Callable[[], object]) -> str:
    try:
        work()
    except SoniError as error:
        return str(error)
    return ""


def full(place: Place, operation: Operation, point: str) -> str:
    """Do it in a process whose files may not grow any more after a point; what it said."""
    ours, theirs = _context.Pipe()
    process = _context.Process(target=_full, args=(place, operation, point, theirs))
    process.start()
    outcome: str = ours.recv()
    process.join()
    return outcome


def _hammer(place: Place, name: str, copies: int, ready: Any) -> None:
    async def work() -> None:
        async with place.loop(wait=60.0) as loop:
            ready.wait(60)
            for number in range(copies):
                for message_id in (f"{name}-{number}", f"both-{number}"):
                    await loop.run_turn("what is left?", user_id=USER, message_id=message_id)

    asyncio.run(work())


def hammered(place: Place, copies: int) -> None:
    """Two processes talk in one conversation at once, each with messages of its own and some that both have."""
    ready = _context.Barrier(2)
    processes = [_context.Process(target=_hammer, args=(place, name, copies, ready)) for name in ("a", "b")]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]


def _stoppable(place: Place, operation: Operation, point: str, pipe: Any) -> None:
    def stop(passed: str) -> None:
        if passed == point:
            pipe.send("stopping")
            os.kill(os.getpid(), signal.SIGSTOP)

    fail_points.passing = stop
    try:
        turn = asyncio.run(do(place, operation))
        pipe.send([message.text for message in turn.messages] if turn else None)
    except SoniError as error:
        pipe.send(repr(error))


class Stopped:
    """A process that has stopped itself in the middle of an operation, and can be made to go on."""

    def __init__(self, place: Place, operation: Operation, point: str) -> None:
        self._pipe, theirs = _context.Pipe()
        self._process = _context.Process(target=_stoppable, args=(place, operation, point, theirs))
        self._process.start()
        assert self._pipe.recv() == "stopping"

    def go_on(self) -> Any:
        """Let it continue; what came of it."""
        assert self._process.pid is not None
        os.kill(self._process.pid, signal.SIGCONT)
        outcome = self._pipe.recv()
        self._process.join()
        return outcome


async def everything(place: Place) -> tuple[Any, list[Message]]:
    """The state of the conversation, and what was said in it, without what is random in both."""
    async with place.loop() as loop:
        messages = await loop.messages_since(USER)
        return await state_in(loop), [replace(message, options=()) for message in messages]


async def state_in(loop: RuntimeLoop) -> Any:
    """The state, without the mark that ties a button to this life of the conversation."""
    state = await loop.get_state(USER)
    task = state["_pending_task"]
    return state if task is None else {**state, "_pending_task": {**task, "token": ""}}
