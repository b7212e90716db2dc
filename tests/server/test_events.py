"""Following a conversation: live, from any place, from any replica."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import httpx
import pytest

from soni.server import streams
from tests.server.site import Site, first, served

WHOLE = ["send", "100", "Ana", "yes", "many"]


async def test_g4_reconnecting_at_every_event_loses_and_repeats_nothing(tmp_path: Path, store: str) -> None:
    async with served(tmp_path, store) as site:
        said: list[str] = []
        for text in WHOLE:
            said += [message["id"] for message in (await site.say(text))["messages"]]
        assert len(said) == len(set(said)) == 8
        async with site.events() as events:
            assert [event.id for event in await first(events, len(said))] == said
        for place in range(len(said) - 1):
            async with site.events(after=said[place]) as events:
                assert [event.id for event in await first(events, len(said) - place - 1)] == said[place + 1 :]
        # One event at a time, with a new connection for each.
        heard: list[str] = []
        while len(heard) < len(said):
            async with site.events(after=heard[-1] if heard else None) as events:
                heard += [event.id or "" for event in await first(events, 1)]
        assert heard == said


async def test_what_is_said_comes_live_and_in_order(tmp_path: Path, store: str) -> None:
    async with served(tmp_path, store) as site, site.events() as events:
        listening = asyncio.create_task(first(events, 8))
        said: list[str] = []
        for text in WHOLE:
            said += [message["id"] for message in (await site.say(text))["messages"]]
        assert [event.id for event in await listening] == said


async def test_events_come_from_any_replica(tmp_path: Path, store: str) -> None:
    async with served(tmp_path, store) as one, served(tmp_path, store) as other:
        async with other.events() as events:
            listening = asyncio.create_task(first(events, 3))
            assert await one.texts("send") == ["How much?"]
            assert await one.texts("100") == ["To whom?"]
            assert await other.texts("Ana") == ["Send 100 to Ana?"]
            assert [event.data["text"] for event in await listening] == ["How much?", "To whom?", "Send 100 to Ana?"]
        last = (await one.say("yes"))["messages"][-1]["id"]
        async with one.events(after=last) as events:
            listening = asyncio.create_task(first(events, 3))
            await other.say("many")
            assert [event.data["text"] for event in await listening] == ["One.", "Two.", "Three."]


async def test_several_listen_to_one_conversation_and_hear_the_same(site: Site) -> None:
    async with site.events() as one, site.events() as two:
        both = asyncio.gather(first(one, 3), first(two, 3))
        await site.say("many")
        ours, theirs = await both
        assert [event.data for event in ours] == [event.data for event in theirs]


async def test_nobody_hears_another_conversation(site: Site) -> None:
    async with site.events("eve") as events:
        listening = asyncio.create_task(first(events, 1))
        await site.say("send", "ana")
        await site.say("card", "eve")
        assert [event.data["text"] for event in await listening] == ["Your PIN?"]


async def test_silence_has_signs_of_life(tmp_path: Path) -> None:
    async with served(tmp_path, beat=0.05) as site, site.events() as events:
        assert len(await first(events, 3, kind="")) == 3


async def test_an_unknown_place_means_everything(site: Site) -> None:
    await site.say("many")
    async with site.events(after="never/was/said") as events:
        assert len(await first(events, 3)) == 3


async def test_a_forgotten_user_is_told_so_and_begins_anew(tmp_path: Path, store: str) -> None:
    async with served(tmp_path, store) as site:
        await site.say("many")
        async with site.events() as events:
            old = (await first(events, 3))[-1].id
            listening = asyncio.create_task(first(events, 1, kind="forgotten"))
            await site.client.delete("/v1/conversations/ana")
            assert len(await listening) == 1
        await site.say("send")
        async with site.events(after=old) as events:  # the id of a life that is over
            assert [event.data["text"] for event in await first(events, 1)] == ["How much?"]


async def _counted(response: httpx.Response, count: int) -> None:
    """Read until so many messages have come, without looking into them."""
    heard = 0
    async for piece in response.aiter_raw():
        heard += piece.count(b"event: message")
        if heard == count:
            return


async def test_a_slow_reader_does_not_hurt_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One client that reads nothing is dropped in the end, and nobody waits for it."""
    monkeypatch.setattr(streams, "SLOWEST", 0.3)
    async with served(tmp_path, beat=0.02) as site:
        await site.narrow()
        stuck = socket.socket()
        stuck.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        with stuck:
            stuck.connect(("127.0.0.1", site.server.port))
            stuck.sendall(b"GET /v1/conversations/ana/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            while site.service.streams.total < 1:  # noqa: ASYNC110  # nobody tells
                await asyncio.sleep(0.01)
            # More than its buffers hold, while somebody else listens and talks.
            path = site.path("ana", "events")
            async with site.client.stream("GET", path) as response:
                listening = asyncio.create_task(_counted(response, 25))
                for _ in range(25):
                    await site.say("flood")
                await listening
            async with asyncio.timeout(60):
                while site.service.streams.total:  # noqa: ASYNC110  # nobody tells
                    await asyncio.sleep(0.01)


async def test_a_conversation_has_so_many_streams_at_once(site: Site) -> None:
    async with asyncio.TaskGroup() as group:
        done = asyncio.Event()
        opened = asyncio.Semaphore(0)

        async def listen() -> None:
            async with site.events():
                opened.release()
                await done.wait()

        for _ in range(8):
            group.create_task(listen())
        for _ in range(8):
            await opened.acquire()
        ninth = await site.client.get("/v1/conversations/ana/events")
        assert (ninth.status_code, ninth.json()["type"]) == (429, "urn:soni:problem:too-many-open")
        done.set()


async def test_streams_end_when_the_server_stops(tmp_path: Path) -> None:
    async with served(tmp_path) as site, site.events() as events:
        site.server.stop()
        assert [event async for event in events] == []
