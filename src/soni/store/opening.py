"""open_store: a place to keep conversations, by its address."""

from __future__ import annotations

from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from soni.errors import ConfigError, Problem
from soni.store.backup import problems_in
from soni.store.sqlite import SqliteStore, open_sqlite

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from types import ModuleType

    from soni.store.store import Store

_WHERE = ("settings", "persistence")


@asynccontextmanager
async def open_store(url: str, *, connections: int = 16) -> AsyncIterator[Store]:
    """The store at an address, open while the block runs.

    `memory:` is gone with the process; `sqlite:conversations.db` is a file; `postgresql://…` is a database, with at
    most so many `connections`, one for each turn that runs.
    """
    match _kind(url):
        case "memory":
            yield SqliteStore()
        case "sqlite":
            async with open_sqlite(path_of(url)) as file:
                yield file
        case "postgres":
            async with _postgres().open_postgres(url, connections=connections) as database:
                yield database


async def problems_of(url: str) -> list[str]:
    """What is wrong with the store at an address, which is only read."""
    try:
        match _kind(url):
            case "memory":
                return ["conversations in memory are gone with the process; there is nothing to look at."]
            case "sqlite":
                return problems_in(path_of(url))
            case "postgres":
                await _postgres().check_postgres(url)
    except ConfigError as error:
        return [str(problem) for problem in error.problems]
    return []


def path_of(url: str) -> Path:
    """The file of a SQLite store."""
    return Path(url.removeprefix("sqlite:").removeprefix("//"))


def _kind(url: str) -> Literal["memory", "sqlite", "postgres"]:
    scheme, colon, rest = url.partition(":")
    if scheme == "memory":
        return "memory"
    if scheme == "sqlite" and rest.lstrip("/") and rest != ":memory:":
        return "sqlite"
    if scheme in ("postgresql", "postgres"):
        return "postgres"
    message = f"'{scheme}:…' is no address of a store." if colon else f"'{url}' is no address of a store."
    raise ConfigError([Problem(message, _WHERE, "Write memory:, sqlite:PATH or postgresql://USER@HOST/DATABASE.")])


def _postgres() -> ModuleType:
    try:
        from soni.store import postgres
    except ImportError as error:
        message = f"Postgres needs the package '{error.name}'."
        raise ConfigError([Problem(message, _WHERE, "Install it: pip install 'soni[postgres]'")]) from None
    return postgres
