"""From a message to its commands: the likeliest candidate, and the one that comes next."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from soni.du.local.decide.candidates import candidates
from soni.du.local.decide.generic_acts import own_command
from soni.du.local.decide.scorer import likelihoods, place

if TYPE_CHECKING:
    from soni.core.commands import Command
    from soni.du.local.message import Message
    from soni.du.understanding import Found


def decide(message: Message) -> list[Found]:
    """The commands that the message most likely means, each with how likely that is and what comes next."""
    if own := own_command(message):
        return own
    found = candidates(message)
    likely = likelihoods(found, place(message))
    ranked = sorted(zip(likely, found, strict=True), key=lambda pair: -pair[0])
    chance, best = next((chance, one) for chance, one in ranked if one.found)
    chosen = [one.command for one in best.found]
    others = ((chance, [one.command for one in other.found]) for chance, other in ranked if other is not best)
    beside, other = next(((chance, one) for chance, one in others if one and one != chosen), (0.0, []))
    runner_up = ", ".join(map(_shown, other))
    return [
        replace(
            one,
            confidence=chance * one.confidence,
            runner_up=runner_up,
            runner_up_confidence=beside if runner_up else 0.0,
        )
        for one in best.found
    ]


def _shown(command: Command) -> str:
    """A command with what it is about, without the words that somebody said."""
    about = getattr(command, "flow", None) or getattr(command, "slot", None) or getattr(command, "topic", None)
    return f"{command.name} {about}" if about else command.name
