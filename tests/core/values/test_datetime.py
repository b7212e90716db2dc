from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from soni.core.values import Reading
from soni.core.values.datetime import DatetimeType

# It is ten in the morning of Wednesday, 11 November 2026.
EITHER_LANGUAGE = {
    "2026-12-01T10:00": "2026-12-01T10:00", "2026-12-01 10:00": "2026-12-01T10:00", "now": "2026-11-11T10:00",
    "ahora mismo": "2026-11-11T10:00", "tomorrow at 6pm": "2026-11-12T18:00",
    "6pm tomorrow": "2026-11-12T18:00",
    "tomorrow, 18:30": "2026-11-12T18:30", "mañana a las 18:30": "2026-11-12T18:30",
    "a las 9 mañana": "2026-11-12T09:00", "el lunes a las nueve de la mañana": "2026-11-16T09:00",
    "mañana a las nueve de la mañana": "2026-11-12T09:00", "mañana por la mañana a las 9": "2026-11-12T09:00",
    "mañana por la tarde a las 5": "2026-11-12T17:00", "tonight at 8": "2026-11-11T20:00",
    "at 8 tonight": "2026-11-11T20:00", "esta noche a las nueve y media": "2026-11-11T21:30",
    "monday evening at half past seven": "2026-11-16T19:30", "tomorrow morning at 9": "2026-11-12T09:00",
    "3 April 2027 at noon": "2027-04-03T12:00", "el 3 de abril a las 10": "2027-04-03T10:00",
    "next friday at quarter to seven": "2026-11-13T06:45", "in two hours": "2026-11-11T12:00",
    "dentro de 20 minutos": "2026-11-11T10:20", "in an hour and a half": "2026-11-11T11:30",
    "dentro de media hora": "2026-11-11T10:30", "two hours from now": "2026-11-11T12:00",
    "El viernes que viene a las nueve y media de la noche": "2026-11-13T21:30",
    "el viernes que viene a las nueve y media por la noche": "2026-11-13T21:30",
    "a las nueve y media de la noche del viernes que viene": "2026-11-13T21:30",
    "el viernes que viene por la noche a las nueve y media": "2026-11-13T21:30",
    "a las 9 del 5 de abril": "2027-04-05T09:00", "a las diez de la noche del 24": "2026-11-24T22:00",
    "next friday at half past nine at night": "2026-11-13T21:30",
    "half past nine at night next friday": "2026-11-13T21:30", "christmas eve at 8pm": "2026-12-24T20:00",
    "nochevieja a las diez y media de la noche": "2026-12-31T22:30",
    "el último día del mes a las 12:00": "2026-11-30T12:00",
    "el último día del mes que viene a las nueve y media de la noche": "2026-12-31T21:30",
    "in two weeks at 6pm": "2026-11-25T18:00", "pasado mañana al mediodía": "2026-11-13T12:00",
}  # fmt: skip


@pytest.mark.parametrize(("phrase", "moment"), EITHER_LANGUAGE.items())
def test_moments_as_people_say_them(phrase: str, moment: str, english: Reading, spanish: Reading) -> None:
    assert DatetimeType().parse(phrase, english).isoformat(timespec="minutes") == moment
    assert DatetimeType().parse(phrase, spanish).isoformat(timespec="minutes") == moment


@pytest.mark.parametrize(
    "phrase",
    ["", "tomorrow", "6pm", "tomorrow 6", "in two weeks", "a las nueve de la mañana", "tomorrow at 25:00",
     "dinner tomorrow at 6pm", "tomorrow tomorrow", "6pm 7pm", "tonight at 9 am", "2026-13-01T10:00"],
)  # fmt: skip
def test_other_words_are_no_moment(phrase: str, english: Reading) -> None:
    with pytest.raises(ValueError, match=r"not a day and time|month must be"):
        DatetimeType().parse(phrase, english)


def test_a_moment_with_a_zone_is_moved_to_the_conversations_clock(english: Reading) -> None:
    madrid = replace(english, now=english.now.replace(tzinfo=timezone(timedelta(hours=1))))
    assert DatetimeType().coerce(datetime(2026, 11, 11, 10, tzinfo=UTC), madrid) == datetime(2026, 11, 11, 11)
    assert DatetimeType().parse("2026-11-11T10:00Z", madrid) == datetime(2026, 11, 11, 11)
    assert DatetimeType().parse("now", madrid).tzinfo is None
    with pytest.raises(ValueError, match="time zone"):
        DatetimeType().parse("2026-11-11T10:00Z", english)


def test_a_day_is_not_taken_for_a_moment(english: Reading) -> None:
    with pytest.raises(ValueError, match="not a day and time"):
        DatetimeType().coerce(date(2026, 11, 11), english)


def test_moments_are_written_as_the_language_does() -> None:
    moment = datetime(2026, 11, 15, 18, 30)
    assert DatetimeType().format(moment, "en") == "November 15, 2026, 6:30 PM"
    assert DatetimeType().format(moment, "es", "short") == "15/11/26, 18:30"
