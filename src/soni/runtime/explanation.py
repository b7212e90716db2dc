"""Explanation: what a message was taken to mean, by whom, which steps ran, and why each went where it did."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Meant:
    """A command, who found it, how sure they were, and what made them think so."""

    command: dict[str, Any]
    by: str
    confidence: float
    evidence: str
    words: str = ""
    """The person's own words it was read from, where they are not the whole message."""

    def __str__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self.command.items() if name != "type")
        words = f" from '{self.words}'" if self.words else ""
        evidence = f": {self.evidence}" if self.evidence else ""
        return f"understood {self.command['type']}({fields}){words}{evidence} ({self.by}, {self.confidence:.2f})"


@dataclass(frozen=True, slots=True)
class Ran:
    """A step that ran or was passed over, what it decided on, and where it went."""

    flow: str
    step: str
    type: str
    visit: int
    then: str
    why: str = ""
    saw: dict[str, Any] = field(default_factory=dict)
    """For decisions: the slots that were looked at."""
    passed_over: bool = False

    def __str__(self) -> str:
        saw = ", ".join(f"{name} = {value!r}" for name, value in self.saw.items())
        why = f": {self.why}" if self.why else ""
        over = "passed over, " if self.passed_over else ""
        return f"{self.flow}.{self.step} ({self.type}){why}" + (f" [{saw}]" if saw else "") + f" → {over}{self.then}"


@dataclass(frozen=True, slots=True)
class Happened:
    """Something outside of any step: a value refused, a flow resumed, a text said, and why."""

    event: str
    why: str = ""
    flow: str = ""
    slot: str = ""
    about: dict[str, Any] = field(default_factory=dict)
    """Whatever else is known about it."""

    def __str__(self) -> str:
        return f"{self.flow} {self.event}".strip() + (f": {self.why}" if self.why else "")


@dataclass(frozen=True, slots=True)
class Explanation:
    """One turn, explained; a line for each thing when printed."""

    entries: tuple[Meant | Ran | Happened, ...] = ()
    error: str | None = None

    @classmethod
    def of(cls, trace: Iterable[dict[str, Any]], error: str | None = None) -> Explanation:
        """The explanation that a turn's trace holds."""
        return cls(tuple(_entry(entry) for entry in trace), error)

    @property
    def commands(self) -> tuple[Meant, ...]:
        """What the message was taken to mean."""
        return tuple(entry for entry in self.entries if isinstance(entry, Meant))

    @property
    def steps(self) -> tuple[Ran, ...]:
        """The steps, in the order they ran."""
        return tuple(entry for entry in self.entries if isinstance(entry, Ran))

    @property
    def events(self) -> tuple[Happened, ...]:
        """Everything else that happened."""
        return tuple(entry for entry in self.entries if isinstance(entry, Happened))

    def to_json(self) -> dict[str, Any]:
        """The same as plain data."""
        return {"error": self.error, "entries": [asdict(entry) for entry in self.entries]}

    def __str__(self) -> str:
        failed = [f"the turn failed: {self.error}"] if self.error else []
        return "\n".join([*failed, *(str(entry) for entry in self.entries)]) or "Nothing has been said yet."


def _entry(entry: dict[str, Any]) -> Meant | Ran | Happened:
    if {"command", "by", "confidence", "evidence"} <= entry.keys():
        return Meant(**entry)
    if {"flow", "step", "type", "visit", "then"} <= entry.keys():
        return Ran(**entry)
    named = {name: entry[name] for name in ("event", "why", "flow", "slot") if name in entry}
    return Happened(**{"event": "", **named}, about={k: v for k, v in entry.items() if k not in named})
