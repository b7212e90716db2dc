"""SqliteStore: a file, or memory. One connection on one thread writes the journal and LangGraph's checkpoints.

A turn ends in one transaction with its checkpoint, so SqliteSaver's commits are left to that transaction. Other
processes are kept out of a conversation by a lock on a byte of a file beside the database, which the kernel gives
back when a process dies, however it dies.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from langgraph.checkpoint.sqlite import SqliteSaver

from soni.errors import StoreUnavailable
from soni.store import marks
from soni.store.fail_points import passed
from soni.store.file_locks import FileLocks, taken
from soni.store.files import StoreFiles, is_damage, locks_of
from soni.store.places import lost_log, make_room, unusable
from soni.store.schema import CHECK, MAKE_VERSION_TABLE, READ_VERSION, VERSIONS, steps_from
from soni.store.store import Held, Store, lock_number, thread

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Sequence
    from pathlib import Path

    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.base import BaseCheckpointSaver, Checkpoint, CheckpointTuple

    from soni.store.store import Put, Rows, Statement

logger = logging.getLogger(__name__)

T = TypeVar("T")
_BUSY = 30.0
"""How many seconds a write waits for another process's write to the same file."""
_LOOK = 0.2
"""How many seconds pass between two looks at what other processes have written."""
_CHECKPOINT_EVERY = 128
"""After how many commits the log is copied into the file; they are about as many pages as SQLite itself waits for."""
_MOST_PAGES = 20_000
"""The pages of the log after which SQLite makes a checkpoint by itself, without marks, if commits are very large."""


