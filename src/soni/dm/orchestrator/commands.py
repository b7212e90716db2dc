"""Command handlers: what each command does to the running flows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from soni.compiler.subgraph import digest
from soni.config.models import ActionStepConfig, CollectStepConfig
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
from soni.core.pending_task import inform, is_collect, is_confirm, is_inform
from soni.errors import InvalidValue, SoniError
from soni.flow.delta import FlowDelta, merge_delta, merge_deltas

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from soni.core.state import DialogueState, FlowContext
    from soni.core.template import Text
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
            return _note(f"there is no flow '{command.flow}'")
        if command.flow not in context.startable(state):
            return _told(context, state, "not_available", why=f"the guard of '{command.flow}' does not hold")
        running = {frame["flow_name"] for frame in state["flow_stack"]}
        if command.flow not in running and len(state["flow_stack"]) >= context.config.settings.max_depth:
            return _told(context, state, "too_deep", why="too many flows are open")
        deltas = [context.flow_manager.handle_intent_change(state, command.flow)]
        for slot, value in command.slots.items():
            after = merge_delta(state, merge_deltas(deltas))
            deltas.append(await SetSlotHandler().handle(SetSlot(slot=slot, value=value), after, context))
        return merge_deltas(deltas)


class CancelFlowHandler(CommandHandler[CancelFlow]):
    """End the flow the person is in, with everything it called."""

    command = CancelFlow

    async def handle(self, command: CancelFlow, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        cancelled, delta = context.flow_manager.cancel_flow(state)
        if not cancelled:
            return _told(context, state, "nothing_to_cancel", why="no flow is running")
        return merge_deltas([delta, _told(context, state, "cancelled", why=f"cancelled {cancelled[0]['flow_name']}")])


class SetSlotHandler(CommandHandler[SetSlot]):
    """Fill a slot; a value that was already given is corrected."""

    command = SetSlot

    async def handle(self, command: SetSlot, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        refused = _refused(command.slot, state, context)
        if refused is not None:
            return refused
        frame = _owner(command.slot, state, context)
        open_question = _open_question(command.slot, state, frame)
        stored = context.flow_manager.get_slot(state, command.slot, frame["flow_id"])
        if stored is not None and open_question is None:
            return await _corrected(command.slot, command.value, state, context, frame)
        return await _filled(command.slot, command.value, state, context, frame)


class CorrectSlotHandler(CommandHandler[CorrectSlot]):
    """Replace a value, and go back to the first step that had read the old one."""

    command = CorrectSlot

    async def handle(self, command: CorrectSlot, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        refused = _refused(command.slot, state, context)
        if refused is not None:
            return refused
        return await _corrected(command.slot, command.value, state, context, _owner(command.slot, state, context))


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
        frame = _asking_frame(state)
        if task is None or not is_inform(task) or frame is None:
            return _note("nothing waits to be acknowledged")
        return context.flow_manager.update_frame(state, frame["flow_id"], answer=True)


class OutOfScopeHandler(CommandHandler[OutOfScope]):
    """Say so; an open confirmation counts it as an unclear answer."""

    command = OutOfScope

    async def handle(self, command: OutOfScope, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        if state["payload"] is not None:
            return _told(context, state, "stale_option", why="a choice that is not open")
        told = _told(context, state, "out_of_scope", why="nothing was understood")
        frame = _asking_frame(state)
        task = state["_pending_task"]
        if frame is None or task is None or not is_confirm(task):
            return told
        counted = context.flow_manager.update_frame(state, frame["flow_id"], attempts=frame["attempts"] + 1)
        return merge_deltas([counted, told])


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


def _note(why: str) -> FlowDelta:
    return FlowDelta(trace=({"event": "ignored", "why": why},))


def _told(context: RuntimeContext, state: DialogueState, text: str, *, why: str) -> FlowDelta:
    said = context.phrase(text, state, key=f"{state['turn']}/{text}")
    return FlowDelta(tasks=(inform(said),), trace=({"event": text, "why": why},))


def _refused(slot: str, state: DialogueState, context: RuntimeContext) -> FlowDelta | None:
    """Why words may not fill this slot: a confirmation's answer and the system's values are out of reach."""
    declared = context.config.slots.get(slot)
    if declared is None:
        return _note(f"there is no slot '{slot}'")
    if slot in context.config.confirm_slots:
        return _note(f"'{slot}' is written by its confirmation only")
    if declared.source == "system":
        return _note(f"'{slot}' is not filled from what people say")
    if context.flow_manager.owner_of(state, slot) is None:
        return _note(f"no running flow has the slot '{slot}'")
    return None


def _owner(slot: str, state: DialogueState, context: RuntimeContext) -> FlowContext:
    flow_id = context.flow_manager.owner_of(state, slot)
    return next(frame for frame in state["flow_stack"] if frame["flow_id"] == flow_id)


def _asking_frame(state: DialogueState) -> FlowContext | None:
    """The frame whose question was open when the message came, if it still stands at that question."""
    task = state["_pending_task"]
    for frame in state["flow_stack"]:
        asked = frame["asked"]
        if task and asked and task.get("id") == f"{frame['flow_id']}/{asked['step']}/{asked['visit']}":
            return frame
    return None


def _open_question(slot: str, state: DialogueState, frame: FlowContext) -> FlowContext | None:
    task = state["_pending_task"]
    asking = _asking_frame(state)
    is_this = task is not None and is_collect(task) and task["slot"] == slot
    return asking if is_this and asking is not None and asking["flow_id"] == frame["flow_id"] else None


def _collect_step(frame: FlowContext, context: RuntimeContext) -> CollectStepConfig | None:
    placed = context.config.flows[frame["flow_name"]].plan.get(frame["current_step"] or "")
    return placed.step if placed and isinstance(placed.step, CollectStepConfig) else None


async def _filled(
    slot: str, value: Any, state: DialogueState, context: RuntimeContext, frame: FlowContext
) -> FlowDelta:
    manager = context.flow_manager
    asking = _open_question(slot, state, frame)
    step = _collect_step(frame, context) if asking else None
    rules = (step.validate_,) if step else ()
    try:
        stored = await context.accept(state, slot, value, flow_id=frame["flow_id"], rules=rules)
    except InvalidValue as error:
        text = (step.error if step else None) or context.config.slots[slot].error
        counted = (
            manager.update_frame(state, frame["flow_id"], attempts=frame["attempts"] + 1) if asking else FlowDelta()
        )
        return merge_deltas([counted, _invalid(context, state, slot, text, frame, str(error))])
    # A question with `ask_always` takes this as its answer; others look at the slot alone.
    answered = manager.update_frame(state, frame["flow_id"], answer=True) if asking else FlowDelta()
    return merge_deltas([manager.set_slot(state, slot, stored, frame["flow_id"]), answered])


def _invalid(
    context: RuntimeContext, state: DialogueState, slot: str, text: Text | None, frame: FlowContext, why: str
) -> FlowDelta:
    key = f"{frame['flow_id']}/{slot}/{frame['attempts']}"
    slots = context.loaded(context.flow_manager.get_slots(state, frame["flow_id"]))
    said = context.render(text, state, key=key, slots=slots) if text else context.phrase("invalid", state, key=key)
    why = f"'{slot}' was refused" if context.config.slots[slot].sensitive else why
    return FlowDelta(tasks=(inform(said),), trace=({"event": "invalid", "slot": slot, "why": why},))


async def _corrected(
    slot: str, value: Any, state: DialogueState, context: RuntimeContext, frame: FlowContext
) -> FlowDelta:
    manager = context.flow_manager
    flow_id = frame["flow_id"]
    stored = None
    if value is not None:
        try:
            stored = await context.accept(state, slot, value, flow_id=flow_id)
        except InvalidValue as error:
            return _invalid(context, state, slot, context.config.slots[slot].error, frame, str(error))
    before = manager.get_slot(state, slot, flow_id)
    if stored == before:
        return _note(f"'{slot}' has that value already")
    written = manager.set_slot(state, slot, stored, flow_id)
    if before is None:
        return written
    new = digest(stored)
    first = next((n for n, passed in enumerate(frame["trail"]) if passed["reads"].get(slot, new) != new), None)
    told = _told(context, state, "changed", why=f"'{slot}' was corrected")
    if first is None:
        return merge_deltas([written, told])
    undone = frame["trail"][first:]
    if any(_is_done_for_good(passed["step"], frame, context) for passed in undone):
        return _told(context, state, "already_done", why=f"'{slot}' was used by an action that is done")
    # What the steps wrote since is taken back, last first; what the person said stays.
    old_values = [(name, old) for passed in reversed(undone) for name, old in passed["wrote"].items()]
    restored = [manager.set_slot(state, name, old, flow_id) for name, old in old_values]
    dropped = manager.drop_called(state, flow_id)
    move = manager.update_frame(
        merge_delta(state, dropped),
        flow_id,
        current_step=undone[0]["step"],
        trail=frame["trail"][:first],
        asked=None,
        answer=None,
        returned=None,
        attempts=0,
    )
    return merge_deltas([dropped, *restored, written, move, told])


def _is_done_for_good(step: str, frame: FlowContext, context: RuntimeContext) -> bool:
    placed = context.config.flows[frame["flow_name"]].plan.get(step)
    action = placed.step if placed else None
    return isinstance(action, ActionStepConfig) and context.actions.effect(action.call) == "once"


def _answered(state: DialogueState, context: RuntimeContext, *, answer: bool) -> FlowDelta:
    task = state["_pending_task"]
    frame = _asking_frame(state)
    if task is None or not is_confirm(task) or frame is None:
        return _note("no confirmation is open")
    return context.flow_manager.update_frame(state, frame["flow_id"], answer=answer)
