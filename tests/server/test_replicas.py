"""Several servers as real processes on one database, one of which dies: G1 to G5, seen through HTTP."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import httpx
import pytest

from soni.server import ServerSettings, create_app
from soni.server.serving import serve
from soni.store import fail_points
from tests.faults.assistant import NOON, Script, Witness, actions, config
from tests.faults.worker import _context, kill_at
from tests.server.site import first, read_events

TURNS = ("send", "100", "Ana", "yes", "what is left?")


def _serve(folder: Path, store: str, point: str | None, pipe: Connection) -> None:
    if point is not None:
        fail_points.passing = kill_at(point)
    witness = Witness(folder / "witness.txt")
    settings = ServerSettings(port=0, rate=100_000, grace=20.0)
    app = create_app(
        config(folder),
        actions=actions(witness),
        store=store,
        settings=settings,
        understanding=Script(witness),
        clock=lambda: NOON,
        recover_every=0.2,
    )
    asyncio.run(serve(app, settings, lambda server: pipe.send(server.port)))


@dataclass
class Replica:
    """A server in a process of its own."""

    process: Any
    client: httpx.AsyncClient

    async def say(self, text: str, message_id: str) -> httpx.Response:
        body = {"text": text, "message_id": message_id}
        return await self.client.post("/v1/conversations/ana/messages", json=body)

    async def ended(self) -> int:
        """How the process ended."""
        await asyncio.to_thread(self.process.join, 60)
        code: int = self.process.exitcode
        return code


@asynccontextmanager
async def replica(folder: Path, store: str, point: str | None = None) -> AsyncIterator[Replica]:
    ours, theirs = _context.Pipe()
    process = _context.Process(target=_serve, args=(folder, store, point, theirs))
    process.start()
    port = await asyncio.to_thread(ours.recv)
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60, trust_env=False) as client:
            yield Replica(process, client)
    finally:
        if process.is_alive():
            process.terminate()
        await asyncio.to_thread(process.join, 60)


async def transcript(client: httpx.AsyncClient) -> list[tuple[str, str]]:
    lines = (await client.get("/v1/conversations/ana/transcript")).json()["lines"]
    return [(line["role"], line["text"]) for line in lines]


UNDISTURBED = [
    ("user", "send"),
    ("assistant", "How much?"),
    ("user", "100"),
    ("assistant", "To whom?"),
    ("user", "Ana"),
    ("assistant", "Send 100 to Ana?"),
    ("user", "yes"),
    ("assistant", "Sent…"),
    ("assistant", "Done: T1."),
    ("user", "what is left?"),
    ("assistant", "42 is left."),
]


# In the middle of each turn, at its very end, and around the payment.
POINTS = [
    "before accepting a message #1",
    "after accepting a message #2",
    "before the end of a turn #3",
    "after the end of a turn #3",
    "before the intent of an action #1",
    "before paying #1",
    "after paying #1",
    "after the result of an action #1",
    "before the end of a turn #4",
]


@pytest.mark.sweep(3)
@pytest.mark.parametrize("point", POINTS)
async def test_g1_to_g5_hold_when_one_of_two_replicas_is_killed(tmp_path: Path, store: str, point: str) -> None:
    """The client sends every message to the first replica, and to the other one when the first does not answer."""
    async with replica(tmp_path, store, point) as doomed, replica(tmp_path, store) as other:
        heard: list[str] = []
        follower = asyncio.create_task(_follow(other.client, heard))
        for number, text in enumerate(TURNS):
            try:
                answer = await doomed.say(text, f"m-{number}")
            except httpx.TransportError:
                answer = await other.say(text, f"m-{number}")
            assert answer.status_code == 200, answer.text
        assert await doomed.ended() == -signal.SIGKILL
        paid = len(Witness(tmp_path / "witness.txt").lines("paid"))
        said = await transcript(other.client)
        if point in ("before paying #1", "after paying #1"):
            # Nobody can know whether a payment that was begun went through: it is not made again, and that is said.
            assert paid == (1 if point == "after paying #1" else 0)
            assert ("assistant", "I do not know whether it went through.") in said
        else:
            assert paid == 1, "G3"
            assert said == UNDISTURBED, "G2, G5"
        kept = [
            message["id"]
            for line in (await other.client.get("/v1/conversations/ana/transcript")).json()["lines"]
            if (message := line["message"])
        ]
        async with asyncio.timeout(30):
            while len(heard) < len(kept):  # noqa: ASYNC110  # nobody tells
                await asyncio.sleep(0.02)
        follower.cancel()
        assert heard == kept, "G4: each message once, in order"


async def _follow(client: httpx.AsyncClient, heard: list[str]) -> None:
    async with client.stream("GET", "/v1/conversations/ana/events", timeout=None) as response:
        async for event in read_events(response):
            heard += [event.id or ""] if event.kind == "message" else []


async def test_replicas_take_turns_while_one_after_the_other_dies(tmp_path: Path, store: str) -> None:
    """Each dies at the end of its turn; the next one is asked for the answer, and then dies of the next message."""
    for number, text in enumerate(TURNS):
        # The first end of a turn that a replica comes to is that of the turn its predecessor left.
        async with replica(tmp_path, store, f"before the end of a turn #{1 if number == 0 else 2}") as one:
            if number:
                assert (await one.say(TURNS[number - 1], f"m-{number - 1}")).status_code == 200
            with pytest.raises(httpx.TransportError):
                await one.say(text, f"m-{number}")
            assert await one.ended() == -signal.SIGKILL
    async with replica(tmp_path, store) as last, last.client.stream("GET", "/v1/conversations/ana/events") as response:
        heard = [event.data["text"] for event in await first(read_events(response), 6)]
    assert len(Witness(tmp_path / "witness.txt").lines("paid")) == 1
    assert heard == ["How much?", "To whom?", "Send 100 to Ana?", "Sent…", "Done: T1.", "42 is left."]


async def test_a_server_that_is_asked_to_stop_finishes_its_turns(tmp_path: Path, store: str) -> None:
    async with replica(tmp_path, store) as one:
        for number, text in enumerate(TURNS[:3]):
            await one.say(text, f"m-{number}")
        streaming = asyncio.create_task(_follow(one.client, []))
        answering = asyncio.create_task(one.say("yes", "pay"))
        while not Witness(tmp_path / "witness.txt").lines("paid"):  # noqa: ASYNC110  # another process writes
            await asyncio.sleep(0)
        os.kill(one.process.pid, signal.SIGTERM)
        answer = await answering
        assert [message["text"] for message in answer.json()["messages"]] == ["Sent…", "Done: T1."]
        await streaming  # it ends, in order
        assert await one.ended() == 0
