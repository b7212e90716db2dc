"""Lengths of time."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

from babel.units import format_unit

from soni.core.values.locales import checked_spec, locale_for, plain_spaces
from soni.core.values.misspelt import read_despite_slips
from soni.core.values.numerals import number_in, numerals
from soni.core.values.phrase import bare
from soni.core.values.value import Json, Reading, ValueType, register
from soni.languages import any_of, built

if TYPE_CHECKING:
    from collections.abc import Mapping

    from soni.languages import Language
    from soni.languages.sections import Calendar

LONGEST_DURATION = timedelta(days=36525)
"""A century; up to it seconds in a float keep every microsecond."""

_GLUED = re.compile(r"(?<=\d)(?=[a-z])|(?<=[a-z])(?=\d)")
_ISO = re.compile(
    r"p(?:(\d{1,5})w)?(?:(\d{1,5})d)?(?:t(?:(\d{1,6})h)?(?:(\d{1,7})m)?(?:(\d{1,9}(?:\.\d{1,6})?)s)?)?",
    re.ASCII,
)
_SHOWN = (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1))


@dataclass(frozen=True, slots=True)
class _Lengths:
    """The words of lengths of time."""

    said: Calendar
    fractions: Mapping[str, Decimal]
    of: frozenset[str]
    clock: re.Pattern[str]


@built
def _lengths(words: Language) -> _Lengths:
    said = words.calendar
    clock = re.compile(rf"(\d{{1,3}}):([0-5]\d) {any_of(said.hours)}", re.ASCII)
    return _Lengths(said, numerals(words).fractions, frozenset(words.numbers.of), clock)


@register
class Duration(ValueType[timedelta]):
    """How long something takes; months and years are dates apart, not lengths."""

    name = "duration"

    def parse(self, text: str, reading: Reading) -> timedelta:
        length = read_despite_slips(bare(text, reading.words), reading, lambda phrase: duration_in(phrase, reading))
        if length is None:
            raise ValueError("not a duration")
        return length

    def coerce(self, value: object, reading: Reading) -> timedelta:
        if isinstance(value, str):
            return self.parse(value, reading)
        if isinstance(value, timedelta):
            return _bounded(value)
        return self.load(value)  # type: ignore[arg-type]  # load checks what it is given

    def dump(self, value: timedelta) -> Json:
        if value.microseconds:
            return value.total_seconds()
        return value.days * 86400 + value.seconds

    def load(self, data: Json) -> timedelta:
        if isinstance(data, bool) or not isinstance(data, int | float):
            raise ValueError("not a number of seconds")
        if not abs(data) <= LONGEST_DURATION.total_seconds():
            raise ValueError("too long, or not a number")
        return timedelta(seconds=data)

    def format(self, value: timedelta, language: str, spec: str | None = None) -> str:
        checked_spec(spec, self.formats, "")
        left = abs(value.days * 86400 + value.seconds + (1 if value.microseconds >= 500_000 else 0))
        locale = locale_for(language)
        shown = []
        for unit, seconds in _SHOWN:
            count, left = divmod(left, seconds)
            if count:
                shown.append(format_unit(count, f"duration-{unit}", "long", locale=locale))
        if not shown:
            shown.append(format_unit(0, "duration-minute", "long", locale=locale))
        return plain_spaces(("-" if value < timedelta(0) else "") + " ".join(shown))


def duration_in(phrase: str, reading: Reading) -> timedelta | None:
    """The length of time a folded phrase is; None if it is none."""
    known = _lengths(reading.words)
    first, _, rest = phrase.partition(" ")
    if rest and first in known.said.during:
        phrase = rest
    if phrase[:1] == "p" and (iso := _ISO.fullmatch(phrase)) is not None and any(iso.groups()):
        weeks, days, hours, minutes, seconds = (float(part or 0) for part in iso.groups())
        return _short_enough(timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds))
    clock = known.clock.fullmatch(_GLUED.sub(" ", phrase))
    if clock is not None:
        return timedelta(hours=int(clock[1]), minutes=int(clock[2]))
    seconds_said = _added(_GLUED.sub(" ", phrase).replace(", ", " ").split(), known, reading)
    if seconds_said is None or seconds_said > LONGEST_DURATION.total_seconds():
        return None
    return timedelta(seconds=float(seconds_said))


def _added(words: list[str], known: _Lengths, reading: Reading) -> Decimal | None:
    """Counts of ever smaller units, and a half or quarter of the last one."""
    seconds_in = known.said.seconds_in
    total = Decimal(0)
    unit = 10**9
    start = 0
    for position, word in enumerate(words):
        if word not in seconds_in or (word in known.said.ordinal_too and position == start):
            continue
        counted = words[start:position]
        if start and counted[:1] and counted[0] in known.said.length_and:
            counted = counted[1:]
        count = _how_many(" ".join(counted), known, reading)
        if count is None or seconds_in[word] >= unit:
            return None
        unit = seconds_in[word]
        total += count * unit
        start = position + 1
    rest = words[start:]
    if not start or (rest and rest[0] in known.said.length_and and len(rest) == 1):
        return None
    return total if not rest else _with_rest(total, unit, rest, known, reading)


def _with_rest(total: Decimal, unit: int, rest: list[str], known: _Lengths, reading: Reading) -> Decimal | None:
    """What is said after the last unit: "and a half" of it, or the minutes of "1h30"."""
    joined = rest[0] in known.said.length_and
    said = " ".join(rest[1:] if joined else rest)
    if joined and said in known.fractions:
        return total + known.fractions[said] * unit
    minutes = number_in(said, reading)
    if unit != 3600 or minutes is None or not 1 <= minutes < 60 or minutes != int(minutes):
        return None
    return total + 60 * minutes


def _how_many(said: str, known: _Lengths, reading: Reading) -> Decimal | None:
    if not said or said in known.said.one:
        return Decimal(1)
    if said in known.fractions:
        return known.fractions[said]
    before, _, last = said.rpartition(" ")
    number = number_in(before if before and last in known.of else said, reading)
    return None if number is None or number < 0 else number


def _short_enough(length: timedelta) -> timedelta | None:
    return length if length <= LONGEST_DURATION else None


def _bounded(length: timedelta) -> timedelta:
    if abs(length) > LONGEST_DURATION:
        raise ValueError("longer than a century")
    return length
