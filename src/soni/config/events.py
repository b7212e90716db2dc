"""What can happen in any conversation: the flows an author names for it, and those the assistant has of itself."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from soni.config.flows import FlowConfig
from soni.config.slots import SlotConfig
from soni.steps.clarify import ClarifyStepConfig
from soni.steps.confirm import ConfirmStepConfig
from soni.steps.handoff import HandoffStepConfig
from soni.steps.say import SayStepConfig

if TYPE_CHECKING:
    from soni.config.texts import Texts


class Events(BaseModel):
    """Flows of the author's own, each instead of what would happen otherwise."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    cancel: str | None = None
    chit_chat: str | None = None
    clarification: str | None = None
    completion: str | None = None
    error: str | None = None
    fallback: str | None = None
    handoff: str | None = None
    help: str | None = None
    offer_person: str | None = None
    out_of_scope: str | None = None

    def named(self) -> dict[str, str]:
        """The events that have a flow."""
        return {name: flow for name, flow in self if flow is not None}


TOLD: dict[str, frozenset[str]] = {
    "cancel": frozenset({"_flow"}),
    "chit_chat": frozenset({"_topic"}),
    "clarification": frozenset({"_options"}),
    "completion": frozenset({"_flow"}),
    "error": frozenset({"_flow", "_reason"}),
    "fallback": frozenset({"_capabilities", "_reason"}),
    "handoff": frozenset({"_flow", "_reason"}),
    "help": frozenset({"_capabilities"}),
    "offer_person": frozenset({"_reason"}),
    "out_of_scope": frozenset({"_capabilities"}),
}
"""The slots in which the flow of an event is told about it."""


@cache
def built_in_slots() -> dict[str, SlotConfig]:
    """What the flow of an event is told about it; an underscore keeps these names apart from an author's."""
    told = SlotConfig(type="text", source="system")
    return {
        "_flow": told,
        "_reason": told,
        "_topic": told,
        "_capabilities": told,
        "_options": SlotConfig(type="list", source="system"),
        "_person_wanted": SlotConfig(type="boolean"),
    }


_ALWAYS_SHIPPED = frozenset(["en", "es"])


def built_in_flows(texts: Texts, languages: frozenset[str], *, handoff: bool) -> dict[str, FlowConfig]:
    """What the assistant asks of itself, outside of any flow of the author's: `_` and the event's name.

    A yes is good only for a question that is still written as it was. So that a language which the assistant does not
    offer can be shipped while such a question is open, its words are no part of it.
    """
    question = texts.offer_person.among(languages | _ALWAYS_SHIPPED)
    offer = ConfirmStepConfig(step="offer", slot="_person_wanted", message=question, on_deny="declined")
    able = SayStepConfig(step="declined", message=texts.help)
    person = HandoffStepConfig(step="person")
    flows = {
        "_clarification": FlowConfig(steps=[ClarifyStepConfig(step="ask", message=texts.clarify)]),
        "_fallback": FlowConfig(steps=[offer, person, able] if handoff else [able]),
    }
    if handoff:
        declined = SayStepConfig(step="declined", message=texts.declined)
        flows["_offer_person"] = FlowConfig(steps=[offer, person, declined])
    return flows
