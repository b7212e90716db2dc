"""Values as people write them, made up out of values.yaml: dates, times, amounts, counts, names, codes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from training.reader.samples import written_in

if TYPE_CHECKING:
    from random import Random

_TOLD: dict[str, Any] = written_in(Path(__file__).with_name("values.yaml"))
NUMBERS = {language: _TOLD[language]["numbers"].split() for language in ("en", "es")}
"""Counts in words."""
_FIRST, _LAST, _SYLLABLES = (_TOLD[name].split() for name in ("first", "last", "syllables"))
_LOWER = 0.4
_ENDINGS = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd"}


def value(kind: str, draw: Random, language: str) -> str:
    """A value of a type, in the words of a language."""
    match kind:
        case "integer" | "number":
            return _count(draw, language, draw.choice([4, 6, 10, 30]))
        case "datetime":
            at = "at" if language == "en" else "a"
            return f"{_written('date', draw, language)} {at} {_written('time', draw, language)}"
        case "person":
            return _carelessly(_person(draw, language), draw)
        case "city":
            return _carelessly(draw.choice(_TOLD["cities"]), draw)
        case "place":
            return _carelessly(_written(kind, draw, language), draw)
        case "email":
            name = f"{_plain(draw, _FIRST)}{draw.choice(['.', '_', ''])}{_plain(draw, _LAST)}"
            return f"{name}@{draw.choice(_TOLD['hosts'])}"
        case "phone":
            return _phone(draw)
        case "iban":
            return _carelessly(_iban(draw), draw)
        case _:
            return _written(kind, draw, language)


def _iban(draw: Random) -> str:
    digits = f"{draw.randrange(10**22):022}"[: draw.choice([16, 18, 20, 22])]
    letters = draw.choice(["ES", "DE", "FR", "IT", "PT", "GB", "NL", "IE"]) + digits
    return (
        " ".join(letters[place : place + 4] for place in range(0, len(letters), 4)) if draw.random() < 0.5 else letters
    )


def made_up(draw: Random, language: str) -> str:
    """Words that nobody knows, so that where they stand must tell what they are: names, codes, brands."""
    way = draw.random()
    if way < 0.3:
        letters = "".join(draw.choice("ABCDEFGHJKLMNPQRSTUVWXYZ") for _ in range(draw.randint(1, 3)))
        return _carelessly(f"{letters}{draw.choice(['', '-', ''])}{draw.randint(10, 99999)}", draw)
    if way < 0.5:
        return value("person", draw, language)
    words = ["".join(draw.choice(_SYLLABLES) for _ in range(draw.randint(2, 4))) for _ in range(1 + (way < 0.7))]
    return " ".join(words).title() if draw.random() < 0.5 else " ".join(words)


def _written(kind: str, draw: Random, language: str) -> str:
    """One of the ways in which a value of this kind is written."""
    told = _TOLD[language]
    day, hour, count = draw.randint(1, 28), draw.randint(1, 12), draw.choice(_TOLD["amounts"])
    weekday = draw.choice(told["days"].split())
    feminine = language == "es" and hour == 1
    return str(draw.choice(told[kind])).format(
        day=day,
        ordinal=f"{day}{_ENDINGS.get(day, 'th')}",
        weekday=weekday,
        short=weekday[:3],
        month=draw.choice(told["months"].split()),
        number=draw.randint(1, 12),
        few=_count(draw, language, 9),
        hour=hour,
        late=hour + 11,
        the="la" if feminine else "las",
        word="una" if feminine else NUMBERS[language][hour],
        minutes=draw.choice(["00", "15", "30", "45", "10", "20"]),
        count=count,
        cents=draw.choice(["50", "99", "25"]),
        ten=told["in_words"].get(count, count),
        currency=draw.choice(told["currencies"]),
        house=draw.randint(1, 99),
        street=draw.choice(told["streets"]),
    )


def _count(draw: Random, language: str, most: int) -> str:
    count = draw.randint(1, most)
    if language == "es" and count == 1:
        return draw.choice(["1", "uno", "una"])
    return NUMBERS[language][count] if count < len(NUMBERS[language]) and draw.random() < _LOWER else str(count)


def _person(draw: Random, language: str) -> str:
    way = draw.random()
    if way < 0.08:
        return str(draw.choice(_TOLD[language]["family"]))
    if way < 0.16:
        return "".join(draw.choice(_SYLLABLES) for _ in range(draw.randint(2, 4))).title()
    first, last = draw.choice(_FIRST), draw.choice(_LAST)
    return last if way < 0.24 else first if way < 0.6 else f"{first} {last}"


def related(draw: Random, language: str) -> str:
    """What somebody is to whom speaks, before the name."""
    return f"{draw.choice(_TOLD[language]['relations'])} "


def _phone(draw: Random) -> str:
    digits = draw.choice("679") + "".join(str(draw.randint(0, 9)) for _ in range(8))
    gap = draw.choice(["", " ", "-"])
    return draw.choice(["", "", "+34 "]) + gap.join((digits[:3], digits[3:6], digits[6:]))


def _plain(draw: Random, names: list[str]) -> str:
    return draw.choice(names).lower().translate(str.maketrans("áéíóúüñ", "aeiouun"))


def _carelessly(text: str, draw: Random) -> str:
    return text.lower() if draw.random() < _LOWER else text
