"""make bench-start: what it costs to start: CPU until the first answer, beside the imports that cannot be avoided.

Every figure is CPU of one process from its first instruction to its end, the median of several rounds in which the
contestants take turns. The imports alone are langgraph, onnxruntime, numpy, pydantic and babel.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from bench.tables import table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ROOT = Path(__file__).parents[2]
IMPORTS = "import langgraph.graph, onnxruntime, numpy, pydantic, babel.dates, babel.numbers"
VERBS = ("order", "return", "track", "cancel", "change", "review", "pay for", "rent", "insure", "repair")
KINDS = ("red", "small", "second-hand", "electric", "wooden", "Spanish", "printed", "monthly", "family", "spare")
THINGS = ("bicycle", "sofa", "phone", "ticket", "parcel", "subscription", "camera", "garden", "piano", "lamp")
console = Console(highlight=False)


@dataclass(frozen=True, slots=True)
class Cost:
    """What one process took."""

    seconds: float
    megabytes: float


def assistant(folder: Path, flows: int) -> Path:
    """An assistant with so many flows, each with three phrases, a question and an answer."""
    path = folder / f"flows{flows}.yaml"
    lines = ['version: "1"', "slots:", "  amount: {type: integer, description: How many}", "flows:"]
    for verb, kind, thing in itertools.islice(itertools.product(VERBS, KINDS, THINGS), flows):
        words = f"{verb} a {kind} {thing}"
        name = words.replace(" ", "_").replace("-", "_").lower()
        lines += [
            f"  {name}:",
            f"    description: {words.capitalize()}",
            "    trigger:",
            f'      intents: ["{words}", "I want to {words}", "could you {words} for me?"]',
            "    steps:",
            '      - {step: ask, type: collect, slot: amount, message: "How many?"}',
            f'      - {{step: done, type: say, message: "{{amount}} times: {words}."}}',
        ]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def cost(command: list[str], said: str, environment: Mapping[str, str]) -> Cost:
    """Run a process to its end; its CPU and the most memory it held."""
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, **environment}, cwd=ROOT, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(said)
    process.stdin.close()
    out = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0, out
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def served(config: Path, port: int, environment: Mapping[str, str]) -> Cost:
    """CPU and memory of `soni serve` when it says that it is ready."""
    command = [str(Path(sys.executable).with_name("soni")), "serve", "--config", str(config), "--port", str(port)]
    process = subprocess.Popen(
        [*command, "--store", "memory:"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **environment},
        cwd=ROOT,
    )
    try:
        while not _is_ready(port):
            assert process.poll() is None, "the server has ended"
            time.sleep(0.05)
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        ticks = os.sysconf("SC_CLK_TCK")
        memory = next(
            line for line in Path(f"/proc/{process.pid}/status").read_text().splitlines() if line.startswith("VmHWM")
        )
        return Cost((int(fields[11]) + int(fields[12])) / ticks, int(memory.split()[1]) / 1024)
    finally:
        process.terminate()
        process.wait()


def _is_ready(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/ready", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def measured(rounds: int, folder: Path, told: Callable[[str], None]) -> dict[str, Cost]:
    """The median of each contestant."""
    soni = str(Path(sys.executable).with_name("soni"))
    banking = ROOT / "examples" / "banking" / "domain"
    books = {"BANK_BOOKS": str(folder / "books.json")}
    warm = {"SONI_CACHE": str(folder / "cache")}

    def chat(config: Path, said: str, environment: Mapping[str, str]) -> Callable[[], Cost]:
        command = [soni, "chat", "--config", str(config), "--store", "memory:"]
        return lambda: cost(command, said, {**books, **environment})

    few, some, many = (assistant(folder, flows) for flows in (5, 50, 1000))
    contestants: dict[str, Callable[[], Cost]] = {
        "imports alone": lambda: cost([sys.executable, "-c", IMPORTS], "", {}),
        "soni --help": lambda: cost([soni, "--help"], "", {}),
        "banking, first answer": chat(banking, "send 20 euros to Ana\n", warm),
        "banking, served": lambda: served(banking, 8765, {**books, **warm}),
        "banking, first answer, no cache": chat(banking, "send 20 euros to Ana\n", {"SONI_CACHE": "off"}),
        "5 flows, first answer": chat(few, "I want to order a red sofa\n", warm),
        "50 flows, first answer": chat(some, "I want to order a red sofa\n", warm),
        "1,000 flows, ready": chat(many, "", warm),
        "1,000 flows, first answer": chat(many, "I want to order a red sofa\n", warm),
    }
    figures: dict[str, list[Cost]] = {name: [] for name in contestants}
    for number in range(rounds + 1):
        for name, run in contestants.items():
            told(f"round {number} of {rounds}: {name}")
            one = run()
            if number:  # the first round fills the cache
                figures[name].append(one)
    return {
        name: Cost(statistics.median(one.seconds for one in costs), statistics.median(one.megabytes for one in costs))
        for name, costs in figures.items()
    }


def main() -> None:
    """Run it, print a table, write JSON beside it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each contestant")
    parser.add_argument("--json", type=Path, default=Path("bench/start/results.json"))
    options = parser.parse_args()

    def told(text: str) -> None:
        if sys.stderr.isatty():
            print(f"\r{text:<60}", end="", file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory() as folder:
        found = measured(options.rounds, Path(folder), told)
    told("")
    alone = found["imports alone"].seconds
    rows: list[dict[str, Any]] = [
        {"what": name, "seconds": one.seconds, "ratio": one.seconds / alone, "megabytes": one.megabytes}
        for name, one in found.items()
    ]
    columns: dict[str, Callable[[dict[str, Any]], str]] = {
        "": lambda row: row["what"],
        "CPU s": lambda row: f"{row['seconds']:.2f}",
        "× the imports": lambda row: f"{row['ratio']:.2f}",
        "MB": lambda row: f"{row['megabytes']:.0f}",
    }
    console.print(table("CPU of a start, and memory at its most", columns, rows))
    machine = f"{platform.machine()}, Python {platform.python_version()}"
    options.json.write_text(json.dumps({"machine": machine, "start": rows}, indent=2))
    console.print(f"Written to {options.json}.")


if __name__ == "__main__":
    main()
