"""Commands outside of any flow: small talk, help, what was not understood, and the wish for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soni.core.commands import ChitChat, Clarify, Help, HumanHandoff, OutOfScope, Trouble
from soni.core.pending_task import inform, is_confirm
from soni.dm.orchestrator.handler import CommandHandler, asking_frame, happened, ignored, told
from soni.dm.privacy import found_secrets, is_private
from soni.flow.delta import FlowDelta, merge_delta, merge_deltas
from soni.flow.memory import place_of

if TYPE_CHECKING:
    from soni.core.state import DialogueState
    from soni.runtime.context import RuntimeContext

_TOPICS = ("greeting", "thanks", "goodbye")


class ChitChatHandler(CommandHandler[ChitChat]):
    """Answer in kind."""

    command = ChitChat

    async def handle(self, command: ChitChat, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        said = command.topic if command.topic in _TOPICS else await _repeatable(command.topic, state, context)
        topic = said or "chit_chat"
        text = topic if topic in _TOPICS else "chit_chat"
        return happened("chit_chat", context, state, text=text, why=topic, topic=topic)


class HelpHandler(CommandHandler[Help]):
    """Tell what can be asked for."""

    command = Help

    async def handle(self, command: Help, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        able = context.capabilities(state)
        return happened("help", context, state, text="help", why="the person asked for it", capabilities=able)


class ClarifyHandler(CommandHandler[Clarify]):
    """Ask which of the flows is meant."""

    command = Clarify

    async def handle(self, command: Clarify, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        startable = context.startable(state)
        options = [flow for flow in dict.fromkeys(command.options) if flow in startable]
        if not options:
            return _not_understood(state, context, why="none of the flows that fit can be started")
        left = context.flow_manager.drop_event(state)
        why = f"{', '.join(options)} fit"
        after = merge_delta(state, left)
        asked = happened("clarification", context, after, text="clarify", why=why, options=options)
        return merge_deltas([left, asked])


class OutOfScopeHandler(CommandHandler[OutOfScope]):
    """Say so; an open confirmation counts it as an unclear answer."""

    command = OutOfScope

    async def handle(self, command: OutOfScope, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        if state["payload"] is not None:
            return told(context, state, "stale_option", why="a choice that is not open")
        return _not_understood(state, context, why="nothing was understood")


class TroubleHandler(CommandHandler[Trouble]):
    """Be honest about it."""

    command = Trouble

    async def handle(self, command: Trouble, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        return told(context, state, "trouble", why="the understanding failed")


class HumanHandoffHandler(CommandHandler[HumanHandoff]):
    """Give the conversation to a person; what is open stays open for the day they give it back."""

    command = HumanHandoff

    async def handle(self, command: HumanHandoff, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        if state["person"] is not None:
            return ignored("a person has the conversation already")
        # What was said to a sensitive question is nobody's business, in whatever words a model puts it.
        reason = await _repeatable(command.reason, state, context) or "the person asked for it"
        if context.event_flow("handoff", state):
            about = {"reason": reason}
            if concerned := context.flow_manager.concerned(state):
                about["flow"] = context.flow_label(concerned[0]["flow_name"], state)
            return happened("handoff", context, state, text="handoff", why=reason, **about)
        person = context.handoff(state, reason)
        if person is None:
            return told(context, state, "no_person", why="the assistant has nobody to hand over to")
        said = context.phrase("handoff", state, key=f"{state['turn']}/handoff")
        task = inform(said, metadata={"kind": "handoff", "data": {"reason": reason}})
        return FlowDelta(person=person, tasks=(task,), trace=({"event": "handoff", "why": reason},))


async def _repeatable(words: str | None, state: DialogueState, context: RuntimeContext) -> str | None:
    """Words of a command that may be shown to others: none of a message with a secret, or those without it."""
    given = state["commands"]
    secrets = await found_secrets(state["user_message"], state, given, context.config, now=context.turn.now)
    if words is None or is_private(state["_pending_task"], given, context.config, secrets):
        return None
    return secrets.masked(words)


def _not_understood(state: DialogueState, context: RuntimeContext, *, why: str) -> FlowDelta:
    able = context.capabilities(state)
    frame, task = asking_frame(state), state["_pending_task"]
    answer = happened("out_of_scope", context, state, text="out_of_scope", why=why, capabilities=able)
    if frame is None or task is None or not is_confirm(task):
        return answer
    after = merge_delta(state, answer)
    manager = context.flow_manager
    place = place_of(frame["current_step"] or "", frame["rounds"])
    counted = manager.count_attempt(after, manager.root_of(after, frame["flow_id"]), place)
    unclear = FlowDelta(trace=({"event": "unclear", "why": "counted as an attempt: neither yes nor no"},))
    return merge_deltas([answer, counted, unclear])
