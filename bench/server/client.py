"""The cheapest client that speaks HTTP, so that what is measured is the server."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections import Counter


class Connection:
    """One connection that is kept open, one request after the other."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls, port: int) -> Connection:
        """Connect to a server on this machine."""
        return cls(*await asyncio.open_connection("127.0.0.1", port))

    async def say(self, user: str, text: str, message_id: str) -> str:
        """Post a message; the texts of the answer."""
        body = json.dumps({"text": text, "message_id": message_id}).encode()
        head = (
            f"POST /v1/conversations/{user}/messages HTTP/1.1\r\nHost: localhost\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        self._writer.write(head.encode() + body)
        told = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        assert b" 200 " in told.split(b"\r\n", 1)[0], told
        length = int(told.split(b"content-length:")[1].split(b"\r\n", 1)[0])
        answer = json.loads(await self._reader.readexactly(length))
        return "\n".join(message["text"] for message in answer["messages"])

    async def follow(self, user: str, opened: asyncio.Semaphore, heard: Counter[str]) -> None:
        """Listen to a conversation until the connection is closed, and count the messages."""
        self._writer.write(f"GET /v1/conversations/{user}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        await self._reader.readuntil(b"\r\n\r\n")
        opened.release()
        with suppress(ConnectionError):
            while piece := await self._reader.read(65_536):
                heard[user] += piece.count(b"event: message\n")

    def close(self) -> None:
        """Go away."""
        self._writer.close()
