"""Phone numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from phonenumbers import NumberParseException, PhoneNumberFormat, format_number, is_valid_number
from phonenumbers import parse as read_number

from soni.core.values.locales import checked_spec
from soni.core.values.numerals import numerals
from soni.core.values.phrase import bare, without_article
from soni.core.values.value import Json, Reading, ValueType, register
from soni.languages import any_of, built

if TYPE_CHECKING:
    from collections.abc import Mapping

    from soni.languages import Language

_FEWEST_SPOKEN = 4
"""How many words at least are a number that is told figure by figure, or two by two."""


@dataclass(frozen=True, slots=True)
class _Said:
    shape: re.Pattern[str]
    forty_two: re.Pattern[str]
    count: Mapping[str, int]
    repeated: Mapping[str, int]


@built
def _said(words: Language) -> _Said:
    said, count = words.numbers, numerals(words).count
    joints = any_of([f" {word} " for word in said.tens_and])
    return _Said(
        shape=re.compile(rf"(?:{any_of(words.courtesies.phone_before)} ?)?(\(?\+?\d[\d ().\-/]{{4,28}}\d)", re.ASCII),
        forty_two=re.compile(rf"\b({any_of(said.tens)})(?:{joints}|[ -])({any_of(said.units)})\b"),
        count={**count, **dict.fromkeys(said.spoken_zero, 0)},
        repeated=said.repeated,
    )


@register
class Phone(ValueType[str]):
    """A valid number in E.164, read as one of the assistant's region when it has no prefix."""

    name = "phone"
    formats = frozenset({"national"})

    def parse(self, text: str, reading: Reading) -> str:
        said, known = without_article(bare(text, reading.words), reading.words), _said(reading.words)
        shape = known.shape.fullmatch(_spoken(said, known) or said)
        if shape is None:
            raise ValueError("not a phone number")
        try:
            number = read_number(shape[1], reading.region)
        except NumberParseException:
            raise ValueError("not a phone number") from None
        if not is_valid_number(number):
            raise ValueError("not a phone number that exists")
        return format_number(number, PhoneNumberFormat.E164)

    def coerce(self, value: object, reading: Reading) -> str:
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**15:
            return self.parse(str(value), reading)
        if isinstance(value, str):
            return self.parse(value, reading)
        raise ValueError("not a phone number")

    def dump(self, value: str) -> Json:
        return value

    def load(self, data: Json) -> str:
        if isinstance(data, str):
            return data
        raise ValueError("not a stored phone number")

    def format(self, value: str, language: str, spec: str | None = None) -> str:
        style = checked_spec(spec, self.formats, "international")
        shape = PhoneNumberFormat.NATIONAL if style == "national" else PhoneNumberFormat.INTERNATIONAL
        return format_number(read_number(value), shape)


def _spoken(said: str, known: _Said) -> str | None:
    """The figures of a number told in words: 'six one seven double two'."""

    def one_word(tens_and_ones: re.Match[str]) -> str:
        return str(known.count[tens_and_ones[1]] + known.count[tens_and_ones[2]])

    words = [_figures(word, known) for word in known.forty_two.sub(one_word, said.replace(",", " ")).split()]
    figures, times = "", 1
    for word in words:
        if word in known.repeated and times == 1:
            times = known.repeated[word]
        elif word.isdigit() and (times == 1 or len(word) == 1):
            figures, times = figures + times * word, 1
        else:
            return None
    return figures if len(words) >= _FEWEST_SPOKEN and times == 1 else None


def _figures(word: str, known: _Said) -> str:
    """A word for a number of two figures at most, as figures; any other word as it is."""
    number = known.count.get(word, 100)
    return str(number) if number < 100 else word
