"""Guard: what every request has to pass before it reaches the application, and what every answer carries."""

from __future__ import annotations

import asyncio
import logging
import re
import time
import uuid
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect

from soni.server.problems import HttpProblem, problem_of
from soni.server.settings import is_loopback

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from soni.server.metrics import Metrics
    from soni.server.settings import ServerSettings

logger = logging.getLogger(__name__)

_SLOWEST_BODY = 15.0
_MOST_DRAINED = 4 * 1024 * 1024
_JSON = re.compile(r"application/(json|[\w.-]+\+json)\s*(;|$)", re.IGNORECASE)
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_ALWAYS = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}
_GONE = 499
"""What is noted of a client that did not wait for an answer."""
_MOST_NAMED = 100
_PASSED_ON = ("x-forwarded-for", "forwarded", "x-real-ip", "via")


class Guard:
    """Checks where a request comes from and how large it is; notes how it ended."""

    def __init__(self, app: ASGIApp, settings: ServerSettings, metrics: Metrics) -> None:
        self._app = app
        self._settings = settings
        self._metrics = metrics
        self._refused: set[str] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        given = headers.get("x-request-id", "")
        request_id = given if _REQUEST_ID.fullmatch(given) else uuid.uuid4().hex
        began, status = time.perf_counter(), 0

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                status = message["status"]
                told = MutableHeaders(raw=list(message.get("headers", [])))
                told.update({**_ALWAYS, "X-Request-ID": request_id})
                told.setdefault("Cache-Control", "no-store")  # most of it is somebody's own
                message = {**message, "headers": told.raw}
            elif message["type"] == "websocket.accept":
                status = 101
            elif message["type"] == "websocket.close" and not status:
                status = 403
            await send(message)

        try:
            self._check_origin(headers)
            if scope["type"] == "http":
                receive = await self._bounded(headers, receive)
            await self._app(scope, receive, answer)
        except ClientDisconnect:
            logger.debug("a client went away in the middle of its request")
        except Exception as error:  # the last place where anything can still be answered
            if not status:
                await problem_of(error).response(scope, receive, answer)
            elif not isinstance(error, OSError):
                logger.exception("a request failed after its answer had begun")
        finally:
            method = scope.get("method", "GET")
            route = getattr(scope.get("route"), "path", None) or "(none)"
            self._metrics.request(method, route, status or _GONE)
            about = {"request_id": request_id, "method": method, "route": route, "status": status or _GONE}
            logger.info("request", extra={**about, "seconds": round(time.perf_counter() - began, 4)})

    def _check_origin(self, headers: Headers) -> None:
        """A page of another site may not use a visitor's browser to get here, by whatever name it found us."""
        host = headers.get("host", "")
        if self._settings.is_open and not _is_local_name(host):
            detail = f"this server is for its own machine only, and is not called '{host[:100]}'"
            raise HttpProblem(421, "wrong-host", detail)
        if self._settings.is_open and any(name in headers for name in _PASSED_ON):
            detail = "a proxy passes requests of others on to a server without keys; give it keys (soni key)"
            raise HttpProblem(403, "needs-keys", detail)
        origin = headers.get("origin")
        if origin is None or origin in self._settings.origins or "*" in self._settings.origins:
            return
        if host and origin.partition("://")[2].lower() == host.lower():
            return
        if headers.get("sec-fetch-site") == "same-origin":
            return
        if origin not in self._refused and len(self._refused) < _MOST_NAMED:
            self._refused.add(origin)
            logger.warning("pages of %r may not talk here; --origin %s would let them", origin[:100], origin[:100])
        detail = "this web site may not talk to this server; its operator can allow it with --origin"
        raise HttpProblem(403, "origin-not-allowed", detail)

    async def _bounded(self, headers: Headers, receive: Receive) -> Receive:
        """The body, read whole, if it is not too large and not too slow in coming."""
        most = self._settings.largest_body
        length = headers.get("content-length", "0")
        if length == "0" and "transfer-encoding" not in headers:
            return receive
        if length.isdigit() and int(length) > _MOST_DRAINED:
            raise _too_large(most)
        body, size = bytearray(), 0
        try:
            async with asyncio.timeout(_SLOWEST_BODY):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise ClientDisconnect
                    piece = message.get("body", b"")
                    size += len(piece)
                    if size <= most:
                        body += piece
                    # What is too large is let run out up to a point, so that the client comes to read the answer.
                    if not message.get("more_body") or size > _MOST_DRAINED:
                        break
        except TimeoutError:
            detail = f"the body did not come within {_SLOWEST_BODY:g} s"
            raise HttpProblem(408, "too-slow", detail, headers={"Connection": "close"}) from None
        if size > most:
            raise _too_large(most)
        if not _JSON.match(headers.get("content-type", "")):
            raise HttpProblem(415, "not-json", "send the body as application/json")
        is_read = False

        async def again() -> Message:
            nonlocal is_read
            if is_read:
                return await receive()
            is_read = True
            return {"type": "http.request", "body": bytes(body), "more_body": False}

        return again


def _too_large(most: int) -> HttpProblem:
    return HttpProblem(413, "too-large", f"a body has at most {most} bytes", headers={"Connection": "close"})


def _is_local_name(host: str) -> bool:
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    return is_loopback(name)
