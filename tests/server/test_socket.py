"""Talking over a WebSocket."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from soni.server.serving import PatientWebSocket
from tests.server.site import Site, served


def address(site: Site, conversation: str = "ana", after: str | None = None) -> str:
    from urllib.parse import quote

    resume = f"?after={quote(after, safe='')}" if after else ""
    return f"{site.url.replace('http', 'ws')}/v1/conversations/{conversation}/ws{resume}"


async def frames(socket: ClientConnection, until: str = "done") -> list[dict[str, Any]]:
    """What comes, up to the end of a turn."""
    found: list[dict[str, Any]] = []
    async with asyncio.timeout(30):
        while not found or found[-1]["type"] != until:
            found.append(json.loads(await socket.recv()))
    return found


async def say(socket: ClientConnection, text: str, **more: Any) -> list[dict[str, Any]]:
    await socket.send(json.dumps({"type": "message", "text": text, **more}))
    return await frames(socket)


async def test_a_whole_transfer_with_acknowledgements(tmp_path: Path, store: str) -> None:
    async with served(tmp_path, store) as site, connect(address(site), proxy=None) as socket:
        accepted, message, done = await say(socket, "send", message_id="m-1")
        assert accepted == {"type": "accepted", "message_id": "m-1"}
        assert (message["type"], message["text"]) == ("message", "How much?")
        assert (done["message_id"], done["turn"], done["pending"]["slot"]) == ("m-1", 1, "amount")
        await say(socket, "100")
        *_, confirm, _ = await say(socket, "Ana")
        paid = await say(socket, "Yes", payload=confirm["options"][0]["payload"])
        assert [frame["text"] for frame in paid if frame["type"] == "message"] == ["Sending…", "Done: T1."]
        assert site.witness.lines() == ["paid 100 ana"]


async def test_g4_resuming_at_every_message_loses_and_repeats_nothing(tmp_path: Path, store: str) -> None:
    async with served(tmp_path, store) as site:
        said: list[str] = []
        for text in ("send", "100", "Ana", "yes", "many"):
            said += [message["id"] for message in (await site.say(text))["messages"]]
        heard: list[str] = []
        while len(heard) < len(said):
            async with connect(address(site, after=heard[-1] if heard else None), proxy=None) as socket:
                message = json.loads(await socket.recv())
                await socket.send(json.dumps({"type": "ack", "id": message["id"]}))
                heard.append(message["id"])
        assert heard == said


async def test_a_message_sent_again_after_a_break_is_taken_once(site: Site) -> None:
    for text in ("send", "100", "Ana"):
        await site.say(text)
    async with connect(address(site), proxy=None) as socket:
        await socket.send(json.dumps({"type": "message", "text": "yes", "message_id": "pay"}))
    async with connect(address(site), proxy=None) as socket:
        again = await say(socket, "yes", message_id="pay")
        assert [frame["text"] for frame in again if frame["type"] == "message"][-1] == "Done: T1."
    assert site.witness.lines() == ["paid 100 ana"]


async def test_several_messages_at_once_are_taken_in_order(site: Site) -> None:
    async with connect(address(site), proxy=None) as socket:
        for text in ("send", "100", "Ana"):
            await socket.send(json.dumps({"type": "message", "text": text, "message_id": text}))
        done = [frame for _ in range(3) for frame in await frames(socket) if frame["type"] == "done"]
        assert [frame["message_id"] for frame in done] == ["send", "100", "Ana"]


async def test_what_others_say_comes_too(site: Site) -> None:
    async with connect(address(site), proxy=None) as socket:
        await site.say("many")
        texts = [json.loads(await socket.recv())["text"] for _ in range(3)]
        assert texts == ["One.", "Two.", "Three."]


@pytest.mark.parametrize(
    "frame",
    [
        "not json",
        "[]",
        '"text"',
        "{}",
        '{"type": "shout"}',
        '{"type": "message"}',
        '{"type": "message", "text": 3}',
        '{"type": "message", "text": "x", "more": 1}',
        '{"type": "ack", "id": 7}',
        "[" * 5000,
        '{"type": "message", "text": "hi", "message_id": ""}',
    ],
)
async def test_a_bad_frame_is_told_and_the_socket_goes_on(site: Site, frame: str) -> None:
    async with connect(address(site), proxy=None) as socket:
        await socket.send(frame)
        told = json.loads(await socket.recv())
        assert (told["type"], told["problem"]["status"]) == ("error", 422)
        assert (await say(socket, "send"))[1]["text"] == "How much?"


async def test_a_problem_of_a_turn_is_told_with_its_message(site: Site) -> None:
    await site.say("send", message_id="m")
    async with connect(address(site), proxy=None) as socket:
        await socket.send(json.dumps({"type": "message", "text": "card", "message_id": "m"}))
        told = [json.loads(await socket.recv()) for _ in range(2)]
        problem = next(frame for frame in told if frame["type"] == "error")
        assert (problem["problem"]["status"], problem["message_id"]) == (422, "m")


async def test_bytes_and_large_frames_close_cleanly(site: Site) -> None:
    async with connect(address(site), proxy=None) as socket:
        await socket.send(b"\x00\x01")
        with pytest.raises(ConnectionClosed) as closed:
            await socket.recv()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1003
    async with connect(address(site), proxy=None) as socket:
        await socket.send("x" * 100_000)
        with pytest.raises(ConnectionClosed) as closed:
            await socket.recv()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1009


async def test_an_abrupt_end_leaves_nothing_open(site: Site) -> None:
    async with connect(address(site), proxy=None) as socket:
        await socket.send(json.dumps({"type": "message", "text": "slow", "message_id": "m"}))
        await site.gate.reached.wait()
        socket.transport.abort()
    site.gate.open.set()
    async with asyncio.timeout(30):
        while site.service.streams.total:  # noqa: ASYNC110  # nobody tells
            await asyncio.sleep(0.01)
    assert await site.texts("slow", message_id="m") == ["One moment.", "There."]


async def test_a_page_of_another_site_is_refused(site: Site) -> None:
    with pytest.raises(InvalidStatus) as refused:
        await connect(address(site), origin="https://evil.example", proxy=None)  # type: ignore[arg-type]  # a NewType of text
    assert refused.value.response.status_code == 403
    assert json.loads(refused.value.response.body)["type"] == "urn:soni:problem:origin-not-allowed"
    async with connect(address(site), origin=site.url, proxy=None):  # type: ignore[arg-type]  # a NewType of text
        pass


async def test_sockets_close_when_the_server_stops_and_when_the_user_is_forgotten(tmp_path: Path) -> None:
    async with served(tmp_path) as site:
        await site.say("many")
        async with connect(address(site), proxy=None) as socket:
            await socket.recv()
            await site.client.delete("/v1/conversations/ana")
            with pytest.raises(ConnectionClosed) as closed:
                await frames(socket)
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 4410
        async with connect(address(site), proxy=None) as socket:
            site.server.stop()
            with pytest.raises(ConnectionClosed) as closed:
                await frames(socket)
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 1012


async def test_an_opening_that_cannot_be_read_is_answered(site: Site) -> None:
    """Longer lines and more fields than the WebSocket takes, though not more than a head may have."""
    for headers in ({"X-Much": "a" * 9000}, {f"X-{number}": "a" for number in range(150)}):
        async with asyncio.timeout(30):
            with pytest.raises(InvalidStatus) as refused:
                await connect(address(site), additional_headers=headers, proxy=None)
        assert refused.value.response.status_code == 431


async def test_a_name_or_a_place_that_cannot_be_is_told(site: Site) -> None:
    for wrong, said in (
        (address(site, "a%20b"), "a conversation is named with"),
        (address(site, after="x" * 1001), "1000"),
    ):
        with pytest.raises(InvalidStatus) as refused:
            await connect(wrong, proxy=None)
        assert refused.value.response.status_code == 422
        assert said in json.loads(refused.value.response.body)["detail"]


async def test_answers_to_pings_do_not_pile_up_for_a_client_that_does_not_read(site: Site) -> None:
    async with connect(address(site), proxy=None, compression=None) as socket:
        socket.transport.pause_reading()
        ping = b"\x89\xfd\0\0\0\0" + b"a" * 125
        for _ in range(400):
            socket.transport.write(ping * 200)
            await asyncio.sleep(0)
        (open_one,) = (one for one in site.server.server_state.connections if isinstance(one, PatientWebSocket))
        async with asyncio.timeout(30):
            while open_one.transport.is_reading() and socket.transport.get_write_buffer_size():  # noqa: ASYNC110  # nobody tells
                await asyncio.sleep(0)
        assert socket.transport.get_write_buffer_size() > 0, "the server has read everything"
        assert open_one.transport.get_write_buffer_size() < 1_000_000
        socket.transport.abort()
