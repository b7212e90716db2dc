"""understand: the only place where a message becomes commands."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import ormsgpack
from langgraph.runtime import Runtime

from soni.core import commands
from soni.core.commands import (
    Acknowledge,
    AffirmConfirmation,
    Command,
    DenyConfirmation,
    OutOfScope,
    SetSlot,
    StartFlow,
)
from soni.core.pending_task import is_collect, is_confirm
from soni.core.state import DialogueState
from soni.dm.privacy import is_private, masked
from soni.du.context import dialogue_context
from soni.du.understanding import Found, Understood
from soni.runtime.context import RuntimeContext

if TYPE_CHECKING:
    from soni.core.pending_task import PendingTask

logger = logging.getLogger(__name__)


async def understand(state: DialogueState, runtime: Runtime[RuntimeContext]) -> dict[str, Any]:
    """Turn the message into commands: a quick reply by what it carries, words by the understanding, once."""
    context = runtime.context
    text = state["user_message"] or ""
    if state["payload"] is not None:
        understood = _chosen(state["payload"], state["_pending_task"])
    else:
        understood = await _read(text, state, context)
    language = understood.language if understood.language in context.config.languages else state["language"]
    dumped = [command.dump() for command in understood.commands]
    private = is_private(state["_pending_task"], dumped, context.config)
    return {"commands": dumped, "language": language, "trace": _traced(understood, private=private)}


async def _read(text: str, state: DialogueState, context: RuntimeContext) -> Understood:
    dialogue = dialogue_context(
        state,
        context.config,
        startable=context.startable(state),
        slot_names={name: context.flow_manager.slot_names(name) for name in context.config.flows},
        filled=context.loaded(context.flow_manager.get_slots(state)),
        now=context.turn.now,
    )
    try:
        understood = await context.understanding.understand(text, dialogue)
        for command in understood.commands:
            commands.load(command.dump())
            ormsgpack.packb(command.dump())  # what cannot be stored cannot be acted on
    except Exception as error:  # an understanding may be anybody's model; its failure must not end the conversation
        private = is_private(state["_pending_task"], [], context.config)
        detail = type(error).__name__ if private else repr(error)
        logger.warning("understanding failed in turn %d: %s", context.turn.number, detail)
        return Understood((Found(OutOfScope(), evidence="understanding failed"),), by="fallback")
    if not dialogue.active_flow and (only := _only_flow(state, context)):
        said = [found for found in understood.found if not isinstance(found.command, OutOfScope)]
        if not any(isinstance(found.command, StartFlow) for found in said):
            begins = Found(StartFlow(flow=only), evidence="the only flow")
            return Understood((begins, *said), understood.by, understood.language)
    return understood


def _only_flow(state: DialogueState, context: RuntimeContext) -> str | None:
    """With exactly one flow that has not run yet, whatever a person says begins it."""
    flows = context.startable(state)
    name = next(iter(flows)) if len(context.config.flows) == 1 and flows else None
    return name if name not in state["flows_started"] else None


def _chosen(payload: dict[str, str], task: PendingTask | None) -> Understood:
    """A quick reply means what the open task offered under it, and nothing else."""
    command: Command = OutOfScope()
    evidence = "a choice that is not open"
    if task is not None and payload.get("task") == task.get("token"):
        value = payload.get("option", "")
        if value in (task.get("values") or task.get("options") or []):
            evidence = f"chose '{value}'"
            if is_collect(task):
                command = SetSlot(slot=task["slot"], value=value)
            elif is_confirm(task):
                command = AffirmConfirmation() if value == "yes" else DenyConfirmation()
            else:
                command = Acknowledge()
    return Understood((Found(command, evidence=evidence),), by="payload")


def _traced(understood: Understood, *, private: bool) -> list[dict[str, Any]]:
    return [
        {
            "command": masked(found.command.dump()) if private else found.command.dump(),
            "by": understood.by,
            "confidence": round(found.confidence, 3),
            "evidence": "" if private else found.evidence,
        }
        for found in understood.found
    ]
