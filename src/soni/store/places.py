"""Where a SQLite store may be opened: what is told, or refused, before and at the opening."""

from __future__ import annotations

import logging
import os
from contextlib import suppress
from typing import TYPE_CHECKING

from soni.errors import ConfigError, Problem
from soni.store.files import locks_of, log_of

if TYPE_CHECKING:
    from pathlib import Path

logger = logging.getLogger(__name__)


def make_room(path: Path) -> None:
    """Find out now, not in a conversation, whether the file can be written."""
    path = path.resolve()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            raise IsADirectoryError(21, "it is a folder")
        if is_orphan(log_of(path), path):
            raise unusable(path, f"it is missing or empty, but its log '{log_of(path)}' is there", damaged=True)
        if locks_of(path).exists() and not path.exists():
            logger.warning(
                "'%s' is made anew. Conversations were kept in a file of this name before, which is gone. If it was "
                "not deleted on purpose, stop, and put a backup in its place (docs/backup.md).",
                path,
            )
        # Only a new file is opened here: closing one that this process has open already would end SQLite's own locks.
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))  # nobody else's business
    except OSError as error:
        raise unusable(path, str(error.strerror)) from None


def is_orphan(log: Path, path: Path) -> bool:
    """Whether a log holds something and its database does not: SQLite would delete the log and begin anew.

    The log is looked at first: whoever makes a new store fills the database before its log.
    """
    return size(log) > 0 and size(path) == 0


def size(path: Path) -> int:
    """The bytes of a file; 0 if it is not there."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def lost_log(path: Path) -> str:
    """What is told of a database that was found without its log."""
    return (
        f"'{path}' was found without its log '{log_of(path).name}', which was deleted or was not copied with it. The "
        "newest turns are missing, although they were answered: conversations stand at an earlier point, and an action "
        "that was done in a missing turn can be done again. If it is a copy, make the copy again with 'soni backup'; "
        "otherwise put a newer backup in its place, if there is one (docs/backup.md)."
    )


def unusable(path: Path | None, reason: str, *, damaged: bool = False) -> ConfigError:
    """The error for a file that conversations cannot be kept in."""
    message = f"conversations cannot be kept in '{path}': {reason}."
    hint = "Put a backup in its place (docs/backup.md), or choose another path." if damaged else "Choose another path."
    return ConfigError([Problem(message, ("settings", "persistence", "path"), hint)])
