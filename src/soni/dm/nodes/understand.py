"""understand: the only place where a message becomes commands."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from langgraph.runtime import Runtime

from soni.core.commands import (
    Acknowledge,
    AffirmConfirmation,
    ChitChat,
    Command,
    DenyConfirmation,
    OutOfScope,
    SetSlot,
    StartFlow,
    StartSession,
    Trouble,
)
from soni.core.pending_task import is_collect, is_confirm
from soni.core.readable_text import readable_text
from soni.core.state import DialogueState
from soni.core.values.choice import Choice
from soni.dm.privacy import asks_for_secret, found_secrets, is_private, masked
from soni.du.answer import checked
from soni.du.context import dialogue_context
from soni.du.understanding import MAX_COMMANDS, Found, Understood, spent
from soni.runtime.context import RuntimeContext
from soni.telemetry import span, timed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from soni.core.pending_task import PendingTask
    from soni.du.context import DialogueContext
    from soni.du.understanding import Understanding, Usage

logger = logging.getLogger(__name__)

_LONGEST_DETAIL = 500
"""How many characters of an error are logged: it may quote all that a model answered."""


async def understand(state: DialogueState, runtime: Runtime[RuntimeContext]) -> dict[str, Any]:
    """Turn the message into commands: a quick reply by what it carries, words by the understanding, once."""
    context = runtime.context
    if context.turn.understood is not None:
        return context.turn.understood
    text, payload = state["user_message"], state["payload"]
    if payload is not None:
        understood = _chosen(payload, state["_pending_task"])
    elif text is None:
        understood = Understood((), by="host")
    else:
        with span("understand", {"soni.turn": context.turn.number}), timed(context.turn.spent, "understanding"):
            said = text if asks_for_secret(state["_pending_task"], context.config) else readable_text(text)
            understood = _offered(said, state, context) or await _read(said, state, context)
    given = tuple(Found(command, evidence="given by the host") for command in context.turn.commands)
    found = _greeted(understood.found) if any(isinstance(f.command, StartSession) for f in given) else understood.found
    language = understood.language if understood.language in context.config.languages else state["language"]
    dumped = [found.command.dump() for found in (*given, *found)]
    secrets = await found_secrets(text, state, dumped, context.config, now=context.turn.now)
    private = context.turn.is_private or is_private(state["_pending_task"], dumped, context.config, secrets)
    context.turn.usage += understood.usage
    trace = [
        *context.turn.notes,
        *_traced(given, "host", private=False),
        *_spent(understood.usage),
        *secrets.hidden(_traced(found, understood.by, private=private)),
    ]
    return context.turn.has_understood({"commands": dumped, "language": language, "trace": trace})


async def _read(text: str, state: DialogueState, context: RuntimeContext) -> Understood:
    running = state["flow_stack"][-1:]
    chain = context.flow_manager.chain_of(state, running[0]["flow_id"]) if running else []
    known = {name: value for frame in chain for name, value in state["flow_slots"][frame["flow_id"]].items()}
    dialogue = dialogue_context(
        state,
        context.config,
        startable=context.startable(state),
        slot_names={name: context.flow_manager.slot_names(name) for name in context.config.runnable},
        filled=context.loaded({**context.flow_manager.get_slots(state), **known}),
        chain=tuple(frame["flow_name"] for frame in chain),
        now=context.turn.now,
        commands={name: kind for name, kind in context.commands.items() if kind.spoken},
    )
    understood = await _understood(text, dialogue, context)
    if not dialogue.active_flow and (only := _only_flow(state, context)):
        said = [found for found in understood.found if not isinstance(found.command, OutOfScope)]
        if not any(isinstance(found.command, StartFlow) for found in said):
            begins = Found(StartFlow(flow=only), evidence="the only flow")
            return replace(understood, found=(begins, *said))
    return understood


async def _understood(text: str, dialogue: DialogueContext, context: RuntimeContext) -> Understood:
    """What the configured understanding makes of it; if that fails, the offline one; if that cannot help, the truth."""
    try:
        async with asyncio.timeout(context.config.settings.understanding_timeout):
            # What may be a secret goes to nobody else's model.
            reader = context.offline() if context.turn.is_private else context.understanding
            return await _asked(reader, text, dialogue, context)
    except (Exception, asyncio.CancelledError) as error:
        # An understanding may be anybody's model; its failure must not end the conversation.
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        context.turn.usage += spent(error)
        _log(error, dialogue, context)
    try:
        understood = await _asked(context.offline(), text, dialogue, context)
    except Exception as error:  # no reading of a message may end the conversation
        _log(error, dialogue, context)
        return Understood((Found(Trouble(), evidence="understanding failed"),), by="nobody")
    if any(not isinstance(command, OutOfScope) for command in understood.commands):
        return replace(understood, by=f"{understood.by}, instead of one that failed")
    return Understood((Found(Trouble(), evidence="understanding failed"),), by="nobody", language=understood.language)


async def _asked(
    understanding: Understanding, text: str, dialogue: DialogueContext, context: RuntimeContext
) -> Understood:
    answer = await understanding.understand(text, dialogue)
    understood = checked(answer, dialogue)
    if len(answer.found) > MAX_COMMANDS:
        why = f"the answer holds more than {MAX_COMMANDS}; the rest is not looked at"
        context.turn.notes.append({"event": "commands dropped", "why": why})
    return understood


def _log(error: BaseException, dialogue: DialogueContext, context: RuntimeContext) -> None:
    private = context.turn.is_private or is_private(dialogue.task, [], context.config)
    detail = type(error).__name__ if private else dialogue.secrets.masked(repr(error)[:_LONGEST_DETAIL])
    logger.warning("understanding failed in turn %d: %s", context.turn.number, detail)


def _only_flow(state: DialogueState, context: RuntimeContext) -> str | None:
    """With exactly one flow that has not run yet, whatever a person says begins it."""
    flows = context.startable(state)
    name = next(iter(flows)) if len(context.config.for_people) == 1 and flows else None
    return name if name not in state["flows_started"] else None


def _greeted(found: tuple[Found, ...]) -> tuple[Found, ...]:
    """The greeting flow is the answer to a greeting, and to what means nothing."""
    return tuple(
        one
        for one in found
        if not isinstance(one.command, OutOfScope)
        and not (isinstance(one.command, ChitChat) and one.command.topic == "greeting")
    )


def _offered(text: str, state: DialogueState, context: RuntimeContext) -> Understood | None:
    """Words that name one of the flows which were just offered, or its number, choose it."""
    task = state["_pending_task"]
    if task is None or not _offers_flows(task):
        return None
    labels = zip(task.get("values") or [], task.get("options") or [], strict=True)
    try:
        flow = Choice(options={name: [label] for name, label in labels}).parse(text, context.reading(state))
    except ValueError:
        return None
    return Understood((Found(StartFlow(flow=flow), evidence=text),), by="choice")


def _offers_flows(task: PendingTask) -> bool:
    return (task.get("metadata") or {}).get("offers") == "flows"


def _chosen(payload: dict[str, str], task: PendingTask | None) -> Understood:
    """A quick reply means what the open task offered under it, and nothing else."""
    command: Command = OutOfScope()
    evidence = "a choice that is not open"
    if task is not None and payload.get("task") == task.get("token"):
        value = payload.get("option", "")
        if value in (task.get("values") or task.get("options") or []):
            evidence = f"chose '{value}'"
            if _offers_flows(task):
                command = StartFlow(flow=value)
            elif is_collect(task):
                command = SetSlot(slot=task["slot"], value=value)
            elif is_confirm(task):
                command = AffirmConfirmation() if value == "yes" else DenyConfirmation()
            else:
                command = Acknowledge()
    return Understood((Found(command, evidence=evidence),), by="payload")


def _spent(usage: Usage) -> list[dict[str, Any]]:
    """That a model was asked, and how much."""
    if not usage.calls:
        return []
    calls = "once" if usage.calls == 1 else f"{usage.calls} times"
    tokens = f"{calls}, {usage.prompt_tokens} tokens in, {usage.completion_tokens} out"
    return [{"event": "asked a model", "why": tokens}]


def _traced(found: Iterable[Found], by: str, *, private: bool) -> list[dict[str, Any]]:
    return [
        {
            "command": masked(one.command.dump()) if private else one.command.dump(),
            "by": by,
            "confidence": round(one.confidence, 3),
            "evidence": "" if private else one.evidence,
            **({"words": one.words} if one.words and not private else {}),
            **(_runner_up(one) if one.runner_up and not private else {}),
        }
        for one in found
    ]


def _runner_up(one: Found) -> dict[str, Any]:
    return {"runner_up": one.runner_up, "runner_up_confidence": round(one.runner_up_confidence, 3)}
