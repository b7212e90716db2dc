"""The contract of a step: its YAML fields, what it reads, where it can go, and its `run`."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Protocol

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, PlainValidator, ValidationError, model_validator

from soni.core.expression import Expression
from soni.core.refusal import refusal
from soni.core.state import digest
from soni.core.template import Text
from soni.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence, Set

    from soni.core.pending_task import PendingTask

END = "end"
HANDOFF = "handoff"
RESERVED = (END, HANDOFF)
"""Targets every flow has without declaring a step of that name."""

STEPS: dict[str, type[Step]] = {}
"""Every step type by the word that names it in YAML."""


@dataclass(frozen=True, slots=True)
class Transfer:
    """Another flow to run: `inputs` and `outputs` map the slots that differ in name (theirs: ours)."""

    flow: str
    inputs: dict[str, str] = field(default_factory=dict)
    outputs: dict[str, str] = field(default_factory=dict)
    returns: bool = True
    about: dict[str, str] = field(default_factory=dict)
    """What the flow of an event is told."""
    event: str | None = None
    """The event that the flow is for, if it is for one."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a step decided. Without a task that waits, the flow goes on."""

    why: str = ""
    task: PendingTask | None = None
    goto: str | None = None
    """A step or a reserved target; None follows `jump_to` or the order of the list."""
    writes: Mapping[str, Any] = field(default_factory=dict)
    """Values as `StepContext.accept` returned them."""
    forget: frozenset[str] = frozenset()
    transfer: Transfer | None = None
    abandon: bool = False
    """End this flow and every flow that called it: what they were for is not going to happen."""
    handoff: bool = False
    """Give the conversation to a person; `why` is the reason."""
    event: str | None = None
    """What happened here; the author's flow for it, if there is one, takes the place of the task."""
    skipped: bool = False
    """The step did not run: its `if` did not hold."""
    kept: bool = False
    """What was said before still counts: nothing was asked."""
    confirmed: bool | None = None
    """For a confirmation: what the person said to it."""
    returned: Mapping[str, str] | None = None
    """For a call that has come back: which of its slots have other names here (theirs: ours)."""
    rounds: int | None = None
    """For a loop: how many rounds have begun; 0 leaves it."""


