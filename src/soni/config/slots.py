"""Slots: what an assistant remembers, and of what type."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from soni.core.pattern import Pattern
from soni.core.refusal import refusal
from soni.core.rule import Rule
from soni.core.template import Text
from soni.core.values import TYPES, ValueType
from soni.errors import did_you_mean


class ChoiceOption(BaseModel):
    """One option of a choice: how it is shown, and other words for it."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True, coerce_numbers_to_str=True)

    label: Text | None = None
    description: Text | None = None
    """What it is, for people who ask how the options differ."""
    synonyms: list[str] = []

    @model_validator(mode="before")
    @classmethod
    def _short(cls, data: Any) -> Any:
        if isinstance(data, str):
            raise PydanticCustomError("option", "write other words for an option as a list: [{word}].", {"word": data})
        return {"synonyms": data} if isinstance(data, list) else data or {}


def _known_type(word: object) -> object:
    if not isinstance(word, str) or word not in TYPES:
        hint = did_you_mean(str(word), TYPES) or f"There are {', '.join(sorted(TYPES))}."
        raise PydanticCustomError("slot_type", "{reason}", {"reason": f"there is no slot type '{word}'. {hint}"})
    return word


def _options(data: object) -> object:
    if not isinstance(data, list):
        return data
    for index, value in enumerate(data):
        if isinstance(value, dict | list | bool | None):
            raise refusal("an option is a word; quote it, or write a map of options to their other words.", index)
    return {str(value): {} for value in data}


TypeName = Annotated[str, BeforeValidator(_known_type)]


class SlotConfig(BaseModel):
    """A slot as it is declared."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        populate_by_name=True,
        arbitrary_types_allowed=True,
        coerce_numbers_to_str=True,
    )

    type: TypeName = "text"
    label: Text | None = None
    """What to call the slot in a sentence, with its article: the day."""
    description: Text | None = None
    message: Text | None = None
    examples: list[str] = []
    aliases: list[str] = []
    """Other words for the slot itself, as in 'change the payee'."""
    options: Annotated[dict[str, ChoiceOption], BeforeValidator(_options)] = {}
    items: TypeName = "text"
    validate_: Rule | None = Field(default=None, alias="validate")
    pattern: Pattern | None = None
    """What a whole text has to look like; also how a secret is recognised that nobody asked for."""
    error: Text | None = None
    source: Literal["user", "system"] = "user"
    scope: Literal["flow", "conversation"] = "flow"
    persist: bool = False
    depends_on: list[str] = []
    """Slots whose correction makes this one's value void, as an account's number is with another payee."""
    sensitive: bool = False

    @model_validator(mode="after")
    def _fits_its_type(self) -> SlotConfig:
        if self.type == "choice" and not self.options:
            raise refusal("a choice needs 'options: …', the values it can have.", "type")
        if self.type != "choice" and self.options:
            raise refusal("'options' belongs to a slot of type choice.", "options")
        if self.type != "list" and self.items != "text":
            raise refusal("'items' belongs to a slot of type list.", "items")
        if self.pattern is not None and self.type != "text":
            raise refusal("'pattern' belongs to a slot of type text.", "pattern")
        if self.items in ("list", "choice"):
            raise refusal("a list holds plain values, not lists or choices.", "items")
        try:
            _ = self.value_type
        except ValueError as error:
            raise refusal(f"the options cannot be told apart: {error}.", "options") from None
        return self

    def called(self, name: str, language: str, default: str) -> str:
        """What to call the slot when asking for it: its description, or its name."""
        return self.description.choose(language, default, name).source if self.description else name.replace("_", " ")

    @cached_property
    def option_words(self) -> dict[str, tuple[str, ...]]:
        """Each option with every word the author has for it: its name, its synonyms, its labels."""
        return {
            value: (value.replace("_", " "), *option.synonyms, *_labels(option))
            for value, option in self.options.items()
        }

    @cached_property
    def value_type(self) -> ValueType[Any]:
        """The type that reads and shows this slot's values."""
        if self.type == "choice":
            return TYPES["choice"](options=self.option_words)  # type: ignore[call-arg]  # only this type has options
        if self.type == "list":
            return TYPES["list"](item=TYPES[self.items]())  # type: ignore[call-arg]  # only this type has an item
        return TYPES[self.type]()


def _labels(option: ChoiceOption) -> list[str]:
    if option.label is None:
        return []
    return option.label.sources
