"""end: finish the flow."""

from __future__ import annotations

from soni.steps.step import END, Outcome, Step, StepContext, register


@register
class EndStepConfig(Step):
    """Finish."""

    @property
    def falls_through(self) -> bool:
        return False

    async def run(self, ctx: StepContext) -> Outcome:
        return Outcome(goto=END)
