"""FlowManager: the stack of running flows and their slots, as pure operations over the state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, cast

from soni.core.state import CONVERSATION
from soni.flow.delta import FlowDelta, merge_delta, merge_deltas

if TYPE_CHECKING:
    from collections.abc import Mapping

    from soni.core.state import DialogueState, EnteredBy, FlowContext

__all__ = ["FlowManager", "FlowShape", "merge_delta"]


class FlowShape(Protocol):
    """What the manager needs to know of a flow's definition."""

    @property
    def first_step(self) -> str | None: ...

    @property
    def slot_names(self) -> frozenset[str]: ...


class FlowManager:
    """Answers questions about the running flows, and returns every change as a FlowDelta."""

    def __init__(self, flows: Mapping[str, FlowShape], conversation_slots: frozenset[str] = frozenset()) -> None:
        self._flows = flows
        self._conversation_slots = conversation_slots

    def get_active_context(self, state: DialogueState) -> FlowContext | None:
        """The frame on top of the stack."""
        return state["flow_stack"][-1] if state["flow_stack"] else None

    def get_active_flow_id(self, state: DialogueState) -> str | None:
        """The id of the frame on top of the stack."""
        frame = self.get_active_context(state)
        return frame["flow_id"] if frame else None

    def get_frame(self, state: DialogueState, flow_id: str) -> FlowContext | None:
        """The frame with this id, wherever it is in the stack."""
        return next((frame for frame in state["flow_stack"] if frame["flow_id"] == flow_id), None)

    def get_slots(self, state: DialogueState, flow_id: str | None = None) -> dict[str, Any]:
        """All slots a flow can see, as they stand in the state: conversation-wide ones, then its own."""
        flow_id = flow_id or self.get_active_flow_id(state)
        own = state["flow_slots"].get(flow_id, {}) if flow_id else {}
        return {**state["flow_slots"].get(CONVERSATION, {}), **own}

    def get_slot(self, state: DialogueState, name: str, flow_id: str | None = None) -> Any:
        """One slot as it stands in the state, or None."""
        return self.get_slots(state, flow_id).get(name)

    def set_slot(self, state: DialogueState, name: str, value: Any, flow_id: str | None = None) -> FlowDelta:
        """Store a value that has been accepted; None forgets the slot."""
        owner = CONVERSATION if name in self._conversation_slots else flow_id or self.get_active_flow_id(state)
        return FlowDelta(flow_slots={owner: {name: value}}) if owner else FlowDelta()

    def owner_of(self, state: DialogueState, name: str) -> str | None:
        """The frame a value for this slot belongs to: the nearest to the top whose flow has the slot."""
        for frame in reversed(state["flow_stack"]):
            if name in self._flows[frame["flow_name"]].slot_names:
                return str(frame["flow_id"])
        return None

    def push_flow(
        self,
        state: DialogueState,
        flow_name: str,
        *,
        entered_by: EnteredBy = "user",
        slots: Mapping[str, Any] | None = None,
    ) -> tuple[str, FlowDelta]:
        """Start a flow on top of the stack; ids are derived, so that a turn run again yields the same."""
        count = state["flow_count"] + 1
        flow_id = f"{flow_name}#{count}"
        frame: FlowContext = {
            "flow_id": flow_id,
            "flow_name": flow_name,
            "flow_state": "active",
            "current_step": self._flows[flow_name].first_step,
            "entered_by": entered_by,
            "visits": {},
            "rounds": {},
            "attempts": 0,
            "trail": [],
            "asked": None,
            "answer": None,
            "returned": None,
        }
        started = state["flows_started"]
        return flow_id, FlowDelta(
            flow_stack=[*state["flow_stack"], frame],
            flow_slots={flow_id: dict(slots or {})},
            flow_count=count,
            flows_started=started if flow_name in started else [*started, flow_name],
        )

    def pop_flow(self, state: DialogueState) -> tuple[FlowContext | None, FlowDelta]:
        """Take the top flow off the stack with its slots; a caller receives them as what was returned."""
        if not state["flow_stack"]:
            return None, FlowDelta()
        *below, popped = state["flow_stack"]
        if popped["entered_by"] == "call" and below:
            returned = state["flow_slots"].get(popped["flow_id"], {})
            below[-1] = {**below[-1], "returned": returned}
        return popped, FlowDelta(flow_stack=below, forgotten=frozenset({popped["flow_id"]}))

    def cancel_flow(self, state: DialogueState) -> tuple[list[FlowContext], FlowDelta]:
        """Take off the flow the person is in: the one they started, with everything it called."""
        chain = self._chains(state["flow_stack"])[-1] if state["flow_stack"] else []
        return chain, FlowDelta(
            flow_stack=state["flow_stack"][: len(state["flow_stack"]) - len(chain)],
            forgotten=frozenset(frame["flow_id"] for frame in chain),
        )

    def link_flow(self, state: DialogueState, flow_name: str) -> FlowDelta:
        """Replace the top flow by another for good; slots that both have come along."""
        top = state["flow_stack"][-1]
        slots = state["flow_slots"].get(top["flow_id"], {})
        carried = {name: value for name, value in slots.items() if name in self._flows[flow_name].slot_names}
        gone = FlowDelta(flow_stack=state["flow_stack"][:-1], forgotten=frozenset({top["flow_id"]}))
        # A called flow that links hands its caller on: somebody still waits for what it returns.
        entered_by: EnteredBy = "call" if top["entered_by"] == "call" else "link"
        _, pushed = self.push_flow(merge_delta(state, gone), flow_name, entered_by=entered_by, slots=carried)
        return merge_deltas([gone, pushed])

    def call_flow(self, state: DialogueState, flow_name: str, inputs: Mapping[str, str]) -> FlowDelta:
        """Start a flow that will come back; same-named slots go in, `inputs` maps others (theirs: ours)."""
        ours = self.get_slots(state)
        names = {name: name for name in self._flows[flow_name].slot_names} | dict(inputs)
        given = {theirs: ours[name] for theirs, name in names.items() if ours.get(name) is not None}
        _, pushed = self.push_flow(state, flow_name, entered_by="call", slots=given)
        return pushed

    def handle_intent_change(self, state: DialogueState, flow_name: str) -> FlowDelta:
        """The person wants another flow: the current one pauses; a paused one of that name comes back."""
        active = self.get_active_context(state)
        if active and active["flow_name"] == flow_name:
            return FlowDelta()
        chains = self._chains(state["flow_stack"])
        wanted = next((chain for chain in reversed(chains) if chain[0]["flow_name"] == flow_name), None)
        paused = [self._paused(chain) for chain in chains if chain is not wanted]
        stack = [frame for chain in paused for frame in chain]
        if wanted is not None:
            return FlowDelta(flow_stack=stack + wanted)
        # Flows started by the same message run in spoken order: what has not begun yet stays on top.
        begun = [frame for frame in stack if frame["visits"]]
        waiting = [cast("FlowContext", {**frame, "flow_state": "active"}) for frame in stack if not frame["visits"]]
        _, pushed = self.push_flow(cast("DialogueState", {**state, "flow_stack": begun}), flow_name)
        return merge_deltas([pushed, FlowDelta(flow_stack=[*(pushed.flow_stack or []), *waiting])])

    def update_frame(self, state: DialogueState, flow_id: str, **changes: Any) -> FlowDelta:
        """Change fields of one frame."""
        return FlowDelta(
            flow_stack=[
                cast("FlowContext", {**frame, **changes}) if frame["flow_id"] == flow_id else frame
                for frame in state["flow_stack"]
            ]
        )

    def drop_called(self, state: DialogueState, flow_id: str) -> FlowDelta:
        """Take off the flows that this one has called: it is going to do something else."""
        chain = next(c for c in self._chains(state["flow_stack"]) if any(f["flow_id"] == flow_id for f in c))
        ids = [frame["flow_id"] for frame in chain]
        gone = ids[ids.index(flow_id) + 1 :]
        return FlowDelta(
            flow_stack=[frame for frame in state["flow_stack"] if frame["flow_id"] not in gone],
            forgotten=frozenset(gone),
        )

    def forget_answers(self, state: DialogueState) -> FlowDelta:
        """An answer is good for the turn it was given in; a question left open meanwhile is asked again."""
        return FlowDelta(flow_stack=[{**frame, "answer": None} for frame in state["flow_stack"]])

    def _chains(self, stack: list[FlowContext]) -> list[list[FlowContext]]:
        """The stack cut into what the person started, each with the flows it called on top."""
        chains: list[list[FlowContext]] = []
        for frame in stack:
            if frame["entered_by"] == "call" and chains:
                chains[-1].append(frame)
            else:
                chains.append([frame])
        return chains

    def _paused(self, chain: list[FlowContext]) -> list[FlowContext]:
        return [*chain[:-1], {**chain[-1], "flow_state": "paused"}]
