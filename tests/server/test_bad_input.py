"""Whatever comes in: a clear problem or a clean close, never a 500, and the server goes on."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings

from soni.server import Keys, create_app, guard, new_key, serving
from tests.conftest import examples
from tests.server.assistant import config
from tests.server.site import Site, served_apart

PATH = "/v1/conversations/ana/messages"


async def post(site: Site, body: bytes, path: str = PATH, **headers: str) -> tuple[int, dict[str, Any]]:
    response = await site.client.post(path, content=body, headers={"Content-Type": "application/json", **headers})
    assert response.headers["content-type"] == "application/problem+json", response.text
    problem = response.json()
    assert problem["status"] == response.status_code
    assert problem["detail"]
    return response.status_code, problem


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"\xff\xfe", 400),
        (b'{"text": "a', 400),
        (b"[" * 30_000, 400),
        (b'{"a":' * 10_000, 400),
        (b"null", 422),
        (b"[]", 422),
        (b'"text"', 422),
        (b"{}", 422),
        (b'{"text": null}', 422),
        (b'{"text": 3}', 422),
        (b'{"text": ["a"]}', 422),
        (b'{"text": "a", "surprise": 1}', 422),
        (b'{"text": "a", "message_id": ""}', 422),
        (b'{"text": "a", "message_id": 7}', 422),
        (b'{"text": "a", "payload": {"task": 1}}', 422),
        (b'{"text": "a", "payload": []}', 422),
        (b'{"text": "a", "slots": {"nothing": 1}}', 422),
        (json.dumps({"text": "x" * 10_001}).encode(), 422),
        (json.dumps({"text": "a", "message_id": "x" * 201}).encode(), 422),
        (json.dumps({"text": "a", "payload": {"a" * 20_000: "b"}}).encode(), 422),
    ],
)
async def test_a_bad_body_is_told_what_is_wrong(site: Site, body: bytes, status: int) -> None:
    assert (await post(site, body))[0] == status
    assert await site.texts("send") == ["How much?"]


async def test_a_problem_says_what_to_do(site: Site) -> None:
    assert "is not JSON: Expecting property name" in (await post(site, b'{text: "hi"}'))[1]["detail"]
    assert "body.message: there is no such field" in (await post(site, b'{"text": "a", "message": "b"}'))[1]["detail"]
    for path, said in (
        ("/v1/conversation/ana/messages", "/openapi.json lists"),
        (PATH, "this takes POST"),
        ("/v1/conversations/josé/state", "a-z, A-Z, 0-9"),
    ):
        assert said in (await site.client.get(path)).json()["detail"]
    await site.say("many")
    never = await site.client.get("/v1/conversations/ana/explain", params={"turn": 99})
    assert never.json()["detail"] == "turn 99 of 'ana' is not kept"


async def test_a_body_may_not_be_large(site: Site) -> None:
    large = json.dumps({"text": "x" * 1_100_000}).encode()
    assert (await post(site, large))[0] == 413

    async def drip() -> Any:
        for _ in range(20):
            yield b" " * 100_000

    response = await site.client.post(PATH, content=drip(), headers={"Content-Type": "application/json"})
    assert response.status_code == 413


@pytest.mark.parametrize(
    "text",
    ["\0", "a\0b\x01\x1f\x7f", "\u202eabc", "😀", "é" * 5000, "{amount}", "{{1/0}}", "%s%n", "", " \n"],
)
async def test_any_text_is_a_message(site: Site, text: str) -> None:
    answer = await site.say(text)
    assert answer["failed"] is False
    assert (await site.client.get("/v1/conversations/ana/transcript")).status_code == 200


async def test_half_a_character_is_a_message_too(site: Site) -> None:
    response = await site.client.post(
        PATH, content=b'{"text": "\\ud800"}', headers={"Content-Type": "application/json"}
    )
    assert response.status_code in (200, 400, 422)


@pytest.mark.parametrize(
    "name", ["a b", "a%00b", "%0a", "a" * 201, "jos%C3%A9", "a%2Fb", "'; DROP TABLE soni_turns; --"]
)
async def test_a_strange_name_is_no_conversation(site: Site, name: str) -> None:
    for rest in ("state", "events", "transcript"):
        response = await site.client.get(f"/v1/conversations/{name}/{rest}")
        assert response.status_code in (404, 422)
        assert response.headers["content-type"] == "application/problem+json"


async def test_wrong_methods_and_paths(site: Site) -> None:
    for method, path, status in (
        ("GET", PATH, 405),
        ("PUT", "/v1/conversations/ana", 405),
        ("GET", "/v1/nothing", 404),
        ("GET", "/../../etc/passwd", 404),
        ("GET", "/web/soni.js", 404),
        ("PATCH", "/health", 405),
    ):
        response = await site.client.request(method, path)
        assert response.status_code == status, path
        assert response.headers["content-type"] == "application/problem+json"


async def raw(site: Site, *pieces: bytes) -> bytes:
    """What the server sends to somebody who does not speak HTTP properly, until it closes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", site.server.port)
    answer = b""
    with suppress(ConnectionError):  # it may close while we are still sending
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
        async with asyncio.timeout(30):
            while more := await reader.read(1):
                answer += more
    writer.close()
    return answer


