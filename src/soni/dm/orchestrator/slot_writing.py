"""What a person's values mean to the running flows: an answer, something new, or a change of what was said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from soni.config.models import CollectStepConfig
from soni.core.commands import CorrectSlot, SetSlot, StartFlow
from soni.core.pending_task import inform, is_collect
from soni.dm.orchestrator.changing import refused
from soni.dm.orchestrator.handler import asking_frame, ignored
from soni.errors import InvalidValue
from soni.flow.delta import FlowDelta, merge_deltas
from soni.flow.derivation.walk import Walk
from soni.flow.derivation.words import Word, find, said
from soni.flow.memory import Refused

if TYPE_CHECKING:
    from collections.abc import Iterable

    from soni.core.state import DialogueState, FlowContext
    from soni.runtime.context import RuntimeContext


async def set_slot(slot: str, value: Any, state: DialogueState, context: RuntimeContext, root: str) -> FlowDelta:
    """A value for a flow that was just started."""
    if why := _out_of_reach(slot, context):
        return ignored(why)
    frame = find(context.flow_manager.world, state, slot, [root])
    if frame is None:
        return ignored(f"no running flow has the slot '{slot}'")
    return await _said(slot, value, state, context, frame)


async def say_slot(slot: str, value: Any, state: DialogueState, context: RuntimeContext) -> FlowDelta:
    """A value for whatever runs."""
    why = _out_of_reach(slot, context)
    frame = None if why else _owner(slot, state, context)
    if frame is None:
        answer = await _as_answer(slot, value, state, context)
        return answer or ignored(why or f"no running flow has the slot '{slot}'")
    return await _said(slot, value, state, context, frame)


async def take_back_slot(
    slot: str, state: DialogueState, context: RuntimeContext, *, leave_out: bool = False
) -> FlowDelta:
    """Forget a value; it is asked for again, or left out if it may be and that is what is meant."""
    why = _out_of_reach(slot, context)
    frame = None if why else _owner(slot, state, context)
    if frame is None:
        return ignored(why or f"no running flow has the slot '{slot}'")
    word = Word(slot, None, leave_out=leave_out and _is_optional(slot, frame, context))
    return _worded(word, state, context, frame)


def _out_of_reach(slot: str, context: RuntimeContext) -> str | None:
    """Why words may not fill this slot: a confirmation's answer and the system's values are out of reach."""
    declared = context.config.slots.get(slot)
    if declared is None:
        return f"there is no slot '{slot}'"
    if slot in context.config.confirm_slots:
        return f"'{slot}' is written by its confirmation only"
    return f"'{slot}' is not filled from what people say" if declared.source == "system" else None


def _owner(slot: str, state: DialogueState, context: RuntimeContext) -> FlowContext | None:
    """The flow a value belongs to: the one people are in or have just started, or one it calls, else a paused one."""
    manager = context.flow_manager
    roots = manager.roots(state)
    current = [root for n, root in enumerate(roots) if n == 0 or manager.is_next(state, root)]
    for group in (current, [root for root in roots if root not in current]):
        frame = find(manager.world, state, slot, group)
        if frame is not None:
            return frame
    # What the conversation knows can be corrected from anywhere.
    known = slot in manager.world.conversation and manager.get_slot(state, slot) is not None
    return manager.get_active_context(state) if known else None


async def _said(slot: str, value: Any, state: DialogueState, context: RuntimeContext, frame: FlowContext) -> FlowDelta:
    stored, otherwise, invalid = await _accepted(slot, value, state, context, frame)
    if invalid is not None:
        return invalid
    delta = _worded(Word(slot, stored, otherwise=otherwise), state, context, frame)
    for change in delta.words:
        # What was said under another name has to be good under that name, too.
        if change.fact is not None and change.fact["slot"] != slot:
            _, _, invalid = await _accepted(change.fact["slot"], value, state, context, frame)
    return invalid or delta


def _worded(word: Word, state: DialogueState, context: RuntimeContext, frame: FlowContext) -> FlowDelta:
    manager, slot = context.flow_manager, word.slot
    root = manager.root_of(state, frame["flow_id"])
    asking = asking_frame(state) if _is_asked(slot, state) else None
    asks = asking["flow_id"] if asking is not None and manager.root_of(state, asking["flow_id"]) == root else None
    try:
        words = said(manager.world, state, word, root, asks)
    except Refused as refusal:
        return refused(refusal, state, context, root)
    if not words:
        return ignored(f"'{slot}' has no value" if word.value is None else f"'{slot}' has that value already")
    waits = root != manager.roots(state)[0] and any(change.replaces for change in words)
    if waits and Walk(manager.world, state, root).has_used(slot):
        return refused(Refused("something was done with it in a flow that waits"), state, context, root)
    answered = manager.update_frame(state, asks, answered=True) if asks else FlowDelta()
    return merge_deltas([answered, FlowDelta(words=tuple(words))])


def _is_asked(slot: str, state: DialogueState) -> bool:
    task = state["_pending_task"]
    return task is not None and is_collect(task) and task["slot"] == slot


def _is_optional(slot: str, frame: FlowContext, context: RuntimeContext) -> bool:
    # The question may stand in a flow that was called.
    flows = [frame["flow_name"], *context.config.runnable]
    questions = next((found for flow in flows if (found := _questions(slot, flow, context))), [])
    return bool(questions) and all(step.optional for step in questions)


async def _as_answer(slot: str, value: Any, state: DialogueState, context: RuntimeContext) -> FlowDelta | None:
    """A value that no slot is there for answers the open question, if it is of its type and nothing else is."""
    task, frame = state["_pending_task"], asking_frame(state)
    if task is None or frame is None or not is_collect(task) or task["slot"] not in context.config.own_slots:
        return None
    started = [command["flow"] for command in state["commands"] if command["type"] == StartFlow.name]
    if any(slot in context.flow_manager.slot_names(flow) for flow in started if flow in context.config.flows):
        return None  # it was meant for a flow that could not be started
    given = [name for name, _ in _given(state)]
    homeless = [name for name in given if _has_no_home(name, state, context)]
    asked = context.config.slots[task["slot"]]
    # Free text fits everything: words for a slot of another flow may be no answer at all.
    vague = asked.type in ("text", "list") and slot in context.config.slots
    if slot not in homeless or len(homeless) > 1 or task["slot"] in given or vague:
        return None
    try:
        asked.value_type.coerce(value, context.reading(state))
    except ValueError:
        return None
    return await _said(task["slot"], value, state, context, frame)


def _given(state: DialogueState) -> Iterable[tuple[str, Any]]:
    """The slots that this message gives values for, in spoken order."""
    given = (SetSlot.name, CorrectSlot.name)
    return [(c["slot"], c["value"]) for c in state["commands"] if c["type"] in given and c.get("value") is not None]


def _has_no_home(slot: str, state: DialogueState, context: RuntimeContext) -> bool:
    if slot not in context.config.slots:
        return True
    return _out_of_reach(slot, context) is None and _owner(slot, state, context) is None


def _questions(slot: str, flow: str, context: RuntimeContext) -> list[CollectStepConfig]:
    """The steps of a flow that ask for this slot."""
    steps = [placed.step for placed in context.config.runnable[flow].placed]
    return [step for step in steps if isinstance(step, CollectStepConfig) and step.slot == slot]


async def _accepted(
    slot: str, value: Any, state: DialogueState, context: RuntimeContext, frame: FlowContext
) -> tuple[Any, Any, FlowDelta | None]:
    """The value as it is stored, with what else the words may mean; or what to say because it cannot be."""
    questions = _questions(slot, frame["flow_name"], context)
    questions.sort(key=lambda step: step.step != frame["current_step"])
    other = _otherwise(slot, value, state, context)
    try:
        stored = await context.accept(state, {slot: value})
    except InvalidValue as error:
        if other is not None:
            return await _accepted(slot, other, state, context, frame)
        return None, None, _invalid(slot, error, questions, state, context, frame)
    if other is None:
        return stored[slot], None, None
    try:
        otherwise = await context.accept(state, {slot: other})
    except InvalidValue:
        return stored[slot], None, None
    return stored[slot], otherwise[slot], None


def _otherwise(slot: str, value: Any, state: DialogueState, context: RuntimeContext) -> Any:
    """What else a person's words may mean; None if nothing."""
    kind = context.config.slots[slot].value_type
    return kind.otherwise(value, context.reading(state)) if isinstance(value, str) else None


def _invalid(
    slot: str,
    error: InvalidValue,
    questions: list[CollectStepConfig],
    state: DialogueState,
    context: RuntimeContext,
    frame: FlowContext,
) -> FlowDelta:
    """Say why a value cannot be taken; an answer that came with it was meant for something else."""
    manager = context.flow_manager
    root = manager.root_of(state, frame["flow_id"])
    attempts = state["chains"][root]["attempts"].get(slot, 0)
    text = next((step.error for step in questions if step.error), None) or context.config.slots[slot].error
    key = f"{frame['flow_id']}/{slot}/{attempts}"
    slots = context.loaded(manager.get_slots(state, frame["flow_id"]))
    said = context.refusal(error, text, state, key=key, slots=slots)
    why = f"'{slot}' was refused" if context.config.slots[slot].sensitive else str(error)
    counted = manager.count_attempt(state, root, slot) if _is_asked(slot, state) else FlowDelta()
    trace = {"event": "invalid", "slot": slot, "why": why}
    return merge_deltas(
        [counted, FlowDelta(tasks=(inform(said),), trace=(trace,), offers={slot: error.options}, unsettled=True)]
    )
