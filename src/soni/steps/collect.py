"""collect: fill a slot, asking the person only if it is empty."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from soni.core.pending_task import collect, inform
from soni.core.rule import Rule
from soni.core.template import Text
from soni.steps.step import Outcome, Step, StepContext, Transfer, register

if TYPE_CHECKING:
    from collections.abc import Mapping


@register
class CollectStepConfig(Step):
    """Ask for a slot's value."""

    main = "slot"

    slot: str
    message: Text | None = None
    options: list[Text] = []
    ask_always: bool = False
    optional: bool = False
    why: Text | None = None
    """What to say to somebody who would rather not answer."""
    validate_: Rule | None = Field(default=None, alias="validate")
    error: Text | None = None
    attempts: int = Field(default=3, ge=1)
    on_attempts: str | None = None

    @property
    def waits(self) -> bool:
        return True

    @property
    def asks(self) -> str | None:
        return self.slot

    @property
    def asks_anew(self) -> bool:
        return self.ask_always

    @property
    def may_be_left_out(self) -> bool:
        return self.optional

    @property
    def sets(self) -> Mapping[str, str]:
        return {"slot": self.slot}

    @property
    def targets(self) -> Mapping[str, str]:
        return {"on_attempts": self.on_attempts} if self.on_attempts else {}

    @property
    def texts(self) -> Mapping[str, Text]:
        texts = {"message": self.message, "error": self.error, "why": self.why}
        options = {f"options.{n}": text for n, text in enumerate(self.options)}
        return {name: text for name, text in texts.items() if text} | options

    async def run(self, ctx: StepContext) -> Outcome:
        if self.optional and ctx.answer is False:
            return Outcome(why="the person left it out")
        if ctx.slots.get(self.slot) is not None and (not self.ask_always or ctx.answer is not None):
            return Outcome(why=f"{self.slot} is filled")
        if ctx.attempts >= self.attempts:
            why = f"{self.attempts} answers were refused"
            if self.on_attempts:
                return Outcome(why=why, goto=self.on_attempts)
            offer = ctx.event_flow("offer_person")
            if offer is not None and ctx.returned is None:
                asks = Transfer(offer, about={"reason": why}, event="offer_person")
                return Outcome(why=why, task=inform(ctx.phrase("stuck")), transfer=asks)
            text = "stopped" if ctx.done else "too_many_attempts"
            return Outcome(why=why, abandon=True, task=inform(ctx.phrase(text)))
        prompt = ctx.render(self.message) if self.message else ctx.question(self.slot)
        choices = ctx.choices(self.slot)
        return Outcome(
            why=f"{self.slot} is empty",
            task=collect(
                prompt,
                self.slot,
                options=[ctx.render(option) for option in self.options] or [label for _, label in choices],
                values=None if self.options else [value for value, _ in choices],
                metadata={"optional": True} if self.optional else None,
            ),
        )
