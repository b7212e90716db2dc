"""The OpenAI protocol, so that whatever talks to a model can talk to the assistant instead.

The assistant keeps the conversation itself, so only the last message of the user counts; the rest of what a client
sends along is left alone.
"""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Header
from pydantic import BaseModel, ConfigDict, Field

from soni.core.message_sink import Message
from soni.runtime.result import TurnResult
from soni.server.access import CONVERSATION, NAMING, Caller
from soni.server.bodies import MessageIn, MessageName
from soni.server.conversations import QueueSink, first_of, happening, turn_of
from soni.server.problems import HttpProblem, problem_of
from soni.server.service import Anybody, Service, Talker, TheService, fresh_name, own
from soni.server.streams import BEAT, EventStream
from soni.server.turns import Waiting, outcome

if TYPE_CHECKING:
    import asyncio
    from collections.abc import AsyncGenerator

router = APIRouter(prefix="/v1", tags=["openai"])

MODEL = "soni"
_PASSED_ON = "(A person has this conversation; your message has been passed on.)"
"""What stands where the assistant says nothing: such clients would show an empty message."""
_STREAM: dict[str, Any] = {"content": {"text/event-stream": {}}}


class _Lenient(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)


class Part(_Lenient):
    """A part of a message."""

    type: str
    text: str | None = None


class ChatMessage(_Lenient):
    """A message of the history that the client keeps."""

    role: str
    content: str | list[Part] | None = None


class StreamOptions(_Lenient):
    """What a stream should tell besides."""

    include_usage: bool = False


class CompletionIn(_Lenient):
    """What a client of OpenAI's chat completions sends; what is not listed here is ignored."""

    model_config = ConfigDict(
        extra="ignore",
        strict=True,
        json_schema_extra={
            "examples": [{"model": MODEL, "user": "ana", "messages": [{"role": "user", "content": "my balance"}]}]
        },
    )

    model: str = MODEL
    messages: list[ChatMessage] = Field(min_length=1)
    user: str | None = Field(default=None, description="The conversation, if no X-Conversation-Id header names it.")
    stream: bool = False
    stream_options: StreamOptions | None = None
    n: int | None = None


class Model(BaseModel):
    """A model, as a client lists it."""

    id: str
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str


class Models(BaseModel):
    """The assistant, as the only model."""

    object: Literal["list"] = "list"
    data: list[Model]


class Said(BaseModel):
    """The assistant's answer."""

    role: Literal["assistant"] = "assistant"
    content: str


class Choice(BaseModel):
    """The only choice."""

    index: int = 0
    message: Said
    finish_reason: Literal["stop"] = "stop"


class Tokens(BaseModel):
    """What understanding the message has cost; nothing, without a model."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class CompletionOut(BaseModel):
    """An answer as clients of OpenAI's chat completions read it."""

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[Choice]
    usage: Tokens


@router.get("/models")
async def models(caller: Anybody, service: TheService) -> Models:
    """The assistant, as a model."""
    return Models(data=[Model(id=MODEL, owned_by=service.loop.config.settings.name)])


@router.get("/models/{model}")
async def model(model: str, caller: Anybody, service: TheService) -> Model:
    """The assistant, as a model."""
    _check_model(model)
    return Model(id=MODEL, owned_by=service.loop.config.settings.name)


