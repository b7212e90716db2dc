"""Problems: what went wrong, as RFC 9457 writes it (problem+json), whoever noticed it."""

from __future__ import annotations

import json
import logging
import re
from asyncio import CancelledError
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from fastapi.exceptions import RequestValidationError, WebSocketRequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from soni.errors import (
    ConversationBusy,
    ConversationError,
    MessageReused,
    NotHandedOver,
    NotKept,
    SoniError,
    StoreBroken,
    StoreUnavailable,
)
from soni.server.access import NAMING, TENANT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastapi import FastAPI
    from starlette.requests import Request
    from starlette.websockets import WebSocket

logger = logging.getLogger(__name__)


class HttpProblem(Exception):
    """A request that cannot be served, and why."""

    def __init__(
        self, status: int, kind: str, detail: str, *, headers: Mapping[str, str] | None = None, **more: Any
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.kind = kind
        self.detail = detail
        self.headers = dict(headers or {})
        self.more = more

    def to_json(self) -> dict[str, Any]:
        """The problem as a body; `error` is where clients of OpenAI's protocol look."""
        return {
            "type": f"urn:soni:problem:{self.kind}",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
            **self.more,
            "error": {"message": self.detail, "type": self.kind, "param": None, "code": self.kind},
        }

    @property
    def response(self) -> Response:
        """The answer to send; in ASCII, since it may quote what cannot be written in any other way."""
        body = json.dumps(self.to_json())
        return Response(body, self.status, headers=self.headers, media_type="application/problem+json")


_KINDS: tuple[tuple[type[SoniError], int, str], ...] = (
    (ConversationBusy, 409, "conversation-busy"),
    (MessageReused, 422, "message-reused"),
    (NotHandedOver, 409, "not-handed-over"),
    (NotKept, 404, "not-kept"),
    (ConversationError, 422, "not-possible"),
    (StoreUnavailable, 503, "store-unavailable"),
)


_OURS = re.compile(rf"(?<=of )'{TENANT.pattern}/")
"""How errors name a conversation: its tenant is nobody's business."""


def stopping(message_id: str | None = None) -> HttpProblem:
    """The problem of a server that takes, or finishes, no more turns."""
    detail = "the server is stopping; ask again, with the same message_id if there is one"
    return HttpProblem(503, "stopping", detail, headers={"Retry-After": "1"}, message_id=message_id)


def problem_of(error: BaseException) -> HttpProblem:
    """An error in the words of HTTP; what nobody foresaw is told to the log, not to the client."""
    if isinstance(error, HttpProblem):
        return error
    if isinstance(error, CancelledError):
        return stopping()
    for kind, status, name in _KINDS:
        if isinstance(error, kind):
            if isinstance(error, StoreUnavailable):
                logger.error("the store is not available: %s", error)
                detail = "conversations cannot be kept right now; what was accepted is finished later"
                if isinstance(error, StoreBroken):
                    detail = "conversations cannot be kept until the server is restarted; its log says why"
                return HttpProblem(status, name, detail, headers={"Retry-After": "5"})
            headers = {"Retry-After": "1"} if isinstance(error, ConversationBusy) else {}
            return HttpProblem(status, name, _OURS.sub("'", str(error)), headers=headers)
    logger.error("a request failed", exc_info=error)
    return HttpProblem(500, "internal", "something went wrong here; the log says what")


def _invalid(error: RequestValidationError | WebSocketRequestValidationError) -> HttpProblem:
    """Every field that is wrong, without what was in it."""
    for found in error.errors():
        if found["type"] == "json_invalid":
            reason = (found.get("ctx") or {}).get("error", "it cannot be read")
            return HttpProblem(
                400, "malformed-json", f"the body is not JSON: {reason} (at character {found['loc'][-1]})"
            )
    errors = [{"where": ".".join(map(str, found["loc"])), "what": _told(found)} for found in error.errors()]
    detail = "; ".join(f"{one['where']}: {one['what']}" for one in errors[:5])
    return HttpProblem(422, "invalid-request", detail, errors=errors)


def _told(found: Any) -> str:
    if found["loc"] == ("path", "conversation"):
        return NAMING
    if found["type"] == "extra_forbidden":
        return "there is no such field"
    return str(found["msg"])


def install(app: FastAPI) -> None:
    """Have every error of the application answered as a problem."""

    async def invalid(_: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)  # noqa: S101
        return _invalid(error).response

    async def invalid_socket(socket: WebSocket, error: Exception) -> None:
        assert isinstance(error, WebSocketRequestValidationError)  # noqa: S101
        await socket.send_denial_response(_invalid(error).response)

    async def http(_: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)  # noqa: S101
        kinds = {404: "not-found", 405: "method-not-allowed", 400: "malformed-request"}
        headers = dict(error.headers or {})
        detail = str(error.detail)
        if error.status_code == 404:
            detail = "there is nothing here; /openapi.json lists what there is"
        elif error.status_code == 405:
            detail = f"this takes {headers.get('allow') or headers.get('Allow', 'another method')}"
        problem = HttpProblem(error.status_code, kinds.get(error.status_code, "refused"), detail)
        problem.headers |= headers
        return problem.response

    async def other(_: Request, error: Exception) -> Response:
        return problem_of(error).response

    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(WebSocketRequestValidationError, invalid_socket)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(HttpProblem, other)
    app.add_exception_handler(SoniError, other)
    app.add_exception_handler(Exception, other)
