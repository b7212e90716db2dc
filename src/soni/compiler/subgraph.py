"""SubgraphBuilder: one LangGraph node per step, entered at the frame's cursor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, cast

from langgraph.graph import END as GRAPH_END
from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command

from soni.core.pending_task import inform, requires_input
from soni.core.state import DialogueState, digest
from soni.errors import ConfirmationVoid, LimitReached, SoniError
from soni.flow.delta import FlowDelta, changed, merge_delta, merge_deltas
from soni.flow.trail import bounded, decided_anew, is_settled, passed_before, still_ahead, unchanged
from soni.steps import END, Outcome, StepContext
from soni.steps.confirm import ConfirmStepConfig
from soni.steps.step import after_effect

if TYPE_CHECKING:
    from collections.abc import Mapping

    from soni.config.models import FlowConfig, Placed
    from soni.core.pending_task import PendingTask
    from soni.core.state import Asked, FlowContext, Handoff, Passed
    from soni.flow.manager import FlowManager
    from soni.steps import Step, Transfer


MOST_FRAMES = 50
"""How deep flows can call each other."""


class LiveStepContext(StepContext, Protocol):
    """A StepContext that also tells what was read."""

    @property
    def reads(self) -> Mapping[str, Any]: ...

    @property
    def stored(self) -> Mapping[str, Any]:
        """The slots as they stand in the state."""

    @property
    def seen(self) -> Mapping[str, Any]:
        """What was read, for a trace; sensitive values are masked."""

    @property
    def needs_confirmation(self) -> bool:
        """Whether the step does something that must not happen unless it was confirmed as it is now."""

    def may_keep(self, slot: str) -> bool:
        """Whether a value may be kept beside its slot."""

    def is_secret(self, slot: str) -> bool:
        """Whether a value may stand nowhere but in its slot."""

    def masked(self, text: str) -> str:
        """A text for logs and traces, without the values of sensitive slots."""


class StepRuntime(Protocol):
    """What a step's node needs of the turn it runs in."""

    @property
    def flow_manager(self) -> FlowManager: ...

    def step_context(self, state: DialogueState, step: Step, visit: int) -> LiveStepContext: ...

    def label(self, flow: str, state: DialogueState) -> str:
        """What to call a flow when talking about it."""

    def handoff(self, state: DialogueState, reason: str | None) -> Handoff | None:
        """What a person is told who gets the conversation; None if there is nobody."""


class SubgraphBuilder:
    """Compiles flows onto LangGraph."""

    def build(self, flow: FlowConfig) -> StateGraph[DialogueState, Any]:
        """The graph of one flow."""
        graph: StateGraph[DialogueState, Any] = StateGraph(DialogueState)
        for name, placed in flow.plan.items():
            graph.add_node(name, _StepNode(placed, flow), destinations=_ways(placed, flow))
        graph.add_conditional_edges(START, _cursor, list(flow.plan))
        return graph

    def compile(self, flow: FlowConfig) -> Any:
        """The graph of one flow, ready to run. The orchestrator's checkpoint is the only one there is."""
        return self.build(flow).compile(checkpointer=False)


def _ways(placed: Placed, flow: FlowConfig) -> tuple[str, ...]:
    ways = {*placed.step.targets.values(), placed.step.jump_to, placed.next}
    return (*sorted(way for way in ways if way in flow.plan), GRAPH_END)


async def _cursor(state: DialogueState) -> str:
    # A coroutine, although it waits for nothing: LangGraph runs plain functions on the threads that actions use.
    return cast("str", state["flow_stack"][-1]["current_step"])


