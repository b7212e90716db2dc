"""CommandProcessor: commands are applied one after the other, each on what the one before left."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from soni.core.commands import CancelFlow, ClearSlot, CorrectSlot, OutOfScope, SetSlot, StartFlow
from soni.dm.orchestrator.handler import happened
from soni.flow.delta import FlowDelta, merge_delta

if TYPE_CHECKING:
    from collections.abc import Sequence

    from soni.core.commands import Command
    from soni.core.state import DialogueState
    from soni.dm.orchestrator.executor import SubgraphExecutor
    from soni.dm.orchestrator.task_handler import PendingTaskHandler
    from soni.flow.memory import Change
    from soni.runtime.context import RuntimeContext

_NOTHING = {
    "ignored",
    "not_available",
    "nothing_to_cancel",
    "nothing_to_resume",
    "not_open",
    "out_of_scope",
    "stale_option",
    "too_deep",
    "trouble",
}
"""Events of commands that came to nothing."""
_NEITHER = {"wait"}
"""Events of commands that neither are progress nor came to nothing."""


class CommandProcessor:
    """Finds each command's handler, applies its delta, and sends what it has to say."""

    def __init__(self, context: RuntimeContext, executor: SubgraphExecutor, tasks: PendingTaskHandler) -> None:
        self._context = context
        self._executor = executor
        self._tasks = tasks
        self._progress = False
        self._failed = False
        self._words: list[Change] = []
        self._unsettled = False
        self._patient = False
        self.offers: dict[str, tuple[str, ...]] = {}
        """For slots whose values were refused: what could be said instead."""

    @property
    def words(self) -> list[Change]:
        """What the message says for slots and to questions; with a value that was refused, no yes and no no."""
        words = self._words
        # Who says yes and no in one breath has not said yes.
        denied = {word.target for word in words if word.answer is not None and not word.answer["value"]}
        return [
            word
            for word in words
            if word.answer is None or not (self._unsettled or (word.answer["value"] and word.target in denied))
        ]

    @property
    def is_patient(self) -> bool:
        """Whether the open question need not be asked again."""
        return self._patient and not self._unsettled

    async def process(self, commands: Sequence[Command], state: DialogueState) -> DialogueState:
        """The state after all commands; a message that meant nothing is out of scope, never silence."""
        for command in self._ordered(commands, state):
            state = await self._handled(command, state)
        if not commands or (not state["flow_stack"] and not self._context.turn.messages):
            state = await self._handled(OutOfScope(), state)
        return await self._unstuck(state)

    def _ordered(self, commands: Sequence[Command], state: DialogueState) -> list[Command]:
        """In spoken order, but a value that only a flow of this message has comes after its start.

        So does a value whose flow the message cancels, if the flow that takes its place has the slot.
        """
        manager = self._context.flow_manager
        waiting: list[SetSlot | CorrectSlot] = []
        ordered: list[Command] = []
        starts = [command for command in commands if isinstance(command, StartFlow)]
        leaving = self._leaving(commands, state) if starts else frozenset()
        for command in commands:
            if isinstance(command, SetSlot | CorrectSlot) and self._waits(command, starts, leaving, state):
                waiting.append(command)
                continue
            ordered.append(command)
            if isinstance(command, StartFlow):
                starts.remove(command)
                known = self._context.config.flows
                names = manager.slot_names(command.flow) if command.flow in known else frozenset()
                ordered += [value for value in waiting if value.slot in names]
                waiting = [value for value in waiting if value.slot not in names]
        return [*ordered, *waiting]

    def _waits(
        self, value: SetSlot | CorrectSlot, starts: Sequence[StartFlow], leaving: frozenset[str], state: DialogueState
    ) -> bool:
        """Whether a value is for a flow that the message has yet to start."""
        manager, known = self._context.flow_manager, self._context.config.flows
        owner = manager.owner_of(state, value.slot)
        if owner is None:
            return isinstance(value, SetSlot) and bool(starts)
        starting = [start.flow for start in starts if start.flow in known]
        return owner in leaving and any(value.slot in manager.slot_names(flow) for flow in starting)

    def _leaving(self, commands: Sequence[Command], state: DialogueState) -> frozenset[str]:
        """The running flows that the message cancels: those it names, or the active one before anything is started."""
        first = next((n for n, command in enumerate(commands) if isinstance(command, StartFlow)), len(commands))
        named = [
            command.flow
            for n, command in enumerate(commands)
            if isinstance(command, CancelFlow) and (command.flow is not None or n < first)
        ]
        cancel = self._context.flow_manager.cancel_flow
        return frozenset(frame["flow_id"] for flow in named for frame in cancel(state, flow)[0])

    async def _handled(self, command: Command, state: DialogueState) -> DialogueState:
        handler = self._context.command_handlers[type(command)]
        delta = await handler.handle(command, state, self._context)
        if isinstance(command, SetSlot | CorrectSlot | ClearSlot) and not delta.unsettled:
            # The last word on a slot counts.
            self._words = [word for word in self._words if word.about != command.slot]
        events = {entry.get("event") for entry in delta.trace} - _NEITHER
        if events or not delta.trace:
            came_to_nothing = bool(delta.trace) and events <= _NOTHING
            self._progress |= not came_to_nothing
            self._failed |= came_to_nothing
        return await self._applied(delta, state)

    async def _unstuck(self, state: DialogueState) -> DialogueState:
        """After several turns in a row that came to nothing, something else is tried."""
        stuck = 0 if self._progress else state["stuck"] + self._failed
        if stuck < self._context.config.settings.fallback_after:
            return merge_delta(state, FlowDelta(stuck=stuck))
        able = self._context.capabilities(state)
        why = f"{stuck} turns came to nothing"
        fallback = happened("fallback", self._context, state, text="help", why=why, capabilities=able, reason=why)
        return await self._applied(fallback, merge_delta(state, FlowDelta(stuck=0)))

    async def _applied(self, delta: FlowDelta, state: DialogueState) -> DialogueState:
        self._words += delta.words
        self._unsettled |= delta.unsettled
        self._patient |= delta.patient
        self.offers |= delta.offers
        for task in delta.tasks:
            await self._tasks.handle(task)
        after = changed = merge_delta(state, delta)
        async for after in self._executor.speak(changed):
            if after["_pending_task"] is not None:
                await self._tasks.handle(after["_pending_task"])
        # What was open when the message came stays so for the commands that follow.
        return cast("DialogueState", {**after, "_pending_task": state["_pending_task"]})
