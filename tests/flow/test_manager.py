"""FlowManager and FlowDelta: pure changes, one merge."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from soni.core.pending_task import inform
from soni.core.state import CONVERSATION, DialogueState, empty_state
from soni.flow.delta import FlowDelta, merge_delta, merge_deltas
from soni.flow.manager import FlowManager, FlowShape
from soni.flow.world import World

MANAGER = FlowManager(
    World(
        {
            "pay": FlowShape("ask", frozenset({"amount", "who"})),
            "look": FlowShape("tell", frozenset({"who"})),
            "code": FlowShape("ask", frozenset({"code", "amount"})),
        },
        conversation=frozenset({"logged_in"}),
    )
)


def stacked(*names: str) -> DialogueState:
    state = empty_state()
    for name in names:
        _, delta = MANAGER.push_flow(state, name)
        state = merge_delta(state, delta)
    return state


def names(state: DialogueState) -> list[str]:
    return [frame["flow_name"] for frame in state["flow_stack"]]


def test_an_empty_conversation_has_nothing_active() -> None:
    state = empty_state()
    assert MANAGER.get_active_context(state) is None
    assert MANAGER.get_active_flow_id(state) is None
    assert MANAGER.get_slot(state, "amount") is None
    assert MANAGER.pop_flow(state) == (None, FlowDelta())


def test_push_and_pop_are_deterministic_and_leave_nothing_behind() -> None:
    state = stacked("pay", "look")
    assert [frame["flow_id"] for frame in state["flow_stack"]] == ["pay#1", "look#2"]
    assert stacked("pay", "look") == state
    popped, delta = MANAGER.pop_flow(state)
    assert popped is not None
    assert popped["flow_name"] == "look"
    after = merge_delta(state, delta)
    assert names(after) == ["pay"]
    assert list(after["flow_slots"]) == ["pay#1"]


def test_slots_are_looked_up_in_the_flow_and_then_in_the_conversation() -> None:
    state = stacked("pay")
    state = merge_delta(state, MANAGER.set_slot(state, "amount", 0))
    state = merge_delta(state, MANAGER.set_slot(state, "logged_in", True))
    assert state["flow_slots"] == {"pay#1": {"amount": 0}, CONVERSATION: {"logged_in": True}}
    assert MANAGER.get_slots(state) == {"amount": 0, "logged_in": True}
    state = merge_delta(state, MANAGER.set_slot(state, "amount", None))
    assert MANAGER.get_slot(state, "amount") is None


def test_a_value_belongs_to_the_nearest_flow_that_has_the_slot() -> None:
    state = stacked("pay", "look")
    assert MANAGER.owner_of(state, "who") == "look#2"
    assert MANAGER.owner_of(state, "amount") == "pay#1"
    assert MANAGER.owner_of(state, "code") is None


def test_a_call_takes_slots_in_and_brings_them_back() -> None:
    state = stacked("pay")
    state = merge_delta(state, MANAGER.set_slot(state, "amount", 5))
    state = merge_delta(state, MANAGER.call_flow(state, "code", {"code": "amount"}))
    assert MANAGER.get_slots(state) == {"amount": 5, "code": 5}
    _, delta = MANAGER.pop_flow(state)
    caller = MANAGER.get_active_context(merge_delta(state, delta))
    assert caller is not None
    assert caller["returned"] is not None
    assert caller["returned"]["slots"] == {"amount": 5, "code": 5}


def test_a_change_of_mind_pauses_or_brings_back() -> None:
    state = stacked("pay")
    frame = {**state["flow_stack"][0], "visits": {"ask": 1}}
    state = merge_delta(state, FlowDelta(flow_stack=[frame]))  # type: ignore[list-item]  # the same frame, begun
    state = merge_delta(state, MANAGER.handle_intent_change(state, "look"))
    assert [(f["flow_name"], f["flow_state"]) for f in state["flow_stack"]] == [("pay", "paused"), ("look", "active")]
    begun = [{**frame, "visits": {"x": 1}} for frame in state["flow_stack"]]
    state = merge_delta(state, FlowDelta(flow_stack=begun))  # type: ignore[arg-type]  # the same frames, begun
    back = merge_delta(state, MANAGER.handle_intent_change(state, "pay"))
    assert names(back) == ["look", "pay"]
    assert MANAGER.handle_intent_change(back, "pay") == FlowDelta()


def test_cancelling_takes_what_was_called_along() -> None:
    state = stacked("look", "pay")
    state = merge_delta(state, MANAGER.call_flow(state, "code", {}))
    cancelled, delta = MANAGER.cancel_flow(state)
    assert [frame["flow_name"] for frame in cancelled] == ["pay", "code"]
    after = merge_delta(state, delta)
    assert names(after) == ["look"]
    assert list(after["flow_slots"]) == ["look#1"]


def test_get_frame_finds_a_frame_anywhere() -> None:
    state = stacked("look", "pay")
    found = MANAGER.get_frame(state, "look#1")
    assert found is not None
    assert found["flow_name"] == "look"
    assert MANAGER.get_frame(state, "nope") is None


values = st.none() | st.integers() | st.text(max_size=3)
slot_changes = st.dictionaries(st.sampled_from("abc"), values, max_size=3)
deltas = st.builds(
    FlowDelta,
    forgotten=st.frozensets(st.sampled_from(["f1", "f2"])),
    flow_slots=st.dictionaries(st.sampled_from(["f1", "f2", CONVERSATION]), slot_changes, max_size=3),
    flow_count=st.none() | st.integers(0, 9),
    flows_started=st.none() | st.lists(st.sampled_from("xy"), max_size=2),
    tasks=st.lists(st.just(inform("Hi.")), max_size=2).map(tuple),
    trace=st.lists(st.just({"event": "x"}), max_size=2).map(tuple),
)


@given(st.lists(deltas, max_size=5))
def test_one_merged_delta_does_what_all_of_them_did(changes: list[FlowDelta]) -> None:
    state: Any = {**empty_state(), "flow_slots": {"f1": {"a": 1, "b": 2}, "f2": {"c": 3}}}
    before = copy.deepcopy(state)
    one_by_one = state
    for delta in changes:
        one_by_one = merge_delta(one_by_one, delta)
    merged = merge_deltas(changes)
    assert merge_delta(state, merged) == one_by_one
    assert state == before, "the state is left alone"
