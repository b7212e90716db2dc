"""SubgraphBuilder: one LangGraph node per step, entered at the frame's cursor."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, cast

from langgraph.graph import END as GRAPH_END
from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command

from soni.core.pending_task import inform, requires_input
from soni.core.state import DialogueState
from soni.errors import ConfirmationVoid, LimitReached, SoniError
from soni.flow.delta import FlowDelta, changed, merge_delta, merge_deltas
from soni.flow.derivation.walk import Walk
from soni.flow.memory import Again, Refused
from soni.steps import END, Outcome, StepContext
from soni.steps.step import after_effect

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from soni.config.models import FlowConfig, Placed
    from soni.core.pending_task import PendingTask
    from soni.core.state import Asked, Entry, FlowContext, Handoff
    from soni.flow.manager import FlowManager
    from soni.steps import Step, Transfer


MOST_FRAMES = 50
"""How deep flows can call each other."""


class LiveStepContext(StepContext, Protocol):
    """A StepContext that also tells what was read."""

    @property
    def said(self) -> bool | None:
        """What a person has said to the step's question: something, to leave it out, or nothing yet."""

    def begins(self) -> None:
        """The step's `if` holds: what was said to its question counts now, and what it reads is noted."""

    @property
    def depth(self) -> int:
        """How many flows are open."""

    @property
    def reads(self) -> Collection[str]:
        """The slots that the step has looked at, its `if` apart."""

    @property
    def looked_at(self) -> Collection[str]:
        """The same with those of its `if`."""

    @property
    def seen(self) -> Mapping[str, Any]:
        """What was read, for a trace; sensitive values are masked."""

    def masked(self, text: str) -> str:
        """A text for logs and traces, without the values of sensitive slots."""


class StepRuntime(Protocol):
    """What a step's node needs of the turn it runs in."""

    @property
    def flow_manager(self) -> FlowManager: ...

    def step_context(self, walk: Walk, state: DialogueState, step: Step, visit: int) -> LiveStepContext: ...

    async def look_at_rules(self, walk: Walk, state: DialogueState) -> None:
        """Again if a rule over the slots of this flow is broken."""

    def effect(self, step: Step) -> str | None:
        """What kind of effect the step has on the world: pure, idempotent or once; None if it calls nothing."""

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
        step = self._placed.step
        walk = Walk(context.flow_manager.world, state)
        frame = walk.frame
        returning = frame["asked"] is not None and frame["asked"]["step"] == step.step
        visit = frame["visits"].get(step.step, 0) + (0 if returning else 1)
        if frame["returned"] is None:
            walk.arrive(walk.place, at_confirmation=step.confirms)
        live = context.step_context(walk, state, step, visit)
        entry: Entry | None = None
        try:
            if not self._is_wanted(live):
                outcome = self._skipped()
            else:
                await self._look(walk, state, live, context)
                entry = _kept(walk, step, live.said)
                outcome = _again(entry) if entry else await self._run(walk, live, context)
        except SoniError as error:
            outcome = _failure(error, live)
        if step.asks_for_value and outcome.task is None and frame["visits"].get(step.step) and not returning:
            outcome = replace(outcome, kept=True, why="answered before")
        return await _Visited(state, walk, self._placed, self._flow, visit, outcome, live, context, entry).command()

    def _skipped(self) -> Outcome:
        condition = self._placed.step.if_
        why = f"skipped: {condition.source} is false" if condition else ""
        return Outcome(why=why, goto=self._placed.next or END, skipped=True)

    def _is_wanted(self, live: LiveStepContext) -> bool:
        """Whether the step's `if` holds; a call that comes back was begun, and that is not the question any more."""
        condition = self._placed.step.if_
        return condition is None or live.returned is not None or condition.holds(live.slots)

    async def _look(self, walk: Walk, state: DialogueState, live: LiveStepContext, context: StepRuntime) -> None:
        """Let what was said here count; where something is asked, told or done, or may be by a call, rules hold."""
        live.begins()
        step = self._placed.step
        calls = step.flow is not None and live.returned is None
        if step.speaks or calls or context.effect(step) == "once":
            await context.look_at_rules(walk, state)

    async def _run(self, walk: Walk, live: LiveStepContext, context: StepRuntime) -> Outcome:
        step, effect = self._placed.step, context.effect(self._placed.step)
        if step.asks is not None and walk.is_gone(step.asks):
            return Outcome(why="answered before")
        if effect == "once" and (asks := walk.unconfirmed()):
            anew = await self._confirmed_anew(asks, live)
            if anew is not None:
                return anew
        outcome = await step.run(live)
        if outcome.transfer is not None and outcome.transfer.returns and live.depth >= MOST_FRAMES:
            raise LimitReached(f"{MOST_FRAMES} flows are open")
        return outcome

    async def _confirmed_anew(self, name: str, live: LiveStepContext) -> Outcome | None:
        """What was confirmed has changed since: it is asked again, here, before anything is done."""
        if name not in self._flow.plan:
            raise ConfirmationVoid("what was confirmed has changed in a flow that was called")
        outcome = await self._flow.plan[name].step.run(live)
        if outcome.task is not None and requires_input(outcome.task):
            return outcome
        # A no here is no way of the confirmation's own: nothing may follow that was not confirmed.
        said_no = Outcome(why=outcome.why, abandon=True, task=inform(live.phrase("stopped" if live.done else "denied")))
        return None if outcome.confirmed else said_no


