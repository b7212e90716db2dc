from datetime import UTC, time

import pytest

from soni.core.values import Reading
from soni.core.values.time import TimeType

EITHER_LANGUAGE = {
    "18:30": "18:30", "18:30h": "18:30", "18h30": "18:30", "18 h": "18:00", "at 18.30": "18:30", "18.30": "18:30",
    "a las 18.30": "18:30", "6:30 pm": "18:30", "6pm": "18:00", "6 p.m.": "18:00", "12am": "00:00",
    "12 pm": "12:00", "24:00": "00:00", "half past six": "06:30", "half six": "06:30", "half 8": "08:30",
    "quarter to seven": "06:45", "a quarter past 7": "07:15", "ten past six": "06:10",
    "twenty-five to eight": "07:35", "quarter to one": "12:45", "seis y media": "06:30",
    "las seis y media": "06:30", "las 7 menos cuarto": "06:45", "la una y cuarto": "01:15",
    "las siete menos diez": "06:50", "diez para las siete": "06:50", "a las 9 de la noche": "21:00",
    "las nueve de la mañana": "09:00", "tres de la tarde": "15:00", "12 de la noche": "00:00",
    "la una del mediodía": "13:00", "half past seven in the evening": "19:30", "9 in the morning": "09:00",
    "quarter to one in the morning": "00:45", "noon": "12:00", "mediodía": "12:00", "al mediodía": "12:00",
    "midnight": "00:00", "a medianoche": "00:00", "six": "06:00", "at 6": "06:00", "six thirty": "06:30",
    "nine oh five": "09:05", "seven o'clock": "07:00", "las siete en punto": "07:00",
    "nine for dinner": "21:00", "1 for lunch": "13:00", "las nueve y media, pa cenar": "21:30",
    "a las dos para comer": "14:00", "21:30 para cenar": "21:30",
    "sobre las seis": "06:00", "a eso de las 6": "06:00", "around 6pm": "18:00", "veintidós treinta": "22:30",
}  # fmt: skip


@pytest.mark.parametrize(("phrase", "clock"), EITHER_LANGUAGE.items())
def test_times_as_people_say_them(phrase: str, clock: str, english: Reading, spanish: Reading) -> None:
    assert TimeType().parse(phrase, english).isoformat("minutes") == clock
    assert TimeType().parse(phrase, spanish).isoformat("minutes") == clock


@pytest.mark.parametrize(
    "phrase",
    ["", "25:00", "18:60", "18:30 am", "0 pm", "at 30", "in the morning", "pm", "6pm tomorrow", "dinner at 6",
     "half past", "quarter to thirty", "11 del mediodía", "13 de la mañana", "twenty five",
     "y media", "8am for lunch"],
)  # fmt: skip
def test_other_words_are_no_time(phrase: str, english: Reading) -> None:
    with pytest.raises(ValueError, match="not a time"):
        TimeType().parse(phrase, english)


def test_a_time_with_a_zone_is_refused(english: Reading) -> None:
    with pytest.raises(ValueError, match="time zone"):
        TimeType().coerce(time(18, 30, tzinfo=UTC), english)


def test_times_are_written_as_the_language_does() -> None:
    assert TimeType().format(time(18, 30), "en") == "6:30 PM"
    assert TimeType().format(time(18, 30), "es") == "18:30"
    assert TimeType().format(time(18, 30, 5), "es", "medium") == "18:30:05"
