"""Patterns of text slots: regular expressions that cannot take long, whatever they are matched with.

A pattern is matched by backtracking. What that can cost is the number of ways in which a value can be divided among
the repeats of the pattern. Most repeats leave no choice, because what follows begins with another character
(`[a-z]+@[a-z]+`). The others are counted, and a pattern with too many ways is refused when the assistant is loaded.
"""

from __future__ import annotations

import re
from re import _constants as codes  # the parser of the standard library has no public name
from re import _parser as parser
from typing import TYPE_CHECKING, Any

from pydantic_core import PydanticCustomError, core_schema

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler

MAX_VALUE = 200
"""How many characters a value may have to match any pattern."""
MAX_PATTERN = 200
"""How many characters a pattern may have."""
MAX_WAYS = 1_000
"""In how many ways a value may be divided among the repeats of a pattern."""

_Characters = frozenset[int]
_OTHER = 128
"""Stands for every character that is not ASCII."""
_ALL: _Characters = frozenset(range(_OTHER + 1))
_CATEGORIES: dict[Any, _Characters] = {
    codes.CATEGORY_DIGIT: frozenset(ord(c) for c in "0123456789"),
    codes.CATEGORY_SPACE: frozenset(ord(c) for c in " \t\n\r\f\v"),
    codes.CATEGORY_WORD: frozenset(i for i in range(_OTHER) if chr(i).isalnum() or chr(i) == "_"),
}
_CATEGORIES |= {
    codes.CATEGORY_NOT_DIGIT: _ALL - _CATEGORIES[codes.CATEGORY_DIGIT],
    codes.CATEGORY_NOT_SPACE: _ALL - _CATEGORIES[codes.CATEGORY_SPACE],
    codes.CATEGORY_NOT_WORD: _ALL - _CATEGORIES[codes.CATEGORY_WORD],
}


class Pattern:
    """A regular expression that the whole value has to match; its classes of characters are those of ASCII."""

    __slots__ = ("_compiled", "source")

    def __init__(self, source: str) -> None:
        self.source = source
        if len(source) > MAX_PATTERN:
            raise ValueError(f"a pattern has at most {MAX_PATTERN} characters, not {len(source):,}.")
        try:
            self._compiled = re.compile(source, re.ASCII)
            tree = parser.parse(source, re.ASCII)
        except (re.error, RecursionError, OverflowError) as error:
            raise ValueError(f"'{source}' is not a regular expression: {error}.") from None
        if tree.state.flags != re.ASCII:
            raise ValueError(f"'{source}' has a flag such as (?i). Write the characters out: [Aa].")
        if _sequence(list(tree), frozenset())[1] > MAX_WAYS:
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


_First = tuple[_Characters, bool]
"""The characters that something can begin with, and whether it can be empty."""


def _sequence(items: list[Any], after: _Characters) -> tuple[_First, int]:
    """What a sequence begins with, and in how many ways it can match; `after` is what can follow it."""
    first: _Characters = frozenset()
    is_empty, ways, follows = True, 1, after
    for item in reversed(items):
        (begins, can_be_empty), choices = _item(item, follows)
        ways = min(ways * choices, MAX_WAYS + 1)
        follows = begins | follows if can_be_empty else begins
        first = begins | first if can_be_empty else begins
        is_empty = is_empty and can_be_empty
    return (first, is_empty), ways


def _item(item: Any, after: _Characters) -> tuple[_First, int]:
    code, value = item
    if code is codes.AT:
        return (frozenset(), True), 1
    if code is codes.SUBPATTERN:
        if value[1] or value[2]:
            raise ValueError("a group has a flag such as (?i:…). Write the characters out: [Aa].")
        return _sequence(list(value[3]), after)
    if code is codes.BRANCH:
        branches = [_sequence(list(branch), after) for branch in value[1]]
        firsts = [first for first, _ in branches]
        begins = frozenset[int]().union(*(characters for characters, _ in firsts))
        counts = [ways for _, ways in branches]
        is_empty = any(empty for _, empty in firsts)
        # Where every branch begins with another character, only one of them can match.
        apart = not is_empty and sum(len(characters) for characters, _ in firsts) == len(begins)
        return (begins, is_empty), max(counts) if apart else sum(counts)
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT):
        return _repeat(value, after)
    if code in (codes.LITERAL, codes.NOT_LITERAL, codes.IN, codes.ANY):
        return (_characters(code, value), False), 1
    raise ValueError("a pattern has no references to groups, no look-around and no atomic groups. Leave them out.")


def _repeat(value: Any, after: _Characters) -> tuple[_First, int]:
    fewest, most, body = value
    most = min(int(most), MAX_VALUE)
    items = list(body)
    alone, _ = _sequence(items, after)
    (begins, is_empty), inside = _sequence(items, alone[0] | after if most > 1 else after)
    lengths = 1 if fewest >= most or not (begins & after or is_empty) else most - fewest + 1
    # Whatever choice there is inside is there again in every round.
    choices = lengths * inside**most if inside > 1 else lengths
    return (begins, is_empty or fewest == 0), min(choices, MAX_WAYS + 1)


def _characters(code: Any, value: Any) -> _Characters:
    if code is codes.ANY:
        return _ALL
    if code is codes.LITERAL:
        return frozenset({min(value, _OTHER)})
    if code is codes.NOT_LITERAL:
        return _ALL - ({value} - {_OTHER})
    if code is codes.RANGE:
        return frozenset(range(min(value[0], _OTHER), min(value[1], _OTHER) + 1))
    if code is codes.CATEGORY:
        return _CATEGORIES[value]
    parts = [part for part in value if part[0] is not codes.NEGATE]
    members = frozenset[int]().union(*(_characters(*part) for part in parts))
    # Of the characters that are not ASCII some may be left when others are excluded.
    return _ALL - (members - {_OTHER}) if len(parts) < len(value) else members
