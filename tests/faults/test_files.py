"""The files of a SQLite store, when somebody deletes, replaces, overwrites or copies them."""

from __future__ import annotations

import asyncio
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from soni import RuntimeLoop
from soni.errors import ConfigError, StoreBroken, StoreUnavailable
from soni.store import fail_points, marks, open_store, sqlite
from tests.faults.assistant import TURNS, USER
from tests.faults.worker import Place

GONE = "Nothing is accepted any more"
LOST = "without its log"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """An empty folder for a store."""
    return place_in(tmp_path / "here")


@pytest.fixture
def _checkpoint_after_every_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "_CHECKPOINT_EVERY", 1)


def place_in(folder: Path) -> Place:
    folder.mkdir()
    return Place(f"sqlite:{folder}/c.db", folder)


def files(place: Place) -> list[Path]:
    return sorted(place.folder.glob("c.db*"))


async def talk(loop: RuntimeLoop, turns: tuple[str, ...] = TURNS, user_id: str = USER) -> None:
    for text in turns:
        await loop.run_turn(text, user_id=user_id, message_id=text)


@asynccontextmanager
async def asked(place: Place) -> AsyncIterator[RuntimeLoop]:
    """A conversation that stands at the question whether to pay."""
    async with place.loop() as loop:
        await talk(loop, TURNS[:3])
        yield loop


def delete(*names: str) -> Callable[[Path], None]:
    def work(folder: Path) -> None:
        for name in names:
            (folder / name).unlink()

    return work


def replace_database(folder: Path) -> None:
    copy = folder / "copy"
    shutil.copy(folder / "c.db", copy)
    copy.rename(folder / "c.db")


def replace_locks(folder: Path) -> None:
    (folder / "c.db-locks").unlink()
    (folder / "c.db-locks").touch()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (delete("c.db"), "c.db' was deleted"),
        (delete("c.db", "c.db-wal", "c.db-shm"), "c.db' was deleted"),
        (replace_database, "c.db' was replaced by another file"),
        (delete("c.db-locks"), "c.db-locks' was deleted"),
        (replace_locks, "c.db-locks' was replaced by another file"),
        (delete("c.db-wal"), "c.db-wal' was deleted"),
        (delete("c.db-shm"), "c.db-shm' was deleted"),
    ],
    ids=[
        "database deleted",
        "all deleted",
        "replaced",
        "locks deleted",
        "locks replaced",
        "log deleted",
        "shm deleted",
    ],
)
async def test_a_turn_is_refused_when_a_file_is_not_the_one_that_was_opened(
    place: Place, change: Callable[[Path], None], told: str
) -> None:
    async with asked(place) as loop:
        change(place.folder)
        with pytest.raises(StoreBroken, match=GONE) as error:
            await loop.run_turn("yes", user_id=USER)
        assert told in str(error.value)
        assert "start again" in str(error.value)
        with pytest.raises(StoreBroken, match=GONE):
            await loop.messages_since(USER)
        assert place.witness.lines("paid") == []


async def test_a_file_that_comes_back_is_not_trusted_before_a_restart(place: Place) -> None:
    async with asked(place) as loop:
        (place.folder / "c.db").rename(place.folder / "elsewhere")
        with pytest.raises(StoreBroken, match="was deleted"):
            await loop.run_turn("yes", user_id=USER)
        (place.folder / "elsewhere").rename(place.folder / "c.db")
        with pytest.raises(StoreBroken, match="was deleted"):
            await loop.run_turn("yes", user_id=USER)
    async with place.loop() as loop:
        assert (await loop.run_turn("yes", user_id=USER)).text == "Sent…\nDone: T1."


