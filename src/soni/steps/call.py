"""call: run another flow and come back with what it found out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soni.steps.step import Outcome, Step, StepContext, Transfer, register

if TYPE_CHECKING:
    from collections.abc import Mapping


@register
class CallStepConfig(Step):
    """Call a flow; `inputs` and `outputs` map slots of other names (theirs: ours)."""

    main = "target"

    target: str
    inputs: dict[str, str] = {}
    outputs: dict[str, str] = {}
    on_cancel: str | None = None

    @property
    def targets(self) -> Mapping[str, str]:
        return {"on_cancel": self.on_cancel} if self.on_cancel else {}

    @property
    def sets(self) -> Mapping[str, str]:
        return {f"outputs.{theirs}": ours for theirs, ours in self.outputs.items()}

    @property
    def flow(self) -> str | None:
        return self.target

    @property
    def reads(self) -> Mapping[str, str]:
        return {f"inputs.{theirs}": ours for theirs, ours in self.inputs.items()}

    async def run(self, ctx: StepContext) -> Outcome:
        returned = ctx.returned
        if returned is None:
            # What goes in under another name has to be good under that name.
            given = {theirs: ctx.slots.get(ours) for theirs, ours in self.inputs.items()}
            await ctx.accept({theirs: value for theirs, value in given.items() if value is not None})
            return Outcome(why=f"calls {self.target}", transfer=Transfer(self.target, self.inputs, self.outputs))
        return Outcome(why=f"{self.target} has finished", returned=self.outputs)
