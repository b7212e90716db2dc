"""Sessions: when a conversation begins anew, what it then remembers, and what a person is told who takes it over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from soni.core.state import CONVERSATION, WINDOW, DialogueState, Spoken, empty_state
from soni.du.context import MASK
from soni.store.history import messages_of, turns

if TYPE_CHECKING:
    from soni.config.models import SoniConfig
    from soni.core.message_sink import Message
    from soni.core.state import Handoff
    from soni.store.records import Reader

MOST_TOLD = 200
"""How many turns back a person is told of who takes a conversation over."""


def is_over(state: DialogueState, config: SoniConfig, at: float) -> bool:
    """Whether the last word was said too long ago; while a person has the conversation, it is theirs to end."""
    limit, last = config.settings.session_timeout, state["last_at"]
    return limit is not None and last is not None and state["person"] is None and at - last > limit


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


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that was said, by whom and when."""

    role: Literal["user", "person", "assistant"]
    turn: int
    at: float
    """In seconds of the epoch."""
    text: str
    message: Message | None = None
    """What the assistant or a person said; None for the user's own words."""
    message_id: str | None = None
    """What the user's message is called."""


async def lines(reader: Reader, user_id: str, *, last: int = MOST_TOLD) -> list[Line]:
    """What was said in the newest turns, by all sides, as the journal has it."""
    recorded = await turns(reader, user_id, last=last)
    if not recorded:
        return []
    answers: dict[int, list[Message]] = {}
    for turn, message in await messages_of(reader, user_id, recorded[0].turn, recorded[-1].turn):
        answers.setdefault(turn, []).append(message)
    said: list[Line] = []
    for record in recorded:
        turn, request = record.turn, record.request
        # Whether a message that is still being worked on holds a secret is known at the end of its turn.
        if request.kind == "message" and request.text and record.status != "open":
            said.append(Line("user", turn, request.at, request.text, message_id=request.message_id))
        for message in answers.get(turn, []):
            role: Literal["person", "assistant"] = "person" if message.kind == "person" else "assistant"
            said.append(Line(role, turn, request.at, message.text, message))
    return said


async def transcript(reader: Reader, user_id: str) -> list[Spoken]:
    """The same, as it is told to a person."""
    return [{"role": line.role, "text": line.text} for line in await lines(reader, user_id)]


def described(state: DialogueState, config: SoniConfig) -> dict[str, Any]:
    """Where a conversation stands, for somebody who looks at it from outside; secrets are masked."""

    def shown(held: dict[str, Any]) -> dict[str, Any]:
        return {name: MASK if config.is_secret(name) else value for name, value in held.items()}

    task = state["_pending_task"]
    return {
        "turn": state["turn"],
        "language": state["language"],
        "flows": [
            {
                "flow": frame["flow_name"],
                "step": frame["current_step"],
                "state": frame["flow_state"],
                "slots": shown(state["flow_slots"].get(frame["flow_id"], {})),
            }
            for frame in state["flow_stack"]
        ],
        "conversation": shown(state["flow_slots"].get(CONVERSATION, {})),
        "person": state["person"],
        "waiting_for": None if task is None else task["slot"] if task["type"] == "collect" else task["type"],
    }
