"""The seam for a reader: what finds values, and may have a say about flows and acts, in a message."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from soni.config.models import SlotConfig
    from soni.du.context import DialogueContext


@dataclass(frozen=True, slots=True)
class Span:
    """Some words of a message as the value of a slot."""

    slot: str
    words: str
    start: int
    end: int
    confidence: float
    evidence: str
    value: str = ""
    """What the words stand for, where they cannot be read as they are: the option that they name."""


@dataclass(frozen=True, slots=True)
class Read:
    """What a reader makes of a text; rules find values only, a trained model may also weigh flows."""

    spans: list[Span]
    flows: Mapping[str, float] = field(default_factory=dict)
    """What speaks for each candidate besides its similarity; added to what flows are ranked by."""


class Reader(Protocol):
    """Reads a text for the slots of some flows; plain rules and a trained model are interchangeable here.

    `flows` are the encoder's likeliest candidates, the best first; what is found goes through the grammar of the
    slot's type, and the open question decides what it comes to.
    """

    def read(
        self,
        text: str,
        slots: Mapping[str, SlotConfig],
        context: DialogueContext,
        *,
        asked: str | None = None,
        flows: tuple[str, ...] = (),
    ) -> Read: ...


def overlaps(start: int, end: int, spans: list[Span]) -> bool:
    """Whether some letters are part of a value already."""
    return any(start < span.end and span.start < end for span in spans)
