"""Several values of one type."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from babel.lists import format_list

from soni.core.values.locales import locale_for
from soni.core.values.text import Text
from soni.core.values.value import Json, Reading, ValueType, register
from soni.languages import any_of, built

if TYPE_CHECKING:
    from soni.languages import Language

_ENUMERATION = re.compile(r"(?<![\d,.])\d{1,3}(?:,\d{1,2}){2,}(?![\d,.])", re.ASCII)
_LONGEST = 2000
_MOST = 64
_WIDEST = 4
"""An item holds at most this many pieces between separators, as in "Monday, 3 April, 2026"."""


@built
def _separator(words: Language) -> re.Pattern[str]:
    joined = any_of(words.courtesies.list_and)
    return re.compile(rf"[;\n,]\s*(?:{joined}\s+)?|\s(?:{joined}|&)\s+", re.IGNORECASE)


@register
class ListType(ValueType[list[Any]]):
    """Values said one after the other: with commas, and the last with "and"."""

    name = "list"

    def __init__(self, item: ValueType[Any]) -> None:
        self.item = item

    def parse(self, text: str, reading: Reading) -> list[Any]:
        # Any piece of a text is a text, so there nothing tells "and" within an item from "and" between two.
        widest = 1 if isinstance(self.item, Text) else _WIDEST
        # 1,2,3 are three numbers, though 1,2 alone may be one with a decimal.
        text = _ENUMERATION.sub(lambda digits: digits[0].replace(",", ", "), text)
        bounds = _pieces(text, reading.words) if len(text) <= _LONGEST else []
        if not bounds or len(bounds) > _MOST:
            raise ValueError("no values, or too many")
        fewest: list[list[Any] | None] = [[]]
        for end in range(1, len(bounds) + 1):
            best: list[Any] | None = None
            for start in range(max(0, end - widest), end):
                before = fewest[start]
                if before is None or (best is not None and len(before) + 1 >= len(best)):
                    continue
                try:
                    item = self.item.parse(text[bounds[start][0] : bounds[end - 1][1]], reading)
                except ValueError:
                    continue
                best = [*before, item]
            fewest.append(best)
        values = fewest[-1]
        if values is None:
            raise ValueError(f"not only values of type {self.item.name}")
        return values

    def coerce(self, value: object, reading: Reading) -> list[Any]:
        if isinstance(value, str):
            return self.parse(value, reading)
        if isinstance(value, list | tuple):
            return [self.item.coerce(item, reading) for item in value]
        raise ValueError("not a list")

    def dump(self, value: list[Any]) -> Json:
        return [self.item.dump(item) for item in value]

    def load(self, data: Json) -> list[Any]:
        if isinstance(data, list):
            return [self.item.load(item) for item in data]
        raise ValueError("not a stored list")

    def format(self, value: list[Any], language: str, spec: str | None = None) -> str:
        return format_list([self.item.format(item, language, spec) for item in value], locale=locale_for(language))


def _pieces(text: str, words: Language) -> list[tuple[int, int]]:
    """Where the stretches between separators start and end, so that neighbours can be joined again."""
    bounds: list[tuple[int, int]] = []
    start = 0
    for separator in _separator(words).finditer(text):
        bounds.append((start, separator.start()))
        start = separator.end()
    bounds.append((start, len(text)))
    return [(start, end) for start, end in bounds if text[start:end].strip(" \t.,;")]