class _StepNode:
    """A step as LangGraph runs it; an object, because LangGraph looks through the code of every function it gets."""

    def __init__(self, placed: Placed, flow: FlowConfig) -> None:
        self._placed = placed
        self._flow = flow

    async def __call__(self, state: DialogueState, runtime: Runtime[Any]) -> Command[str]:
        context: StepRuntime = runtime.context
        placed, name = self._placed, self._placed.step.step
        frame = state["flow_stack"][-1]
        returning = frame["asked"] is not None and frame["asked"]["step"] == name
        visit = frame["visits"].get(name, 0) + (0 if returning else 1)
        live = context.step_context(state, placed.step, visit)
        before = passed_before(frame, name)
        over = before if before and not returning and _holds(before, frame, placed.step, live) else None
        try:
            if before is not None and before["acted"] and over is None:
                raise ConfirmationVoid("what was done was done with other values")
            if over is None and live.needs_confirmation and (stale := _stale_confirmation(state, context.flow_manager)):
                return _confirmed_anew(state, *stale, context.flow_manager)
            outcome = _again(over, placed.step) if over else await _outcome(placed, live)
            if outcome.transfer is not None and outcome.transfer.returns and len(state["flow_stack"]) >= MOST_FRAMES:
                raise LimitReached(f"{MOST_FRAMES} flows are open")
        except SoniError as error:
            outcome = _failure(error, live)
        return _Visited(state, frame, placed, self._flow, visit, outcome, live, context, before, over).command()


def _failure(error: SoniError, live: LiveStepContext) -> Outcome:
    """Only where nothing has happened yet may a person be asked to try again."""
    if not live.done:
        return Outcome(why=f"failed: {error}", abandon=True, event="error", task=inform(live.phrase("error")))
    task = inform(live.phrase(after_effect(live)))
    return Outcome(why=f"failed: {error}", abandon=True, handoff=True, task=task)


def _holds(passed: Passed, frame: FlowContext, step: Step, live: LiveStepContext) -> bool:
    """Whether a step that was passed before a correction need not run again."""
    if step.asks is not None and step.passed_over:
        # What people said stays said; only whether to ask at all is decided anew.
        wanted = step.if_ is None or step.if_.holds(live.slots)
        known = step.asks in passed["left"] or (live.slots.get(step.asks) is not None and passed["visit"] > 0)
        return wanted and known
    settled = step.passed_over or is_settled(passed, frame["ahead"])
    return settled and unchanged(passed, live.stored)


def _again(passed: Passed, step: Step) -> Outcome:
    return Outcome(
        why="answered before" if step.asks else "nothing it read has changed",
        goto=None if passed["goto"] == "" else passed["goto"] or END,
        writes={slot: value for slot, value in passed["left"].items() if value is not None},
        forget=frozenset(slot for slot, value in passed["left"].items() if value is None),
    )


async def _outcome(placed: Placed, ctx: StepContext) -> Outcome:
    step = placed.step
    # A call that comes back was begun; whether to begin it is not the question any more.
    if step.if_ is not None and ctx.returned is None and not step.if_.holds(ctx.slots):
        return Outcome(why=f"skipped: {step.if_.source} is false", goto=placed.next or END, skipped=True)
    return await step.run(ctx)


