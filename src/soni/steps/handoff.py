"""handoff: pass the conversation to a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soni.core.pending_task import inform
from soni.core.template import Text
from soni.steps.step import Outcome, Step, StepContext, register

if TYPE_CHECKING:
    from collections.abc import Mapping


@register
class HandoffStepConfig(Step):
    """Give the conversation to a person, and end the flow and those that called it."""

    main = "reason"

    reason: str | None = None
    message: Text | None = None

    @property
    def texts(self) -> Mapping[str, Text]:
        return {"message": self.message} if self.message else {}

    @property
    def falls_through(self) -> bool:
        return False

    async def run(self, ctx: StepContext) -> Outcome:
        if not ctx.has_people:
            return Outcome(why=self.reason or "", abandon=True, task=inform(ctx.phrase("no_person")))
        text = ctx.render(self.message) if self.message else ctx.phrase("handoff")
        return Outcome(why=self.reason or "", abandon=True, task=inform(text), handoff=True)
