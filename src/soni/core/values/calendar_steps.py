"""Days found by walking the calendar from another day."""

from calendar import monthrange
from datetime import date, timedelta


def next_or_in(today: date, month: int, day: int, year: int | None) -> date | None:
    """A day of the year given, or else the next such day from today."""
    if year is not None:
        return date(year, month, day)
    if not 1 <= month <= 12:
        return None
    for candidate in range(today.year, today.year + 9):  # leap years can be eight years apart
        if 1 <= day <= monthrange(candidate, month)[1] and date(candidate, month, day) >= today:
            return date(candidate, month, day)
    return None


def next_day_of_month(today: date, day: int) -> date | None:
    """The next day with this number, of whichever month."""
    month = today.replace(day=1)
    for _ in range(3):  # two months in a row never both lack a day
        if day <= monthrange(month.year, month.month)[1] and month.replace(day=day) >= today:
            return month.replace(day=day)
        month = months_later(month, 1)
    return None


def months_later(day: date, months: int) -> date:
    """The same day so many months later, or the last one of a shorter month."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def counted_in_month(first: date, place: int, weekday: int | None) -> date | None:
    """The day at a place of the month that begins on `first`, or the weekday at one; -1 is the last."""
    length = monthrange(first.year, first.month)[1]
    if weekday is None:
        number = length if place == -1 else place
    elif place == -1:
        last = first.replace(day=length)
        number = length - (last.weekday() - weekday) % 7
    else:
        number = 1 + (weekday - first.weekday()) % 7 + 7 * (place - 1)
    return first + timedelta(days=number - 1) if 1 <= number <= length else None
