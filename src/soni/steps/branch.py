"""branch: choose the next step, by the first case that is true or by a slot's value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, TypeAdapter, model_validator
from pydantic_core import PydanticCustomError

from soni.core.expression import Expression
from soni.core.refusal import refusal
from soni.steps.step import Outcome, Step, StepContext, register

if TYPE_CHECKING:
    from collections.abc import Mapping


class Case(BaseModel):
    """One way to go: `when` an expression holds, or the slot `is` a value, or `else`."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, arbitrary_types_allowed=True)

    when: Expression | None = None
    is_: Any = Field(default=None, alias="is")
    then: str | None = None
    else_: str | None = Field(default=None, alias="else")

    @model_validator(mode="after")
    def _one_way(self) -> Case:
        conditions = (self.when is not None) + ("is_" in self.model_fields_set)
        if self.else_ is not None and (conditions or self.then is not None):
            raise PydanticCustomError("case", "'else' stands alone in its case.")
        if self.else_ is None and (conditions != 1 or self.then is None):
            raise PydanticCustomError("case", "a case needs 'when' (or 'is') and 'then', or only 'else'.")
        return self

    @property
    def target(self) -> str:
        return self.else_ or self.then or ""


_BY_VALUE = TypeAdapter(dict[str, str])
_IN_ORDER = TypeAdapter(list[Case])


def _read_cases(data: object) -> list[Case] | dict[str, str]:
    if not data or not isinstance(data, dict | list):
        raise refusal('a branch needs cases, such as [{when: "amount > 5", then: review}, {else: end}].', value=data)
    return _BY_VALUE.validate_python(data) if isinstance(data, dict) else _IN_ORDER.validate_python(data)


@register
class BranchStepConfig(Step):
    """Go one of several ways."""

    main = "slot"

    slot: str | None = None
    cases: Annotated[list[Case] | dict[str, str], PlainValidator(_read_cases)]

    @model_validator(mode="after")
    def _cases_fit(self) -> BranchStepConfig:
        if self.slot is None and any("is_" in case.model_fields_set for case in self.ways):
            raise refusal("cases by value need 'slot: …' to say whose value.", "cases")
        for index, case in enumerate(self.ways[:-1]):
            if case.else_ is not None:
                raise refusal("'else' must be the last case; those after it are never looked at.", "cases", index)
        return self

    @property
    def ways(self) -> list[Case]:
        """The cases in order, whichever way they were written."""
        if isinstance(self.cases, list):
            return self.cases
        return [
            Case(else_=target) if value == "else" else Case(is_=value, then=target)
            for value, target in self.cases.items()
        ]

    @property
    def targets(self) -> Mapping[str, str]:
        if isinstance(self.cases, dict):
            return {f"cases.{value}": target for value, target in self.cases.items()}
        return {f"cases.{n}.{'else' if case.else_ else 'then'}": case.target for n, case in enumerate(self.cases)}

    @property
    def falls_through(self) -> bool:
        return all(case.else_ is None for case in self.ways)

    @property
    def expressions(self) -> Mapping[str, Expression]:
        return {f"cases.{n}.when": case.when for n, case in enumerate(self.ways) if case.when is not None}

    @property
    def reads(self) -> Mapping[str, str]:
        return {"slot": self.slot} if self.slot else {}

    async def run(self, ctx: StepContext) -> Outcome:
        for case in self.ways:
            if case.else_ is not None:
                return Outcome(why="no case held", goto=case.else_)
            if case.when is not None:
                if case.when.holds(ctx.slots):
                    return Outcome(why=case.when.source, goto=case.then)
            elif self.slot is not None and _same(ctx.slots.get(self.slot), case.is_):
                return Outcome(why=f"{self.slot} is {case.is_}", goto=case.then)
        return Outcome(why="no case held")


def _same(value: Any, wanted: Any) -> bool:
    """YAML keys are words: `true` and `3` mean the values they read as."""
    return bool(value == wanted) or (value is not None and str(value).lower() == str(wanted).lower())
