"""TurnResult: what came of one message."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from soni.core.commands import shown
from soni.du.understanding import Usage
from soni.runtime.explanation import Explanation

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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

    recovered: tuple[Message, ...] = ()
    """What the assistant said in an earlier turn that was interrupted and has been finished just before this one."""

    @classmethod
    def of(
        cls,
        turn: int,
        messages: Iterable[Message],
        kept: Mapping[str, Any],
        known: Mapping[str, type[Command]],
        handoff: dict[str, Any] | None,
    ) -> TurnResult:
        """The result of a turn, from what the journal keeps of it."""
        return cls(
            turn=turn,
            messages=tuple(messages),
            pending=kept.get("pending"),
            commands=tuple(shown(one, known) for one in kept.get("commands", ()) if one["type"] in known),
            trace=tuple(kept.get("trace", ())),
            error=kept.get("error"),
            usage=Usage(*kept.get("usage", ())),
            handoff=handoff,
        )

    @property
    def text(self) -> str:
        """The texts of the messages, a line each; first those of a turn that has been finished just before."""
        return "\n".join(message.text for message in (*self.recovered, *self.messages))

    @property
    def explain(self) -> Explanation:
        """Why the turn went as it did."""
        return Explanation.of(self.trace, error=self.error)
