"""A server whose SQLite file is deleted, replaced or damaged while it runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.server.site import served


def replace(file: Path) -> None:
    copy = file.with_name("copy")
    copy.write_bytes(file.read_bytes())
    copy.rename(file)


def spoil(file: Path) -> None:
    with file.open("r+b") as opened:
        opened.write(b"\xa5" * file.stat().st_size)


@pytest.mark.parametrize("change", [Path.unlink, replace, spoil], ids=["deleted", "replaced", "garbage"])
async def test_it_is_not_ready_and_answers_nobody_when_its_file_is_gone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, change: Callable[[Path], None]
) -> None:
    file = tmp_path / "c.db"
    async with served(tmp_path, f"sqlite:{file}") as site:
        for text in ("send", "100", "ana"):
            await site.say(text)
        change(file)
        ready = await site.client.get("/ready")
        assert ready.status_code == 503
        assert "deleted, replaced or damaged" in ready.json()["checks"]["database"]
        for path in ("ana", "somebody-new"):
            refused = await site.client.post(f"/v1/conversations/{path}/messages", json={"text": "yes"})
            assert (refused.status_code, refused.json()["type"]) == (503, "urn:soni:problem:store-unavailable")
            assert "restarted" in refused.json()["detail"]
            assert str(tmp_path) not in refused.text + ready.text
        assert (await site.client.get("/health")).status_code == 200
    assert site.witness.lines("paid") == []
    told = [record for record in caplog.records if record.levelname == "CRITICAL"]
    assert len(told) == 1
    assert str(file) in told[0].getMessage()
    assert not any(record.exc_info for record in caplog.records), "a clear line, no traceback"
