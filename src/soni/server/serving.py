"""Serving: the application on a port, until it is asked to stop."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import threading
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from soni.errors import ConfigError, Problem
from soni.server.problems import HttpProblem

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from fastapi import FastAPI

    from soni.server.settings import ServerSettings

logger = logging.getLogger(__name__)

_SLOWEST_HEAD = 10.0
_LARGEST_HEAD = 32 * 1024
_LARGEST_FRAME = 64 * 1024
_LAST_WORDS = 10
"""How many seconds clients have to take what is still being sent to them."""


class PatientProtocol(HttpToolsProtocol):
    """HTTP that does not wait for ever for the head of a request, nor takes without bound what is not its body."""

    _timer: asyncio.TimerHandle | None = None
    _head = 0
    """The bytes of the address and the fields of this request, those after its body included."""
    _unparsed = 0
    """The bytes that have come since the parser last came to an end of the head or to a piece of the body."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as the base has it
        super().connection_made(transport)
        self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._unparsed += len(data)
        super().data_received(data)
        if self._unparsed > _LARGEST_HEAD and not self.transport.is_closing():
            self._refuse()

    def on_message_begin(self) -> None:
        self._head = 0
        self._expect()
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._count(len(name) + len(value) + len(b": \r\n"))
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._stop()
        self._unparsed = 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._unparsed = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._unparsed = 0
        super().on_message_complete()

    def _count(self, size: int) -> None:
        self._head += size
        if self._head > _LARGEST_HEAD:
            raise ValueError("the head is too large")  # which the parser makes an error of its own, and stops

    def send_400_response(self, msg: str) -> None:
        """Answer what cannot be parsed, or was not parsed to its end."""
        if self._head > _LARGEST_HEAD:
            self._refuse()
        else:
            super().send_400_response(msg)

    def _refuse(self) -> None:
        """Say that the head is too large, unless another answer is being sent, and close."""
        if self.cycle is None or self.cycle.response_complete or not self.cycle.response_started:
            problem = HttpProblem(431, "head-too-large", f"the head of a request has at most {_LARGEST_HEAD} bytes")
            answer = problem.response
            fields = [*self.server_state.default_headers, *answer.raw_headers, (b"connection", b"close")]
            head = [b"HTTP/1.1 431 Request Header Fields Too Large", *(b"%b: %b" % field for field in fields)]
            self.transport.write(b"\r\n".join([*head, b"", answer.body]))
        self.transport.close()

    def _expect(self) -> None:
        self._stop()
        self._timer = self.loop.call_later(_SLOWEST_HEAD, self._give_up)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()


class PatientWebSocket(WebSocketsSansIOProtocol):
    """A WebSocket that answers every opening, and is read no faster than its client reads."""

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.handshake_exc is not None and not self.transport.is_closing():  # what uvicorn leaves unanswered
            self.transport.write(b"".join(self.conn.data_to_send()))
            self.transport.close()

    def pause_writing(self) -> None:
        super().pause_writing()
        self.transport.pause_reading()  # pings are answered by the protocol, and the answers would pile up

    def resume_writing(self) -> None:
        super().resume_writing()
        if not self.read_paused:
            self.transport.resume_reading()


class Server(uvicorn.Server):
    """Lets turns finish and streams end when it is asked to stop; a second Ctrl-C does not wait."""

    def __init__(self, app: FastAPI, config: uvicorn.Config, port: int) -> None:
        super().__init__(config)
        self._app = app
        self.port = port
        self.on_stop: Callable[[int], None] = lambda running: None
        """Told how many turns are being waited for when the server is asked to stop."""

    def stop(self) -> None:
        """Ask it to stop, as a signal does."""
        self.should_exit = True

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Signals ask for an end here, and are not raised again: what is open is still to be closed."""
        loop = asyncio.get_running_loop()
        # Signals come to the main thread alone; elsewhere `stop` is called.
        signs = (signal.SIGINT, signal.SIGTERM) if threading.current_thread() is threading.main_thread() else ()
        for sign in signs:
            loop.add_signal_handler(sign, self.handle_exit, sign, None)
        try:
            yield
        finally:
            for sign in signs:
                loop.remove_signal_handler(sign)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        service = self._app.state.service
        self.on_stop(service.turns.unfinished)
        finishing = asyncio.create_task(service.turns.finish())
        while not finishing.done() and not self.force_exit:
            await asyncio.wait({finishing}, timeout=0.1)
        if self.force_exit:
            await service.turns.give_up()
        service.closing.set()
        await super().shutdown(sockets)


async def serve(app: FastAPI, settings: ServerSettings, started: Callable[[Server], None]) -> None:
    """Serve until a signal says stop; `started` gets the server once requests are taken."""
    with _bound(settings) as listening:
        async with app.router.lifespan_context(app):
            config = uvicorn.Config(
                app,
                http=PatientProtocol,
                ws=PatientWebSocket,
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=_LAST_WORDS,
                timeout_keep_alive=65,
                ws_max_size=_LARGEST_FRAME,
            )
            server = Server(app, config, listening.getsockname()[1])
            started(server)
            await server.serve(sockets=[listening])


@contextmanager
def _bound(settings: ServerSettings) -> Generator[socket.socket]:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listening = socket.socket(family)
    with closing(listening):
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((settings.host, settings.port))
        except (OSError, OverflowError) as error:
            reason = str(error).rstrip(".")
            message = f"'{settings.host}' port {settings.port} cannot be served on: {reason}."
            raise ConfigError([Problem(message, ("server", "port"), "Name another: --port 8001")]) from None
        listening.listen(2048)  # from here on requests wait, and are not refused
        yield listening


def trace_if_asked(name: str) -> Any:
    """Send spans where the environment says (OTEL_EXPORTER_OTLP_ENDPOINT); the provider, to be shut down at the end."""
    if not any(os.environ.get(f"OTEL_EXPORTER_OTLP_{kind}ENDPOINT") for kind in ("", "TRACES_")):
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        message = f"OTEL_EXPORTER_OTLP_ENDPOINT is set, and the package '{error.name}' is missing."
        raise ConfigError([Problem(message, ("server",), "Install it: pip install 'soni[telemetry]'")]) from None
    from opentelemetry import trace

    provider = TracerProvider(resource=Resource.create({"service.name": os.environ.get("OTEL_SERVICE_NAME", name)}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    return provider
