"""soni doctor: what is installed here, whether the trained reader is whole and runs, and whether a store is well."""

from __future__ import annotations

import asyncio
import platform
import time
from importlib.metadata import version
from importlib.util import find_spec

from rich.console import Console
from rich.text import Text

from soni.du.local.model import WEIGHTS, Unavailable, checked, loaded
from soni.du.local.packing import FlowText, Packer, SlotText
from soni.du.local.pieces import vocabulary
from soni.store.opening import problems_of

_EXTRAS = {"llm": "dspy", "server": "fastapi", "postgres": "psycopg", "telemetry": "opentelemetry.sdk"}
_FLOWS = [FlowText("send money: Transfer money to somebody"), FlowText("balance: Tell how much is in the account")]
_SLOTS = [SlotText("amount: How much to send", "money"), SlotText("recipient: Who receives the money")]


def run_doctor(store: str | None = None) -> int:
    """Print what is found; 1 if something that was shipped is missing or broken, or the store is."""
    out = Console(soft_wrap=True, highlight=False)
    out.print(f"soni {version('soni')}, Python {platform.python_version()}, {platform.system()} {platform.machine()}")
    out.print("\nextras")
    for extra, module in _EXTRAS.items():
        there = _is_there(module)
        out.print(_line(there, extra, "installed" if there else f"not installed: pip install 'soni[{extra}]'"))
    out.print("\ntrained reader")
    is_well = True
    try:
        _reader(out)
    except Unavailable as reason:
        out.print(_line(False, "weights", str(reason)))
        is_well = False
    if store is not None:
        out.print("\nstore")
        problems = asyncio.run(problems_of(store))
        for problem in problems:
            out.print(_line(False, "problem", problem))
        if not problems:
            out.print(_line(True, "well", "nothing is missing or damaged"))
        is_well = is_well and not problems
    return 0 if is_well else 1


def _reader(out: Console) -> None:
    path = checked(WEIGHTS)
    out.print(_line(True, "weights", f"{path.name}, {path.stat().st_size / 1e6:.1f} MB, as shipped"))
    out.print(_line(True, "licence", f"CC BY-SA 4.0, {WEIGHTS / 'LICENSE'}"))
    began = time.perf_counter()
    model = loaded(WEIGHTS)
    out.print(_line(True, "loads in", f"{(time.perf_counter() - began) * 1000:.0f} ms"))
    packed = Packer(vocabulary()).pack("send 20 euros to Ana", "How can I help?", None, _FLOWS, _SLOTS)
    model.read(packed)
    began = time.perf_counter()
    scores = model.read(packed)
    likelier = "send money" if scores.flows[0] > scores.flows[1] else "balance"
    took = f"{(time.perf_counter() - began) * 1000:.0f} ms"
    out.print(_line(likelier == "send money", "reads", f"'send 20 euros to Ana' as '{likelier}' in {took}"))


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _line(is_fine: bool, name: str, told: str) -> Text:
    return Text.assemble("  ", ("✓", "green") if is_fine else ("–", "yellow"), f" {name:<10} {told}")