class SqliteStore(Store):
    """Conversations in a SQLite file; without a path, in memory."""

    def __init__(self, path: Path | None = None, checkpointer: BaseCheckpointSaver[Any] | None = None) -> None:
        super().__init__()
        path = path.resolve() if path else None  # one file, one lock, whatever it is called
        self.shared = path is not None
        self._path = path
        self._thread = ThreadPoolExecutor(1, "soni-sqlite") if path else None
        self._files = StoreFiles(path) if path else None
        self._locks_in_file = FileLocks(locks_of(path)) if path else None
        self._connection = sqlite3.connect(path or ":memory:", check_same_thread=False, timeout=_BUSY)
        self._closing = weakref.finalize(self, self._connection.close)
        self.saver: BaseCheckpointSaver[Any] = checkpointer or _Saver(self._connection, self.run)
        self._own = checkpointer is None
        self._looking: asyncio.Task[None] | None = None
        self._commits = 0
        if path is None:
            self._prepare()

    async def open(self) -> None:
        """Make the tables, or bring them up to date."""
        await self._on_thread(self._prepare)

    @asynccontextmanager
    async def watch(self, conversation: str) -> AsyncIterator[asyncio.Event]:
        async with super().watch(conversation) as event:
            if self.shared and (self._looking is None or self._looking.done()):
                self._looking = asyncio.create_task(self._look())
            yield event

    async def _look(self) -> None:
        """While anybody watches, see now and then what another process has written to the file.

        Rows get higher and higher numbers, unless the highest are deleted; who is missed then looks by himself later.
        """
        version_before, last = None, 0
        while len(self.watchers):
            with suppress(StoreUnavailable):  # the next look may do better
                ((version,),) = (await self.read(("PRAGMA data_version", ())))[0]
                if version != version_before:
                    newest, said = await self.read(
                        ("SELECT coalesce(max(rowid), 0) FROM soni_outbox", ()),
                        ("SELECT DISTINCT conversation FROM soni_outbox WHERE rowid > ?", (last,)),
                    )
                    if version_before is None or newest[0][0] < last:
                        self.watchers.tell_all()  # something may have been written since the watcher looked
                    else:
                        for (conversation,) in said:
                            self.watchers.tell(conversation)
                    version_before, last = version, newest[0][0]
            await asyncio.sleep(_LOOK)

    async def close(self) -> None:
        """Give the file back."""
        if self._looking is not None:
            self._looking.cancel()
            with suppress(asyncio.CancelledError):
                await self._looking
        await self._on_thread(self._close)
        if self._thread:
            self._thread.shutdown(wait=False)
        if self._locks_in_file:
            self._locks_in_file.close()

    def _close(self) -> None:
        if self._files is None:
            self._closing()
            return
        with self._files.left_alone() as is_ours:
            if is_ours:
                with suppress(sqlite3.Error):  # of a file that could not be opened, for one
                    marks.mark_complete(self._connection)
            self._closing()

    def _prepare(self) -> None:
        connection = self._connection
        _keep_a_log(connection)
        connection.execute(f"PRAGMA wal_autocheckpoint = {_MOST_PAGES}")
        if self._path is not None and marks.is_log_missing(connection):
            logger.error("%s", lost_log(self._path))
        connection.execute("PRAGMA synchronous = FULL")  # what is committed outlives a power cut, too
        connection.execute("PRAGMA secure_delete = ON")  # what is erased is gone from the file
        if isinstance(self.saver, SqliteSaver):
            self.saver.setup()
        connection.execute("BEGIN IMMEDIATE")
        with connection:
            connection.execute(MAKE_VERSION_TABLE)
            row = connection.execute(READ_VERSION).fetchone()
            if row is not None and row[0] > len(VERSIONS):
                raise unusable(self._path, f"it was written by a newer Soni (version {row[0]} of the journal)")
            for statement, values in steps_from(row[0] if row else None):
                connection.execute(statement, values)
            if self._path is not None:
                marks.give_id(connection)
        if self._files is not None and self._locks_in_file is not None:
            marks.checkpoint(connection)
            self._files.note(marks.marks_in(connection).store_id, self._locks_in_file.descriptor)

    async def run(self, work: Callable[[], T]) -> T:
        """Do something with the connection, after everything that was begun before, if the files are still ours."""

        def checked() -> T:
            if self._files is not None:
                self._files.check()
            return work()

        try:
            return await self._on_thread(checked)
        except (sqlite3.IntegrityError, sqlite3.ProgrammingError, sqlite3.DataError):
            raise  # our mistake; the file is well
        except sqlite3.Error as error:
            if self._files is not None and is_damage(error):
                raise self._files.broken(f"'{self._path}' was damaged ({error})") from error
            raise StoreUnavailable(f"the conversation could not be kept in '{self._path}': {error}") from error

    async def _on_thread(self, work: Callable[[], T]) -> T:
        if self._thread is None:
            return work()
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def write(self, statements: Sequence[Statement], checkpoint: Put | None = None) -> None:
        """One transaction."""
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        with connection:
            if checkpoint is not None and isinstance(self.saver, SqliteSaver):
                self.saver.put(*checkpoint)
            for statement, values in statements:
                connection.execute(statement, values)
        self._commits += 1
        if self._commits >= _CHECKPOINT_EVERY:
            self._make_checkpoint()

    def _make_checkpoint(self) -> None:
        """Copy the log into the file; if that fails, what was committed is safe in the log."""
        self._commits = 0
        if self._files is None:
            return
        try:
            marks.checkpoint(self._connection)
        except sqlite3.Error as error:
            logger.warning("the log of '%s' could not be copied into it: %s", self._path, error)
        else:
            self._files.check()

    async def read(self, *statements: Statement) -> list[Rows]:
        return await self.run(lambda: [self._connection.execute(*statement).fetchall() for statement in statements])

    async def checkpoint(self, conversation: str, checkpoint_id: str | None) -> CheckpointTuple | None:
        return await self.saver.aget_tuple(thread(conversation, checkpoint_id))

    async def commit(self, what: str, statements: Sequence[Statement]) -> None:
        passed(f"before {what}")
        await self.run(lambda: self.write(statements))
        passed(f"after {what}")

    async def check(self) -> None:
        await self.run(lambda: self.write(CHECK))

    def tidy(self) -> None:
        """Leave nothing of what was deleted in the log beside the file."""
        connection = self._connection
        connection.execute("PRAGMA busy_timeout = 0")  # everybody would wait with us
        try:
            (busy, *_) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        finally:
            connection.execute(f"PRAGMA busy_timeout = {int(_BUSY * 1000)}")
        self._make_checkpoint()
        if busy:
            logger.warning(
                "what was erased stays in '%s-wal' until whoever is reading the file has closed it", self._path
            )

    @asynccontextmanager
    async def _held(self, conversation: str, deadline: float) -> AsyncIterator[SqliteHeld]:
        locks = self._locks_in_file
        place = lock_number(conversation, 62)
        if locks is not None:
            await taken(locks, place, conversation, deadline)
        try:
            yield SqliteHeld(conversation, self, foreign=not self._own)
        finally:
            if locks is not None:
                # On the thread that writes: whatever was begun, by a task since cancelled, lands before the lock goes,
                # and the lock goes also if this task is cancelled while it waits for that.
                await asyncio.shield(asyncio.ensure_future(self._on_thread(lambda: locks.release(place))))


