"""ModelServer as raw HTTP clients and DSPy see it."""

from __future__ import annotations

import asyncio
import http.client
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from typing import Any

import dspy
import httpx
import pytest

from tests.du.model_server import MODEL, Answer, Cut, Fault, Garbage, ModelServer, Reply, Slow

ASK: dict[str, Any] = {"model": MODEL, "messages": [{"role": "user", "content": "hello"}]}

RAW = b"POST /v1/chat/completions HTTP/1.1\r\nHost: model\r\nContent-Length: 2\r\n\r\n{}"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
async def client(server: ModelServer) -> AsyncIterator[httpx.AsyncClient]:
    headers = {"Authorization": "Bearer test-key"}
    async with httpx.AsyncClient(base_url=server.url, headers=headers, trust_env=False) as client:
        yield client


@pytest.fixture
async def lm(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Any]:
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # or DSPy fetches a price list after the first reply
    monkeypatch.delenv("OPENAI_API_BASE", raising=False)  # or DSPy calls through LiteLLM, whose errors are others
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    lm = dspy.LM(f"openai/{MODEL}", api_base=server.url, api_key="test-key", cache=False, num_retries=0)
    yield lm
    await lm.aclose()


async def ask(client: httpx.AsyncClient, **more: Any) -> httpx.Response:
    return await client.post("chat/completions", json=ASK | more)


def connect(server: ModelServer) -> socket.socket:
    return socket.create_connection(("127.0.0.1", httpx.URL(server.url).port or 0))


def content(response: httpx.Response) -> Any:
    return response.json()["choices"][0]["message"]["content"]


async def test_a_reply_is_a_whole_chat_completion(server: ModelServer, client: httpx.AsyncClient) -> None:
    server.replies(Reply("¡hola!", prompt_tokens=3))
    response = await ask(client)
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    assert response.json() == {
        "id": "chatcmpl-test",
        "object": "chat.completion",
        "created": 0,
        "model": MODEL,
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "¡hola!"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 7, "total_tokens": 10},
    }


async def test_requests_are_kept_as_they_came(server: ModelServer, client: httpx.AsyncClient) -> None:
    server.replies(Reply("a"), Reply("b"))
    await ask(client, temperature=0)
    await ask(client, temperature=1)
    assert [request.body for request in server.requests] == [ASK | {"temperature": 0}, ASK | {"temperature": 1}]
    assert {request.path for request in server.requests} == {"/v1/chat/completions"}
    assert {request.headers["authorization"] for request in server.requests} == {"Bearer test-key"}
    assert (server.in_flight, server.most_in_flight) == (0, 1)


async def test_the_script_comes_first_then_always(server: ModelServer, client: httpx.AsyncClient) -> None:
    server.always = lambda body: Reply(body["messages"][0]["content"].upper())
    server.replies(Reply("one"))
    server.replies(Reply("two"))
    assert [content(await ask(client)) for _ in range(4)] == ["one", "two", "HELLO", "HELLO"]


async def test_without_a_script_the_server_says_so(client: httpx.AsyncClient) -> None:
    response = await ask(client)
    assert response.status_code == 500
    assert response.json()["error"]["message"].startswith("No answer was scripted")


async def test_a_fault_has_the_shape_of_openai(server: ModelServer, client: httpx.AsyncClient) -> None:
    server.replies(Fault(429, retry_after="3", message="slow down", code="rate_limit_exceeded"))
    response = await ask(client)
    assert (response.status_code, response.headers["retry-after"]) == (429, "3")
    error = {"message": "slow down", "type": "invalid_request_error", "param": None, "code": "rate_limit_exceeded"}
    assert response.json() == {"error": error}


async def test_a_fault_may_come_without_header_and_json(server: ModelServer, client: httpx.AsyncClient) -> None:
    server.replies(Fault(503, retry_after=None, body=b"<html>busy</html>"))
    response = await ask(client)
    assert (response.status_code, response.content) == (503, b"<html>busy</html>")
    assert "retry-after" not in response.headers


async def test_garbage_is_sent_as_a_success(server: ModelServer, client: httpx.AsyncClient) -> None:
    server.replies(Garbage(b"\xff<oops>"))
    response = await ask(client)
    assert (response.status_code, response.content) == (200, b"\xff<oops>")


async def test_a_stream_is_refused_and_takes_nothing_from_the_script(
    server: ModelServer, client: httpx.AsyncClient
) -> None:
    server.replies(Reply("kept"))
    assert (await ask(client, stream=True)).status_code == 400
    assert content(await ask(client, stream=False)) == "kept"


async def test_other_paths(client: httpx.AsyncClient) -> None:
    assert [model["id"] for model in (await client.get("models")).json()["data"]] == [MODEL]
    assert (await client.get("nothing")).status_code == 404
    assert (await client.post("responses", json=ASK)).status_code == 404
    assert (await client.post("chat/completions", content=b"{")).status_code == 400


def test_a_connection_is_kept_alive(server: ModelServer) -> None:
    server.replies(Reply("one"), Fault(500), Garbage(b"?"), Reply("two"))
    with closing(http.client.HTTPConnection(server.url.removeprefix("http://").removesuffix("/v1"))) as connection:
        connection.connect()
        connection.auto_open = 0  # a second connection would raise NotConnected
        statuses = []
        for _ in range(4):
            connection.request("POST", "/v1/chat/completions", body=b'{"messages": []}')
            response = connection.getresponse()
            response.read()
            statuses.append(response.status)
    assert statuses == [200, 500, 200, 200]


