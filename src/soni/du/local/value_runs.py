"""Where in a sentence a value can be: runs of words that are numbers, dates, clocks, or what joins them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soni.core.values.misspelt import respellings
from soni.core.values.numerals import COUNT
from soni.core.values.vocabulary import CONNECTING_WORDS, VALUE_WORDS
from soni.du.local.words import lexicon

if TYPE_CHECKING:
    from collections.abc import Iterator

    from soni.du.local.words import Token

ANCHORS = VALUE_WORDS - CONNECTING_WORDS
"""Words that show that a value may be there."""
_JOINING = lexicon(
    "a an the of and y de la las el los at in on por para to past half del que viene next this este esta con "
    "menos couple par dia day o from now ago hace dentro before after unos unas about around sobre mes month end "
    "fin"
)
_BETWEEN = _JOINING | CONNECTING_WORDS
_LONGEST = 12
_SHORTEST_SLIP = 4


def value_runs(words: list[Token], kind: str, language: str) -> Iterator[tuple[int, int]]:
    """Runs of words that could be a value of a type, the longest first, by the places of their first and last word."""
    valued = [_has_value(word, kind, language) for word in words]
    if not any(valued):
        return
    between = [_joins(word, kind) for word in words]
    for length in range(min(_LONGEST, len(words)), 0, -1):
        for first in range(len(words) - length + 1):
            inner = range(first, first + length)
            if any(valued[place] for place in inner) and all(valued[place] or between[place] for place in inner):
                yield first, first + length - 1


def _joins(word: Token, kind: str) -> bool:
    return word.plain in _BETWEEN or (kind == "email" and word.plain.isalpha())


def _has_value(word: Token, kind: str, language: str) -> bool:
    plain = word.plain
    if kind == "iban":
        letters = plain.replace("-", "")
        return letters.isdigit() or (
            len(letters) > 1 and letters.isalnum() and (not letters.isalpha() or len(letters) == 4)
        )
    if kind == "phone" and (plain in COUNT or plain in ("oh", "double", "doble", "triple")):
        return True
    if kind in ("email", "phone"):
        return any(letter.isdigit() or letter == "@" for letter in plain) or plain in ("at", "arroba")
    if any(letter.isdigit() or letter in "€$£" for letter in plain):
        return True
    parts = plain.replace(".", "").split("-")
    return all(part in ANCHORS for part in parts) or _is_slip(plain, language)


def _is_slip(word: str, language: str) -> bool:
    return len(word) >= _SHORTEST_SLIP and word.isalpha() and bool(respellings(word, language))
