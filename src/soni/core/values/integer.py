"""Whole numbers."""

from decimal import Decimal

from babel.numbers import format_decimal

from soni.core.values.locales import checked_spec, locale_for, plain_spaces
from soni.core.values.misspelt import read_despite_slips
from soni.core.values.numerals import LARGEST, decimals_written, number_in
from soni.core.values.phrase import bare, without_article
from soni.core.values.value import Json, Reading, ValueType, register


@register
class Integer(ValueType[int]):
    """A count: digits or words, without a fraction."""

    name = "integer"

    def parse(self, text: str, reading: Reading) -> int:
        number = read_despite_slips(bare(text, reading.words), reading, lambda phrase: _counted(phrase, reading))
        if number is None:
            raise ValueError("not a number")
        if decimals_written(number):  # even 1.000, which may well be meant as a thousand
            raise ValueError("not a whole number")
        return _whole(number)

    def coerce(self, value: object, reading: Reading) -> int:
        if isinstance(value, str):
            return self.parse(value, reading)
        if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
            raise ValueError("not a whole number")
        return _whole(value)

    def dump(self, value: int) -> Json:
        return value

    def load(self, data: Json) -> int:
        if isinstance(data, int) and not isinstance(data, bool):
            return data
        raise ValueError("not a stored integer")

    def format(self, value: int, language: str, spec: str | None = None) -> str:
        checked_spec(spec, self.formats, "")
        return plain_spaces(format_decimal(value, locale=locale_for(language)))


def _counted(phrase: str, reading: Reading) -> Decimal | None:
    """The number a phrase is, or the one of "for two", the usual answer to how many will come."""
    first, _, rest = phrase.partition(" ")
    said = rest if rest and first in reading.words.courtesies.for_people else without_article(phrase, reading.words)
    return number_in(said, reading)


def _whole(number: int | float | Decimal) -> int:
    # The comparison is written so that NaN fails it; a signalling NaN cannot even be compared.
    if isinstance(number, Decimal) and number.is_nan():
        raise ValueError("not a number")
    if not -LARGEST < number < LARGEST:
        raise ValueError("too large a number")
    if number != int(number):
        raise ValueError("not a whole number")
    return int(number)
