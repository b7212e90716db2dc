"""Is it well: for those who start it, route to it and watch it."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from fastapi import APIRouter, Response
from fastapi.responses import JSONResponse, PlainTextResponse

from soni.errors import StoreBroken, StoreUnavailable
from soni.server.service import Operator, TheService

logger = logging.getLogger(__name__)
router = APIRouter(tags=["health"])

_LOOK = 3.0


@router.head("/health", include_in_schema=False)
@router.get("/health")
async def health() -> dict[str, str]:
    """Whether the process answers; restart it if it does not."""
    return {"status": "ok"}


@router.head("/ready", include_in_schema=False)
@router.get("/ready", responses={503: {"description": "Not now; `checks` says why."}})
async def ready(service: TheService) -> Response:
    """Whether requests should be sent here.

    They should if the database can be written, the understanding is loaded, and what other processes left unfinished
    has been looked after.
    """
    checks = {
        "database": await service.database.answer(lambda: _database(service)),
        "understanding": "ok" if service.is_warm else "loading",
        "recovery": "ok" if service.loop.has_recovered else "still looking for unfinished turns",
        "serving": "stopping" if service.turns.is_closing or service.closing.is_set() else "ok",
    }
    is_ready = all(state == "ok" for state in checks.values())
    body: dict[str, Any] = {"status": "ready" if is_ready else "not ready", "checks": checks}
    return JSONResponse(body, 200 if is_ready else 503)


async def _database(service: TheService) -> str:
    try:
        async with asyncio.timeout(_LOOK):
            await service.loop.check_store()
    except TimeoutError:
        return f"no answer within {_LOOK:g} s"
    except StoreBroken:
        return "its files were deleted, replaced or damaged; put them back and restart the server (the log says more)"
    except StoreUnavailable as error:
        logger.warning("not ready: %s", error)
        return "not available"
    return "ok"


@router.get("/metrics", response_class=PlainTextResponse)
async def metrics(caller: Operator, service: TheService) -> Response:
    """Figures for Prometheus; with keys in use, it takes the operator's."""
    return Response(service.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")