def _kept(walk: Walk, step: Step, said: bool | None) -> Entry | None:
    """What the step did before, if it read nothing that has changed since and nobody has answered it."""
    entry = walk.entry()
    answered = said is not None or (step.asks is not None and walk.origin(step.asks) is not None)
    # After a failure it is told again what comes of it.
    has_failed = step.speaks and walk.chain["failed"] == walk.turn
    if entry is None or step.confirms or answered or has_failed:
        return None
    if walk.is_unchanged(entry["reads"]) or (entry["done"] and walk.is_as_done(entry)):
        return entry
    if entry["done"]:
        raise Refused("it was done with other values")
    return None


def _again(entry: Entry) -> Outcome:
    return Outcome(why="nothing it read has changed", goto=None if entry["goto"] == "" else entry["goto"] or END)


def _failure(error: SoniError, live: LiveStepContext) -> Outcome:
    """Only where nothing has happened yet may a person be asked to try again."""
    if not live.done:
        return Outcome(why=f"failed: {error}", abandon=True, event="error", task=inform(live.phrase("error")))
    task = inform(live.phrase(after_effect(live)))
    return Outcome(why=f"failed: {error}", abandon=True, handoff=True, task=task)


@dataclass(frozen=True, slots=True)
class _Visited:
    """A step that has run, on its way to becoming a change of the state."""

    state: DialogueState
    walk: Walk
    placed: Placed
    flow: FlowConfig
    visit: int
    outcome: Outcome
    live: LiveStepContext
    runtime: StepRuntime
    entry: Entry | None
    """What the step did before, if it is passed over now."""

    @property
    def frame(self) -> FlowContext:
        return self.walk.frame

    @property
    def manager(self) -> FlowManager:
        return self.runtime.flow_manager

    async def command(self) -> Command[str]:
        task = self._task()
        self.walk.chain["walked"] += 1
        self.walk.has_read({*self.live.looked_at, *(self.entry["reads"] if self.entry else ())})
        if task is not None and requires_input(task):
            if self.walk.chain["owed"]:
                raise Refused("it would be asked again before what was done")
            self._update(flow_state="waiting", asked=self._asked())
            return self._command(self.walk.delta(), task, then="waits")
        if self.outcome.abandon:
            if self.walk.chain["owed"]:
                raise Refused("it would end before what was done")
            return self._abandoned(task)
        if self.outcome.transfer is not None:
            then = f"goes to {self.outcome.transfer.flow}"
            return self._command(self._transferred(self.outcome.transfer), task, then=then)
        goto = self.outcome.goto or self.placed.step.jump_to or self.placed.next
        following = None if goto in (None, END) else goto
        try:
            delta = await self._moved(following)
        except Again:
            if not self.live.acted:
                raise
            # What was done here breaks a rule on what it was done with: it cannot be taken back.
            failed = _failure(ConfirmationVoid("what was done breaks a rule"), self.live)
            return replace(self, outcome=failed)._abandoned(failed.task)
        return self._command(delta, task, goto=following, then=following or "ends")

    def _command(
        self, delta: FlowDelta, task: PendingTask | None, *, then: str, goto: str | None = None
    ) -> Command[str]:
        step = self.placed.step
        flow = self.state["flow_stack"][-1]["flow_name"]
        entry: dict[str, Any] = {"flow": flow, "step": step.step, "type": step.type, "visit": self.visit, "then": then}
        if self.entry is not None or self.outcome.kept:
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

    def _update(self, **changes: Any) -> None:
        visits = {**self.frame["visits"], self.placed.step.step: self.visit}
        self.walk.frames[-1] = cast("FlowContext", {**self.frame, "visits": visits, **changes})

    def _asked(self) -> Asked:
        step = self.placed.step
        return {"step": step.step, "visit": self.visit, "mark": step.mark, "shown": self.walk.marks(self.live.reads)}

    def _transferred(self, transfer: Transfer) -> FlowDelta:
        if not transfer.returns:
            self._update()
            return self.manager.link_flow(merge_delta(self.state, self.walk.delta()), transfer.flow)
        self._update(asked=self._asked(), returned=None)
        names = self.manager.passed_down(transfer.flow, transfer.inputs)
        self.walk.call(transfer.flow, names, event=transfer.event)
        for name, value in transfer.about.items():
            self.walk.give(f"_{name}", value)
        return self.walk.delta()

    async def _moved(self, following: str | None) -> FlowDelta:
        walk, step, outcome = self.walk, self.placed.step, self.outcome
        if self.entry is None:
            self._remember(following)
        elif self.entry["writes"] or self.entry["done"]:
            walk.settle(self.entry, empties=step.empties)
        if step.asks_for_value and not outcome.skipped:
            await self.runtime.look_at_rules(walk, self.state)
        visits = (
            self.frame["visits"]
            if self.entry is not None or outcome.kept
            else {**self.frame["visits"], step.step: self.visit}
        )
        rounds = self._rounds(following)
        walk.frames[-1] = cast(
            "FlowContext",
            {
                **self.frame,
                "flow_state": "active",
                "current_step": following,
                "rounds": rounds,
                "visits": visits,
                "asked": None,
                "returned": None,
            },
        )
        walk.ends_rounds(rounds)
        if following is not None:
            return walk.delta()
        await self.runtime.look_at_rules(walk, self.state)
        if not self.frame["path"] and walk.chain["owed"]:
            raise Refused("it would end before what was done")
        moved = walk.delta()
        _, popped = self.manager.pop_flow(merge_delta(self.state, moved))
        return merge_deltas([moved, popped])

    def _remember(self, following: str | None) -> None:
        """What the step has done, for the next time the flow is derived."""
        walk, step, outcome = self.walk, self.placed.step, self.outcome
        if outcome.returned is not None:
            walk.take_returned(outcome.returned, self.live.own_slots)
        elif outcome.confirmed is not None:
            shown = walk.marks(self.live.reads)
            walk.has_confirmed(step.step, step.mark, {slot: mark for slot, mark in shown.items() if slot != step.asks})
            walk.write(outcome.writes)
        elif outcome.rounds is not None:
            for slot in outcome.forget:
                walk.forget(slot)
        elif not outcome.skipped:
            self._record(following)

    def _record(self, following: str | None) -> None:
        walk, step, outcome = self.walk, self.placed.step, self.outcome
        writes = {**dict.fromkeys(sorted(outcome.forget)), **outcome.writes}
        # A question is remembered only where it was given up; its answer is a fact.
        is_given_up = step.asks is not None and outcome.goto is not None
        if is_given_up or self.live.acted or (step.asks is None and (step.remembers or writes)):
            reads = {} if is_given_up else walk.marks(self.live.reads)
            goto = "" if outcome.goto is None else following
            if outcome.goto is not None and self.runtime.effect(step) is not None:
                walk.chain["failed"] = walk.turn
            entry = walk.record(reads, writes, done=self.live.acted, goto=goto)
            walk.settle(entry, empties=step.empties)

    def _rounds(self, following: str | None) -> dict[str, int]:
        """Counts of the loops that the next step is still in; a loop left behind starts anew."""
        if following is None:
            return {}
        here, rounds = self.placed.step.step, self.frame["rounds"]
        if self.outcome.rounds is not None:
            rounds = {**rounds, here: self.outcome.rounds}
        return self.flow.rounds_at(following, rounds, here)
