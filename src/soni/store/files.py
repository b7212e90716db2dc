"""StoreFiles: whether the files of a SQLite store are still those that were opened.

A file that is deleted or replaced stays readable and writable for the process that has it open. Such a process would
go on answering from a database that nobody else sees, and a second process could act on the same messages.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from contextlib import ExitStack, closing, contextmanager, suppress
from typing import TYPE_CHECKING
from urllib.parse import quote

from soni.errors import StoreBroken, StoreUnavailable
from soni.store.marks import marks_in_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from soni.store.marks import Marks

logger = logging.getLogger(__name__)

_PAUSES = (0.01, 0.05, 0.2)
"""Seconds between looks at a file that cannot be read: another process may be writing to it at this moment."""
_PAGES_EVERY = 60.0
"""Seconds between two looks at all the pages of the file."""
_PAGES_LIMIT = 0.1
"""Seconds that such a look may take. A file too large for it does not fit into SQLite's memory either, so that SQLite
soon reads, and refuses, a page that was overwritten."""


def log_of(path: Path) -> Path:
    """The -wal file, where SQLite commits before it writes the database file."""
    return path.with_name(f"{path.name}-wal")


def locks_of(path: Path) -> Path:
    """The file whose bytes are locked, one for each conversation."""
    return path.with_name(f"{path.name}-locks")


class StoreFiles:
    """The database file, its log, the index of the log, and the locks."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._beside = [log_of(path), path.with_name(f"{path.name}-shm"), locks_of(path)]
        self._opened: dict[Path, tuple[int, int]] = {}
        self._changed: tuple[int, int] | None = None
        self._log_size = 0
        self._store_id = 0
        self._marks: Marks | None = None
        self._pages_read_at = -_PAGES_EVERY
        self._error: str | None = None

    def note(self, store_id: int, locks: int) -> None:
        """Remember the files, now that all of them are open; `locks` is the descriptor of the last."""
        self._store_id = store_id
        self._opened = {path: _identity(path.stat()) for path in (self._path, *self._beside)}
        self._opened[locks_of(self._path)] = _identity(os.fstat(locks))
        self.check()

    def check(self) -> None:
        """StoreBroken if a file is not the one that was opened, or the database in it is another or damaged."""
        if self._error is None and self._opened:
            try:
                problem = self._problem()
            except OSError as error:
                raise StoreUnavailable(f"'{self._path}' cannot be looked at: {error.strerror}") from error
            if problem is not None:
                raise self.broken(problem)
        if self._error is not None:
            raise StoreBroken(self._error)

    def broken(self, problem: str) -> StoreBroken:
        """The error for this problem; from here on nothing else is told, until the process is restarted."""
        self._error = (
            f"{problem} while the store was open. Nothing is accepted any more, so that no turn is lost or done twice. "
            "Stop every process that uses the store, put the right file back (docs/backup.md tells how), "
            "and start again."
        )
        logger.critical("%s", self._error)
        return StoreBroken(self._error)

    @contextmanager
    def left_alone(self) -> Iterator[bool]:
        """Let the connection be closed inside the block without a checkpoint, if the files are not ours any more.

        Gives whether they are ours.

        The last connection to a database copies the log into the main file when it is closed, which would damage what
        somebody has put there. SQLite does not do it while another connection is open, nor does a read-only one.
        """
        with suppress(StoreUnavailable):
            self.check()
        if self._error is None or self._are_files_only_missing():
            yield True
            return
        with ExitStack() as stack:
            with suppress(sqlite3.Error):  # where it cannot be opened, SQLite makes no checkpoint either
                reader = stack.enter_context(closing(_reader(self._path)))
                reader.execute("SELECT count(*) FROM sqlite_master").fetchall()
            yield False

    def _problem(self) -> str | None:
        found: dict[Path, os.stat_result] = {}
        for path, opened in self._opened.items():
            status = _look(path)
            if status is None:
                return f"'{path}' was deleted"
            if _identity(status) != opened:
                return f"'{path}' was replaced by another file"
            found[path] = status
        size_before, self._log_size = self._log_size, found[self._beside[0]].st_size
        if _change(found[self._path]) == self._changed and self._log_size >= size_before:
            return None
        return self._problem_inside()

    def _problem_inside(self) -> str | None:
        """What is wrong with the content, now that the main file was written to or the log has become shorter.

        A checkpoint writes to the main file, and erasing a user empties the log; both happen only now and then.
        """
        for pause in (*_PAUSES, None):
            changed = _change(self._path.stat())
            problem = self._problem_with_marks()
            if problem is None:
                self._changed = changed
                return None
            if pause is not None:
                time.sleep(pause)
        return problem

    def _problem_with_marks(self) -> str | None:
        before = self._marks
        try:
            found = marks_in_file(self._path)
            if before == found:
                return self._problem_with_pages()
        except sqlite3.Error as error:
            if is_damage(error):
                return f"'{self._path}' was damaged ({error})"
            raise StoreUnavailable(f"'{self._path}' cannot be looked at: {error}") from error
        if before is not None and found.store_id != self._store_id:
            return f"'{self._path}' was emptied or overwritten with another database"
        if before is not None and found.generation < before.generation:
            return f"'{self._path}' was overwritten with an older copy"
        self._marks = found
        return None

    def _problem_with_pages(self) -> str | None:
        """What SQLite finds when it reads the file and its log; asked when something else than a commit has written.

        A checkpoint of another process may still be going on. SQLite reads around it, with the help of the log.
        """
        began = time.monotonic()
        if began < self._pages_read_at + _PAGES_EVERY:
            return None
        with closing(_reader(self._path)) as reader:
            reader.set_progress_handler(lambda: time.monotonic() > began + _PAGES_LIMIT, 10_000)
            try:
                ((found,),) = reader.execute("PRAGMA quick_check(1)").fetchall()
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
                    raise
                found = "ok"  # as far as there was time to look
        if found != "ok":
            return f"'{self._path}' was damaged ({found})"
        self._pages_read_at = time.monotonic()
        return None

    def _are_files_only_missing(self) -> bool:
        """Whether files beside the database are gone, and nobody has made others or written to the database."""
        main = _look(self._path)
        if main is None or _identity(main) != self._opened[self._path] or _change(main) != self._changed:
            return False
        beside = {path: _look(path) for path in self._beside}
        is_ours = all(found is None or _identity(found) == self._opened[path] for path, found in beside.items())
        return is_ours and None in beside.values()


def is_damage(error: sqlite3.Error) -> bool:
    """Whether SQLite has found something in the files that it cannot have written, or has missed something."""
    code = getattr(error, "sqlite_errorcode", 0)
    return code == sqlite3.SQLITE_IOERR_SHORT_READ or code & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _reader(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)


def _look(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _change(found: os.stat_result) -> tuple[int, int]:
    """What is another after every write; the time of the change cannot be set back, as that of modification can."""
    return found.st_size, found.st_ctime_ns


def _identity(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino
