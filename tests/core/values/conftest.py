from datetime import datetime

import pytest

from soni.core.values import Reading

WEDNESDAY_MORNING = datetime(2026, 11, 11, 10, 0)


@pytest.fixture
def english() -> Reading:
    return Reading(language="en", now=WEDNESDAY_MORNING, languages=("en", "es"))


@pytest.fixture
def spanish() -> Reading:
    return Reading(language="es", now=WEDNESDAY_MORNING, languages=("en", "es"))
