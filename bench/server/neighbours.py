"""make bench-neighbours: what other people notice while somebody sends the worst messages there are.

One person asks for their balance again and again. Beside them somebody sends ordinary messages, then messages of 10,000
characters that are made to be slow, on the same server. The ratio of what the first person waits is the figure.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import logging
import os
import platform
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvloop
from rich.console import Console

from bench.hostile import KINDS
from bench.server.client import Connection
from bench.server.run import started
from bench.tables import table
from soni import load_config
from soni.actions import discover_actions
from soni.server import ServerSettings, create_app
from soni.server.serving import serve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection as Pipe

BANKING = Path(__file__).parents[2] / "examples" / "banking" / "domain"
ORDINARY = ("what's my balance?", "show my transactions", "how much do I have?", "latest movements")
LONGEST = 10_000
console = Console(highlight=False)


def serve_bank(store: str, pipe: Pipe) -> None:
    """The banking assistant with the offline understanding."""
    logging.getLogger("soni").setLevel(logging.ERROR)
    settings = ServerSettings(port=0, rate=1_000_000)
    app = create_app(load_config(BANKING), actions=discover_actions(BANKING), store=store, settings=settings)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve(app, settings, lambda server: pipe.send(server.port)))


async def beside(port: int, texts: Iterator[str], turns: int) -> tuple[list[float], int]:
    """The seconds that each turn of one person takes while another sends texts; and how many of those were answered."""
    person, other = await Connection.open(port), await Connection.open(port)
    name, sent, done = f"u{time.monotonic_ns()}", 0, asyncio.Event()

    async def send() -> None:
        nonlocal sent
        for number, text in enumerate(texts):
            if done.is_set():
                return
            await other.say(f"{name}other{number}", text, f"{name}{number}")
            sent += 1

    sending = asyncio.create_task(send())
    seconds = []
    for number in range(turns):
        begun = time.perf_counter()
        await person.say(name, f"{ORDINARY[number % len(ORDINARY)]}", f"{name} {number}")
        seconds.append(time.perf_counter() - begun)
    done.set()
    await sending
    person.close()
    other.close()
    return seconds, sent


async def measure(turns: int, rounds: int, store: str) -> list[dict[str, Any]]:
    """Both neighbours in turn, several rounds."""
    process, port = await started(serve_bank, store)
    hostile = [made(LONGEST) for made in KINDS.values()]
    figures: dict[str, list[float]] = {"ordinary messages": [], "the worst messages": []}
    sent = dict.fromkeys(figures, 0)
    for number in range(rounds + 1):
        for who, texts in (("ordinary messages", ORDINARY), ("the worst messages", hostile)):
            seconds, count = await beside(port, itertools.cycle(texts), turns)
            if number:  # the first round warms up
                figures[who] += seconds
                sent[who] += count
    process.terminate()
    process.join()
    base = statistics.quantiles(figures["ordinary messages"], n=100)
    rows = []
    for who, seconds in figures.items():
        cuts = statistics.quantiles(seconds, n=100)
        times = {f"p{cut}": cuts[cut - 1] * 1e3 for cut in (50, 99)} | {"most": max(seconds) * 1e3}
        rows.append(
            {"who": who, "sent": sent[who], **times, "ratio": cuts[49] / base[49], "ratio99": cuts[98] / base[98]}
        )
    return rows


def main() -> None:
    """Run it, print a table, write JSON beside it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=100, help="turns of the one person in a round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path, default=Path("bench/server/neighbours.json"))
    options = parser.parse_args()
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    console.print(machine)
    with tempfile.TemporaryDirectory() as folder, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        rows = runner.run(measure(options.turns, options.rounds, f"sqlite:{folder}/c.db"))
    columns: dict[str, Callable[[dict[str, Any]], str]] = {
        "somebody else sends": lambda row: row["who"],
        "of them answered": lambda row: f"{row['sent']}",
        "p50 ms": lambda row: f"{row['p50']:.0f}",
        "p99": lambda row: f"{row['p99']:.0f}",
        "most": lambda row: f"{row['most']:.0f}",
        "× p50": lambda row: f"{row['ratio']:.2f}",
        "× p99": lambda row: f"{row['ratio99']:.2f}",
    }
    console.print(table("What one person waits for a turn", columns, rows))
    options.json.write_text(json.dumps({"machine": machine, "rows": rows}, indent=2))
    console.print(f"Written to {options.json}.")


if __name__ == "__main__":
    main()
