"""Days told by their place in a month or year: its end, its second Friday, the 20th of it."""

import re
from collections.abc import Iterator
from datetime import date

from soni.core.values.calendar_steps import counted_in_month, months_later
from soni.core.values.calendar_words import DAYS_OF_MONTH, MONTHS, WEEKDAYS
from soni.core.values.numerals import ORDINALS

_LAST = -1
_PLACES = {"last": _LAST, "ultimo": _LAST} | {word: place for word, place in ORDINALS.items() if place <= 31}

_OF = r"(?: (?:of|in|del?|en)(?: the| el)?)"
_WHICH = (
    r"(?:(?P<this>this month|este mes|presente mes|mes actual|mes en curso)"
    r"|(?P<next>(?:next|coming|following) month|mes que viene|proximo mes|mes proximo|mes siguiente)"
    r"|(?P<past>(?:last|past|previous) month|mes pasado|pasado mes|mes anterior)"
    r"|(?P<any>month|mes)"
    rf"|(?P<month>{'|'.join(MONTHS)})(?:,?(?: of| del?)? (?P<year>\d{{4}}))?"
    r"|(?P<this_year>this year|este ano)"
    r"|(?P<next_year>(?:next|coming|following) year|ano que viene|proximo ano|ano proximo)"
    r"|(?P<any_year>year|ano)|(?:year |ano )?(?P<that_year>\d{4}))"
)
_EDGE = re.compile(
    r"(?:at |a |al |en )?(?:the |el |los )?"
    r"(?:(?P<end>(?:very )?end|fin|final|finales)|(?P<start>start|beginning|principios?|comienzos?|inicios?|primeros))"
    rf"{_OF} {_WHICH}",
    re.ASCII,
)
_MONTHS_UNNAMED = ("this", "next", "past", "any")
_LAST_WORDS = frozenset(MONTHS) | {
    "month", "mes", "viene", "proximo", "siguiente", "pasado", "anterior", "actual", "curso", "year", "ano"
}  # fmt: skip
_MONTH_END = re.compile(r"(?:at )?month[- ]end")
_COUNTED = re.compile(
    rf"(?P<place>[a-z0-9. -]{{1,16}}?)(?: (?:(?P<day>day|dia)|(?P<weekday>{'|'.join(WEEKDAYS)})))?{_OF} {_WHICH}",
    re.ASCII,
)


def month_place_in(said: str, today: date) -> date | None:
    """The day a folded phrase places in a month; of "the month" it is the next such day."""
    if _MONTH_END.fullmatch(said) is not None:
        return counted_in_month(today.replace(day=1), _LAST, None)
    last_word = said.rpartition(" ")[2]
    if last_word not in _LAST_WORDS and not last_word.isdigit():
        return None  # most phrases, and sooner told so than by the patterns
    edge = _EDGE.fullmatch(said)
    if edge is not None:
        return _found(edge, today, _LAST if edge["end"] is not None else 1, None)
    counted = _COUNTED.fullmatch(said)
    if counted is None:
        return None
    weekday = None if counted["weekday"] is None else WEEKDAYS[counted["weekday"]]
    named = weekday is not None or counted["day"] is not None
    if not named and counted.lastgroup not in _MONTHS_UNNAMED:
        return None  # the 7th of May is an ordinary date, and the 7th of this year none
    place = (_PLACES if named else DAYS_OF_MONTH).get(counted["place"])
    return None if place is None else _found(counted, today, place, weekday)


def _found(said: re.Match[str], today: date, place: int, weekday: int | None) -> date | None:
    past_too = said.lastgroup in ("this", "past", "this_year", "year", "that_year")
    for first in _months(said, today, last=place == _LAST):
        day = counted_in_month(first, place, weekday)
        if day is not None and (past_too or day >= today):
            return day
    return None


def _months(said: re.Match[str], today: date, *, last: bool) -> Iterator[date]:
    """The first days of the months that can be meant, the likeliest first."""
    first = today.replace(day=1)
    edge = 12 if last else 1
    match said.lastgroup:
        case "this":
            yield first
        case "next":
            yield months_later(first, 1)
        case "past":
            yield months_later(first, -1)
        case "any":
            yield first
            yield months_later(first, 1)
        case "month":
            yield first.replace(month=MONTHS[said["month"]])
            yield date(first.year + 1, MONTHS[said["month"]], 1)
        case "year":
            yield date(int(said["year"]), MONTHS[said["month"]], 1)
        case "that_year":
            yield date(int(said["that_year"]), edge, 1)
        case "this_year":
            yield first.replace(month=edge)
        case "next_year":
            yield date(first.year + 1, edge, 1)
        case "any_year":
            yield first.replace(month=edge)
            yield date(first.year + 1, edge, 1)
