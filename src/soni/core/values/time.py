"""Times of day."""

import re
from datetime import time

from babel.dates import format_time

from soni.core.values.locales import checked_spec, is_spanish, locale_for, plain_spaces
from soni.core.values.misspelt import read_despite_slips
from soni.core.values.numerals import COUNT
from soni.core.values.phrase import bare
from soni.core.values.value import Json, Reading, ValueType, register

_NAMED = {
    "noon": time(12), "midday": time(12), "12 noon": time(12), "twelve noon": time(12),
    "mediodia": time(12), "midnight": time(0), "12 midnight": time(0), "medianoche": time(0),
}  # fmt: skip
_LEADING = re.compile(
    r"(?:at (?:about |around )?|by |(?:a eso de |sobre |hacia |a |son |es |para )?(?:las|la) |al? |el )"
)
_PART_AT_END = re.compile(
    r"(?P<clock>.{0,60}?\S)[ ,]{0,3}"
    r"(?:(?P<am>a\.? ?m|(?:in the|this) morning|(?:de|por|en|a) la manana|de la madrugada)"
    r"|(?P<pm>p\.? ?m|(?:in the|this) (?:afternoon|evening)|(?:de|por|en|a) la tarde)"
    r"|(?P<night>at night|tonight|(?:de|por|en|a) la noche|esta noche|for (?:dinner|supper)"
    r"|(?:para|pa) (?:cenar|la cena))"
    r"|(?P<noon>del mediodia|de mediodia|for lunch|(?:para|pa) (?:comer|almorzar|la comida|el almuerzo)))"
)
_PART_WORD_AT_END = re.compile(
    r"(?P<rest>.{0,60}?\S) (?:(?P<am>in the morning|morning|(?:por|de|en|a) la manana|de madrugada)"
    r"|(?P<pm>in the (?:afternoon|evening)|afternoon|evening|(?:por|de|en|a) la tarde)"
    r"|(?P<night>at night|night|(?:por|de|en|a) la noche))"
)
_MARK_AT_END = re.compile(r"(.{0,60}?\S) ?(?:h|hs|hrs|horas|hours|o'? ?clock|en punto|sharp)")
_DIGITS = re.compile(r"(\d{1,2})(?:([:.h])(\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?)?", re.ASCII)
_PAST = re.compile(
    r"(?P<minutes>[a-z0-9 -]{1,40}?)(?: minutes?| mins?)? (?P<way>past|after|to|before|till|of)"
    r" (?P<hour>[a-z0-9 -]{1,40})"
)
_Y = re.compile(r"(?P<hour>[a-z0-9 ]{1,40}?) (?P<way>y|menos|con) (?P<minutes>[a-z0-9 ]{1,40}?)(?: minutos?)?")
_PARA = re.compile(r"(?P<minutes>[a-z0-9 ]{1,40}?)(?: minutos?)? (?P<way>para) las? (?P<hour>[a-z0-9 ]{1,40})")
_ZERO_BEFORE = re.compile(r"\b0\d", re.ASCII)
_HALVES = {
    "half": 30,
    "a half": 30,
    "media": 30,
    "quarter": 15,
    "a quarter": 15,
    "cuarto": 15,
    "un cuarto": 15,
}
_BACKWARDS = frozenset({"to", "before", "till", "of", "menos", "para"})


@register
class TimeType(ValueType[time]):
    """A time of day as said; "six" is six in the morning unless the words say otherwise."""

    name = "time"
    formats = frozenset({"short", "medium"})

    def parse(self, text: str, reading: Reading) -> time:
        said = _said(text, reading.language)
        if said is None:
            raise ValueError("not a time of day")
        return said

    def otherwise(self, text: str, reading: Reading) -> time | None:
        """'Nine' is nine in the evening where nobody comes at nine in the morning; '09:00' leaves no choice."""
        if _ZERO_BEFORE.search(text):
            return None
        first, later = _said(text, reading.language), _said(text, reading.language, "pm")
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


def _said(text: str, language: str, part: str | None = None) -> time | None:
    return read_despite_slips(bare(text), language, lambda phrase: time_in(phrase, language, part=part))


def time_in(phrase: str, language: str, *, part: str | None = None, alone: bool = True) -> time | None:
    """The time a folded phrase is; `part` of the day if said elsewhere, `alone` if a bare hour may count."""
    leading = _LEADING.match(phrase)
    clock = phrase[leading.end() :] if leading is not None else phrase
    if clock in _NAMED:
        return _NAMED[clock]
    ended = _PART_AT_END.fullmatch(clock)
    if ended is not None:
        if part is not None and part != ended.lastgroup:
            return None
        clock, part = ended["clock"], ended.lastgroup
    marked = _MARK_AT_END.fullmatch(clock)
    if marked is not None:
        clock = marked[1]
    certain = leading is not None or ended is not None or marked is not None
    if not certain and clock == "once" and not is_spanish(language):
        return None
    read = _clock(clock, bare_hour=certain or alone)
    if read is None:
        return None
    hour = _hour_of_day(read.hour, part)
    return None if hour is None else read.replace(hour=hour)


def part_of_day(phrase: str) -> tuple[str, str | None]:
    """A phrase without the part of the day it ends in ("tomorrow morning"), and that part."""
    ended = _PART_WORD_AT_END.fullmatch(phrase)
    if ended is None:
        return phrase, None
    return ended["rest"], ended.lastgroup


def _clock(clock: str, *, bare_hour: bool) -> time | None:
    """Hours and minutes as said, before any part of the day is known."""
    digits = _DIGITS.fullmatch(clock)
    if digits is not None:
        hour, mark, minutes, seconds, fraction = digits.groups()
        if mark in (None, ".") and not bare_hour:
            return None
        return _time(int(hour), int(minutes or 0), int(seconds or 0), int((fraction or "").ljust(6, "0")))
    if clock in COUNT:
        return _time(COUNT[clock], 0) if bare_hour else None
    for shape in (_PAST, _Y, _PARA):
        said = shape.fullmatch(clock)
        if said is not None:
            return _around(said["hour"], said["minutes"], said["way"] in _BACKWARDS)
    return _one_after_the_other(clock.split())


def _around(hour_said: str, minutes_said: str, backwards: bool) -> time | None:
    hour, minutes = _small(hour_said), _HALVES.get(minutes_said, _small(minutes_said))
    if hour is None or minutes is None or hour > 24 or not 1 <= minutes < 60:
        return None
    if backwards:
        return _time({1: 12, 0: 23}.get(hour, hour - 1), 60 - minutes)
    return _time(hour, minutes)


def _one_after_the_other(words: list[str]) -> time | None:
    """Half six, six thirty, nine oh five."""
    if len(words) == 2 and words[0] == "half":
        hour = _small(words[1])
        return None if hour is None or not 1 <= hour <= 12 else _time(hour, 30)
    for split in range(1, min(len(words), 4)):
        hour = COUNT.get(" ".join(words[:split]))
        rest = words[split:]
        if hour is None:
            continue
        if len(rest) == 2 and rest[0] in ("oh", "o", "zero", "cero"):
            minutes = COUNT.get(rest[1])
            return None if minutes is None or minutes > 9 else _time(hour, minutes)
        minutes = COUNT.get(" ".join(rest))
        if minutes is not None and minutes >= 10:
            return _time(hour, minutes)
    return None


def _small(said: str) -> int | None:
    if said.isascii() and said.isdigit() and len(said) < 3:
        return int(said)
    return COUNT.get(said)


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
