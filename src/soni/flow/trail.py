"""Going over a trail again after a correction: what was passed before, and what of it still holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from soni.core.state import digest

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
    return [] if frame["ahead"][place]["front"] else [*frame["ahead"][:place], *frame["ahead"][place + 1 :]]


def _place(frame: FlowContext, step: str) -> int | None:
    found = (n for n, p in enumerate(frame["ahead"]) if p["step"] == step and p["rounds"] == frame["rounds"])
    return next(found, None)


def unchanged(passed: Passed, stored: Mapping[str, Any]) -> bool:
    """Whether everything that the step read is as it was."""
    return all(digest(stored.get(slot)) == mark for slot, mark in passed["reads"].items())


def is_settled(passed: Passed, ahead: list[Passed]) -> bool:
    """Whether something was done after this step that cannot be undone: it is not asked again then."""
    after = ahead[ahead.index(passed) :]
    return any(entry["acted"] for entry in after)


def since_given(trail: list[Passed], slot: str, questions: Mapping[str, Question]) -> int:
    """Where in a trail the present value of a slot begins to count: a loop had emptied it, or it was asked anew."""
    always = {step for step, question in questions.items() if question.slot == slot and question.always}
    emptied = max((n + 1 for n, passed in enumerate(trail) if slot in passed["forgot"]), default=0)
    return max([emptied, *(n for n, passed in enumerate(trail) if passed["step"] in always)])


def told_anew(
    trail: list[Passed],
    slot: str,
    value: Any,
    questions: Mapping[str, Question],
    *,
    turn: int,
    leave_out: bool = False,
) -> list[Passed]:
    """The trail after a person has said something else for a slot, in the last round of the loops that asks for it.

    Questions hold the new value; what steps had decided is overruled; a call that had brought the value is changed.
    """
    asks = {step for step, question in questions.items() if question.slot == slot}
    asked = [passed["rounds"] for passed in trail if passed["step"] in asks]
    rounds = asked[-1] if asked else trail[-1]["rounds"] if trail else {}
    return [
        _told_anew(passed, slot, value, passed["step"] in asks, turn, leave_out)
        if passed["rounds"].items() <= rounds.items()
        else passed
        for passed in trail
    ]


def _told_anew(passed: Passed, slot: str, value: Any, asks: bool, turn: int, leave_out: bool) -> Passed:
    wrote = {name: old for name, old in passed["wrote"].items() if name != slot}
    left = {name: kept for name, kept in passed["left"].items() if name != slot}
    if asks:
        left |= {slot: value} if value is not None or leave_out else {}
        return {**passed, "wrote": wrote, "left": left}
    if slot not in passed["left"]:
        return {**passed, "wrote": wrote}
    if passed["inner"] is not None:
        mark = LEFT_OUT if leave_out else CHANGED
        return {**passed, "wrote": wrote, "left": left, "reads": {**passed["reads"], slot: mark}}
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
    reads = passed["reads"]
    changed = {theirs: ours for theirs, ours in names.items() if ours in reads}
    return {t: stored.get(ours) for t, ours in changed.items() if reads[ours] != digest(stored.get(ours))}
