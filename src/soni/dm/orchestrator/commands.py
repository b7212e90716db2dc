"""Command handlers: what each command does to the running flows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from soni.core.commands import (
    COMMANDS,
    Acknowledge,
    AffirmConfirmation,
    CancelFlow,
    Command,
    CorrectSlot,
    DenyConfirmation,
    OutOfScope,
    SetSlot,
    StartFlow,
)
from soni.core.pending_task import is_confirm, is_inform
from soni.dm.orchestrator.slot_writing import asking_frame, correct_slot, ignored, set_slot, told
from soni.errors import SoniError
from soni.flow.delta import FlowDelta, merge_delta, merge_deltas

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from soni.core.state import DialogueState, FlowContext
    from soni.runtime.context import RuntimeContext

C = TypeVar("C", bound=Command)


class CommandHandler(ABC, Generic[C]):
    """Turns one kind of command into a FlowDelta."""

    command: ClassVar[type[Command]]

    @abstractmethod
    async def handle(self, command: C, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        """The change that the command makes; the state itself is left alone."""


class StartFlowHandler(CommandHandler[StartFlow]):
    """Begin a flow, or bring it back; whatever ran before is paused."""

    command = StartFlow

    async def handle(self, command: StartFlow, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        if command.flow not in context.config.flows:
            return ignored(f"there is no flow '{command.flow}'")
        if command.flow not in context.startable(state):
            return told(context, state, "not_available", why=f"the guard of '{command.flow}' does not hold")
        running = {frame["flow_name"] for frame in state["flow_stack"]}
        if command.flow not in running and len(state["flow_stack"]) >= context.config.settings.max_depth:
            return told(context, state, "too_deep", why="too many flows are open")
        deltas = [context.flow_manager.handle_intent_change(state, command.flow)]
        for slot, value in command.slots.items():
            after = merge_delta(state, merge_deltas(deltas))
            begun = next(frame for frame in reversed(after["flow_stack"]) if frame["flow_name"] == command.flow)
            deltas.append(await set_slot(slot, value, after, context, begun))
        return merge_deltas(deltas)


class CancelFlowHandler(CommandHandler[CancelFlow]):
    """End the flow the person is in, with everything it called."""

    command = CancelFlow

    async def handle(self, command: CancelFlow, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        cancelled, delta = context.flow_manager.cancel_flow(state)
        if not cancelled:
            return told(context, state, "nothing_to_cancel", why="no flow is running")
        return merge_deltas([delta, told(context, state, "cancelled", why=f"cancelled {cancelled[0]['flow_name']}")])


class SetSlotHandler(CommandHandler[SetSlot]):
    """Fill a slot; a value that was already given is corrected."""

    command = SetSlot

    async def handle(self, command: SetSlot, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        return await set_slot(command.slot, command.value, state, context, _owner(command.slot, state, context))


class CorrectSlotHandler(CommandHandler[CorrectSlot]):
    """Replace a value, and go back to the first step that had read the old one."""

    command = CorrectSlot

    async def handle(self, command: CorrectSlot, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        return await correct_slot(command.slot, command.value, state, context, _owner(command.slot, state, context))


class AffirmConfirmationHandler(CommandHandler[AffirmConfirmation]):
    """Yes, to the confirmation that was open when the message came."""

    command = AffirmConfirmation

    async def handle(self, command: AffirmConfirmation, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        return _answered(state, context, answer=True)


class DenyConfirmationHandler(CommandHandler[DenyConfirmation]):
    """No, to the confirmation that was open when the message came."""

    command = DenyConfirmation

    async def handle(self, command: DenyConfirmation, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        return _answered(state, context, answer=False)


class AcknowledgeHandler(CommandHandler[Acknowledge]):
    """Seen: the flow that waits for it goes on."""

    command = Acknowledge

    async def handle(self, command: Acknowledge, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        task = state["_pending_task"]
        frame = asking_frame(state)
        if task is None or not is_inform(task) or frame is None:
            return ignored("nothing waits to be acknowledged")
        return context.flow_manager.update_frame(state, frame["flow_id"], answer=True)


class OutOfScopeHandler(CommandHandler[OutOfScope]):
    """Say so; an open confirmation counts it as an unclear answer."""

    command = OutOfScope

    async def handle(self, command: OutOfScope, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        if state["payload"] is not None:
            return told(context, state, "stale_option", why="a choice that is not open")
        answer = told(context, state, "out_of_scope", why="nothing was understood")
        frame = asking_frame(state)
        task = state["_pending_task"]
        if frame is None or task is None or not is_confirm(task):
            return answer
        counted = context.flow_manager.update_frame(state, frame["flow_id"], attempts=frame["attempts"] + 1)
        return merge_deltas([counted, answer])


DEFAULT_HANDLERS: tuple[CommandHandler[Any], ...] = (
    StartFlowHandler(),
    CancelFlowHandler(),
    SetSlotHandler(),
    CorrectSlotHandler(),
    AffirmConfirmationHandler(),
    DenyConfirmationHandler(),
    AcknowledgeHandler(),
    OutOfScopeHandler(),
)


def handlers_by_command(extra: Iterable[CommandHandler[Any]] = ()) -> Mapping[type[Command], CommandHandler[Any]]:
    """One handler for every registered command; a command nobody handles fails here, not in a conversation."""
    handlers = {handler.command: handler for handler in (*DEFAULT_HANDLERS, *extra)}
    for name, kind in COMMANDS.items():
        if kind not in handlers:
            raise SoniError(f"no handler for the command '{name}'. Pass one to RuntimeLoop(command_handlers=…).")
    return handlers


def _owner(slot: str, state: DialogueState, context: RuntimeContext) -> FlowContext | None:
    flow_id = context.flow_manager.owner_of(state, slot)
    return context.flow_manager.get_frame(state, flow_id) if flow_id else None


def _answered(state: DialogueState, context: RuntimeContext, *, answer: bool) -> FlowDelta:
    task = state["_pending_task"]
    frame = asking_frame(state)
    if task is None or not is_confirm(task) or frame is None:
        return ignored("no confirmation is open")
    # Who says yes and no in one breath has not said yes.
    return context.flow_manager.update_frame(state, frame["flow_id"], answer=answer and frame["answer"] is not False)
