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
_SAME = settings(deadline=None, derandomize=os.environ.get("CI") == "true")
settings.register_profile("some", _SAME, max_examples=25)
settings.register_profile("many", _SAME, max_examples=200)
settings.load_profile("many" if os.environ.get("SONI_TESTS") == "all" else "some")

ON_FILE = "sqlite, a new loop each turn"
Assistant = Callable[[str], SoniConfig]
Talk = Callable[..., Conversation]


@pytest.hookimpl(tryfirst=True)  # before tests are left out by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the properties, and of each sweep over many cases those that only `make test-all` runs.

    Conversations run in memory, and every third of them in a file across restarts; all of them do in `make test-all`.
    """
    values: dict[tuple[str, str], list[str]] = {}
    on_file = 0
    for item in sorted(items, key=lambda item: item.nodeid):
        if getattr(item, "callspec", None) and item.callspec.params.get("talk") == ON_FILE:  # type: ignore[attr-defined]
            on_file += 1
            if on_file % 3:
                item.add_marker("long")
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker("property")
        sweep = item.get_closest_marker("sweep")
        if sweep is None:
            continue
        place = 0
        for name, value in item.callspec.params.items():  # type: ignore[attr-defined]  # every sweep has parameters
            known = values.setdefault((item.nodeid.partition("[")[0], name), [])
            known.extend([repr(value)] if repr(value) not in known else [])
            place += known.index(repr(value))
        if place % sweep.args[0]:
            item.add_marker("long")


def examples(some: int) -> int:
    """How many examples a property takes that is not as quick as most; ten times as many in `make test-all`."""
    return some * 10 if os.environ.get("SONI_TESTS") == "all" else some


@pytest.fixture
def assistant(tmp_path: Path) -> Assistant:
    """An assistant from YAML."""

    def load(text: str) -> SoniConfig:
        file = tmp_path / "assistant.yaml"
        file.write_text(textwrap.dedent(text), encoding="utf-8")
        return load_config(file)

    return load


@pytest.fixture(params=["memory", ON_FILE])
async def talk(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Talk]:
    """Begin a conversation; every test that uses it runs in memory, and in a file across restarts."""
    fresh = "new loop" in request.param
    async with open_store(f"sqlite:{tmp_path}/c.db" if fresh else "memory:") as store:
        yield _talker(store, fresh)


def _talker(store: Store, fresh: bool) -> Talk:
    def begin(config: SoniConfig, actions: Actions | None = None, **options: Any) -> Conversation:
        return Conversation(config, actions=actions, store=store, fresh=fresh, **options)

    return begin
