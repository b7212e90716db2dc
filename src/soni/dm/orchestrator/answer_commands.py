"""Commands that answer what is open: yes, no, go on, leave it out, say it again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soni.config.models import CollectStepConfig
from soni.core.commands import Acknowledge, AffirmConfirmation, DenyConfirmation, Repeat, Skip
from soni.core.pending_task import inform, is_confirm, is_inform
from soni.dm.orchestrator.handler import CommandHandler, asking_frame, ignored, standing_frame, told
from soni.flow.delta import FlowDelta

if TYPE_CHECKING:
    from soni.core.state import DialogueState
    from soni.runtime.context import RuntimeContext


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


class SkipHandler(CommandHandler[Skip]):
    """Leave an optional question unanswered; say why another one is needed."""

    command = Skip

    async def handle(self, command: Skip, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        task = state["_pending_task"]
        frame = asking_frame(state) or standing_frame(state)
        if task is None or frame is None:
            return ignored("no question is open")
        manager = context.flow_manager
        standing = [passed["step"] for passed in frame["ahead"] if passed["front"]]
        name = frame["asked"]["step"] if frame["asked"] else standing[-1]
        step = context.config.runnable[frame["flow_name"]].plan[name].step
        if is_inform(task):
            return manager.update_frame(state, frame["flow_id"], answer=True)
        if isinstance(step, CollectStepConfig) and step.optional:
            if frame["asked"] is None:
                return manager.write(state, step.slot, None, frame["flow_id"], leave_out=True, answers=True)
            return manager.update_frame(state, frame["flow_id"], answer=False)
        if frame["event"] is not None:
            # What the assistant asks on top of the flows can always be left.
            denied = manager.update_frame(state, frame["flow_id"], answer=False)
            return denied if is_confirm(task) else manager.drop_event(state)
        why = f"'{step.step}' cannot be left out"
        if isinstance(step, CollectStepConfig) and step.why is not None:
            slots = context.loaded(context.flow_manager.get_slots(state, frame["flow_id"]))
            said = context.render(step.why, state, key=f"{state['turn']}/why", slots=slots)
            return FlowDelta(tasks=(inform(said),), trace=({"event": "needed", "why": why},))
        return told(context, state, "needed", why=why)


class RepeatHandler(CommandHandler[Repeat]):
    """Say the open question again; where none is open, what was said last."""

    command = Repeat

    async def handle(self, command: Repeat, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        # A flow that waits asks again of itself.
        again = (inform(state["response"]),) if not state["flow_stack"] and state["response"] else ()
        return FlowDelta(tasks=again, trace=({"event": "repeat", "why": "the person asked for it"},))


def _answered(state: DialogueState, context: RuntimeContext, *, answer: bool) -> FlowDelta:
    task = state["_pending_task"]
    frame = asking_frame(state)
    if task is None or not is_confirm(task) or frame is None:
        return ignored("no confirmation is open")
    # Who says yes and no in one breath has not said yes.
    return context.flow_manager.update_frame(state, frame["flow_id"], answer=answer and frame["answer"] is not False)
