"""Commands about flows: start, cancel, resume, restart, and the beginning of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soni.config.models import CallStepConfig
from soni.core.commands import CancelFlow, Restart, ResumeFlow, ReturnToAssistant, StartFlow, StartSession
from soni.core.state import CONVERSATION
from soni.dm.orchestrator.handler import CommandHandler, happened, ignored, told
from soni.dm.orchestrator.slot_writing import set_slot
from soni.flow.delta import FlowDelta, merge_delta, merge_deltas
from soni.steps import END

if TYPE_CHECKING:
    from soni.core.state import DialogueState, FlowContext
    from soni.runtime.context import RuntimeContext


class StartFlowHandler(CommandHandler[StartFlow]):
    """Begin a flow, or bring it back; whatever ran before is paused."""

    command = StartFlow

    async def handle(self, command: StartFlow, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        if command.flow not in context.config.flows:
            return ignored(f"there is no flow '{command.flow}'")
        if command.flow not in context.startable(state):
            return told(context, state, "not_available", why=f"'{command.flow}' cannot be asked for now")
        running = context.flow_manager.started(state)
        if command.flow not in running and len(running) >= context.config.settings.max_depth:
            return told(context, state, "too_deep", why="too many flows are open")
        deltas = [context.flow_manager.handle_intent_change(state, command.flow)]
        for slot, value in command.slots.items():
            after = merge_delta(state, merge_deltas(deltas))
            begun = next(frame for frame in reversed(after["flow_stack"]) if frame["flow_name"] == command.flow)
            root = context.flow_manager.root_of(after, begun["flow_id"])
            deltas.append(await set_slot(slot, value, after, context, root))
        return merge_deltas(deltas)


class CancelFlowHandler(CommandHandler[CancelFlow]):
    """End the flow the person is in, or the one they name, or let the flow that called it decide."""

    command = CancelFlow

    async def handle(self, command: CancelFlow, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        manager = context.flow_manager
        chain, ended = manager.cancel_flow(state, command.flow)
        if not chain and command.flow is not None:
            return told(context, state, "not_open", why=f"'{command.flow}' is not open")
        if not chain:
            return told(context, state, "nothing_to_cancel", why="no flow is running")
        names = [frame["flow_name"] for frame in chain]
        callers = chain[: names.index(command.flow) if command.flow is not None else -1]
        name = names[0]
        why = f"cancelled {name}"
        for caller in reversed(callers):
            if target := _on_cancel(caller, context):
                name = chain[chain.index(caller) + 1]["flow_name"]
                why = f"'{caller['flow_name']}' goes on at '{target}'"
                ended = manager.go_to(state, caller["flow_id"], target)
                break
        if chain[0]["event"] is not None:
            return merge_deltas([ended, told(context, state, "cancelled", why=why)])
        label, after = context.flow_label(name, state), merge_delta(state, ended)
        return merge_deltas([ended, happened("cancel", context, after, text="cancelled", why=why, flow=label)])


def _on_cancel(caller: FlowContext, context: RuntimeContext) -> str | None:
    placed = context.config.runnable[caller["flow_name"]].plan.get(caller["current_step"] or "")
    target = placed.step.on_cancel if placed and isinstance(placed.step, CallStepConfig) else None
    return None if target == END else target


class ResumeFlowHandler(CommandHandler[ResumeFlow]):
    """Bring back a flow that was left open."""

    command = ResumeFlow

    async def handle(self, command: ResumeFlow, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        manager = context.flow_manager
        left = manager.drop_event(state)
        below = merge_delta(state, left)
        open_flows = manager.started(below)
        if command.flow is not None and command.flow not in open_flows:
            return told(context, state, "not_open", why=f"'{command.flow}' is not open")
        if not open_flows:
            return told(context, state, "nothing_to_resume", why="nothing is open")
        paused = open_flows[:-1] if not left.forgotten else open_flows
        wanted = command.flow or (paused or open_flows)[-1]
        return merge_deltas(
            [
                left,
                manager.handle_intent_change(below, wanted),
                FlowDelta(trace=({"event": "resume", "why": f"back to '{wanted}'"},)),
            ]
        )


class RestartHandler(CommandHandler[Restart]):
    """Forget the flows and slots of the conversation, and greet as at its beginning."""

    command = Restart

    async def handle(self, command: Restart, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        # What the host has told is not the conversation's to forget.
        held = state["flow_slots"].get(CONVERSATION, {})
        kept = {name: value for name, value in held.items() if context.config.slots[name].source == "system"}
        forgotten = FlowDelta(
            flow_stack=[],
            forgotten=frozenset(state["flow_slots"]),
            flow_slots={CONVERSATION: kept} if kept else {},
            flows_started=[],
        )
        after = merge_delta(state, forgotten)
        said = told(context, after, "restarted", why="the person wants to begin anew")
        return merge_deltas([forgotten, said, _greeting(after, context)])


class StartSessionHandler(CommandHandler[StartSession]):
    """Begin a conversation with its greeting flow."""

    command = StartSession

    async def handle(self, command: StartSession, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        return _greeting(state, context)


class ReturnToAssistantHandler(CommandHandler[ReturnToAssistant]):
    """Say that we are back; the flow that was open asks its question again, after its name if it had been left."""

    command = ReturnToAssistant

    async def handle(self, command: ReturnToAssistant, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        return told(context, state, "back", why="the person gave the conversation back")


def _greeting(state: DialogueState, context: RuntimeContext) -> FlowDelta:
    flow = context.config.settings.start_flow
    return context.flow_manager.start_event(state, "session_start", flow, {}) if flow else FlowDelta()
