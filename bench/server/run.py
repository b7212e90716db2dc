"""make bench-server: 1,000 open conversations, through the engine alone and through one and two servers.

Every user has an event stream open and makes a transfer of four turns; so many at a time are under way. With two
servers on one database, each message goes to the one its user's stream is not on, so that everything said crosses
over. The server's CPU a turn is the figure that a busy machine disturbs least; the client that makes the load shares
the same cores.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import multiprocessing
import os
import platform
import statistics
import tempfile
import time
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvloop
from rich.console import Console

from bench.durability.transfer import ANSWERS, TURNS, Script, actions, config
from bench.postgres import postgres
from bench.server.client import Connection
from bench.tables import table
from soni import RuntimeLoop
from soni.server import ServerSettings, create_app
from soni.server.logs import set_up
from soni.server.serving import serve
from soni.store import open_store

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from multiprocessing.connection import Connection as Pipe
    from multiprocessing.context import SpawnProcess

    Turn = Callable[[int, str, str, str], Awaitable[str]]

console = Console(highlight=False, width=120)
_context = multiprocessing.get_context("spawn")
_TICKS = os.sysconf("SC_CLK_TCK")


def _run(work: Any) -> Any:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)


def _serve(store: str, turns: int, pipe: Pipe) -> None:
    """One server, with everything that a server has: logs are written, and thrown away."""
    set_up("json", Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115  # for as long as it serves
    settings = ServerSettings(port=0, rate=1_000_000, turns=turns)
    app = create_app(config(), actions=actions(), store=store, settings=settings, understanding=Script())
    _run(serve(app, settings, lambda server: pipe.send(server.port)))


async def _load(turn: Turn, users: int, at_once: int) -> tuple[float, list[float]]:
    """Every user's transfer, so many at a time, a turn of each after the other; seconds in all, and of each turn."""
    seconds: list[float] = []
    work = [(number, text, answer) for text, answer in zip(TURNS, ANSWERS, strict=True) for number in range(users)]
    waiting = iter(work)

    async def worker(place: int) -> None:
        for number, text, answer in waiting:
            begun = time.perf_counter()
            said = await turn(place, f"u{number}", text, f"{number} {text}")
            seconds.append(time.perf_counter() - begun)
            assert said == answer, said

    begun = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for place in range(at_once):
            group.create_task(worker(place))
    return time.perf_counter() - begun, seconds


