"""The commands of docs/backup.md do what the page says, on stores that are in use."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from bench.postgres import postgres

from soni import RuntimeLoop
from tests.faults.assistant import TURNS, USER
from tests.faults.worker import Place

PAGE = (Path(__file__).parents[2] / "docs" / "backup.md").read_text(encoding="utf-8")
BACK_UP, BACK_UP_WITH_SQLITE, VACUUM, RESTORE, DUMP, RESTORE_DUMP = re.findall(
    r"^```bash\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL
)
PATH = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
CALLS = {BACK_UP: "soni", BACK_UP_WITH_SQLITE: "sqlite3", VACUUM: "sqlite3"}


def run(commands: str, folder: Path, **variables: str) -> str:
    done = subprocess.run(
        ["bash", "-euc", commands],
        cwd=folder,
        env={**os.environ, "PATH": PATH, **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


async def stands_at(place: Place) -> int:
    async with place.loop() as loop:
        return (await loop.get_state(USER))["turn"]


async def talk(loop: RuntimeLoop, *turns: str) -> None:
    for text in turns:
        await loop.run_turn(text, user_id=USER, message_id=text)


@pytest.mark.parametrize("commands", CALLS, ids=["soni backup", ".backup", "VACUUM INTO"])
async def test_a_sqlite_store_is_backed_up_while_it_is_used_and_restored(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, commands: str
) -> None:
    if not shutil.which(CALLS[commands], path=PATH):
        pytest.skip(f"there is no {CALLS[commands]} here")
    place = Place(f"sqlite:{tmp_path}/conversations.db", tmp_path)
    async with place.loop() as loop:
        await talk(loop, *TURNS[:3])
        await asyncio.to_thread(run, commands, tmp_path)
        await talk(loop, *TURNS[3:])
    # The check of the restored file is the same for all.
    told = await asyncio.to_thread(run, RESTORE if commands == BACK_UP else RESTORE.rpartition("soni")[0], tmp_path)
    assert ("nothing is missing or damaged" in told) == (commands == BACK_UP)
    assert await stands_at(place) == 3
    assert caplog.messages == []


async def test_a_postgres_store_is_backed_up_while_it_is_used_and_restored(tmp_path: Path) -> None:
    place = Place(postgres().new_database(), tmp_path)
    restored = re.sub(r"/soni_\d+", "/restored", place.url)
    about = {"DATABASE_URL": place.url, "RESTORED_URL": restored, "PATH": f"{postgres().programs}:{PATH}"}
    async with place.loop() as loop:
        await talk(loop, *TURNS[:3])
        await asyncio.to_thread(run, DUMP, tmp_path, **about)
        await talk(loop, *TURNS[3:])
    told = await asyncio.to_thread(run, RESTORE_DUMP, tmp_path, **about)
    assert "1 row" in told
    assert await stands_at(Place(restored, tmp_path)) == 3
    assert await stands_at(place) == 5
