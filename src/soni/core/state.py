"""The state of a conversation: JSON values only, safe to load and possible to migrate."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Literal, TypedDict

from soni.core.pending_task import PendingTask

CONVERSATION = "_conversation"
"""The reserved flow id under which conversation-wide slots live."""

WINDOW = 20
"""How many messages of both sides the state keeps; the rest is for a journal to keep."""

MOST_PASSED = 200
"""How many steps of a trail are kept; a correction reaches no further back."""

FlowState = Literal["active", "waiting", "paused"]
EnteredBy = Literal["user", "call", "link"]


class Passed(TypedDict):
    """One step of a frame's trail, enough to go back to it.

    It holds a digest of what the step read, the values its writes replaced, the loops' rounds before it, whether
    something happened that must not happen twice, and where it went.
    """

    step: str
    visit: int
    reads: dict[str, str]
    wrote: dict[str, Any]
    forgot: list[str]
    rounds: dict[str, int]
    acted: bool
    confirmed: bool
    goto: str | None


class Returned(TypedDict):
    """What a called flow left to its caller."""

    slots: dict[str, Any]
    acted: bool


class Asked(TypedDict):
    """The question a frame waits on, with a digest of what it showed."""

    step: str
    visit: int
    mark: str
    shown: dict[str, str]


class FlowContext(TypedDict):
    """A running flow: one frame of the stack."""

    flow_id: str
    flow_name: str
    flow_state: FlowState
    current_step: str | None
    entered_by: EnteredBy
    visits: dict[str, int]
    rounds: dict[str, int]
    attempts: int
    acted: bool
    trail: list[Passed]
    asked: Asked | None
    answer: bool | None
    returned: Returned | None


class Spoken(TypedDict):
    """A line of the conversation, from either side."""

    role: Literal["user", "assistant"]
    text: str


class DialogueState(TypedDict):
    """Everything a conversation is between two turns."""

    user_message: str | None
    payload: dict[str, str] | None
    messages: list[Spoken]
    response: str | None
    language: str | None
    commands: list[dict[str, Any]]
    flow_stack: list[FlowContext]
    flow_slots: dict[str, dict[str, Any]]
    flow_count: int
    flows_started: list[str]
    _pending_task: PendingTask | None
    turn: int
    trace: list[dict[str, Any]]


def digest(value: Any) -> str:
    """A short mark of a stored value, to see later whether it has changed."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=True)
    return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()


def empty_state() -> DialogueState:
    """A conversation in which nothing has been said."""
    return {
        "user_message": None,
        "payload": None,
        "messages": [],
        "response": None,
        "language": None,
        "commands": [],
        "flow_stack": [],
        "flow_slots": {},
        "flow_count": 0,
        "flows_started": [],
        "_pending_task": None,
        "turn": 0,
        "trace": [],
    }
