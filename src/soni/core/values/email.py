"""Email addresses."""

import re

from soni.core.values.locales import checked_spec
from soni.core.values.phrase import LONGEST
from soni.core.values.value import Json, Reading, ValueType, register

_ADDRESS = re.compile(
    r"[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*"
    r"@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,24}",
    re.IGNORECASE | re.ASCII,
)
_AT = re.compile(r" (?:at|arroba) ", re.IGNORECASE)
_DOT = re.compile(r" (?:dot|punto) ", re.IGNORECASE)
_DRESSING = re.compile(
    r"^(?:(?:please|por favor)[,\s]+|mailto:|e-?mail:\s*|correo:\s*)|(?<![,\s])[,\s]+(?:please|por favor)$",
    re.IGNORECASE,
)
_EDGES = " \t\r\n\"'<>()[]¿¡,;:.!?"


@register
class Email(ValueType[str]):
    """An address as written, its domain in lower case."""

    name = "email"

    def parse(self, text: str, reading: Reading) -> str:
        if len(text) > 2 * LONGEST:
            raise ValueError("too long for an email address")
        address = text.strip(_EDGES)
        if "@" not in address:
            address = _DOT.sub(".", _AT.sub("@", address, count=1))
        if "@" not in address:
            raise ValueError("not an email address")
        address = _DRESSING.sub("", address).strip(_EDGES)
        if _ADDRESS.fullmatch(address) is None:
            raise ValueError("not an email address")
        person, _, domain = address.rpartition("@")
        return f"{person}@{domain.lower()}"

    def coerce(self, value: object, reading: Reading) -> str:
        if isinstance(value, str):
            return self.parse(value, reading)
        raise ValueError("not an email address")

    def dump(self, value: str) -> Json:
        return value

    def load(self, data: Json) -> str:
        if isinstance(data, str):
            return data
        raise ValueError("not a stored email address")

    def format(self, value: str, language: str, spec: str | None = None) -> str:
        checked_spec(spec, self.formats, "")
        return value
