"""Fixtures: the server on each store."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from bench.postgres import postgres

from soni.server import Keys, new_key
from tests.server.bank import SECRET, Bank, bearer
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


@pytest.fixture
async def bank(tmp_path: Path) -> AsyncIterator[Bank]:
    """A server with two tenants."""
    wanted = [("shop", "tenant"), ("bank", "tenant"), ("shop", "agent"), ("bank", "agent"), ("bank", "operator")]
    made = [new_key(tenant, role) for tenant, role in wanted]
    keys = Keys([f"{made[0][1]}  # the shop's", "", "# the bank's", *(line for _, line in made[1:])])
    async with served(tmp_path, keys=keys, secret=SECRET, visitors=True) as site:
        yield Bank(site, *(bearer(key) for key, _ in made))
