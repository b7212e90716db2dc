"""What the derivation needs to know of an assistant's flows and slots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soni.config.models import ActionStepConfig, CollectStepConfig
from soni.flow.derivation.memory import FlowShape, World
from soni.runtime.rules import rule_slots

if TYPE_CHECKING:
    from soni.actions import Actions
    from soni.config.models import FlowConfig, SoniConfig


def world_of(config: SoniConfig, actions: Actions) -> World:
    """The flows of an assistant, with what their steps, actions and rules name."""
    names = {name: _slot_names(config, flow, actions) for name, flow in config.runnable.items()}
    reachable = {name: frozenset().union(*(names[other] for other in _reached(config, name))) for name in names}
    return World(
        flows={
            name: FlowShape(flow.first_step, names[name], reachable[name], _loops(config, flow, reachable))
            for name, flow in config.runnable.items()
        },
        conversation=config.conversation_slots,
        secrets=frozenset(name for name, slot in config.slots.items() if slot.sensitive),
        dependents={name: frozenset(_dependents(config, name)) for name in config.slots},
    )


def _slot_names(config: SoniConfig, flow: FlowConfig, actions: Actions) -> frozenset[str]:
    """What an action's signature names belongs to the flow that calls it, and a rule's slots to the flow that asks."""
    names = set(flow.slot_names)
    for placed in flow.placed:
        step = placed.step
        if isinstance(step, ActionStepConfig):
            names |= set(actions.parameters(step.call)) & set(config.slots)
        if isinstance(step, CollectStepConfig):
            for rule in (step.validate_, config.slots[step.slot].validate_):
                names |= rule_slots(rule, step.slot, actions) if rule is not None else set()
    return frozenset(names)


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


def _dependents(config: SoniConfig, slot: str) -> set[str]:
    found, waiting = set[str](), [slot]
    while waiting:
        on = waiting.pop()
        more = {name for name, other in config.slots.items() if on in other.depends_on} - found
        found |= more
        waiting += more
    return found
