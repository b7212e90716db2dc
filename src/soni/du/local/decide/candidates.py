"""The few things that a message may mean at its place in the conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soni.core.commands import OutOfScope
from soni.du.local.decide.answers import acknowledged, answers, changes, values_of_the_flow
from soni.du.local.decide.candidate import ready
from soni.du.local.decide.generic_acts import and_a_person, generic_acts
from soni.du.local.decide.replies import replies
from soni.du.local.decide.requests import requests
from soni.du.local.decide.vetoes import allowed
from soni.du.understanding import Found

if TYPE_CHECKING:
    from soni.du.local.decide.candidate import Candidate
    from soni.du.local.message import Message


def candidates(message: Message) -> list[Candidate]:
    """Every reading of the message that nothing forbids; the last is that it means nothing here."""
    context = message.context
    found = [*generic_acts(message), *requests(message), *and_a_person(message), *changes(message)]
    match context.task:
        case {"type": "collect"} if context.asked in context.slots:
            found += answers(message)
        case {"type": "confirm"}:
            found += replies(message)
        case {"type": "inform"}:
            found.append(acknowledged(message))
        case _ if context.active_flow:
            found += values_of_the_flow(message)
    nothing = ready("nothing", [Found(OutOfScope(), evidence="nothing fits")])
    return [*allowed(found, message), nothing]
