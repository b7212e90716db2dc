"""Whether a long conversation stays cheap: CPU, stored bytes and memory a turn, from the tenth turn to the last."""

from __future__ import annotations

import gc
import resource
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bench.durability.transfer import TURNS, Script, actions, config
from soni import RuntimeLoop
from soni.store import open_store

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Grown:
    """What a turn costs early and late."""

    turns: int
    early_cpu: float
    """Seconds a turn, from the tenth on."""
    late_cpu: float
    """The same for as many turns of the same kind at the end."""
    early_bytes: float
    """Stored bytes a turn, in the second tenth."""
    late_bytes: float
    """The same in the last."""
    memory: int
    """How much the process has grown since the first tenth, in bytes."""


async def one_conversation(url: str, turns: int, stored: Callable[[], int], told: Callable[[str], None]) -> Grown:
    """So many turns of one conversation."""
    return await _soak(url, turns, turns // 20, lambda number: "one", stored, told)


async def many_conversations(
    url: str, conversations: int, stored: Callable[[], int], told: Callable[[str], None]
) -> Grown:
    """So many conversations, a turn of each after the other: a transfer, and the beginning of another."""
    window = conversations // 2
    return await _soak(
        url, 4 * conversations + 10 + window, window, lambda number: f"u{number % conversations}", stored, told
    )


async def _soak(
    url: str,
    turns: int,
    window: int,
    who: Callable[[int], str],
    stored: Callable[[], int],
    told: Callable[[str], None],
) -> Grown:
    tenth = turns // 10
    said: dict[str, int] = {}
    cpu: dict[int, float] = {}
    held: dict[int, tuple[int, int]] = {}
    async with (
        open_store(url) as store,
        RuntimeLoop(config(), actions=actions(), store=store, understanding=Script(), recover_every=None) as loop,
    ):
        for number in range(turns + 1):
            if number in (tenth, 2 * tenth, turns - tenth, turns):
                gc.collect()
                held[number] = stored(), _resident()
            if number in (10, 10 + window, turns - window, turns):
                cpu[number] = time.process_time()
            if number and number % tenth == 0:
                told(f"{number} of {turns} turns")
            if number < turns:
                user_id = who(number)
                text = TURNS[said.get(user_id, 0) % len(TURNS)]
                said[user_id] = said.get(user_id, 0) + 1
                turn = await loop.run_turn(text, user_id=user_id)
                assert turn.error is None, turn.error
    return Grown(
        turns=turns,
        early_cpu=(cpu[10 + window] - cpu[10]) / window,
        late_cpu=(cpu[turns] - cpu[turns - window]) / window,
        early_bytes=(held[2 * tenth][0] - held[tenth][0]) / tenth,
        late_bytes=(held[turns][0] - held[turns - tenth][0]) / tenth,
        memory=held[turns][1] - held[tenth][1],
    )


def _resident() -> int:
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text(encoding="ascii").split()[1]) * resource.getpagesize()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
