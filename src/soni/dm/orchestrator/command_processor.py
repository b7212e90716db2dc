"""CommandProcessor: commands are applied one after the other, each on what the one before left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soni.core.commands import OutOfScope
from soni.dm.orchestrator.handler import happened
from soni.flow.delta import FlowDelta, merge_delta

if TYPE_CHECKING:
    from collections.abc import Sequence

    from soni.core.commands import Command
    from soni.core.state import DialogueState
    from soni.dm.orchestrator.task_handler import PendingTaskHandler
    from soni.runtime.context import RuntimeContext

_NOTHING = {"ignored", "out_of_scope", "trouble"}
"""Events of commands that came to nothing."""


class CommandProcessor:
    """Finds each command's handler, applies its delta, and sends what it has to say."""

    def __init__(self, context: RuntimeContext, tasks: PendingTaskHandler) -> None:
        self._context = context
        self._tasks = tasks
        self._progress = False

    async def process(self, commands: Sequence[Command], state: DialogueState) -> DialogueState:
        """The state after all commands; a message that meant nothing is out of scope, never silence."""
        for command in commands:
            state = await self._handled(command, state)
        if not commands or (not state["flow_stack"] and not self._context.turn.messages):
            state = await self._handled(OutOfScope(), state)
        return await self._unstuck(state)

    async def _handled(self, command: Command, state: DialogueState) -> DialogueState:
        handler = self._context.command_handlers[type(command)]
        delta = await handler.handle(command, state, self._context)
        self._progress |= not delta.trace or not {entry.get("event") for entry in delta.trace} <= _NOTHING
        return await self._applied(delta, state)

    async def _unstuck(self, state: DialogueState) -> DialogueState:
        """After several turns in a row that came to nothing, something else is tried."""
        stuck = 0 if self._progress else state["stuck"] + 1
        if stuck < self._context.config.settings.fallback_after:
            return merge_delta(state, FlowDelta(stuck=stuck))
        able = self._context.capabilities(state)
        why = f"{stuck} turns came to nothing"
        fallback = happened("fallback", self._context, state, text="help", why=why, capabilities=able, reason=why)
        return await self._applied(fallback, merge_delta(state, FlowDelta(stuck=0)))

    async def _applied(self, delta: FlowDelta, state: DialogueState) -> DialogueState:
        for task in delta.tasks:
            await self._tasks.handle(task)
        return merge_delta(state, delta)
