"""The conversation that is measured: a transfer in four turns, two questions, a confirmation, an action, a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soni import Actions, SoniConfig
from soni.config.models import (
    ActionStepConfig,
    CollectStepConfig,
    ConfirmStepConfig,
    FlowConfig,
    SayStepConfig,
)
from soni.core.commands import AffirmConfirmation, SetSlot, StartFlow
from soni.du.understanding import Understood

if TYPE_CHECKING:
    from soni.core.commands import Command
    from soni.du.context import DialogueContext

TURNS = ("send money", "100", "Ana", "yes")
ANSWERS = ("How much?", "To whom?", "Send 100 to Ana?", "Done. Reference T1.")


def config() -> SoniConfig:
    """The assistant."""
    steps = [
        CollectStepConfig(step="ask_amount", slot="amount", message="How much?"),
        CollectStepConfig(step="ask_recipient", slot="recipient", message="To whom?"),
        ConfirmStepConfig(step="review", slot="confirmed", message="Send {amount} to {recipient}?"),
        ActionStepConfig(step="pay", call="pay", map_outputs={"id": "reference"}),
        SayStepConfig(step="done", message="Done. Reference {reference}."),
    ]
    return SoniConfig(flows={"transfer": FlowConfig(description="Send money", steps=steps)})


def actions() -> Actions:
    """Its action."""
    registry = Actions()

    @registry.register("pay")
    async def pay(amount: str, recipient: str) -> dict[str, str]:
        return {"id": "T1"}

    return registry


class Script:
    """An understanding that costs nothing."""

    async def understand(self, message: str, context: DialogueContext) -> Understood:
        """What each of the four messages means."""
        meaning: dict[str, Command] = {
            "send money": StartFlow(flow="transfer"),
            "100": SetSlot(slot="amount", value="100"),
            "Ana": SetSlot(slot="recipient", value="Ana"),
            "yes": AffirmConfirmation(),
        }
        return Understood.of([meaning[message]], by="script")
