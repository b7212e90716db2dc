"""confirm: ask yes or no; the answer to this very question is the only thing that writes its slot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from soni.core.pending_task import confirm, inform
from soni.core.template import Text
from soni.steps.step import END, Outcome, Step, StepContext, register

if TYPE_CHECKING:
    from collections.abc import Mapping


@register
class ConfirmStepConfig(Step):
    """Ask whether to go on."""

    main = "slot"
    confirms = True

    slot: str
    message: Text
    on_deny: str | None = None
    attempts: int = Field(default=3, ge=1)

    @property
    def waits(self) -> bool:
        return True

    @property
    def asks(self) -> str | None:
        return self.slot

    @property
    def sets(self) -> Mapping[str, str]:
        return {"slot": self.slot}

    @property
    def targets(self) -> Mapping[str, str]:
        return {"on_deny": self.on_deny} if self.on_deny else {}

    @property
    def texts(self) -> Mapping[str, Text]:
        return {"message": self.message}

    async def run(self, ctx: StepContext) -> Outcome:
        # Rendered first on every run: what the person was shown is what their yes is good for.
        prompt = ctx.render(self.message)
        answer = ctx.answer
        if answer is None and ctx.attempts >= self.attempts:
            answer = False
        if answer is None:
            options = [ctx.phrase("yes"), ctx.phrase("no")]
            return Outcome(why="asked", task=confirm(prompt, options, values=["yes", "no"]))
        writes = await ctx.accept({self.slot: answer})
        if answer:
            return Outcome(why="the person said yes", writes=writes, confirmed=True)
        why = "the person said no"
        if self.on_deny and self.on_deny != END:
            return Outcome(why=why, writes=writes, goto=self.on_deny, confirmed=False)
        # A no must not run on into anything, also not into what called this flow.
        return Outcome(why=why, abandon=True, task=inform(ctx.phrase("stopped" if ctx.done else "denied")))
