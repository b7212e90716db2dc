"""Going over a trail again after a correction: what was passed before, and what of it still holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from soni.core.state import MOST_PASSED, digest

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from soni.core.state import FlowContext, Inner, Passed

CHANGED = ""
LEFT_OUT = "-"
"""They stand where a digest would, and are like none: another value, and no value on purpose."""


@dataclass(frozen=True, slots=True)
class Question:
    """A step that asks people for a slot: the loops it stands in, and whether it asks again when the slot is filled."""

    slot: str
    loops: tuple[str, ...] = ()
    always: bool = False


@dataclass(frozen=True, slots=True)
class FlowShape:
    """What the manager needs to know of a flow's definition: where it begins, and the slots it has."""

    first_step: str | None
    slot_names: frozenset[str]
    questions: Mapping[str, Question] = field(default_factory=dict)
    """The steps that ask people for something that may be kept beside its slot."""


def passed_before(frame: FlowContext, step: str) -> Passed | None:
    """How a frame passed this step, in this round of its loops, before it went back."""
    place = _place(frame, step)
    return None if place is None else frame["ahead"][place]


def still_ahead(frame: FlowContext, step: str) -> list[Passed]:
    """What lies ahead once this step is passed; nothing does when the place is reached where the frame had stood."""
    place = _place(frame, step)
    if place is None:
        return frame["ahead"]
    others = [*frame["ahead"][:place], *frame["ahead"][place + 1 :]]
    # What was said early for questions still to come has no visit yet.
    return [passed for passed in others if not passed["visit"]] if frame["ahead"][place]["front"] else others


def _place(frame: FlowContext, step: str) -> int | None:
    found = (n for n, p in enumerate(frame["ahead"]) if p["step"] == step and p["rounds"] == frame["rounds"])
    return next(found, None)


def unchanged(passed: Passed, stored: Mapping[str, Any]) -> bool:
    """Whether everything that the step read is as it was."""
    return all(digest(stored.get(slot)) == mark for slot, mark in passed["reads"].items())


def bounded(trail: list[Passed]) -> list[Passed]:
    """The last steps of a trail; what called flows went through is kept as far as there is room for it."""
    room = MOST_PASSED
    kept: list[Passed] = []
    for passed in reversed(trail[-MOST_PASSED:]):
        room -= _weight(passed)
        if passed["inner"] is not None and room < 0:
            forgotten: Inner = {"flow": passed["inner"]["flow"], "trail": []}
            passed = {**passed, "inner": forgotten}
        kept.append(passed)
    return kept[::-1]


def _weight(passed: Passed) -> int:
    inner = passed["inner"]
    return 1 + (sum(_weight(entry) for entry in inner["trail"]) if inner is not None else 0)


def is_settled(passed: Passed, ahead: list[Passed]) -> bool:
    """Whether something was done after this step that cannot be undone: it is not asked again then."""
    after = ahead[ahead.index(passed) :]
    return any(entry["acted"] for entry in after)


def brought(passed: Passed, slot: str) -> bool:
    """Whether a call came back with a value for this slot, other than the one it was given."""
    left = passed["left"].get(slot)
    return passed["inner"] is not None and slot in passed["left"] and passed["reads"].get(slot) != digest(left)


def since_given(trail: list[Passed], slot: str, questions: Mapping[str, Question]) -> int:
    """Where in a trail the present value of a slot begins to count.

    A loop had emptied it, it was asked anew, or a call brought it.
    """
    always = {step for step, question in questions.items() if question.slot == slot and question.always}
    emptied = max((n + 1 for n, passed in enumerate(trail) if slot in passed["forgot"]), default=0)
    given = (n for n, passed in enumerate(trail) if passed["step"] in always or brought(passed, slot))
    return max([emptied, *given])


def up_to_front(frame: FlowContext) -> int:
    """How much of what lies ahead is still to come before the frame is where it was; the rest is from other ways."""
    front = next((n for n, passed in enumerate(frame["ahead"]) if passed["front"]), None)
    if front is None:
        return len(frame["ahead"])
    place = frame["ahead"][front]
    stands_there = (place["step"], place["rounds"]) == (frame["current_step"], frame["rounds"])
    return 0 if frame["asked"] is not None and stands_there else front + 1


def holds_value(trail: list[Passed], slot: str, questions: Mapping[str, Question]) -> bool:
    """Whether the present value of a slot was given on this stretch."""
    asks = {step for step, question in questions.items() if question.slot == slot}
    return any(passed["step"] in asks or brought(passed, slot) for passed in trail)


