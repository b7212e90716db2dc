"""Messages made to be slow: none costs more than its length deserves, and every one is answered."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncIterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime
from typing import Any

import pytest
from bench.hostile import KINDS

from soni import RuntimeLoop, load_config
from soni.actions import discover_actions
from soni.core.commands import ChitChat, Command, SetSlot, StartFlow
from soni.du.context import DialogueContext
from soni.du.local.understanding import LocalUnderstanding
from soni.du.understanding import Understood
from tests.examples.test_banking import BANKING

SIZES = (250, 5_000)
"""What is measured against twice as much: within what is read of a message, and as long as a message may be."""
MOST_GROWTH = 3.0
"""Twice the length may cost twice the time and some noise; a square would be four times."""


START, ANA = StartFlow(flow="transfer_funds"), SetSlot(slot="recipient", value="Ana")
STATES: dict[str, list[Command]] = {
    "nothing is open": [ChitChat(topic="thanks")],
    "an amount is asked for": [START],
    "a name is asked for": [START, SetSlot(slot="amount", value=100)],
    "a secret is asked for": [START, SetSlot(slot="amount", value=1500), ANA],
    "a confirmation is asked for": [START, SetSlot(slot="amount", value=100), ANA],
}
"""What leads to each state."""
OPEN = {
    "nothing is open": None,
    "an amount is asked for": ("collect", "amount"),
    "a name is asked for": ("collect", "recipient"),
    "a secret is asked for": ("collect", "code"),
    "a confirmation is asked for": ("confirm", None),
}
CONFIG = load_config(BANKING)


class Prepared:
    """Understands the words that lead to a state by a list, and any others offline."""

    def __init__(self) -> None:
        self.local = LocalUnderstanding(CONFIG)

    async def understand(self, message: str, context: DialogueContext) -> Understood:
        if message in STATES:
            return Understood.of(STATES[message], by="list")
        return await self.local.understand(message, context)


class Inline(ThreadPoolExecutor):
    """Runs what is handed to a thread at once, so that the time of this thread is the time of it all."""

    def submit(self, call: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        done: Future[Any] = Future()
        try:
            done.set_result(call(*args, **kwargs))
        except BaseException as error:  # it belongs to whoever awaits the call
            done.set_exception(error)
        return done


PREPARED = Prepared()
numbers = itertools.count()


@pytest.fixture
async def loop() -> AsyncIterator[RuntimeLoop]:
    asyncio.get_running_loop().set_default_executor(Inline())
    async with RuntimeLoop(
        CONFIG,
        actions=discover_actions(BANKING),
        understanding=PREPARED,
        clock=lambda: datetime(2026, 11, 18, 12),
    ) as loop:
        yield loop


async def cost(loop: RuntimeLoop, state: str, text: str) -> float:
    """The CPU that a turn takes which is told the text in some state."""
    user = f"user{next(numbers)}"
    opened = await loop.run_turn(state, user_id=user)
    task = opened.pending
    assert (task and (task["type"], task.get("slot"))) == OPEN[state]
    began = time.thread_time()
    turn = await loop.run_turn(text, user_id=user)
    spent = time.thread_time() - began
    assert turn.text
    assert turn.error is None
    return spent


@pytest.mark.no_cover  # counting lines would be most of what is measured
@pytest.mark.sweep(2)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("state", STATES)
async def test_anything_is_answered_and_twice_as_much_costs_twice_the_time_at_most(
    loop: RuntimeLoop, state: str, size: int, caplog: pytest.LogCaptureFixture
) -> None:
    slow = []
    for kind, made in KINDS.items():
        best = {size: float("inf"), 2 * size: float("inf")}
        for attempt in range(5):
            for length in best:
                # A new text each time: what was read before is remembered.
                best[length] = min(best[length], await cost(loop, state, f"{attempt}{made(length - 1)}"))
            if best[2 * size] <= MOST_GROWTH * best[size]:
                break
        else:
            slow.append(f"{kind}: {best}")
    assert not slow
    assert not caplog.records, "an understanding that fails is slow in no way, and of no use"
