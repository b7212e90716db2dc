"""Fixtures: the server on each store."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from bench.postgres import postgres

from tests.server.site import Site, served


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where conversations are kept."""
    return f"sqlite:{tmp_path}/c.db" if request.param == "sqlite" else postgres().new_database()


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    """A server for this machine alone, on a file."""
    async with served(tmp_path, f"sqlite:{tmp_path}/c.db") as site:
        yield site
