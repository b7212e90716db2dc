"""make bench: what a durable turn costs against LangGraph alone, and whether it grows.

Every figure is CPU of this process a turn. The contestants take turns, several rounds of each, so that a busy machine
is busy for all of them; the ratio of their medians is what counts.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import platform
import sqlite3
import statistics
import sys
import tempfile
import time
import warnings
from contextlib import AsyncExitStack, asynccontextmanager, closing
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool
from rich.console import Console

from bench.durability.skeleton import say, skeleton
from bench.durability.soak import soak
from bench.durability.transfer import ANSWERS, TURNS, Script, actions, config
from bench.postgres import postgres
from bench.tables import table
from soni import RuntimeLoop
from soni.store import open_store

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from bench.durability.soak import Grown

    Turn = Callable[[str, str], Awaitable[str]]

console = Console(highlight=False)


@asynccontextmanager
async def ours(url: str) -> AsyncIterator[Turn]:
    """Soni with journal, lock, ledger and outbox."""
    async with (
        open_store(url) as store,
        RuntimeLoop(config(), actions=actions(), store=store, understanding=Script(), recover_every=None) as loop,
    ):

        async def turn(user_id: str, text: str) -> str:
            return await loop.process_message(text, user_id=user_id)

        yield turn


@asynccontextmanager
async def theirs(url: str) -> AsyncIterator[Turn]:
    """LangGraph alone, on its own saver for the same kind of database."""
    async with AsyncExitStack() as stack:
        if url.startswith("sqlite:"):
            saver: Any = await stack.enter_async_context(AsyncSqliteSaver.from_conn_string(url.removeprefix("sqlite:")))
        else:
            options = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
            pool: Any = AsyncConnectionPool(url, kwargs=options, min_size=1, max_size=4, open=False)
            saver = AsyncPostgresSaver(await stack.enter_async_context(pool))
            await saver.setup()
        graph = skeleton(saver)

        async def turn(user_id: str, text: str) -> str:
            return "\n".join(await say(graph, user_id, text))

        yield turn


async def _cost(turn: Turn, users: list[str]) -> float:
    """CPU seconds a turn, over a transfer by each of the users."""
    begun = time.process_time()
    for user_id in users:
        for text, answer in zip(TURNS, ANSWERS, strict=True):
            said = await turn(user_id, text)
            assert said == answer, said
    return (time.process_time() - begun) / (len(users) * len(TURNS))


async def compare(folder: Path, rounds: int, transfers: int) -> list[dict[str, Any]]:
    """Both contestants on both databases, a round each in turn."""
    urls = {
        "sqlite": (f"sqlite:{folder}/ours.db", f"sqlite:{folder}/theirs.db"),
        "postgres": (postgres().new_database(), postgres().new_database()),
    }
    rows = []
    for backend, (mine, other) in urls.items():
        figures: dict[str, list[float]] = {"soni": [], "skeleton": []}
        async with ours(mine) as soni_turn, theirs(other) as their_turn:
            users = [f"u{number}" for number in range(transfers)]
            for number in range(rounds + 1):
                costs = {"soni": await _cost(soni_turn, users), "skeleton": await _cost(their_turn, users)}
                if number:  # the first round warms up
                    for name, cost in costs.items():
                        figures[name].append(cost)
        medians = {name: statistics.median(costs) for name, costs in figures.items()}
        rows.append({"backend": backend, **medians, "ratio": medians["soni"] / medians["skeleton"]})
    return rows


async def soaks(folder: Path, turns: int, conversations: int) -> list[dict[str, Any]]:
    """One long conversation, and many interleaved, on both databases."""
    rows = []
    for backend in ("sqlite", "postgres"):
        for name in ("one", "many"):
            url = f"sqlite:{folder}/{name}.db" if backend == "sqlite" else postgres().new_database()
            stored = _file_size(folder / f"{name}.db") if backend == "sqlite" else _database_size(url)

            def told(text: str, name: str = name, backend: str = backend) -> None:
                if sys.stderr.isatty():
                    print(f"\r{backend}, {name}: {text}   ", end="", file=sys.stderr, flush=True)

            fresh = f"sqlite:{folder}/{name}-fresh.db" if backend == "sqlite" else postgres().new_database()
            users = 1 if name == "one" else conversations
            grown = await soak(url, fresh, turns if name == "one" else 4 * conversations, users, stored, told)
            rows.append({"backend": backend, "conversations": users, **_shown(grown)})
    return rows


def _shown(grown: Grown) -> dict[str, Any]:
    return {
        "turns": grown.turns,
        "early_cpu": grown.early_cpu,
        "late_cpu": grown.late_cpu,
        "cpu_growth": grown.late_cpu / grown.early_cpu,
        "early_bytes": grown.early_bytes,
        "late_bytes": grown.late_bytes,
        "bytes_growth": grown.late_bytes / grown.early_bytes,
        "memory": grown.memory,
    }


def _file_size(path: Path) -> Callable[[], int]:
    def size() -> int:
        with closing(sqlite3.connect(path, timeout=30)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # what waits in the log belongs into the file
            pages, free, size = (
                connection.execute(f"PRAGMA {name}").fetchone()[0]
                for name in ("page_count", "freelist_count", "page_size")
            )
            return int((pages - free) * size)

    return size


def _database_size(url: str) -> Callable[[], int]:
    def size() -> int:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("VACUUM FULL")  # what is dead is the server's to clean up, in its own time
            row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
            return int(row[0]) if row else 0

    return size


async def main() -> None:
    """Run it, print tables, write JSON beside them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="rounds of each contestant")
    parser.add_argument("--transfers", type=int, default=25, help="transfers of four turns in a round")
    parser.add_argument("--turns", type=int, default=10_000, help="turns of the long conversation")
    parser.add_argument("--conversations", type=int, default=2_000, help="interleaved conversations of four turns")
    parser.add_argument("--no-soak", action="store_true", help="leave the long runs out")
    parser.add_argument("--json", type=Path, default=Path("bench/durability/results.json"))
    options = parser.parse_args()
    warnings.filterwarnings("ignore", message="`durability` has no effect")  # of the skeleton's flow, which has none
    versions = {name: version(name) for name in ("langgraph", "langgraph-checkpoint-sqlite", "psycopg")}
    machine = f"{platform.machine()}, Python {platform.python_version()}, " + ", ".join(
        f"{name} {number}" for name, number in versions.items()
    )
    console.print(machine)
    with tempfile.TemporaryDirectory() as folder:
        compared = await compare(Path(folder), options.rounds, options.transfers)
        micro: dict[str, Callable[[dict[str, Any]], str]] = {
            "database": lambda row: row["backend"],
            "Soni, durable (µs a turn)": lambda row: f"{row['soni'] * 1e6:.0f}",
            "LangGraph alone, sync": lambda row: f"{row['skeleton'] * 1e6:.0f}",
            "ratio": lambda row: f"{row['ratio']:.2f}",
        }
        console.print(table("CPU of a durable turn", micro, compared))
        soaked = [] if options.no_soak else await soaks(Path(folder), options.turns, options.conversations)
    grown: dict[str, Callable[[dict[str, Any]], str]] = {
        "": lambda row: row["backend"],
        "users": lambda row: f"{row['conversations']:,}",
        "turns": lambda row: f"{row['turns']:,}",
        "µs early": lambda row: f"{row['early_cpu'] * 1e6:.0f}",
        "late": lambda row: f"{row['late_cpu'] * 1e6:.0f}",
        "ratio": lambda row: f"{row['cpu_growth']:.2f}",
        "bytes early": lambda row: f"{row['early_bytes']:,.0f}",
        "late ": lambda row: f"{row['late_bytes']:,.0f}",
        # New conversations have a first checkpoint to store; only in one conversation is early like late.
        "ratio ": lambda row: f"{row['bytes_growth']:.2f}" if row["conversations"] == 1 else "",
        "MB": lambda row: f"{row['memory'] / 1e6:+.1f}",
    }
    if soaked:
        console.print(table("CPU and stored bytes a turn, early and late, and growth of the process", grown, soaked))
    options.json.write_text(json.dumps({"machine": machine, "compared": compared, "soak": soaked}, indent=2))
    console.print(f"Written to {options.json}.")
    postgres().stop()


if __name__ == "__main__":
    asyncio.run(main())
