"""Standing: a conversation as the next turn finds it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from soni.core.commands import Command, StartSession
from soni.core.state import empty_state
from soni.runtime.carrying_over import carried_over
from soni.runtime.session import begun_anew, is_over
from soni.runtime.survival import surviving
from soni.store.store import thread

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.base import CheckpointTuple

    from soni.config.models import SoniConfig
    from soni.core.state import DialogueState
    from soni.flow.manager import FlowManager

_CHANNELS = frozenset(empty_state())


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a conversation is, after what no longer fits has gone and a session that is over has ended."""

    user_id: str
    start: RunnableConfig
    state: DialogueState
    is_stored: bool
    """Whether the state is just as it was stored."""
    commands: tuple[Command, ...] = ()
    """What the host says before the message."""
    apology: str | None = None
    """The text that tells why something is gone."""
    is_private: bool = False
    """Whether a sensitive question was open that has gone since; what is said next may still be the answer."""
    notes: list[dict[str, Any]] = field(default_factory=list)
    """What became of flows that were running in an older version of the assistant."""
    carried: dict[str, Any] = field(default_factory=dict)
    """What of the state was stored in another shape."""


def standing(
    user_id: str,
    checkpoint: CheckpointTuple | None,
    *,
    config: SoniConfig,
    manager: FlowManager,
    at: float,
    fingerprint: str | None,
) -> Standing:
    """Where a conversation stands at a time; `fingerprint` is of the assistant that had its last turn."""
    found = state_of(checkpoint)
    stored = carried_over(found, config)
    state = surviving(stored, config, manager)
    notes = [] if fingerprint in (None, config.fingerprint) else _what_became(stored, state)
    apology = "assistant_changed" if len(state["flow_stack"]) < len(stored["flow_stack"]) else None
    if is_over(state, config, at):
        apology = "timed_out" if state["flow_stack"] else None
        state = begun_anew(state, config, keep=True)
    greets = not state["opened"] and config.settings.start_flow is not None
    commands = (StartSession(),) if greets else ()
    private = state is not stored and _asks_for_a_secret(stored, config)
    start = thread(user_id, checkpoint.checkpoint["id"] if checkpoint else None)
    carried = {"flow_stack": state["flow_stack"], "chains": state["chains"]} if stored is not found else {}
    return Standing(user_id, start, state, state is stored, commands, apology, private, notes, carried)


def _asks_for_a_secret(state: DialogueState, config: SoniConfig) -> bool:
    task = state["_pending_task"]
    if task is None or task["type"] != "collect":
        return False
    return config.is_secret(task["slot"])


def unasked(found: Standing) -> Standing:
    """The same, but nobody has heard the question: what is said next cannot be the answer to a confirmation."""
    task = found.state["_pending_task"]
    if task is None or task["type"] != "confirm":
        return found
    *below, top = found.state["flow_stack"]
    stack = [*below, {**top, "asked": None, "answered": False, "flow_state": "active"}]
    state = cast("DialogueState", {**found.state, "flow_stack": stack, "_pending_task": None})
    return replace(found, state=state, is_stored=False)


def state_of(checkpoint: CheckpointTuple | None) -> DialogueState:
    """The state that a checkpoint holds; an empty one if there is none."""
    held = checkpoint.checkpoint["channel_values"] if checkpoint else {}
    return cast("DialogueState", {**empty_state(), **{name: held[name] for name in _CHANNELS & held.keys()}})


def _what_became(before: DialogueState, after: DialogueState) -> list[dict[str, Any]]:
    kept = {frame["flow_id"] for frame in after["flow_stack"]}
    return [
        {
            "event": "assistant_changed",
            "flow": frame["flow_name"],
            "why": f"it goes on at step '{frame['current_step']}'"
            if frame["flow_id"] in kept
            else f"it was closed: step '{frame['current_step']}', or what led to it, is not there any more",
        }
        for frame in before["flow_stack"]
    ]
