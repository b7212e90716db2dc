"""SubgraphExecutor: runs the flow on top of the stack, again and again, until one waits or none is left."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from langgraph.errors import GraphRecursionError

from soni.core.pending_task import inform, requires_input
from soni.flow.delta import FlowDelta, merge_delta, merge_deltas
from soni.runtime.live_step import LiveSteps

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from soni.core.state import DialogueState
    from soni.runtime.context import RuntimeContext


class SubgraphExecutor:
    """Streams the steps of the active flow; a flow that ends gives way to the one below in the same turn."""

    def __init__(self, context: RuntimeContext) -> None:
        self._context = context

    async def execute(self, state: DialogueState) -> AsyncIterator[DialogueState]:
        """The state after each step, with the task the step has for the person, if it has one."""
        state = _without_task(state)
        yield state
        budget = self._context.config.settings.max_steps
        while state["flow_stack"]:
            if state["flow_stack"][-1]["flow_state"] == "paused":
                state = self._resumed(state)
                yield state
            if budget <= 0:
                state = self._stopped(state)
                yield state
                budget = self._context.config.settings.max_steps
                continue
            async for after in self._run(state, budget):
                state = after
                budget -= 1
                yield state
            task = state["_pending_task"]
            if task is not None and requires_input(task):
                return

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
        """Say that we are back, and let the paused flow ask its question again."""
        frame = state["flow_stack"][-1]
        active = self._context.flow_manager.update_frame(state, frame["flow_id"], flow_state="active")
        trace = FlowDelta(trace=({"flow": frame["flow_name"], "event": "resumed"},))
        text = self._context.phrase("resume", state, key=f"resume/{frame['flow_id']}")
        return cast(
            "DialogueState", {**merge_delta(state, merge_deltas([active, trace])), "_pending_task": inform(text)}
        )

    def _stopped(self, state: DialogueState) -> DialogueState:
        """A flow that goes on and on is closed, with an apology, so that the conversation can go on."""
        name = state["flow_stack"][-1]["flow_name"]
        _, delta = self._context.flow_manager.cancel_flow(state)
        why = f"more than {self._context.config.settings.max_steps} steps without asking or ending"
        trace = FlowDelta(trace=({"flow": name, "event": "stopped", "why": why},))
        text = self._context.phrase("error", state, key=f"stopped/{name}")
        return cast(
            "DialogueState", {**merge_delta(state, merge_deltas([delta, trace])), "_pending_task": inform(text)}
        )


def _without_task(state: DialogueState) -> DialogueState:
    return cast("DialogueState", {**state, "_pending_task": None})
