"""Commands about values: give, correct, forget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soni.core.commands import ClearSlot, CorrectSlot, SetSlot
from soni.dm.orchestrator.handler import CommandHandler
from soni.dm.orchestrator.slot_writing import say_slot, take_back_slot
from soni.flow.delta import FlowDelta, merge_delta, merge_deltas

if TYPE_CHECKING:
    from soni.core.state import DialogueState
    from soni.runtime.context import RuntimeContext


class SetSlotHandler(CommandHandler[SetSlot]):
    """Fill a slot; a value that was already given is corrected."""

    command = SetSlot

    async def handle(self, command: SetSlot, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        return _moved_on(await say_slot(command.slot, command.value, state, context), state, context)


class CorrectSlotHandler(CommandHandler[CorrectSlot]):
    """Replace a value, or take it back when there is no new one."""

    command = CorrectSlot

    async def handle(self, command: CorrectSlot, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        if command.value is None:
            taken_back = await take_back_slot(command.slot, state, context)
            return _moved_on(taken_back, state, context)
        return _moved_on(await say_slot(command.slot, command.value, state, context), state, context)


class ClearSlotHandler(CommandHandler[ClearSlot]):
    """Forget a value; it is asked for again unless it may be left out."""

    command = ClearSlot

    async def handle(self, command: ClearSlot, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        return await take_back_slot(command.slot, state, context, leave_out=True)


def _moved_on(delta: FlowDelta, state: DialogueState, context: RuntimeContext) -> FlowDelta:
    """Who gives a value to a flow has left what the assistant asked on top of it."""
    manager = context.flow_manager
    changed = {word.chain for word in delta.words} & {frame["flow_id"] for frame in state["flow_stack"]}
    after = merge_delta(state, delta)
    for root in changed:
        chain = manager.chain_of(after, root)
        path = max((word.path for word in delta.words if word.chain == root), key=len)
        owner = next((frame for frame in reversed(chain) if frame["path"] == [*path][: len(frame["path"])]), chain[0])
        if owner["event"] is not None:
            continue
        asks = manager.called_by(after, owner["flow_id"])
        if asks and asks[0]["event"] is not None:
            return merge_deltas([delta, manager.drop_called(after, owner["flow_id"])])
        return merge_deltas([delta, manager.drop_event(after)])
    return delta
