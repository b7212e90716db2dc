"""link: go to another flow for good."""

from __future__ import annotations

from soni.steps.step import Outcome, Step, StepContext, Transfer, register


@register
class LinkStepConfig(Step):
    """End this flow and start another; slots that both have come along."""

    main = "target"

    target: str

    @property
    def flow(self) -> str | None:
        return self.target

    @property
    def falls_through(self) -> bool:
        return False

    async def run(self, ctx: StepContext) -> Outcome:
        return Outcome(why=f"goes to {self.target}", transfer=Transfer(self.target, returns=False))
