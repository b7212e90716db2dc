"""Feasts that fall on the same day every year, by the names people give them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from soni.core.values.calendar import calendar, year_meant
from soni.core.values.calendar_steps import next_or_in
from soni.languages import any_of, built, longest_first

if TYPE_CHECKING:
    from collections.abc import Mapping

    from soni.languages import Language


@dataclass(frozen=True, slots=True)
class _Feasts:
    days: Mapping[str, tuple[int, int]]
    pattern: re.Pattern[str]
    distinct: frozenset[str]
    """The last word of each name, by which most phrases are told to name none."""


@built
def _feasts(words: Language) -> _Feasts:
    said = words.calendar
    days = {**said.feasts, **said.day_feasts}
    pattern = re.compile(
        rf"(?:{any_of(said.at_feast)} )?(?P<before>{any_of(said.which_feast)} )?(?:{any_of(said.the_feast)} )?"
        rf"(?P<day_before>{any_of(said.day_before)})?(?P<name>{any_of(longest_first(days))})"
        rf"(?P<day> {any_of(said.day_behind)})?"
        rf"(?P<past> {any_of(said.past_feast)})?"
        rf"(?:,? (?:{any_of(said.year_of_feast)} )?(?P<year>{calendar(words).year}))?",
        re.ASCII,
    )
    return _Feasts(days, pattern, frozenset(name.split()[-1] for name in days))


def feast_words(words: Language) -> frozenset[str]:
    """Every word in the name of a feast."""
    names = (*words.calendar.feasts, *words.calendar.day_feasts)
    parts = {word for name in names for word in name.split()}
    return frozenset(form for word in parts for form in (word, f"{word.removesuffix('s')}'s"))


def feast_in(said: str, today: date, words: Language) -> date | None:
    """The day of the feast a folded phrase names; without a year it is the next one."""
    feasts = _feasts(words)
    plain = said.replace("'", "").replace("st. ", "st ")
    if feasts.distinct.isdisjoint(plain.replace(",", " ").split()):
        return None
    match = feasts.pattern.fullmatch(plain)
    if match is None:
        return None
    name = match["name"]
    as_a_day = match["day_before"] is not None or match["day"] is not None
    if name not in words.calendar.feasts and not as_a_day:
        return None
    month, day = feasts.days[name]
    if match["past"] is not None or (match["before"] or "").strip() in words.calendar.last_feast:
        this_year = date(today.year, month, day)
        return this_year if this_year < today else date(today.year - 1, month, day)
    return next_or_in(today, month, day, year_meant(match["year"], today, calendar(words)))
