"""clarify: ask which of several flows is meant; choosing one starts it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soni.core.pending_task import collect
from soni.core.template import Text
from soni.steps.step import Outcome, Step, StepContext, register

if TYPE_CHECKING:
    from collections.abc import Mapping


@register
class ClarifyStepConfig(Step):
    """Ask which flow; it stands in the flow of a `clarification` event, which tells it the candidates."""

    main = "message"

    message: Text

    @property
    def waits(self) -> bool:
        return True

    @property
    def texts(self) -> Mapping[str, Text]:
        return {"message": self.message}

    async def run(self, ctx: StepContext) -> Outcome:
        candidates = ctx.flows(ctx.slots.get("_options") or [])
        if not candidates:
            return Outcome(why="there is nothing to choose from")
        return Outcome(
            why="several flows fit",
            task=collect(
                ctx.render(self.message),
                "_flow",
                options=[label for _, label in candidates],
                values=[name for name, _ in candidates],
                metadata={"offers": "flows"},
            ),
        )
