"""Any corrections in any form: it ends where it would have ended, had the last values been given from the start."""

from __future__ import annotations

import pytest

from tests.conftest import examples
from tests.conversations.soak import ANY, CORRECTED, again, run_some

PARTS = 6
"""The same conversations every time, in parts that can run side by side; `make soak` has others."""


def check(kind: str, part: int, many: int) -> None:
    _, failures = run_some(0, kind, range(part * many, (part + 1) * many))
    for name, wrong in failures[:1]:
        pytest.fail(f"{len(failures)} of {many} went wrong: {wrong}\n\n{again(0, name)} --smaller")


@pytest.mark.property
@pytest.mark.parametrize("part", range(PARTS))
def test_corrections_end_where_the_last_values_would_have_led(part: int) -> None:
    check(CORRECTED, part, examples(50))


@pytest.mark.property
@pytest.mark.parametrize("part", range(2))
def test_whatever_is_said_nothing_is_done_without_a_yes_to_it(part: int) -> None:
    check(ANY, part, examples(50))
