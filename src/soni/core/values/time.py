"""Times of day."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import time
from typing import TYPE_CHECKING

from babel.dates import format_time

from soni.core.values.locales import checked_spec, locale_for, plain_spaces
from soni.core.values.misspelt import read_despite_slips
from soni.core.values.numerals import numerals
from soni.core.values.phrase import bare
from soni.core.values.value import Json, Reading, ValueType, register
from soni.languages import any_of, built

if TYPE_CHECKING:
    from collections.abc import Mapping

    from soni.languages import Language
    from soni.languages.sections import Calendar

_DIGITS = re.compile(r"(\d{1,2})(?:([:.h])(\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?)?", re.ASCII)
_ZERO_BEFORE = re.compile(r"\b0\d", re.ASCII)
_MINUTES = r"(?P<minutes>[a-z0-9 -]{1,40}?)"
_HOUR = r"(?P<hour>[a-z0-9 -]{1,40})"


@dataclass(frozen=True, slots=True)
class _Clock:
    """The patterns of times in words."""

    said: Calendar
    count: Mapping[str, int]
    zeros: frozenset[str]
    leading: re.Pattern[str]
    part_at_end: re.Pattern[str]
    part_of_day_at_end: re.Pattern[str]
    mark_at_end: re.Pattern[str]
    shapes: tuple[tuple[re.Pattern[str], bool], ...]
    """How hours and minutes stand beside each other, and whether the minutes precede the hour: 'ten to six'."""


@built
def _clock_words(words: Language) -> _Clock:
    said = words.calendar
    minutes = f"(?: {any_of(said.minutes)})?"
    hour_first = _HOUR.replace("}", "}?")
    return _Clock(
        said=said,
        count=numerals(words).count,
        zeros=frozenset(words.numbers.zero) | frozenset(words.numbers.spoken_zero),
        leading=re.compile(f"{any_of(said.before_time)} "),
        part_at_end=re.compile(
            rf"(?P<clock>.{{0,60}}?\S)[ ,]{{0,3}}(?:(?P<am>{any_of(said.morning)})|(?P<pm>{any_of(said.afternoon)})"
            rf"|(?P<night>{any_of(said.night)})|(?P<noon>{any_of(said.lunchtime)}))"
        ),
        part_of_day_at_end=re.compile(
            rf"(?P<rest>.{{0,60}}?\S) (?:(?P<am>{any_of(said.day_morning)})|(?P<pm>{any_of(said.day_afternoon)})"
            rf"|(?P<night>{any_of(said.day_night)}))"
        ),
        mark_at_end=re.compile(rf"(.{{0,60}}?\S) ?{any_of(said.clock_marks)}"),
        shapes=(
            (re.compile(f"{_MINUTES}{minutes} {any_of(said.past)} {_HOUR}"), False),
            (re.compile(f"{_MINUTES}{minutes} {any_of(said.to)} {_HOUR}"), True),
            (re.compile(f"{hour_first} {any_of(said.hour_and)} {_MINUTES}{minutes}"), False),
            (re.compile(f"{hour_first} {any_of(said.hour_minus)} {_MINUTES}{minutes}"), True),
        ),
    )


@register
class TimeType(ValueType[time]):
    """A time of day as said; "six" is six in the morning unless the words say otherwise."""

    name = "time"
    formats = frozenset({"short", "medium"})

    def parse(self, text: str, reading: Reading) -> time:
        said = _said(text, reading)
        if said is None:
            raise ValueError("not a time of day")
        return said

    def otherwise(self, text: str, reading: Reading) -> time | None:
        """'Nine' is nine in the evening where nobody comes at nine in the morning; '09:00' leaves no choice."""
        if _ZERO_BEFORE.search(text):
            return None
        first, later = _said(text, reading), _said(text, reading, "pm")
        return later if later != first else None

    def coerce(self, value: object, reading: Reading) -> time:
        if isinstance(value, str):
            return self.parse(value, reading)
        if not isinstance(value, time):
            raise ValueError("not a time of day")
        if value.tzinfo is not None:
            raise ValueError("a time of day has no time zone here")
        return value

    def dump(self, value: time) -> Json:
        return value.isoformat()

    def load(self, data: Json) -> time:
        if isinstance(data, str):
            return time.fromisoformat(data)
        raise ValueError("not a stored time")

    def format(self, value: time, language: str, spec: str | None = None) -> str:
        style = checked_spec(spec, self.formats, "short")
        written = format_time(value, "medium" if style == "medium" else "short", locale=locale_for(language))
        return plain_spaces(written)


def _said(text: str, reading: Reading, part: str | None = None) -> time | None:
    phrase = bare(text, reading.words)
    return read_despite_slips(phrase, reading, lambda spelt: time_in(spelt, reading, part=part))


def time_in(phrase: str, reading: Reading, *, part: str | None = None, alone: bool = True) -> time | None:
    """The time a folded phrase is; `part` of the day if said elsewhere, `alone` if a bare hour may count."""
    known = _clock_words(reading.words)
    leading = known.leading.match(phrase)
    clock = phrase[leading.end() :] if leading is not None else phrase
    if clock in known.said.named_times:
        return known.said.named_times[clock]
    ended = known.part_at_end.fullmatch(clock)
    if ended is not None:
        if part is not None and part != ended.lastgroup:
            return None
        clock, part = ended["clock"], ended.lastgroup
    marked = known.mark_at_end.fullmatch(clock)
    if marked is not None:
        clock = marked[1]
    certain = leading is not None or ended is not None or marked is not None
    if not certain and clock in reading.own.numbers.not_numbers:
        return None
    read = _clock(clock, known, bare_hour=certain or alone)
    if read is None:
        return None
    hour = _hour_of_day(read.hour, part)
    return None if hour is None else read.replace(hour=hour)


def part_of_day(phrase: str, reading: Reading) -> tuple[str, str | None]:
    """A phrase without the part of the day it ends in ("tomorrow morning"), and that part."""
    ended = _clock_words(reading.words).part_of_day_at_end.fullmatch(phrase)
    if ended is None:
        return phrase, None
    return ended["rest"], ended.lastgroup


def _clock(clock: str, known: _Clock, *, bare_hour: bool) -> time | None:
    """Hours and minutes as said, before any part of the day is known."""
    digits = _DIGITS.fullmatch(clock)
    if digits is not None:
        hour, mark, minutes, seconds, fraction = digits.groups()
        if mark in (None, ".") and not bare_hour:
            return None
        return _time(int(hour), int(minutes or 0), int(seconds or 0), int((fraction or "").ljust(6, "0")))
    if clock in known.count:
        return _time(known.count[clock], 0) if bare_hour else None
    for shape, backwards in known.shapes:
        said = shape.fullmatch(clock)
        if said is not None:
            return _around(said["hour"], said["minutes"], known, backwards=backwards)
    return _one_after_the_other(clock.split(), known)


def _around(hour_said: str, minutes_said: str, known: _Clock, *, backwards: bool) -> time | None:
    hour = _small(hour_said, known)
    minutes = known.said.parts_of_hour.get(minutes_said, _small(minutes_said, known))
    if hour is None or minutes is None or hour > 24 or not 1 <= minutes < 60:
        return None
    if backwards:
        return _time({1: 12, 0: 23}.get(hour, hour - 1), 60 - minutes)
    return _time(hour, minutes)


def _one_after_the_other(words: list[str], known: _Clock) -> time | None:
    """Half six, six thirty, nine oh five."""
    if len(words) == 2 and words[0] in known.said.half_before_hour:
        hour = _small(words[1], known)
        return None if hour is None or not 1 <= hour <= 12 else _time(hour, 30)
    for split in range(1, min(len(words), 4)):
        hour = known.count.get(" ".join(words[:split]))
        rest = words[split:]
        if hour is None:
            continue
        if len(rest) == 2 and rest[0] in known.zeros:
            minutes = known.count.get(rest[1])
            return None if minutes is None or minutes > 9 else _time(hour, minutes)
        minutes = known.count.get(" ".join(rest))
        if minutes is not None and minutes >= 10:
            return _time(hour, minutes)
    return None


def _small(said: str, known: _Clock) -> int | None:
    if said.isascii() and said.isdigit() and len(said) < 3:
        return int(said)
    return known.count.get(said)


def _time(hour: int, minute: int, second: int = 0, microsecond: int = 0) -> time | None:
    if hour == 24 and minute == second == microsecond == 0:
        hour = 0
    return time(hour, minute, second, microsecond) if hour < 24 and minute < 60 and second < 60 else None


def _hour_of_day(hour: int, part: str | None) -> int | None:
    """The hour on a 24-hour clock; None when hour and part of the day contradict each other."""
    match part:
        case None:
            return hour
        case "am":
            return hour % 12 if hour <= 12 else None
        case "night":
            if 1 <= hour <= 4 or hour in (0, 12):
                return hour % 12
            return None if 12 < hour < 17 else hour % 12 + 12
        case "noon":
            return hour % 12 + 12 if hour in (12, 1, 2, 3) else None
        case _:
            return None if hour == 0 else hour % 12 + 12
