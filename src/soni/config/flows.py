"""Flows as they are declared: how they are asked for, their steps, and where each step stands."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, PlainValidator, TypeAdapter
from pydantic_core import PydanticCustomError

from soni.core.expression import Expression
from soni.core.template import Template, Text, is_language
from soni.steps import HANDOFF, STEPS, AnyStep, Step
from soni.steps.action import ActionStepConfig
from soni.steps.handoff import HandoffStepConfig

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

MODEL = ConfigDict(
    extra="forbid",
    frozen=True,
    populate_by_name=True,
    arbitrary_types_allowed=True,
    coerce_numbers_to_str=True,
)
"""How every part of an assistant is read: strictly, and never changed afterwards."""


def _phrase(text: str) -> str:
    try:
        Template.parse(text)
    except ValueError as error:
        raise PydanticCustomError("trigger", "{reason}", {"reason": f"the phrase '{text}' {error}."}) from None
    return text


def _language(code: str) -> str:
    if not is_language(code):
        reason = f"'{code}' stands where a language such as 'en' or 'es' belongs."
        raise PydanticCustomError("trigger", "{reason}", {"reason": reason})
    return code


_Phrases = list[Annotated[str, AfterValidator(_phrase)]]
_PHRASES = TypeAdapter(_Phrases, config=ConfigDict(coerce_numbers_to_str=True))
_BY_LANGUAGE = TypeAdapter(
    dict[Annotated[str, AfterValidator(_language)], _Phrases], config=ConfigDict(coerce_numbers_to_str=True)
)


def _intents(raw: object) -> object:
    return (_BY_LANGUAGE if isinstance(raw, dict) else _PHRASES).validate_python(raw)


@dataclass(frozen=True, slots=True)
class Phrase:
    """One way to ask for a flow; the language is empty where the author does not say which it is in."""

    template: Template
    language: str
    path: tuple[str | int, ...]
    """Where it stands below `intents`."""


class TriggerConfig(BaseModel):
    """How people ask for a flow."""

    model_config = MODEL

    intents: Annotated[list[str] | dict[str, list[str]], PlainValidator(_intents)] = []

    @cached_property
    def phrases(self) -> tuple[Phrase, ...]:
        """Every phrase, cut at the slots it names."""
        lists = self.intents.items() if isinstance(self.intents, dict) else [("", self.intents)]
        return tuple(
            Phrase(Template.parse(text), language, (language, index) if language else (index,))
            for language, texts in lists
            for index, text in enumerate(texts)
        )

    @cached_property
    def templates(self) -> tuple[Template, ...]:
        """The phrases of all languages."""
        return tuple(phrase.template for phrase in self.phrases)

    def said_in(self, *languages: str) -> list[str]:
        """The phrases of the first of these languages that has any, or of all."""
        for language in languages:
            if own := [phrase.template.source for phrase in self.phrases if phrase.language == language]:
                return own
        return [template.source for template in self.templates]


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

    model_config = MODEL

    description: Text | None = None
    priority: Literal["normal", "urgent"] = "normal"
    """An urgent flow is heard at any question, before the words are taken for an answer."""
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

    @cached_property
    def _order(self) -> dict[str, int]:
        return {step: place for place, step in enumerate(self.plan)}

    @cached_property
    def _laps(self) -> dict[str, int]:
        """The steps that others jump back to, each with the last place that does."""
        laps: dict[str, int] = {}
        for name, placed in self.plan.items():
            for target in _targets(placed.step) & self._order.keys():
                if self._order[target] <= self._order[name]:
                    laps[target] = max(laps.get(target, 0), self._order[name])
        return laps

    def goes_back(self, step: str, target: str) -> bool:
        """Whether going from a step to this one is a jump back; the end of a loop's body is none."""
        return target in _targets(self.plan[step].step) and self._order[target] <= self._order[step]

    def rounds_at(self, step: str, rounds: Mapping[str, int], before: str) -> dict[str, int]:
        """Counts of the loops that a step is in, coming from another one; a loop left behind starts anew."""
        counts = dict(rounds)
        if self.goes_back(before, step):
            counts[f"@{step}"] = counts.get(f"@{step}", 0) + 1
        return {loop: counts[loop] for loop in self.loops_around(step) if counts.get(loop)}

    def loops_around(self, step: str) -> tuple[str, ...]:
        """The loops that a step stands in, and is, outermost first; `@` and a step is what a jump back repeats."""
        here = self._order[step]
        laps = [(self._order[to], f"@{to}") for to, last in self._laps.items() if self._order[to] <= here <= last]
        bodies = [(self._order[loop], loop) for loop in (*self.plan[step].loops, step)]
        return tuple(loop for _, loop in sorted([*laps, *bodies], key=lambda item: (item[0], item[1][0] != "@")))

    def label(self, name: str, language: str, default: str) -> str:
        """What to call the flow when talking about it: its description, or its name."""
        return self.description.choose(language, default, name).source if self.description else name.replace("_", " ")

    @property
    def first_step(self) -> str | None:
        """Where the flow begins."""
        return self.steps[0].step if self.steps else None

    @cached_property
    def only_speaks(self) -> bool:
        """Whether the flow runs through without asking anything or going elsewhere."""
        return not any(placed.step.waits or placed.step.flow for placed in self.plan.values())

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
