"""A model server for tests: OpenAI's chat completions over real HTTP on loopback, with scripted answers and faults.

It runs in threads of its own, so blocking clients and clients of any event loop can call it. Use it as:

    with ModelServer() as server:
        server.replies(Fault(429), Reply("hello"))
        lm = dspy.LM("openai/test-model", api_base=server.url, api_key="test-key", cache=False)
"""

from __future__ import annotations

import asyncio
import json
import socket
import socketserver
import struct
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import KW_ONLY, dataclass
from http.server import BaseHTTPRequestHandler
from typing import Any, TypeAlias

MODEL = "test-model"
_GLANCE = 0.01  # seconds between two looks at a gate, a held client and the wish to close
_PATIENCE = 10.0  # seconds after which what was waited for is taken as never coming


@dataclass(frozen=True)
class Reply:
    content: str
    _: KW_ONLY
    prompt_tokens: int = 11
    completion_tokens: int = 7


@dataclass(frozen=True)
class Fault:
    """An HTTP error, in OpenAI's shape unless a body is given; retry_after=None leaves that header out."""

    status: int = 429
    _: KW_ONLY
    retry_after: str | None = "0"
    message: str = "a scripted fault"
    code: str | None = None
    body: bytes | None = None


@dataclass(frozen=True)
class Cut:
    """The headers of a completion and `after` bytes of its body, then a connection reset."""

    after: int


@dataclass(frozen=True)
class Garbage:
    """Success, with a body that is not a completion."""

    body: bytes


@dataclass(frozen=True)
class Slow:
    """Another answer, held until the gate is set (it is looked at, never awaited) or the client goes away."""

    gate: threading.Event | asyncio.Event
    then: Answer = Reply("late")


Answer: TypeAlias = Reply | Fault | Cut | Garbage | Slow

_UNSCRIPTED = Fault(500, message="No answer was scripted: call server.replies(...) or set server.always.")
_NO_STREAMS = Fault(400, message="This server does not stream: leave out stream=true.")


