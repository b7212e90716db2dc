"""Any corrections in any form: it ends where it would have ended, had the last values been given from the start."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from soni.core.commands import StartFlow
from tests.conftest import examples
from tests.conversations.changing_minds import Person, Pick, chains
from tests.conversations.generated_forms import FORMS, LAST, Piece, form

if TYPE_CHECKING:
    from soni import SoniConfig
    from soni.core.state import DialogueState, Passed

Event = tuple[int, str, list[Pick], int]
"""In which turn, what happens, what is corrected, and whether the open question is answered before it or after it."""

MOST_TURNS = 200
COMPARED = ("say", "action", "branch", "set", "confirm", "after")
"""Steps whose reads must be the same, too."""


def _at_the_end(state: DialogueState) -> bool:
    task = state["_pending_task"]
    return task is not None and task["type"] == "collect" and task["slot"] == LAST


async def _converse(person: Person, events: list[Event]) -> DialogueState:
    """Answer until the last question; things happen on the way, or there."""
    state = await person.say(StartFlow(flow="main"))
    coming = sorted(events, key=lambda event: event[0])
    for turn in range(MOST_TURNS):
        at_end = _at_the_end(state)
        if coming and (at_end or coming[0][0] <= turn):
            _, kind, picks, beside = coming.pop(0)
            if kind == "aside":
                state = await person.say(StartFlow(flow="aside")) if len(chains(state)) == 1 else state
            elif commands := person.corrections(state, picks):
                answer = [] if at_end or not beside else [person.answer(state)]
                state = await person.say(*(*answer, *commands) if beside == 1 else (*commands, *answer))
        elif at_end:
            return state
        else:
            state = await person.say(person.answer(state))
    raise AssertionError("the form does not come to its end")


def _way(trail: list[Passed]) -> list[Any]:
    """The steps taken, and what they saw."""
    return [
        (
            passed["step"],
            passed["rounds"],
            passed["goto"],
            passed["reads"] if passed["step"].startswith(COMPARED) else None,
            _way(passed["inner"]["trail"]) if passed["inner"] else None,
        )
        for passed in trail
    ]


async def _ends_alike(config: SoniConfig, taste: list[int], events: list[Event]) -> None:
    person, other = Person(config, taste), Person(config, taste)
    corrected = await _converse(person, events)
    other.answers = person.answers
    fresh = await _converse(other, [])
    [one], [two] = corrected["flow_stack"], fresh["flow_stack"]
    assert _way(one["trail"]) == _way(two["trail"])
    slots, expected = (state["flow_slots"][frame["flow_id"]] for state, frame in ((corrected, one), (fresh, two)))
    # What was said for questions that are not on the way any more stays said; what was computed does not.
    left_over = {name for name in slots if name not in expected and config.slots[name].source == "user"}
    assert {n: v for n, v in slots.items() if n not in left_over and v is not None} == expected


_picks = st.tuples(st.integers(0, 11), st.sampled_from(["correct", "set", "empty", "clear"]), st.integers(0, 3))
_events = st.tuples(
    st.integers(0, 20),
    st.sampled_from(["correct", "correct", "correct", "aside"]),
    st.lists(_picks, min_size=1, max_size=2),
    st.sampled_from([0, 0, 1, 2]),
)

_taste = st.lists(st.integers(0, 3), min_size=7, max_size=7)


@settings(max_examples=examples(10), derandomize=True, suppress_health_check=list(HealthCheck))
@given(FORMS, _taste, st.lists(_events, min_size=1, max_size=3))
def test_corrections_end_where_the_last_values_would_have_led(
    config: SoniConfig, taste: list[int], events: list[Event]
) -> None:
    asyncio.run(_ends_alike(config, taste, events))


FOUND: dict[str, tuple[list[Piece], list[int], list[Event]]] = {
    "a question that was not asked, and now has to be": (
        [("ask_if", 0, 0)],
        [3, 1, 1, 0, 0, 3, 1],
        [(18, "correct", [(9, "correct", 2)], 0)],
    ),
    "an answer in the last round of a loop that has become shorter": (
        [("count", 0, [("say", 0, 0)], False)],
        [1, 1, 2, 2, 0, 0, 0],
        [(5, "correct", [(10, "correct", 1)], 0), (14, "correct", [(5, "correct", 2)], 0)],
    ),
    "what a call in a loop brought": (
        [("count", 0, [("call", 0, 0, False, True)], False)],
        [2] * 7,
        [(20, "correct", [(2, "correct", 1)], 0)],
    ),
    "what a call in a loop brought, taken back": (
        [("count", 0, [("call", 0, 0, False, True)], False)],
        [2] * 7,
        [(20, "correct", [(2, "empty", 1)], 0)],
    ),
    "what a call brought, taken back beside another correction": (
        [("call", 0, 0, False, True)],
        [1, 3, 0, 1, 0, 0, 0],
        [(12, "correct", [(6, "correct", 0), (3, "empty", 2)], 0)],
    ),
    "what was found once a person had overruled it": (
        [("look_up", 0)],
        [3, 0, 0, 2, 1, 0, 2],
        [
            (7, "correct", [(10, "correct", 1)], 0),
            (13, "correct", [(4, "clear", 0), (10, "clear", 1)], 0),
            (18, "correct", [(0, "correct", 3)], 0),
        ],
    ),
    "what was asked before a loop that ended at once": (
        [("more", [("say", 0, 0)])],
        [1] * 7,
        [(20, "correct", [(0, "correct", 2)], 0)],
    ),
    "the last thing chosen from a menu, and then something before it": (
        [("menu", 0)],
        [1, 1, 0, 3, 1, 3, 2],
        [(9, "correct", [(4, "clear", 3)], 0), (11, "correct", [(6, "correct", 1)], 0)],
    ),
    "the last choice and something before the menu, in one message": (
        [("menu", 0)],
        [1, 0, 0, 0, 0, 2, 0],
        [(7, "correct", [(5, "correct", 2)], 0), (9, "correct", [(6, "correct", 1), (7, "correct", 1)], 0)],
    ),
    "the last thing chosen, and then an answer to the menu": (
        [("menu", 0)],
        [3, 2, 3, 3, 1, 2, 1],
        [(5, "correct", [(1, "correct", 1)], 2)],
    ),
    "something before a menu that a correction has brought up": (
        [("say", 0, 0), ("count", 0, [("menu", 0)], False), ("call", 0, 0, False, False)],
        [0, 1, 1, 0, 0, 3, 1],
        [(2, "correct", [(4, "empty", 3)], 0), (7, "correct", [(0, "correct", 1)], 0)],
    ),
}


@pytest.mark.parametrize(("main", "taste", "events"), FOUND.values(), ids=FOUND)
def test_corrections_of(main: list[Piece], taste: list[int], events: list[Event]) -> None:
    asyncio.run(_ends_alike(form({"main": main, "mid": [], "deep": []}), taste, events))
