"""Places to keep the conversation that is going to be killed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from bench.postgres import postgres

from tests.faults.worker import Place

NewPlace = Callable[[], Place]


@pytest.fixture(scope="session", autouse=True)
def _no_server_is_left() -> Iterator[None]:
    yield
    if postgres.cache_info().currsize:
        postgres().stop()


@pytest.fixture(params=["sqlite", "postgres"])
def new_place(request: pytest.FixtureRequest, tmp_path: Path) -> NewPlace:
    """Empty stores, each with a witness of its own."""
    made = 0

    def make() -> Place:
        nonlocal made
        made += 1
        folder = tmp_path / str(made)
        folder.mkdir()
        url = f"sqlite:{folder}/c.db" if request.param == "sqlite" else postgres().new_database()
        return Place(url, folder)

    return make


@pytest.fixture
def postgres_place(tmp_path: Path) -> Place:
    """An empty database."""
    return Place(postgres().new_database(), tmp_path)


@pytest.fixture
def place(new_place: NewPlace) -> Place:
    """One of them."""
    return new_place()
