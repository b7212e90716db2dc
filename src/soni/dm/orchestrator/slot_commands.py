"""Commands about values: give, correct, forget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soni.core.commands import ClearSlot, CorrectSlot, SetSlot
from soni.dm.orchestrator.handler import CommandHandler
from soni.dm.orchestrator.slot_writing import clear_slot, correct_slot, set_slot
from soni.flow.delta import FlowDelta, merge_delta, merge_deltas

if TYPE_CHECKING:
    from soni.core.state import DialogueState, FlowContext
    from soni.runtime.context import RuntimeContext


class SetSlotHandler(CommandHandler[SetSlot]):
    """Fill a slot; a value that was already given is corrected."""

    command = SetSlot

    async def handle(self, command: SetSlot, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        owner = _owner(command.slot, state, context)
        return _moved_on(await set_slot(command.slot, command.value, state, context, owner), owner, state, context)


class CorrectSlotHandler(CommandHandler[CorrectSlot]):
    """Replace a value, and go over what had read the old one."""

    command = CorrectSlot

    async def handle(self, command: CorrectSlot, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        owner = _owner(command.slot, state, context)
        return _moved_on(await correct_slot(command.slot, command.value, state, context, owner), owner, state, context)


class ClearSlotHandler(CommandHandler[ClearSlot]):
    """Forget a value; one that is needed is asked for again."""

    command = ClearSlot

    async def handle(self, command: ClearSlot, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        return await clear_slot(command.slot, state, context, _owner(command.slot, state, context))


def _owner(slot: str, state: DialogueState, context: RuntimeContext) -> FlowContext | None:
    flow_id = context.flow_manager.owner_of(state, slot)
    return context.flow_manager.get_frame(state, flow_id) if flow_id else None


def _moved_on(delta: FlowDelta, owner: FlowContext | None, state: DialogueState, context: RuntimeContext) -> FlowDelta:
    """Who gives a value to a flow has left what the assistant asked on top of it."""
    manager = context.flow_manager
    if owner is None or owner["event"] is not None or not delta.flow_slots:
        return delta
    after = merge_delta(state, delta)
    asks = manager.get_frame(after, owner["flow_id"]) and manager.called_by(after, owner["flow_id"])
    if asks and asks[0]["event"] is not None:
        return merge_deltas([delta, manager.drop_called(after, owner["flow_id"])])
    return merge_deltas([delta, manager.drop_event(after)])
