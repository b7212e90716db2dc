"""Explanation: what a message was taken to mean, by whom, which steps ran, and why each went where it did."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from soni.du.context import MASK
from soni.flow.memory import full_name, memories

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from soni.config.models import SoniConfig
    from soni.core.state import Chain


@dataclass(frozen=True, slots=True)
class Meant:
    """A command, who found it, how sure they were, and what made them think so."""

    command: dict[str, Any]
    by: str
    confidence: float
    evidence: str
    words: str = ""
    """The person's own words it was read from, where they are not the whole message."""
    runner_up: str = ""
    """The reading that came second, where there was one."""
    runner_up_confidence: float = 0.0

    def __str__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self.command.items() if name != "type")
        words = f" from '{self.words}'" if self.words else ""
        evidence = f": {self.evidence}" if self.evidence else ""
        rather = f", rather than {self.runner_up}, {self.runner_up_confidence:.2f}" if self.runner_up else ""
        return (
            f"understood {self.command['type']}({fields}){words}{evidence} ({self.by}, {self.confidence:.2f}{rather})"
        )


@dataclass(frozen=True, slots=True)
class Ran:
    """A step that ran, or was kept as it was, what it decided on, and where it went."""

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
        over = "kept, " if self.passed_over else ""
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
class Known:
    """A fact of a running flow: what a person said for a slot, in which turn, and with which words."""

    flow: str
    slot: str
    value: Any
    turn: int
    words: str = ""
    """The message it was said in, where that is kept."""
    counts: bool = True
    """Whether the slot holds it; else it is for a question that is not on the way now."""

    def __str__(self) -> str:
        value = "left out" if self.value is None else f"= {self.value!r}"
        words = f": '{self.words}'" if self.words else ""
        waits = "" if self.counts else ", not on the way now"
        return f"{self.flow}.{self.slot} {value} (said in turn {self.turn}{words}{waits})"


@dataclass(frozen=True, slots=True)
class Explanation:
    """One turn, explained; a line for each thing when printed."""

    entries: tuple[Meant | Ran | Happened, ...] = ()
    error: str | None = None
    facts: tuple[Known, ...] = ()
    """After the last turn: what the running flows go by."""

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
        entries, facts = [asdict(entry) for entry in self.entries], [asdict(fact) for fact in self.facts]
        return {"error": self.error, "entries": entries, "facts": facts}

    def __str__(self) -> str:
        failed = [f"the turn failed: {self.error}"] if self.error else []
        told = [*failed, *(str(entry) for entry in self.entries), *(str(fact) for fact in self.facts)]
        return "\n".join(told) or "Nothing has been said yet."


def _entry(entry: dict[str, Any]) -> Meant | Ran | Happened:
    if {"command", "by", "confidence", "evidence"} <= entry.keys():
        return Meant(**entry)
    if {"flow", "step", "type", "visit", "then"} <= entry.keys():
        return Ran(**entry)
    named = {name: entry[name] for name in ("event", "why", "flow", "slot") if name in entry}
    return Happened(**{"event": "", **named}, about={k: v for k, v in entry.items() if k not in named})


def facts_of(chain: Chain, config: SoniConfig) -> Iterator[Known]:
    """What was said for the slots of a flow and of those it called; secrets are masked."""
    for path, memory in memories(chain["memory"]):
        for key, fact in memory["facts"].items():
            secret = config.is_secret(fact["slot"]) and fact["value"] is not None
            counts = full_name(path, key) in chain["entered"]
            value = MASK if secret or fact["state"] == "gone" else fact["value"]
            yield Known(memory["flow"], fact["slot"], value, fact["turn"], counts=counts)
