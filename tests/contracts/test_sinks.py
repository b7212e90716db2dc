"""The contract of a sink, on every sink that ships."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from rich.console import Console

from soni.cli.console_sink import ConsoleMessageSink
from soni.core.message_sink import (
    BufferedMessageSink,
    CallbackMessageSink,
    Message,
    MessageSink,
    Option,
    SSEMessageSink,
    WebSocketMessageSink,
)

Texts = Callable[[], Any]

MESSAGES = [
    Message("1/a/1", "inform", "Hello [bold]there[/bold]"),
    Message("1/b/1", "progress", "¿Qué tal? 日本 🎉\nsecond line"),
    Message("1/c/1", "confirm", "Go on?", (Option("Yes", {"task": "c", "option": "yes"}), Option("No", {}))),
    Message("1/d/1", "handoff", "{not} a template", data={"reason": "x"}),
]


class Socket:
    """A WebSocket as frameworks have it, on a list."""

    def __init__(self) -> None:
        self.frames: list[Any] = []

    async def send_json(self, data: Any) -> None:
        self.frames.append(json.loads(json.dumps(data)))


def buffered() -> tuple[MessageSink, Texts]:
    sink = BufferedMessageSink()
    return sink, lambda: [message.text for message in sink.messages]


def callback() -> tuple[MessageSink, Texts]:
    seen: list[str] = []
    return CallbackMessageSink(lambda message: seen.append(message.text)), lambda: seen


def async_callback() -> tuple[MessageSink, Texts]:
    seen: list[str] = []

    async def receive(message: Message) -> None:
        seen.append(message.text)

    return CallbackMessageSink(receive), lambda: seen


def websocket() -> tuple[MessageSink, Texts]:
    socket = Socket()
    return WebSocketMessageSink(socket), lambda: [frame["text"] for frame in socket.frames]


def sse() -> tuple[MessageSink, Texts]:
    sink = SSEMessageSink()

    async def read() -> list[str]:
        sink.close()
        return [json.loads(_field(event, "data"))["text"] async for event in sink]

    return sink, read


def console() -> tuple[MessageSink, Texts]:
    screen = io.StringIO()
    sink = ConsoleMessageSink(Console(file=screen, soft_wrap=True, highlight=False))

    def read() -> list[str]:
        shown = screen.getvalue()
        return [message.text for message in MESSAGES if message.text in shown]

    return sink, read


def _field(event: str, name: str) -> str:
    return next(line.removeprefix(f"{name}: ") for line in event.splitlines() if line.startswith(f"{name}: "))


@pytest.mark.parametrize("make", [buffered, callback, async_callback, websocket, sse, console])
async def test_whole_messages_arrive_in_order_and_unchanged(make: Callable[[], tuple[MessageSink, Texts]]) -> None:
    sink, read = make()
    for message in MESSAGES:
        await sink.send(message)
    seen = read()
    assert (seen if isinstance(seen, list) else await seen) == [message.text for message in MESSAGES]


async def test_an_event_carries_the_message_id_and_no_line_of_the_text_breaks_it() -> None:
    sink = SSEMessageSink()
    for message in MESSAGES:
        await sink.send(message)
    sink.close()
    events = [event async for event in sink]
    assert [_field(event, "id") for event in events] == [message.id for message in MESSAGES]
    assert all(event.endswith("\n\n") and event.count("\n") == 4 for event in events)


async def test_a_websocket_frame_carries_options_with_their_payloads() -> None:
    socket = Socket()
    await WebSocketMessageSink(socket).send(MESSAGES[2])
    assert socket.frames == [
        {
            "type": "message",
            "id": "1/c/1",
            "kind": "confirm",
            "text": "Go on?",
            "options": [{"label": "Yes", "payload": {"task": "c", "option": "yes"}}, {"label": "No", "payload": {}}],
        }
    ]
