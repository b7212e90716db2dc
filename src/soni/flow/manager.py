"""FlowManager: the stack of running flows and their slots, as pure operations over the state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from soni.core.state import CONVERSATION
from soni.flow.delta import FlowDelta, merge_delta, merge_deltas
from soni.flow.going_back import asked_inside, asked_later, before_it, called_again, calls_one_with, kept_for_call
from soni.flow.trail import FlowShape, after_word, can_go_back, holds_value, up_to_front

if TYPE_CHECKING:
    from collections.abc import Mapping

    from soni.core.state import DialogueState, EnteredBy, FlowContext, FlowState, Inner, Passed
    from soni.flow.trail import Question

__all__ = ["FlowManager", "FlowShape", "has_acted", "merge_delta"]


def has_acted(frame: FlowContext) -> bool:
    """Whether this flow, or one it called, has done something that must not be done twice."""
    returned = frame["returned"]
    return frame["acted"] or (returned is not None and returned["acted"])


def _is_next(chain: list[FlowContext]) -> bool:
    return not chain[-1]["visits"] or chain[-1]["answer"] is not None


def _is_left(chain: list[FlowContext]) -> bool:
    """Whether the flow of an event waits for an answer that does not come."""
    return chain[0]["entered_by"] == "event" and not _is_next(chain)


class FlowManager:
    """Answers questions about the running flows, and returns every change as a FlowDelta."""

    def __init__(self, flows: Mapping[str, FlowShape], conversation_slots: frozenset[str] = frozenset()) -> None:
        self._flows = flows
        self._conversation_slots = conversation_slots

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

    def write(
        self,
        state: DialogueState,
        name: str,
        value: Any,
        flow_id: str,
        *,
        leave_out: bool = False,
        answers: bool = False,
        spoken: bool = True,
    ) -> FlowDelta:
        """Store what a person said; what the flow has passed will not bring the old value back.

        What answers the open question is new, and says nothing about what was passed.
        """
        frame = self._frame(state, flow_id)
        questions = self._flows[frame["flow_name"]].questions
        # What nobody said is only forgotten, and overrules nothing.
        turn = state["turn"] + 1 if spoken else None
        heard = after_word(frame, name, value, questions, turn=turn, leave_out=leave_out, answers=answers)
        move = self.update_frame(state, flow_id, trail=heard[0], ahead=heard[1])
        to_come = frame["ahead"][: up_to_front(frame)]
        is_asked = answers and frame["asked"] is not None
        if not is_asked and name in asked_later(to_come, frame["rounds"], questions):
            return move  # it belongs to a round that the frame comes to again, and is kept for it
        return merge_deltas([self.set_slot(state, name, value, flow_id), move])

    def is_ahead(self, frame: FlowContext, name: str) -> bool:
        """Whether a frame that has gone back will come again to where this slot was given."""
        questions = self._flows[frame["flow_name"]].questions
        return holds_value(frame["ahead"][: up_to_front(frame)], name, questions)

    def called_before(self, state: DialogueState, name: str) -> str | None:
        """The frame that is going to call a flow again which has this slot, and which a value can be kept for."""
        for frame in reversed(state["flow_stack"]):
            if any(calls_one_with(passed, name, self._flows) for passed in frame["ahead"]):
                return str(frame["flow_id"])
        return None

    def write_ahead(self, state: DialogueState, name: str, value: Any, flow_id: str) -> FlowDelta:
        """Keep what a person said for a flow that is going to be called again."""
        ahead = kept_for_call(self._frame(state, flow_id)["ahead"], name, value, self._flows, turn=state["turn"] + 1)
        return self.update_frame(state, flow_id, ahead=ahead)

    def _frame(self, state: DialogueState, flow_id: str) -> FlowContext:
        return next(frame for frame in state["flow_stack"] if frame["flow_id"] == flow_id)

    def questions(self, flow_name: str) -> Mapping[str, Question]:
        """The steps of a flow that ask people for something."""
        return self._flows[flow_name].questions

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
        ahead: list[Passed] | None = None,
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
            "visits": {},
            "rounds": {},
            "attempts": 0,
            "acted": False,
            "trail": [],
            "ahead": ahead or [],
            "asked": None,
            "answer": None,
            "returned": None,
        }
        started = state["flows_started"]
        return flow_id, FlowDelta(
            flow_stack=[*state["flow_stack"], frame],
            # What belongs to the conversation is never copied into a flow: it would hide later values.
            flow_slots={flow_id: {n: v for n, v in (slots or {}).items() if n not in self._conversation_slots}},
            flow_count=count,
            flows_started=started if flow_name in started else [*started, flow_name],
        )

    def pop_flow(self, state: DialogueState) -> tuple[FlowContext | None, FlowDelta]:
        """Take the top flow off the stack with its slots; a caller receives them as what was returned."""
        if not state["flow_stack"]:
            return None, FlowDelta()
        *below, popped = state["flow_stack"]
        if popped["entered_by"] == "call" and below:
            slots = state["flow_slots"].get(popped["flow_id"], {})
            inner: Inner = {"flow": popped["flow_name"], "trail": popped["trail"]}
            below[-1] = {**below[-1], "returned": {"slots": slots, "acted": has_acted(popped), "inner": inner}}
        return popped, FlowDelta(flow_stack=below, forgotten=frozenset({popped["flow_id"]}))

    def cancel_flow(self, state: DialogueState) -> tuple[list[FlowContext], FlowDelta]:
        """Take off the flow the person is in: the one they started, with everything it called.

        What the assistant has just begun to say is none of it.
        """
        chains = self._chains(state["flow_stack"])
        open_ones = [chain for chain in chains if chain[0]["entered_by"] != "event" or chain[0]["visits"]]
        chain = open_ones[-1] if open_ones else []
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
        slots = state["flow_slots"].get(top["flow_id"], {})
        carried = {name: value for name, value in slots.items() if name in self._flows[flow_name].slot_names}
        gone = FlowDelta(flow_stack=state["flow_stack"][:-1], forgotten=frozenset({top["flow_id"]}))
        # A called flow that links hands its caller on: somebody still waits for what it returns.
        entered_by: EnteredBy = top["entered_by"] if top["entered_by"] in ("call", "event") else "link"
        flow_id, pushed = self.push_flow(
            merge_delta(state, gone), flow_name, entered_by=entered_by, event=top["event"], slots=carried
        )
        after = merge_deltas([gone, pushed])
        return merge_deltas([after, self.update_frame(merge_delta(state, after), flow_id, acted=has_acted(top))])

    def call_flow(
        self,
        state: DialogueState,
        flow_name: str,
        inputs: Mapping[str, str],
        outputs: Mapping[str, str] | None = None,
        before: Passed | None = None,
        event: str | None = None,
    ) -> FlowDelta:
        """Start a flow that will come back; same-named slots go in, `inputs` maps others (theirs: ours).

        One that was called `before` takes up what people gave it then, but for what has changed since.
        """
        ours = self.get_slots(state)
        names = self.passed_down(flow_name, inputs)
        shape = self._flows[flow_name]
        ahead, anew = called_again(before, flow_name, names, outputs or {}, ours, shape, turn=state["turn"] + 1)
        given = {theirs: ours.get(name) for theirs, name in names.items()} | anew
        given = {theirs: value for theirs, value in given.items() if value is not None}
        event = event or state["flow_stack"][-1]["event"]
        _, pushed = self.push_flow(state, flow_name, entered_by="call", event=event, slots=given, ahead=ahead)
        return pushed

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

    def caller_of(self, state: DialogueState, flow_id: str) -> FlowContext | None:
        """The frame that waits for this one to return."""
        chain = self.chain_of(state, flow_id)
        place = [frame["flow_id"] for frame in chain].index(flow_id)
        return chain[place - 1] if place else None

    def chain_of(self, state: DialogueState, flow_id: str) -> list[FlowContext]:
        """What the person started, with everything it called, that this frame is part of."""
        return next(c for c in self._chains(state["flow_stack"]) if any(f["flow_id"] == flow_id for f in c))

    def drop_called(self, state: DialogueState, flow_id: str) -> FlowDelta:
        """Take off the flows that this one has called: it is going to do something else."""
        return self._off(state, self.called_by(state, flow_id))

    def go_back(
        self, state: DialogueState, flow_id: str, place: int | None, slot: str | None = None
    ) -> FlowDelta | None:
        """Back to a step of a frame's trail, or, without a place, to the call that the frame stands at.

        What the steps wrote since is taken back, last first; what the person said stays; flows called meanwhile are
        dropped. What was passed lies ahead again, so that steps nothing changes for are passed over. None if something
        was done on that stretch that must not be done twice and has to do with the slot.
        """
        frame = self._frame(state, flow_id)
        undone = [] if place is None else frame["trail"][place:]
        called = self.called_by(state, flow_id)
        if not can_go_back(undone, slot) or any(has_acted(f) for f in called):
            return None
        dropped = self.drop_called(state, flow_id)
        old_values = [(name, old) for passed in reversed(undone) for name, old in passed["wrote"].items()]
        restored = [self.set_slot(state, name, old, flow_id) for name, old in old_values]
        rounds = undone[0]["rounds"] if undone else frame["rounds"]
        ahead = [*undone, *before_it(state, [frame, *called], self._flows)]
        # Rounds that are begun anew are asked for anew, and what was said in them lies ahead.
        inside = asked_inside(ahead, rounds, self._flows[frame["flow_name"]].questions)
        restored += [self.set_slot(state, name, None, flow_id) for name in sorted(inside)]
        move = self.update_frame(
            merge_delta(state, dropped),
            flow_id,
            flow_state=self._paused_or_active([frame, *called]),
            current_step=undone[0]["step"] if undone else frame["current_step"],
            rounds=rounds,
            trail=frame["trail"][:place],
            ahead=ahead,
            asked=None,
            answer=None,
            returned=None,
            attempts=0,
        )
        return merge_deltas([dropped, *restored, move])

    def _paused_or_active(self, frames: list[FlowContext]) -> FlowState:
        return "paused" if any(frame["flow_state"] == "paused" for frame in frames) else "active"

    def go_to(self, state: DialogueState, flow_id: str, step: str) -> FlowDelta:
        """Let a frame go on at another step; flows it called are dropped."""
        dropped = self.drop_called(state, flow_id)
        move = self.update_frame(
            merge_delta(state, dropped),
            flow_id,
            flow_state=self._paused_or_active([self._frame(state, flow_id), *self.called_by(state, flow_id)]),
            current_step=step,
            ahead=[],
            asked=None,
            answer=None,
            returned=None,
            attempts=0,
        )
        return merge_deltas([dropped, move])

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
