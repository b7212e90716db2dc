"""EventStream: Server-Sent Events to one client, at its own pace."""

from __future__ import annotations

import asyncio
import json
import logging
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from soni.errors import SoniError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from contextlib import AbstractContextManager

    from starlette.types import Receive, Scope, Send

    from soni.server.turns import Waiting

logger = logging.getLogger(__name__)

SLOWEST = 30.0
"""How many seconds a client may take to take a piece of a stream."""
BEAT = ": still here\n\n"
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


def event(kind: str, data: dict[str, Any], event_id: str | None = None) -> str:
    """One event, as it is sent; JSON has no line breaks, so the data is one line."""
    name = "" if event_id is None else f"id: {event_id}\n"
    return f"{name}event: {kind}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"


class EventStream(Response):
    """Sends events until there are no more, the client is gone or too slow, or the server wants to stop.

    It ends after so many `seconds`, too: with the token that opened it.
    """

    media_type = "text/event-stream"

    def __init__(
        self,
        events: AsyncGenerator[str],
        *,
        until: asyncio.Event | None = None,
        place: AbstractContextManager[None] | None = None,
        seconds: float | None = None,
        waiting: Waiting | None = None,
        status_code: int = 200,
    ) -> None:
        super().__init__(headers=HEADERS, status_code=status_code)
        del self.headers["content-length"]
        self._events = events
        self._until = until
        self._place = place or nullcontext()
        self._seconds = seconds
        self._waiting = waiting

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._place:
            await self._sent(receive, send)

    async def _sent(self, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        watched: list[asyncio.Task[Any]] = [asyncio.create_task(self._send(send)), asyncio.create_task(_gone(receive))]
        if self._until is not None:
            watched.append(asyncio.create_task(self._until.wait()))
        try:
            await asyncio.wait(watched, return_when=asyncio.FIRST_COMPLETED, timeout=self._seconds)
        finally:
            if self._waiting is not None and not watched[0].done():
                self._waiting.is_there = False
            for task in watched:
                task.cancel()
            outcome = await asyncio.gather(*watched, return_exceptions=True)
            await self._events.aclose()
        slow = isinstance(outcome[0], TimeoutError)
        if outcome[1] is None or slow:
            return  # nobody is there to read an end
        with suppress(TimeoutError):
            async with asyncio.timeout(SLOWEST):
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        if isinstance(outcome[0], SoniError):
            logger.warning("a stream ended: %s", outcome[0])
        elif isinstance(outcome[0], Exception):
            raise outcome[0]

    async def _send(self, send: Send) -> None:
        async for chunk in self._events:
            async with asyncio.timeout(SLOWEST):
                await send({"type": "http.response.body", "body": chunk.encode(), "more_body": True})


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