def _keep_a_log(connection: sqlite3.Connection) -> None:
    """Switch a new file to a write-ahead log.

    Of two processes that do it at once, one may wait for a lock that the other keeps for as long as it has the file
    open. So it is tried with little patience, and again: the next try sees that the switch was made.
    """
    deadline = time.monotonic() + _BUSY
    connection.execute("PRAGMA busy_timeout = 100")
    try:
        while True:
            try:
                connection.execute("PRAGMA journal_mode = WAL").fetchall()
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
            else:
                return
    finally:
        connection.execute(f"PRAGMA busy_timeout = {int(_BUSY * 1000)}")


class SqliteHeld(Held):
    """A conversation of a SqliteStore."""

    def __init__(self, conversation: str, store: SqliteStore, *, foreign: bool) -> None:
        super().__init__(conversation, store.saver)
        self._store = store
        self._foreign = store.saver if foreign else None

    async def read(self, *statements: Statement) -> list[Rows]:
        return await self._store.read(*statements)

    async def _commit(self, statements: Sequence[Statement], checkpoint: Put | None, news: bool) -> None:
        if self._foreign is not None and checkpoint is not None:
            await self._foreign.aput(*checkpoint)
        await self._store.run(lambda: self._store.write(statements, checkpoint))
        if news:
            self._store.watchers.tell(self.conversation)

    def other_checkpoints(self, kept: Checkpoint) -> list[Statement]:
        if self._foreign is not None:
            return []
        values = (self.conversation, kept["id"])
        return [
            ("DELETE FROM checkpoints WHERE thread_id = ? AND checkpoint_id <> ?", values),
            ("DELETE FROM writes WHERE thread_id = ? AND checkpoint_id <> ?", values),
        ]

    async def erase(self) -> None:
        if self._foreign is not None:
            await self._foreign.adelete_thread(self.conversation)
            await self.commit("forgetting", self._everything(), news=True)
            return
        await self.commit("forgetting", self._everything("checkpoints", "writes"), news=True)
        await self._store.run(self._store.tidy)


class _Saver(SqliteSaver):
    """LangGraph's saver on our connection and thread; it leaves committing to the transaction that it is part of."""

    def __init__(self, connection: sqlite3.Connection, run: Callable[[Callable[[], Any]], Any]) -> None:
        super().__init__(connection)
        # Not a bound method: the store has to be free to go.
        self._run = weakref.WeakMethod(run)

    @contextmanager
    def cursor(self, transaction: bool = True) -> Iterator[sqlite3.Cursor]:  # as the base class has it
        cursor = self.conn.cursor()
        try:
            yield cursor
        finally:
            cursor.close()

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        run = self._run()
        assert run is not None, "a store outlives its saver"  # noqa: S101
        found: CheckpointTuple | None = await run(lambda: self.get_tuple(config))
        return found


@asynccontextmanager
async def open_sqlite(path: Path) -> AsyncIterator[SqliteStore]:
    """A store in this file, which is made if it is not there."""
    make_room(path)
    try:
        store = SqliteStore(path)
    except sqlite3.Error as error:
        raise unusable(path, str(error)) from None
    try:
        try:
            await store.open()
        except sqlite3.Error as error:
            raise unusable(path, str(error), damaged=is_damage(error)) from None
        yield store
    finally:
        await store.close()
