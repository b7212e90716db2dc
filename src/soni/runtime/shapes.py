"""What the derivation needs to know of an assistant's flows and slots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soni.config.models import ActionStepConfig
from soni.config.rules import ruled_slots
from soni.flow.world import FlowShape, World

if TYPE_CHECKING:
    from soni.actions import Actions
    from soni.config.models import FlowConfig, SoniConfig


def world_of(config: SoniConfig, actions: Actions) -> World:
    """The flows of an assistant, with what their steps, actions and rules name."""
    names = {name: _slot_names(config, flow, actions) for name, flow in config.runnable.items()}
    reachable = {name: frozenset().union(*(names[other] for other in _reached(config, name))) for name in names}
    return World(
        flows={
            name: FlowShape(
                flow.first_step, names[name], reachable[name], flow.rounds_at, _loops(config, flow, reachable)
            )
            for name, flow in config.runnable.items()
        },
        conversation=config.conversation_slots,
        secrets=frozenset(name for name, slot in config.slots.items() if slot.sensitive),
        dependents=_dependents(config),
    )


def _slot_names(config: SoniConfig, flow: FlowConfig, actions: Actions) -> frozenset[str]:
    """What an action's signature names belongs to the flow that calls it; a rule's and its error's to one that asks."""
    calls = [placed.step.call for placed in flow.placed if isinstance(placed.step, ActionStepConfig)]
    arguments = {slot for call in calls for slot in actions.parameters(call)} & set(config.slots)
    errors = [config.slots[placed.step.asks].error for placed in flow.placed if placed.step.asks in config.slots]
    shown = {field.slot for error in errors if error is not None for field in error.fields} & set(config.slots)
    return flow.slot_names | arguments | shown | ruled_slots(config, flow, actions)


def _reached(config: SoniConfig, name: str) -> set[str]:
    """A flow, and those it may call."""
    found, waiting = set[str](), [name]
    while waiting:
        flow = waiting.pop()
        if flow not in found:
            found.add(flow)
            steps = (placed.step for placed in config.runnable[flow].placed)
            waiting += [step.flow for step in steps if step.flow is not None and step.falls_through]
    return found


def _loops(config: SoniConfig, flow: FlowConfig, reachable: dict[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """For each slot, the loops around a step that asks for it, or that calls a flow with it."""
    around: dict[str, set[str]] = {}
    for placed in flow.placed:
        step = placed.step
        asked = {step.asks} if step.asks else reachable[step.flow] if step.flow and step.falls_through else frozenset()
        for slot in asked:
            around.setdefault(slot, set()).update(flow.loops_around(step.step))
    return {slot: frozenset(loops) for slot, loops in around.items()}


def _dependents(config: SoniConfig) -> dict[str, frozenset[str]]:
    """For each slot that others depend on, those others, and what depends on them."""
    direct: dict[str, set[str]] = {}
    for name, slot in config.slots.items():
        for on in slot.depends_on:
            direct.setdefault(on, set()).add(name)
    found: dict[str, frozenset[str]] = {}
    for changed in direct:
        reached, waiting = set[str](), [changed]
        while waiting:
            more = direct.get(waiting.pop(), set()) - reached
            reached |= more
            waiting += more
        found[changed] = frozenset(reached)
    return found
