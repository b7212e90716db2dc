"""What a person's values do to the running flows: fill a slot, answer what is open, or correct what was said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from soni.config.models import CollectStepConfig
from soni.core.commands import CorrectSlot, SetSlot, StartFlow
from soni.core.pending_task import inform, is_collect, is_confirm
from soni.dm.orchestrator.correcting import corrected, was_left_out
from soni.dm.orchestrator.handler import asking_frame, ignored, standing_frame
from soni.errors import InvalidValue
from soni.flow.delta import FlowDelta, merge_delta, merge_deltas

if TYPE_CHECKING:
    from collections.abc import Iterable

    from soni.core.state import DialogueState, FlowContext
    from soni.runtime.context import RuntimeContext


def why_not(slot: str, frame: FlowContext | None, context: RuntimeContext) -> str | None:
    """Why words may not fill this slot: a confirmation's answer and the system's values are out of reach."""
    declared = context.config.slots.get(slot)
    if declared is None:
        return f"there is no slot '{slot}'"
    if slot in context.config.confirm_slots:
        return f"'{slot}' is written by its confirmation only"
    if declared.source == "system":
        return f"'{slot}' is not filled from what people say"
    if frame is None or slot not in context.flow_manager.slot_names(frame["flow_name"]):
        return f"no running flow has the slot '{slot}'"
    return None


async def set_slot(
    slot: str, value: Any, state: DialogueState, context: RuntimeContext, frame: FlowContext | None
) -> FlowDelta:
    """Fill a slot of this frame; a value given earlier is corrected, unless it was just asked for."""
    reason = why_not(slot, frame, context)
    if reason is not None or frame is None:
        answer = await _as_answer(slot, value, state, context) or await _for_a_call(slot, value, state, context)
        return answer or ignored(reason or "no flow is running")
    if _is_open_ahead(slot, state, frame):
        return await _filled(slot, value, state, context, frame, ahead=True)
    stored = context.flow_manager.get_slot(state, slot, frame["flow_id"])
    is_new = stored is None and not was_left_out(slot, frame, context)
    if is_new or _is_open_question(slot, state, frame):
        return await _filled(slot, value, state, context, frame)
    return await _changed(slot, value, state, context, frame)


async def correct_slot(
    slot: str, value: Any, state: DialogueState, context: RuntimeContext, frame: FlowContext | None
) -> FlowDelta:
    """Replace a value, or take it back when there is no new one."""
    reason = why_not(slot, frame, context)
    if reason is not None or frame is None:
        return await _for_a_call(slot, value, state, context) or ignored(reason or "no flow is running")
    if value is not None and _is_open_ahead(slot, state, frame):
        return await _filled(slot, value, state, context, frame, ahead=True)
    if value is not None and _is_open_question(slot, state, frame):
        return await _filled(slot, value, state, context, frame)
    return await _changed(slot, value, state, context, frame)


async def clear_slot(slot: str, state: DialogueState, context: RuntimeContext, frame: FlowContext | None) -> FlowDelta:
    """Forget a value; it is asked for again unless it may be left out."""
    reason = why_not(slot, frame, context)
    if reason is not None or frame is None:
        return await _for_a_call(slot, None, state, context) or ignored(reason or "no flow is running")
    # The question may stand in a flow that was called.
    flows = [frame["flow_name"], *context.config.runnable]
    questions = next((found for flow in flows if (found := _questions(slot, flow, context))), [])
    optional = bool(questions) and all(step.optional for step in questions)
    return await _changed(slot, None, state, context, frame, leave_out=optional)


async def _as_answer(slot: str, value: Any, state: DialogueState, context: RuntimeContext) -> FlowDelta | None:
    """A value that no slot is there for answers the open question, if it is of its type and nothing else is."""
    task, frame = state["_pending_task"], asking_frame(state)
    if task is None or frame is None or not is_collect(task) or task["slot"] not in context.config.own_slots:
        return None
    started = [command["flow"] for command in state["commands"] if command["type"] == StartFlow.name]
    if any(slot in context.flow_manager.slot_names(flow) for flow in started if flow in context.config.flows):
        return None  # it was meant for a flow that could not be started
    said = {name for name, _ in _said(state)}
    homeless = [name for name, _ in _said(state) if _has_no_home(name, state, context)]
    asked = context.config.slots[task["slot"]]
    # Free text fits everything: words for a slot of another flow may be no answer at all.
    vague = asked.type in ("text", "list") and slot in context.config.slots
    if slot not in homeless or len(homeless) > 1 or task["slot"] in said or vague:
        return None
    try:
        asked.value_type.coerce(value, context.reading(state))
    except ValueError:
        return None
    return await _filled(task["slot"], value, state, context, frame)


async def _for_a_call(slot: str, value: Any, state: DialogueState, context: RuntimeContext) -> FlowDelta | None:
    """A value for a flow that a correction in this very message has closed, and that is going to be called again."""
    flow_id = context.flow_manager.called_before(state, slot)
    frame = context.flow_manager.get_frame(state, flow_id) if flow_id else None
    if frame is None or flow_id is None or not _is_for_words(slot, context):
        return None
    stored, refused = (None, None) if value is None else await _accepted(slot, value, state, context, frame)
    return refused or context.flow_manager.write_ahead(state, slot, stored, flow_id)


def _said(state: DialogueState) -> Iterable[tuple[str, Any]]:
    """The slots that this message gives values for, in spoken order."""
    given = (SetSlot.name, CorrectSlot.name)
    return [(c["slot"], c["value"]) for c in state["commands"] if c["type"] in given and c.get("value") is not None]


def _has_no_home(slot: str, state: DialogueState, context: RuntimeContext) -> bool:
    known = slot in context.config.slots
    return (not known or _is_for_words(slot, context)) and context.flow_manager.owner_of(state, slot) is None


def _is_for_words(slot: str, context: RuntimeContext) -> bool:
    declared = context.config.slots.get(slot)
    return declared is not None and declared.source == "user" and slot not in context.config.confirm_slots


def _is_open_question(slot: str, state: DialogueState, frame: FlowContext) -> bool:
    task = state["_pending_task"]
    asking = asking_frame(state)
    is_this = task is not None and is_collect(task) and task["slot"] == slot
    return is_this and asking is not None and asking["flow_id"] == frame["flow_id"]


def _is_open_ahead(slot: str, state: DialogueState, frame: FlowContext) -> bool:
    """Whether the open question asks for this slot, and a correction in this very message made its flow go back."""
    task, standing = state["_pending_task"], standing_frame(state)
    is_this = task is not None and is_collect(task) and task["slot"] == slot
    return is_this and standing is not None and standing["flow_id"] == frame["flow_id"] and frame["asked"] is None


def _questions(slot: str, flow: str, context: RuntimeContext) -> list[CollectStepConfig]:
    """The steps of a flow that ask for this slot."""
    steps = [placed.step for placed in context.config.runnable[flow].placed]
    return [step for step in steps if isinstance(step, CollectStepConfig) and step.slot == slot]


async def _accepted(
    slot: str, value: Any, state: DialogueState, context: RuntimeContext, frame: FlowContext
) -> tuple[Any, FlowDelta | None]:
    """The value as it is stored, or what to say because it cannot be."""
    questions = _questions(slot, frame["flow_name"], context)
    questions.sort(key=lambda step: step.step != frame["current_step"])
    rules = tuple(step.validate_ for step in questions if step.validate_ is not None)
    names = context.flow_manager.slot_names(frame["flow_name"])
    others = {name: other for name, other in _said(state) if name in names and why_not(name, frame, context) is None}
    try:
        # Values of one message may be right only together.
        stored = await context.accept(state, {**others, slot: value}, flow_id=frame["flow_id"])
        await context.accept(state, {slot: value}, flow_id=frame["flow_id"], rules=rules, beside=others)
        return stored[slot], None
    except InvalidValue:
        pass
    try:
        stored = await context.accept(state, {slot: value}, flow_id=frame["flow_id"], rules=rules)
    except InvalidValue as error:
        other = _otherwise(slot, value, state, context)
        if other is not None:
            stored, refused = await _accepted(slot, other, state, context, frame)
            if refused is None:
                return stored, None
        text = next((step.error for step in questions if step.error), None) or context.config.slots[slot].error
        key = f"{frame['flow_id']}/{slot}/{frame['attempts']}"
        slots = context.loaded(context.flow_manager.get_slots(state, frame["flow_id"]))
        said = context.render(text, state, key=key, slots=slots) if text else context.phrase("invalid", state, key=key)
        why = f"'{slot}' was refused" if context.config.slots[slot].sensitive else str(error)
        trace = {"event": "invalid", "slot": slot, "why": why}
        return None, merge_deltas([FlowDelta(tasks=(inform(said),), trace=(trace,)), _void(state, context)])
    return stored[slot], None


def _otherwise(slot: str, value: Any, state: DialogueState, context: RuntimeContext) -> Any:
    """What else a person's words may mean; None if nothing."""
    kind = context.config.slots[slot].value_type
    return kind.otherwise(value, context.reading(state)) if isinstance(value, str) else None


