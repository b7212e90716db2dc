"""Every rule of conversation has a conversation that proves it, on every store."""

from __future__ import annotations

import ast
import re
from pathlib import Path

RULES = [*range(1, 9), *range(10, 14), *range(20, 24), 25, *range(30, 37), *range(40, 47), *range(50, 60), 62]
"""Collecting, confirming, correcting, changing the subject, not understanding, and the rest."""


def test_every_rule_has_a_conversation_on_every_store() -> None:
    proved: set[int] = set()
    for file in Path(__file__).parent.glob("test_*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.AsyncFunctionDef) and "talk" in {argument.arg for argument in node.args.args}:
                proved |= {int(number) for number in re.findall(r"(?<=_b)\d+(?=_)", node.name)}
    assert [rule for rule in RULES if rule not in proved] == []
