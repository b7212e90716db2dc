"""while: run the steps inside again and again while a condition holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from soni.core.expression import Expression
from soni.errors import LimitReached
from soni.steps.step import AnyStep, Outcome, Step, StepContext, register

if TYPE_CHECKING:
    from collections.abc import Mapping


@register
class WhileStepConfig(Step):
    """Repeat; each new round forgets what the body asked for, unless `keep` is set."""

    main = "condition"

    condition: Expression
    do: list[AnyStep] = Field(min_length=1)
    keep: bool = False
    limit: int = Field(default=100, ge=1)

    @property
    def expressions(self) -> Mapping[str, Expression]:
        return {"condition": self.condition}

    @property
    def body(self) -> tuple[Step, ...]:
        return tuple(self.do)

    @property
    def targets(self) -> Mapping[str, str]:
        return {"do": self.do[0].step}

    async def run(self, ctx: StepContext) -> Outcome:
        if not self.condition.holds(ctx.slots):
            return Outcome(why=f"{self.condition.source} is false", rounds=0)
        if ctx.rounds >= self.limit:
            raise LimitReached(f"step '{self.step}' has begun {self.limit} rounds")
        # A first round keeps what the person has already said of it.
        again = ctx.rounds > 0 and not self.keep
        return Outcome(
            why=f"{self.condition.source} is true",
            goto=self.do[0].step,
            rounds=ctx.rounds + 1,
            forget=frozenset(_asked_in(self.do)) if again else frozenset(),
        )


def _asked_in(steps: list[Step]) -> set[str]:
    inner = {slot for step in steps for slot in _asked_in(list(step.body))}
    return inner | {step.asks for step in steps if step.asks}
