"""Limits: how often somebody may ask."""

from __future__ import annotations

import asyncio
import math
import time
from collections import OrderedDict
from contextlib import contextmanager
from typing import TYPE_CHECKING

from soni.server.problems import HttpProblem

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

_MOST_KNOWN = 50_000


class Rate:
    """So many a minute for each name, a third of them at once."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._each = 60.0 / per_minute
        self._burst = max(per_minute / 3, 1.0)
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def count(self, name: str) -> None:
        """HttpProblem 429 if the name has used up what it may."""
        now = self._clock()
        left, then = self._left.pop(name, (self._burst, now))
        left = min(left + (now - then) / self._each, self._burst)
        self._left[name] = (max(left - 1, 0.0) if left >= 1 else left, now)
        if len(self._left) > _MOST_KNOWN:
            self._left.popitem(last=False)
        if left < 1:
            seconds = math.ceil((1 - left) * self._each)
            detail = f"too many requests; try again in {seconds} s"
            raise HttpProblem(429, "too-many-requests", detail, headers={"Retry-After": str(seconds)})


class Open:
    """How many of something each name has open at once."""

    def __init__(self, most: int, what: str) -> None:
        self._most = most
        self._what = what
        self._open: dict[str, int] = {}

    @contextmanager
    def one(self, name: str) -> Iterator[None]:
        """One more while the block runs; HttpProblem 429 if there are enough."""
        if self._open.get(name, 0) >= self._most:
            detail = f"this conversation has {self._most} {self._what} already"
            raise HttpProblem(429, "too-many-open", detail, headers={"Retry-After": "5"})
        self._open[name] = self._open.get(name, 0) + 1
        try:
            yield
        finally:
            self._open[name] -= 1
            if not self._open[name]:
                del self._open[name]

    @property
    def total(self) -> int:
        """How many there are in all."""
        return sum(self._open.values())


class Recent:
    """An answer that costs something, worked out at most once in so many seconds, however many ask for it."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._asking = asyncio.Lock()
        self._answer: str | None = None
        self._until = 0.0

    async def answer(self, ask: Callable[[], Awaitable[str]]) -> str:
        """The answer, from `ask` if there is none of late."""
        async with self._asking:
            if self._answer is None or self._clock() >= self._until:
                self._answer = await ask()
                self._until = self._clock() + self._seconds
            return self._answer
