"""Days told by their place in a month or year: its end, its second Friday, the 20th of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from soni.core.values.calendar import calendar
from soni.core.values.calendar_steps import counted_in_month, months_later
from soni.core.values.numerals import numerals
from soni.languages import any_of, built

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from soni.languages import Language

_LAST = -1
_MONTHS_UNNAMED = ("this", "next", "past", "any")


@dataclass(frozen=True, slots=True)
class _Places:
    places: Mapping[str, int]
    edge: re.Pattern[str]
    counted: re.Pattern[str]
    month_end: re.Pattern[str]
    last_words: frozenset[str]
    """The last word of each month, by which most phrases are told to place nothing in one."""
    months: Mapping[str, int]
    weekdays: Mapping[str, int]
    days_of_month: Mapping[str, int]


@built
def _places(words: Language) -> _Places:
    known, said = calendar(words), words.calendar
    of = rf"(?: {any_of(said.in_month)}(?: {any_of(said.the_month)})?)"
    which = (
        rf"(?:(?P<this>{any_of(said.this_month)})|(?P<next>{any_of(said.next_month)})|(?P<past>{any_of(said.last_month)})"
        rf"|(?P<any>{any_of(said.any_month)})"
        rf"|(?P<month>{known.month})(?:,?(?: {any_of(said.of)})? (?P<year>\d{{4}}))?"
        rf"|(?P<this_year>{any_of(said.this_year)})|(?P<next_year>{any_of(said.following_year)})"
        rf"|(?P<any_year>{any_of(said.any_year)})|(?:{any_of(said.any_year)} )?(?P<that_year>\d{{4}}))"
    )
    phrases = (said.this_month, said.next_month, said.last_month, said.any_month)
    years = (said.this_year, said.following_year, said.any_year)
    last = {phrase.split()[-1] for some in (*phrases, *years) for phrase in some}
    return _Places(
        places=dict.fromkeys(said.last_place, _LAST)
        | {word: place for word, place in numerals(words).ordinals.items() if place <= 31},
        edge=re.compile(
            rf"(?:{any_of(said.at_edge)} )?(?:{any_of(said.the_edge)} )?"
            rf"(?:(?P<end>{any_of(said.end)})|(?P<start>{any_of(said.start)})){of} {which}",
            re.ASCII,
        ),
        counted=re.compile(
            rf"(?P<place>[a-z0-9. -]{{1,16}}?)"
            rf"(?: (?:(?P<day>{any_of(said.day)})|(?P<weekday>{known.weekday})))?{of} {which}",
            re.ASCII,
        ),
        month_end=re.compile(any_of(said.month_end)),
        last_words=frozenset(said.months) | last,
        months=said.months,
        weekdays=said.weekdays,
        days_of_month=known.days_of_month,
    )


def month_place_in(said: str, today: date, words: Language) -> date | None:
    """The day a folded phrase places in a month; of "the month" it is the next such day."""
    known = _places(words)
    if known.month_end.fullmatch(said) is not None:
        return counted_in_month(today.replace(day=1), _LAST, None)
    last_word = said.rpartition(" ")[2]
    if last_word not in known.last_words and not last_word.isdigit():
        return None  # most phrases, and sooner told so than by the patterns
    edge = known.edge.fullmatch(said)
    if edge is not None:
        return _found(edge, today, _LAST if edge["end"] is not None else 1, None, known)
    counted = known.counted.fullmatch(said)
    if counted is None:
        return None
    weekday = None if counted["weekday"] is None else known.weekdays[counted["weekday"]]
    named = weekday is not None or counted["day"] is not None
    if not named and counted.lastgroup not in _MONTHS_UNNAMED:
        return None  # the 7th of May is an ordinary date, and the 7th of this year none
    place = (known.places if named else known.days_of_month).get(counted["place"])
    return None if place is None else _found(counted, today, place, weekday, known)


def _found(said: re.Match[str], today: date, place: int, weekday: int | None, known: _Places) -> date | None:
    past_too = said.lastgroup in ("this", "past", "this_year", "year", "that_year")
    for first in _months(said, today, known, last=place == _LAST):
        day = counted_in_month(first, place, weekday)
        if day is not None and (past_too or day >= today):
            return day
    return None


def _months(said: re.Match[str], today: date, known: _Places, *, last: bool) -> Iterator[date]:
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
            yield first.replace(month=known.months[said["month"]])
            yield date(first.year + 1, known.months[said["month"]], 1)
        case "year":
            yield date(int(said["year"]), known.months[said["month"]], 1)
        case "that_year":
            yield date(int(said["that_year"]), edge, 1)
        case "this_year":
            yield first.replace(month=edge)
        case "next_year":
            yield date(first.year + 1, edge, 1)
        case "any_year":
            yield first.replace(month=edge)
            yield date(first.year + 1, edge, 1)
