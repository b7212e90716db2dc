"""World: what the running of flows needs to know of an assistant's definition."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True, slots=True)
class FlowShape:
    """What the running of flows needs to know of a flow's definition."""

    first_step: str | None
    slot_names: frozenset[str]
    reachable: frozenset[str] = frozenset()
    """Its slots, and those of every flow that it may call."""
    rounds_at: Callable[[str, Mapping[str, int], str], dict[str, int]] | None = None
    """The counts of the loops around a step, coming from another one."""
    loops: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """For each slot, the loops around a question for it, here or in a flow that is called."""


@dataclass(frozen=True, slots=True)
class World:
    """The flows of an assistant, and what is special about its slots."""

    flows: Mapping[str, FlowShape]
    conversation: frozenset[str] = frozenset()
    """The slots that belong to the conversation, not to a flow."""
    secrets: frozenset[str] = frozenset()
    dependents: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """For each slot, those whose values are void when it changes."""
