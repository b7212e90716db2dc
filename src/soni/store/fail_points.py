"""Fail points: every persistence call passes two, so that a test can stop the process before and after each."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

passing: Callable[[str], None] | None = None
"""Called with the name of each point that is passed, if it is set; tests put a kill here."""


def passed(point: str) -> None:
    """Pass a fail point."""
    if passing is not None:
        passing(point)
