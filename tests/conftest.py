"""Fixtures: assistants from YAML in a string, conversations on every checkpointer."""

from __future__ import annotations

import os
import textwrap
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from langgraph.checkpoint.memory import InMemorySaver

from soni import Actions, SoniConfig, load_config
from soni.config.models import PersistenceConfig
from soni.store.checkpointer import open_checkpointer
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
    if request.param == "memory":
        saver: Any = InMemorySaver()
        yield _talker(saver, fresh)
        return
    async with open_checkpointer(PersistenceConfig(backend="sqlite", path=str(tmp_path / "c.db"))) as saver:
        yield _talker(saver, fresh)


def _talker(saver: Any, fresh: bool) -> Talk:
    def begin(config: SoniConfig, actions: Actions | None = None, **options: Any) -> Conversation:
        return Conversation(config, actions=actions, checkpointer=saver, fresh=fresh, **options)

    return begin
