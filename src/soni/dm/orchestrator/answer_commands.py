"""Commands about the open question: yes, no, go on, leave it out, say it again, wait, tell me more about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soni.config.models import CollectStepConfig
from soni.core.commands import Acknowledge, AffirmConfirmation, DenyConfirmation, Explain, Repeat, Skip, Wait
from soni.core.pending_task import inform, is_confirm, is_inform
from soni.dm.orchestrator.explaining import explanations, why_needed
from soni.dm.orchestrator.handler import CommandHandler, asking_frame, ignored, told
from soni.flow.delta import FlowDelta, merge_deltas
from soni.flow.derivation.words import Word, answered, said

if TYPE_CHECKING:
    from soni.core.state import DialogueState, FlowContext
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
        return _answer(state, context, frame, value=True)


class SkipHandler(CommandHandler[Skip]):
    """Leave an optional question unanswered; say why another one is needed."""

    command = Skip

    async def handle(self, command: Skip, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        task = state["_pending_task"]
        frame = asking_frame(state)
        if task is None or frame is None or frame["asked"] is None:
            return ignored("no question is open")
        manager = context.flow_manager
        step = context.config.runnable[frame["flow_name"]].plan[frame["asked"]["step"]].step
        if is_inform(task):
            return _answer(state, context, frame, value=True)
        if step.asks is not None and step.may_be_left_out:
            root = manager.root_of(state, frame["flow_id"])
            left_out = said(manager.world, state, Word(step.asks, None, leave_out=True), root, frame["flow_id"])
            answered = manager.update_frame(state, frame["flow_id"], answered=True)
            return merge_deltas([answered, FlowDelta(words=tuple(left_out))])
        if frame["event"] is not None:
            # What the assistant asks on top of the flows can always be left.
            return _answer(state, context, frame, value=False) if is_confirm(task) else manager.drop_event(state)
        why = f"'{step.step}' cannot be left out"
        if isinstance(step, CollectStepConfig) and (reason := why_needed(step, frame, state, context)):
            return FlowDelta(tasks=(inform(reason),), trace=({"event": "needed", "why": why},))
        return told(context, state, "needed", why=why)


class RepeatHandler(CommandHandler[Repeat]):
    """Say the open question again; where none is open, what was said last."""

    command = Repeat

    async def handle(self, command: Repeat, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        # A flow that waits asks again of itself.
        again = (inform(state["response"]),) if not state["flow_stack"] and state["response"] else ()
        return FlowDelta(tasks=again, trace=({"event": "repeat", "why": "the person asked for it"},))


class WaitHandler(CommandHandler[Wait]):
    """Be patient: the open question stays open, and is not asked again."""

    command = Wait

    async def handle(self, command: Wait, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        said = told(context, state, "wait", why="the person needs a moment")
        return merge_deltas([said, FlowDelta(patient=True)])


class ExplainHandler(CommandHandler[Explain]):
    """Tell what the author says about the open question; the flow that waits asks it again."""

    command = Explain

    async def handle(self, command: Explain, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        texts = explanations(command.topic, state, context)
        if not texts:
            return told(context, state, "no_details", why="nothing is written about it")
        trace = {"event": "explain", "why": command.topic or "the person asked about the question"}
        return FlowDelta(tasks=tuple(inform(text) for text in texts), trace=(trace,))


def _answered(state: DialogueState, context: RuntimeContext, *, answer: bool) -> FlowDelta:
    task = state["_pending_task"]
    frame = asking_frame(state)
    if task is None or not is_confirm(task) or frame is None:
        return ignored("no confirmation is open")
    return _answer(state, context, frame, value=answer)


def _answer(state: DialogueState, context: RuntimeContext, frame: FlowContext, *, value: bool) -> FlowDelta:
    manager, asked = context.flow_manager, frame["asked"]
    if asked is None:
        return ignored("no question is open")
    root = manager.root_of(state, frame["flow_id"])
    answered_now = manager.update_frame(state, frame["flow_id"], answered=True)
    return merge_deltas([answered_now, FlowDelta(words=(answered(state, root, frame, asked, value),))])
