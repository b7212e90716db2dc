"""Copies of a SQLite store that is in use, and whether a file that is not open is well."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from urllib.parse import quote

from soni.errors import ConfigError, Problem
from soni.store.files import log_of
from soni.store.marks import marks_in
from soni.store.places import is_orphan, lost_log, size

if TYPE_CHECKING:
    from collections.abc import Callable

_PAGES = 500
"""How many pages are copied between two words about progress."""
_WHERE = ("backup",)


def back_up(source: Path, target: Path, told: Callable[[int, int], None]) -> int:
    """Copy the conversations of a store, also one that is in use, as they stand now; the bytes of the copy.

    The target must not exist; it gets its name when the copy is complete. `told` hears how many pages are still to be
    copied, and how many there are.
    """
    problems = problems_in(source)
    if problems:
        raise ConfigError([Problem(problem, _WHERE) for problem in problems])
    if target.exists():
        raise _refused(f"'{target}' exists, and a backup overwrites nothing.", "Choose another name.")
    try:
        # A folder that nobody else can read, beside the target: the copy only has to be renamed.
        with TemporaryDirectory(dir=target.parent, prefix=f"{target.name}.") as folder:
            unfinished = Path(folder, target.name)
            os.close(os.open(unfinished, os.O_RDWR | os.O_CREAT, 0o600))
            _copy(source, unfinished, told)
            unfinished.rename(target)
        return size(target)
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or error
        message = f"the backup '{target}' could not be written: {reason}."
        raise _refused(message, "Is the folder there, with room in it?") from None


def _copy(source: Path, target: Path, told: Callable[[int, int], None]) -> None:
    with closing(_connected(source, "rw")) as reader, closing(sqlite3.connect(target)) as writer:
        # All of it in one transaction: what is written meanwhile does not make the copy begin again.
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM sqlite_master").fetchall()
        reader.backup(writer, pages=_PAGES, progress=lambda _, left, pages: told(left, pages))
        writer.execute("PRAGMA journal_mode = DELETE")  # no files beside the copy


def problems_in(path: Path) -> list[str]:
    """What is wrong with the file of a store, which is only read: it is damaged, or its log is missing."""
    path = path.resolve()
    log = log_of(path)
    if is_orphan(log, path):
        return [f"'{path}' is missing or empty, but its log '{log}' is there."]
    if not path.exists():
        return [f"there is no store '{path}'."]
    try:
        with closing(_connected(path, "ro")) as reader:
            found = [
                f"'{path}' is damaged: {row}." for (row,) in reader.execute("PRAGMA quick_check(1)") if row != "ok"
            ]
            is_incomplete = marks_in(reader).is_incomplete
    except sqlite3.Error as error:
        return [f"'{path}' cannot be read: {error}."]
    if is_incomplete and not size(log):
        found.append(lost_log(path))
    return found


def _connected(path: Path, mode: str) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{quote(str(path))}?mode={mode}", uri=True, timeout=30.0)


def _refused(message: str, hint: str) -> ConfigError:
    return ConfigError([Problem(message, _WHERE, hint)])
