"""PostgresStore: conversations in Postgres, for several processes and machines.

A conversation is held by an advisory lock on the very connection that writes its turn: a worker that lost its
connection has lost the lock and the means to write at once.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

import psycopg
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from soni.errors import ConfigError, Problem, StoreUnavailable
from soni.store.fail_points import passed
from soni.store.schema import CHECK, MAKE_VERSION_TABLE, READ_VERSION, VERSIONS, steps_from
from soni.store.store import Held, Store, busy, lock_number, thread

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence

    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.base import Checkpoint, CheckpointTuple
    from psycopg.abc import QueryNoTemplate

    from soni.store.store import Put, Rows, Statement

    Connection = psycopg.AsyncConnection[tuple[Any, ...]]
    Pool = AsyncConnectionPool[Connection]

T = TypeVar("T")
_CONNECT = 5.0
"""How many seconds a free connection is waited for at least."""
_CHANNEL = "soni"
"""Where the names of conversations are called out in which something was said."""
_SETUP = 0x50C1
"""The number under which stores that are opened at the same time wait for each other."""


class PostgresStore(Store):
    """Conversations in a Postgres database."""

    shared = True

    def __init__(self, pool: Pool, url: str) -> None:
        super().__init__()
        self._pool = pool
        self._url = url
        self._listening: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def watch(self, conversation: str) -> AsyncIterator[asyncio.Event]:
        async with super().watch(conversation) as event:
            if self._listening is None or self._listening.done():
                self._listening = asyncio.create_task(self._listen())
            yield event

    async def _listen(self) -> None:
        """Hear of what any process writes, on a connection that is there for nothing else."""
        while True:
            with suppress(psycopg.Error, OSError):
                async with await psycopg.AsyncConnection.connect(self._url, autocommit=True) as connection:
                    await connection.execute(f"LISTEN {_CHANNEL}")
                    self.watchers.tell_all()  # about what was said while nobody listened
                    async for notification in connection.notifies():
                        self.watchers.tell(notification.payload)
            await asyncio.sleep(1.0)

    async def close(self) -> None:
        """Stop listening, and give the connections back."""
        if self._listening is not None:
            self._listening.cancel()
            with suppress(asyncio.CancelledError):
                await self._listening
        await self._pool.close()

    async def open(self) -> None:
        """Make the tables, or bring them up to date."""
        async with self._connection(30.0) as connection:
            # Asked again and again: one that waits inside of a statement would be in the way of making an index.
            while not (await _read(connection, [("SELECT pg_try_advisory_lock(?)", (_SETUP,))]))[0][0][0]:  # noqa: ASYNC110  # nobody tells
                await asyncio.sleep(0.05)
            try:  # a start that is given up closes the pool, and with it this connection
                await AsyncPostgresSaver(cast("Any", connection)).setup()
                async with connection.transaction():
                    await connection.execute(MAKE_VERSION_TABLE)
                    row = await (await connection.execute(READ_VERSION)).fetchone()
                    if row is not None and row[0] > len(VERSIONS):
                        reason = f"the database was written by a newer Soni (version {row[0]} of the journal)."
                        raise ConfigError([Problem(reason, ("settings", "persistence"), "Update Soni.")])
                    for statement, values in steps_from(row[0] if row else None):
                        await connection.execute(_postgres(statement), values)
            finally:
                await connection.execute("SELECT pg_advisory_unlock(%s)", (_SETUP,))

    async def read(self, *statements: Statement) -> list[Rows]:
        return await self._looked(lambda connection: _read(connection, statements))

    async def checkpoint(self, conversation: str, checkpoint_id: str | None) -> CheckpointTuple | None:
        wanted = thread(conversation, checkpoint_id)
        return await self._looked(lambda connection: AsyncPostgresSaver(cast("Any", connection)).aget_tuple(wanted))

    async def _looked(self, look: Callable[[Connection], Awaitable[T]]) -> T:
        """Look something up; after a restart of the server every connection there was is dead, and others are made."""
        try:
            async with self._connection(30.0) as connection:
                return await look(connection)
        except StoreUnavailable as error:
            if not error.lost:
                raise
        await self._pool.check()
        async with self._connection(30.0) as connection:
            return await look(connection)

    async def commit(self, what: str, statements: Sequence[Statement]) -> None:
        passed(f"before {what}")
        async with self._connection(30.0) as connection, connection.transaction():
            for statement, values in statements:
                await connection.execute(_postgres(statement), values)
        passed(f"after {what}")

    async def check(self) -> None:
        async def write(connection: Connection) -> None:
            async with connection.transaction():
                for statement, values in CHECK:
                    await connection.execute(_postgres(statement), values)

        await self._looked(write)

    async def force(self, conversation: str) -> bool:
        number = _number(conversation) & 0xFFFF_FFFF_FFFF_FFFF
        ended = (
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_locks WHERE locktype = 'advisory' AND granted AND "
            "objsubid = 1 AND classid = ? AND objid = ? AND pid <> pg_backend_pid() AND "
            "database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        )
        rows = await self.read((ended, (number >> 32, number & 0xFFFF_FFFF)))
        return any(row[0] for row in rows[0])

    @asynccontextmanager
    async def _held(self, conversation: str, deadline: float) -> AsyncIterator[PostgresHeld]:
        clock, number = asyncio.get_running_loop().time, _number(conversation)
        begun = clock()
        # Who does not want to wait for the conversation may still have to wait for a connection.
        async with self._connection(max(deadline - begun, _CONNECT)) as connection:
            try:
                taken = await _taken(connection, number, deadline)
            except BaseException:
                await connection.close()  # with it goes the lock, if it was given after all
                raise
            if not taken:
                raise busy(conversation, clock() - begun)
            try:
                yield PostgresHeld(conversation, connection)
            finally:
                try:
                    await connection.execute("SELECT pg_advisory_unlock(%s)", (number,))
                except psycopg.Error:
                    await connection.close()
                except BaseException:
                    await connection.close()
                    raise

    @asynccontextmanager
    async def _connection(self, wait: float) -> AsyncIterator[Connection]:
        try:
            with _translated():
                async with self._pool.connection(timeout=wait) as connection:
                    yield connection
        except PoolTimeout:
            raise StoreUnavailable(f"no connection to Postgres was free within {wait:.3g} seconds") from None


class PostgresHeld(Held):
    """A conversation of a PostgresStore, with the connection that holds it."""

    def __init__(self, conversation: str, connection: Connection) -> None:
        inner = _Saver(cast("Any", connection))
        super().__init__(conversation, inner)
        self._connection = connection
        self._inner = inner
        self._writing = asyncio.Lock()

    async def read(self, *statements: Statement) -> list[Rows]:
        async with self._writing:
            with _translated():
                return await _read(self._connection, statements)

    async def _commit(self, statements: Sequence[Statement], checkpoint: Put | None, news: bool) -> None:
        connection = self._connection
        if news:  # heard by all processes once this is committed
            statements = [*statements, ("SELECT pg_notify(?, ?)", (_CHANNEL, self.conversation))]
        async with self._writing:
            with _translated():
                if len(statements) == 1 and checkpoint is None:
                    await connection.execute(_postgres(statements[0][0]), statements[0][1])
                    return
                async with connection.pipeline(), connection.transaction():
                    if checkpoint is not None:
                        await self._inner.aput(*checkpoint)
                    for statement, values in statements:
                        await connection.execute(_postgres(statement), values)

    def other_checkpoints(self, kept: Checkpoint) -> list[Statement]:
        versions = kept["channel_versions"]
        others = (self.conversation, kept["id"])
        return [
            ("DELETE FROM checkpoints WHERE thread_id = ? AND checkpoint_id <> ?", others),
            ("DELETE FROM checkpoint_writes WHERE thread_id = ? AND checkpoint_id <> ?", others),
            (
                "DELETE FROM checkpoint_blobs b WHERE thread_id = ? AND NOT EXISTS (SELECT 1 FROM "
                "unnest(?::text[], ?::text[]) AS kept (channel, version) "
                "WHERE kept.channel = b.channel AND kept.version = b.version)",
                (self.conversation, list(versions), [str(version) for version in versions.values()]),
            ),
        ]

    async def erase(self) -> None:
        tables = ("checkpoints", "checkpoint_writes", "checkpoint_blobs")
        await self.commit("forgetting", self._everything(*tables), news=True)


class _Saver(AsyncPostgresSaver):
    """LangGraph's saver; what goes wrong with the database is told in our words."""

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        with _translated():
            return await super().aget_tuple(config)


