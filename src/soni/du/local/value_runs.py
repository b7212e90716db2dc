"""Where in a sentence a value can be: runs of words that are numbers, dates, clocks, or what joins them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soni.core.values.misspelt import respellings
from soni.core.values.numerals import numerals
from soni.core.values.vocabulary import vocabulary
from soni.languages import built

if TYPE_CHECKING:
    from collections.abc import Iterator

    from soni.core.values import Reading
    from soni.du.local.words import Token
    from soni.languages import Language

_LONGEST = 12
_SHORTEST_SLIP = 4


class _Runs:
    """Words of values in some languages."""

    def __init__(self, words: Language) -> None:
        known = vocabulary(words)
        self.between = frozenset(words.calendar.between) | known.connecting
        self.spoken = {*numerals(words).count, *words.numbers.spoken_zero, *words.numbers.repeated}
        self.at = frozenset(words.courtesies.email_at)


_runs = built(_Runs)


def anchors(words: Language) -> frozenset[str]:
    """Words that show that a value may be there."""
    return vocabulary(words).telling


def value_runs(words: list[Token], kind: str, reading: Reading) -> Iterator[tuple[int, int]]:
    """Runs of words that could be a value of a type, the longest first, by the places of their first and last word."""
    valued = [_has_value(word, kind, reading) for word in words]
    if not any(valued):
        return
    between = [_joins(word, kind, reading.words) for word in words]
    for length in range(min(_LONGEST, len(words)), 0, -1):
        for first in range(len(words) - length + 1):
            inner = range(first, first + length)
            if any(valued[place] for place in inner) and all(valued[place] or between[place] for place in inner):
                yield first, first + length - 1


def _joins(word: Token, kind: str, words: Language) -> bool:
    return word.plain in _runs(words).between or (kind == "email" and word.plain.isalpha())


def _has_value(word: Token, kind: str, reading: Reading) -> bool:
    plain = word.plain
    if kind == "iban":
        letters = plain.replace("-", "")
        return letters.isdigit() or (
            len(letters) > 1 and letters.isalnum() and (not letters.isalpha() or len(letters) == 4)
        )
    known = _runs(reading.words)
    if kind == "phone" and plain in known.spoken:
        return True
    if kind in ("email", "phone"):
        return any(letter.isdigit() or letter == "@" for letter in plain) or plain in known.at
    if any(letter.isdigit() or letter in "€$£" for letter in plain):
        return True
    parts = plain.replace(".", "").split("-")
    return all(part in anchors(reading.words) for part in parts) or _is_slip(plain, reading)


def _is_slip(word: str, reading: Reading) -> bool:
    return len(word) >= _SHORTEST_SLIP and word.isalpha() and bool(respellings(word, reading.own, reading.words))
