"""Any corrections in any form: it ends where it would have ended, had the last values been given from the start."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.conversations.soak import ANY, CORRECTED, again

PARTS = 6
"""The same conversations every time, in parts that can run side by side; `make soak` has others."""
EACH = 50
RUN = "import json, sys; from tests.conversations.soak import run_some; "


def check(kind: str, part: int) -> None:
    """In a process of its own, without measuring coverage, which takes three times as long."""
    numbers = f"range({part * EACH}, {(part + 1) * EACH})"
    code = f"{RUN}print(json.dumps(run_some(0, {kind!r}, {numbers})[1]))"
    unmeasured = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    ran = subprocess.run([sys.executable, "-c", code], env=unmeasured, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    failures = json.loads(ran.stdout)
    for name, wrong in failures[:1]:
        pytest.fail(f"{len(failures)} of {EACH} went wrong: {wrong}\n\n{again(0, name)} --smaller")


@pytest.mark.property
@pytest.mark.parametrize("part", range(PARTS))
def test_corrections_end_where_the_last_values_would_have_led(part: int) -> None:
    check(CORRECTED, part)


@pytest.mark.property
@pytest.mark.parametrize("part", range(2))
def test_whatever_is_said_nothing_is_done_without_a_yes_to_it(part: int) -> None:
    check(ANY, part)
