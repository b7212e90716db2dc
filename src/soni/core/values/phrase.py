"""How words are made comparable before any grammar looks at them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from unicodedata import combining, normalize

from soni.languages import built

if TYPE_CHECKING:
    from soni.languages import Language

LONGEST = 120
"""A longer text is no single value; cutting it off here keeps every grammar fast."""

_OPENING = " \t\"'`([{<¿¡,;:!?…*"
_CLOSING = " \t\"'`)]}>,;:.!?…*"
_SAME = str.maketrans("\u2019\u2018\u00b4\u2212\u2013\u2010ºª", "'''---oa")


@dataclass(frozen=True, slots=True)
class _Around:
    """What people put around a value."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    articles: tuple[str, ...]


@built
def _around(words: Language) -> _Around:
    courtesies = words.courtesies
    return _Around(
        tuple(f"{word} " for word in courtesies.before),
        tuple(f" {word}" for word in courtesies.after),
        tuple(f"{word} " for word in courtesies.articles),
    )


def fold(text: str) -> str:
    """The text in lower case, without accents, doubled spaces or punctuation around it."""
    if len(text) > LONGEST:
        return ""
    folded = text.casefold()
    if not folded.isascii():
        decomposed = normalize("NFD", folded.translate(_SAME))
        folded = "".join(letter for letter in decomposed if not combining(letter))
    return " ".join(folded.split()).lstrip(_OPENING).rstrip(_CLOSING)


def undress(phrase: str, words: Language) -> str:
    """A folded phrase without the politeness and hedges people put around a value."""
    around = _around(words)
    while phrase.startswith(around.before):
        prefix = next(word for word in around.before if phrase.startswith(word))
        phrase = phrase[len(prefix) :].lstrip(_OPENING)
    while phrase.endswith(around.after):
        suffix = next(word for word in around.after if phrase.endswith(word))
        phrase = phrase[: -len(suffix)].rstrip(_CLOSING)
    return phrase


def bare(text: str, words: Language) -> str:
    """The folded, undressed phrase of a text, the form most grammars read."""
    return undress(fold(text), words)


def without_article(phrase: str, words: Language) -> str:
    """A folded phrase without a definite article before it."""
    if phrase.startswith(_around(words).articles):
        return phrase.partition(" ")[2]
    return phrase
