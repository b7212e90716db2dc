"""Numbers that may have a fraction."""

import math
from decimal import Decimal

from babel.numbers import format_decimal

from soni.core.values.locales import checked_spec, locale_for, plain_spaces
from soni.core.values.misspelt import read_despite_slips
from soni.core.values.numerals import LARGEST, number_in
from soni.core.values.phrase import bare, without_article
from soni.core.values.value import Json, Reading, ValueType, register


@register
class Number(ValueType[float]):
    """A measure or rate, always a float so that expressions see one type."""

    name = "number"

    def parse(self, text: str, reading: Reading) -> float:
        phrase = without_article(bare(text, reading.words), reading.words)
        number = read_despite_slips(phrase, reading, lambda spelt: number_in(spelt, reading))
        if number is None:
            raise ValueError("not a number")
        return float(number)

    def coerce(self, value: object, reading: Reading) -> float:
        if isinstance(value, str):
            return self.parse(value, reading)
        if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
            raise ValueError("not a number")
        if isinstance(value, Decimal) and not value.is_finite():
            raise ValueError("not a finite number")
        if not -LARGEST < value < LARGEST:
            raise ValueError("not a finite number, or too large a one")
        return float(value)

    def dump(self, value: float) -> Json:
        return value

    def load(self, data: Json) -> float:
        if isinstance(data, int | float) and not isinstance(data, bool) and math.isfinite(data):
            return float(data)
        raise ValueError("not a stored number")

    def format(self, value: float, language: str, spec: str | None = None) -> str:
        checked_spec(spec, self.formats, "")
        return plain_spaces(format_decimal(value, locale=locale_for(language), decimal_quantization=False))
