"""Days of the calendar."""

import re
from datetime import date, datetime, timedelta

from babel.dates import format_date

from soni.core.values.calendar_steps import YEAR, months_later, next_day_of_month, next_or_in, year_meant
from soni.core.values.calendar_words import DAYS_AWAY, DAYS_IN, DAYS_OF_MONTH, MONTHS, MONTHS_IN, WEEKDAYS
from soni.core.values.feasts import feast_in
from soni.core.values.locales import checked_spec, day_comes_first, locale_for, plain_spaces
from soni.core.values.misspelt import read_despite_slips
from soni.core.values.month_places import month_place_in
from soni.core.values.numerals import number_in
from soni.core.values.phrase import bare
from soni.core.values.value import Json, Reading, ValueType, register

_LEADING = re.compile(r"(?:on |for |para |by )?(?P<article>the |(?:el )?dia (?!del? )|el )?")
_WEEKDAY = "|".join(WEEKDAYS)
_MONTH = "|".join(MONTHS)
_SPAN = "|".join([*DAYS_IN, *MONTHS_IN])

_YEAR_FIRST = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})", re.ASCII)
_NUMERIC = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})|(\d{1,2})/(\d{1,2})", re.ASCII)
_ON_WEEKDAY = re.compile(
    rf"(?:(?:next|this|coming|proximo|este) )?(?P<weekday>{_WEEKDAY})\.?,? (?:the |el |dia )?(?=[a-z0-9])"
)
_DAY_MONTH = re.compile(
    rf"(?P<day>[a-z0-9. -]{{1,16}}?)(?: of| de)?[ -](?P<month>{_MONTH})"
    rf"(?:\.?(?:,| of| del?)?[ -](?P<year>{YEAR})| del (?P<short>\d\d))?",
    re.ASCII,
)
_MONTH_DAY = re.compile(
    rf"(?P<month>{_MONTH})\.? (?:the )?(?P<day>[a-z0-9. -]{{1,16}}?)(?:,? (?:of |del? )?(?P<year>{YEAR}))?",
    re.ASCII,
)
_NAMED_WEEKDAY = re.compile(
    rf"(?:(?P<before>this|(?:this )?coming|next|last|este|proximo|pasado|ultimo) )?"
    rf"(?P<weekday>{_WEEKDAY})\.?"
    r"(?: (?:(?P<coming>que viene|proximo)|(?P<past>pasado)|(?P<week>(?:of )?next week|de la semana que viene"
    r"|de la proxima semana)))?"
)
_AHEAD = re.compile(rf"(?:in|within|dentro de|en|de aqui a) (?P<count>.{{1,60}}?) (?P<span>{_SPAN})(?:'?s?'? time)?")
_AHEAD_FROM = re.compile(
    rf"(?P<count>.{{1,60}}?) (?P<span>{_SPAN}) (?:from|after|a partir de|desde|despues de) (?P<base>.{{1,60}})"
)
_NEAR = rf"today|tomorrow|hoy|manana|{_WEEKDAY}"
_WEEK_ON = re.compile(
    rf"(?P<weeks>a week|a fortnight|two weeks) (?:from |on )?(?P<base>{_NEAR})"
    rf"|(?:del? )?(?P<base2>{_NEAR}) (?P<weeks2>week|fortnight|en (?:una semana|dos semanas|(?:ocho|quince)(?: dias)?))"
)
"""'A week tomorrow', 'Monday week', 'de hoy en ocho días', which are seven."""
_TWO_WEEKS = re.compile("two|fortnight|dos|quince")
_AGO = re.compile(rf"hace (?P<count>.{{1,60}}?) (?P<span>{_SPAN})|(?P<count2>.{{1,60}}?) (?P<span2>{_SPAN}) ago")


@register
class DateType(ValueType[date]):
    """A day, absolute or seen from today; without a year it is the next such day."""

    name = "date"
    formats = frozenset({"short", "medium", "long", "full"})

    def parse(self, text: str, reading: Reading) -> date:
        day = read_despite_slips(bare(text), reading.language, lambda phrase: date_in(phrase, reading))
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
    today = reading.now.date()
    try:
        return _date(phrase, today, reading.language)
    except (ValueError, OverflowError):
        return None  # 31 April, or the year 20000


