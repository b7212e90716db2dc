"""From a message to its commands: the likeliest candidate, and the one that comes next."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from soni.du.local.decide.candidates import candidates
from soni.du.local.decide.scorer import likelihoods, place

if TYPE_CHECKING:
    from soni.du.local.message import Message
    from soni.du.understanding import Found


def decide(message: Message) -> list[Found]:
    """The commands that the message most likely means, each with how likely that is."""
    found = candidates(message)
    likely = likelihoods(found, place(message))
    ranked = sorted(zip(likely, found, strict=True), key=lambda pair: -pair[0])
    chance, best = next((chance, one) for chance, one in ranked if one.found)
    return [replace(one, confidence=chance * one.confidence) for one in best.found]
