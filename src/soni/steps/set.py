"""set: give slots plain values, or values computed from other slots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from soni.core.expression import Expression
from soni.steps.step import Outcome, Step, StepContext, register

if TYPE_CHECKING:
    from collections.abc import Mapping


@register
class SetStepConfig(Step):
    """Assign slots; null empties one."""

    main = "slots"
    remembers = True
    empties = True

    slots: dict[str, Any] = {}
    compute: dict[str, Expression] = {}

    @property
    def expressions(self) -> Mapping[str, Expression]:
        return {f"compute.{slot}": expression for slot, expression in self.compute.items()}

    @property
    def sets(self) -> Mapping[str, str]:
        return {f"slots.{slot}": slot for slot in self.slots} | {f"compute.{slot}": slot for slot in self.compute}

    async def run(self, ctx: StepContext) -> Outcome:
        values = {**self.slots, **{slot: expression.evaluate(ctx.slots) for slot, expression in self.compute.items()}}
        return Outcome(
            writes=await ctx.accept({slot: value for slot, value in values.items() if value is not None}),
            forget=frozenset(slot for slot, value in values.items() if value is None),
        )
