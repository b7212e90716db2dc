"""Fixtures: assistants from YAML in a string, conversations on every store."""

from __future__ import annotations

import os
import textwrap
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from soni import Actions, SoniConfig, load_config
from soni.store import Store, open_store
from soni.testing import Conversation

# No example is too slow for a busy machine; CI looks at the same examples every time.
settings.register_profile("soni", deadline=None, derandomize=os.environ.get("CI") == "true")
settings.load_profile("soni")

Assistant = Callable[[str], SoniConfig]
Talk = Callable[..., Conversation]


@pytest.fixture
def assistant(tmp_path: Path) -> Assistant:
    """An assistant from YAML."""

    def load(text: str) -> SoniConfig:
        file = tmp_path / "assistant.yaml"
        file.write_text(textwrap.dedent(text), encoding="utf-8")
        return load_config(file)

    return load


@pytest.fixture(params=["memory", "sqlite, a new loop each turn"])
async def talk(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Talk]:
    """Begin a conversation; every test that uses it runs in memory, and in a file across restarts."""
    fresh = "new loop" in request.param
    async with open_store(f"sqlite:{tmp_path}/c.db" if fresh else "memory:") as store:
        yield _talker(store, fresh)


def _talker(store: Store, fresh: bool) -> Talk:
    def begin(config: SoniConfig, actions: Actions | None = None, **options: Any) -> Conversation:
        return Conversation(config, actions=actions, store=store, fresh=fresh, **options)

    return begin