@pytest.mark.parametrize("event", [threading.Event, asyncio.Event])
async def test_a_slow_reply_waits_for_its_gate(
    event: type[threading.Event | asyncio.Event], server: ModelServer, client: httpx.AsyncClient
) -> None:
    gate = event()
    server.always = lambda _: Slow(gate, Reply("at last"))
    asking = [asyncio.create_task(ask(client)) for _ in range(20)]
    await server.until(lambda: server.in_flight == 20)
    assert not any(task.done() for task in asking)
    gate.set()
    assert {content(response) for response in await asyncio.gather(*asking)} == {"at last"}
    assert (server.in_flight, server.most_in_flight) == (0, 20)


async def test_a_client_that_goes_away_is_not_waited_for(server: ModelServer, client: httpx.AsyncClient) -> None:
    server.replies(Slow(threading.Event()), Reply("next"))
    asking = asyncio.create_task(ask(client))
    await server.until(lambda: server.in_flight == 1)
    asking.cancel()
    await server.until(lambda: server.in_flight == 0)
    assert content(await ask(client)) == "next"


@pytest.mark.parametrize("after", [0, 20, 10_000])
def test_a_cut_ends_in_a_reset_after_so_many_bytes(after: int, server: ModelServer) -> None:
    server.replies(Cut(after))
    received = bytearray()

    def read(client: socket.socket) -> None:
        while piece := client.recv(4096):
            received.extend(piece)

    with connect(server) as client:
        client.sendall(RAW)
        with pytest.raises(ConnectionResetError):
            read(client)
    head, _, body = received.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200")
    assert len(body) == after


async def test_closing_does_not_wait_for_what_is_held_or_kept_alive() -> None:
    async with httpx.AsyncClient(trust_env=False) as idle, httpx.AsyncClient(trust_env=False) as held:
        with ModelServer() as server:
            idle.base_url = held.base_url = httpx.URL(server.url)
            server.replies(Reply("kept alive"), Slow(threading.Event()))
            await ask(idle)
            asking = asyncio.create_task(ask(held))
            await server.until(lambda: server.in_flight == 1)
        with pytest.raises(httpx.TransportError):
            await asking
        with pytest.raises(httpx.ConnectError):
            await ask(idle)


async def test_closing_does_not_wait_for_a_client_that_asks_again_before_its_answer() -> None:
    with ModelServer() as server, connect(server) as client:
        server.replies(Slow(threading.Event()))
        client.sendall(RAW)
        await server.until(lambda: server.in_flight == 1)
        client.sendall(RAW)


async def test_what_breaks_in_the_script_is_raised_at_the_end() -> None:
    def broken(_: dict[str, Any]) -> Answer:
        raise LookupError("no such line in the script")

    async def talk() -> None:
        with ModelServer() as server:
            server.always = broken
            async with httpx.AsyncClient(base_url=server.url, trust_env=False) as client:
                await ask(client)

    with pytest.raises(LookupError, match="no such line") as raised:
        await talk()
    assert isinstance(raised.value.__context__, httpx.TransportError)


def test_dspy_reads_the_reply_and_its_usage(server: ModelServer, lm: Any) -> None:
    server.replies(Reply("hello there"))
    assert lm("hi") == ["hello there"]
    usage = lm.history[-1]["usage"]
    assert (usage["prompt_tokens"], usage["completion_tokens"], usage["total_tokens"]) == (11, 7, 18)
    assert server.requests[0].body == {"model": MODEL, "messages": [{"role": "user", "content": "hi"}]}
    assert server.requests[0].headers["authorization"] == "Bearer test-key"


async def test_dspy_reads_the_usage_of_an_async_call_too(server: ModelServer, lm: Any) -> None:
    server.replies(Reply("hello there", prompt_tokens=20, completion_tokens=2))
    assert await lm.acall("hi") == ["hello there"]
    assert lm.history[-1]["usage"]["total_tokens"] == 22


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (Fault(429), dspy.LMRateLimitError),
        (Fault(429, code="insufficient_quota"), dspy.LMBillingError),
        (Fault(401), dspy.LMAuthError),
        (Fault(400), dspy.LMInvalidRequestError),
        (Fault(500), dspy.LMServerError),
        (Fault(504), dspy.LMTimeoutError),
        (Cut(20), dspy.LMTransportError),
        (Garbage(b"<html>"), dspy.LMProviderError),
        (Garbage(b"[]"), dspy.LMUnexpectedError),
    ],
)
async def test_dspy_names_each_fault(answer: Answer, error: type[Exception], server: ModelServer, lm: Any) -> None:
    server.replies(answer)
    with pytest.raises(error) as raised:
        await lm.acall("hi")
    assert type(raised.value) is error
    assert len(server.requests) == 1


async def test_dspy_tries_again_after_a_passing_fault(server: ModelServer, lm: Any) -> None:
    server.replies(Fault(429), Fault(500), Reply("third time lucky"))
    assert await lm.copy(num_retries=2).acall("hi") == ["third time lucky"]
    assert len(server.requests) == 3


async def test_dspy_hangs_up_when_its_time_is_over(server: ModelServer, lm: Any) -> None:
    server.replies(Slow(threading.Event()))
    with pytest.raises(dspy.LMTransportError, match="read timed out"):
        await lm.acall("hi", timeout=0.05)
    await server.until(lambda: len(server.requests) == 1 and server.in_flight == 0)
