"""Phone numbers."""

import re

from phonenumbers import NumberParseException, PhoneNumberFormat, format_number, is_valid_number
from phonenumbers import parse as read_number

from soni.core.values.locales import checked_spec
from soni.core.values.phrase import bare, without_article
from soni.core.values.value import Json, Reading, ValueType, register

_SHAPE = re.compile(r"(?:tel(?:efono)?[:.]? ?|phone:? ?)?(\(?\+?\d[\d ().\-/]{4,28}\d)", re.ASCII)


@register
class Phone(ValueType[str]):
    """A valid number in E.164, read as one of the assistant's region when it has no prefix."""

    name = "phone"
    formats = frozenset({"national"})

    def parse(self, text: str, reading: Reading) -> str:
        shape = _SHAPE.fullmatch(without_article(bare(text)))
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
