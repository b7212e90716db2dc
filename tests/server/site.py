"""A real server on a real port, in this process, and what reads its streams."""

from __future__ import annotations

import asyncio
import json
import queue
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from soni.server import ServerSettings, create_app
from soni.server.limits import Rate
from soni.server.service import Service
from soni.server.serving import Server, serve
from tests.faults.assistant import Witness
from tests.server.assistant import Gate, Script, actions, config


@dataclass
class Event:
    """One Server-Sent Event."""

    kind: str
    data: Any
    id: str | None = None


@dataclass
class Site:
    """A server that runs, and a client that talks to it."""

    url: str
    client: httpx.AsyncClient
    server: Server
    service: Service
    gate: Gate
    witness: Witness

    async def narrow(self) -> None:
        """Let the system keep little of what later clients do not read, so that the server notices soon."""
        while not self.server.started:  # noqa: ASYNC110  # nobody tells
            await asyncio.sleep(0.01)
        for server in self.server.servers:
            for listening in server.sockets:
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)

    def path(self, conversation: str, rest: str) -> str:
        return f"/v1/conversations/{conversation}/{rest}"

    async def say(self, text: str, conversation: str = "ana", **more: Any) -> dict[str, Any]:
        """Post a message and take the answer as JSON."""
        response = await self.client.post(self.path(conversation, "messages"), json={"text": text, **more})
        assert response.status_code == 200, response.text
        found: dict[str, Any] = response.json()
        return found

    async def texts(self, text: str, conversation: str = "ana", **more: Any) -> list[str]:
        """What is answered."""
        return [message["text"] for message in (await self.say(text, conversation, **more))["messages"]]

    @asynccontextmanager
    async def events(
        self, conversation: str = "ana", after: str | None = None, **headers: str
    ) -> AsyncIterator[AsyncIterator[Event]]:
        """The events of a conversation, from a place on."""
        told = {"Last-Event-ID": after, **headers} if after else headers
        path = self.path(conversation, "events")
        async with self.client.stream("GET", path, headers=told, timeout=60.0) as response:
            assert response.status_code == 200, await response.aread()
            yield read_events(response)


async def read_events(response: httpx.Response) -> AsyncIterator[Event]:
    """The events of a response; comments are events of kind ''."""
    fields: dict[str, str] = {}
    async for line in response.aiter_lines():
        if line.startswith(":"):
            yield Event("", line)
        elif line:
            name, _, value = line.partition(": ")
            fields[name] = value
        elif "data" in fields:
            yield Event(fields.get("event", "message"), json.loads(fields["data"]), fields.get("id"))
            fields = {}


async def first(events: AsyncIterator[Event], count: int, kind: str = "message") -> list[Event]:
    """So many events of a kind."""
    found: list[Event] = []
    async with asyncio.timeout(30):
        async for event in events:
            if event.kind == kind:
                found.append(event)
            if len(found) == count:
                break
    return found


@contextmanager
def served_apart(folder: Path, store: str, **more: Any) -> Iterator[str]:
    """Serve in a thread, for a client that has no event loop; the address."""
    addresses: queue.Queue[tuple[str, asyncio.AbstractEventLoop, Server]] = queue.Queue()

    async def work() -> None:
        async with served(folder, store, **more) as site:
            site.service.guesses = site.service.newcomers = Rate(1_000_000)
            addresses.put((site.url, asyncio.get_running_loop(), site.server))
            while not site.server.should_exit:  # noqa: ASYNC110  # another thread tells
                await asyncio.sleep(0.05)

    thread = threading.Thread(target=lambda: asyncio.run(work()))
    thread.start()
    url, loop, server = addresses.get(timeout=60)
    try:
        yield url
    finally:
        loop.call_soon_threadsafe(server.stop)
        thread.join()


@asynccontextmanager
async def served(
    folder: Path,
    store: str = "memory:",
    *,
    headers: dict[str, str] | None = None,
    greets: bool = False,
    wait: float = 10.0,
    **more: Any,
) -> AsyncIterator[Site]:
    """Serve the tests' assistant; `more` are the server's settings."""
    settings = ServerSettings(**{"port": 0, "rate": 100_000, **more})
    witness, gate = Witness(folder / "witness.txt"), Gate()
    app = create_app(
        config(greets=greets),
        actions=actions(witness, gate),
        store=store,
        settings=settings,
        understanding=Script(),
        wait=wait,
    )
    started: asyncio.Queue[Server] = asyncio.Queue()
    running = asyncio.create_task(serve(app, settings, started.put_nowait))
    starting = asyncio.create_task(started.get())
    await asyncio.wait({running, starting}, return_when=asyncio.FIRST_COMPLETED)
    if running.done():
        running.result()
    server = await starting
    url = f"http://{'[::1]' if ':' in settings.host else '127.0.0.1'}:{server.port}"
    try:
        async with httpx.AsyncClient(base_url=url, headers=headers, timeout=30.0, trust_env=False) as client:
            yield Site(url, client, server, app.state.service, gate, witness)
    finally:
        server.stop()
        await running