@dataclass(frozen=True)
class ModelRequest:
    """A chat completion that a client asked for; header names are in lower case."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class ModelServer:
    """Answers with what was scripted, in order, and with `always` when the script is empty."""

    def __init__(self) -> None:
        self.requests: list[ModelRequest] = []
        self.always: Callable[[dict[str, Any]], Answer] = lambda _: _UNSCRIPTED
        self.in_flight = self.most_in_flight = 0
        self.closing = threading.Event()
        self.failures: list[Exception] = []
        self._scripted: list[Answer] = []
        self.changed = threading.Condition()

    def __enter__(self) -> ModelServer:
        self._listener = _Listener(self)
        self.url = f"http://127.0.0.1:{self._listener.server_address[1]}/v1"
        threading.Thread(target=self._listener.serve_forever, args=(_GLANCE,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        """Close every connection, held ones too, and raise what broke in the script, if anything did."""
        self.closing.set()
        self._listener.shutdown()
        self._listener.server_close()
        self._listener.hang_up()
        if self.failures:
            raise self.failures[0]

    def replies(self, *answers: Answer) -> None:
        self._scripted.extend(answers)

    async def until(self, happened: Callable[[], bool]) -> None:
        """Wait for the server to come to a state, as in `await server.until(lambda: server.in_flight == 2)`."""

        def wait() -> bool:
            with self.changed:
                return self.changed.wait_for(happened, _PATIENCE)

        if not await asyncio.to_thread(wait):
            raise TimeoutError(f"not in {_PATIENCE} s: {len(self.requests)} requests came, {self.in_flight} in flight")

    @contextmanager
    def serving(self, request: ModelRequest) -> Iterator[Answer | None]:
        """Count the request in flight until its answer is about to be sent: who has an answer is never counted."""
        with self.changed:
            self.requests.append(request)
            self.in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self.in_flight)
            script: list[Answer] = [_NO_STREAMS] if request.body.get("stream") else self._scripted
            scripted = script.pop(0) if script else None
            self.changed.notify_all()
        try:
            yield scripted
        finally:
            with self.changed:
                self.in_flight -= 1
                self.changed.notify_all()


class _Listener(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, model: ModelServer) -> None:
        super().__init__(("127.0.0.1", 0), _Exchange)
        self.model = model
        self._open: set[socket.socket] = set()

    def process_request(self, request: Any, client_address: Any) -> None:
        with self.model.changed:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self.model.changed:
            # No goodbye (SHUT_WR) first: after a cut the reset must be all that the client sees.
            self.close_request(request)
            self._open.discard(request)
            self.model.changed.notify_all()

    def handle_error(self, request: Any, client_address: Any) -> None:
        match sys.exc_info()[1]:
            case Exception() as error if not isinstance(error, ConnectionError):
                self.model.failures.append(error)

    def hang_up(self) -> None:
        with self.model.changed:
            for connection in self._open:
                with suppress(OSError):  # the client may have gone already
                    connection.shutdown(socket.SHUT_RDWR)
            if not self.model.changed.wait_for(lambda: not self._open, _PATIENCE):
                raise TimeoutError("ModelServer cannot close: server.always has not returned an answer.")


class _Exchange(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # keeps connections alive
    disable_nagle_algorithm = True  # headers and body are two writes; the second must not wait for an ACK
    server: _Listener

    def do_GET(self) -> None:
        if self.path != "/v1/models":
            return self._answer(Fault(404, message=f"GET {self.path} is not served"), MODEL)
        return self._write(200, {"object": "list", "data": [{"id": MODEL, "object": "model", "owned_by": "tests"}]})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path != "/v1/chat/completions":
            return self._answer(Fault(404, message=f"POST {self.path} is not served"), MODEL)
        try:
            body = json.loads(raw)
        except ValueError:
            return self._answer(Fault(400, message="the request is not JSON"), MODEL)
        headers = {name.lower(): value for name, value in self.headers.items()}
        with self.server.model.serving(ModelRequest(self.path, headers, body)) as scripted:
            answer = self.server.model.always(body) if scripted is None else scripted
            while isinstance(answer, Slow):
                self._hold(answer.gate)
                answer = answer.then
        return self._answer(answer, body.get("model", MODEL))

    def _hold(self, gate: threading.Event | asyncio.Event) -> None:
        while not gate.is_set():
            if self.server.model.closing.wait(_GLANCE):
                raise ConnectionAbortedError("the server is closing")
            with suppress(BlockingIOError):  # nothing to read: the client waits
                if not self.connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT):
                    raise ConnectionAbortedError("the client went away")

    def _answer(self, answer: Reply | Fault | Cut | Garbage, model: str) -> None:
        match answer:
            case Reply():
                self._write(200, _completion(answer, model))
            case Fault(status=status, message=message, code=code, body=body):
                kind = "server_error" if status >= 500 else "invalid_request_error"
                error = {"error": {"message": message, "type": kind, "param": None, "code": code}}
                self._write(status, error if body is None else body, retry_after=answer.retry_after)
            case Garbage():
                self._write(200, answer.body)
            case Cut(after=after):
                # Spaces after JSON are still JSON: whatever `after` is, something stays unsent.
                self._write(200, json.dumps(_completion(Reply("cut"), model)).encode().ljust(after + 1), only=after)
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.close_connection = True

    def _write(self, status: int, body: Any, *, retry_after: str | None = None, only: int | None = None) -> None:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        if retry_after is not None:
            self.send_header("Retry-After", retry_after)
        self.end_headers()
        self.wfile.write(raw[:only])

    def log_message(self, *_: Any) -> None:
        """Nothing is logged: what was asked is in server.requests."""


def _completion(reply: Reply, model: str) -> dict[str, Any]:
    read, written = reply.prompt_tokens, reply.completion_tokens
    choice = {"index": 0, "message": {"role": "assistant", "content": reply.content}, "finish_reason": "stop"}
    usage = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
    whole = {"id": "chatcmpl-test", "object": "chat.completion", "created": 0, "model": model}
    return whole | {"choices": [choice], "usage": usage}
