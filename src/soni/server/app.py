"""create_app: an assistant as an ASGI application."""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware

from soni.du.configured import configured_understanding
from soni.runtime.loop import RuntimeLoop
from soni.server import completions, conversations, desk, health, page, problems, socket
from soni.server.bodies import Problem
from soni.server.guard import Guard
from soni.server.logs import turn_line
from soni.server.metrics import Metrics
from soni.server.service import Service
from soni.server.settings import ServerSettings
from soni.server.turns import BUSY_LIMIT, HOLD_LIMIT, Turns
from soni.store import open_store

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from soni.actions import Actions
    from soni.config.models import SoniConfig
    from soni.du.understanding import Understanding
    from soni.runtime.report import TurnReport

logger = logging.getLogger(__name__)

_SPARE = 8
"""Connections to the database beyond one for each turn: for streams, and for looking."""


def create_app(
    config: SoniConfig,
    *,
    actions: Actions | None = None,
    store: str = "memory:",
    settings: ServerSettings | None = None,
    understanding: Understanding | None = None,
    **more: Any,
) -> FastAPI:
    """The assistant as an application for any ASGI server; `store` is where conversations are kept.

    `more` goes to RuntimeLoop: command_handlers, person, clock and the like.
    """
    settings = settings or ServerSettings()
    metrics = Metrics()

    def observe(report: TurnReport) -> None:
        metrics.turn(report)
        turn_line(report, config)

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        reader = understanding or configured_understanding(config)
        async with (
            open_store(store, connections=settings.turns + _SPARE) as opened,
            RuntimeLoop(
                config,
                actions=actions,
                store=opened,
                understanding=reader,
                observe=observe,
                **{"wait": HOLD_LIMIT, "reconnect": BUSY_LIMIT, **more},
            ) as loop,
        ):
            service = app.state.service = Service(loop, settings, metrics, Turns(settings))
            metrics.running.set_function(lambda: service.turns.running)
            metrics.waiting.set_function(lambda: service.turns.waiting)
            metrics.streams.set_function(lambda: service.streams.total)
            warming = asyncio.create_task(_warm(service, reader))
            try:
                yield
            finally:
                service.closing.set()
                await service.turns.finish()
                await warming

    app = FastAPI(
        title=f"{config.settings.name} (Soni)",
        summary="A task-oriented assistant over HTTP.",
        version="1",
        lifespan=life,
        docs_url=None,
        redoc_url=None,
        # Requests are traced by FastAPI itself; what it would log holds what people wrote.
        telemetry={"logs": False, "metrics": False, "operation_spans": False},
    )
    problems.install(app)
    for part in (conversations, desk, socket, completions, health, page):
        app.include_router(part.router)
    _describe_problems(app)
    app.add_middleware(Guard, settings=settings, metrics=metrics)
    if settings.origins:  # outside of the guard: its problems have to be readable for pages that may talk
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(settings.origins),
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["Authorization", "Content-Type", "Idempotency-Key", "Last-Event-ID", "X-Conversation-Id"],
            expose_headers=["Retry-After", "X-Request-ID"],
            max_age=600,
        )
    return app


async def _warm(service: Service, understanding: Understanding) -> None:
    """Load what understanding needs before the first message comes."""
    warm = getattr(understanding, "warm", None)
    try:
        if warm is not None:
            await asyncio.to_thread(warm)
        service.is_warm = True
    except Exception:  # it is not ready then, and says so
        logger.exception("the understanding could not be loaded")


def _describe_problems(app: FastAPI) -> None:
    """In the description, let every operation answer with a problem."""
    describe = app.openapi

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            schema = describe()
            parts = schema.setdefault("components", {}).setdefault("schemas", {})
            parts["Problem"] = Problem.model_json_schema()
            for unused in ("HTTPValidationError", "ValidationError"):
                parts.pop(unused, None)
            told = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
            for operations in schema["paths"].values():
                for operation in operations.values():
                    operation["responses"].pop("422", None)
                    operation["responses"]["default"] = {"description": "A problem.", "content": told}
        found: dict[str, Any] = app.openapi_schema or schema
        return found

    app.openapi = described  # type: ignore[method-assign]  # as FastAPI's documentation has it
