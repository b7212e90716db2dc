"""SlotExtractor: the values of a flow's slots in the message that starts it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import dspy

from soni.core.commands import SetSlot
from soni.du.llm.signatures import slot_lines, slots_signature

if TYPE_CHECKING:
    from collections.abc import Mapping

    from soni.config.models import SlotConfig
    from soni.du.llm.model import Model
    from soni.du.understanding import Usage


class SlotExtractor(dspy.Module):  # type: ignore[misc]  # DSPy is published without types
    """Finds the values of a flow's slots in the message that starts it."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        self._model = model
        self.read: Any = dspy.Predict(slots_signature())

    async def extract(
        self, message: str, slots: Mapping[str, SlotConfig], language: str = "en"
    ) -> tuple[list[SetSlot], Usage]:
        """The values that the message holds, for slots that may be asked of a model."""
        wanted = {name: slot for name, slot in slots.items() if not slot.sensitive}
        prediction, usage = await self._model.ask(self.read, message=message, slots=slot_lines(wanted, language))
        found = {value.slot: value.value for value in prediction.found if value.slot in wanted and value.value.strip()}
        return [SetSlot(slot=name, value=value) for name, value in found.items()], usage