def _void(state: DialogueState, context: RuntimeContext) -> FlowDelta:
    """An answer that came with a change which cannot be made was meant for something else: it is asked again."""
    task, frame = state["_pending_task"], asking_frame(state)
    if task is None or frame is None or frame["asked"] is None or not is_confirm(task):
        return FlowDelta()
    return context.flow_manager.update_frame(state, frame["flow_id"], asked={**frame["asked"], "mark": ""})


async def _filled(
    slot: str, value: Any, state: DialogueState, context: RuntimeContext, frame: FlowContext, *, ahead: bool = False
) -> FlowDelta:
    manager = context.flow_manager
    asked = _is_open_question(slot, state, frame)
    stored, refused = await _accepted(slot, value, state, context, frame)
    if refused is not None:
        after = merge_delta(state, refused)
        return merge_deltas(
            [refused, manager.update_frame(after, frame["flow_id"], attempts=frame["attempts"] + asked)]
        )
    # A question with `ask_always` takes this as its answer; others look at the slot alone.
    answered = manager.update_frame(state, frame["flow_id"], answer=True) if asked else FlowDelta()
    after = merge_delta(state, answered)
    return merge_deltas([answered, manager.write(after, slot, stored, frame["flow_id"], answers=asked or ahead)])


async def _changed(
    slot: str,
    value: Any,
    state: DialogueState,
    context: RuntimeContext,
    frame: FlowContext,
    *,
    leave_out: bool = False,
) -> FlowDelta:
    stored = None
    if value is not None:
        stored, refused = await _accepted(slot, value, state, context, frame)
        if refused is not None:
            return refused
    manager = context.flow_manager
    if stored == manager.get_slot(state, slot, frame["flow_id"]) and not manager.is_ahead(frame, slot):
        return ignored(f"'{slot}' has that value already")
    delta = corrected(slot, stored, state, context, frame, leave_out=leave_out)
    said = {name for name, _ in _said(state)}
    for name, other in context.config.slots.items():
        after = merge_delta(state, delta)
        owner = manager.get_frame(after, frame["flow_id"])
        void = slot in other.depends_on and name not in said and owner is not None
        if void and owner is not None and _is_known(name, after, context, owner):
            delta = merge_deltas([delta, corrected(name, None, after, context, owner, spoken=False)])
    return delta


def _is_known(slot: str, state: DialogueState, context: RuntimeContext, frame: FlowContext) -> bool:
    manager = context.flow_manager
    return manager.get_slot(state, slot, frame["flow_id"]) is not None or manager.is_ahead(frame, slot)
