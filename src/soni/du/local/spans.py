"""Words of a message as the value of a slot."""

from __future__ import annotations

from dataclasses import dataclass


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


def overlaps(start: int, end: int, spans: list[Span]) -> bool:
    """Whether some letters are part of a value already."""
    return any(start < span.end and span.start < end for span in spans)
