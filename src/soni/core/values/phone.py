"""Phone numbers."""

import re

from phonenumbers import NumberParseException, PhoneNumberFormat, format_number, is_valid_number
from phonenumbers import parse as read_number

from soni.core.values.locales import checked_spec
from soni.core.values.numerals import COUNT
from soni.core.values.phrase import bare, without_article
from soni.core.values.value import Json, Reading, ValueType, register

_SHAPE = re.compile(r"(?:tel(?:efono)?[:.]? ?|phone:? ?)?(\(?\+?\d[\d ().\-/]{4,28}\d)", re.ASCII)
_TWICE = {"double": 2, "doble": 2, "triple": 3}
_TENS = [word for word, number in COUNT.items() if 20 <= number < 100 and number % 10 == 0]
_ONES = [word for word, number in COUNT.items() if 0 < number < 10]
_FORTY_TWO = re.compile(rf"\b({'|'.join(_TENS)})(?: y |[ -])({'|'.join(_ONES)})\b")
_FEWEST_SPOKEN = 4
"""How many words at least are a number that is told figure by figure, or two by two."""


@register
class Phone(ValueType[str]):
    """A valid number in E.164, read as one of the assistant's region when it has no prefix."""

    name = "phone"
    formats = frozenset({"national"})

    def parse(self, text: str, reading: Reading) -> str:
        said = without_article(bare(text))
        shape = _SHAPE.fullmatch(_spoken(said) or said)
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


def _spoken(said: str) -> str | None:
    """The figures of a number told in words: 'six one seven double two', 'seis uno siete cuarenta y dos'."""
    words = [_figures(word) for word in _FORTY_TWO.sub(_one_word, said.replace(",", " ")).split()]
    figures, times = "", 1
    for word in words:
        if word in _TWICE and times == 1:
            times = _TWICE[word]
        elif word.isdigit() and (times == 1 or len(word) == 1):
            figures, times = figures + times * word, 1
        else:
            return None
    return figures if len(words) >= _FEWEST_SPOKEN and times == 1 else None


def _figures(word: str) -> str:
    """A word for a number of two figures at most, as figures; any other word as it is."""
    number = {"oh": 0, "o": 0}.get(word, COUNT.get(word, 100))
    return str(number) if number < 100 else word


def _one_word(tens_and_ones: re.Match[str]) -> str:
    return str(COUNT[tens_and_ones[1]] + COUNT[tens_and_ones[2]])