async def test_what_is_not_http_is_answered_and_closed(site: Site) -> None:
    assert (await raw(site, b"\x16\x03\x01 hello\r\n\r\n")).startswith(b"HTTP/1.1 400")
    assert (await raw(site, b"GET / HTTP/1.1\r\nHost: localhost\r\nBad Header\r\n\r\n")).startswith(b"HTTP/1.1 400")
    assert (await site.client.get("/health")).status_code == 200


FIELD = b"X-Much: " + b"a" * 1000 + b"\r\n"
UPGRADE = (
    b"GET /v1/conversations/ana/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: c29uaXNvbmlzb25pc29uaQ==\r\n"
)
HEALTH = b"GET /health HTTP/1.1\r\nHost: localhost\r\n"


@pytest.mark.parametrize(
    "pieces",
    [
        pytest.param([HEALTH + FIELD * 33 + b"\r\n"], id="in one read"),
        pytest.param([UPGRADE + FIELD * 33 + b"\r\n"], id="of a WebSocket"),
        pytest.param([b"GET /health?" + b"a" * 33_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n"], id="in its address"),
        pytest.param([HEALTH, *[FIELD] * 40, b"\r\n"], id="in pieces"),
        pytest.param([HEALTH + b"X-Much: ", *[b"a" * 4000] * 10], id="in one field without end"),
    ],
)
async def test_the_head_of_a_request_is_bounded_however_it_comes(site: Site, pieces: list[bytes]) -> None:
    answer = await raw(site, *pieces)
    assert answer == b"" or answer.startswith(b"HTTP/1.1 431")  # it may be gone before it is read
    if len(pieces) == 1:
        head, _, body = answer.partition(b"\r\n\r\n")
        assert b"application/problem+json" in head
        assert json.loads(body)["detail"] == "the head of a request has at most 32768 bytes"
    assert (await site.client.get("/health", headers={"X-Much": "a" * 32_000})).status_code == 200


async def test_the_head_of_a_later_request_is_bounded_too(site: Site) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", site.server.port)
    writer.write(HEALTH + b"\r\n")
    assert (await reader.readuntil(b"}")).startswith(b"HTTP/1.1 200")
    writer.write(HEALTH + FIELD * 33 + b"\r\n")
    assert (await reader.read()).startswith(b"HTTP/1.1 431")
    writer.close()


CHUNKED = f"POST {PATH} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n".encode()


@pytest.mark.parametrize(
    ("begun", "more"),
    [
        pytest.param(b"2\r\n{}\r\n0\r\nX-Much: ", b"a" * 4000, id="a trailer without end"),
        pytest.param(b"2\r\n{}\r\n0\r\n", FIELD * 4, id="trailers without end"),
        pytest.param(b"2;x=", b"a" * 4000, id="an extension of a chunk"),
    ],
)
async def test_what_comes_around_a_body_is_bounded_too(site: Site, begun: bytes, more: bytes) -> None:
    """It is kept by the parser, where no limit on the body sees it."""
    _, writer = await asyncio.open_connection("127.0.0.1", site.server.port)

    async def flood() -> None:
        writer.write(CHUNKED + begun)
        for _ in range(1000):
            writer.write(more)
            await writer.drain()

    with pytest.raises(ConnectionError):
        await flood()
    writer.close()


async def test_who_sends_too_slowly_is_closed(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "_SLOWEST_HEAD", 0.2)
    monkeypatch.setattr(guard, "_SLOWEST_BODY", 0.2)
    assert await raw(site) == b""
    assert await raw(site, b"GET / HTTP/1.1\r\nHost: loc") == b""
    head = b"POST " + PATH.encode() + b" HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    slow = await raw(site, head + b"Content-Length: 50\r\n\r\n{")
    assert slow.startswith(b"HTTP/1.1 408")
    assert (await site.client.get("/health")).status_code == 200


async def test_an_abrupt_end_at_any_byte_hurts_nobody(site: Site) -> None:
    body = b'{"text": "send", "message_id": "m"}'
    head = f"POST {PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n".encode()
    request = head + f"Content-Length: {len(body)}\r\n\r\n".encode() + body
    for end in range(0, len(request) + 1, 7):
        _, writer = await asyncio.open_connection("127.0.0.1", site.server.port)
        writer.write(request[:end])
        await writer.drain()
        writer.transport.abort()
    assert await site.texts("send", message_id="m") == ["How much?"]
    assert (await site.client.get("/v1/conversations/ana/state")).json()["turn"] == 1


async def test_the_description_is_whole_and_has_examples(site: Site) -> None:
    schema = (await site.client.get("/openapi.json")).json()
    assert {"/v1/conversations/{conversation}/messages", "/v1/chat/completions", "/v1/handoffs"} <= schema[
        "paths"
    ].keys()
    for path, operations in schema["paths"].items():
        for operation in operations.values():
            assert operation.get("summary") or operation.get("description"), path
            assert "application/problem+json" in operation["responses"]["default"]["content"], path
            assert "422" not in operation["responses"]
    for name in ("MessageIn", "PersonIn", "TokenIn", "CompletionIn"):
        assert schema["components"]["schemas"][name]["examples"]


DESCRIPTION = schemathesis.openapi.from_dict(create_app(config()).openapi())


KEY, LINE = new_key("tests", "operator")
FRAMING = ("transfer-encoding", "content-length", "connection", "upgrade", "expect", "te", "host")
"""Headers by which requests are told apart on the wire: a wrong one is refused before there is a request."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("served")
    with served_apart(folder, f"sqlite:{folder}/c.db", keys=Keys([LINE])) as url:
        yield url


@DESCRIPTION.exclude(path_regex="/events$").parametrize()  # which never ends
@settings(max_examples=examples(8), deadline=None, suppress_health_check=list(HealthCheck), database=None)
def test_schemathesis_finds_nothing(case: schemathesis.Case[Any], address: str) -> None:
    """Every operation of the description, with bodies and parameters that fit it and ones that do not."""
    # What has the right form may still be refused: a slot that is not there, a message_id that was another's.
    excluded = [schemathesis.checks.positive_data_acceptance]
    for framing in FRAMING:
        case.headers.pop(framing, None)
    if {*(case.query or {})} - {parameter.name for parameter in case.operation.query}:
        excluded.append(schemathesis.checks.negative_data_rejection)  # what nobody asks for is not looked at
    case.call_and_validate(base_url=address, headers={"Authorization": f"Bearer {KEY}"}, excluded_checks=excluded)
