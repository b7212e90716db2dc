"""Problems: what went wrong, as RFC 9457 writes it (problem+json), whoever noticed it."""

from __future__ import annotations

import json
import logging
from asyncio import CancelledError
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from soni.errors import (
    ConversationBusy,
    ConversationError,
    MessageReused,
    NotHandedOver,
    NotKept,
    SoniError,
    StoreUnavailable,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastapi import FastAPI
    from starlette.requests import Request

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
                return HttpProblem(status, name, detail, headers={"Retry-After": "5"})
            headers = {"Retry-After": "1"} if isinstance(error, ConversationBusy) else {}
            return HttpProblem(status, name, str(error), headers=headers)
    logger.error("a request failed", exc_info=error)
    return HttpProblem(500, "internal", "something went wrong here; the log says what")


def _invalid(error: RequestValidationError) -> HttpProblem:
    """Every field that is wrong, without what was in it."""
    errors = [{"where": ".".join(str(part) for part in found["loc"]), "what": found["msg"]} for found in error.errors()]
    unreadable = any(found["type"] == "json_invalid" for found in error.errors())
    detail = "; ".join(f"{one['where']}: {one['what']}" for one in errors[:5])
    if unreadable:
        return HttpProblem(400, "malformed-json", detail, errors=errors)
    return HttpProblem(422, "invalid-request", detail, errors=errors)


def install(app: FastAPI) -> None:
    """Have every error of the application answered as a problem."""

    async def invalid(_: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)  # noqa: S101
        return _invalid(error).response

    async def http(_: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)  # noqa: S101
        kinds = {404: "not-found", 405: "method-not-allowed", 400: "malformed-request"}
        problem = HttpProblem(error.status_code, kinds.get(error.status_code, "refused"), str(error.detail))
        problem.headers |= dict(error.headers or {})
        return problem.response

    async def other(_: Request, error: Exception) -> Response:
        return problem_of(error).response

    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(HttpProblem, other)
    app.add_exception_handler(SoniError, other)
    app.add_exception_handler(Exception, other)
