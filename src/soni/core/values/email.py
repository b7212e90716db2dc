"""Email addresses."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from soni.core.values.locales import checked_spec
from soni.core.values.phrase import LONGEST
from soni.core.values.value import Json, Reading, ValueType, register
from soni.languages import any_of, built

if TYPE_CHECKING:
    from soni.languages import Language

_ADDRESS = re.compile(
    r"[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*"
    r"@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,24}",
    re.IGNORECASE | re.ASCII,
)
_EDGES = " \t\r\n\"'<>()[]¿¡,;:.!?"


@dataclass(frozen=True, slots=True)
class _Said:
    at: re.Pattern[str]
    dot: re.Pattern[str]
    dressing: re.Pattern[str]
    """What stands around an address."""


@built
def _said(words: Language) -> _Said:
    said = words.courtesies
    please = any_of(said.please)
    return _Said(
        at=re.compile(f" {any_of(said.email_at)} ", re.IGNORECASE),
        dot=re.compile(f" {any_of(said.email_dot)} ", re.IGNORECASE),
        dressing=re.compile(
            rf"^(?:{please}[,\s]+|mailto:|{any_of(said.email_before)}:\s*)|(?<![,\s])[,\s]+{please}$", re.IGNORECASE
        ),
    )


@register
class Email(ValueType[str]):
    """An address as written, its domain in lower case."""

    name = "email"

    def parse(self, text: str, reading: Reading) -> str:
        if len(text) > 2 * LONGEST:
            raise ValueError("too long for an email address")
        said = _said(reading.words)
        address = text.strip(_EDGES)
        if "@" not in address:
            address = said.dot.sub(".", said.at.sub("@", address, count=1))
        if "@" not in address:
            raise ValueError("not an email address")
        address = said.dressing.sub("", address).strip(_EDGES)
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
