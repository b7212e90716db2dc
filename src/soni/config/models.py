"""The models of an assistant; every class the YAML can name is importable from here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal

from babel import localedata
from babel.numbers import is_currency
from phonenumbers import SUPPORTED_REGIONS
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    ValidationInfo,
    model_validator,
)
from pydantic_core import PydanticCustomError

from soni.config.slots import ChoiceOption, SlotConfig
from soni.config.texts import Texts
from soni.core.expression import Expression
from soni.core.template import Template, Text
from soni.core.timespan import Seconds
from soni.steps import HANDOFF, STEPS, AnyStep, Step
from soni.steps.action import ActionStepConfig
from soni.steps.branch import BranchStepConfig
from soni.steps.call import CallStepConfig
from soni.steps.collect import CollectStepConfig
from soni.steps.confirm import ConfirmStepConfig
from soni.steps.end import EndStepConfig
from soni.steps.handoff import HandoffStepConfig
from soni.steps.link import LinkStepConfig
from soni.steps.say import SayStepConfig
from soni.steps.set import SetStepConfig
from soni.steps.while_loop import WhileStepConfig

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from soni.config.source import SourceMap

__all__ = [
    "ActionStepConfig",
    "BranchStepConfig",
    "CallStepConfig",
    "ChoiceOption",
    "CollectStepConfig",
    "ConfirmStepConfig",
    "EndStepConfig",
    "FlowConfig",
    "HandoffStepConfig",
    "LLMConfig",
    "LinkStepConfig",
    "PersistenceConfig",
    "Placed",
    "SayStepConfig",
    "SetStepConfig",
    "Settings",
    "SlotConfig",
    "SoniConfig",
    "Texts",
    "TriggerConfig",
    "WhileStepConfig",
]

_MODEL = ConfigDict(
    extra="forbid",
    frozen=True,
    populate_by_name=True,
    arbitrary_types_allowed=True,
    coerce_numbers_to_str=True,
)


class PersistenceConfig(BaseModel):
    """Where `soni chat` keeps conversations."""

    model_config = _MODEL

    backend: Literal["memory", "sqlite"] = "memory"
    path: str = ".soni/conversations.db"


def _code(known: Callable[[str], bool], what: str) -> AfterValidator:
    def check(word: str) -> str:
        if not known(word):
            reason = f"'{word}' is not the code of {what}."
            raise PydanticCustomError("setting", "{reason}", {"reason": reason})
        return word

    return AfterValidator(check)


def _is_language(word: str) -> bool:
    return re.fullmatch("[a-z]{2,3}", word) is not None and localedata.exists(word)


class LLMConfig(BaseModel):
    """The language model to understand with: any name DSPy knows. Keys come from the environment, never from here."""

    model_config = _MODEL

    model: str


class Settings(BaseModel):
    """What holds for the whole assistant."""

    model_config = _MODEL

    language: Annotated[str, _code(_is_language, "a language, such as en or es")] = "en"
    currency: Annotated[str, _code(is_currency, "a currency, such as EUR or USD")] = "EUR"
    region: Annotated[str, _code(SUPPORTED_REGIONS.__contains__, "a country, such as ES or US")] = "ES"
    understanding: Literal["local", "llm"] = "local"
    llm: LLMConfig | None = None
    persistence: PersistenceConfig = PersistenceConfig()
    action_timeout: Seconds = 60.0
    max_depth: int = Field(default=8, ge=1)
    max_steps: int = Field(default=500, ge=10)


def _phrase(text: str) -> str:
    try:
        Template.parse(text)
    except ValueError as error:
        raise PydanticCustomError("trigger", "{reason}", {"reason": f"the phrase '{text}' {error}."}) from None
    return text


class TriggerConfig(BaseModel):
    """How people ask for a flow."""

    model_config = _MODEL

    intents: list[Annotated[str, AfterValidator(_phrase)]] = []

    @cached_property
    def templates(self) -> tuple[Template, ...]:
        """The phrases, cut at the slots they name."""
        return tuple(Template.parse(phrase) for phrase in self.intents)


@dataclass(frozen=True, slots=True)
class Placed:
    """A step where it stands: its path in the flow, what follows it, and the loops around it."""

    step: Step
    path: tuple[str | int, ...]
    next: str | None
    loops: tuple[str, ...]


_REFERENCES = ("slot", "call", "target")
"""Main fields that name something; a text or an expression may be rewritten without the step becoming another."""


def named(steps: object) -> object:
    """Give each step that has no name one that stays the same while the step does."""
    if not isinstance(steps, list):
        return steps
    taken = set(_names(steps))

    def walk(items: list[Any]) -> list[Any]:
        return [with_name(item) for item in items]

    def with_name(item: Any) -> Any:
        if isinstance(item, str) and item in STEPS:
            item = {"type": item}
        if not isinstance(item, dict):
            return item
        if "step" not in item:
            stem = _stem(item)
            name, number = stem, 2
            while name in taken:
                name, number = f"{stem}_{number}", number + 1
            taken.add(name)
            item = {"step": name, **item}
        return {**item, "do": walk(item["do"])} if isinstance(item.get("do"), list) else item

    return walk(steps)


def _names(steps: list[Any]) -> Iterator[str]:
    for item in steps:
        if isinstance(item, dict):
            if isinstance(item.get("step"), str):
                yield item["step"]
            if isinstance(item.get("do"), list):
                yield from _names(item["do"])


def _stem(item: dict[str, Any]) -> str:
    word = str(item.get("type") or next((key for key in item if key in STEPS), "step"))
    main = STEPS[word].main if word in STEPS else None
    if main not in _REFERENCES:
        return word
    value = item.get(main if "type" in item else word)
    return f"{word}_{value}" if isinstance(value, str) and value.isidentifier() else word


class FlowConfig(BaseModel):
    """A flow: how it is asked for, and its steps."""

    model_config = _MODEL

    description: str | None = None
    trigger: TriggerConfig = TriggerConfig()
    if_: Expression | None = Field(default=None, alias="if")
    steps: Annotated[list[AnyStep], BeforeValidator(named), Field(min_length=1)]

    @cached_property
    def placed(self) -> tuple[Placed, ...]:
        """Every step, those inside loops too, in the order they are written."""
        return tuple(_place(self.steps, ("steps",), None, ()))

    @cached_property
    def plan(self) -> dict[str, Placed]:
        """Every step by name, with the built-in `handoff` if a step goes there."""
        plan = {placed.step.step: placed for placed in self.placed}
        targets = {target for placed in self.placed for target in _targets(placed.step)}
        unknown_outcome = any(isinstance(placed.step, ActionStepConfig) for placed in self.placed)
        if HANDOFF not in plan and (HANDOFF in targets or unknown_outcome):
            plan[HANDOFF] = Placed(HandoffStepConfig(step=HANDOFF), ("steps",), None, ())
        return plan

    @property
    def first_step(self) -> str | None:
        """Where the flow begins."""
        return self.steps[0].step if self.steps else None

    @cached_property
    def slot_names(self) -> frozenset[str]:
        """The slots of the flow: those its steps and trigger phrases name."""
        phrases = self.trigger.templates
        names = {piece.slot for phrase in phrases for piece in phrase.pieces if not isinstance(piece, str)}
        for placed in self.placed:
            step = placed.step
            names |= {*step.sets.values(), *step.reads.values()}
            names |= {name for expression in step.expressions.values() for name in expression.names}
            names |= step.if_.names if step.if_ else set()
            names |= {field.slot for text in step.texts.values() for field in text.fields}
        return frozenset(names)


def _place(
    steps: Sequence[Step], path: tuple[str | int, ...], after: str | None, loops: tuple[str, ...]
) -> Iterator[Placed]:
    for index, step in enumerate(steps):
        following = steps[index + 1].step if index + 1 < len(steps) else after
        here = (*path, index)
        yield Placed(step, here, following, loops)
        yield from _place(step.body, (*here, "do"), step.step, (*loops, step.step))


def _targets(step: Step) -> set[str]:
    return {*step.targets.values(), *([step.jump_to] if step.jump_to else [])}


class SoniConfig(BaseModel):
    """An assistant. Slots that are not declared here are text; in YAML every slot must be declared."""

    model_config = _MODEL

    version: Annotated[Literal["1"], BeforeValidator(lambda version: "1" if version == 1 else version)] = "1"
    settings: Settings = Settings()
    slots: dict[str, SlotConfig] = {}
    flows: dict[str, FlowConfig]
    texts: Texts = Texts()

    _source: SourceMap | None = PrivateAttr(default=None)
    _damaged: frozenset[tuple[str | int, ...]] = PrivateAttr(default=frozenset())
    """The slots and flows that the loader had to mend to read on; what depends on them cannot be judged."""

    @model_validator(mode="after")
    def _declare_the_rest(self, info: ValidationInfo) -> SoniConfig:
        if info.context and info.context.get("from_yaml"):
            return self
        for flow in self.flows.values():
            for slot in sorted(flow.slot_names):
                kind = "boolean" if slot in self.confirm_slots else "text"
                self.slots.setdefault(slot, SlotConfig(type=kind))
        return self

    @cached_property
    def confirm_slots(self) -> frozenset[str]:
        """Slots that only a confirm step may write."""
        steps = (placed.step for flow in self.flows.values() for placed in flow.placed)
        return frozenset(step.slot for step in steps if isinstance(step, ConfirmStepConfig))

    @cached_property
    def conversation_slots(self) -> frozenset[str]:
        """Slots that belong to the conversation, not to a flow."""
        return frozenset(name for name, slot in self.slots.items() if slot.scope == "conversation")

    @cached_property
    def languages(self) -> frozenset[str]:
        """The languages the author wrote texts for, and the default one."""
        found = {self.settings.language}
        for text in self._texts():
            found |= text.languages
        return frozenset(found)

    def _texts(self) -> Iterator[Text]:
        for slot in self.slots.values():
            yield from (text for text in (slot.message, slot.error) if text)
        for flow in self.flows.values():
            for placed in flow.placed:
                yield from placed.step.texts.values()
