"""The rules of slots and questions: which slots they read, and where they could not be kept."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from soni.config.paths import Path, closure, field_path, may_be_set
from soni.core.rule import rule_slots
from soni.errors import Problem, did_you_mean
from soni.steps.call import CallStepConfig

if TYPE_CHECKING:
    from collections.abc import Iterator

    from soni.config.flows import Placed
    from soni.config.models import FlowConfig, SoniConfig
    from soni.core.expression import Expression
    from soni.core.rule import KnownValidators
    from soni.steps import Step


def rules_of(config: SoniConfig, step: Step) -> list[Expression | str]:
    """The rules that an answer to a step's question has to keep: the slot's, and those of the question itself."""
    if step.asks is None or step.asks not in config.slots:
        return []
    rules = [config.slots[step.asks].validate_, getattr(step, "validate_", None)]
    return [rule for rule in rules if rule is not None]


def ruled_slots(config: SoniConfig, flow: FlowConfig, known: KnownValidators | None) -> frozenset[str]:
    """The slots that the rules of a flow's questions read."""
    steps = [placed.step for placed in flow.placed]
    read = [rule_slots(rule, step.asks, known) for step in steps if step.asks for rule in rules_of(config, step)]
    return frozenset[str]().union(*read) & set(config.slots)


def unknown_parameters(
    config: SoniConfig, validator: str, path: Path, where: str, known: KnownValidators
) -> Iterator[Problem]:
    """What a validator needs and no slot is there for."""
    for parameter, required in known.validator_slots(validator).items():
        if required and parameter not in config.slots:
            message = f"{where}: the validator '{validator}' takes '{parameter}', which is not a slot."
            explained = "Its first parameter is the value, the others are slots; declare it, or give it a default."
            yield Problem(message, path, did_you_mean(parameter, config.slots) or explained)


class Rules:
    """What the flows of an assistant can do about its rules."""

    def __init__(self, config: SoniConfig, known: KnownValidators | None) -> None:
        self._config = config
        self._known = known

    def problems(self) -> Iterator[Problem]:
        """Rules that are never looked at, or that nobody could put right."""
        for name, slot in self._config.own_slots.items():
            if isinstance(slot.validate_, str):
                asking = self._asking.get(name, [])
                path: Path = ("slots", name, "validate")
                yield from self._unfilled(slot.validate_, name, asking, path, f"slot '{name}'")
        for flow, placed in self._steps:
            rule = getattr(placed.step, "validate_", None)
            if isinstance(rule, str):
                path = ("flows", flow, *placed.path, "validate")
                where = f"flow '{flow}', step '{placed.step.step}'"
                yield from self._unfilled(rule, placed.step.asks or "", [flow], path, where)
        for name in self._config.flows:
            yield from self._unasked(name)

    @cached_property
    def _steps(self) -> list[tuple[str, Placed]]:
        return [(name, placed) for name, flow in self._config.flows.items() for placed in flow.placed]

    @cached_property
    def _asking(self) -> dict[str, list[str]]:
        """The flows that ask for each slot."""
        asking: dict[str, list[str]] = {}
        for flow, placed in self._steps:
            asking.setdefault(placed.step.asks or "", []).append(flow)
        return asking

    @cached_property
    def _over_several(self) -> dict[str, frozenset[str]]:
        """The slots whose rule reads others, with those others."""
        rules = {name: slot.validate_ for name, slot in self._config.own_slots.items() if slot.validate_ is not None}
        others = {name: rule_slots(rule, name, self._known) - {name} for name, rule in rules.items()}
        return {name: read for name, read in others.items() if read}

    @cached_property
    def _calls(self) -> dict[str, set[str]]:
        calls: dict[str, set[str]] = {name: set() for name in self._config.flows}
        for name, placed in self._steps:
            if isinstance(placed.step, CallStepConfig) and placed.step.target in calls:
                calls[name].add(placed.step.target)
        return calls

    @cached_property
    def _callers(self) -> dict[str, set[str]]:
        callers: dict[str, set[str]] = {name: set() for name in self._config.flows}
        for caller, called in self._calls.items():
            for name in called:
                callers[name].add(caller)
        return callers

    def _unfilled(self, validator: str, own: str, asking: list[str], path: Path, where: str) -> Iterator[Problem]:
        """A validator that waits for a slot which nothing sets where it is wanted is never asked."""
        if self._known is None or validator not in self._known.validators() or not asking:
            return
        can_be = set[str]().union(*(may_be_set(self._config, flow) for flow in asking))
        for slot, required in self._known.validator_slots(validator).items():
            if required and slot in self._config.slots and slot not in can_be:
                unset = f"takes '{slot}', which nothing sets where '{own}' is asked for."
                hint = "Collect it, set it or pass it in, or give the parameter a default."
                yield Problem(f"{where}: the validator '{validator}' {unset}", path, hint)

    def _unasked(self, name: str) -> Iterator[Problem]:
        """Rules that a step of this flow can break, about slots that neither it nor a flow around it asks for."""
        flow = self._config.flows[name]
        here = self._over_several.keys() & flow.slot_names
        around = closure(self._calls, closure(self._callers, [name])) if here else set()
        asked = {placed.step.asks for other in around for placed in self._config.flows[other].placed}
        for own in sorted(here - asked):
            sets = (
                (placed, field, slot)
                for placed in flow.placed
                for field, slot in [*placed.step.sets.items(), *self._returned(flow, placed.step, self._set_in)]
            )
            breaks = next((one for one in sets if one[2] in self._over_several[own]), None)
            if breaks is not None:
                placed, field, slot = breaks
                message = (
                    f"flow '{name}', step '{placed.step.step}' sets '{slot}', which the rule of '{own}' reads, "
                    f"and nobody is asked for '{own}' when that breaks the rule."
                )
                hint = f"Collect '{own}' in the flow, or write the rule for a slot that is collected."
                yield Problem(message, ("flows", name, *placed.path, *field_path(field)), hint)

    @cached_property
    def _set_in(self) -> dict[str, set[str]]:
        """The slots that each flow sets, itself or by the flows it calls."""
        found = {name: set[str]() for name in self._config.flows}
        changed = True
        while changed:
            before = {name: len(slots) for name, slots in found.items()}
            for name, placed in self._steps:
                returned = self._returned(self._config.flows[name], placed.step, found)
                found[name] |= {*placed.step.sets.values(), *(slot for _, slot in returned)}
            changed = before != {name: len(slots) for name, slots in found.items()}
        return found

    def _returned(self, flow: FlowConfig, step: Step, set_in: dict[str, set[str]]) -> list[tuple[str, str]]:
        """The slots that a call brings back under their own names, each with the field that says so."""
        if not isinstance(step, CallStepConfig) or step.target not in set_in:
            return []
        slots = (set_in[step.target] & flow.slot_names) - set(step.outputs) - self._config.confirm_slots
        return [("target", slot) for slot in sorted(slots)]
