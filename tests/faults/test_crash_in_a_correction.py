"""A turn that tries a change twice, killed at each of its fail points, says the same as the undisturbed one."""

from __future__ import annotations

from pathlib import Path

import pytest

from soni import ActionContext, Actions, RuntimeLoop, SoniConfig
from soni.core.commands import Command
from soni.store import fail_points, open_store
from soni.testing import ScriptedUnderstanding
from tests.conftest import Assistant
from tests.conversations.saying import CHANGED, correct, start, with_slots

FLOWS = """
  f:
    steps:
      - {collect: day, message: "day?"}
      - {say: "{day}!"}
      - {collect: hour, message: "hour?"}
      - {say: "Looking at {day}."}
      - {action: check, map_outputs: {limit: limit}}
      - {confirm: ok, message: "{day} {hour}?"}
"""


class Crash(BaseException):
    """The process is gone; nothing after it runs."""


def checking(effect: str) -> Actions:
    actions = Actions()

    @actions.register("check", effect=effect)  # type: ignore[arg-type]  # one of the effects
    async def check(day: str, context: ActionContext) -> dict[str, int]:
        await context.inform("One moment.")
        return {"limit": 14 if day == "sat" else 18}

    return actions


async def corrected(
    config: SoniConfig, effect: str, file: Path, first: Command, then: list[Command], kill_at: int | None = None
) -> tuple[list[str], int]:
    """What the second turn says, killed at that fail point and run again, and how many points it has passed."""
    understanding = ScriptedUnderstanding()
    understanding.add("first", first)
    understanding.add("then", *then)
    passed = 0

    def passing(point: str) -> None:
        nonlocal passed
        passed += 1
        if passed - 1 == kill_at:
            raise Crash

    async def turn(text: str) -> list[str]:
        async with open_store(f"sqlite:{file}") as store:
            loop = RuntimeLoop(
                config, actions=checking(effect), store=store, understanding=understanding, recover_every=None
            )
            async with loop:
                result = await loop.run_turn(text, user_id="ana", message_id=text)
                assert result.error is None
                return [message.text for message in result.messages]

    await turn("first")
    fail_points.passing = passing
    try:
        return await turn("then"), passed
    except Crash:
        fail_points.passing = None
        return await turn("then"), passed
    finally:
        fail_points.passing = None


@pytest.mark.parametrize("effect", ["pure", "idempotent"])
@pytest.mark.parametrize(
    ("hour", "then", "expected"),
    [
        (16, [correct("day", "sat")], [CHANGED, "Closed then.", "sat!", "hour?"]),
        (10, [correct("day", "sat"), correct("hour", 16)], [CHANGED, "Closed then.", "sat!", "sat 10?"]),
    ],
)
async def test_b56_a_killed_turn_that_tries_a_change_twice_says_nothing_twice(
    assistant: Assistant, tmp_path: Path, effect: str, hour: int, then: list[Command], expected: list[str]
) -> None:
    rule = 'type: integer, validate: "hour < limit", error: "Closed then."'
    config = assistant(with_slots("day", FLOWS, hour=rule, limit="type: integer, source: system"))
    first = start("f", day="mon", hour=hour)
    undisturbed, points = await corrected(config, effect, tmp_path / "undisturbed.db", first, then)
    assert points > 0
    assert [text for text in undisturbed if text in expected] == expected
    assert len(set(undisturbed)) == len(undisturbed)
    for point in range(points):
        said, _ = await corrected(config, effect, tmp_path / f"{point}.db", first, then, kill_at=point)
        assert said == undisturbed, f"killed at fail point {point}"
