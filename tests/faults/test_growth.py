"""G7: a turn stores and holds the same late as early; `make bench` has the long version, with times."""

from __future__ import annotations

import gc
import tracemalloc
from pathlib import Path

import pytest
from bench.durability.transfer import TURNS, Script, actions, config

from soni import RuntimeLoop
from soni.store import Store, open_store
from soni.store.schema import TABLES
from soni.store.sqlite import SqliteStore
from tests.faults.worker import Place

COLUMNS = {
    "soni_conversations": "incarnation || checkpoint_id",
    "soni_turns": "message_id || text || given || understood || result",
    "soni_effects": "key || arguments || result",
    "soni_outbox": "id || message",
}


async def stored(store: Store) -> int:
    """How many letters the journal holds."""
    sums = [(f"SELECT coalesce(sum(length({COLUMNS[table]})), 0) FROM {table}", ()) for table in TABLES]  # noqa: S608  # names of ours
    return sum(int(rows[0][0]) for rows in await store.read(*sums))


async def checkpoints(store: Store, kind: str) -> list[int]:
    beside = ("checkpoint_blobs", "checkpoint_writes") if kind == "postgres" else ("writes",)
    counts = [(f"SELECT count(*) FROM {table}", ()) for table in ("checkpoints", *beside)]  # noqa: S608  # names of ours
    return [rows[0][0] for rows in await store.read(*counts)]


@pytest.mark.long
async def test_g7_a_long_conversation_stays_as_cheap_as_it_was(place: Place) -> None:
    kind = place.url.partition(":")[0].removesuffix("ql")
    async with (
        open_store(place.url) as store,
        RuntimeLoop(config(), actions=actions(), store=store, understanding=Script(), recover_every=None) as loop,
    ):

        async def turns(number: int) -> int:
            before = await stored(store)
            for count in range(number):
                assert (await loop.run_turn(TURNS[count % 4], user_id="one")).error is None
            return await stored(store) - before

        await turns(40)
        tracemalloc.start()
        try:
            early, kept = await turns(80), await checkpoints(store, kind)
            gc.collect()
            held = tracemalloc.get_traced_memory()[0]
            late = await turns(80)
            gc.collect()
            grown = tracemalloc.get_traced_memory()[0] - held
        finally:
            tracemalloc.stop()
        assert late <= early * 1.05
        assert await checkpoints(store, kind) == kept, "only what recovery needs"
        assert kept[0] == 1
        assert grown < 200_000


@pytest.mark.long
async def test_g7_the_database_does_the_same_work_for_a_late_turn(tmp_path: Path) -> None:
    """Counted in the steps of SQLite's machine, which no busy computer changes."""
    store = SqliteStore()
    steps = 0

    def step() -> None:
        nonlocal steps
        steps += 1

    async with RuntimeLoop(config(), actions=actions(), store=store, understanding=Script()) as loop:

        async def work() -> int:
            before = steps
            store._connection.set_progress_handler(step, 10)
            for number, text in enumerate(TURNS):
                await loop.run_turn(text, user_id="one")
                await loop.run_turn(text, user_id="one", message_id=f"{before}-{number}")
                await loop.run_turn(text, user_id="one", message_id=f"{before}-{number}")
                await loop.messages_since("one", (await loop.run_turn(text, user_id="one")).messages[-1].id)
            store._connection.set_progress_handler(None, 10)
            return steps - before

        await work()
        early = await work()
        for count in range(400):
            await loop.run_turn(TURNS[count % 4], user_id="one")
        assert await work() <= early * 1.1


@pytest.mark.sweep(2)
async def test_g7_many_conversations_cost_what_they_say(place: Place) -> None:
    kind = place.url.partition(":")[0].removesuffix("ql")
    async with (
        open_store(place.url) as store,
        RuntimeLoop(config(), actions=actions(), store=store, understanding=Script(), recover_every=None) as loop,
    ):
        sizes = []
        for group in range(2):
            before = await stored(store)
            for text in TURNS:
                for number in range(15):
                    await loop.run_turn(text, user_id=f"{group}-{number:02}")
            sizes.append(await stored(store) - before)
        assert sizes[1] <= sizes[0] * 1.05
        assert (await checkpoints(store, kind))[0] == 30
