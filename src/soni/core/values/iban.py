"""Bank account numbers."""

import re

from stdnum import iban
from stdnum.exceptions import ValidationError

from soni.core.values.locales import checked_spec
from soni.core.values.phrase import bare, without_article
from soni.core.values.value import Json, Reading, ValueType, register

_SHAPE = re.compile(r"(?:iban:? )?([a-z]{2} ?\d{2}[a-z0-9 .-]{10,50})", re.ASCII)


@register
class Iban(ValueType[str]):
    """An IBAN with valid check digits, without spaces."""

    name = "iban"

    def parse(self, text: str, reading: Reading) -> str:
        shape = _SHAPE.fullmatch(without_article(bare(text, reading.words), reading.words))
        if shape is None:
            raise ValueError("not an IBAN")
        try:
            return str(iban.validate(shape[1]))
        except ValidationError as problem:
            raise ValueError(f"not a valid IBAN: {problem}") from None

    def coerce(self, value: object, reading: Reading) -> str:
        if isinstance(value, str):
            return self.parse(value, reading)
        raise ValueError("not an IBAN")

    def dump(self, value: str) -> Json:
        return value

    def load(self, data: Json) -> str:
        if isinstance(data, str):
            return data
        raise ValueError("not a stored IBAN")

    def format(self, value: str, language: str, spec: str | None = None) -> str:
        checked_spec(spec, self.formats, "")
        return " ".join(value[start : start + 4] for start in range(0, len(value), 4))
