from datetime import timedelta

import pytest

from soni.core.values import Reading
from soni.core.values.duration import Duration

MINUTES = {
    "2 hours": 120, "two hours": 120, "1h30": 90, "1h 30m": 90, "1h30min": 90, "90 min": 90, "90min": 90,
    "an hour and a half": 90, "one and a half hours": 90, "hora y media": 90, "una hora y media": 90,
    "dos horas y media": 150, "dos horas": 120, "45 minutes": 45, "cuarenta y cinco minutos": 45,
    "half an hour": 30, "media hora": 30, "un cuarto de hora": 15, "tres cuartos de hora": 45,
    "three quarters of an hour": 45, "hora y cuarto": 75, "1.5 hours": 90, "1,5 horas": 90, "1:30h": 90,
    "a couple of hours": 120, "un par de horas": 120, "dos semanas": 20160, "2 days and 3 hours": 3060,
    "1 hour, 30 minutes": 90, "una hora y veinte minutos": 80, "for 2 hours": 120, "durante 2 horas": 120,
    "about an hour": 60, "PT1H30M": 90, "P1DT1H": 1500, "a fortnight": 20160, "30 segundos": 0.5,
    "un minuto y medio": 1.5, "treinta y cinco minutos": 35, "semana y media": 15120, "un segundo": 1 / 60,
    "two dozen hours": 1440, "an hour and three quarters": 105, "hora y tres cuartos": 105,
}  # fmt: skip


@pytest.mark.parametrize(("phrase", "minutes"), MINUTES.items())
def test_lengths_as_people_say_them(phrase: str, minutes: float, english: Reading, spanish: Reading) -> None:
    assert Duration().parse(phrase, english) == timedelta(minutes=minutes)
    assert Duration().parse(phrase, spanish) == timedelta(minutes=minutes)


@pytest.mark.parametrize(
    "phrase",
    ["", "90", "two", "2 months", "un año", "1 hour 2 hours", "30 minutes 1 hour", "2 hours of work",
     "-2 hours",
     "p", "pt", "minutes and", "the two hours", "999999999 weeks", "P99999W", "wait 2 hours"],
)  # fmt: skip
def test_other_words_are_no_length(phrase: str, english: Reading) -> None:
    with pytest.raises(ValueError, match="not a duration"):
        Duration().parse(phrase, english)


def test_a_plain_number_from_python_is_seconds_as_stored(english: Reading) -> None:
    assert Duration().coerce(90, english) == timedelta(seconds=90)
    assert Duration().dump(timedelta(minutes=1.5)) == 90
    with pytest.raises(ValueError, match="not a number"):
        Duration().coerce(True, english)


def test_lengths_are_written_in_words() -> None:
    assert Duration().format(timedelta(hours=1, minutes=30), "en") == "1 hour 30 minutes"
    assert Duration().format(timedelta(hours=1, minutes=30), "es") == "1 hora 30 minutos"
    assert Duration().format(timedelta(days=14), "en") == "14 days"
    assert Duration().format(timedelta(0), "en") == "0 minutes"
    assert Duration().format(timedelta(minutes=-5), "en") == "-5 minutes"
