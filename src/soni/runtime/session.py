"""Sessions: when a conversation begins anew, what it then remembers, and what a person is told who takes it over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from soni.core.state import CONVERSATION, WINDOW, DialogueState, Spoken, empty_state

if TYPE_CHECKING:
    from datetime import datetime

    from soni.config.models import SoniConfig


def is_over(state: DialogueState, config: SoniConfig, now: datetime) -> bool:
    """Whether the last word was said too long ago; while a person has the conversation, it is theirs to end."""
    limit, last = config.settings.session_timeout, state["last_at"]
    return limit is not None and last is not None and state["person"] is None and now.timestamp() - last > limit


def begun_anew(state: DialogueState, config: SoniConfig, *, keep: bool) -> DialogueState:
    """The conversation at the beginning of a session; what was marked to outlast one is kept if it may be.

    Counts go on, so that no id and no button of an earlier session is ever good again.
    """
    held = state["flow_slots"].get(CONVERSATION, {}) if keep else {}
    kept = {name: value for name, value in held.items() if name in config.slots and config.slots[name].persist}
    return {
        **empty_state(),
        "flow_slots": {CONVERSATION: kept} if kept else {},
        "flow_count": state["flow_count"],
        "turn": state["turn"],
        "language": state["language"],
    }


def with_line(state: DialogueState, line: Spoken) -> list[Spoken]:
    """The last messages of all sides, with one more."""
    return [*state["messages"], line][-WINDOW:]


def packet(user_id: str, state: DialogueState) -> dict[str, Any] | None:
    """What a person needs who has the conversation: why, about what, and what was said; None if nobody has it."""
    if state["person"] is None:
        return None
    return {
        "user_id": user_id,
        "language": state["language"],
        **state["person"],
        "transcript": state["messages"],
    }
