"""Everything Soni raises on purpose.

SoniError
├── ConfigError        the assistant's YAML or Python cannot be used; lists every problem
├── ActionError        an action failed, timed out or returned something unusable
│   ├── ActionOutcomeUnknown   nobody knows whether a `once` action happened
│   └── ActionResultUnusable   it happened, but what it returned cannot be used
├── InvalidValue       a value that a slot cannot hold
├── ConfirmationVoid   what was confirmed has changed after something was done with it
├── LimitReached       a flow ran too many steps or rounds without asking or ending
├── ConversationError  a turn was asked for in a way that cannot be served
│   ├── ConversationBusy       another turn of the conversation has been running for too long
│   ├── MessageReused          a message_id came again with another text
│   ├── NotHandedOver          no person has the conversation
│   └── NotKept                the turn or the message is not kept, or never was
└── StoreUnavailable   the database cannot be written or read now; what was accepted is finished later
    └── StoreBroken            its files were deleted, replaced or damaged; the process has to be restarted
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_LONGEST_NAME = 200

Severity = Literal["error", "warning"]


class SoniError(Exception):
    """Base of every error that Soni raises on purpose."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a file something stands, counted from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with an assistant: where, what, and what to do about it."""

    message: str
    path: tuple[str | int, ...] = ()
    hint: str | None = None
    severity: Severity = "error"
    place: Place | None = None

    def __str__(self) -> str:
        where = str(self.place) if self.place else dotted(self.path)
        prefix = f"{where}: " if where else ""
        mark = "warning: " if self.severity == "warning" else ""
        return f"{prefix}{mark}{self.message}" + (f" {self.hint}" if self.hint else "")


class ConfigError(SoniError):
    """An assistant that cannot be used; `problems` holds every reason."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class ActionError(SoniError):
    """An action failed, timed out, or returned something that cannot be used."""


class ActionOutcomeUnknown(ActionError):
    """A `once` action was started and nobody knows whether it happened."""

    def __init__(self, message: str, *, running: bool = False) -> None:
        super().__init__(message)
        self.running = running
        """Whether it is still at it, so that it is too early to ask."""


class ActionResultUnusable(ActionError):
    """An action ran to its end, and what it returned cannot be used."""


class InvalidValue(SoniError):
    """A value that a slot cannot hold."""

    def __init__(
        self, message: str, *, reason: str | dict[str, str] | None = None, options: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message)
        self.reason = reason
        """What a validator has to say to the person about it, in one text or by language."""
        self.options = options
        """Values that it offers instead."""


class LimitReached(SoniError):
    """A flow ran too many steps or rounds without asking anything or ending."""


class ConfirmationVoid(SoniError):
    """What was confirmed has changed, and something was done with it already."""


class ConversationError(SoniError):
    """A turn was asked for in a way that cannot be served."""


class ConversationBusy(ConversationError):
    """Another turn of the conversation, here or elsewhere, has been running for longer than one waits."""


class MessageReused(ConversationError):
    """A message came under the name of another one."""


class NotHandedOver(ConversationError):
    """Somebody wants to act as the person who has the conversation, and nobody has it."""


class NotKept(ConversationError):
    """A turn or a message that is not kept any more, or never was there."""


class StoreUnavailable(SoniError):
    """The database cannot be written or read now. A turn that was accepted is finished when it can be again."""

    def __init__(self, message: str, *, lost: bool = False) -> None:
        super().__init__(message)
        self.lost = lost
        """Whether only the connection was lost, so that another may do."""


class StoreBroken(StoreUnavailable):
    """The files of the store were deleted, replaced or damaged while it was open. Nothing is accepted any more."""


def dotted(path: Iterable[str | int]) -> str:
    """`flows.transfer.steps[2]`, the way people write a place in a tree."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += f".{part}" if text else part
    return text


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """The sentence that ends an error about an unknown name, or None if nothing is close."""
    if len(word) > _LONGEST_NAME:  # no name is as long, and to compare it would take long
        return None
    close = get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"Did you mean '{close[0]}'?" if close else None
