"""soni backup and soni doctor --store: stores as an operator looks after them."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from bench.postgres import postgres
from typer.testing import CliRunner

from soni.cli.main import app
from soni.store.backup import back_up
from tests.faults.assistant import TURNS, USER
from tests.faults.worker import Operation, Place, do


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A store with a conversation that stands at a question."""
    place = Place(f"sqlite:{tmp_path}/c.db", tmp_path)
    for text in TURNS[:3]:
        asyncio.run(do(place, Operation("say", text, text)))
    return place


def soni(*words: str) -> Any:
    return CliRunner().invoke(app, list(words))


async def turn_in(file: Path, place: Place) -> int:
    async with Place(f"sqlite:{file}", place.folder).loop() as loop:
        return (await loop.get_state(USER))["turn"]


def test_a_store_in_use_is_copied_into_one_file_that_can_be_used(place: Place, tmp_path: Path) -> None:
    backup = tmp_path / "backup.db"

    async def copy_in_use() -> Any:
        async with place.loop() as loop:
            await loop.run_turn("yes", user_id=USER)
            return await asyncio.to_thread(soni, "backup", str(backup), "--store", place.url)

    told = asyncio.run(copy_in_use())
    assert told.exit_code == 0, told.output
    assert "backup.db: 0." in told.output
    assert backup.stat().st_mode & 0o077 == 0, "nobody else may read it"
    assert [file.name for file in tmp_path.glob("backup.db*")] == ["backup.db"]
    assert asyncio.run(turn_in(backup, place)) == 4


def test_what_is_written_during_a_backup_does_not_get_into_it(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("soni.store.backup._PAGES", 1)
    steps: list[int] = []

    def write(left: int, pages: int) -> None:
        steps.append(left)
        with closing(sqlite3.connect(tmp_path / "c.db")) as other:
            other.execute("UPDATE soni_conversations SET turn = turn + 1")
            other.commit()

    back_up(tmp_path / "c.db", tmp_path / "backup.db", write)
    assert steps == sorted(steps, reverse=True), "it did not begin again"
    with closing(sqlite3.connect(tmp_path / "backup.db")) as copy:
        assert copy.execute("SELECT turn FROM soni_conversations").fetchall() == [(3,)]
        assert copy.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_a_backup_overwrites_nothing(place: Place, tmp_path: Path) -> None:
    (tmp_path / "backup.db").write_text("precious")
    told = soni("backup", str(tmp_path / "backup.db"), "--store", place.url)
    assert told.exit_code == 1
    assert "a backup overwrites nothing" in told.output
    assert (tmp_path / "backup.db").read_text() == "precious"


@pytest.mark.parametrize(
    ("store", "target", "told"),
    [
        ("sqlite:{}/c.db", "nowhere/backup.db", "could not be written: No such file or directory"),
        ("sqlite:{}/none.db", "backup.db", "there is no store"),
        ("sqlite:{}/assistant.yaml", "backup.db", "cannot be read: file is not a database"),
        ("memory:", "backup.db", "keeps conversations in memory"),
        ("postgresql://me@host/db", "backup.db", "Use pg_dump"),
    ],
)
def test_a_backup_that_cannot_be_made_says_why(
    place: Place, tmp_path: Path, store: str, target: str, told: str
) -> None:
    found = soni("backup", str(tmp_path / target), "--store", store.format(tmp_path))
    assert found.exit_code == 1
    assert told in found.output
    assert not list(tmp_path.glob("backup.db*"))


def test_the_doctor_finds_a_store_well_and_leaves_it_alone(place: Place, tmp_path: Path) -> None:
    before = (tmp_path / "c.db").read_bytes()
    told = soni("doctor", "--store", place.url)
    assert (told.exit_code, "nothing is missing or damaged" in told.output) == (0, True), told.output
    assert (tmp_path / "c.db").read_bytes() == before


def test_the_doctor_misses_the_log_of_a_copy(place: Place, tmp_path: Path) -> None:
    async def copy_alone() -> None:
        async with place.loop() as loop:
            await loop.run_turn("yes", user_id=USER)
            shutil.copy(tmp_path / "c.db", tmp_path / "alone.db")

    asyncio.run(copy_alone())
    for _ in range(2):
        told = soni("doctor", "--store", f"sqlite:{tmp_path}/alone.db")
        assert told.exit_code == 1
        assert "without its log 'alone.db-wal'" in told.output.replace("\n", " ")


def test_the_doctor_finds_damage(place: Place, tmp_path: Path) -> None:
    content = (tmp_path / "c.db").read_bytes()
    (tmp_path / "c.db").write_bytes(content[:4096] + b"\xa5" * (len(content) - 4096))
    told = soni("doctor", "--store", place.url)
    assert told.exit_code == 1
    assert "c.db' " in told.output


@pytest.mark.parametrize(
    ("store", "told"), [("sqlite:none.db", "there is no store"), ("memory:", "nothing to look at"), ("x", "no address")]
)
def test_the_doctor_says_what_is_no_store(store: str, told: str) -> None:
    found = soni("doctor", "--store", store)
    assert found.exit_code == 1
    assert told in found.output


def test_the_doctor_looks_at_postgres(tmp_path: Path) -> None:
    place = Place(postgres().new_database(), tmp_path)
    told = soni("doctor", "--store", place.url)
    assert told.exit_code == 1
    assert "no conversations have been kept in this database yet" in told.output
    asyncio.run(do(place, Operation("say", "send")))
    assert soni("doctor", "--store", place.url).exit_code == 0