async def engine(store: str, users: int, at_once: int) -> dict[str, Any]:
    """RuntimeLoop alone."""
    async with (
        open_store(store, connections=at_once + 8) as opened,
        RuntimeLoop(config(), actions=actions(), store=opened, understanding=Script(), recover_every=None) as loop,
    ):

        async def turn(_: int, user: str, text: str, message_id: str) -> str:
            return await loop.process_message(text, user_id=user, message_id=message_id)

        begun = time.process_time()
        wall, seconds = await _load(turn, users, at_once)
        cpu = time.process_time() - begun
    return _figures(wall, seconds, cpu)


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _memory(pid: int) -> float:
    return int(Path(f"/proc/{pid}/statm").read_text(encoding="utf-8").split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


async def started(target: Callable[..., None], *arguments: Any) -> tuple[SpawnProcess, int]:
    """A server in a process of its own, and its port, which it sends through a pipe."""
    ours, theirs = _context.Pipe()
    process = _context.Process(target=target, args=(*arguments, theirs))
    process.start()
    return process, await asyncio.to_thread(ours.recv)


async def servers(store: str, count: int, users: int, at_once: int) -> dict[str, Any]:
    """So many servers, each user's stream on one of them, messages to the next."""
    processes, ports = [], []
    for _ in range(count):
        process, port = await started(_serve, store, at_once)
        processes.append(process)
        ports.append(port)
    pids = [process.pid or 0 for process in processes]
    bare = sum(map(_memory, pids))
    opened = asyncio.Semaphore(0)
    streams = [await Connection.open(ports[number % count]) for number in range(users)]
    heard: Counter[str] = Counter()
    listening = [asyncio.create_task(one.follow(f"u{number}", opened, heard)) for number, one in enumerate(streams)]
    for _ in range(users):
        await opened.acquire()
    memory = (sum(map(_memory, pids)) - bare) / users * 1e3
    # A connection of every worker to every server; a user's messages go where the stream is not, if there is elsewhere.
    connections = [[await Connection.open(port) for port in ports] for _ in range(at_once)]

    async def turn(place: int, user: str, text: str, message_id: str) -> str:
        return await connections[place][(int(user[1:]) + 1) % count].say(user, text, message_id)

    begun = sum(map(_cpu, pids))
    wall, seconds = await _load(turn, users, at_once)
    cpu = sum(map(_cpu, pids)) - begun
    async with asyncio.timeout(30):
        while heard.total() < users * len(TURNS):  # noqa: ASYNC110  # figures are read, not told
            await asyncio.sleep(0.05)
    for row in connections:
        for one in row:
            one.close()
    for process in processes:
        process.terminate()
    await asyncio.gather(*listening)
    for process in processes:
        await asyncio.to_thread(process.join)
    assert set(heard.values()) == {len(TURNS)}, "every message came, once, in every stream"
    return {**_figures(wall, seconds, cpu), "kilobytes_a_stream": memory}


def _figures(wall: float, seconds: list[float], cpu: float) -> dict[str, Any]:
    cuts = statistics.quantiles(seconds, n=100)
    return {
        "turns": len(seconds),
        "turns_a_second": len(seconds) / wall,
        "cpu_ms": cpu / len(seconds) * 1e3,
        **{f"p{cut}": cuts[cut - 1] * 1e3 for cut in (50, 90, 99)},
    }


async def measure(users: int, at_once: int, folder: Path) -> list[dict[str, Any]]:
    """Each contestant on each database."""
    rows: list[dict[str, Any]] = []
    for backend in ("sqlite", "postgres"):
        alone: dict[str, Any] = {}
        for who in ("engine", "one server", "two servers"):
            store = f"sqlite:{folder}/{who}.db" if backend == "sqlite" else postgres().new_database()
            console.print(f"{backend}, {who} …", style="dim")
            if who == "engine":
                await engine(store, 50, at_once)  # warms up
                store = f"sqlite:{folder}/again.db" if backend == "sqlite" else postgres().new_database()
                found = alone = await engine(store, users, at_once)
            else:
                found = await servers(store, 1 if who == "one server" else 2, users, at_once)
            ratios = {
                "throughput_ratio": found["turns_a_second"] / alone["turns_a_second"],
                "cpu_ratio": found["cpu_ms"] / alone["cpu_ms"],
            }
            rows.append({"backend": backend, "who": who, **found, **ratios})
    return rows


def main() -> None:
    """Run it, print a table, write JSON beside it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=1_000, help="open conversations, each with a stream")
    parser.add_argument("--at-once", type=int, default=32, help="turns under way at a time")
    parser.add_argument("--json", type=Path, default=Path("bench/server/results.json"))
    options = parser.parse_args()
    logging.getLogger("soni").setLevel(logging.ERROR)
    versions = ", ".join(f"{name} {version(name)}" for name in ("fastapi", "uvicorn", "langgraph", "psycopg"))
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {versions}"
    console.print(machine)
    with tempfile.TemporaryDirectory() as folder:
        rows = _run(measure(options.users, options.at_once, Path(folder)))
    title = f"{options.users:,} open conversations, {options.at_once} turns at a time"
    columns: dict[str, Callable[[dict[str, Any]], str]] = {
        "": lambda row: f"{row['backend']}, {row['who']}",
        "turns/s": lambda row: f"{row['turns_a_second']:.0f}",
        "× engine": lambda row: f"{row['throughput_ratio']:.2f}",
        "CPU ms a turn": lambda row: f"{row['cpu_ms']:.2f}",
        "× engine ": lambda row: f"{row['cpu_ratio']:.2f}",
        "p50 ms": lambda row: f"{row['p50']:.0f}",
        "p90": lambda row: f"{row['p90']:.0f}",
        "p99": lambda row: f"{row['p99']:.0f}",
        "kB a stream": lambda row: f"{row['kilobytes_a_stream']:.0f}" if "kilobytes_a_stream" in row else "",
    }
    console.print(table(title, columns, rows))
    options.json.write_text(json.dumps({"machine": machine, "rows": rows}, indent=2))
    console.print(f"Written to {options.json}.")
    postgres().stop()


if __name__ == "__main__":
    main()
