"""open_store: a place to keep conversations, by its address."""

from __future__ import annotations

from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from soni.errors import ConfigError, Problem
from soni.store.sqlite import SqliteStore, open_sqlite

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from soni.store.store import Store

_WHERE = ("settings", "persistence")


@asynccontextmanager
async def open_store(url: str, *, connections: int = 16) -> AsyncIterator[Store]:
    """The store at an address, open while the block runs.

    `memory:` is gone with the process; `sqlite:conversations.db` is a file; `postgresql://…` is a database, with at
    most so many `connections`, one for each turn that runs.
    """
    scheme, colon, rest = url.partition(":")
    if scheme == "memory":
        yield SqliteStore()
    elif scheme == "sqlite" and rest.lstrip("/") and rest != ":memory:":
        async with open_sqlite(Path(rest.removeprefix("//"))) as file:
            yield file
    elif scheme in ("postgresql", "postgres"):
        try:
            from soni.store.postgres import open_postgres
        except ImportError as error:
            message = f"Postgres needs the package '{error.name}'."
            raise ConfigError([Problem(message, _WHERE, "Install it: pip install 'soni[postgres]'")]) from None
        async with open_postgres(url, connections=connections) as database:
            yield database
    else:
        message = f"'{scheme}:…' is no address of a store." if colon else f"'{url}' is no address of a store."
        raise ConfigError([Problem(message, _WHERE, "Write memory:, sqlite:PATH or postgresql://USER@HOST/DATABASE.")])