@contextmanager
def _translated() -> Iterator[None]:
    """Errors of the database as what they mean for a conversation."""
    try:
        yield
    except PoolTimeout:
        raise
    except psycopg.errors.ReadOnlySqlTransaction as error:  # a replica, or a server that was set so
        raise StoreUnavailable(f"the conversation could not be kept in Postgres: {error}") from error
    except (psycopg.OperationalError, psycopg.InterfaceError) as error:
        # Others are our own mistakes; the database is well.
        raise StoreUnavailable(f"the conversation could not be kept in Postgres: {error}", lost=True) from error


async def _taken(connection: Connection, number: int, deadline: float) -> bool:
    """Whether the lock was given before the deadline."""
    if (await _read(connection, [("SELECT pg_try_advisory_lock(?)", (number,))]))[0][0][0]:
        return True
    left = int((deadline - asyncio.get_running_loop().time()) * 1000)
    if left <= 0:
        return False
    await _read(connection, [("SELECT set_config('lock_timeout', ?, false)", (f"{left}ms",))])
    try:
        await _read(connection, [("SELECT pg_advisory_lock(?)", (number,))])
    except psycopg.errors.LockNotAvailable:
        return False
    finally:
        await _read(connection, [("SELECT set_config('lock_timeout', '0', false)", ())])
    return True


