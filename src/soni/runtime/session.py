"""Sessions: when a conversation begins anew, what it then remembers, and what a person is told who takes it over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from soni.core.state import CONVERSATION, WINDOW, DialogueState, Spoken, empty_state
from soni.store.history import messages_of, turns

if TYPE_CHECKING:
    from datetime import datetime

    from soni.config.models import SoniConfig
    from soni.core.state import Handoff
    from soni.store.records import Reader

MOST_TOLD = 200
"""How many turns back a person is told of who takes a conversation over."""


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


def packet(user_id: str, language: str | None, person: Handoff, lines: list[Spoken]) -> dict[str, Any]:
    """What a person needs who has the conversation: why, about what, and what was said."""
    return {"user_id": user_id, "language": language, **person, "transcript": lines}


async def transcript(reader: Reader, user_id: str, *, last: int = MOST_TOLD) -> list[Spoken]:
    """What was said in the newest turns, by all sides, as the journal has it."""
    recorded = await turns(reader, user_id, last=last)
    if not recorded:
        return []
    answers: dict[int, list[Spoken]] = {}
    for turn, message in await messages_of(reader, user_id, recorded[0].turn, recorded[-1].turn):
        role: Literal["person", "assistant"] = "person" if message.kind == "person" else "assistant"
        answers.setdefault(turn, []).append({"role": role, "text": message.text})
    lines: list[Spoken] = []
    for record in recorded:
        if record.request.kind == "message" and record.request.text:
            lines.append({"role": "user", "text": record.request.text})
        lines += answers.get(record.turn, [])
    return lines
