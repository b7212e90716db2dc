"""Moments: a day and a time of day."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from typing import TYPE_CHECKING

from babel.dates import format_datetime

from soni.core.values.date import date_in
from soni.core.values.duration import duration_in
from soni.core.values.locales import checked_spec, locale_for, plain_spaces
from soni.core.values.misspelt import read_despite_slips
from soni.core.values.numerals import numerals
from soni.core.values.phrase import bare
from soni.core.values.time import part_of_day, time_in
from soni.core.values.value import Json, Reading, ValueType, register
from soni.languages import any_of, built

if TYPE_CHECKING:
    from collections.abc import Mapping

    from soni.languages import Language

_ISO = re.compile(r"\d{4}-\d{2}-\d{2}[t ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:z|[+-]\d{2}:\d{2})?", re.ASCII)
_MOST_WORDS = 16


@dataclass(frozen=True, slots=True)
class _Moments:
    """The patterns of moments in words."""

    now: frozenset[str]
    ahead: re.Pattern[str]
    parts_of_today: Mapping[str, str | None]
    hours: frozenset[str]
    of: tuple[tuple[str, str], ...]
    """How a day begins behind its time, and what it begins with alone."""


@built
def _moments(words: Language) -> _Moments:
    said, numbers = words.calendar, words.numbers
    named = {phrase for phrase in said.named_times if " " not in phrase}
    hours = {word for phrase in numerals(words).count for word in phrase.split()} - set(numbers.tens_and)
    return _Moments(
        now=frozenset(said.now),
        ahead=re.compile(rf"{any_of(said.ahead)} (?P<in>.+)|(?P<from>.{{1,60}}) {any_of(said.from_now)}"),
        parts_of_today={phrase: None if part == "any" else part for phrase, part in said.parts_of_today.items()},
        hours=frozenset(hours | named),
        of=tuple((f"{joined} ", f"{alone} ") for joined, alone in said.of_day.items()),
    )


@register
class DatetimeType(ValueType[datetime]):
    """A day and a time on it, in either order, without a time zone."""

    name = "datetime"
    formats = frozenset({"short", "medium", "long", "full"})

    def parse(self, text: str, reading: Reading) -> datetime:
        moment = read_despite_slips(bare(text, reading.words), reading, lambda phrase: _moment_in(phrase, reading))
        if moment is None:
            raise ValueError("not a day and time")
        return moment

    def coerce(self, value: object, reading: Reading) -> datetime:
        if isinstance(value, str):
            return self.parse(value, reading)
        if isinstance(value, datetime):
            return _local(value, reading.now.tzinfo)
        raise ValueError("not a day and time")

    def dump(self, value: datetime) -> Json:
        return value.isoformat()

    def load(self, data: Json) -> datetime:
        if isinstance(data, str):
            return datetime.fromisoformat(data)
        raise ValueError("not a stored moment")

    def format(self, value: datetime, language: str, spec: str | None = None) -> str:
        style = checked_spec(spec, self.formats, "long")
        locale = locale_for(language)
        pattern = str(locale.datetime_formats["short" if style == "short" else "long"])
        day = locale.date_formats[style].pattern
        clock = locale.time_formats["short"].pattern  # the longer ones name a time zone
        return plain_spaces(format_datetime(value, pattern.replace("{1}", day).replace("{0}", clock), locale=locale))


def _moment_in(phrase: str, reading: Reading) -> datetime | None:
    now = reading.now.replace(tzinfo=None, microsecond=0)
    known = _moments(reading.words)
    if phrase in known.now:
        return now
    if _ISO.fullmatch(phrase) is not None:
        return _local(datetime.fromisoformat(phrase.upper()), reading.now.tzinfo)
    ahead = known.ahead.fullmatch(phrase)
    if ahead is not None:
        moment = _ahead(ahead["in"] or ahead["from"], now, reading)
        if moment is not None:
            return moment
    return _day_and_time(phrase.replace(",", " ").split(), reading)


def _local(moment: datetime, zone: tzinfo | None) -> datetime:
    """A moment on the assistant's clock; one with a time zone needs to know where that clock stands."""
    if moment.tzinfo is None:
        return moment
    if zone is None:
        raise ValueError("it has a time zone and the conversation has none")
    try:
        return moment.astimezone(zone).replace(tzinfo=None)
    except OverflowError:
        raise ValueError("beyond the calendar") from None


def _ahead(said: str, now: datetime, reading: Reading) -> datetime | None:
    length = duration_in(said, reading)
    # In days or weeks people mean a date, and the hour it happens to be now says nothing.
    if length is None or length >= timedelta(days=2):
        return None
    try:
        return now + length
    except OverflowError:
        return None


def _day_and_time(words: list[str], reading: Reading) -> datetime | None:
    """The first way to cut the words into a day and a time, or a time and a day."""
    hours = _moments(reading.words).hours
    if not 2 <= len(words) <= _MOST_WORDS or not any(word in hours or word[0].isdigit() for word in words):
        return None
    for cut in range(1, len(words)):
        first, second = " ".join(words[:cut]), " ".join(words[cut:])
        for day_said, time_said in ((first, second), (second, first)):
            moment = _moment(day_said, time_said, reading)
            if moment is not None:
                return moment
    return None


def _moment(day_said: str, time_said: str, reading: Reading) -> datetime | None:
    part: str | None
    day: date | None
    known = _moments(reading.words)
    if day_said in known.parts_of_today:
        day, part = reading.now.date(), known.parts_of_today[day_said]
    else:
        for joined, alone in known.of:
            if day_said.startswith(joined):
                day_said = alone + day_said.removeprefix(joined)
        stem, part = part_of_day(day_said, reading)
        day = date_in(stem, reading)
    if day is None:
        return None
    clock: time | None = time_in(time_said, reading, part=part, alone=part is not None)
    return None if clock is None else datetime.combine(day, clock)