@router.post("/chat/completions", responses={200: _STREAM})
async def complete(
    caller: Talker,
    service: TheService,
    body: CompletionIn,
    x_conversation_id: Annotated[str | None, Header(description="The conversation.")] = None,
    idempotency_key: Annotated[MessageName | None, Header()] = None,
) -> CompletionOut:
    """Say something, as to a model of OpenAI; `stream` works too."""
    _check_model(body.model)
    if body.n not in (None, 1):
        raise HttpProblem(400, "one-choice", "there is one answer: leave n out")
    name = _name(caller, x_conversation_id or body.user)
    message_id = idempotency_key or fresh_name()
    message = MessageIn.model_construct(
        text=_text(body.messages), message_id=message_id, payload=None, seen=None, slots=None
    )
    sink = QueueSink() if body.stream else None
    waiting = Waiting()
    task = turn_of(service, name, caller, message, message_id, sink, waiting)
    head = {"id": f"chatcmpl-{message_id}", "created": int(time.time()), "model": MODEL}
    if sink is None:
        result = await service.turns.result(task, message_id, waiting)
        said = "\n".join(_shown(message) for message in (*result.recovered, *result.messages))
        if not said and result.handoff is not None:
            said = _PASSED_ON
        return CompletionOut(**head, choices=[Choice(message=Said(content=said))], usage=_usage(result))
    first = await first_of(service, sink, task, message_id, waiting)
    usage = body.stream_options is not None and body.stream_options.include_usage
    chunks = _chunks(service, sink, task, first, head, usage)
    return EventStream(chunks, waiting=waiting)  # type: ignore[return-value]  # as it is


async def _chunks(
    service: Service,
    sink: QueueSink,
    task: asyncio.Task[TurnResult],
    first: Message | str | None,
    head: dict[str, Any],
    usage: bool,
) -> AsyncGenerator[str]:
    def chunk(choices: list[dict[str, Any]], **more: Any) -> str:
        told = {**head, "object": "chat.completion.chunk", "choices": choices, **more}
        return f"data: {json.dumps(told, ensure_ascii=False)}\n\n"

    def delta(said: dict[str, str], reason: str | None = None) -> str:
        return chunk([{"index": 0, "delta": said, "finish_reason": reason}], **({"usage": None} if usage else {}))

    yield delta({"role": "assistant", "content": ""})
    between = ""
    async for one in happening(service, sink, first):
        if isinstance(one, Message):
            yield delta({"content": f"{between}{_shown(one)}"})
            between = "\n"
        elif one == "beat":
            yield BEAT
    try:
        result = outcome(task, None)
    except Exception as error:  # there is no status left to tell it with
        yield f"data: {json.dumps({'error': problem_of(error).to_json()['error']})}\n\n"
        return
    if not between and result.handoff is not None:
        yield delta({"content": _PASSED_ON})
    yield delta({}, "stop")
    if usage:
        yield chunk([], usage=_usage(result).model_dump())
    yield "data: [DONE]\n\n"


def _check_model(name: str) -> None:
    if name != MODEL:
        detail = f"there is no model '{name[:100]}' here; the assistant is called '{MODEL}'"
        raise HttpProblem(404, "model_not_found", detail)


def _name(caller: Caller, given: str | None) -> str:
    conversation = given or caller.conversation
    if conversation is None:
        detail = (
            "which conversation is it? Give a 'user' in the body or an X-Conversation-Id header: the assistant "
            "remembers each conversation itself"
        )
        raise HttpProblem(400, "no-conversation", detail)
    if re.fullmatch(CONVERSATION, conversation) is None:
        raise HttpProblem(400, "bad-conversation", NAMING)
    return own(caller, conversation)


def _text(messages: list[ChatMessage]) -> str:
    """What the user said last."""
    for message in reversed(messages):
        if message.role == "user":
            parts = [Part(type="text", text=message.content)] if isinstance(message.content, str) else message.content
            other = {part.type for part in parts or [] if part.type != "text"}
            if other:
                raise HttpProblem(400, "only-text", f"the assistant reads text, not {', '.join(sorted(other))[:100]}")
            return "\n".join(part.text or "" for part in parts or [])
    raise HttpProblem(400, "nothing-said", "there is no message with the role 'user'")


def _shown(message: Message) -> str:
    """A message as text alone, its quick replies included."""
    return "\n".join([message.text, *(f"- {option.label}" for option in message.options)])


def _usage(result: TurnResult) -> Tokens:
    spent = result.usage
    return Tokens(
        prompt_tokens=spent.prompt_tokens,
        completion_tokens=spent.completion_tokens,
        total_tokens=spent.prompt_tokens + spent.completion_tokens,
    )