class StepContext(Protocol):
    """What a step may see and do while it runs."""

    @property
    def slots(self) -> Mapping[str, Any]:
        """Loaded values; what is read is noted, so that a later correction finds the steps it touches."""

    @property
    def answer(self) -> bool | None:
        """The person's answer to this very visit's question; None if there is none, or what was shown has changed."""

    @property
    def attempts(self) -> int:
        """How many answers to this visit's question were refused."""

    @property
    def own_slots(self) -> Set[str]:
        """The slots of this flow that a called flow may fill."""

    @property
    def acted(self) -> bool:
        """Whether this very step has done, or may have done, something that must not happen twice."""

    @property
    def done(self) -> bool:
        """Whether this flow, or one around it, has done something that cannot be taken back."""

    @property
    def has_people(self) -> bool:
        """Whether there is anybody to hand the conversation to."""

    @property
    def rounds(self) -> int:
        """How many rounds of this loop have begun."""

    @property
    def returned(self) -> Mapping[str, Any] | None:
        """The slots of the flow that this step called, as they are stored, once it has finished."""

    def render(self, text: Text) -> str:
        """A text for the person, in their language."""

    def phrase(self, name: str, **values: str) -> str:
        """One of the assistant's general texts."""

    def question(self, slot: str) -> str:
        """How to ask for a slot that has no question of its own."""

    def event_flow(self, event: str) -> str | None:
        """The flow for something that can happen in any conversation, if it has one."""

    def flows(self, names: Sequence[str]) -> list[tuple[str, str]]:
        """Those of the flows that people can start now, each with what to call it."""

    def choices(self, slot: str) -> list[tuple[str, str]]:
        """The (value, label) pairs a slot allows, if it allows only some."""

    async def accept(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """The values as their slots store them; InvalidValue if a slot cannot hold its own."""

    async def call_action(
        self, name: str, *, outputs: Mapping[str, str], timeout: float | None, retry: int
    ) -> Mapping[str, Any]:
        """Run an action on the slots its signature names; ActionError if it fails.

        What comes back are the slots that `outputs` names for parts of its result, as stored; None empties one.
        """


def after_effect(ctx: StepContext) -> str:
    """The text for a failure after something was done; a person is promised only where there is one."""
    return "failed_after_effect" if ctx.has_people else "failed_after_effect_alone"


class Step(BaseModel):
    """One step of a flow."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        populate_by_name=True,
        arbitrary_types_allowed=True,
        coerce_numbers_to_str=True,
    )

    main: ClassVar[str | None] = None
    """The field that the short form fills: `- collect: amount` means `slot: amount`."""
    remembers: ClassVar[bool] = False
    """Whether the step is passed over when the flow is derived again and nothing that it read has changed.

    It is for steps that speak or act; others run again, and nobody notices.
    """
    confirms: ClassVar[bool] = False
    """Whether the step asks for a yes or a no, which holds for what was shown."""
    empties: ClassVar[bool] = False
    """Whether a slot that the step gives no value to is emptied, even if a person has filled it."""

    step: str
    type: str = ""
    if_: Expression | None = Field(default=None, alias="if")
    jump_to: str | None = None

    @abstractmethod
    async def run(self, ctx: StepContext) -> Outcome:
        """Do the step."""

    @property
    def waits(self) -> bool:
        """Whether the step can stop and wait for the person."""
        return False

    @property
    def speaks(self) -> bool:
        """Whether the step tells or asks the person something: every rule holds by then."""
        return self.waits or bool(self.texts)

    @property
    def targets(self) -> Mapping[str, str]:
        """Steps this one may go to besides the next, by the field that names them."""
        return {}

    @property
    def falls_through(self) -> bool:
        """Whether the step can go on to the next in the list."""
        return True

    @property
    def expressions(self) -> Mapping[str, Expression]:
        """The expressions of the step, by field; `if` comes on its own."""
        return {}

    @property
    def texts(self) -> Mapping[str, Text]:
        """What the step may say, by field."""
        return {}

    @property
    def sets(self) -> Mapping[str, str]:
        """The slots the step may write, by the field that names them."""
        return {}

    @property
    def reads(self) -> Mapping[str, str]:
        """The slots the step reads outside of expressions and texts, by the field that names them."""
        return {}

    @property
    def flow(self) -> str | None:
        """The other flow the step goes to."""
        return None

    @property
    def asks(self) -> str | None:
        """The slot whose value the step gets from the person."""
        return None

    @property
    def asks_for_value(self) -> bool:
        """Whether the person fills the slot in words; a yes or no does not count as that."""
        return self.asks is not None and not self.confirms

    @property
    def asks_anew(self) -> bool:
        """Whether the person is asked even if the slot has a value."""
        return False

    @property
    def may_be_left_out(self) -> bool:
        """Whether the person may leave the slot empty."""
        return False

    @property
    def body(self) -> tuple[Step, ...]:
        """Steps written inside this one."""
        return ()

    @cached_property
    def mark(self) -> str:
        """Tells whether a step is still written as it was when it asked."""
        return digest(self.model_dump(mode="json", by_alias=True))

    @model_validator(mode="before")
    @classmethod
    def _type_is_the_class(cls, data: Any) -> Any:
        return {"type": _word(cls), **data} if isinstance(data, dict) else data


def register(kind: type[Step]) -> type[Step]:
    """Make a step type known under its word; other packages use this too."""
    STEPS[_word(kind)] = kind
    return kind


def _word(kind: type[Step]) -> str:
    return kind.__name__.removesuffix("StepConfig").lower()


def read_step(data: object) -> Step:
    """A step from YAML, long or short form; ValidationError tells each field that is wrong."""
    if isinstance(data, Step):
        return data
    if isinstance(data, str) and data in STEPS and STEPS[data].main is None:
        data = {"type": data}
    if not isinstance(data, dict):
        raise refusal("a step is a map, such as {step: ask, type: collect, slot: name}.", value=data)
    fields = dict(data)
    if fields.get("type") is None:
        fields.pop("type", None)
        fields = _long_form(fields)
    word = fields["type"]
    if not isinstance(word, str) or word not in STEPS:
        raise _unknown_type(word, "type")
    return STEPS[word].model_validate(fields)


def _unknown_type(word: object, *loc: str) -> ValidationError:
    hint = did_you_mean(str(word), STEPS) or f"There are {', '.join(sorted(STEPS))}."
    return refusal(f"there is no step type '{word}'. {hint}", *loc, value=word)


def _long_form(fields: dict[str, Any]) -> dict[str, Any]:
    words = [key for key in fields if key in STEPS]
    if len(words) > 1:
        raise refusal(f"a step has one type, and this has '{words[0]}' and '{words[1]}'.", words[1], value=fields)
    if not words:
        unknown = next((key for key in fields if did_you_mean(key, STEPS) and key not in Step.model_fields), None)
        if unknown is not None:
            raise _unknown_type(unknown)
        raise refusal("the step has no type: write 'type: …', or the type as a key, as in 'say: Hello'.", value=fields)
    word = words[0]
    value = fields.pop(word)
    main = STEPS[word].main
    if main is not None and value is not None:
        if main in fields:
            raise refusal(f"'{main}' is given twice: '{word}: …' gives it already.", main, value=value)
        fields[main] = value
    return {"type": word, **fields}


AnyStep = Annotated[Step, PlainValidator(read_step), PlainSerializer(lambda step: step.model_dump(by_alias=True))]
"""A field that holds a step of whatever type its data says."""
