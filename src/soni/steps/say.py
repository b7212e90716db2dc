"""say: tell the person something, and wait for an acknowledgement if asked to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import model_validator
from pydantic_core import PydanticCustomError

from soni.core.pending_task import inform
from soni.core.template import Text
from soni.steps.step import Outcome, Step, StepContext, register

if TYPE_CHECKING:
    from collections.abc import Mapping


@register
class SayStepConfig(Step):
    """Say a text."""

    main = "message"
    remembers = True

    message: Text
    wait_for_ack: bool = False
    options: list[Text] = []

    @model_validator(mode="after")
    def _options_wait(self) -> SayStepConfig:
        if self.options and not self.wait_for_ack:
            raise PydanticCustomError("say", "'options' need 'wait_for_ack: true': nobody can choose one otherwise.")
        return self

    @property
    def waits(self) -> bool:
        return self.wait_for_ack

    @property
    def texts(self) -> Mapping[str, Text]:
        return {"message": self.message} | {f"options.{n}": text for n, text in enumerate(self.options)}

    async def run(self, ctx: StepContext) -> Outcome:
        # Rendered first on every run: what the person has seen is what was shown.
        message, options = ctx.render(self.message), [ctx.render(option) for option in self.options]
        if self.wait_for_ack and ctx.answer is not None:
            return Outcome(why="acknowledged")
        return Outcome(task=inform(message, wait_for_ack=self.wait_for_ack, options=options))
