"""A guest of the restaurant example."""

from __future__ import annotations

from datetime import datetime

from soni import RuntimeLoop
from soni.actions import discover_actions
from tests.du.test_local import LOCAL, RESTAURANT
from tests.examples.test_banking import BANKING

HANDLERS = BANKING.parents[1] / "restaurant" / "domain"


async def test_a_name_that_nothing_was_booked_under() -> None:
    """Found by a correction: the first booking's code has to go, and none takes its place."""
    loop = RuntimeLoop(
        RESTAURANT,
        actions=discover_actions(HANDLERS),
        understanding=LOCAL["restaurant"],
        clock=lambda: datetime(2026, 11, 15, 12),
    )
    for text in ("book a table for 2 tomorrow at 21:00", "inside", "Eva", "no hace falta", "yes", "cancel my booking"):
        await loop.process_message(text, user_id="guest")
    assert (await loop.process_message("Eva", user_id="guest")).startswith("Cancel booking L")
    answer = await loop.process_message("no, the name is Zoe", user_id="guest")
    assert answer == "I have changed that.\nThere is no booking for Zoe."