@dataclass(frozen=True, slots=True)
class _Visited:
    """A step that has run, on its way to becoming a change of the state."""

    state: DialogueState
    frame: FlowContext
    placed: Placed
    flow: FlowConfig
    visit: int
    outcome: Outcome
    live: LiveStepContext
    runtime: StepRuntime
    before: Passed | None
    """How the step was passed before a correction."""
    over: Passed | None
    """The same, if it is passed over now."""

    @property
    def manager(self) -> FlowManager:
        return self.runtime.flow_manager

    def command(self) -> Command[str]:
        task = self._task()
        if task is not None and requires_input(task):
            return self._command(self._update(flow_state="waiting", asked=self._asked()), task, then="waits")
        if self.outcome.abandon:
            return self._abandoned(task)
        if self.outcome.transfer is not None:
            then = f"goes to {self.outcome.transfer.flow}"
            return self._command(self._transferred(self.outcome.transfer), task, then=then)
        goto = self.outcome.goto or self.placed.step.jump_to or self.placed.next
        following = None if goto in (None, END) else goto
        return self._command(self._moved(following), task, goto=following, then=following or "ends")

    def _command(
        self, delta: FlowDelta, task: PendingTask | None, *, then: str, goto: str | None = None
    ) -> Command[str]:
        step = self.placed.step
        flow = self.frame["flow_name"]
        entry: dict[str, Any] = {"flow": flow, "step": step.step, "type": step.type, "visit": self.visit, "then": then}
        if self.over is not None:
            entry["passed_over"] = True
        if self.outcome.why:
            entry["why"] = self.live.masked(self.outcome.why)
        if step.if_ is not None or step.expressions or step.type == "branch":
            entry["saw"] = dict(self.live.seen)
        delta = merge_deltas([delta, FlowDelta(trace=(entry,))])
        return Command(update={**changed(self.state, delta), "_pending_task": task}, goto=goto or GRAPH_END)

    def _abandoned(self, task: PendingTask | None) -> Command[str]:
        """End what the person started; an author's flow for it may follow, or a person."""
        chain, ended = self.manager.abandon_flow(self.state)
        event = "handoff" if self.outcome.handoff else self.outcome.event or ""
        reason = self._reason(chain)
        flow = self.live.event_flow(event)
        if flow is not None:
            about = {"flow": self.runtime.label(chain[0]["flow_name"], self.state), "reason": reason}
            follows = self.manager.start_event(merge_delta(self.state, ended), event, flow, about)
            return self._command(merge_deltas([ended, follows]), None, then=f"goes to {flow}")
        person = self.runtime.handoff(self.state, reason) if self.outcome.handoff else None
        if person is not None and task is not None:
            ended = merge_deltas([ended, FlowDelta(person=person)])
            task = cast("PendingTask", {**task, "metadata": {"kind": "handoff", "data": {"reason": reason}}})
        return self._command(ended, task, then="stops")

    def _reason(self, chain: list[FlowContext]) -> str | None:
        """Why the flow cannot go on: in its own words, as the event told it, or as the action before it failed."""
        told = [self.state["flow_slots"][frame["flow_id"]].get("_reason") for frame in chain]
        last = self.state["trace"][-1] if self.state["trace"] else {}
        failed = last.get("why") if last.get("type") == "action" else None
        reason = self.outcome.why or next((text for text in told if text), None) or failed
        return self.live.masked(reason) if reason else None

    def _task(self) -> PendingTask | None:
        if self.outcome.task is None:
            return None
        key = f"{self.frame['flow_id']}/{self.placed.step.step}/{self.visit}"
        return cast("PendingTask", {**self.outcome.task, "id": key})

    def _update(self, **changes: Any) -> FlowDelta:
        visits = {**self.frame["visits"], self.placed.step.step: self.visit}
        return self.manager.update_frame(self.state, self.frame["flow_id"], visits=visits, **changes)

    def _digests(self) -> dict[str, str]:
        return {slot: digest(value) for slot, value in self.live.reads.items()}

    def _asked(self) -> Asked:
        step = self.placed.step
        return {"step": step.step, "visit": self.visit, "mark": step.mark, "shown": self._digests()}

    def _transferred(self, transfer: Transfer) -> FlowDelta:
        if not transfer.returns:
            return self.manager.link_flow(self.state, transfer.flow)
        # What goes down is what the call has read, however the called flow names it.
        stored = self.manager.get_slots(self.state)
        given = self.manager.passed_down(transfer.flow, transfer.inputs).values()
        asked = self._asked()
        asked["shown"] |= {slot: digest(stored.get(slot)) for slot in given}
        here = self._update(asked=asked, returned=None)
        after = merge_delta(self.state, here)
        call = self.manager.call_flow(
            after, transfer.flow, transfer.inputs, transfer.outputs, self.before, transfer.event
        )
        called = merge_delta(after, call)
        told = [self.manager.set_slot(called, f"_{name}", value) for name, value in transfer.about.items()]
        return merge_deltas([here, call, *told])

    def _moved(self, following: str | None) -> FlowDelta:
        flow_id = self.frame["flow_id"]
        asked, returned = self.frame["asked"], self.frame["returned"]
        before = self.manager.get_slots(self.state, flow_id)
        decided = self._decided()
        writes = {slot: value for slot, value in decided.items() if before.get(slot) != value}
        sets = () if self.outcome.skipped else self.placed.step.sets.values()
        own = {slot for slot in {*sets, *decided} if self.live.may_keep(slot)}
        reads = {**(asked["shown"] if asked and returned else {}), **self._digests()}
        passed: Passed = {
            "step": self.placed.step.step,
            "visit": self.visit,
            "reads": self.over["reads"] if self.over else reads,
            "wrote": {slot: before.get(slot) for slot in writes if not self.live.is_secret(slot)},
            "left": {slot: {**before, **writes}.get(slot) for slot in sorted(own)},
            "overruled": self._overruled({**dict.fromkeys(self.outcome.forget), **self.outcome.writes}),
            "forgot": [] if self.placed.step.asks else sorted(self.outcome.forget),
            "rounds": self.frame["rounds"],
            "acted": self.live.acted or (self.over is not None and self.over["acted"]),
            "confirmed": isinstance(self.placed.step, ConfirmStepConfig) and not self.outcome.abandon,
            "goto": following,
            "inner": self.over["inner"] if self.over else returned["inner"] if returned else None,
            "front": False,
        }
        ahead = still_ahead(self.frame, self.placed.step.step)
        if self.over is None and self.outcome.rounds is None:
            had = self.before["left"] if self.before else {}
            ahead = decided_anew(
                ahead, {s for s, v in decided.items() if s not in had or had[s] != v}, passed["rounds"]
            )
        delta = merge_deltas(
            [
                *(self.manager.set_slot(self.state, slot, value, flow_id) for slot, value in writes.items()),
                self._update(
                    flow_state="active",
                    current_step=following,
                    rounds=self._rounds(following),
                    attempts=0,
                    acted=self.frame["acted"] or self.live.acted,
                    asked=None,
                    answer=None,
                    returned=None,
                    trail=bounded([*self.frame["trail"], passed]),
                    ahead=ahead,
                ),
            ]
        )
        if following is not None:
            return delta
        _, popped = self.manager.pop_flow(merge_delta(self.state, delta))
        return merge_deltas([delta, popped])

    def _decided(self) -> dict[str, Any]:
        """What the step gives its slots; where it decides as before, a person's later word stands."""
        decided = {**dict.fromkeys(self.outcome.forget), **self.outcome.writes}
        return {slot: value for slot, value in decided.items() if slot not in self._overruled(decided)}

    def _overruled(self, decided: Mapping[str, Any]) -> dict[str, list[Any]]:
        """What a person has said otherwise than this step decides: before, as it does now, or in this very turn."""
        before = self.before["overruled"] if self.before else {}
        if self.over is not None:
            return before
        this_turn = self.state["turn"] + 1
        return {
            slot: [decided.get(slot, value), turn]
            for slot, (value, turn) in before.items()
            if slot not in decided or decided[slot] == value or turn == this_turn
        }

    def _rounds(self, following: str | None) -> dict[str, int]:
        """Counts of the loops that the next step is still in; a loop left behind starts anew."""
        rounds = dict(self.frame["rounds"])
        if self.outcome.rounds is not None:
            rounds[self.placed.step.step] = self.outcome.rounds
        inside = {following, *self.flow.plan[following].loops} if following is not None else set()
        return {loop: count for loop, count in rounds.items() if count and loop in inside}


