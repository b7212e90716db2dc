"""What a person's values do to the running flows: fill a slot, or go back to where the old value was read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from soni.config.models import CallStepConfig, CollectStepConfig
from soni.core.pending_task import inform, is_collect
from soni.core.state import digest
from soni.errors import InvalidValue
from soni.flow.delta import FlowDelta, merge_deltas

if TYPE_CHECKING:
    from soni.core.state import DialogueState, FlowContext, Passed
    from soni.runtime.context import RuntimeContext


def ignored(why: str) -> FlowDelta:
    """Nothing happens, and the trace says why."""
    return FlowDelta(trace=({"event": "ignored", "why": why},))


def told(context: RuntimeContext, state: DialogueState, text: str, *, why: str) -> FlowDelta:
    """One of the assistant's general texts, and why it is said."""
    said = context.phrase(text, state, key=f"{state['turn']}/{text}")
    return FlowDelta(tasks=(inform(said),), trace=({"event": text, "why": why},))


def asking_frame(state: DialogueState) -> FlowContext | None:
    """The frame whose question was open when the message came, if it still stands at that question."""
    task = state["_pending_task"]
    for frame in state["flow_stack"]:
        asked = frame["asked"]
        if task and asked and task.get("id") == f"{frame['flow_id']}/{asked['step']}/{asked['visit']}":
            return frame
    return None


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
        return ignored(reason or "no flow is running")
    stored = context.flow_manager.get_slot(state, slot, frame["flow_id"])
    if stored is None or _is_open_question(slot, state, frame):
        return await _filled(slot, value, state, context, frame)
    return await _corrected(slot, value, state, context, frame)


async def correct_slot(
    slot: str, value: Any, state: DialogueState, context: RuntimeContext, frame: FlowContext | None
) -> FlowDelta:
    """Replace a value, or take it back when there is no new one."""
    reason = why_not(slot, frame, context)
    if reason is not None or frame is None:
        return ignored(reason or "no flow is running")
    if value is not None and _is_open_question(slot, state, frame):
        return await _filled(slot, value, state, context, frame)
    return await _corrected(slot, value, state, context, frame)


def _is_open_question(slot: str, state: DialogueState, frame: FlowContext) -> bool:
    task = state["_pending_task"]
    asking = asking_frame(state)
    is_this = task is not None and is_collect(task) and task["slot"] == slot
    return is_this and asking is not None and asking["flow_id"] == frame["flow_id"]


def _questions(slot: str, frame: FlowContext, context: RuntimeContext) -> list[CollectStepConfig]:
    """The steps of the flow that ask for this slot, the one it stands at first."""
    plan = context.config.flows[frame["flow_name"]].plan
    steps = [placed.step for placed in plan.values() if placed.step.asks == slot]
    collects = [step for step in steps if isinstance(step, CollectStepConfig)]
    return sorted(collects, key=lambda step: step.step != frame["current_step"])


async def _accepted(
    slot: str, value: Any, state: DialogueState, context: RuntimeContext, frame: FlowContext
) -> tuple[Any, FlowDelta | None]:
    """The value as it is stored, or what to say because it cannot be."""
    questions = _questions(slot, frame, context)
    rules = tuple(step.validate_ for step in questions if step.validate_ is not None)
    try:
        stored = await context.accept(state, {slot: value}, flow_id=frame["flow_id"], rules=rules)
    except InvalidValue as error:
        text = next((step.error for step in questions if step.error), None) or context.config.slots[slot].error
        key = f"{frame['flow_id']}/{slot}/{frame['attempts']}"
        slots = context.loaded(context.flow_manager.get_slots(state, frame["flow_id"]))
        said = context.render(text, state, key=key, slots=slots) if text else context.phrase("invalid", state, key=key)
        why = f"'{slot}' was refused" if context.config.slots[slot].sensitive else str(error)
        return None, FlowDelta(tasks=(inform(said),), trace=({"event": "invalid", "slot": slot, "why": why},))
    return stored[slot], None


