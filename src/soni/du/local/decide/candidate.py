"""One thing that a message may mean."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from soni.du.understanding import Found


@dataclass(frozen=True)
class Candidate:
    """A reading of a message: its kind, what speaks for it, and the commands it comes to."""

    kind: str
    make: Callable[[], list[Found]]
    """Works the commands out; it is called for few of the candidates."""
    signs: Mapping[str, float] = field(default_factory=dict)
    """What speaks for this reading or against it, by name; what is not there is 0."""

    @cached_property
    def found(self) -> list[Found]:
        """The commands, with what they were read from."""
        return self.make()


def ready(kind: str, found: list[Found], signs: Mapping[str, float] | None = None) -> Candidate:
    """A candidate whose commands are known already."""
    return Candidate(kind, lambda: found, signs or {})
