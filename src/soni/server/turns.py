"""Turns: runs turns on behalf of requests, so that a client that goes away takes no turn with it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakValueDictionary

from soni.errors import ConversationBusy
from soni.server.limits import Open
from soni.server.problems import HttpProblem, stopping

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from soni.server.settings import ServerSettings

T = TypeVar("T")
_MOST_OF_ONE = 16
BUSY_LIMIT = 30.0
"""How many seconds a conversation that another process has is waited for."""
HOLD_LIMIT = 1.0
"""How many of these at a time, with a place taken."""


class Turns:
    """At most so many at once, one of each conversation at a time, in the order they came."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._places = asyncio.Semaphore(settings.turns)
        self._conversations: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._of_one = Open(_MOST_OF_ONE, "messages waiting")
        self._tasks: set[asyncio.Task[Any]] = set()
        self.running = 0
        self.left = 0
        """How many were cut off when the server stopped."""
        self.is_closing = False

    @property
    def waiting(self) -> int:
        """How many have been asked for and have not begun."""
        return len(self._tasks) - self.running

    def begin(self, conversation: str, work: Callable[[], Awaitable[T]]) -> asyncio.Task[T]:
        """Do something in a conversation as soon as there is a place; HttpProblem if there are too many already."""
        if self.is_closing:
            raise stopping()
        if self.waiting >= self._settings.waiting:
            raise HttpProblem(503, "too-busy", "too many turns are waiting", headers={"Retry-After": "5"})
        place = self._of_one.one(conversation)
        place.__enter__()
        task = asyncio.create_task(self._done(conversation, work))
        self._tasks.add(task)

        def ended(_: asyncio.Task[T]) -> None:
            place.__exit__(None, None, None)
            self._tasks.discard(task)
            if not task.cancelled():
                task.exception()  # whoever waits for it is told; if nobody does, nobody needs to be

        task.add_done_callback(ended)
        return task

    async def _done(self, conversation: str, work: Callable[[], Awaitable[T]]) -> T:
        lock = self._conversations.get(conversation)
        if lock is None:
            lock = self._conversations[conversation] = asyncio.Lock()
        clock, pause = asyncio.get_running_loop().time, 0.05
        deadline = clock() + BUSY_LIMIT
        # First the conversation, then a place: who waits for himself must not keep others waiting. If another process
        # has the conversation, the place is given back in between.
        async with lock:
            while True:
                async with self._places:
                    self.running += 1
                    try:
                        return await work()
                    except ConversationBusy:
                        if clock() > deadline:
                            raise
                    finally:
                        self.running -= 1
                await asyncio.sleep(pause)
                pause = min(pause * 2, 1.0)

    async def result(self, task: asyncio.Task[T], message_id: str | None = None, waiting: Waiting | None = None) -> T:
        """What came of a turn; if it takes too long, HttpProblem, and the turn goes on."""
        limit = self._settings.turn_limit
        done, _ = await asyncio.wait({task}, timeout=limit)
        if not done:
            if waiting is not None:
                waiting.is_there = False
            raise too_long(limit, message_id)
        return outcome(task, message_id)

    @property
    def unfinished(self) -> int:
        """How many run or wait."""
        return len(self._tasks)

    async def finish(self) -> None:
        """Take no more, and let those that run come to their end; what does not is finished by whoever comes next."""
        self.is_closing = True
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=self._settings.grace)
        await self.give_up()

    async def give_up(self) -> None:
        """Leave the turns that run to whoever comes next."""
        self.is_closing = True
        self.left += len(self._tasks)
        for task in [*self._tasks]:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=5.0)


@dataclass(slots=True)
class Waiting:
    """Whoever asked for a turn, for as long as they wait for its answer."""

    is_there: bool = True


def outcome(task: asyncio.Task[T], message_id: str | None) -> T:
    """What came of a turn that has ended; HttpProblem if it was cut off."""
    if task.cancelled():
        raise stopping(message_id)
    return task.result()


def too_long(limit: float, message_id: str | None) -> HttpProblem:
    """The problem of a turn that takes longer than a request waits."""
    cure = "ask again with the same message_id for its answer, or follow the conversation's events"
    detail = f"the turn takes longer than {limit:g} s and goes on; {cure}"
    # Some clients would send it again at once, and without its name.
    headers = {"Retry-After": "5", "X-Should-Retry": "false"}
    return HttpProblem(504, "turn-takes-long", detail, headers=headers, message_id=message_id)