def after_word(
    frame: FlowContext,
    slot: str,
    value: Any,
    questions: Mapping[str, Question],
    *,
    turn: int | None,
    leave_out: bool,
    answers: bool,
) -> tuple[list[Passed], list[Passed]]:
    """What a frame has passed and what lies ahead of it, after a person has said something for a slot."""
    trail, ahead, front = frame["trail"], frame["ahead"], up_to_front(frame)

    def anew(passed: list[Passed]) -> list[Passed]:
        return told_anew(passed, slot, value, questions, turn=turn, leave_out=leave_out)

    if answers:
        return trail, [*ahead[: front - 1], *anew(ahead[front - 1 : front]), *ahead[front:]] if front else ahead
    to_come = [*anew(ahead[:front]), *ahead[front:]]
    return (trail if holds_value(ahead[:front], slot, questions) else anew(trail)), to_come


def told_anew(
    trail: list[Passed],
    slot: str,
    value: Any,
    questions: Mapping[str, Question],
    *,
    turn: int | None,
    leave_out: bool = False,
) -> list[Passed]:
    """The trail after a slot has got another value.

    Questions hold the new value, and a call that had brought the old one is changed. What steps had decided is
    overruled by what a person says in a turn.
    """
    asks = {step for step, question in questions.items() if question.slot == slot}
    since = since_given(trail, slot, questions)
    anew = [_told_anew(passed, slot, value, passed["step"] in asks, turn, leave_out) for passed in trail[since:]]
    return [*trail[:since], *anew]


def _told_anew(passed: Passed, slot: str, value: Any, asks: bool, turn: int | None, leave_out: bool) -> Passed:
    wrote = {name: old for name, old in passed["wrote"].items() if name != slot}
    left = {name: kept for name, kept in passed["left"].items() if name != slot}
    if asks:
        left |= {slot: value} if value is not None or leave_out else {}
        return {**passed, "wrote": wrote, "left": left}
    if turn is None:
        return passed
    again = passed["reads"].get(slot) in (CHANGED, LEFT_OUT)
    if slot not in passed["left"] and not again:
        return {**passed, "wrote": wrote}
    if passed["inner"] is not None:
        reads = {**passed["reads"], slot: LEFT_OUT if leave_out else CHANGED}
        overruled = {**passed["overruled"], slot: [value, turn]}
        return {**passed, "wrote": wrote, "left": left, "reads": reads, "overruled": overruled}
    overruled = {**passed["overruled"], slot: [passed["left"][slot], turn]}
    return {**passed, "wrote": wrote, "left": left, "overruled": overruled}


def decided_anew(ahead: list[Passed], slots: Collection[str], rounds: Mapping[str, int]) -> list[Passed]:
    """What lies ahead once a step has given these slots other values than before: those before do not come back."""
    if not slots:
        return ahead
    return [
        {**passed, "left": {name: value for name, value in passed["left"].items() if name not in slots}}
        if passed["rounds"].items() <= rounds.items()
        else passed
        for passed in ahead
    ]


def standing(
    step: str,
    rounds: dict[str, int],
    *,
    left: dict[str, Any] | None = None,
    reads: dict[str, str] | None = None,
    inner: Inner | None = None,
    front: bool = False,
) -> Passed:
    """A step that was not passed yet, as it will be found when the flow comes to it again."""
    return {
        "step": step,
        "visit": 0,
        "reads": {**(reads or {}), "": CHANGED},
        "wrote": {},
        "left": left or {},
        "overruled": {},
        "forgot": [],
        "rounds": rounds,
        "acted": False,
        "confirmed": False,
        "goto": "",
        "inner": inner,
        "front": front,
    }


def can_go_back(undone: list[Passed], slot: str | None) -> bool:
    """Whether this stretch can be gone over again: nothing was done on it that has to do with the slot."""
    last = max((n for n, passed in enumerate(undone) if passed["acted"]), default=None)
    if last is None:
        return True
    weighty = [passed for passed in undone[: last + 1] if passed["acted"] or passed["confirmed"]]
    return slot is not None and not any(slot in passed["reads"] for passed in weighty)


def changed_in_call(passed: Passed, names: Mapping[str, str], stored: Mapping[str, Any]) -> dict[str, Any]:
    """The slots of a called flow (theirs: ours) that have got another value since it was called."""
    changed: dict[str, Any] = {}
    for theirs, ours in names.items():
        mark = passed["reads"].get(ours)
        if mark in (CHANGED, LEFT_OUT):
            changed[theirs] = passed["overruled"][ours][0] if ours in passed["overruled"] else stored.get(ours)
        elif mark is not None and mark != digest(stored.get(ours)):
            changed[theirs] = stored.get(ours)
    return changed
