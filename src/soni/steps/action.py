"""action: run Python; its result fills slots, its failure has a way of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from soni.core.pending_task import inform
from soni.core.timespan import Seconds
from soni.errors import ActionError, ActionOutcomeUnknown
from soni.steps.step import HANDOFF, Outcome, Step, StepContext, after_effect, register

if TYPE_CHECKING:
    from collections.abc import Mapping


@register
class ActionStepConfig(Step):
    """Call an action."""

    main = "call"
    remembers = True

    call: str
    map_outputs: dict[str, str] = {}
    timeout: Seconds | None = None
    retry: int = Field(default=0, ge=0)
    on_error: str | None = None
    on_unknown: str | None = None
    on_correct: str | None = None
    """Where to go when a value is corrected that the action has already been done with."""

    @property
    def sets(self) -> Mapping[str, str]:
        return {f"map_outputs.{output}": slot for output, slot in self.map_outputs.items()}

    @property
    def targets(self) -> Mapping[str, str]:
        ways = {"on_error": self.on_error, "on_unknown": self.on_unknown, "on_correct": self.on_correct}
        return {name: target for name, target in ways.items() if target}

    async def run(self, ctx: StepContext) -> Outcome:
        try:
            values = await ctx.call_action(self.call, outputs=self.map_outputs, timeout=self.timeout, retry=self.retry)
        except ActionError as error:
            if ctx.acted and self.on_unknown:
                return Outcome(why=str(error), goto=self.on_unknown)
            if ctx.acted:
                text = "outcome_unknown" if isinstance(error, ActionOutcomeUnknown) else after_effect(ctx)
                task = inform(ctx.phrase(text))
                if ctx.has_people:
                    return Outcome(why=str(error), goto=HANDOFF, task=task)
                return Outcome(why=str(error), abandon=True, task=task)
            if self.on_error:
                return Outcome(why=str(error), goto=self.on_error)
            return Outcome(why=str(error), abandon=True, event="error", task=inform(ctx.phrase("action_failed")))
        writes = {slot: value for slot, value in values.items() if value is not None}
        return Outcome(writes=writes, forget=frozenset(slot for slot, value in values.items() if value is None))
