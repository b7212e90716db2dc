"""The contract of understanding: a message and what it was said in reply to, turned into commands."""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol

from soni.errors import SoniError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from soni.core.commands import Command
    from soni.du.context import DialogueContext

MAX_COMMANDS = 50
"""How many commands of one message are looked at."""
_MAX_COUNT = 2**53


@dataclass(frozen=True, slots=True)
class Found:
    """One command, how sure the understanding is of it, and what made it think so."""

    command: Command
    confidence: float = 1.0
    evidence: str = ""
    words: str = ""
    """The person's own words that it was read from; empty when it was the message as a whole."""
    runner_up: str = ""
    """The reading that came second, where there was one."""
    runner_up_confidence: float = 0.0


@dataclass(frozen=True, slots=True)
class Usage:
    """What it cost to understand: calls of a model, their tokens, and the time it all took."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.seconds + other.seconds,
        )


_NOTHING = Usage()


@dataclass(frozen=True, slots=True)
class Understood:
    """What a message means, in spoken order, and what it cost to find out."""

    found: tuple[Found, ...]
    by: str
    language: str | None = None
    usage: Usage = Usage()

    @property
    def commands(self) -> tuple[Command, ...]:
        """The commands alone."""
        return tuple(found.command for found in self.found)

    @classmethod
    def of(cls, commands: Iterable[Command], *, by: str, language: str | None = None) -> Understood:
        """Commands of which the understanding is sure; of very many, no more than show that there are too many."""
        first = islice(commands, MAX_COMMANDS + 1)
        return cls(tuple(Found(command) for command in first), by=by, language=language)


class UnderstandingFailed(SoniError):
    """A message could not be read; what trying has cost is counted all the same."""

    def __init__(self, message: str, usage: Usage = _NOTHING) -> None:
        super().__init__(message)
        self.usage = usage


def spent(error: BaseException) -> Usage:
    """What a failed understanding has cost, as far as it says."""
    usage = error.usage if isinstance(error, UnderstandingFailed) else _NOTHING
    return usage if is_usage(usage) else _NOTHING


def is_usage(usage: Any) -> bool:
    """Whether this is a Usage whose figures can be added up."""
    if not isinstance(usage, Usage):
        return False
    *counts, seconds = astuple(usage)
    whole = all(isinstance(count, int) and 0 <= count < _MAX_COUNT for count in counts)
    return whole and isinstance(seconds, int | float) and math.isfinite(seconds) and seconds >= 0


class Understanding(Protocol):
    """Turns a message into commands; it never acts, and it may be wrong."""

    async def understand(self, message: str, context: DialogueContext) -> Understood: ...
