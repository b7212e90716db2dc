"""Talking over a WebSocket: messages both ways, each acknowledged, from where one stopped.

Frames are JSON. The client sends `message` (with the fields of a posted one) and `ack` (the id of the last message it
has); it gets `accepted`, `message`, `done` and `error`. All messages come from the outbox, so that whatever was said in
another window, by another process or by a person arrives like the rest, once and in order.
"""

from __future__ import annotations

import asyncio
import json
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Query, WebSocket, WebSocketDisconnect
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from soni.core.message_sink import Message, MessageSink
from soni.server.bodies import MessageIn, MessageOut
from soni.server.conversations import answer, turn_of
from soni.server.problems import HttpProblem, problem_of
from soni.server.service import ConversationId, fresh_name, own, service_of
from soni.server.streams import SLOWEST

if TYPE_CHECKING:
    from soni.server.access import Caller
    from soni.server.service import Service

logger = logging.getLogger(__name__)
router = APIRouter()

SUBPROTOCOL = "soni"
_BEARER = "bearer."
_RESTART, _GOING, _TOO_SLOW, _FORGOTTEN = 1012, 1001, 1008, 4410


class MessageFrame(MessageIn):
    """Something the user says."""

    type: Literal["message"]


class AckFrame(BaseModel):
    """The client has everything up to this message."""

    model_config = ConfigDict(extra="forbid")

    type: Literal["ack"]
    id: str = Field(max_length=1000)


_FRAME: TypeAdapter[MessageFrame | AckFrame] = TypeAdapter(
    Annotated[MessageFrame | AckFrame, Field(discriminator="type")]
)


class _Conversation:
    """One open socket."""

    def __init__(self, socket: WebSocket, service: Service, name: str, caller: Caller) -> None:
        self._socket = socket
        self._service = service
        self._name = name
        self._caller = caller
        self._sending = asyncio.Lock()
        self._turns: set[asyncio.Task[None]] = set()
        self._sent = asyncio.Condition()
        self._at = 0

    async def frame(self, kind: str, data: dict[str, Any]) -> None:
        async with self._sending, asyncio.timeout(SLOWEST):
            await self._socket.send_text(json.dumps({"type": kind, **data}, ensure_ascii=False))

    async def follow(self, after: str | None) -> int:
        """Pass on everything that is said; the code to close with when there is nothing more."""
        beat = self._service.settings.beat
        self._at = 0 if after is None else await self._service.loop.place_of(self._name, after) or 0
        async for message in self._service.loop.follow(self._name, after=after, beat=beat, hears=False):
            if message is not None:
                await self.frame("message", MessageOut.of(message).model_dump())
                async with self._sent:
                    self._at = message.sequence or self._at
                    self._sent.notify_all()
        return _FORGOTTEN

    async def hear(self) -> int:
        """Take what the client sends until it is gone."""
        while True:
            try:
                text = await self._socket.receive_text()
            except (WebSocketDisconnect, KeyError):  # KeyError: bytes instead of text
                return _GOING
            try:
                frame = _FRAME.validate_json(text)
            except ValidationError as error:
                found = error.errors(include_input=False, include_url=False)[0]
                where = ".".join(str(part) for part in found["loc"])
                problem = HttpProblem(422, "invalid-frame", f"{where}: {found['msg']}".removeprefix(": "))
                await self.frame("error", {"problem": problem.to_json()})
                continue
            if isinstance(frame, AckFrame):
                await self._service.loop.hear(self._name, frame.id)
                continue
            turn = asyncio.create_task(self._turn(frame))
            self._turns.add(turn)
            turn.add_done_callback(self._turns.discard)

    async def _turn(self, frame: MessageFrame) -> None:
        message_id = frame.message_id or fresh_name()
        sink = _Acknowledging(self, message_id)
        try:
            task = turn_of(self._service, self._name, self._caller, frame, message_id, sink)
            result = await self._service.turns.result(task, message_id)
            last = max((message.sequence or 0 for message in result.messages), default=0)
            with suppress(TimeoutError):  # first the messages, then the word that these were all
                async with asyncio.timeout(SLOWEST), self._sent:
                    await self._sent.wait_for(lambda: self._at >= last)
            done = answer(self._service, self._name, message_id, result).model_dump(exclude={"messages", "recovered"})
            await self.frame("done", done)
        except Exception as error:  # whatever it was, the client is told, if it is still there
            with suppress(Exception):
                await self.frame("error", {"problem": problem_of(error).to_json(), "message_id": message_id})


class _Acknowledging(MessageSink):
    """Tells the client that its message is safe.

    What is said comes from the outbox; that there is a sink makes it go there at once.
    """

    def __init__(self, conversation: _Conversation, message_id: str) -> None:
        self._conversation = conversation
        self._message_id = message_id

    async def send(self, message: Message) -> None:
        return

    async def accepted(self) -> None:
        await self._conversation.frame("accepted", {"message_id": self._message_id})


@router.websocket("/v1/conversations/{conversation}/ws")
async def socket(
    websocket: WebSocket,
    conversation: ConversationId,
    after: Annotated[str | None, Query(max_length=1000)] = None,
) -> None:
    """Talk over a WebSocket; `after` is the id of the last message that the client has."""
    service = service_of(websocket)
    protocols: list[str] = websocket.scope.get("subprotocols", [])
    try:
        caller = service.caller(websocket, _credential(websocket, protocols))
        name = own(caller, conversation)
        with service.streams.one(name):
            await websocket.accept(SUBPROTOCOL if SUBPROTOCOL in protocols else None)
            await _talk(websocket, service, _Conversation(websocket, service, name, caller), after)
    except HttpProblem as problem:
        await websocket.send_denial_response(problem.response)


async def _talk(websocket: WebSocket, service: Service, talk: _Conversation, after: str | None) -> None:
    tasks: list[asyncio.Task[Any]] = [
        asyncio.create_task(talk.follow(after or None)),
        asyncio.create_task(talk.hear()),
        asyncio.create_task(service.closing.wait()),
    ]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    code = _RESTART
    for task in done:
        if isinstance(task.exception(), TimeoutError):
            code = _TOO_SLOW
        elif task.exception() is not None:
            code = 1011
            if not isinstance(task.exception(), WebSocketDisconnect | RuntimeError | OSError):
                logger.error("a WebSocket failed", exc_info=task.exception())
        elif task is not tasks[2]:
            code = task.result()
    with suppress(Exception):  # it may be gone already
        async with asyncio.timeout(5.0):
            await websocket.close(code)


def _credential(websocket: WebSocket, protocols: list[str]) -> str | None:
    """A key or a token: from the header, or, since browsers cannot send one, from the list of subprotocols."""
    kind, _, credential = websocket.headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer" and credential.strip():
        return credential.strip()
    return next((one.removeprefix(_BEARER) for one in protocols if one.startswith(_BEARER)), None)
