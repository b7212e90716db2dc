"""RuntimeContext: what the nodes of one turn have at hand, frozen, as `runtime.context`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from soni.core.state import CONVERSATION
from soni.core.template import CASES, Field
from soni.core.values import Reading
from soni.du.context import MASK
from soni.runtime.acceptance import accept, loaded_slots

if TYPE_CHECKING:
    from collections.abc import Mapping

    from soni.actions import Actions
    from soni.config.models import FlowConfig, SoniConfig
    from soni.core.expression import Expression
    from soni.core.state import DialogueState
    from soni.core.template import Text
    from soni.du.understanding import Understanding
    from soni.flow.manager import FlowManager
    from soni.runtime.turn import Turn

UNSET = "—"
"""What stands in a text where a slot has no value."""


@dataclass(frozen=True, slots=True)
class RuntimeContext:
    """References of one turn; built per turn, so two people never share one."""

    config: SoniConfig
    flow_manager: FlowManager
    actions: Actions
    understanding: Understanding
    subgraphs: Mapping[str, Any]
    command_handlers: Mapping[type, Any]
    turn: Turn

    def language(self, state: DialogueState) -> str:
        """The language this conversation is held in."""
        return state["language"] or self.config.settings.language

    def reading(self, state: DialogueState) -> Reading:
        """What the reading of words depends on in this conversation."""
        settings = self.config.settings
        return Reading(self.language(state), self.turn.now, settings.currency, settings.region)

    def loaded(self, stored: Mapping[str, Any]) -> dict[str, Any]:
        """Stored slots as the values that expressions, actions and texts see."""
        return loaded_slots(self.config, stored)

    async def accept(
        self,
        state: DialogueState,
        values: Mapping[str, Any],
        *,
        flow_id: str | None,
        rules: tuple[Expression | str, ...] = (),
    ) -> dict[str, Any]:
        """The values as they are stored in this flow; InvalidValue if a slot cannot hold its own."""
        return await accept(
            values,
            config=self.config,
            actions=self.actions,
            reading=self.reading(state),
            slots=self.loaded(self.flow_manager.get_slots(state, flow_id)),
            rules=rules,
        )

    def render(self, text: Text, state: DialogueState, *, key: str, slots: Mapping[str, Any]) -> str:
        """A text in the conversation's language, with slots shown the way that language writes them."""
        language = self.language(state)

        def show(field: Field) -> str:
            value = slots.get(field.slot)
            if value is None:
                return UNSET
            slot = self.config.slots[field.slot]
            if slot.sensitive:
                return MASK
            spec = None if field.format in CASES else field.format
            if slot.type == "choice":
                shown = self.label(field.slot, value, state)
            else:
                shown = slot.value_type.format(value, language, spec)
            return CASES[field.format](shown) if field.format in CASES else shown

        return text.choose(language, self.config.settings.language, key).render(show)

    def phrase(self, name: str, state: DialogueState, *, key: str, **values: str) -> str:
        """One of the assistant's general texts, with the values it is given."""
        text: Text = getattr(self.config.texts, name)
        chosen = text.choose(self.language(state), self.config.settings.language, key)
        return chosen.render(lambda field: values.get(field.slot, UNSET))

    def label(self, slot: str, value: str, state: DialogueState) -> str:
        """How an option of a choice is shown."""
        option = self.config.slots[slot].options.get(value)
        if option is None or option.label is None:
            return value.replace("_", " ")
        return option.label.choose(self.language(state), self.config.settings.language, slot).source

    def startable(self, state: DialogueState) -> dict[str, FlowConfig]:
        """The flows whose guard lets the person start them now."""
        slots = self.loaded(state["flow_slots"].get(CONVERSATION, {}))
        return {name: flow for name, flow in self.config.flows.items() if flow.if_ is None or flow.if_.is_true(slots)}
