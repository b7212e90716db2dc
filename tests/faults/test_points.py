"""The sweep knows every persistence call there is."""

from __future__ import annotations

import ast
import asyncio
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import soni
from soni.store import fail_points
from tests.faults.assistant import TURNS
from tests.faults.worker import Operation, Place, do, killed, points

SOURCE = Path(soni.__file__).parent
DOORS = {"commit", "flush", "_moved"}
"""What writes: each call of these names what it writes."""


def named_in_the_code() -> set[str]:
    return {name for file in SOURCE.rglob("*.py") for name in _names(ast.parse(file.read_text(encoding="utf-8")))}


def _names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in DOORS:
            match node.args:
                case [ast.Constant(value=str(name)), *_]:
                    yield name


def test_every_persistence_call_in_the_code_is_one_that_is_swept(tmp_path: Path) -> None:
    """A new one needs a place in the sweeps of test_every_fail_point, which go over these operations."""
    place = Place(f"sqlite:{tmp_path}/c.db", tmp_path)
    swept: set[str] = set()
    operations = [Operation("say", text, f"m{number}") for number, text in enumerate(TURNS)]
    for operation in [*operations, Operation("reset"), Operation("prune"), Operation("forget")]:
        swept |= {point.removeprefix("before ").partition(" #")[0] for point in points(place, operation)}
    for operation in operations[:3]:
        asyncio.run(do(place, operation))
    assert killed(place, operations[3], "after paying #1")
    for name in ("recover", "fetch"):
        swept |= {point.removeprefix("before ").partition(" #")[0] for point in points(place, Operation(name))}
    assert {name for name in swept if not name.startswith("after ")} == {*named_in_the_code(), "paying"}


def test_nothing_is_written_between_the_fail_points(tmp_path: Path, monkeypatch: Any) -> None:
    """SQLite tells every statement it runs: none that writes may run outside of a named call."""
    inside: list[str] = []
    outside: list[str] = []
    connect = sqlite3.connect

    def watched(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*arguments, **options)

        def note(statement: str) -> None:
            if statement.lstrip().split(" ")[0].upper() in ("INSERT", "UPDATE", "DELETE", "REPLACE"):
                (inside if depth else outside).append(statement)

        connection.set_trace_callback(note)
        return connection

    depth = 0

    def passing(point: str) -> None:
        nonlocal depth
        depth += {"before": 1, "after": -1}[point.partition(" ")[0]]

    place = Place(f"sqlite:{tmp_path}/c.db", tmp_path)
    asyncio.run(do(place, Operation("recover")))  # makes the tables
    monkeypatch.setattr(sqlite3, "connect", watched)
    monkeypatch.setattr(fail_points, "passing", passing)
    for text in TURNS:
        asyncio.run(do(place, Operation("say", text)))
    for name in ("reset", "prune", "forget"):
        asyncio.run(do(place, Operation(name)))
    assert len(inside) > 50
    assert outside == []