async def _read(connection: Connection, statements: Sequence[Statement]) -> list[Rows]:
    return [
        await (await connection.execute(_postgres(statement), values)).fetchall() for statement, values in statements
    ]


def _number(conversation: str) -> int:
    return lock_number(conversation, 64) - (1 << 63)


@cache
def _postgres(statement: str) -> QueryNoTemplate:
    return statement.replace("?", "%s").encode()


@asynccontextmanager
async def open_postgres(url: str, *, connections: int) -> AsyncIterator[PostgresStore]:
    """A store in this database; each turn that runs has one of the connections."""
    options: dict[str, Any] = {"autocommit": True, "prepare_threshold": 0}
    pool: Pool = AsyncConnectionPool(url, kwargs=options, min_size=1, max_size=connections, open=False, name="soni")
    try:
        # Alone first: a pool only tells that it did not get anywhere.
        async with await psycopg.AsyncConnection.connect(url, connect_timeout=10):
            pass
        await pool.open(wait=True, timeout=10)
        store = PostgresStore(pool, url)
        await store.open()
    except (PoolTimeout, psycopg.Error, StoreUnavailable) as error:
        await pool.close()
        raise _unreachable(url, str(error)) from None
    try:
        yield store
    finally:
        await store.close()


async def check_postgres(url: str) -> None:
    """ConfigError if no conversations are kept in this database, or it cannot be reached; it is only read."""
    try:
        async with await psycopg.AsyncConnection.connect(url, connect_timeout=10) as connection:
            await connection.execute(READ_VERSION)
    except psycopg.errors.UndefinedTable:
        raise _unreachable(url, "no conversations have been kept in this database yet") from None
    except psycopg.Error as error:
        raise _unreachable(url, str(error)) from None


def _unreachable(url: str, reason: str) -> ConfigError:
    try:
        parts = psycopg.conninfo.conninfo_to_dict(url)
    except psycopg.Error:  # what it says holds a piece of the address, which may be the password
        message = "the address of Postgres cannot be read."
        hint = "Write postgresql://USER:PASSWORD@HOST/DATABASE, with %40 for an @ in the password, and so on."
        return ConfigError([Problem(message, ("settings", "persistence"), hint)])
    shown = " ".join(f"{name}={value}" for name, value in parts.items() if name != "password")
    message = f"conversations cannot be kept in Postgres ({shown}): {reason.strip()}."
    return ConfigError([Problem(message, ("settings", "persistence"), "Is the address right, and the server up?")])
