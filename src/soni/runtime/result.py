"""TurnResult: what came of one message."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from soni.du.understanding import Usage
from soni.runtime.explanation import Explanation

if TYPE_CHECKING:
    from soni.core.commands import Command
    from soni.core.message_sink import Message
    from soni.core.pending_task import PendingTask


@dataclass(frozen=True, slots=True)
class TurnResult:
    """What came of one message."""

    turn: int
    messages: tuple[Message, ...]
    pending: PendingTask | None
    commands: tuple[Command, ...]
    trace: tuple[dict[str, Any], ...]
    error: str | None = None
    """Why the turn could not be finished; the conversation then stands where it stood before."""
    usage: Usage = field(default_factory=Usage)
    """What understanding the message has cost: calls of a model, their tokens, the time."""
    handoff: dict[str, Any] | None = None
    """What a person is told who has the conversation now: reason, flow, slots, transcript."""

    @property
    def text(self) -> str:
        """The texts of the messages, a line each."""
        return "\n".join(message.text for message in self.messages)

    @property
    def explain(self) -> Explanation:
        """Why the turn went as it did."""
        return Explanation.of(self.trace, error=self.error)
