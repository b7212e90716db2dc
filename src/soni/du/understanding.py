"""The contract of understanding: a message and what it was said in reply to, turned into commands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

    from soni.core.commands import Command
    from soni.du.context import DialogueContext


@dataclass(frozen=True, slots=True)
class Found:
    """One command, how sure the understanding is of it, and what made it think so."""

    command: Command
    confidence: float = 1.0
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Understood:
    """What a message means, in spoken order, and what it cost to find out."""

    found: tuple[Found, ...]
    by: str
    language: str | None = None
    usage: dict[str, Any] = field(default_factory=dict)

    @property
    def commands(self) -> tuple[Command, ...]:
        """The commands alone."""
        return tuple(found.command for found in self.found)

    @classmethod
    def of(cls, commands: Iterable[Command], *, by: str, language: str | None = None) -> Understood:
        """Commands of which the understanding is sure."""
        return cls(tuple(Found(command) for command in commands), by=by, language=language)


class Understanding(Protocol):
    """Turns a message into commands; it never acts, and it may be wrong."""

    async def understand(self, message: str, context: DialogueContext) -> Understood: ...
