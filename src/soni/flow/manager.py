"""FlowManager: the stack of running flows and their slots, as pure operations over the state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from soni.core.state import CONVERSATION
from soni.flow.delta import FlowDelta, merge_delta, merge_deltas
from soni.flow.derivation.walk import Walk
from soni.flow.memory import new_chain, step_of
from soni.flow.world import FlowShape, World

if TYPE_CHECKING:
    from collections.abc import Mapping

    from soni.core.state import DialogueState, EnteredBy, FlowContext

__all__ = ["FlowManager", "FlowShape", "merge_delta"]


def _is_next(chain: list[FlowContext]) -> bool:
    return _is_new(chain[-1]) or chain[-1]["answered"]


def _is_new(frame: FlowContext) -> bool:
    """Whether a flow was started in this turn, and no step of it has run."""
    return not frame["visits"] and frame["flow_state"] != "queued"


def _is_left(chain: list[FlowContext]) -> bool:
    """Whether the flow of an event waits for an answer that does not come."""
    return chain[0]["entered_by"] == "event" and not _is_next(chain)


class FlowManager:
    """Answers questions about the running flows, and returns every change as a FlowDelta."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._flows = world.flows
        self._conversation_slots = world.conversation

    def slot_names(self, flow_name: str) -> frozenset[str]:
        """The slots of a flow: those its steps, its phrases and the actions it calls name."""
        return self._flows[flow_name].slot_names

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
        event: str | None = None,
        slots: Mapping[str, Any] | None = None,
        acted: bool = False,
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
            "event": event,
            "path": [],
            "visits": {},
            "rounds": {},
            "origins": {},
            "left": {},
            "asked": None,
            "answered": False,
            "returned": None,
        }
        # What belongs to the conversation is never copied into a flow: it would hide later values.
        given = {name: value for name, value in (slots or {}).items() if name not in self._conversation_slots}
        started = state["flows_started"]
        pushed = FlowDelta(
            flow_stack=[*state["flow_stack"], frame],
            flow_slots={flow_id: {}},
            chains={flow_id: new_chain(flow_name, given, state["turn"] + 1, acted=acted)},
            flow_count=count,
            flows_started=started if flow_name in started else [*started, flow_name],
        )
        walk = Walk(self.world, merge_delta(state, pushed), flow_id)
        walk.restart()
        return flow_id, merge_deltas([pushed, walk.delta()])

    def pop_flow(self, state: DialogueState) -> tuple[FlowContext | None, FlowDelta]:
        """Take the top flow off the stack with its slots; a caller receives them as what was returned."""
        if not state["flow_stack"]:
            return None, FlowDelta()
        top = state["flow_stack"][-1]
        if not top["path"]:
            return top, self._off(state, [top])
        walk = Walk(self.world, state)
        return walk.give_back(), walk.delta()

    def cancel_flow(self, state: DialogueState, flow_name: str | None = None) -> tuple[list[FlowContext], FlowDelta]:
        """Take off the flow the person is in, or the one they name: what they started, with everything it called.

        What the assistant has just begun to say is none of it.
        """
        chains = [c for c in self._chains(state["flow_stack"]) if flow_name in (None, *(f["flow_name"] for f in c))]
        chain = ([c for c in chains if c[0]["entered_by"] != "event" or c[0]["visits"]] or [[]])[-1]
        return chain, self._off(state, chain)

    def abandon_flow(self, state: DialogueState) -> tuple[list[FlowContext], FlowDelta]:
        """Take off what runs on top, with the flows that called it."""
        chain = self._chains(state["flow_stack"])[-1]
        return chain, self._off(state, chain)

    def end_chain(self, state: DialogueState, flow_id: str) -> FlowDelta:
        """Take off what the person started that this frame is part of."""
        return self._off(state, self.chain_of(state, flow_id))

    def drop_event(self, state: DialogueState) -> FlowDelta:
        """Take off what the flow of an event asks on top of the others; the person has moved on."""
        chains = self._chains(state["flow_stack"])
        kept = next((n for n in range(len(chains), 0, -1) if not _is_left(chains[n - 1])), 0)
        return self._off(state, [frame for chain in chains[kept:] for frame in chain])

    def _off(self, state: DialogueState, frames: list[FlowContext]) -> FlowDelta:
        gone = frozenset(frame["flow_id"] for frame in frames)
        return FlowDelta(flow_stack=[f for f in state["flow_stack"] if f["flow_id"] not in gone], forgotten=gone)

    def link_flow(self, state: DialogueState, flow_name: str) -> FlowDelta:
        """Replace the top flow by another for good; slots that both have come along."""
        top = state["flow_stack"][-1]
        walk = Walk(self.world, state)
        names = {name: name for name in self._flows[flow_name].slot_names}
        if top["path"]:
            # A called flow that links hands its caller on: somebody still waits for what it returns.
            walk.call(flow_name, names, event=None, returns=False)
            return walk.delta()
        carried = {name: walk.value(name) for name in names if walk.value(name) is not None}
        gone = self._off(state, [top])
        entered_by: EnteredBy = top["entered_by"] if top["entered_by"] == "event" else "link"
        _, pushed = self.push_flow(
            merge_delta(state, gone),
            flow_name,
            entered_by=entered_by,
            event=top["event"],
            slots=carried,
            acted=self.has_acted(state),
        )
        return merge_deltas([gone, pushed])

    def call_flow(
        self, state: DialogueState, flow_name: str, inputs: Mapping[str, str], event: str | None = None
    ) -> FlowDelta:
        """Start a flow that will come back; same-named slots go in, `inputs` maps others (theirs: ours).

        One that was called before takes up what is known of it.
        """
        walk = Walk(self.world, state)
        walk.call(flow_name, self.passed_down(flow_name, inputs), event=event)
        return walk.delta()

    def roots(self, state: DialogueState) -> list[str]:
        """What was started and is still open, the uppermost first."""
        return [chain[0]["flow_id"] for chain in reversed(self._chains(state["flow_stack"]))]

    def is_next(self, state: DialogueState, root: str) -> bool:
        """Whether this message has started or answered it."""
        return _is_next(self.chain_of(state, root))

    def count_attempt(self, state: DialogueState, root: str, question: str) -> FlowDelta:
        """One more answer that could not be taken, for a slot or at a confirmation."""
        chain = state["chains"][root]
        attempts = {**chain["attempts"], question: chain["attempts"].get(question, 0) + 1}
        return FlowDelta(chains={root: {**chain, "attempts": attempts}})

    def has_acted(self, state: DialogueState, root: str | None = None) -> bool:
        """Whether a flow, the uppermost if none is named, has done something that cannot be taken back."""
        chain = state["chains"][root or self.roots(state)[0]]
        return chain["acted"] or chain["deeds"] > 0 or bool(chain["owed"])

    def start_event(self, state: DialogueState, event: str, flow_name: str, about: Mapping[str, Any]) -> FlowDelta:
        """Start the flow of an event on top of what is open, which waits as it is; events come in spoken order."""
        given = {f"_{name}": value for name, value in about.items() if value is not None}
        stack = state["flow_stack"]
        waits = [n + 1 for n, frame in enumerate(stack) if frame["entered_by"] != "event" or frame["visits"]]
        below, above = stack[: max(waits, default=0)], stack[max(waits, default=0) :]
        under = cast("DialogueState", {**state, "flow_stack": below})
        _, pushed = self.push_flow(under, flow_name, entered_by="event", event=event, slots=given)
        return merge_deltas([pushed, FlowDelta(flow_stack=[*(pushed.flow_stack or []), *above])])

    def passed_down(self, flow_name: str, inputs: Mapping[str, str]) -> dict[str, str]:
        """Which slots a call gives to a flow, if they have values (theirs: ours)."""
        return {name: name for name in self._flows[flow_name].slot_names} | dict(inputs)

    def handle_intent_change(self, state: DialogueState, flow_name: str) -> FlowDelta:
        """The person wants another flow: the current one pauses; a paused one of that name comes back."""
        active = self.get_active_context(state)
        if active and active["flow_name"] == flow_name:
            return FlowDelta()
        left = self.drop_event(state)
        state = merge_delta(state, left)
        chains = self._chains(state["flow_stack"])
        wanted = next((chain for chain in reversed(chains) if chain[0]["flow_name"] == flow_name), None)
        others = [chain for chain in chains if chain is not wanted]
        # Spoken order: what this message has already started or answered goes on first.
        first = [frame for chain in others if _is_next(chain) for frame in chain]
        paused = [frame for chain in others if not _is_next(chain) for frame in self._paused(chain)]
        if wanted is not None:
            return merge_deltas([left, FlowDelta(flow_stack=[*paused, *wanted, *first])])
        _, pushed = self.push_flow(cast("DialogueState", {**state, "flow_stack": paused}), flow_name)
        return merge_deltas([left, pushed, FlowDelta(flow_stack=[*(pushed.flow_stack or []), *first])])

    def queue(self, state: DialogueState) -> tuple[list[FlowContext], FlowDelta]:
        """Let what was asked for, and comes only after the question on top, wait its turn; the next one first."""
        later = [frame for frame in reversed(state["flow_stack"]) if frame["entered_by"] == "user" and _is_new(frame)]
        stack = [cast("FlowContext", {**f, "flow_state": "queued"}) if f in later else f for f in state["flow_stack"]]
        return later, FlowDelta(flow_stack=stack)

    def started(self, state: DialogueState) -> list[str]:
        """What the person has open, by name, the last on top."""
        chains = self._chains(state["flow_stack"])
        return [chain[0]["flow_name"] for chain in chains if chain[0]["entered_by"] != "event"]

    def concerned(self, state: DialogueState) -> list[FlowContext]:
        """What the person was doing, with the flows it called, whatever the assistant has put on top of it."""
        chains = [chain for chain in self._chains(state["flow_stack"]) if chain[0]["entered_by"] != "event"]
        return chains[-1] if chains else []

    def update_frame(self, state: DialogueState, flow_id: str, **changes: Any) -> FlowDelta:
        """Change fields of one frame."""
        return FlowDelta(
            flow_stack=[
                cast("FlowContext", {**frame, **changes}) if frame["flow_id"] == flow_id else frame
                for frame in state["flow_stack"]
            ]
        )

    def called_by(self, state: DialogueState, flow_id: str) -> list[FlowContext]:
        """The flows that this one has called and that still run, nearest first."""
        chain = self.chain_of(state, flow_id)
        return chain[[frame["flow_id"] for frame in chain].index(flow_id) + 1 :]

    def chain_of(self, state: DialogueState, flow_id: str) -> list[FlowContext]:
        """What the person started, with everything it called, that this frame is part of."""
        return next(c for c in self._chains(state["flow_stack"]) if any(f["flow_id"] == flow_id for f in c))

    def drop_called(self, state: DialogueState, flow_id: str) -> FlowDelta:
        """Take off the flows that this one has called: it is going to do something else."""
        root = self.chain_of(state, flow_id)[0]["flow_id"]
        walk = Walk(self.world, state, root)
        walk.drop_called(next(frame for frame in walk.frames if frame["flow_id"] == flow_id))
        return walk.delta()

    def go_to(self, state: DialogueState, flow_id: str, step: str, place: str | None = None) -> FlowDelta:
        """Let a frame go on at another step, now and whenever it comes to the place it leaves again."""
        chain = self.chain_of(state, flow_id)
        walk = Walk(self.world, state, chain[0]["flow_id"])
        frame = next(frame for frame in walk.frames if frame["flow_id"] == flow_id)
        is_paused = any(frame["flow_state"] == "paused" for frame in walk.frames)
        walk.drop_called(frame)
        walk.go_around(frame, walk.place if place is None else place, step)
        rounds_at = self._flows[frame["flow_name"]].rounds_at
        rounds = rounds_at(step, frame["rounds"], step_of(place or walk.place)) if rounds_at else {}
        moved = {"current_step": step, "rounds": rounds, "asked": None, "answered": False, "returned": None}
        walk.frames[-1] = cast("FlowContext", {**frame, **moved, "flow_state": "paused" if is_paused else "active"})
        return walk.delta()

    def root_of(self, state: DialogueState, flow_id: str) -> str:
        """The flow that the person started and that led to this one."""
        return str(self.chain_of(state, flow_id)[0]["flow_id"])

    def forget_answers(self, state: DialogueState) -> FlowDelta:
        """Whether a question was answered matters to the message that answers it."""
        return FlowDelta(flow_stack=[{**frame, "answered": False} for frame in state["flow_stack"]])

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
        return chain if chain[-1]["flow_state"] == "queued" else [*chain[:-1], {**chain[-1], "flow_state": "paused"}]
