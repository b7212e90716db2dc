"""Whether a long conversation stays cheap: CPU, stored bytes and memory a turn, from the tenth turn to the last."""

from __future__ import annotations

import gc
import resource
import time
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bench.durability.transfer import TURNS, Script, actions, config
from soni import RuntimeLoop
from soni.store import open_store

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

WINDOW = 200
"""How many turns of each are compared at the end."""


@dataclass(frozen=True, slots=True)
class Grown:
    """What a turn costs late, beside one of a new conversation in a new store, taken in turn with it."""

    turns: int
    early_cpu: float
    """Seconds a turn, at about the tenth."""
    late_cpu: float
    early_bytes: float
    """Stored bytes a turn, in the second tenth."""
    late_bytes: float
    """The same in the last."""
    memory: int
    """How much the process has grown since the first tenth, in bytes."""


async def soak(
    url: str, fresh_url: str, turns: int, users: int, stored: Callable[[], int], told: Callable[[str], None]
) -> Grown:
    """So many turns, of so many conversations one after the other; whole transfers of each."""
    tenth = turns // 10 // (4 * users) * 4 * users or turns // 10
    held: dict[int, tuple[int, int]] = {}
    async with AsyncExitStack() as stack:
        loop, fresh = [await stack.enter_async_context(_opened(address)) for address in (url, fresh_url)]
        for number in range(turns + 1):
            if number in (tenth, 2 * tenth, turns - tenth, turns):
                gc.collect()
                held[number] = stored(), _resident()
            if number and number % max(turns // 10, 1) == 0:
                told(f"{number} of {turns} turns")
            if number < turns:
                await _said(loop, f"u{number % users}", number // users)
        for number in range(8):
            await _said(fresh, "fresh", number)
        late = early = 0.0
        for number in range(WINDOW):
            begun = time.process_time()
            await _said(loop, f"u{number // 4 % users}", number)
            between = time.process_time()
            await _said(fresh, "fresh", number)
            late, early = late + between - begun, early + time.process_time() - between
    return Grown(
        turns=turns,
        early_cpu=early / WINDOW,
        late_cpu=late / WINDOW,
        early_bytes=(held[2 * tenth][0] - held[tenth][0]) / tenth,
        late_bytes=(held[turns][0] - held[turns - tenth][0]) / tenth,
        memory=held[turns][1] - held[tenth][1],
    )


@asynccontextmanager
async def _opened(url: str) -> AsyncIterator[RuntimeLoop]:
    async with (
        open_store(url) as store,
        RuntimeLoop(config(), actions=actions(), store=store, understanding=Script(), recover_every=None) as loop,
    ):
        yield loop


async def _said(loop: RuntimeLoop, user_id: str, number: int) -> None:
    turn = await loop.run_turn(TURNS[number % 4], user_id=user_id)
    assert turn.error is None, turn.error


def _resident() -> int:
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text(encoding="ascii").split()[1]) * resource.getpagesize()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