def _date(phrase: str, today: date, language: str) -> date | None:
    leading = _LEADING.match(phrase)
    said, article = (phrase[leading.end() :], leading["article"]) if leading is not None else (phrase, None)
    if said[:1].isdigit() and (numeric := _in_figures(said, today, language)) is not None:
        return numeric
    if said in DAYS_AWAY:
        return today + timedelta(days=DAYS_AWAY[said])
    away = _week_on(said, today, language) or _span_away(said, today, language)
    if away is not None:
        return away
    by_name = feast_in(said, today) or month_place_in(said, today)
    if by_name is not None:
        return by_name
    weekday = _NAMED_WEEKDAY.fullmatch(said)
    if weekday is not None:
        return _by_weekday(weekday, today)
    on_weekday = _ON_WEEKDAY.match(said)
    if on_weekday is None:
        return _by_day(said, today, with_article=article is not None)
    day = _date_after_weekday(said[on_weekday.end() :], today, language)
    # A date that falls on another weekday than the one said is a misunderstanding, not a date.
    return day if day is not None and day.weekday() == WEEKDAYS[on_weekday["weekday"]] else None


def _date_after_weekday(said: str, today: date, language: str) -> date | None:
    return _in_figures(said, today, language) or _by_day(said, today, with_article=True)


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


def _by_day(said: str, today: date, *, with_article: bool) -> date | None:
    """A day of a named month, or of whichever comes first."""
    match = _DAY_MONTH.fullmatch(said) or _MONTH_DAY.fullmatch(said)
    if match is not None:
        day = DAYS_OF_MONTH.get(match["day"])
        if day is None:
            return None
        year = _full_year(match.groupdict().get("short")) or year_meant(match["year"], today)
        return next_or_in(today, MONTHS[match["month"]], day, year)
    day = DAYS_OF_MONTH.get(said)
    # A number on its own is a day only when something says so: "the fifth", "el 5", "5th".
    if day is None or not (with_article or (said[0].isdigit() and not said.isdigit())):
        return None
    return next_day_of_month(today, day)


def _by_weekday(match: re.Match[str], today: date) -> date:
    weekday = WEEKDAYS[match["weekday"]]
    if match["week"] is not None:
        return today - timedelta(days=today.weekday()) + timedelta(days=7 + weekday)
    if match["past"] is not None or match["before"] in ("last", "pasado", "ultimo"):
        return today - timedelta(days=(today.weekday() - weekday) % 7 or 7)
    ahead = (weekday - today.weekday()) % 7
    if match["before"] in ("this", "este"):
        return today + timedelta(days=ahead)
    return today + timedelta(days=ahead or 7)  # whoever means today says today


def _week_on(said: str, today: date, language: str) -> date | None:
    match = _WEEK_ON.fullmatch(said)
    day = _date(match["base"] or match["base2"], today, language) if match is not None else None
    if match is None or day is None:
        return None
    return day + timedelta(weeks=2 if _TWO_WEEKS.search(match["weeks"] or match["weeks2"]) else 1)


def _span_away(said: str, today: date, language: str) -> date | None:
    ahead = _AHEAD.fullmatch(said)
    if ahead is not None:
        return _later(today, _count(ahead["count"], language), ahead["span"])
    ago = _AGO.fullmatch(said)
    if ago is not None:
        count = _count(ago["count"] or ago["count2"], language)
        return _later(today, None if count is None else -count, ago["span"] or ago["span2"])
    after = _AHEAD_FROM.fullmatch(said)
    if after is None:
        return None
    count = _count(after["count"], language)
    if count is None:
        return None
    base = today if after["base"] == "now" else _date(after["base"], today, language)
    return None if base is None else _later(base, count, after["span"])


def _count(said: str, language: str) -> int | None:
    if said in ("a", "an"):
        return 1
    if said.endswith((" of", " de")):
        said = said[:-3]
    number = number_in(said, language)
    return int(number) if number is not None and number == int(number) and 0 <= number < 100_000 else None


def _later(day: date, count: int | None, span: str) -> date | None:
    if count is None:
        return None
    if span in DAYS_IN:
        return day + timedelta(days=count * DAYS_IN[span])
    return months_later(day, count * MONTHS_IN[span])
