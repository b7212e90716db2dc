"""PendingTaskHandler: every task becomes a message at once; those that wait stop the flow."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, cast

from soni.core.message_sink import Message, Option
from soni.core.pending_task import requires_input
from soni.core.state import digest

if TYPE_CHECKING:
    from soni.core.pending_task import PendingTask
    from soni.runtime.turn import Turn


class TaskAction(Enum):
    """What to do after a task has been handled."""

    CONTINUE = "continue"
    INTERRUPT = "interrupt"


@dataclass(frozen=True, slots=True)
class TaskResult:
    """Go on, or wait for the answer to this task."""

    action: TaskAction
    task: PendingTask | None = None


class PendingTaskHandler:
    """Sends what tasks say, in the order they come."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn

    async def handle(self, task: PendingTask, *, known: PendingTask | None = None) -> TaskResult:
        """Send the task's message, unless it is the known task, and say whether the flow goes on."""
        key = task.get("id", "assistant")
        # A button is good for this question as this person was shown it, and for no other.
        token = digest([self._turn.incarnation, key, task["prompt"]])
        task = cast("PendingTask", {**task, "token": token})
        if known is None or known.get("token") != token:
            await self._turn.deliver(message_of(task, self._turn.message_id(key)))
        if requires_input(task):
            return TaskResult(TaskAction.INTERRUPT, task)
        return TaskResult(TaskAction.CONTINUE)


def message_of(task: PendingTask, message_id: str) -> Message:
    """The message that puts a task before the person, with what each of its choices sends back."""
    labels = task.get("options") or []
    values = task.get("values") or labels
    metadata = task.get("metadata") or {}
    return Message(
        id=message_id,
        kind=metadata.get("kind", task["type"]),
        text=task["prompt"],
        options=tuple(
            Option(label, {"task": task.get("token", ""), "option": value})
            for label, value in zip(labels, values, strict=True)
        ),
        data=metadata.get("data"),
    )
