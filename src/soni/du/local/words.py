"""Words of a message: folded for comparing, with the original kept letter by letter."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from soni.languages import built

if TYPE_CHECKING:
    from soni.languages import Language

_WORD = re.compile(r"\S+")
_HELD = re.compile(r"([^\W\d])\1{2,}")
_EDGES = " \t\n.,;:!?¡¿\"'()[]«»…"


_REMEMBERED = 0x3000
"""Letters up to here are remembered; there are too many of the others to keep what each of them becomes."""


class _Folded(dict[int, str]):
    """For the number of a letter that letter folded, worked out when it is first seen."""

    def __missing__(self, number: int) -> str:
        letter = chr(number)
        plain = unicodedata.normalize("NFKD", letter.lower()).lower()
        base = "".join(part for part in plain if not unicodedata.combining(part))
        folded = "'" if letter in "’‘´`" else base if len(base) == 1 else letter
        if number < _REMEMBERED:
            self[number] = folded
        return folded


_FOLDED = _Folded()


def fold(text: str) -> str:
    """Lower case without accents, of the same length, so that positions hold in both."""
    return text.translate(_FOLDED)


def content(text: str) -> list[str]:
    """The folded words without their punctuation."""
    return [word for raw in fold(text).split() if (word := raw.strip(_EDGES))]


def trimmed(text: str) -> str:
    """The text without the punctuation and space around it."""
    return text.strip(_EDGES)


@dataclass(frozen=True, slots=True)
class Token:
    """A word, where it stands, folded and without the punctuation around it."""

    plain: str
    start: int
    end: int
    stops: bool
    """Whether a comma, a full stop or the like comes after it."""


def tokens(text: str) -> list[Token]:
    """The words of a text."""
    folded = fold(text)
    return [
        Token(match.group().strip(_EDGES), match.start(), match.end(), match.group()[-1:] in ",.;:!?")
        for match in _WORD.finditer(folded)
    ]


def same_stem(one: str, other: str) -> bool:
    """Whether two words are forms of one: person and persons."""
    if one == other:
        return True
    short = min(len(one), len(other))
    if short < 4:
        return short >= 3 and (one + "s" == other or other + "s" == one)
    common = next((place for place in range(short) if one[place] != other[place]), short)
    return common >= 4 and len(one) - common <= 2 and len(other) - common <= 2 and short - common <= 1


def same_root(one: str, other: str) -> bool:
    """Whether two words may be of one root: payment and pay."""
    short = min(len(one), len(other))
    common = next((place for place in range(short) if one[place] != other[place]), short)
    return common > 2 and (common == short or common > 4 or max(len(one), len(other)) - common < 3)


def squeezed(text: str, words: Language) -> str:
    """Letters that are held down, once: 'hellooo'; and single letters that stand for a word as that word."""
    text = _HELD.sub(r"\1", text)
    for letter, full in _short(words):
        text = letter.sub(full, text)
    return text


@built
def _short(words: Language) -> list[tuple[re.Pattern[str], str]]:
    short = words.spelling.short
    return [(re.compile(rf"\b{re.escape(letter)}\b(?!')", re.IGNORECASE), full) for letter, full in short.items()]
