"""FlowDelta: a change to the running flows as a value, and the only place that applies one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Iterable

    from soni.core.pending_task import InformTask
    from soni.core.state import Chain, DialogueState, FlowContext, Handoff
    from soni.flow.memory import Change

Trace = dict[str, Any]


@dataclass(frozen=True, slots=True)
class FlowDelta:
    """What changes: absent parts stay as they are."""

    flow_stack: list[FlowContext] | None = None
    forgotten: frozenset[str] = frozenset()
    """Flow ids whose slots and facts go; this comes before what `flow_slots` and `chains` set."""
    flow_slots: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By flow id; a slot set to None is forgotten."""
    chains: dict[str, Chain] = field(default_factory=dict)
    """What was said and done in a flow that the person started, by its id."""
    words: tuple[Change, ...] = ()
    """What the person said for slots and to questions; it counts once the whole message is known."""
    offers: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """For a slot whose value was refused: what could be said instead."""
    unsettled: bool = False
    """Whether a value of this message was refused: a yes or no beside it was meant for something else."""
    patient: bool = False
    """Whether the open question need not be asked again: the person has heard it."""
    flow_count: int | None = None
    flows_started: list[str] | None = None
    stuck: int | None = None
    person: Handoff | None = None
    """Who gets the conversation now; only the host gives it back."""
    tasks: tuple[InformTask, ...] = ()
    """What to tell the person because of this change."""
    trace: tuple[Trace, ...] = ()


def merge_deltas(deltas: Iterable[FlowDelta]) -> FlowDelta:
    """One delta with the effect of all, applied in order."""
    merged = FlowDelta()
    for delta in deltas:
        slots = {flow_id: set_ for flow_id, set_ in merged.flow_slots.items() if flow_id not in delta.forgotten}
        for flow_id, changes in delta.flow_slots.items():
            slots[flow_id] = {**slots.get(flow_id, {}), **changes}
        merged = FlowDelta(
            flow_stack=merged.flow_stack if delta.flow_stack is None else delta.flow_stack,
            forgotten=merged.forgotten | delta.forgotten,
            flow_slots=slots,
            chains={root: chain for root, chain in merged.chains.items() if root not in delta.forgotten} | delta.chains,
            words=merged.words + delta.words,
            offers=merged.offers | delta.offers,
            unsettled=merged.unsettled or delta.unsettled,
            patient=merged.patient or delta.patient,
            flow_count=merged.flow_count if delta.flow_count is None else delta.flow_count,
            flows_started=merged.flows_started if delta.flows_started is None else delta.flows_started,
            stuck=merged.stuck if delta.stuck is None else delta.stuck,
            person=merged.person if delta.person is None else delta.person,
            tasks=merged.tasks + delta.tasks,
            trace=merged.trace + delta.trace,
        )
    return merged


def merge_delta(state: DialogueState, delta: FlowDelta) -> DialogueState:
    """The state after the change; the state before is left untouched."""
    return cast("DialogueState", {**state, **changed(state, delta)})


def changed(state: DialogueState, delta: FlowDelta) -> dict[str, Any]:
    """Only the keys of the state that the change touches, with their new values."""
    update: dict[str, Any] = {}
    for name in ("flow_stack", "flow_count", "flows_started", "stuck", "person"):
        if (value := getattr(delta, name)) is not None:
            update[name] = value
    if delta.flow_slots or delta.forgotten:
        slots = {flow_id: held for flow_id, held in state["flow_slots"].items() if flow_id not in delta.forgotten}
        for flow_id, changes in delta.flow_slots.items():
            merged = {**slots.get(flow_id, {}), **changes}
            slots[flow_id] = {name: value for name, value in merged.items() if value is not None}
        update["flow_slots"] = slots
    if delta.chains or delta.forgotten:
        kept = {root: chain for root, chain in state["chains"].items() if root not in delta.forgotten}
        update["chains"] = kept | delta.chains
    if delta.trace:
        update["trace"] = [*state["trace"], *delta.trace]
    return update
