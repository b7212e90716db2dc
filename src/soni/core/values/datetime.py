"""Moments: a day and a time of day."""

import re
from datetime import date, datetime, time, timedelta, tzinfo

from babel.dates import format_datetime

from soni.core.values.date import date_in
from soni.core.values.duration import duration_in
from soni.core.values.locales import checked_spec, locale_for, plain_spaces
from soni.core.values.misspelt import read_despite_slips
from soni.core.values.numerals import COUNT
from soni.core.values.phrase import bare
from soni.core.values.time import part_of_day, time_in
from soni.core.values.value import Json, Reading, ValueType, register

_ISO = re.compile(r"\d{4}-\d{2}-\d{2}[t ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:z|[+-]\d{2}:\d{2})?", re.ASCII)
_NOW = frozenset({"now", "right now", "ahora", "ahora mismo", "ya mismo", "straight away", "right away"})
_AHEAD = re.compile(r"(?:in|within|dentro de|en|de aqui a) (?P<in>.+)|(?P<from>.{1,60}) (?:from now|a partir de ahora)")
_PARTS_OF_TODAY = {
    "tonight": "night", "this evening": "pm", "this afternoon": "pm", "this morning": "am",
    "esta noche": "night", "esta tarde": "pm", "esta manana": "am", "hoy": None, "today": None,
}  # fmt: skip
_HOURS = {word for phrase in COUNT for word in phrase.split()} - {"y"} | {
    "noon", "midday", "mediodia", "midnight", "medianoche"
}  # fmt: skip
_MOST_WORDS = 16


@register
class DatetimeType(ValueType[datetime]):
    """A day and a time on it, in either order, without a time zone."""

    name = "datetime"
    formats = frozenset({"short", "medium", "long", "full"})

    def parse(self, text: str, reading: Reading) -> datetime:
        moment = read_despite_slips(bare(text), reading.language, lambda phrase: _moment_in(phrase, reading))
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
    if phrase in _NOW:
        return now
    if _ISO.fullmatch(phrase) is not None:
        return _local(datetime.fromisoformat(phrase.upper()), reading.now.tzinfo)
    ahead = _AHEAD.fullmatch(phrase)
    if ahead is not None:
        moment = _ahead(ahead["in"] or ahead["from"], now, reading.language)
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


def _ahead(said: str, now: datetime, language: str) -> datetime | None:
    length = duration_in(said, language)
    # In days or weeks people mean a date, and the hour it happens to be now says nothing.
    if length is None or length >= timedelta(days=2):
        return None
    try:
        return now + length
    except OverflowError:
        return None


def _day_and_time(words: list[str], reading: Reading) -> datetime | None:
    """The first way to cut the words into a day and a time, or a time and a day."""
    if not 2 <= len(words) <= _MOST_WORDS or not any(word in _HOURS or word[0].isdigit() for word in words):
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
    if day_said in _PARTS_OF_TODAY:
        day, part = reading.now.date(), _PARTS_OF_TODAY[day_said]
    else:
        # a las nueve del viernes
        stem, part = part_of_day(day_said[1:] if day_said.startswith("del ") else day_said)
        day = date_in(stem, reading)
    if day is None:
        return None
    clock: time | None = time_in(time_said, reading.language, part=part, alone=part is not None)
    return None if clock is None else datetime.combine(day, clock)
