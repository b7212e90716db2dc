"""Bodies: what requests and answers look like, with examples for the OpenAPI description."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from soni.dm.privacy import is_private
from soni.runtime.border import MOST_CHARACTERS, MOST_IN_A_NAME
from soni.server.access import CONVERSATION, LONGEST_TOKEN

if TYPE_CHECKING:
    from soni.config.models import SoniConfig
    from soni.core.message_sink import Message
    from soni.core.pending_task import PendingTask
    from soni.runtime.result import TurnResult
    from soni.runtime.session import Line

MessageName = Annotated[str, Field(min_length=1, max_length=MOST_IN_A_NAME)]
_STRICT = ConfigDict(extra="forbid")


def _like(**example: Any) -> ConfigDict:
    return ConfigDict(extra="forbid", json_schema_extra={"examples": [example]})


class MessageIn(BaseModel):
    """Something a user says."""

    model_config = _like(text="send 20 euros to Ana", message_id="m-17")

    text: str = Field(max_length=MOST_CHARACTERS)
    message_id: MessageName | None = Field(
        default=None, description="A name for it: when it comes again under this name, it gets the answer it got."
    )
    payload: dict[str, str] | None = Field(
        default=None, description="What a quick reply carries, if one was chosen.", max_length=10
    )
    seen: MessageName | None = Field(
        default=None,
        description="The id of the last message on this user's screen: a yes does not answer what came after it.",
    )
    slots: dict[str, Any] | None = Field(
        default=None, description="Conversation-wide slots that the host knows; only with an API key.", max_length=50
    )


class StartIn(BaseModel):
    """A conversation that is opened before anything is said."""

    model_config = _STRICT

    slots: dict[str, Any] | None = Field(default=None, max_length=50)
    language: str | None = Field(
        default=None, max_length=35, description="What the user is thought to speak.", examples=["es"]
    )


class PersonIn(BaseModel):
    """Something a person says instead of the assistant."""

    model_config = _like(text="This is Marta. It is settled now.", message_id="desk-4")

    text: str = Field(min_length=1, max_length=MOST_CHARACTERS)
    message_id: MessageName | None = None


class TokenIn(BaseModel):
    """For whom a token is wanted."""

    model_config = _like(conversation="ana", expires_in=3600, slots={"logged_in": True})

    conversation: str = Field(pattern=CONVERSATION)
    expires_in: int = Field(default=3600, ge=1, le=LONGEST_TOKEN, strict=True, description="Seconds.")
    slots: dict[str, Any] | None = Field(
        default=None, description="Conversation-wide slots that hold for this user.", max_length=50
    )


class TokenOut(BaseModel):
    """A token with which a user may talk in one conversation."""

    conversation: str
    token: str | None = Field(description="None where no token is needed.")
    expires_in: int | None = None


class OptionOut(BaseModel):
    """A quick reply: what is shown, and what to send back as `payload`."""

    label: str
    payload: dict[str, str]


class MessageOut(BaseModel):
    """A message of the assistant, or of a person instead of it."""

    id: str = Field(examples=["5f0c2ab1/3/transfer_funds#1/confirm/1/1"])
    sequence: int
    kind: Literal["inform", "collect", "confirm", "progress", "handoff", "person", "user"]
    text: str
    options: list[OptionOut] = []
    data: dict[str, Any] | None = None

    @classmethod
    def of(cls, message: Message) -> MessageOut:
        return cls.model_validate({**message.to_json(), "sequence": message.sequence or 0})


class PendingOut(BaseModel):
    """What the assistant waits for."""

    type: Literal["collect", "confirm", "inform"]
    slot: str | None = None
    private: bool = Field(description="Whether the answer is a secret, to be typed unseen.")

    @classmethod
    def of(cls, task: PendingTask | None, config: SoniConfig) -> PendingOut | None:
        if task is None:
            return None
        return cls(type=task["type"], slot=task.get("slot"), private=is_private(task, [], config))


class TurnOut(BaseModel):
    """What came of a message."""

    conversation: str
    message_id: str | None = Field(description="The name of the message, if the turn was begun by one.")
    turn: int
    recovered: list[MessageOut] = Field(description="What was said before, when nobody was there to hear it.")
    messages: list[MessageOut]
    pending: PendingOut | None
    with_person: bool = Field(description="Whether a person has the conversation now, not the assistant.")
    failed: bool = Field(description="Whether the turn could not be finished; the assistant has said so.")

    @classmethod
    def of(cls, name: str, message_id: str | None, result: TurnResult, config: SoniConfig) -> TurnOut:
        return cls(
            conversation=name.partition("/")[2],
            message_id=message_id,
            turn=result.turn,
            recovered=[MessageOut.of(message) for message in result.recovered],
            messages=[MessageOut.of(message) for message in result.messages],
            pending=PendingOut.of(result.pending, config),
            with_person=result.handoff is not None,
            failed=result.error is not None,
        )


class LineOut(BaseModel):
    """One thing that was said."""

    role: Literal["user", "person", "assistant"]
    turn: int
    at: str = Field(description="When the turn began, in UTC.", examples=["2026-03-02T12:00:00+00:00"])
    text: str
    message_id: str | None = Field(default=None, description="The name of the user's message.")
    message: MessageOut | None = Field(default=None, description="The assistant's or the person's message, whole.")

    @classmethod
    def of(cls, line: Line) -> LineOut:
        return cls(
            role=line.role,
            turn=line.turn,
            at=datetime.fromtimestamp(line.at, UTC).isoformat(timespec="seconds"),
            text=line.text,
            message_id=line.message_id,
            message=None if line.message is None else MessageOut.of(line.message),
        )


class TranscriptOut(BaseModel):
    """What was said in the newest turns; secrets are masked."""

    conversation: str
    lines: list[LineOut]
    pending: PendingOut | None
    with_person: bool
    running: bool = Field(description="Whether a turn is under way; its message is not among the lines yet.")


class HandoffOut(BaseModel):
    """A conversation that a person has."""

    conversation: str
    reason: str | None
    flow: str | None
    slots: dict[str, Any]
    turn: int
    since: float = Field(description="Since when, in seconds of the epoch.")
    last_at: float
    waiting: bool = Field(description="Whether the user spoke last.")


class HandoffsOut(BaseModel):
    """The conversations that a person has, longest silent first."""

    conversations: list[HandoffOut]


class Problem(BaseModel):
    """What went wrong (RFC 9457)."""

    type: str = Field(examples=["urn:soni:problem:conversation-busy"])
    title: str
    status: int
    detail: str
    errors: list[dict[str, str]] | None = None
    message_id: str | None = None
    error: dict[str, Any] = Field(description="The same, where clients of OpenAI's protocol look for it.")