async def _filled(
    slot: str, value: Any, state: DialogueState, context: RuntimeContext, frame: FlowContext
) -> FlowDelta:
    manager = context.flow_manager
    asked = _is_open_question(slot, state, frame)
    stored, refused = await _accepted(slot, value, state, context, frame)
    if refused is not None:
        attempts = frame["attempts"] + asked
        return merge_deltas([manager.update_frame(state, frame["flow_id"], attempts=attempts), refused])
    # A question with `ask_always` takes this as its answer; others look at the slot alone.
    answered = manager.update_frame(state, frame["flow_id"], answer=True) if asked else FlowDelta()
    return merge_deltas([manager.set_slot(state, slot, stored, frame["flow_id"]), answered])


async def _corrected(
    slot: str, value: Any, state: DialogueState, context: RuntimeContext, frame: FlowContext
) -> FlowDelta:
    manager = context.flow_manager
    stored = None
    if value is not None:
        stored, refused = await _accepted(slot, value, state, context, frame)
        if refused is not None:
            return refused
    before = manager.get_slot(state, slot, frame["flow_id"])
    if stored == before:
        return ignored(f"'{slot}' has that value already")
    written = manager.set_slot(state, slot, stored, frame["flow_id"])
    if before is None:
        return written
    # A value that came from the caller is corrected where it came from, so that the caller's checks run again.
    origins = _origins(slot, before, state, context, frame)
    writes = [written, *(manager.set_slot(state, name, stored, caller["flow_id"]) for caller, name in origins)]
    for origin, name in reversed([(frame, slot), *origins]):
        first = _first_reader(origin["trail"], name, digest(stored))
        if first is not None:
            return _gone_back(origin, first, state, context, writes)
        asked = origin["asked"]
        is_calling = manager.called_by(state, origin["flow_id"]) and asked is not None
        if is_calling and asked is not None and asked["shown"].get(name, digest(stored)) != digest(stored):
            return _gone_back(origin, None, state, context, writes)
    return merge_deltas([*writes, told(context, state, "changed", why=f"'{slot}' was corrected")])


def _origins(
    slot: str, value: Any, state: DialogueState, context: RuntimeContext, frame: FlowContext
) -> list[tuple[FlowContext, str]]:
    """The callers this value was passed down from, nearest first, with the name the slot has there."""
    manager = context.flow_manager
    origins: list[tuple[FlowContext, str]] = []
    caller = manager.caller_of(state, frame["flow_id"])
    while caller is not None:
        flow = context.config.flows[caller["flow_name"]]
        placed = flow.plan.get(caller["current_step"] or "")
        inputs = placed.step.inputs if placed and isinstance(placed.step, CallStepConfig) else {}
        slot = inputs.get(slot, slot)
        if (
            slot not in manager.slot_names(caller["flow_name"])
            or manager.get_slot(state, slot, caller["flow_id"]) != value
        ):
            break
        origins.append((caller, slot))
        caller = manager.caller_of(state, caller["flow_id"])
    return origins


def _first_reader(trail: list[Passed], slot: str, mark: str) -> int | None:
    """The first step that read another value, since the slot was last emptied by a new round of a loop."""
    since = max((n + 1 for n, passed in enumerate(trail) if slot in passed["forgot"]), default=0)
    return next((n for n in range(since, len(trail)) if trail[n]["reads"].get(slot, mark) != mark), None)


def _gone_back(
    frame: FlowContext, place: int | None, state: DialogueState, context: RuntimeContext, writes: list[FlowDelta]
) -> FlowDelta:
    back = context.flow_manager.go_back(state, frame["flow_id"], place)
    if back is None:
        return told(context, state, "already_done", why="something was done with the old value")
    kept = [write for write in writes if not set(write.flow_slots) & back.forgotten]
    return merge_deltas([back, *kept, told(context, state, "changed", why=f"goes back in '{frame['flow_name']}'")])