async def test_a_turn_that_loses_its_file_is_not_answered(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def passing(point: str) -> None:
        if point == "after paying":
            (place.folder / "c.db").unlink()

    async with asked(place) as loop:
        monkeypatch.setattr(fail_points, "passing", passing)
        with pytest.raises(StoreBroken, match="was deleted"):
            await loop.run_turn("yes", user_id=USER)


async def test_a_message_is_not_acted_on_twice_when_the_file_is_deleted_and_made_anew(place: Place) -> None:
    async with place.loop() as loop:
        await talk(loop)
        delete("c.db", "c.db-wal", "c.db-shm")(place.folder)
        async with place.loop() as other:
            assert await other.messages_since(USER) == [], "the new file knows nothing"
            with pytest.raises(StoreBroken):
                await talk(loop)
    assert len(place.witness.lines("paid")) == 1


def overwrite(path: Path, content: bytes) -> None:
    """Write into the file that is there, as cp does."""
    with path.open("r+b") as file:
        file.truncate(0)
        file.write(content)


def spoilt(content: bytes) -> bytes:
    """Everything after the first page is nonsense."""
    return content[:4096] + b"\xa5" * (len(content) - 4096)


@pytest.mark.parametrize(
    "spoil",
    [lambda content: b"\xa5" * len(content), lambda content: b"", lambda content: content[: len(content) // 2], spoilt],
    ids=["garbage", "emptied", "cut off", "garbage after the first page"],
)
async def test_a_turn_is_refused_when_the_file_is_overwritten(place: Place, spoil: Callable[[bytes], bytes]) -> None:
    async with place.loop() as loop:
        await talk(loop, TURNS[:3])
    async with place.loop() as loop:
        overwrite(place.folder / "c.db", spoil((place.folder / "c.db").read_bytes()))
        with pytest.raises(StoreBroken, match=r"was damaged|was emptied"):
            await loop.run_turn("yes", user_id=USER)
        with pytest.raises(StoreBroken, match=r"was damaged|was emptied"):
            await loop.run_turn("send", user_id="somebody new")
    assert place.witness.lines("paid") == []


@pytest.mark.parametrize("part", [0, 2], ids=["emptied", "cut off"])
async def test_a_turn_is_refused_when_the_log_is_cut_off(place: Place, part: int) -> None:
    async with asked(place) as loop:
        log = place.folder / "c.db-wal"
        os.truncate(log, log.stat().st_size // part if part else 0)
        with pytest.raises(StoreBroken, match="was damaged"):
            await loop.run_turn("yes", user_id=USER)
    assert place.witness.lines("paid") == []


async def test_a_damaged_page_that_only_sqlite_sees_ends_the_turn_in_the_same_way(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("soni.store.files._PAGES_LIMIT", -1.0)
    async with place.loop() as loop:
        await talk(loop, TURNS[:3])
    async with place.loop() as loop:
        overwrite(place.folder / "c.db", spoilt((place.folder / "c.db").read_bytes()))
        with pytest.raises(StoreBroken, match="was damaged"):
            await loop.run_turn("yes", user_id=USER)
    assert place.witness.lines("paid") == []


async def test_an_older_copy_of_the_file_is_not_answered_from(place: Place, tmp_path: Path) -> None:
    async with place.loop() as loop:
        await talk(loop, TURNS[:2])
    older = (place.folder / "c.db").read_bytes()
    async with asked(place) as loop:
        overwrite(place.folder / "c.db", older)
        with pytest.raises(StoreBroken, match="was overwritten with an older copy"):
            await loop.run_turn("yes", user_id=USER)


async def test_the_file_of_another_store_is_not_answered_from(place: Place, tmp_path: Path) -> None:
    other = place_in(tmp_path / "other")
    for _ in range(3):
        async with other.loop() as loop:
            await talk(loop, ("send",), "bob")
    async with asked(place) as loop:
        overwrite(place.folder / "c.db", (other.folder / "c.db").read_bytes())
        with pytest.raises(StoreBroken, match="was emptied or overwritten with another database"):
            await loop.run_turn("yes", user_id=USER)


async def test_closing_leaves_a_file_alone_that_somebody_has_put_there(place: Place) -> None:
    async with place.loop() as loop:
        await talk(loop, TURNS[:2])
    older = (place.folder / "c.db").read_bytes()
    async with asked(place):
        (place.folder / "c.db-wal").unlink()
        overwrite(place.folder / "c.db", older)
    assert (place.folder / "c.db").read_bytes() == older
    async with place.loop() as loop:
        assert (await loop.get_state(USER))["turn"] == 2


async def test_closing_leaves_alone_what_another_process_has_added(place: Place) -> None:
    """A process of its own: two connections in one process would share the files that are gone."""
    work = "import sqlite3; c = sqlite3.connect('c.db'); c.execute('CREATE TABLE other (x)'); c.commit(); c.close()"
    async with asked(place):
        delete("c.db-wal", "c.db-shm")(place.folder)
        await asyncio.to_thread(subprocess.run, [sys.executable, "-c", work], cwd=place.folder, check=True)
    with closing(sqlite3.connect(place.folder / "c.db")) as tool:
        assert tool.execute("SELECT * FROM other").fetchall() == []
        assert tool.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


async def test_what_was_committed_to_a_deleted_log_is_saved_when_the_store_is_closed(place: Place) -> None:
    async with asked(place) as loop:
        said = await loop.messages_since(USER)
        delete("c.db-wal", "c.db-shm", "c.db-locks")(place.folder)
        with pytest.raises(StoreBroken):
            await loop.run_turn("yes", user_id=USER)
    async with place.loop() as loop:
        assert await loop.messages_since(USER) == said
        assert (await loop.run_turn("yes", user_id=USER)).text == "Sent…\nDone: T1."


async def test_a_file_that_cannot_be_looked_at_for_a_moment_is_not_taken_for_damage(place: Place) -> None:
    """As when a process has as many files open as it may."""
    async with asked(place) as loop:
        (place.folder / "c.db").chmod(0o640)  # so that it is looked at again
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
        try:
            with pytest.raises(StoreUnavailable, match="cannot be looked at") as error:
                await loop.run_turn("yes", user_id=USER)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        assert not isinstance(error.value, StoreBroken)
        assert (await loop.run_turn("yes", user_id=USER)).text == "Sent…\nDone: T1."


@pytest.mark.usefixtures("_checkpoint_after_every_commit")
async def test_what_others_may_do_to_the_file_is_not_taken_for_damage(
    place: Place, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = place.folder / "c.db"
    async with place.loop() as loop, place.loop() as other:
        await talk(loop, user_id="a")
        await talk(other, user_id="b")
        for statement in ("PRAGMA wal_checkpoint(TRUNCATE)", "VACUUM", "ANALYZE"):
            with closing(sqlite3.connect(file)) as tool:
                tool.execute(statement)
            await talk(loop, ("send",), user_id=statement)
        file.chmod(0o640)
        await loop.forget("a")
        await talk(loop, ("send",), user_id="a")
        os.link(file, tmp_path / "hard link")
        await talk(other, ("send",), user_id="c")
    assert caplog.messages == []


def copied(place: Place, folder: Path, *names: str) -> Place:
    """What a killed process, or a person who copies files, leaves."""
    there = place_in(folder)
    for name in names:
        shutil.copy(place.folder / name, there.folder / name)
    return there


async def opened(place: Place) -> int:
    """Start on this store; how far the conversation has got."""
    async with place.loop() as loop:
        return (await loop.get_state(USER))["turn"]


ALL = ("c.db", "c.db-wal", "c.db-shm", "c.db-locks")


@pytest.mark.parametrize("every", [1, 3, 128])
async def test_a_store_that_is_opened_without_its_log_says_so(
    place: Place, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, every: int
) -> None:
    monkeypatch.setattr(sqlite, "_CHECKPOINT_EVERY", every)
    async with place.loop() as loop:
        for number, text in enumerate(TURNS[:3]):
            await talk(loop, (text,))
            killed = copied(place, tmp_path / f"killed {number}", *ALL)
            alone = copied(place, tmp_path / f"alone {number}", "c.db")
            empty = copied(place, tmp_path / f"empty {number}", *ALL)
            (empty.folder / "c.db-wal").write_bytes(b"")
            garbage = copied(place, tmp_path / f"garbage {number}", *ALL)
            (garbage.folder / "c.db-wal").write_bytes(b"\xa5" * 50_000)
            assert await opened(killed) == number + 1
            assert caplog.messages == []
            for lost in (alone, empty, garbage):
                await opened(lost)
                assert [LOST in message for message in caplog.messages] == [True], lost.folder.name
                caplog.clear()


async def test_the_log_is_missed_once_and_not_again(
    place: Place, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with asked(place):
        alone = copied(place, tmp_path / "alone", "c.db")
    for _ in range(2):
        await opened(alone)
    assert len([message for message in caplog.messages if LOST in message]) == 1


@pytest.mark.parametrize("steps", range(4))
async def test_a_process_killed_in_a_checkpoint_leaves_nothing_that_looks_like_a_loss(
    place: Place, tmp_path: Path, caplog: pytest.LogCaptureFixture, steps: int
) -> None:
    async with asked(place):
        with closing(sqlite3.connect(place.folder / "c.db")) as connection:
            parts: list[Callable[[], object]] = [
                lambda: marks.mark_incomplete(connection),
                lambda: connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall(),
                lambda: marks.mark_complete(connection),
            ]
            for part in parts[:steps]:
                part()
            killed = copied(place, tmp_path / "killed", *ALL)
    assert [await opened(killed), await opened(killed), await opened(place)] == [3, 3, 3]
    assert caplog.messages == []


async def test_no_loss_is_told_where_there_is_none(
    place: Place, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with asked(place), place.loop():
        killed = copied(place, tmp_path / "killed", *ALL)
        backup, vacuumed = place_in(tmp_path / "backup"), place_in(tmp_path / "vacuumed")
        with (
            closing(sqlite3.connect(place.folder / "c.db")) as source,
            closing(sqlite3.connect(backup.folder / "c.db")) as target,
        ):
            source.backup(target)
            source.execute("VACUUM INTO ?", (str(vacuumed.folder / "c.db"),))
    with closing(sqlite3.connect(killed.folder / "c.db")) as tool:  # which merges the log, and deletes it
        tool.execute("SELECT count(*) FROM soni_turns").fetchall()
    assert not (killed.folder / "c.db-wal").exists()
    for there in (place, place, killed, backup, vacuumed):
        assert await opened(there) == 3
    assert caplog.messages == []


async def test_a_store_from_before_there_were_marks_is_opened_as_ever(
    place: Place, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with asked(place):
        pass
    with closing(sqlite3.connect(place.folder / "c.db")) as connection:
        connection.execute("PRAGMA user_version = 0")
        connection.execute("PRAGMA application_id = 0")
    assert [await opened(place), await opened(place)] == [3, 3]
    assert caplog.messages == []


async def test_a_log_without_its_database_is_not_thrown_away(place: Place, tmp_path: Path) -> None:
    async with asked(place):
        killed = copied(place, tmp_path / "killed", "c.db-wal", "c.db-shm", "c.db-locks")
    for is_empty in (False, True):
        if is_empty:
            (killed.folder / "c.db").touch()
        with pytest.raises(ConfigError, match=r"is missing or empty, but its log '.*c.db-wal' is there"):
            await opened(killed)
    assert (killed.folder / "c.db-wal").stat().st_size > 0


async def test_a_new_file_in_the_place_of_one_that_is_gone_is_told(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    async with asked(place):
        pass
    (place.folder / "c.db").unlink()
    assert await opened(place) == 0
    assert ["made anew" in message for message in caplog.messages] == [True]


async def test_a_file_that_is_no_database_is_refused_with_a_way_out(place: Place) -> None:
    (place.folder / "c.db").write_bytes(b"\xa5" * 5000)
    with pytest.raises(ConfigError, match=r"file is not a database. Put a backup in its place"):
        async with open_store(place.url):
            raise AssertionError("it opens")
