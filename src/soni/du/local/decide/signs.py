"""What is known of a message whatever it may mean: the signs that all its candidates share."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

from soni.du.local import acts
from soni.du.local.corrections import positive
from soni.du.local.lead_ins import asks_back
from soni.du.local.message import FREE
from soni.du.local.verdicts import agreement, denial
from soni.du.local.words import content

if TYPE_CHECKING:
    from soni.du.local.message import Message

_SURE = 0.99
"""A network is never surer than that: beyond it, its logits say nothing."""


def logit(likely: float) -> float:
    """A probability as evidence: 0 for even, 1 for as sure as can be."""
    kept = min(max(likely, 1 - _SURE), _SURE)
    return log(kept / (1 - kept)) / log(_SURE / (1 - _SURE))


def place_of(message: Message) -> str:
    """Where in a conversation the message is said: what kind of question is open."""
    context = message.context
    if context.task is None:
        return "running" if context.active_flow else "idle"
    asked = context.slots.get(context.asked or "")
    if asked is None:
        return context.task["type"]
    if asked.type in FREE:
        return "name" if context.asked in message.assistant.cues.names else "text"
    return asked.type if asked.type in ("choice", "boolean") else "typed"


def message_signs(message: Message) -> dict[str, float]:
    """What speaks for some kinds of readings and against others, by name."""
    core, words = message.core, message.words
    size = len(content(core))
    ranked = message.ranked(core)
    found = {
        "short": float(size < 3),
        "length": min(size, 20) / 10,
        "asks": float(asks_back(core, words)),
        "denies": float(positive(core, words) != core),
        "refuses": float(acts.is_refusal(core, words)),
        "paused": float(bool(message.context.paused_flows)),
        "flow": logit(message.sure(ranked)),
        "similar": ranked[0].similar if ranked else 0.0,
    }
    if message.context.task is not None and message.context.task["type"] == "confirm":
        found["agrees"] = float(agreement(message.text, message.context.reading, message.confirmed) is not None)
        found["says no"] = float(denial(message.text, message.context.reading) is not None)
    reading = message.reading
    if reading is not None:
        found |= {f"reads {name}": logit(value) for name, value in reading.acts.items()}
        value = reading.values.get(message.context.asked or "")
        if value is not None:
            found |= {"reads answer": logit(value.said), "reads any": logit(value.any), "sure": logit(value.sure)}
        own = message.context.slots_of(*message.context.chain, message.context.active_flow)
        said = [value.said for name, value in reading.values.items() if name in own and name != message.context.asked]
        found["reads value"] = logit(max(said, default=0.0))
    return found
