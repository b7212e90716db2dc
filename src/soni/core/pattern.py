"""Patterns of text slots: regular expressions that cannot take long, whatever they are matched with."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pydantic_core import PydanticCustomError, core_schema

from soni.core.linear import super_linear
from soni.core.pattern_automaton import PatternTooLarge

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler

MAX_VALUE = 200
"""How many characters a value may have to match any pattern."""
MAX_PATTERN = 200
"""How many characters a pattern may have."""


class Pattern:
    """A regular expression that the whole value has to match; its classes of characters are those of ASCII."""

    __slots__ = ("_compiled", "source")

    def __init__(self, source: str) -> None:
        self.source = source
        if len(source) > MAX_PATTERN:
            raise ValueError(f"a pattern has at most {MAX_PATTERN} characters, not {len(source):,}.")
        try:
            self._compiled = re.compile(source, re.ASCII)
        except (re.error, RecursionError, OverflowError) as error:
            raise ValueError(f"'{source}' is not a regular expression: {error}.") from None
        try:
            slow_text = super_linear(source, re.ASCII, use="fullmatch")
        except PatternTooLarge as error:
            raise ValueError(f"'{source}' repeats too much: {error}.") from None
        if slow_text is not None:
            raise ValueError(
                f"'{source}' may take very long on some values: a repeat is inside another one, or beside one that "
                "takes the same characters. Give repeats an upper limit, such as {1,4}, or something else between them."
            )

    def matches(self, value: str) -> bool:
        """Whether the whole value is of this form; a long value never is."""
        return len(value) <= MAX_VALUE and self._compiled.fullmatch(value) is not None

    def __repr__(self) -> str:
        return f"Pattern({self.source!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pattern) and other.source == self.source

    def __hash__(self) -> int:
        return hash(self.source)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(
            cls._validate, serialization=core_schema.plain_serializer_function_ser_schema(lambda value: value.source)
        )

    @classmethod
    def _validate(cls, value: object) -> Pattern:
        if isinstance(value, Pattern):
            return value
        if not isinstance(value, str):
            raise PydanticCustomError("pattern", "a pattern is a text in quotes, such as '[0-9]{6}'.")
        try:
            return cls(value)
        except ValueError as error:
            raise PydanticCustomError("pattern", "{reason}", {"reason": str(error)}) from None
