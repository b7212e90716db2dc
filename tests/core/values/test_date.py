from dataclasses import replace
from datetime import date, datetime

import pytest

from soni.core.values import Reading
from soni.core.values.date import DateType

# Today is Wednesday, 11 November 2026.
EITHER_LANGUAGE = {
    "2026-12-01": "2026-12-01", "2026/12/1": "2026-12-01", "25/12/2026": "2026-12-25", "12/25": "2026-12-25",
    "3 April": "2027-04-03", "April 3rd 2026": "2026-04-03", "April 3rd, 2026": "2026-04-03",
    "the 3rd of April": "2027-04-03", "on the third of April": "2027-04-03", "15 Nov": "2026-11-15",
    "11 November": "2026-11-11", "10 November": "2027-11-10", "29 February": "2028-02-29",
    "3 de abril": "2027-04-03", "el 3 de abril de 2028": "2028-04-03",
    "3 de febrero del 78": "1978-02-03", "el 3 de abril del 28": "2028-04-03", "el tres de abril": "2027-04-03",
    "1º de mayo": "2027-05-01", "primero de mayo": "2027-05-01",
    "el treinta y uno de diciembre": "2026-12-31",
    "today": "2026-11-11", "tomorrow": "2026-11-12", "yesterday": "2026-11-10",
    "the day after tomorrow": "2026-11-13", "hoy": "2026-11-11", "mañana": "2026-11-12",
    "manana": "2026-11-12",
    "pasado mañana": "2026-11-13", "ayer": "2026-11-10", "tomorrow please": "2026-11-12",
    "friday": "2026-11-13", "on Friday": "2026-11-13", "viernes": "2026-11-13", "el miercoles": "2026-11-18",
    "this wednesday": "2026-11-11", "next monday": "2026-11-16", "el próximo lunes": "2026-11-16",
    "el lunes que viene": "2026-11-16", "este sábado": "2026-11-14", "friday next week": "2026-11-20",
    "el viernes de la semana que viene": "2026-11-20", "last monday": "2026-11-09",
    "el lunes pasado": "2026-11-09", "in two weeks": "2026-11-25", "dentro de dos semanas": "2026-11-25",
    "en 3 días": "2026-11-14", "a week tomorrow": "2026-11-19", "monday week": "2026-11-23",
    "de hoy en una semana": "2026-11-18", "de mañana en ocho días": "2026-11-19", "el lunes en quince": "2026-11-30",
    "a fortnight today": "2026-11-25",
    "day after tmrw": "2026-11-13", "next friday, the 20th": "2026-11-20",
    "a week from today": "2026-11-18", "two weeks from monday": "2026-11-30",
    "in a month": "2026-12-11", "dentro de un año": "2027-11-11", "two days ago": "2026-11-09",
    "hace tres días": "2026-11-08", "in a couple of days": "2026-11-13", "the 5th": "2026-12-05",
    "el 5": "2026-12-05", "el día 20": "2026-11-20", "the 31st": "2026-12-31",
    "the 5th of next month": "2026-12-05", "el 20 de este mes": "2026-11-20",
    "christmas day": "2026-12-25", "on Christmas Day": "2026-12-25", "christmas": "2026-12-25",
    "at Christmas": "2026-12-25", "Xmas": "2026-12-25", "on christmas eve": "2026-12-24",
    "Christmas Eve 2027": "2027-12-24", "el día de Navidad": "2026-12-25", "navidad": "2026-12-25",
    "por Navidad": "2026-12-25", "la Navidad de 2028": "2028-12-25", "en nochebuena": "2026-12-24",
    "la nochebuena": "2026-12-24", "víspera de Navidad": "2026-12-24", "this christmas": "2026-12-25",
    "last christmas": "2025-12-25", "la Navidad pasada": "2025-12-25", "next christmas": "2026-12-25",
    "esta nochevieja": "2026-12-31", "la próxima nochevieja": "2026-12-31", "nochevieja": "2026-12-31",
    "fin de año": "2026-12-31", "New Year's Eve": "2026-12-31", "new years eve": "2026-12-31",
    "New Year's Day": "2027-01-01", "new year's day 2030": "2030-01-01", "año nuevo": "2027-01-01",
    "el día de Año Nuevo": "2027-01-01", "boxing day": "2026-12-26", "San Esteban": "2026-12-26",
    "Reyes": "2027-01-06", "el día de Reyes": "2027-01-06", "la noche de Reyes": "2027-01-05",
    "epiphany": "2027-01-06", "San Valentín": "2027-02-14", "el día de San Valentín": "2027-02-14",
    "el día de los enamorados": "2027-02-14", "Valentine's Day": "2027-02-14", "valentines day": "2027-02-14",
    "St. Patrick's Day": "2027-03-17", "April Fools' Day": "2027-04-01", "el día del trabajador": "2027-05-01",
    "la noche de San Juan": "2027-06-23", "Halloween": "2027-10-31", "All Saints' Day": "2027-11-01",
    "todos los santos": "2027-11-01", "el día de los muertos": "2027-11-02", "la Inmaculada": "2026-12-08",
    "Christmas Day next year": "2027-12-25", "la nochevieja del año que viene": "2027-12-31",
    "halloween this year": "2026-10-31", "Navidad de este año": "2026-12-25", "Christmas Day, 2027": "2027-12-25",
    "the last day of the month": "2026-11-30", "the last day of this month": "2026-11-30",
    "last day of the month": "2026-11-30", "the last day of next month": "2026-12-31",
    "the last day of february": "2027-02-28", "the last day of February 2028": "2028-02-29",
    "the first day of next month": "2026-12-01", "the first day of the month": "2026-12-01",
    "the first day of this month": "2026-11-01", "the end of the month": "2026-11-30",
    "at the end of the month": "2026-11-30", "by the end of next month": "2026-12-31", "end of month": "2026-11-30",
    "end of november": "2026-11-30", "the end of the year": "2026-12-31", "the last day of the year": "2026-12-31",
    "the first day of next year": "2027-01-01", "the start of next month": "2026-12-01",
    "the beginning of december": "2026-12-01", "el último día del mes": "2026-11-30",
    "el último día de este mes": "2026-11-30", "el ultimo dia del mes que viene": "2026-12-31",
    "último día de febrero": "2027-02-28", "el primer día del próximo mes": "2026-12-01",
    "fin de mes": "2026-11-30", "a fin de mes": "2026-11-30", "a finales de mes": "2026-11-30",
    "para final de mes": "2026-11-30", "a finales de este mes": "2026-11-30", "a finales de enero": "2027-01-31",
    "a finales del mes que viene": "2026-12-31", "a principios de mes": "2026-12-01",
    "a primeros de diciembre": "2026-12-01", "a final de año": "2026-12-31", "el último día del año": "2026-12-31",
    "the last friday of the month": "2026-11-27", "the first monday of december": "2026-12-07",
    "el primer lunes del mes que viene": "2026-12-07", "el último viernes de mes": "2026-11-27",
    "the second day of next month": "2026-12-02", "the first monday of the month": "2026-12-07",
    "the 20th of the month": "2026-11-20", "el 5 del mes": "2026-12-05",
    "the end of 2027": "2027-12-31", "the end of this year": "2026-12-31", "month end": "2026-11-30",
    "the start of the year": "2027-01-01", "el último día de 2026": "2026-12-31",
    "the last day of last month": "2026-10-31", "el último día del mes pasado": "2026-10-31",
    "April 3rd next year": "2027-04-03", "el 3 de abril de este año": "2026-04-03",
    "April 3rd of this year": "2026-04-03", "el 3 de abril del año que viene": "2027-04-03",
    "Monday, November 16th": "2026-11-16", "lunes 16": "2026-11-16", "el lunes 16 de noviembre": "2026-11-16",
}  # fmt: skip


