"""Checkpointers by setting: in memory, or in a SQLite file."""

from __future__ import annotations

import sqlite3
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from soni.errors import ConfigError, Problem

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from langgraph.checkpoint.base import BaseCheckpointSaver

    from soni.config.models import PersistenceConfig


@asynccontextmanager
async def open_checkpointer(persistence: PersistenceConfig) -> AsyncIterator[BaseCheckpointSaver[Any]]:
    """The saver that the settings ask for, open while the block runs."""
    if persistence.backend == "memory":
        yield InMemorySaver()
        return
    _make_room(Path(persistence.path))
    async with AsyncSqliteSaver.from_conn_string(persistence.path) as saver:
        try:
            await saver.setup()
        except sqlite3.DatabaseError as error:
            raise _unusable(Path(persistence.path), str(error)) from None
        yield saver


def _make_room(path: Path) -> None:
    """Find out now, not in a conversation, whether the file can be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)  # conversations are nobody else's business
    except OSError as error:
        raise _unusable(path, str(error.strerror)) from None


def _unusable(path: Path, reason: str) -> ConfigError:
    message = f"conversations cannot be kept in '{path}': {reason}."
    return ConfigError([Problem(message, ("settings", "persistence", "path"), "Choose another path.")])
