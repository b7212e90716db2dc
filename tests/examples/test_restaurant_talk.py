"""A guest of the restaurant example."""

from __future__ import annotations

from datetime import datetime

import pytest

from soni import RuntimeLoop
from soni.actions import discover_actions
from tests.du.test_local import LOCAL, RESTAURANT
from tests.examples.test_banking import BANKING

HANDLERS = BANKING.parents[1] / "restaurant" / "domain"


def _loop() -> RuntimeLoop:
    return RuntimeLoop(
        RESTAURANT,
        actions=discover_actions(HANDLERS),
        understanding=LOCAL["restaurant"],
        clock=lambda: datetime(2026, 11, 15, 12),
    )


@pytest.mark.parametrize(
    ("hour", "skip", "shown"),
    [
        ("at nine", "skip", "9:00 PM"),
        ("half past one", "skip", "1:30 PM"),
        ("21:30", "skip", "9:30 PM"),
        ("a las dos y media", "paso", "14:30"),
    ],
)
async def test_an_hour_that_can_only_be_meant_later_is_taken_so(hour: str, skip: str, shown: str) -> None:
    loop = _loop()
    for text in ("book a table for 2 tomorrow inside", hour, "Eva"):
        await loop.process_message(text, user_id="guest")
    answer = await loop.process_message(skip, user_id="guest")
    assert f" {shown}, " in answer


@pytest.mark.parametrize("hour", ["09:00", "9 am", "at eleven in the morning", "at six"])
async def test_an_hour_that_is_said_to_be_early_is_refused(hour: str) -> None:
    loop = _loop()
    await loop.process_message("book a table for 2 tomorrow inside", user_id="guest")
    assert "We serve from 13:00 to 16:00" in await loop.process_message(hour, user_id="guest")


async def test_a_name_that_nothing_was_booked_under() -> None:
    """Found by a correction: the first booking's code has to go, and none takes its place."""
    loop = _loop()
    for text in ("book a table for 2 tomorrow at 21:00", "inside", "Eva", "no hace falta", "yes", "cancel my booking"):
        await loop.process_message(text, user_id="guest")
    assert (await loop.process_message("Eva", user_id="guest")).startswith("Cancel booking L")
    answer = await loop.process_message("no, the name is Zoe", user_id="guest")
    assert answer == "I have changed that.\nThere is no booking for Zoe."