@pytest.mark.parametrize(("phrase", "day"), EITHER_LANGUAGE.items())
def test_days_as_people_say_them(phrase: str, day: str, english: Reading, spanish: Reading) -> None:
    assert DateType().parse(phrase, english).isoformat() == day
    assert DateType().parse(phrase, spanish).isoformat() == day


@pytest.mark.parametrize(
    "phrase",
    ["", "5", "para dos", "for two", "31 April", "30 February 2027", "32/1/2026", "13/13/2026", "0/0",
     "2026-02-30",
     "in april", "in 99999 years", "tomorrow with Ana", "book monday", "next", "el", "in two",
     "monday tuesday",
     "in two hours", "1.234", "in a week from", "next month", "el mes que viene", "este mes", "the month",
     "eve", "new year's resolution", "christmas tree", "the last day", "el último día", "fin de semana", "end of",
     "the fifth friday of november", "the 7th of this year",
     "the last day of the week", "San Juan", "christmas 20", "all saints monday"],
)  # fmt: skip
def test_other_words_are_no_day(phrase: str, english: Reading) -> None:
    with pytest.raises(ValueError, match="not a date"):
        DateType().parse(phrase, english)


def test_the_language_settles_whether_the_day_comes_first(english: Reading, spanish: Reading) -> None:
    british = replace(english, language="en-GB")
    assert DateType().parse("03/04/2026", english) == date(2026, 3, 4)
    assert DateType().parse("03/04/2026", spanish) == date(2026, 4, 3)
    assert DateType().parse("3/4/26", british) == date(2026, 4, 3)


def test_a_weekday_that_contradicts_the_date_is_not_guessed(english: Reading) -> None:
    with pytest.raises(ValueError, match="not a date"):
        DateType().parse("Friday 16 November 2026", english)


def test_the_last_day_of_the_calendar_has_no_tomorrow(english: Reading) -> None:
    with pytest.raises(ValueError, match="not a date"):
        DateType().parse("tomorrow", replace(english, now=datetime(9999, 12, 31)))


def test_a_moment_is_not_taken_for_a_day(english: Reading) -> None:
    with pytest.raises(ValueError, match="not a date"):
        DateType().coerce(datetime(2026, 11, 11), english)


def test_days_are_written_as_the_language_does() -> None:
    day = date(2026, 11, 15)
    assert DateType().format(day, "en") == "November 15, 2026"
    assert DateType().format(day, "en-GB") == "15 November 2026"
    assert DateType().format(day, "es") == "15 de noviembre de 2026"
    assert DateType().format(day, "es", "full") == "domingo, 15 de noviembre de 2026"
    assert DateType().format(day, "en", "short") == "11/15/26"


def test_a_format_the_type_does_not_have_is_named() -> None:
    with pytest.raises(ValueError, match="no format 'EEEE'; there are: full, long, medium, short"):
        DateType().format(date(2026, 11, 15), "en", "EEEE")
