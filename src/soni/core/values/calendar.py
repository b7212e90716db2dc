"""The names of days, months and spans of time, of the languages that are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from soni.core.values.numerals import numerals
from soni.languages import any_of, built, longest_first

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from soni.languages import Language
    from soni.languages.sections import Calendar


@dataclass(frozen=True, slots=True)
class CalendarWords:
    """Names in the calendar, and the patterns that are made of them."""

    said: Calendar
    """The entries of the languages."""
    days_of_month: Mapping[str, int]
    weekday: str
    month: str
    span: str
    year: str
    """The pattern of a year in folded words, in digits or seen from this one."""


@built
def calendar(words: Language) -> CalendarWords:
    """The calendar of some languages."""
    said, numbers = words.calendar, numerals(words)
    return CalendarWords(
        said=said,
        days_of_month={word: number for word, number in numbers.count.items() if 1 <= number <= 31}
        | {word: number for word, number in numbers.ordinals.items() if number <= 31}
        | {form: number for number in range(1, 32) for form in (str(number), f"{number:02}")},
        weekday=any_of(said.weekdays),
        month=any_of(said.months),
        span=any_of([*said.days_in, *said.months_in]),
        year=rf"(?:\d{{4}}|{any_of(said.this_year, longest_first(said.next_year))})",
    )


def year_meant(said: str | None, today: date, known: CalendarWords) -> int | None:
    """The year that words of the `year` pattern mean; None when nothing was said."""
    if said is None or said.isdigit():
        return None if said is None else int(said)
    return today.year + (0 if said in known.said.this_year else 1)
