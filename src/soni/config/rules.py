"""The rules of slots and questions, and which slots they read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soni.core.rule import rule_slots

if TYPE_CHECKING:
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
