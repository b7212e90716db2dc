"""Talking over a WebSocket: messages both ways, each acknowledged, from where one stopped.

Frames are JSON. The client sends `message` (with the fields of a posted one) and `ack` (the id of the last message it
has); it gets `accepted`, `message`, `done` and `error`. All messages come from the outbox, so that whatever was said in
another window, by another process or by a person arrives like the rest, once and in order.
"""

from __future__ import annotations

import asyncio
import json
import logging
from contextlib import aclosing, suppress
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Query, WebSocket, WebSocketDisconnect
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from soni.core.message_sink import Message, MessageSink
from soni.errors import SoniError
from soni.server import streams
from soni.server.bodies import MessageIn, MessageOut
from soni.server.conversations import answer, turn_of
from soni.server.problems import HttpProblem, problem_of
from soni.server.service import ConversationId, bearer, check_may_talk, fresh_name, own, service_of
from soni.server.turns import Waiting

if TYPE_CHECKING:
    from soni.runtime.result import TurnResult
    from soni.server.access import Caller
    from soni.server.service import Service

logger = logging.getLogger(__name__)
router = APIRouter()

SUBPROTOCOL = "soni"
_BEARER = "bearer."
_GOING, _NOT_TEXT, _TOO_SLOW, _FAILED, _RESTART, _EXPIRED, _FORGOTTEN = 1001, 1003, 1008, 1011, 1012, 4401, 4410
_MOST_FRAMES = 64


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
    """One open socket. Frames wait in a queue for the one task that sends them, so that no turn waits for a client."""

    def __init__(self, socket: WebSocket, service: Service, name: str, caller: Caller) -> None:
        self._socket = socket
        self._service = service
        self._name = name
        self._caller = caller
        self._frames: asyncio.Queue[str] = asyncio.Queue(_MOST_FRAMES)
        self._turns: set[asyncio.Task[None]] = set()
        self._said = asyncio.Condition()
        self._at = 0
        self.waiting = Waiting()

    async def send(self) -> int:
        """Pass on what waits; a client that does not take it in time is let go."""
        while True:
            frame = await self._frames.get()
            try:
                async with asyncio.timeout(streams.SLOWEST):
                    await self._socket.send_text(frame)
            except TimeoutError:
                return _TOO_SLOW

    async def frame(self, kind: str, data: dict[str, Any]) -> None:
        """Let a frame be sent, as soon as there is room for it."""
        await self._frames.put(_frame(kind, data))

    def accepted(self, message_id: str) -> None:
        """Let the client know, if there is room for it; nothing waits for that."""
        with suppress(asyncio.QueueFull):
            self._frames.put_nowait(_frame("accepted", {"message_id": message_id}))

    async def follow(self, after: str | None) -> int:
        """Pass on everything that is said; the code to close with when there is nothing more."""
        beat = self._service.settings.beat
        self._at = 0 if after is None else await self._service.loop.place_of(self._name, after) or 0
        async with aclosing(self._service.loop.follow(self._name, after=after, beat=beat, hears=False)) as messages:
            async for message in messages:
                if message is not None:
                    await self.frame("message", MessageOut.of(message).model_dump())
                    async with self._said:
                        self._at = message.sequence or self._at
                        self._said.notify_all()
        return _FORGOTTEN

    async def hear(self) -> int:
        """Take what the client sends until it is gone; not faster than it takes the answers."""
        while True:
            try:
                text = await self._socket.receive_text()
            except WebSocketDisconnect:
                return _GOING
            except KeyError:
                return _NOT_TEXT
            try:
                frame = self._read(text)
                if isinstance(frame, AckFrame):
                    await self._service.loop.hear(self._name, frame.id)
                else:
                    await self._begin(frame)
            except HttpProblem as problem:
                await self.frame("error", {"problem": problem.to_json()})

    def _read(self, text: str) -> MessageFrame | AckFrame:
        """What a frame says; HttpProblem if it says nothing, or if there are too many that are no messages."""
        try:
            frame = _FRAME.validate_json(text)
        except ValidationError as error:
            self._service.reads.count(self._name)
            raise _invalid(error) from None
        if isinstance(frame, AckFrame):  # messages are counted where their turns begin
            self._service.reads.count(self._name)
        return frame

    async def _begin(self, frame: MessageFrame) -> None:
        message_id = frame.message_id or fresh_name()
        sink = _Acknowledging(self, message_id)
        try:
            turn = turn_of(self._service, self._name, self._caller, frame, message_id, sink, self.waiting)
        except HttpProblem as problem:
            await self.frame("error", {"problem": problem.to_json(), "message_id": message_id})
            return
        ending = asyncio.create_task(self._end(turn, message_id))
        self._turns.add(ending)
        ending.add_done_callback(self._turns.discard)

    async def _end(self, turn: asyncio.Task[TurnResult], message_id: str) -> None:
        try:
            result = await self._service.turns.result(turn, message_id)
        except Exception as error:  # whatever it was, the client is told
            await self.frame("error", {"problem": problem_of(error).to_json(), "message_id": message_id})
            return
        last = max((message.sequence or 0 for message in result.messages), default=0)
        async with self._said:  # first the messages, then the word that these were all
            await self._said.wait_for(lambda: self._at >= last)
        done = answer(self._service, self._name, message_id, result).model_dump(exclude={"messages", "recovered"})
        await self.frame("done", done)

    @property
    def seconds_left(self) -> float | None:
        """For how long the socket may stay open."""
        return self._caller.seconds_left

    def close(self) -> None:
        """Nobody is there any more; the turns go on."""
        self.waiting.is_there = False
        for ending in self._turns:
            ending.cancel()


