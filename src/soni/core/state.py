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
EnteredBy = Literal["user", "call", "link", "event"]


class Passed(TypedDict):
    """One step of a frame's trail, enough to go back to it, and over it again without running it.

    It holds a digest of what the step read, the values its writes replaced, those it left and those a person has
    overruled since (with the turn), the loops' rounds before it, whether something happened that must not happen
    twice, where it went, and, for a call, what the called flow went through. `front` is the place where a flow stood
    when it went back.
    """

    step: str
    visit: int
    reads: dict[str, str]
    wrote: dict[str, Any]
    left: dict[str, Any]
    overruled: dict[str, list[Any]]
    forgot: list[str]
    rounds: dict[str, int]
    acted: bool
    confirmed: bool
    goto: str | None
    inner: Inner | None
    front: bool


class Inner(TypedDict):
    """What a called flow went through."""

    flow: str
    trail: list[Passed]


class Returned(TypedDict):
    """What a called flow left to its caller."""

    slots: dict[str, Any]
    acted: bool
    inner: Inner


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
    event: str | None
    """What happened that this flow is for, or the one that led to it."""
    visits: dict[str, int]
    rounds: dict[str, int]
    attempts: int
    acted: bool
    trail: list[Passed]
    ahead: list[Passed]
    """After a correction: the steps that were passed before and come again; what does not change is not run again."""
    asked: Asked | None
    answer: bool | None
    returned: Returned | None


class Spoken(TypedDict):
    """A line of the conversation, from any side."""

    role: Literal["user", "assistant", "person"]
    text: str


class Handoff(TypedDict):
    """Why a person has the conversation, and what it was about; sensitive values are masked."""

    reason: str | None
    flow: str | None
    slots: dict[str, Any]
    turn: int


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
    opened: bool
    """Whether this session has begun."""
    last_at: float | None
    """When the last turn was, in seconds since 1970."""
    stuck: int
    """How many turns in a row came to nothing."""
    person: Handoff | None
    """Set while a person has the conversation."""


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
        "opened": False,
        "last_at": None,
        "stuck": 0,
        "person": None,
    }
