"""CommandProcessor: commands are applied one after the other, each on what the one before left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soni.core.commands import OutOfScope
from soni.flow.delta import merge_delta

if TYPE_CHECKING:
    from collections.abc import Sequence

    from soni.core.commands import Command
    from soni.core.state import DialogueState
    from soni.dm.orchestrator.task_handler import PendingTaskHandler
    from soni.runtime.context import RuntimeContext


class CommandProcessor:
    """Finds each command's handler, applies its delta, and sends what it has to say."""

    def __init__(self, context: RuntimeContext, tasks: PendingTaskHandler) -> None:
        self._context = context
        self._tasks = tasks

    async def process(self, commands: Sequence[Command], state: DialogueState) -> DialogueState:
        """The state after all commands; a message that meant nothing is out of scope, never silence."""
        for command in commands:
            state = await self._applied(command, state)
        if not commands or (not state["flow_stack"] and not self._context.turn.messages):
            state = await self._applied(OutOfScope(), state)
        return state

    async def _applied(self, command: Command, state: DialogueState) -> DialogueState:
        handler = self._context.command_handlers[type(command)]
        delta = await handler.handle(command, state, self._context)
        for task in delta.tasks:
            await self._tasks.handle(task)
        return merge_delta(state, delta)
