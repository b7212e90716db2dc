"""Marks in the header of a SQLite file: which database it is, and whether its log belongs to it and is missing.

SQLite commits to a log, the -wal file, and copies the log into the main file from time to time (a checkpoint). Between
two checkpoints the main file alone is a complete database of an older state: without its log it opens, and the newest
turns are missing. So every checkpoint leaves an odd number in the main file, and the first commit to the log after it
makes the number even again. Whoever reads the main file together with its log sees an even number, and so does
whoever reads a copy that SQLite made. Only a main file without its log shows an odd one.
"""

from __future__ import annotations

import secrets
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

if TYPE_CHECKING:
    from pathlib import Path


class Marks(NamedTuple):
    """What the header of a database file says."""

    store_id: int
    """A random number that tells the database from others; 0 in a file that Soni has not opened for writing yet."""
    generation: int
    """How many checkpoints were made."""
    is_incomplete: bool
    """Whether more was committed than the file holds."""


def marks_in(connection: sqlite3.Connection) -> Marks:
    """The marks as a connection sees them."""
    ((store_id,),) = connection.execute("PRAGMA application_id").fetchall()
    number = _number(connection)
    return Marks(store_id, number >> 1, bool(number & 1))


def marks_in_file(path: Path) -> Marks:
    """The marks in the main file alone, without the log; sqlite3.Error if it is no database or was cut off.

    SQLite reads the file. A file that Python opens and closes loses all the locks that this process has on it.
    """
    with closing(sqlite3.connect(f"file:{quote(str(path))}?immutable=1", uri=True)) as connection:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
        return marks_in(connection)


def give_id(connection: sqlite3.Connection) -> None:
    """Give the database its random number, if it has none; part of the transaction that is open."""
    if marks_in(connection).store_id == 0:
        connection.execute(f"PRAGMA application_id = {secrets.randbelow(2**31 - 1) + 1}")


def checkpoint(connection: sqlite3.Connection) -> None:
    """Copy the log into the main file, so that the main file shows that a log belongs to it."""
    mark_incomplete(connection)
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
    mark_complete(connection)


def mark_incomplete(connection: sqlite3.Connection) -> None:
    """Begin a generation; the checkpoint that follows copies this mark into the main file."""
    connection.execute("BEGIN IMMEDIATE")
    with connection:
        connection.execute(f"PRAGMA user_version = {(_number(connection) | 1) + 2}")


def mark_complete(connection: sqlite3.Connection) -> None:
    """Note in the log that nothing is missing."""
    if not marks_in(connection).is_incomplete:
        return
    connection.execute("BEGIN IMMEDIATE")
    with connection:
        connection.execute(f"PRAGMA user_version = {_number(connection) & ~1}")


def is_log_missing(connection: sqlite3.Connection) -> bool:
    """Whether the main file was found without the log that belongs to it.

    A process that dies, or that is just making a checkpoint, leaves an odd number as well, but never an empty log.
    The number is read first: another process that opens the store at this moment cannot be taken for a loss.
    """
    if not marks_in(connection).is_incomplete:
        return False
    ((_, frames, _),) = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
    return bool(frames == 0)


def _number(connection: sqlite3.Connection) -> int:
    ((number,),) = connection.execute("PRAGMA user_version").fetchall()
    return int(number)