def _stale_confirmation(state: DialogueState, manager: FlowManager) -> tuple[FlowContext, int] | None:
    """The last confirmation on the way here, if what it showed is not what would be acted on now.

    What steps have written since is the author's doing and does not count.
    """
    computed: set[str] = set()
    for frame in reversed(manager.chain_of(state, state["flow_stack"][-1]["flow_id"])):
        stored = manager.get_slots(state, frame["flow_id"])
        for place in range(len(frame["trail"]) - 1, -1, -1):
            passed = frame["trail"][place]
            if not passed["confirmed"]:
                computed |= set(passed["wrote"])
                continue
            shown = {slot: mark for slot, mark in passed["reads"].items() if slot not in computed}
            unchanged = all(digest(stored.get(slot)) == mark for slot, mark in shown.items())
            return None if unchanged else (frame, place)
    return None


def _confirmed_anew(state: DialogueState, frame: FlowContext, place: int, manager: FlowManager) -> Command[str]:
    """Back to the confirmation, so that it is asked about what is true now."""
    back = manager.go_back(state, frame["flow_id"], place)
    if back is None:
        raise ConfirmationVoid("what was confirmed has changed, and something was done with it already")
    why = {"flow": frame["flow_name"], "event": "confirmed anew", "why": "what was shown has changed"}
    delta = merge_deltas([back, FlowDelta(trace=(why,))])
    return Command(update={**changed(state, delta), "_pending_task": None}, goto=GRAPH_END)
