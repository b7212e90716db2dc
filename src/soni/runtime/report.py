"""TurnReport: what is known of a turn once it has ended, for logs and figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from soni.runtime.result import TurnResult
    from soni.store.records import Kind
    from soni.telemetry import Spent


@dataclass(frozen=True, slots=True)
class TurnReport:
    """A turn that has ended, whoever asked for it; nothing in it holds a sensitive value."""

    user_id: str
    kind: Kind
    result: TurnResult
    attempts: int
    recovered: bool
    """Whether it had been begun by a process that is gone."""
    seconds: float
    """From the moment it was asked for."""
    spent: Spent
    """The seconds of each stage: waiting, understanding, actions, storing."""
