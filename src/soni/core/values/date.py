"""Days of the calendar."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from babel.dates import format_date

from soni.core.values.calendar import CalendarWords, calendar, year_meant
from soni.core.values.calendar_steps import months_later, next_day_of_month, next_or_in
from soni.core.values.feasts import feast_in
from soni.core.values.locales import checked_spec, day_comes_first, locale_for, plain_spaces
from soni.core.values.misspelt import read_despite_slips
from soni.core.values.month_places import month_place_in
from soni.core.values.numerals import number_in
from soni.core.values.phrase import bare
from soni.core.values.value import Json, Reading, ValueType, register
from soni.languages import any_of, built, longest_first

if TYPE_CHECKING:
    from soni.languages import Language

_YEAR_FIRST = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})", re.ASCII)
_NUMERIC = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})|(\d{1,2})/(\d{1,2})", re.ASCII)


@dataclass(frozen=True, slots=True)
class _Dates:
    """The patterns of dates in words."""

    calendar: CalendarWords
    leading: re.Pattern[str]
    on_weekday: re.Pattern[str]
    day_month: re.Pattern[str]
    month_day: re.Pattern[str]
    named_weekday: re.Pattern[str]
    ahead: re.Pattern[str]
    ahead_from: re.Pattern[str]
    week_on: re.Pattern[str]
    """A week, or two, from a day that is near: 'a week tomorrow', 'Monday week'."""
    ago: re.Pattern[str]


@built
def _dates(words: Language) -> _Dates:
    known, said = calendar(words), words.calendar
    weekday, month, span = known.weekday, known.month, known.span
    of, article = any_of(said.of), any_of(said.article)
    near = any_of(said.near_days, said.weekdays)
    before_weekday = any_of(longest_first([*said.this, *said.next]))
    return _Dates(
        calendar=known,
        leading=re.compile(rf"(?:{any_of(said.before_date)} )?(?P<article>{article} )?"),
        on_weekday=re.compile(
            rf"(?:{before_weekday} )?(?P<weekday>{weekday})\.?,? (?:(?:{article}|{any_of(said.day)}) )?(?=[a-z0-9])"
        ),
        day_month=re.compile(
            rf"(?P<day>[a-z0-9. -]{{1,16}}?)(?: {of})?[ -](?P<month>{month})"
            rf"(?:\.?(?:,| {of})?[ -](?P<year>{known.year})| {any_of(said.before_short_year)} (?P<short>\d\d))?",
            re.ASCII,
        ),
        month_day=re.compile(
            rf"(?P<month>{month})\.? (?:{any_of(said.the_month)} )?(?P<day>[a-z0-9. -]{{1,16}}?)"
            rf"(?:,? (?:{of} )?(?P<year>{known.year}))?",
            re.ASCII,
        ),
        named_weekday=re.compile(
            rf"(?:(?:(?P<this>{any_of(said.this)})|(?P<next>{any_of(said.next)})|(?P<last>{any_of(said.last)})) )?"
            rf"(?P<weekday>{weekday})\.?"
            rf"(?: (?:(?P<coming>{any_of(said.next_after)})|(?P<past>{any_of(said.last_after)})"
            rf"|(?P<week>{any_of(said.in_next_week)})))?"
        ),
        ahead=re.compile(
            rf"{any_of(said.ahead)} (?P<count>.{{1,60}}?) (?P<span>{span})(?:{any_of(said.after_ahead)})?"
        ),
        ahead_from=re.compile(
            rf"(?P<count>.{{1,60}}?) (?P<span>{span}) {any_of(said.counted_from)} (?P<base>.{{1,60}})"
        ),
        week_on=re.compile(
            rf"(?P<weeks>{any_of(said.weeks_before)}) (?:{any_of(said.weeks_before_joined)} )?(?P<base>{near})"
            rf"|(?:{any_of(said.before_such_day)} )?(?P<base2>{near}) (?P<weeks2>{any_of(said.weeks_after)})"
        ),
        ago=re.compile(
            rf"{any_of(said.ago_before)} (?P<count>.{{1,60}}?) (?P<span>{span})"
            rf"|(?P<count2>.{{1,60}}?) (?P<span2>{span}) {any_of(said.ago_after)}"
        ),
    )


@register
class DateType(ValueType[date]):
    """A day, absolute or seen from today; without a year it is the next such day."""

    name = "date"
    formats = frozenset({"short", "medium", "long", "full"})

    def parse(self, text: str, reading: Reading) -> date:
        day = read_despite_slips(bare(text, reading.words), reading, lambda phrase: date_in(phrase, reading))
        if day is None:
            raise ValueError("not a date")
        return day

    def coerce(self, value: object, reading: Reading) -> date:
        if isinstance(value, str):
            return self.parse(value, reading)
        if isinstance(value, date) and not isinstance(value, datetime):
            return value
        raise ValueError("not a date")

    def dump(self, value: date) -> Json:
        return value.isoformat()

    def load(self, data: Json) -> date:
        if isinstance(data, str):
            return date.fromisoformat(data)
        raise ValueError("not a stored date")

    def format(self, value: date, language: str, spec: str | None = None) -> str:
        style = checked_spec(spec, self.formats, "long")
        return plain_spaces(format_date(value, style, locale=locale_for(language)))


def date_in(phrase: str, reading: Reading) -> date | None:
    """The day a folded phrase is; None if it is none, or one the calendar does not have."""
    try:
        return _date(phrase, reading)
    except (ValueError, OverflowError):
        return None  # 31 April, or the year 20000


def _date(phrase: str, reading: Reading) -> date | None:
    today, known = reading.now.date(), _dates(reading.words)
    leading = known.leading.match(phrase)
    said, article = (phrase[leading.end() :], leading["article"]) if leading is not None else (phrase, None)
    if said[:1].isdigit() and (numeric := _in_figures(said, today, reading.language)) is not None:
        return numeric
    if said in known.calendar.said.days_away:
        return today + timedelta(days=known.calendar.said.days_away[said])
    away = _week_on(said, known, reading) or _span_away(said, known, reading)
    if away is not None:
        return away
    by_name = feast_in(said, today, reading.words) or month_place_in(said, today, reading.words)
    if by_name is not None:
        return by_name
    weekday = known.named_weekday.fullmatch(said)
    if weekday is not None:
        return _by_weekday(weekday, today, known)
    on_weekday = known.on_weekday.match(said)
    if on_weekday is None:
        return _by_day(said, today, known, with_article=article is not None)
    behind = said[on_weekday.end() :]
    day = _in_figures(behind, today, reading.language) or _by_day(behind, today, known, with_article=True)
    # A date that falls on another weekday than the one said is a misunderstanding, not a date.
    return day if day is not None and day.weekday() == known.calendar.said.weekdays[on_weekday["weekday"]] else None


def _in_figures(said: str, today: date, language: str) -> date | None:
    year_first = _YEAR_FIRST.fullmatch(said)
    if year_first is not None:
        return date(int(year_first[1]), int(year_first[3]), int(year_first[4]))
    match = _NUMERIC.fullmatch(said)
    if match is None:
        return None
    first, second = int(match[1] or match[5]), int(match[3] or match[6])
    day_first = first > 12 or (second <= 12 and day_comes_first(language))
    day, month = (first, second) if day_first else (second, first)
    return next_or_in(today, month, day, _full_year(match[4]))


def _full_year(digits: str | None) -> int | None:
    if digits is None or len(digits) == 4:
        return None if digits is None else int(digits)
    return int(digits) + (2000 if int(digits) < 69 else 1900)  # as POSIX reads two digits


def _by_day(said: str, today: date, known: _Dates, *, with_article: bool) -> date | None:
    """A day of a named month, or of whichever comes first."""
    match = known.day_month.fullmatch(said) or known.month_day.fullmatch(said)
    if match is not None:
        day = known.calendar.days_of_month.get(match["day"])
        if day is None:
            return None
        year = _full_year(match.groupdict().get("short")) or year_meant(match["year"], today, known.calendar)
        return next_or_in(today, known.calendar.said.months[match["month"]], day, year)
    day = known.calendar.days_of_month.get(said)
    # A number on its own is a day only when something says so: "the fifth", "el 5", "5th".
    if day is None or not (with_article or (said[0].isdigit() and not said.isdigit())):
        return None
    return next_day_of_month(today, day)


def _by_weekday(match: re.Match[str], today: date, known: _Dates) -> date:
    weekday = known.calendar.said.weekdays[match["weekday"]]
    if match["week"] is not None:
        return today - timedelta(days=today.weekday()) + timedelta(days=7 + weekday)
    if match["past"] is not None or match["last"] is not None:
        return today - timedelta(days=(today.weekday() - weekday) % 7 or 7)
    ahead = (weekday - today.weekday()) % 7
    if match["this"] is not None:
        return today + timedelta(days=ahead)
    return today + timedelta(days=ahead or 7)  # whoever means today says today


def _week_on(said: str, known: _Dates, reading: Reading) -> date | None:
    match = known.week_on.fullmatch(said)
    day = _date(match["base"] or match["base2"], reading) if match is not None else None
    if match is None or day is None:
        return None
    words = known.calendar.said
    weeks = words.weeks_before[match["weeks"]] if match["weeks"] else words.weeks_after[match["weeks2"]]
    return day + timedelta(weeks=weeks)


def _span_away(said: str, known: _Dates, reading: Reading) -> date | None:
    today = reading.now.date()
    ahead = known.ahead.fullmatch(said)
    if ahead is not None:
        return _later(today, _count(ahead["count"], reading), ahead["span"], known)
    ago = known.ago.fullmatch(said)
    if ago is not None:
        count = _count(ago["count"] or ago["count2"], reading)
        return _later(today, None if count is None else -count, ago["span"] or ago["span2"], known)
    after = known.ahead_from.fullmatch(said)
    if after is None:
        return None
    count = _count(after["count"], reading)
    if count is None:
        return None
    base = today if after["base"] in known.calendar.said.now else _date(after["base"], reading)
    return None if base is None else _later(base, count, after["span"], known)


def _count(said: str, reading: Reading) -> int | None:
    numbers = reading.words.numbers
    if said in numbers.a:
        return 1
    before, _, last = said.rpartition(" ")
    number = number_in(before if before and last in numbers.of else said, reading)
    return int(number) if number is not None and number == int(number) and 0 <= number < 100_000 else None


def _later(day: date, count: int | None, span: str, known: _Dates) -> date | None:
    if count is None:
        return None
    said = known.calendar.said
    if span in said.days_in:
        return day + timedelta(days=count * said.days_in[span])
    return months_later(day, count * said.months_in[span])
