"""What an understanding is told besides the message: the open question, the flows, the slots, the last turns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from soni.core.commands import COMMANDS
from soni.du.secrets import MASK as MASK
from soni.du.secrets import SecretFinder, recognisable

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from soni.config.models import FlowConfig, SlotConfig, SoniConfig
    from soni.core.commands import Command
    from soni.core.pending_task import PendingTask
    from soni.core.state import DialogueState, Spoken
    from soni.core.values import Reading

SPOKEN = {name: kind for name, kind in COMMANDS.items() if kind.spoken}
"""The commands of every assistant that a message can mean."""


@dataclass(frozen=True, slots=True)
class DialogueContext:
    """A conversation as an understanding may see it; sensitive values are masked."""

    task: PendingTask | None
    active_flow: str | None
    chain: tuple[str, ...]
    """The active flow last, after those that called it."""
    paused_flows: tuple[str, ...]
    """Those left open, and those that wait their turn."""
    filled: Mapping[str, Any]
    flows: Mapping[str, FlowConfig]
    """The flows that may start, and those already running."""
    slot_names: Mapping[str, frozenset[str]]
    """The slots of each flow."""
    slots: Mapping[str, SlotConfig]
    """The slots that words may fill: never a confirmation's, never one of the system's."""
    history: tuple[Spoken, ...]
    reading: Reading
    commands: Mapping[str, type[Command]]
    """What a message can mean to this assistant, by name."""
    secrets: SecretFinder
    """Finds the secrets in a message that nobody asked for: `secrets.masked(message)` may be shown to a model."""

    @property
    def asked(self) -> str | None:
        """The slot whose value was just asked for."""
        return self.task["slot"] if self.task and self.task["type"] == "collect" else None

    def slots_of(self, *flows: str | None) -> dict[str, SlotConfig]:
        """The fillable slots of these flows."""
        names = {name for flow in flows for name in self.slot_names.get(flow or "", ())}
        return {name: slot for name, slot in self.slots.items() if name in names}


def fillable(config: SoniConfig) -> dict[str, SlotConfig]:
    """The slots that words may fill."""
    confirmed = config.confirm_slots
    return {name: slot for name, slot in config.slots.items() if slot.source == "user" and name not in confirmed}


def visible(filled: Mapping[str, Any], config: SoniConfig) -> dict[str, Any]:
    """Values as an understanding may see them."""
    return {name: MASK if config.slots[name].sensitive else value for name, value in filled.items()}


def dialogue_context(
    state: DialogueState,
    config: SoniConfig,
    *,
    startable: Mapping[str, FlowConfig],
    slot_names: Mapping[str, frozenset[str]],
    filled: Mapping[str, Any],
    chain: tuple[str, ...] = (),
    now: datetime,
    commands: Mapping[str, type[Command]] = SPOKEN,
) -> DialogueContext:
    """Build the context of one message from the state."""
    stack = [frame["flow_name"] for frame in state["flow_stack"]]
    language = state["language"] or config.settings.language
    reading = config.reading(language, now)
    return DialogueContext(
        task=state["_pending_task"],
        active_flow=stack[-1] if stack else None,
        chain=chain,
        paused_flows=tuple(f["flow_name"] for f in state["flow_stack"] if f["flow_state"] in ("paused", "queued")),
        filled=visible(filled, config),
        flows={**startable, **{name: config.flows[name] for name in stack if name in config.flows}},
        slot_names=slot_names,
        slots=fillable(config),
        history=tuple(state["messages"]),
        reading=reading,
        commands=commands,
        secrets=SecretFinder(recognisable({*stack, *startable}, config), reading),
    )
