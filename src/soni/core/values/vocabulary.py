"""The folded words that dates, times, durations, numbers and amounts of money are made of.

A hyphenated word counts as its parts ("twenty-five"); digits and signs are no words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from soni.core.values.currencies import CURRENCY_CODES, coin_words, owner_words
from soni.core.values.feasts import feast_words
from soni.core.values.numerals import numerals
from soni.languages import built, language

if TYPE_CHECKING:
    from soni.languages import Language


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words of values."""

    telling: frozenset[str]
    """Words that show that a value may be there."""
    connecting: frozenset[str]
    """Words of values that occur in any sentence: where there are only these, and no digit, there is no value."""
    words: frozenset[str]
    """Every word that can occur in a value."""


@built
def vocabulary(words: Language) -> Vocabulary:
    """The words of values in some languages."""
    joining = frozenset(words.calendar.joining)
    telling = frozenset().union(*(_telling(language(code)) for code in words.codes)) - joining
    connecting = (owner_words(words) | feast_words(words) | joining) - telling
    return Vocabulary(telling, connecting, telling | connecting)


def telling_words(words: Language) -> frozenset[str]:
    """The words that show that a value may be there, in one language."""
    return _telling(words) - frozenset(words.calendar.joining)


def _telling(words: Language) -> frozenset[str]:
    said = words.calendar
    tables = (said.months, said.weekdays, said.days_away, said.seconds_in, said.months_in)
    named = {word for table in tables for phrase in table for word in phrase.split()}
    return frozenset({*numerals(words).words, *coin_words(words), *CURRENCY_CODES, *said.other_words, *named})
