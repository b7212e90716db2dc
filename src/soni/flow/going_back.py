"""What lies before a frame that goes back: the place it stands at, and what was said for questions still to come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from soni.flow.trail import CHANGED, LEFT_OUT, changed_in_call, passed_before, standing, told_anew

if TYPE_CHECKING:
    from collections.abc import Mapping

    from soni.core.state import DialogueState, FlowContext, Inner, Passed
    from soni.flow.trail import FlowShape, Question


def before_it(
    state: DialogueState, chain: list[FlowContext], flows: Mapping[str, FlowShape], *, loses_slots: bool = False
) -> list[Passed]:
    """What the first frame of a chain comes to again: the others are what it has called, and are dropped."""
    frame, *called = chain
    step = frame["current_step"]
    # A question or a call that is open again stands for how it was before; else there is nothing to add.
    again = passed_before(frame, step) if step and frame["asked"] else None
    others = [passed for passed in frame["ahead"] if passed is not again]
    has_front = any(passed["front"] for passed in others)
    if step is None or (has_front and frame["asked"] is None):
        return frame["ahead"]
    questions = flows[frame["flow_name"]].questions
    stored = state["flow_slots"].get(frame["flow_id"], {})
    inner: Inner | None = None
    if called:
        below = before_it(state, called, flows, loses_slots=True)
        inner = {"flow": called[0]["flow_name"], "trail": [*called[0]["trail"], *below]}
    here = standing(
        step,
        frame["rounds"],
        left=_answer(frame, questions.get(step), stored),
        reads=frame["asked"]["shown"] if frame["asked"] else {},
        inner=inner,
        front=not has_front,
    )
    early = _given_early(frame, questions, stored, loses_slots=loses_slots)
    # What is left of ways that were taken before comes after the place where the frame stands.
    return [here, *early, *others] if has_front else [*early, here, *others]


def _answer(frame: FlowContext, question: Question | None, stored: Mapping[str, Any]) -> dict[str, Any]:
    """What a person has just said to the question a frame stands at."""
    if question is None:
        return {}
    value = stored.get(question.slot)
    if frame["answer"] is not None:
        return {question.slot: value if frame["answer"] else None}
    return {question.slot: value} if value is not None and not question.always else {}


def _given_early(
    frame: FlowContext, questions: Mapping[str, Question], stored: Mapping[str, Any], *, loses_slots: bool
) -> list[Passed]:
    """What was said for questions to come, as far as the slot will not hold it: a loop's next round empties it."""
    early = []
    for step, question in questions.items():
        rounds = {loop: frame["rounds"][loop] for loop in question.loops if loop in frame["rounds"]}
        in_this_round = len(rounds) == len(question.loops) and (loses_slots or bool(question.loops))
        known = any(p["step"] == step and p["rounds"] == rounds for p in (*frame["trail"], *frame["ahead"]))
        value = stored.get(question.slot)
        if in_this_round and not known and step != frame["current_step"] and value is not None:
            early.append(standing(step, rounds, left={question.slot: value}))
    return early


def asked_later(ahead: list[Passed], rounds: Mapping[str, int], questions: Mapping[str, Question]) -> set[str]:
    """The slots that are asked for in rounds which a frame is not in, and comes to."""
    later = [passed for passed in ahead if not passed["rounds"].items() <= rounds.items()]
    return {questions[passed["step"]].slot for passed in later if passed["step"] in questions}


def asked_inside(ahead: list[Passed], rounds: Mapping[str, int], questions: Mapping[str, Question]) -> set[str]:
    """The slots that are asked for in loops which a frame enters anew; a loop's next round empties them of itself."""
    inside = [passed for passed in ahead if not passed["rounds"].keys() <= rounds.keys()]
    return {questions[passed["step"]].slot for passed in inside if passed["step"] in questions}


def called_again(
    before: Passed | None,
    flow_name: str,
    names: dict[str, str],
    outputs: Mapping[str, str],
    ours: Mapping[str, Any],
    shape: FlowShape,
    *,
    turn: int,
) -> tuple[list[Passed], dict[str, Any]]:
    """What lies ahead of a flow that was called before, and the values (of its slots) that have changed since."""
    inner = before["inner"] if before else None
    if before is None or inner is None or inner["flow"] != flow_name:
        return [], {}
    names |= {theirs: name for theirs, name in outputs.items() if name in before["reads"]}
    ahead = inner["trail"]
    anew = changed_in_call(before, names, ours)
    for theirs, value in anew.items():
        mark = before["reads"][names[theirs]]
        # Only a person's word about what the call had brought overrules what it decides.
        said_in = turn if mark in (CHANGED, LEFT_OUT) else None
        ahead = told_anew(ahead, theirs, value, shape.questions, turn=said_in, leave_out=mark == LEFT_OUT)
    return ahead, anew


def calls_one_with(passed: Passed, slot: str, flows: Mapping[str, FlowShape]) -> bool:
    """Whether a frame stood at a call of a flow that has this slot, or that stood at another such call."""
    inner = passed["inner"]
    if inner is None or not passed["front"]:
        return False
    return slot in flows[inner["flow"]].slot_names or any(calls_one_with(p, slot, flows) for p in inner["trail"])


def kept_for_call(
    ahead: list[Passed], slot: str, value: Any, flows: Mapping[str, FlowShape], *, turn: int
) -> list[Passed]:
    """What lies ahead, with a value for a flow that was closed and is going to be called again."""
    return [_kept(p, slot, value, flows, turn) if calls_one_with(p, slot, flows) else p for p in ahead]


def _kept(passed: Passed, slot: str, value: Any, flows: Mapping[str, FlowShape], turn: int) -> Passed:
    inner = passed["inner"]
    if inner is None:
        return passed
    trail = kept_for_call(inner["trail"], slot, value, flows, turn=turn)
    shape = flows[inner["flow"]]
    if slot in shape.slot_names:
        known = {entry["step"] for entry in trail}
        asks = [step for step, question in shape.questions.items() if question.slot == slot and step not in known]
        trail = [*(standing(step, {}) for step in asks), *trail]
        trail = told_anew(trail, slot, value, shape.questions, turn=turn)
    return {**passed, "inner": {"flow": inner["flow"], "trail": trail}}
