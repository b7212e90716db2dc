"""SubgraphExecutor: runs the flow on top of the stack, again and again, until one waits or none is left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from langgraph.errors import GraphRecursionError

from soni.core.pending_task import inform, is_collect, requires_input
from soni.dm.orchestrator.changing import broken_texts, changed_texts, refused, unmendable
from soni.dm.orchestrator.handler import told
from soni.flow.delta import FlowDelta, merge_delta, merge_deltas
from soni.flow.derivation.message import Pass
from soni.flow.derivation.walk import Walk
from soni.flow.memory import Again, Refused
from soni.runtime.live_step import LiveSteps

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

    from soni.core.pending_task import PendingTask
    from soni.core.state import DialogueState, FlowContext
    from soni.flow.memory import Change
    from soni.runtime.context import RuntimeContext
    from soni.runtime.rules import Broken


class SubgraphExecutor:
    """Streams the steps of the active flow; a flow that ends gives way to the one below in the same turn."""

    def __init__(self, context: RuntimeContext) -> None:
        self._context = context

    async def execute(
        self, state: DialogueState, words: Sequence[Change] = (), offers: Mapping[str, tuple[str, ...]] | None = None
    ) -> AsyncIterator[DialogueState]:
        """The state after each step, with the task the step has for the person, if it has one.

        What the message says is tried; what it leads to is told when it is sure that it stands. `offers` is for slots
        whose values were refused: what could be said instead.
        """
        turn, context = self._context.turn, self._context
        tried = Pass(context.flow_manager.world, _without_task(state), list(words))
        notices: list[PendingTask] = []
        turn.hold(tightly=tried.changes)
        yield tried.base
        after = tried.base
        while True:
            try:
                async for after in self._tried(tried, notices):
                    yield _offering(after, {**(offers or {}), **{b.rule.own: b.options for b in tried.errors}})
                break
            except Again as again:
                turn.drop()
                if not tried.again(again):
                    tried.taken(self._noted(notices, tried.base, unmendable(tried.base, context)))
            except Refused as refusal:
                turn.drop()
                if self._is_changed_outside(tried):
                    tried.base = tried.stay(tried.base)
                    continue
                follows = tried.refuse()
                if follows == "refused":
                    tried.base = self._noted(notices, tried.base, refused(refusal, tried.base, context))
                elif follows == "stay":
                    was_changed = bool(Walk(context.flow_manager.world, tried.base).chain["undo"])
                    tried.taken(tried.stay(tried.base))
                    if was_changed:
                        tried.base = self._noted(notices, tried.base, refused(refusal, tried.base, context))
                elif follows == "person":
                    tried.taken(self._noted(notices, tried.base, unmendable(tried.base, context)))
        await turn.release()
        yield self._settled(after, counts=tried.had_errors or bool(offers))

    def _counted(self, state: DialogueState, errors: Sequence[Broken]) -> DialogueState:
        """Each rule that was broken counts as an attempt at its slot."""
        manager = self._context.flow_manager
        for broken in errors if state["flow_stack"] else ():
            state = merge_delta(state, manager.count_attempt(state, manager.roots(state)[0], broken.rule.own))
        return state

    def _settled(self, state: DialogueState, *, counts: bool) -> DialogueState:
        """What is left when the turn is over.

        Attempts count as long as something is refused in each turn; those at the open question stay.
        """
        task = state["_pending_task"]
        asked = task["slot"] if task is not None and is_collect(task) else ""
        for root in state["chains"]:
            walk = Walk(self._context.flow_manager.world, state, root)
            walk.leave_open()
            walk.chain["undo"] = walk.chain["undo"] if walk.waits else []
            attempts = walk.chain["attempts"]
            kept = {question: n for question, n in attempts.items() if counts or question in (walk.place, asked)}
            walk.chain["attempts"] = kept
            state = merge_delta(state, walk.delta())
        return _without_task(state)

    def _is_changed_outside(self, tried: Pass) -> bool:
        """Whether the flow would be derived again without a word of this message: that is not the message's fault."""
        if not tried.words or not tried.base["flow_stack"]:
            return False
        return Walk(self._context.flow_manager.world, tried.base).is_stale

    def _noted(self, notices: list[PendingTask], state: DialogueState, delta: FlowDelta) -> DialogueState:
        notices += delta.tasks
        return merge_delta(state, delta)

    async def _tried(self, tried: Pass, notices: list[PendingTask]) -> AsyncIterator[DialogueState]:
        """One pass: from what is sure to where the flows wait or end."""
        state = self._counted(tried.state(), tried.errors)
        first = [*notices, *changed_texts(tried, self._context), *broken_texts(tried, self._context)]
        budget, known = self._context.config.settings.max_steps, 0
        # Once a person has the conversation, the flows stand still until it is given back.
        while state["flow_stack"] and state["person"] is None:
            if state["flow_stack"][-1]["flow_state"] in ("paused", "queued"):
                state = self._resumed(state)
                yield state
            for notice in _telling(state, first):
                yield notice
            first = []
            if budget <= 0:
                state = self._stopped(state)
                yield state
                budget = self._context.config.settings.max_steps
                continue
            state, more = self._derived(state)
            known += more
            running, root = state["flow_stack"][-1], self._context.flow_manager.roots(state)[0]
            async for after in self._run(state, budget + known):
                done = _done(after) > _done(state)
                for notice in _telling(after, self._announced(after)):
                    yield notice
                # The way that it had come before is not new.
                state, known, budget = self._queued(after), max(known - 1, 0), budget - (known <= 0)
                yield state
                if done:
                    await self._taken(tried, state, notices)
            task = state["_pending_task"]
            if task is not None and requires_input(task):
                return
            if root not in {frame["flow_id"] for frame in state["flow_stack"]}:
                await self._taken(tried, state, notices)
            state = self._completed(state, running)
        for notice in _telling(state, [*first, *self._owes(state, first)]):
            yield notice

    async def _taken(self, tried: Pass, state: DialogueState, notices: list[PendingTask]) -> None:
        """What has come of the message so far stands, and is told."""
        tried.taken(state)
        await self._context.turn.flush()
        self._context.turn.hold()
        notices.clear()

    def _owes(self, state: DialogueState, first: Sequence[PendingTask]) -> list[PendingTask]:
        """A flow whose last word was a question still owes an answer to it."""
        if self._context.turn.messages or first or state["person"] is not None:
            return []
        return [inform(self._context.phrase("done", state, key=f"{state['turn']}/done"))]

    def _announced(self, state: DialogueState) -> list[PendingTask]:
        """Before a question: say what else the message asked for, and comes only after it."""
        task, context = state["_pending_task"], self._context
        later = context.flow_manager.queue(state)[0] if task is not None and requires_input(task) else []
        if not later:
            return []
        labels = "; ".join(context.flow_label(frame["flow_name"], state) for frame in later)
        said = told(context, state, "queued", why="something else comes first", _flow=labels)
        return [*said.tasks]

    def _queued(self, state: DialogueState) -> DialogueState:
        task = state["_pending_task"]
        if task is None or not requires_input(task):
            return state
        return merge_delta(state, self._context.flow_manager.queue(state)[1])

    def _derived(self, state: DialogueState) -> tuple[DialogueState, int]:
        """The flow on top, at its first step again if something that it read has changed; and how far it had come."""
        walk = Walk(self._context.flow_manager.world, state)
        if not walk.is_stale:
            return state, 0
        if walk.chain["cut"]:
            raise Refused("nobody knows any more what read it")
        known = walk.chain["walked"]
        walk.restart()
        why = FlowDelta(
            trace=({"event": "derived again", "flow": walk.frame["flow_name"], "why": "a word has changed"},)
        )
        return merge_delta(state, merge_deltas([walk.delta(), why])), known

    async def speak(self, state: DialogueState) -> AsyncIterator[DialogueState]:
        """Run the flow of an event that has just come up and only has something to say: it is said in spoken order."""
        runnable = self._context.config.runnable
        while state["flow_stack"] and state["person"] is None:
            frame = state["flow_stack"][-1]
            if frame["entered_by"] != "event" or frame["visits"] or not runnable[frame["flow_name"]].only_speaks:
                return
            async for after in self._run(state, self._context.config.settings.max_steps):
                state = after
                yield state

    async def _run(self, state: DialogueState, budget: int) -> AsyncIterator[DialogueState]:
        frame = state["flow_stack"][-1]
        graph = self._context.subgraphs[frame["flow_name"]]
        state = _without_task(state)
        # The budget is for the turn, however many flows it goes through; one more ends this one.
        limit = {"recursion_limit": budget + 1}
        try:
            async for event in graph.astream(state, limit, context=LiveSteps(self._context), stream_mode="updates"):
                for update in event.values():
                    state = cast("DialogueState", {**state, **update})
                    yield state
        except GraphRecursionError:
            return

    def _resumed(self, state: DialogueState) -> DialogueState:
        """Say what we are back to, or what comes now, and let that flow ask its question."""
        frame, manager = state["flow_stack"][-1], self._context.flow_manager
        name, event = ("next", "begins") if frame["flow_state"] == "queued" else ("resume", "resumed")
        active = manager.update_frame(state, frame["flow_id"], flow_state="active")
        trace = FlowDelta(trace=({"flow": frame["flow_name"], "event": event},))
        label = self._context.flow_label(manager.chain_of(state, frame["flow_id"])[0]["flow_name"], state)
        text = self._context.phrase(name, state, key=f"{name}/{frame['flow_id']}", _flow=label)
        return cast(
            "DialogueState", {**merge_delta(state, merge_deltas([active, trace])), "_pending_task": inform(text)}
        )

    def _completed(self, state: DialogueState, was: FlowContext) -> DialogueState:
        """After the last flow has come to its end, the author's flow for that runs, if there is one."""
        last = state["trace"][-1] if state["trace"] else {}
        flow = self._context.event_flow("completion", state)
        ended = not state["flow_stack"] and last.get("then") == "ends"
        if flow is None or not ended or was["event"] is not None or was["flow_name"] == flow:
            return state
        about = {"flow": self._context.flow_label(was["flow_name"], state)}
        begun = self._context.flow_manager.start_event(state, "completion", flow, about)
        return merge_delta(_without_task(state), begun)

    def _stopped(self, state: DialogueState) -> DialogueState:
        """A flow that goes on and on is closed, with an apology, so that the conversation can go on."""
        name = state["flow_stack"][-1]["flow_name"]
        flow = self._context.event_flow("error", state)
        _, delta = self._context.flow_manager.abandon_flow(state)
        why = f"more than {self._context.config.settings.max_steps} steps without asking or ending"
        trace = FlowDelta(trace=({"flow": name, "event": "stopped", "why": why},))
        stopped = merge_delta(_without_task(state), merge_deltas([delta, trace]))
        if flow is not None:
            about = {"flow": self._context.flow_label(name, state), "reason": why}
            return merge_delta(stopped, self._context.flow_manager.start_event(stopped, "error", flow, about))
        text = self._context.phrase("error", state, key=f"stopped/{name}")
        return cast("DialogueState", {**stopped, "_pending_task": inform(text)})


def _without_task(state: DialogueState) -> DialogueState:
    return cast("DialogueState", {**state, "_pending_task": None})


def _telling(state: DialogueState, tasks: Sequence[PendingTask]) -> list[DialogueState]:
    return [cast("DialogueState", {**state, "_pending_task": task}) for task in tasks]


def _offering(state: DialogueState, offers: Mapping[str, tuple[str, ...]]) -> DialogueState:
    """The question for a slot whose value was refused comes with what could be said instead."""
    task = state["_pending_task"]
    options = offers.get(task["slot"], ()) if task is not None and is_collect(task) else ()
    if not options:
        return state
    return cast(
        "DialogueState", {**state, "_pending_task": {**cast("Any", task), "options": [*options], "values": [*options]}}
    )


def _done(state: DialogueState) -> int:
    """How many things were done in the running flows that cannot be taken back, come by again or not."""
    return sum(chain["deeds"] + len(chain["owed"]) for chain in state["chains"].values())
