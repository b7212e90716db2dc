"""The names of days, months and spans of time, folded, in English and Spanish."""

from soni.core.values.numerals import COUNT, ORDINALS

_ENGLISH_MONTHS = {
    "january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8,
    "september": 9, "october": 10, "november": 11, "december": 12,
    "jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10,
    "nov": 11, "dec": 12,
}  # fmt: skip
_SPANISH_MONTHS = {
    "enero": 1, "febrero": 2, "marzo": 3, "abril": 4, "mayo": 5, "junio": 6, "julio": 7, "agosto": 8,
    "septiembre": 9, "setiembre": 9, "octubre": 10, "noviembre": 11, "diciembre": 12,
    "ene": 1, "feb": 2, "mar": 3, "abr": 4, "jun": 6, "jul": 7, "ago": 8, "sep": 9, "sept": 9, "oct": 10,
    "nov": 11, "dic": 12,
}  # fmt: skip
MONTHS = _ENGLISH_MONTHS | _SPANISH_MONTHS

_ENGLISH_WEEKDAYS = {
    "monday": 0, "tuesday": 1, "wednesday": 2, "thursday": 3, "friday": 4, "saturday": 5, "sunday": 6,
    "mon": 0, "tue": 1, "tues": 1, "wed": 2, "thu": 3, "thur": 3, "thurs": 3, "fri": 4, "sat": 5, "sun": 6,
}  # fmt: skip
_SPANISH_WEEKDAYS = {
    "lunes": 0, "martes": 1, "miercoles": 2, "jueves": 3, "viernes": 4, "sabado": 5, "domingo": 6,
}  # fmt: skip
WEEKDAYS = _ENGLISH_WEEKDAYS | _SPANISH_WEEKDAYS

_ENGLISH_DAYS_AWAY = {
    "today": 0, "tomorrow": 1, "tmrw": 1, "tmr": 1, "tomoz": 1, "yesterday": -1,
    "day after tmrw": 2,
    "day after tomorrow": 2, "day before yesterday": -2, "tonight": 0, "tonite": 0, "this morning": 0,
    "this afternoon": 0, "this evening": 0, "last night": -1,
}  # fmt: skip
_SPANISH_DAYS_AWAY = {
    "hoy": 0, "manana": 1, "pasado manana": 2, "pasado": 2, "ayer": -1, "anteayer": -2, "antes de ayer": -2,
    "antier": -2, "hoy mismo": 0, "manana mismo": 1, "esta manana": 0, "esta tarde": 0, "esta noche": 0, "anoche": -1,
}  # fmt: skip
DAYS_AWAY = _ENGLISH_DAYS_AWAY | _SPANISH_DAYS_AWAY

DAYS_OF_MONTH = (
    {word: number for word, number in COUNT.items() if 1 <= number <= 31}
    | {word: number for word, number in ORDINALS.items() if number <= 31}
    | {form: number for number in range(1, 32) for form in (str(number), f"{number:02}")}
)

_ENGLISH_SECONDS_IN = {
    "second": 1, "seconds": 1, "sec": 1, "secs": 1, "s": 1, "minute": 60, "minutes": 60, "min": 60, "mins": 60,
    "m": 60, "hour": 3600, "hours": 3600, "hr": 3600, "hrs": 3600, "h": 3600, "day": 86400, "days": 86400,
    "d": 86400, "week": 604800, "weeks": 604800, "wk": 604800, "wks": 604800, "w": 604800,
    "fortnight": 1209600, "fortnights": 1209600,
}  # fmt: skip
_SPANISH_SECONDS_IN = {
    "segundo": 1, "segundos": 1, "seg": 1, "minuto": 60, "minutos": 60, "hora": 3600, "horas": 3600,
    "dia": 86400, "dias": 86400, "semana": 604800, "semanas": 604800,
}  # fmt: skip
SECONDS_IN = _ENGLISH_SECONDS_IN | _SPANISH_SECONDS_IN

DAYS_IN = {
    "day": 1, "days": 1, "dia": 1, "dias": 1, "week": 7, "weeks": 7, "semana": 7, "semanas": 7,
    "fortnight": 14, "fortnights": 14,
}  # fmt: skip

_ENGLISH_MONTHS_IN = {"month": 1, "months": 1, "year": 12, "years": 12}
_SPANISH_MONTHS_IN = {"mes": 1, "meses": 1, "ano": 12, "anos": 12}
MONTHS_IN = _ENGLISH_MONTHS_IN | _SPANISH_MONTHS_IN


def _words(*tables: dict[str, int]) -> frozenset[str]:
    return frozenset(word for table in tables for phrase in table for word in phrase.split())


ENGLISH_CALENDAR_WORDS = _words(
    _ENGLISH_MONTHS, _ENGLISH_WEEKDAYS, _ENGLISH_DAYS_AWAY, _ENGLISH_SECONDS_IN, _ENGLISH_MONTHS_IN
)
SPANISH_CALENDAR_WORDS = _words(
    _SPANISH_MONTHS, _SPANISH_WEEKDAYS, _SPANISH_DAYS_AWAY, _SPANISH_SECONDS_IN, _SPANISH_MONTHS_IN
)
