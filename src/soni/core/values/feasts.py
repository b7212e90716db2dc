"""Feasts that fall on the same day every year, by the names people give them."""

import re
from datetime import date

from soni.core.values.calendar_steps import YEAR, next_or_in, year_meant

# Folded, without apostrophes, as month and day.
_ENGLISH_FEASTS = {
    "new year": (1, 1), "new years": (1, 1), "epiphany": (1, 6), "three kings": (1, 6), "valentines": (2, 14),
    "st valentines": (2, 14), "saint valentines": (2, 14), "st patricks": (3, 17), "saint patricks": (3, 17),
    "april fools": (4, 1), "halloween": (10, 31), "all saints": (11, 1), "all souls": (11, 2),
    "bonfire night": (11, 5), "guy fawkes night": (11, 5), "christmas eve": (12, 24), "xmas eve": (12, 24),
    "christmas": (12, 25), "xmas": (12, 25), "st stephens": (12, 26), "saint stephens": (12, 26),
    "new years eve": (12, 31), "new year eve": (12, 31), "nye": (12, 31),
}  # fmt: skip
_SPANISH_FEASTS = {
    "ano nuevo": (1, 1), "noche de reyes": (1, 5), "vispera de reyes": (1, 5), "reyes": (1, 6),
    "reyes magos": (1, 6), "epifania": (1, 6), "san valentin": (2, 14), "san patricio": (3, 17),
    "sant jordi": (4, 23), "noche de san juan": (6, 23), "vispera de san juan": (6, 23), "halloween": (10, 31),
    "todos los santos": (11, 1), "inmaculada": (12, 8), "nochebuena": (12, 24), "noche buena": (12, 24),
    "vispera de navidad": (12, 24), "navidad": (12, 25), "san esteban": (12, 26), "santos inocentes": (12, 28),
    "nochevieja": (12, 31), "noche vieja": (12, 31), "san silvestre": (12, 31), "vispera de ano nuevo": (12, 31),
}  # fmt: skip
# Words for much else besides; a feast only when "day" or "día de" stands beside them.
_ENGLISH_DAYS = {
    "valentine": (2, 14), "womens": (3, 8), "april fool": (4, 1), "may": (5, 1), "workers": (5, 1), "boxing": (12, 26),
}  # fmt: skip
_SPANISH_DAYS = {
    "enamorados": (2, 14), "mujer": (3, 8), "san jose": (3, 19), "libro": (4, 23), "trabajo": (5, 1),
    "trabajador": (5, 1), "san juan": (6, 24), "santiago": (7, 25), "asuncion": (8, 15), "pilar": (10, 12),
    "hispanidad": (10, 12), "muertos": (11, 2), "difuntos": (11, 2), "constitucion": (12, 6), "inocentes": (12, 28),
}  # fmt: skip
FEAST_WORDS = frozenset(
    form
    for table in (_ENGLISH_FEASTS, _SPANISH_FEASTS, _ENGLISH_DAYS, _SPANISH_DAYS)
    for name in table
    for word in name.split()
    for form in (word, f"{word.removesuffix('s')}'s")
)
_FEASTS = _ENGLISH_FEASTS | _SPANISH_FEASTS
_DAYS = _FEASTS | _ENGLISH_DAYS | _SPANISH_DAYS

_FEAST = re.compile(
    r"(?:(?:at|in|en|por) )?(?P<before>(?:this|next|last|esta|este|(?:la |el )?proxim[oa]) )?(?:the |la |el )?"
    r"(?P<dia>dia (?:de (?:las? |los )?|del ))?"
    rf"(?P<name>{'|'.join(sorted(_DAYS, key=len, reverse=True))})(?P<day> day)?"
    r"(?P<past> pasad[oa])?"
    rf"(?:,? (?:(?:of|in|del?|en) )?(?P<year>{YEAR}))?",
    re.ASCII,
)
_DISTINCT_WORDS = frozenset(name.split()[-1] for name in _DAYS)


def feast_in(said: str, today: date) -> date | None:
    """The day of the feast a folded phrase names; without a year it is the next one."""
    plain = said.replace("'", "").replace("st. ", "st ")
    if _DISTINCT_WORDS.isdisjoint(plain.replace(",", " ").split()):
        return None
    match = _FEAST.fullmatch(plain)
    if match is None:
        return None
    name = match["name"]
    as_a_day = match["dia"] is not None or match["day"] is not None
    if name not in _FEASTS and not as_a_day:
        return None
    month, day = _DAYS[name]
    if match["past"] is not None or match["before"] == "last ":
        this_year = date(today.year, month, day)
        return this_year if this_year < today else date(today.year - 1, month, day)
    return next_or_in(today, month, day, year_meant(match["year"], today))
