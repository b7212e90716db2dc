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

FlowState = Literal["active", "waiting", "paused", "queued"]
"""`queued` is a flow that was asked for and has not begun, because something else comes first."""
EnteredBy = Literal["user", "call", "link", "event"]


class Fact(TypedDict):
    """A word of a person: what they said for a slot, when, and where the flow stood."""

    slot: str
    rounds: dict[str, int]
    """The loops around the question, each with its round."""
    deeds: int
    """How many things had been done on the way that cannot be done twice."""
    value: Any
    state: Literal["said", "left_out", "taken_back", "gone"]
    """`gone` is a secret whose round or flow is over: it was said, and what it was is not kept."""
    turn: int
    place: str | None
    """Where the flow stood: the word counts from there on. "" is the beginning."""
    answers: list[str]
    """The questions that it answers; none if it was said of one's own accord."""
    over: str | None
    """The step whose decision it replaces."""


class Answer(TypedDict):
    """A yes or no, with a digest of what was shown; or that something was seen."""

    value: bool
    turn: int
    mark: str
    shown: dict[str, str]


class Entry(TypedDict):
    """What a step did: a digest of what it read, what it wrote, in which turn, and where it went.

    `done` is for what cannot be done twice; `goto` is "" where the step just went on.
    """

    reads: dict[str, str]
    writes: dict[str, Any]
    rounds: dict[str, int]
    turn: int
    deeds: int
    done: bool
    goto: str | None


class Memory(TypedDict):
    """What a flow knows: the facts, and what its steps did; the same for each flow that it called."""

    flow: str
    facts: dict[str, Fact]
    answers: dict[str, Answer]
    memo: dict[str, Entry]
    calls: dict[str, Memory]
    visits: dict[str, int]


class Origin(TypedDict):
    """Where a slot's value came from: a fact or a step of a flow in the chain, or from outside."""

    kind: Literal["fact", "step", "given"]
    path: list[str]
    key: str
    slot: str
    """What the slot is called there."""
    turn: int


class Outer(TypedDict):
    """A conversation-wide slot as this chain saw it last, and what it was before the chain changed it."""

    mark: str
    origin: Origin
    wrote: bool
    was: Any


class Verdict(TypedDict):
    """What was found of a rule, and a digest of what it read."""

    reads: dict[str, str]
    ok: bool
    reason: Any
    options: list[str]


class Chain(TypedDict):
    """What a person started, with everything it called: what was said and done, and how far the derivation has come."""

    memory: Memory
    given: dict[str, Any]
    """Values that came from outside when it began."""
    begun: int
    """The turn in which it began."""
    newest: int
    """The turn of the latest word on the way."""
    deeds: int
    entered: list[str]
    """The facts that are in the slots, or were."""
    first: dict[str, str]
    """The first question for each fact."""
    confirmed: list[list[Any]]
    """The confirmations on the way: path, place, step, and what was shown."""
    owed: list[str]
    """What was done and has not been come by again."""
    released: list[str]
    """What was done on a way that was left for good: it need not be come by."""
    failed: int
    """The turn in which an action on the way has failed."""
    walked: int
    """How many steps it took to come here."""
    outer: dict[str, Outer]
    attempts: dict[str, int]
    verdicts: dict[str, Verdict]
    undo: list[list[Any]]
    """What was changed while other flows ran, as it was before: path, key and fact, until it is derived."""
    derive: bool
    """Whether something changed that was read: the flow is derived again from its first step."""
    acted: bool
    """Whether the flow that led here did something that cannot be taken back."""
    cut: bool
    """Whether the memo is not whole: then nothing can be derived again."""


class Returned(TypedDict):
    """What a called flow left to its caller."""

    slots: dict[str, Any]
    origins: dict[str, Origin]
    had: list[str]
    """The slots of the called flow."""
    left: dict[str, Origin]
    """Those that are empty on purpose."""


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
    path: list[str]
    """The calls that led here from the flow that the person started."""
    visits: dict[str, int]
    rounds: dict[str, int]
    origins: dict[str, Origin]
    left: dict[str, Origin]
    """The slots that are empty on purpose."""
    asked: Asked | None
    answered: bool
    """Whether this message answers the open question."""
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
    chains: dict[str, Chain]
    """For each flow that the person started, by its id."""
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
        "chains": {},
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
