"""What a sceptical reading found, and keeps finding mended."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from contextlib import suppress
from pathlib import Path

import httpx
import openai
import psycopg
import pytest
from bench.postgres import postgres
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Subprotocol

from soni.server import Keys, new_key, sign, streams, tenant_secret
from soni.server.limits import Rate
from tests.server.site import Site, first, read_events, served
from tests.server.test_socket import address, frames, say

SECRET = "a secret of many more than the thirty-two characters that are needed"


async def test_a_secret_is_not_shown_while_its_turn_runs(site: Site) -> None:
    """Whether a message holds one is known at the end of its turn."""
    await site.say("guarded")
    saying = asyncio.create_task(site.say("swordfish"))
    await site.gate.reached.wait()
    transcript = (await site.client.get("/v1/conversations/ana/transcript")).json()
    assert transcript["running"] is True
    assert "swordfish" not in json.dumps(transcript)
    site.gate.open.set()
    await saying
    after = (await site.client.get("/v1/conversations/ana/transcript")).json()
    assert after["running"] is False
    assert [line["text"] for line in after["lines"]] == ["guarded", "Your PIN?", "•••", "Let in."]


async def test_what_a_person_says_reaches_a_client_that_does_not_listen(site: Site) -> None:
    await site.say("a person, please")
    await site.client.post("/v1/conversations/ana/handoff/messages", json={"text": "This is Marta."})
    answer = await site.say("hello?")
    assert [message["text"] for message in answer["recovered"]] == ["This is Marta."]
    await site.client.post("/v1/conversations/ana/handoff/return")
    answer = await site.say("many")
    assert [message["text"] for message in answer["recovered"]] == ["You are talking to the assistant again."]
    assert (await site.say("many"))["recovered"] == []


async def test_the_answer_of_a_turn_that_took_too_long_comes_with_the_next(tmp_path: Path) -> None:
    async with served(tmp_path, turn_limit=0.2) as site:
        late = await site.client.post("/v1/conversations/ana/messages", json={"text": "slow"})
        assert late.status_code == 504
        site.gate.open.set()
        while await site.service.loop.is_running("local/ana"):  # noqa: ASYNC110  # nobody tells
            await asyncio.sleep(0)
        answer = await site.say("many")
        assert [message["text"] for message in answer["recovered"]] == ["One moment.", "There."]


async def test_the_answer_of_a_stream_that_broke_off_comes_with_the_next(site: Site) -> None:
    body, headers = {"text": "slow"}, {"Accept": "text/event-stream"}
    async with site.client.stream("POST", "/v1/conversations/ana/messages", json=body, headers=headers) as response:
        async for event in read_events(response):
            if event.kind == "message":
                break
    site.gate.open.set()
    while await site.service.loop.is_running("local/ana"):  # noqa: ASYNC110  # nobody tells
        await asyncio.sleep(0)
    assert [message["text"] for message in (await site.say("many"))["recovered"]] == ["One moment.", "There."]


async def test_a_socket_that_floods_is_read_no_faster_than_it_reads(tmp_path: Path) -> None:
    async with served(tmp_path, rate=6) as site:
        async with connect(address(site), proxy=None, max_queue=1) as flooding:
            frame = json.dumps({"type": "message", "text": "many"})

            async def flood() -> None:
                for _ in range(50_000):
                    await flooding.send(frame)

            with suppress(TimeoutError):
                async with asyncio.timeout(2):
                    await flood()
            assert len(asyncio.all_tasks()) < 100
            flooding.transport.abort()
        assert await site.texts("many", "luis") == ["One.", "Two.", "Three."]


async def test_sockets_that_do_not_read_take_no_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "SLOWEST", 0.5)
    async with served(tmp_path, turns=2) as site:
        await site.narrow()
        stuck = []
        for number in range(4):
            small = socket.create_connection(("127.0.0.1", site.server.port))
            small.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
            stuck.append(await connect(address(site, f"u{number}"), sock=small, compression=None, max_queue=1))
            stuck[-1].transport.pause_reading()
        for _ in range(12):
            for one in stuck:
                with suppress(ConnectionClosed):
                    await one.send(json.dumps({"type": "message", "text": "flood"}))
            async with asyncio.timeout(20):
                assert await site.texts("many") == ["One.", "Two.", "Three."]
        async with asyncio.timeout(60):
            while site.service.streams.total:  # noqa: ASYNC110  # nobody tells
                await asyncio.sleep(0.02)
        for one in stuck:
            one.transport.abort()


async def test_a_turn_cut_off_by_the_end_of_the_server_is_a_problem_and_no_error(tmp_path: Path) -> None:
    async with served(tmp_path, f"sqlite:{tmp_path}/c.db", grace=0.3) as site:
        path, body = "/v1/conversations/ana/messages", {"text": "slow", "message_id": "m"}
        plain = asyncio.create_task(site.client.post(path, json=body))
        await site.gate.reached.wait()
        behind = asyncio.create_task(site.client.post(path, json={"text": "many", "message_id": "n"}))
        chat = {"model": "soni", "user": "ana", "messages": [{"role": "user", "content": "many"}], "stream": True}
        other = asyncio.create_task(site.client.post("/v1/chat/completions", json=chat))
        while site.service.turns.waiting < 2:  # noqa: ASYNC110  # nobody tells
            await asyncio.sleep(0.01)
        site.server.stop()
        for response in await asyncio.gather(plain, behind, other):
            assert response.status_code == 503
            assert response.json()["type"] == "urn:soni:problem:stopping"
        assert plain.result().json()["message_id"] == "m"
    async with served(tmp_path, f"sqlite:{tmp_path}/c.db") as site:
        site.gate.open.set()
        assert (await site.texts("slow", message_id="m"))[-1] == "There."


async def test_a_stream_cut_off_by_the_end_of_the_server_says_so(tmp_path: Path) -> None:
    async with served(tmp_path, grace=0.3) as site:
        body, headers = {"text": "slow"}, {"Accept": "text/event-stream"}
        async with site.client.stream("POST", "/v1/conversations/ana/messages", json=body, headers=headers) as response:
            events = read_events(response)
            await first(events, 1)
            site.server.stop()
            (problem,) = await first(events, 1, kind="error")
            assert problem.data["status"] == 503


@pytest.mark.parametrize("origin", ["http://[", "http://a]b", "//[", "null", "http://", "%00"])
async def test_an_origin_that_is_none_is_refused(site: Site, origin: str) -> None:
    for path in ("/health", "/v1/models"):
        assert (await site.client.get(path, headers={"Origin": origin})).status_code == 403


async def test_ids_that_no_database_can_hold_are_unknown_ids(tmp_path: Path, store: str) -> None:
    async with served(tmp_path, store) as site:
        await site.say("many")
        assert (await site.say("many", seen="\0"))["failed"] is False
        raw = await site.client.post(
            "/v1/conversations/ana/messages",
            content=b'{"text": "many", "seen": "\\ud800"}',
            headers={"Content-Type": "application/json"},
        )
        assert raw.status_code in (200, 400, 422)
        async with site.client.stream("GET", "/v1/conversations/ana/events?after=%00") as response:
            assert len(await first(read_events(response), 6)) == 6
        async with connect(f"{address(site)}?after=%00", proxy=None) as open_one:
            await open_one.send(json.dumps({"type": "ack", "id": "\0"}))
            assert (await say(open_one, "many"))[-1]["type"] == "done"


async def test_a_problem_can_quote_anything(site: Site) -> None:
    headers = {"Content-Type": "application/json"}
    for path, body in (
        ("/v1/chat/completions", b'{"model": "\\ud800", "user": "a", "messages": [{"role": "user", "content": "x"}]}'),
        ("/v1/conversations/ana/messages", b'{"text": "x", "slots": {"\\ud800": 1}}'),
        ("/v1/conversations/ana/messages", b'{"text": "x", "\\ud800": 1}'),
    ):
        response = await site.client.post(path, content=body, headers=headers)
        assert 400 <= response.status_code < 500
        assert response.json()["detail"]


async def test_the_name_of_a_users_message_is_not_good_for_a_person(site: Site) -> None:
    await site.say("a person, please", message_id="m")
    reused = await site.client.post(
        "/v1/conversations/ana/handoff/messages", json={"text": "a person, please", "message_id": "m"}
    )
    assert (reused.status_code, reused.json()["type"]) == (422, "urn:soni:problem:message-reused")


async def test_who_waits_for_another_replica_keeps_nobody_waiting(tmp_path: Path, store: str) -> None:
    async with served(tmp_path, store, wait=0.1) as one, served(tmp_path, store, turns=1, wait=0.1) as other:
        slow = asyncio.create_task(one.say("slow"))
        await one.gate.reached.wait()
        behind = asyncio.create_task(other.say("many"))
        while other.service.turns.waiting + other.service.turns.running < 1:  # noqa: ASYNC110  # nobody tells
            await asyncio.sleep(0.01)
        for number in range(5):
            assert len(await other.texts("many", f"u{number}")) == 3
        assert not behind.done()
        one.gate.open.set()
        await slow
        assert [message["text"] for message in (await behind)["messages"]] == ["One.", "Two.", "Three."]


async def test_after_a_restart_of_postgres_nobody_is_told_of_it(tmp_path: Path) -> None:
    url = postgres().new_database()
    name = psycopg.conninfo.conninfo_to_dict(url)["dbname"]
    async with served(tmp_path, url) as site:
        await asyncio.gather(*(site.say("many", f"u{number}") for number in range(20)))
        async with await psycopg.AsyncConnection.connect(postgres().new_database(), autocommit=True) as operator:
            ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"
            await operator.execute(ended, (name,))
        answers = [await site.client.get("/v1/conversations/u1/transcript") for _ in range(25)]
        assert {answer.status_code for answer in answers} == {200}


async def test_streams_and_sockets_end_with_their_token(tmp_path: Path) -> None:
    async with served(tmp_path, keys=Keys([new_key("bank")[1]]), secret=SECRET) as site:
        token = sign(
            tenant_secret(SECRET, "bank"), "bank", "ana", seconds=-8
        )  # good for ten more, for clocks that differ
        began = time.time()
        async with site.events(Authorization=f"Bearer {token}") as events:
            assert [event async for event in events] == []
        assert time.time() - began < 30
        token = sign(
            tenant_secret(SECRET, "bank"), "bank", "ana", seconds=-8
        )  # good for ten more, for clocks that differ
        protocols = [Subprotocol("soni"), Subprotocol(f"bearer.{token}")]
        async with connect(address(site), subprotocols=protocols, proxy=None) as open_one:
            with pytest.raises(ConnectionClosed) as closed:
                await frames(open_one)
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 4401


async def test_a_client_of_openai_does_not_send_a_slow_message_twice(tmp_path: Path) -> None:
    async with (
        served(tmp_path, turn_limit=0.3) as site,
        openai.AsyncOpenAI(base_url=f"{site.url}/v1", api_key="none") as client,
    ):
        with pytest.raises(openai.APIStatusError, match="takes longer"):
            await client.chat.completions.create(
                model="soni", user="ana", messages=[{"role": "user", "content": "slow"}]
            )
        site.gate.open.set()
        while await site.service.loop.is_running("local/ana"):  # noqa: ASYNC110  # nobody tells
            await asyncio.sleep(0)
        lines = (await site.client.get("/v1/conversations/ana/transcript")).json()["lines"]
        assert [line["text"] for line in lines].count("slow") == 1


async def test_nothing_a_user_may_do_can_be_done_without_end(tmp_path: Path) -> None:
    async with served(tmp_path, rate=6) as site:
        await site.say("many")
        resets = [await site.client.post("/v1/conversations/ana/reset") for _ in range(3)]
        assert [reset.status_code for reset in resets] == [204, 429, 429]
        site.service.reads = Rate(3)
        reads = [await site.client.get("/v1/conversations/ana/transcript") for _ in range(2)]
        assert [read.status_code for read in reads] == [200, 429]


async def test_streams_cannot_be_opened_without_end(site: Site) -> None:
    site.service.reads = Rate(6)
    statuses = []
    for _ in range(3):
        async with site.client.stream("GET", "/v1/conversations/ana/events") as response:
            statuses.append(response.status_code)
    assert statuses == [200, 200, 429]
    with pytest.raises(InvalidStatus) as refused:
        await connect(address(site), proxy=None)
    assert refused.value.response.status_code == 429
    assert "Retry-After" in refused.value.response.headers
    async with connect(address(site, "luis"), proxy=None):
        pass  # others may


@pytest.mark.parametrize("frame", ['{"type": "ack", "id": "none"}', "not json", '{"type": "shout"}'])
async def test_frames_that_are_no_messages_count_as_reads(site: Site, frame: str) -> None:
    site.service.reads = Rate(9)  # one for the opening, and two
    async with connect(address(site), proxy=None) as open_one:
        for _ in range(4):
            await open_one.send(frame)
        told = [json.loads(await open_one.recv())["problem"]["status"] for _ in range(2 if "ack" in frame else 4)]
        assert told[-2:] == [429, 429]
        assert 429 not in told[:-2]
        assert (await say(open_one, "many"))[-1]["type"] == "done"  # messages have a limit of their own


async def test_an_old_place_does_not_bring_everything_back_at_once(site: Site) -> None:
    seen = (await site.say("many"))["messages"][0]["id"]
    for _ in range(40):
        await site.say("many")
    assert len((await site.say("many", seen=seen))["recovered"]) == 100


async def test_an_allowed_page_can_read_why_it_was_refused(tmp_path: Path) -> None:
    async with served(tmp_path, origins=("https://shop.example",)) as site:
        for content, kind in ((b"x" * 2_000_000, "application/json"), (b"{}", "text/plain")):
            response = await site.client.post(
                "/v1/conversations/ana/messages",
                content=content,
                headers={"Origin": "https://shop.example", "Content-Type": kind},
            )
            assert response.status_code in (413, 415)
            assert response.headers["access-control-allow-origin"] == "https://shop.example"


async def test_monitors_may_ask_for_the_head_alone(site: Site) -> None:
    for path in ("/health", "/ready"):
        response = await site.client.head(path)
        assert (response.status_code, response.content) == (200, b"")


async def test_the_application_can_be_started_again(tmp_path: Path) -> None:
    from soni.server import create_app
    from tests.faults.assistant import Witness
    from tests.server.assistant import Gate, Script, actions, config

    acting = actions(Witness(tmp_path / "witness.txt"), Gate())
    app = create_app(config(), actions=acting, understanding=Script())
    for _ in range(2):
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client,
        ):
            assert (await client.get("/metrics")).status_code == 200
