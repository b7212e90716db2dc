"""Whole conversations with the banking assistant, as people hold them, to count what a cascade would ask a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from soni import RuntimeLoop, load_config
from soni.actions import discover_actions
from soni.du import Cascade, Understood
from soni.du.configured import offline_understanding

if TYPE_CHECKING:
    from soni.du import DialogueContext

BANKING = Path(__file__).parents[2] / "examples" / "banking" / "domain"
TALKS = Path(__file__).parent / "conversations.txt"


class Unreachable:
    """Counts how often a model would be asked; it never answers, so that the offline reading goes on."""

    async def understand(self, message: str, context: DialogueContext) -> Understood:
        raise ConnectionError("there is no model here; this is only counted")


async def asked_share() -> tuple[float, int]:
    """The share of turns in which a cascade would ask a model, and how many turns there were."""
    config = load_config(BANKING)
    cascade = Cascade(offline_understanding(config), Unreachable())
    turns = 0
    talks = [talk.strip().splitlines() for talk in TALKS.read_text(encoding="utf-8").split("\n\n") if talk.strip()]
    async with RuntimeLoop(config, actions=discover_actions(BANKING), understanding=cascade) as loop:
        for number, talk in enumerate(talks):
            for line in talk:
                await loop.process_message(line, user_id=f"talk{number}")
                turns += 1
    return cascade.asked / turns, turns
