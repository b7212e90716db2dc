"""The folded words that dates, times, durations, numbers and amounts of money are made of.

A hyphenated word counts as its parts ("twenty-five"); digits and signs are no words.
"""

from soni.core.values.calendar_words import ENGLISH_CALENDAR_WORDS, SPANISH_CALENDAR_WORDS
from soni.core.values.currencies import CURRENCY_CODES, ENGLISH_COIN_WORDS, OWNER_WORDS, SPANISH_COIN_WORDS
from soni.core.values.feasts import FEAST_WORDS
from soni.core.values.numerals import ENGLISH_NUMBER_WORDS, SPANISH_NUMBER_WORDS

_JOINING = """
    a about after an and around at away before by coming current during following for from in minus negative of on or
    past point previous right sharp straight the this till time to very within
    actual al anterior antes aqui coma con curso de del dentro desde despues durante el en es eso esta este hace hacia
    la las los mas menos mismo para partir pasada por presente punto que siguiente sobre son viene y ya
    nd o oh rd st th
    dinner supper lunch pa cenar cena comer almorzar comida almuerzo
"""
_ENGLISH_TIMES = """
    afternoon ago am beginning clock day's end evening k last midday midnight month's morning next night noon now
    o'clock pm start tonight week's year's
    christmas epiphany halloween nye valentine's valentines xmas
"""
_SPANISH_TIMES = """
    ahora comienzo comienzos fin final finales hs inicio inicios madrugada medianoche mediodia noche primeros
    principio principios proxima proximo tarde ultima ultimo
    epifania halloween inmaculada navidad nochebuena nochevieja reyes valentin
"""

ENGLISH_VALUE_WORDS = (ENGLISH_NUMBER_WORDS | ENGLISH_CALENDAR_WORDS | ENGLISH_COIN_WORDS).union(
    CURRENCY_CODES, _ENGLISH_TIMES.split()
) - frozenset(_JOINING.split())
SPANISH_VALUE_WORDS = (SPANISH_NUMBER_WORDS | SPANISH_CALENDAR_WORDS | SPANISH_COIN_WORDS).union(
    CURRENCY_CODES, _SPANISH_TIMES.split()
) - frozenset(_JOINING.split())

CONNECTING_WORDS = (OWNER_WORDS | FEAST_WORDS).union(_JOINING.split()) - ENGLISH_VALUE_WORDS - SPANISH_VALUE_WORDS
"""Words of values that occur in any sentence: where there are only these, and no digit, there is no value."""

VALUE_WORDS = ENGLISH_VALUE_WORDS | SPANISH_VALUE_WORDS | CONNECTING_WORDS
"""Every word that can occur in a value, in either language."""
