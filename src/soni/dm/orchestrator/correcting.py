"""Correcting: where a flow goes back to when a value changes that its steps have read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from soni.config.models import ActionStepConfig, CallStepConfig
from soni.core.state import MOST_PASSED, digest
from soni.dm.orchestrator.handler import happened, told
from soni.flow.delta import FlowDelta, merge_delta, merge_deltas
from soni.flow.trail import brought, since_given
from soni.steps import END

if TYPE_CHECKING:
    from soni.core.state import DialogueState, FlowContext, Passed
    from soni.runtime.context import RuntimeContext

Origin = tuple["FlowContext", str]
"""A running flow, and the name a value has there."""


def was_left_out(slot: str, frame: FlowContext, context: RuntimeContext) -> bool:
    """Whether this slot was asked for and a person chose to leave it empty."""
    return _first_question(slot, frame, context) is not None


def corrected(
    slot: str,
    stored: Any,
    state: DialogueState,
    context: RuntimeContext,
    frame: FlowContext,
    *,
    leave_out: bool = False,
    spoken: bool = True,
) -> FlowDelta:
    """Replace a value, and go back to the first step that had read another one."""
    before = context.flow_manager.get_slot(state, slot, frame["flow_id"])
    origins = _origins(slot, before, state, context, frame)
    # What is taken back is asked for again, which says enough; so does a flow that has not begun.
    is_news = before is not None and (stored is not None or leave_out) and bool(frame["visits"])
    said = told(context, state, "changed", why=f"'{slot}' was corrected") if is_news else FlowDelta()
    # What was passed learns of the new value before the flow goes back over it.
    written = _written(origins, stored, state, context, leave_out=leave_out, spoken=spoken)
    # A value that came from the caller is corrected where it came from, so that the caller's checks run again.
    for origin, name in reversed(origins):
        place = _place(name, stored, origin, context)
        if place is None and not _is_calling_with(name, stored, origin, state, context):
            if len(origin["trail"]) < MOST_PASSED or name in context.config.conversation_slots:
                continue
            return _already_done(origin, 0, state, context)  # so long ago that nobody knows what read it
        back = context.flow_manager.go_back(merge_delta(state, written), origin["flow_id"], place, name)
        if back is None:
            return _already_done(origin, place, state, context)
        where = FlowDelta(trace=({"event": "goes back", "flow": origin["flow_name"], "why": f"'{name}' has changed"},))
        gone_back = merge_deltas([written, back])
        return merge_deltas([_others(slot, stored, state, context, gone_back, origin), said, where])
    return merge_deltas([_others(slot, stored, state, context, written, None), said])


def _written(
    origins: list[Origin],
    stored: Any,
    state: DialogueState,
    context: RuntimeContext,
    *,
    leave_out: bool,
    spoken: bool,
) -> FlowDelta:
    """The value in every flow it belongs to."""
    written = FlowDelta()
    for frame, name in origins:
        after = merge_delta(state, written)
        anew = context.flow_manager.write(after, name, stored, frame["flow_id"], leave_out=leave_out, spoken=spoken)
        written = merge_deltas([written, anew])
    return written


def _others(
    slot: str,
    stored: Any,
    state: DialogueState,
    context: RuntimeContext,
    written: FlowDelta,
    done: FlowContext | None,
) -> FlowDelta:
    """A value of the conversation has been read by other flows, too, which go back as far as they can."""
    if slot not in context.config.conversation_slots:
        return written
    for frame in state["flow_stack"]:
        place = _place(slot, stored, frame, context)
        if place is None or frame["flow_id"] in written.forgotten or (done and frame["flow_id"] == done["flow_id"]):
            continue
        after = merge_delta(state, written)
        back = context.flow_manager.go_back(after, frame["flow_id"], place, slot)
        written = merge_deltas([written, back]) if back else written
    return written


def _place(slot: str, stored: Any, frame: FlowContext, context: RuntimeContext) -> int | None:
    """The first step that read another value, the call that brought it, or the question that was left unanswered."""
    if context.flow_manager.is_ahead(frame, slot):
        return None  # the flow has gone back already, and will come to it
    trail, mark = frame["trail"], digest(stored)
    since = since_given(trail, slot, context.flow_manager.questions(frame["flow_name"]))
    first = next((n for n in range(since, len(trail)) if _touches(trail[n], slot, mark)), None)
    if stored is None:
        asked = _first_question(slot, frame, context)
        return min((place for place in (first, asked) if place is not None), default=None)
    return first


def _touches(passed: Passed, slot: str, mark: str) -> bool:
    return brought(passed, slot) or passed["reads"].get(slot, mark) != mark


def _first_question(slot: str, frame: FlowContext, context: RuntimeContext) -> int | None:
    """The first time that the present value was asked for."""
    questions = context.flow_manager.questions(frame["flow_name"])
    asks = {step for step, question in questions.items() if question.slot == slot}
    since = since_given(frame["trail"], slot, questions)
    return next((n for n in range(since, len(frame["trail"])) if frame["trail"][n]["step"] in asks), None)


def _is_calling_with(slot: str, stored: Any, frame: FlowContext, state: DialogueState, context: RuntimeContext) -> bool:
    """Whether a flow stands at a call that it has given another value to."""
    asked = frame["asked"]
    if asked is None or not context.flow_manager.called_by(state, frame["flow_id"]):
        return False
    return asked["shown"].get(slot, digest(stored)) != digest(stored)


def _origins(slot: str, value: Any, state: DialogueState, context: RuntimeContext, frame: FlowContext) -> list[Origin]:
    """The flow, and the callers its value was passed down from, nearest first, with the name the slot has there."""
    manager = context.flow_manager
    origins: list[Origin] = [(frame, slot)]
    caller = manager.caller_of(state, frame["flow_id"])
    while caller is not None:
        placed = context.config.runnable[caller["flow_name"]].plan.get(caller["current_step"] or "")
        inputs = placed.step.inputs if placed and isinstance(placed.step, CallStepConfig) else {}
        slot = inputs.get(slot, slot)
        has_it = slot in manager.slot_names(caller["flow_name"])
        if value is None or not has_it or manager.get_slot(state, slot, caller["flow_id"]) != value:
            break
        origins.append((caller, slot))
        caller = manager.caller_of(state, caller["flow_id"])
    return origins


def _already_done(frame: FlowContext, place: int | None, state: DialogueState, context: RuntimeContext) -> FlowDelta:
    """What was done stays as it is; the flow that did it may know what to do about it, or else a person does."""
    label = context.flow_label(frame["flow_name"], state)
    said = told(context, state, "already_done", why="something was done with the old value", _flow=label)
    stretches = [(frame, frame["trail"][place:] if place is not None else [])]
    stretches += [(called, called["trail"]) for called in context.flow_manager.called_by(state, frame["flow_id"])]
    for doer, stretch in reversed(stretches):
        target = _on_correct(doer, stretch, context)
        if target == END:
            return merge_deltas([said, context.flow_manager.end_chain(state, doer["flow_id"])])
        if target is not None:
            return merge_deltas([said, context.flow_manager.go_to(state, doer["flow_id"], target)])
    if context.event_flow("offer_person", state) is None:
        return said
    why = "what was done cannot be changed here"
    return merge_deltas([said, happened("offer_person", context, state, text="offer_person", why=why, reason=why)])


def _on_correct(frame: FlowContext, stretch: list[Passed], context: RuntimeContext) -> str | None:
    plan = context.config.runnable[frame["flow_name"]].plan
    done = [plan[passed["step"]].step for passed in stretch if passed["acted"]]
    ways = [step.on_correct for step in done if isinstance(step, ActionStepConfig) and step.on_correct]
    return ways[-1] if ways else None
