"""RuntimeContext: what the nodes of one turn have at hand, frozen, as `runtime.context`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from babel.lists import format_list

from soni.actions import ActionContext
from soni.core.state import CONVERSATION
from soni.core.template import CASES, Field
from soni.core.verdict import in_language
from soni.du.context import MASK
from soni.runtime.acceptance import accept, loaded_slots

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from soni.actions import Actions
    from soni.config.models import FlowConfig, SoniConfig
    from soni.core.commands import Command
    from soni.core.state import DialogueState, Handoff
    from soni.core.template import Text
    from soni.core.values import Reading
    from soni.core.verdict import Verdict
    from soni.du.understanding import Understanding
    from soni.errors import InvalidValue
    from soni.flow.manager import FlowManager
    from soni.runtime.rules import Rules
    from soni.runtime.turn import Turn

UNSET = "—"
"""What stands in a text where a slot has no value."""


async def _cannot_inform(text: str) -> None:
    raise RuntimeError("a validator tells the person nothing but why it refuses a value")


@dataclass(frozen=True, slots=True)
class RuntimeContext:
    """References of one turn; built per turn, so two people never share one."""

    config: SoniConfig
    flow_manager: FlowManager
    actions: Actions
    understanding: Understanding
    offline: Callable[[], Understanding]
    """The understanding to fall back on when the other fails."""
    subgraphs: Mapping[str, Any]
    command_handlers: Mapping[type[Command], Any]
    rules: Rules
    turn: Turn

    @property
    def commands(self) -> dict[str, type[Command]]:
        """The commands that this assistant knows, by name."""
        return {kind.name: kind for kind in self.command_handlers}

    def language(self, state: DialogueState) -> str:
        """The language this conversation is held in."""
        return state["language"] or self.config.settings.language

    def reading(self, state: DialogueState) -> Reading:
        """What the reading of words depends on in this conversation."""
        return self.config.reading(self.language(state), self.turn.now)

    def loaded(self, stored: Mapping[str, Any]) -> dict[str, Any]:
        """Stored slots as the values that expressions, actions and texts see."""
        return loaded_slots(self.config, stored)

    async def accept(
        self,
        state: DialogueState,
        values: Mapping[str, Any],
    ) -> dict[str, Any]:
        """The values as they are stored; InvalidValue if a slot cannot hold its own."""
        return await accept(
            values,
            config=self.config,
            validators=self.actions,
            verdict=lambda validator, slot, slots: self.verdict(state, validator, slot, slots),
            reading=self.reading(state),
        )

    async def verdict(self, state: DialogueState, validator: str, slot: str, slots: Mapping[str, Any]) -> Verdict:
        """What a validator says of a slot's value beside the others, which are loaded; secrets are masked in it."""
        named = {slot, *self.actions.validator_slots(validator)}
        secret = [str(slots[name]) for name in named if self.config.is_secret(name) and slots.get(name) is not None]

        def masked(text: str) -> str:
            for value in sorted(filter(None, secret), key=len, reverse=True):
                text = text.replace(value, MASK)
            return text

        context = ActionContext(_cannot_inform, user_id=self.turn.user_id, language=self.language(state))
        return await self.turn.verdict(
            validator,
            lambda: self.actions.verdict(validator, slots[slot], slots, context=context, masked=masked),
        )

    def refusal(
        self, error: InvalidValue, text: Text | None, state: DialogueState, *, key: str, slots: Mapping[str, Any]
    ) -> str:
        """What to say of a refused value: what its validator said, else the author's text, else a general one."""
        if error.reason is not None:
            return in_language(error.reason, self.language(state), self.config.settings.language)
        return self.render(text, state, key=key, slots=slots) if text else self.phrase("invalid", state, key=key)

    def render(self, text: Text, state: DialogueState, *, key: str, slots: Mapping[str, Any]) -> str:
        """A text in the conversation's language, with slots shown the way that language writes them."""
        language = self.language(state)

        def show(field: Field) -> str:
            value = slots.get(field.slot)
            if value is None:
                return UNSET
            shown = self.shown(field.slot, value, state, None if field.format in CASES else field.format)
            secret = self.config.slots[field.slot].sensitive
            return CASES[field.format](shown) if field.format in CASES and not secret else shown

        return text.choose(language, self.config.settings.language, key).render(show)

    def shown(self, name: str, value: Any, state: DialogueState, spec: str | None = None) -> str:
        """A loaded value the way the conversation's language writes it; a secret is not shown."""
        slot = self.config.slots[name]
        if slot.sensitive:
            return MASK
        if slot.type == "choice":
            return self.label(name, value, state)
        return slot.value_type.format(value, self.language(state), spec)

    def changes(self, values: Mapping[str, Any], state: DialogueState) -> str:
        """What has changed, in one sentence, if every slot says what it is called."""
        language, default = self.language(state), self.config.settings.language
        key = f"{state['turn']}/changed"
        labels = {name: self.config.slots[name].label for name in values}
        parts = [
            self.phrase(
                "change",
                state,
                key=key,
                _slot=label.choose(language, default, key).source,
                _value=self.shown(name, values[name], state),
            )
            for name, label in labels.items()
            if label is not None and values[name] is not None
        ]
        if len(parts) < len(values):
            return self.phrase("changed", state, key=key)
        return self.phrase("changed_to", state, key=key, _changes=format_list(parts, locale=language))

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
        flows = self.config.for_people
        return {name: flow for name, flow in flows.items() if flow.if_ is None or flow.if_.is_true(slots)}

    def flow_label(self, name: str, state: DialogueState) -> str:
        """What to call a flow when talking about it."""
        return self.config.runnable[name].label(name, self.language(state), self.config.settings.language)

    def capabilities(self, state: DialogueState) -> str:
        """What the person can ask for now, a line each."""
        flows = self.startable(state)
        told = [name for name, flow in flows.items() if flow.description] or list(flows)
        return "\n".join(f"- {self.flow_label(name, state)}" for name in told)

    def event_flow(self, event: str, state: DialogueState) -> str | None:
        """The flow for an event, unless there is none or what runs is there for this very event."""
        return (
            None if event in {frame["event"] for frame in state["flow_stack"]} else self.config.event_flows.get(event)
        )

    def handoff(self, state: DialogueState, reason: str | None) -> Handoff | None:
        """What a person is told who gets the conversation; None if there is nobody."""
        if not self.config.settings.handoff:
            return None
        chain = self.flow_manager.concerned(state)
        slots = {name: value for frame in chain for name, value in state["flow_slots"][frame["flow_id"]].items()}
        return {
            "reason": reason,
            "flow": chain[0]["flow_name"] if chain else None,
            "slots": self.masked(slots),
            "turn": self.turn.number,
        }

    def masked(self, stored: Mapping[str, Any]) -> dict[str, Any]:
        """Stored slots as others may see them."""
        return {name: MASK if self.config.slots[name].sensitive else value for name, value in stored.items()}
