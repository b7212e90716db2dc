"""Where messages go: the contract, the message value, and the four small sinks."""

from __future__ import annotations

import asyncio
import inspect
import json
from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

Kind = Literal["inform", "collect", "confirm", "progress", "handoff", "person", "user"]
"""`person` is what a person says instead of the assistant, `user` what is passed on to them."""


@dataclass(frozen=True, slots=True)
class Option:
    """A quick reply: what is shown, and what choosing it sends back."""

    label: str
    payload: dict[str, str]


@dataclass(frozen=True, slots=True)
class Message:
    """One whole message of the assistant."""

    id: str
    kind: Kind
    text: str
    options: tuple[Option, ...] = ()
    data: dict[str, Any] | None = None
    sequence: int | None = None
    """Its place among all that was said in the conversation, once it is stored."""

    def to_json(self) -> dict[str, Any]:
        """The message as JSON, without the parts it does not have."""
        return {key: value for key, value in asdict(self).items() if value not in ((), None)}

    @classmethod
    def load(cls, data: dict[str, Any]) -> Message:
        """The message that `to_json` wrote."""
        return cls(**{**data, "options": tuple(Option(**option) for option in data.get("options", ()))})


class MessageSink(ABC):
    """Takes one turn's messages, whole and in order, as they happen."""

    @abstractmethod
    async def send(self, message: Message) -> None:
        """Pass on one message; returns when it is out of our hands."""

    async def accepted(self) -> None:
        """What the person said is stored, and will be answered whatever happens; nothing by default."""
        return


class BufferedMessageSink(MessageSink):
    """Keeps messages in a list, for tests and plain request-response."""

    def __init__(self) -> None:
        self.messages: list[Message] = []

    async def send(self, message: Message) -> None:
        self.messages.append(message)


class CallbackMessageSink(MessageSink):
    """Hands each message to a function, which may be a coroutine function."""

    def __init__(self, callback: Callable[[Message], Awaitable[None] | None]) -> None:
        self._callback = callback

    async def send(self, message: Message) -> None:
        done = self._callback(message)
        if inspect.isawaitable(done):
            await done


class JsonSocket(Protocol):
    """All that a WebSocket has to offer here."""

    async def send_json(self, data: Any) -> None: ...


class WebSocketMessageSink(MessageSink):
    """Sends each message as a JSON frame of type `message`."""

    def __init__(self, socket: JsonSocket) -> None:
        self._socket = socket

    async def send(self, message: Message) -> None:
        await self._socket.send_json({"type": "message", **message.to_json()})


class SSEMessageSink(MessageSink):
    """Server-Sent Events: iterate over it for encoded events until `close` is called."""

    def __init__(self) -> None:
        self._events: asyncio.Queue[str | None] = asyncio.Queue()

    async def send(self, message: Message) -> None:
        data = json.dumps(message.to_json(), ensure_ascii=False)
        self._events.put_nowait(f"id: {message.id}\nevent: message\ndata: {data}\n\n")

    def close(self) -> None:
        """End the iteration after the events already sent."""
        self._events.put_nowait(None)

    async def __aiter__(self) -> AsyncIterator[str]:
        while (event := await self._events.get()) is not None:
            yield event
