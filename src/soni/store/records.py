"""What the journal's rows say: a request, a turn, an action that was begun."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from soni.store.store import Rows, Statement

Kind = Literal["message", "start", "say", "return"]
Status = Literal["open", "done", "failed"]
Settled = Literal["begun", "done", "failed", "unusable", "unknown"]


class Reader(Protocol):
    """A store, or a conversation of it that is held: while it is, nothing else should be asked for a connection."""

    async def read(self, *statements: Statement) -> list[Rows]: ...


@dataclass(frozen=True, slots=True)
class Request:
    """What a turn was asked for; with what the ledger holds, enough to run it again."""

    kind: Kind
    message_id: str
    now: datetime
    """By the clock where it was accepted; a turn that is run again elsewhere has the same today and tomorrow."""
    at: float
    """The same instant in seconds of the epoch, which no clock's zone changes."""
    text: str | None = None
    payload: dict[str, str] | None = None
    slots: dict[str, Any] = field(default_factory=dict)
    """The host's, as they are stored."""
    language: str | None = None
    """The one to begin in, if nothing has been said yet."""
    unheard: bool = False
    """Whether the question that is open was asked when nobody could hear it."""


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """A turn as the journal has it."""

    turn: int
    request: Request
    fingerprint: str
    understood: dict[str, Any] | None
    attempts: int
    status: Status
    result: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class EffectRecord:
    """An action that was begun, and what came of it."""

    key: str
    turn: int
    action: str
    kind: str
    """Its effect: pure, idempotent or once."""
    arguments: str
    status: Settled
    result: dict[str, Any] | None = None


TURN_COLUMNS = "turn, message_id, kind, text, given, now, at, fingerprint, understood, attempts, status, result"
HEARD = "UPDATE soni_conversations SET heard = ? WHERE conversation = ? AND heard < ?"


def turn_of(row: tuple[Any, ...]) -> TurnRecord:
    """The turn in a row of TURN_COLUMNS."""
    number, message_id, kind, text, given, now, at, fingerprint, understood, attempts, status, result = row
    request = Request(kind, message_id, datetime.fromisoformat(now), at, text, **json.loads(given))
    return TurnRecord(number, request, fingerprint, loaded(understood), attempts, status, loaded(result))


def effect_of(row: tuple[Any, ...]) -> EffectRecord:
    """The action in a row."""
    key, turn, action, kind, arguments, status, result = row
    return EffectRecord(key, turn, action, kind, arguments, status, loaded(result))


def is_storable(text: str) -> bool:
    """Whether every database could hold the text."""
    return "\0" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)


def dumped(value: Any) -> str:
    """A value as a column holds it."""
    return json.dumps(value, separators=(",", ":"))


def loaded(text: str | None) -> Any:
    """The value that a column holds."""
    return None if text is None else json.loads(text)