def _invalid(error: ValidationError) -> HttpProblem:
    """The first thing that is wrong with a frame, without what was in it."""
    found = error.errors(include_input=False, include_url=False)[0]
    where = ".".join(str(part) for part in found["loc"])
    what = f"{where}: {found['msg']}".removeprefix(": ")
    if found["type"].startswith("union_tag"):
        what = 'a frame has a type: {"type": "message", "text": …} or {"type": "ack", "id": …}'
    return HttpProblem(422, "invalid-frame", what)


def _frame(kind: str, data: dict[str, Any]) -> str:
    return json.dumps({"type": kind, **data})


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
        self._conversation.accepted(self._message_id)


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
        check_may_talk(caller)
        name = own(caller, conversation)
        service.reads.count(name)
        with service.streams.one(name):
            await websocket.accept(SUBPROTOCOL if SUBPROTOCOL in protocols else None)
            await _talk(websocket, service, _Conversation(websocket, service, name, caller), after or None)
    except HttpProblem as problem:
        await websocket.send_denial_response(problem.response)


async def _talk(websocket: WebSocket, service: Service, talk: _Conversation, after: str | None) -> None:
    closing = asyncio.create_task(service.closing.wait())
    tasks: list[asyncio.Task[Any]] = [
        asyncio.create_task(work) for work in (talk.send(), talk.follow(after), talk.hear())
    ]
    try:
        left = talk.seconds_left
        done, _ = await asyncio.wait([*tasks, closing], return_when=asyncio.FIRST_COMPLETED, timeout=left)
    finally:
        talk.close()
        for task in (*tasks, closing):
            task.cancel()
        await asyncio.gather(*tasks, closing, return_exceptions=True)
    code = _RESTART if closing in done else _EXPIRED
    for task in done - {closing}:
        code = task.result() if task.exception() is None else _FAILED
        if not isinstance(task.exception(), NoneType | WebSocketDisconnect | RuntimeError | OSError | SoniError):
            logger.error("a WebSocket failed", exc_info=task.exception())
    with suppress(Exception):  # it may be gone already
        async with asyncio.timeout(5.0):
            await websocket.close(code)


def _credential(websocket: WebSocket, protocols: list[str]) -> str | None:
    """A key or a token: from the header, or, since browsers cannot send one, from the list of subprotocols."""
    return bearer(websocket) or next((one.removeprefix(_BEARER) for one in protocols if one.startswith(_BEARER)), None)
