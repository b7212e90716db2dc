"""The contract of a command handler, and what handlers answer with."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from soni.core.commands import Command
from soni.core.pending_task import inform
from soni.flow.delta import FlowDelta, merge_deltas

if TYPE_CHECKING:
    from soni.core.state import DialogueState, FlowContext
    from soni.runtime.context import RuntimeContext

C = TypeVar("C", bound=Command)


class CommandHandler(ABC, Generic[C]):
    """Turns one kind of command into a FlowDelta."""

    command: ClassVar[type[Command]]

    @abstractmethod
    async def handle(self, command: C, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        """The change that the command makes; the state itself is left alone."""


def ignored(why: str) -> FlowDelta:
    """Nothing happens, and the trace says why."""
    return FlowDelta(trace=({"event": "ignored", "why": why},))


def told(context: RuntimeContext, state: DialogueState, text: str, *, why: str, **values: str) -> FlowDelta:
    """One of the assistant's general texts, once in a turn, and why it is said."""
    said = context.phrase(text, state, key=f"{state['turn']}/{text}", **values)
    known = any(message.text == said for message in context.turn.messages)
    return FlowDelta(tasks=() if known else (inform(said),), trace=({"event": text, "why": why},))


def happened(
    event: str, context: RuntimeContext, state: DialogueState, *, text: str, why: str, **about: str | list[str]
) -> FlowDelta:
    """What follows on an event: the author's flow for it, or else one of the assistant's general texts."""
    flow = context.event_flow(event, state)
    if flow is None:
        values = {f"_{name}": value for name, value in about.items() if isinstance(value, str)}
        return told(context, state, text, why=why, **values)
    trace = {"event": event, "why": why, "flow": flow}
    return merge_deltas([context.flow_manager.start_event(state, event, flow, about), FlowDelta(trace=(trace,))])


def asking_frame(state: DialogueState) -> FlowContext | None:
    """The frame whose question was open when the message came, if it still stands at that question."""
    task = state["_pending_task"]
    for frame in state["flow_stack"]:
        asked = frame["asked"]
        if task and asked and task.get("id") == f"{frame['flow_id']}/{asked['step']}/{asked['visit']}":
            return frame
    return None
