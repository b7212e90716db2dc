"""The words values are made of, which the reader of sentences looks for."""

import re

import pytest

from soni.core.values.numerals import numerals
from soni.core.values.phrase import bare
from soni.core.values.vocabulary import vocabulary
from soni.languages import languages
from tests.core.values import (
    test_date,
    test_datetime,
    test_duration,
    test_integer,
    test_money,
    test_number,
    test_time,
)

BOTH = languages(("en", "es"))
VALUE_WORDS, CONNECTING_WORDS = vocabulary(BOTH).words, vocabulary(BOTH).connecting
CALENDAR = BOTH.calendar
TABLES = [
    numerals(BOTH).count, numerals(BOTH).ordinals, CALENDAR.months, CALENDAR.weekdays, CALENDAR.days_away,
    CALENDAR.seconds_in, CALENDAR.months_in,
]  # fmt: skip
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
PHRASES = [
    *test_date.EITHER_LANGUAGE, *test_datetime.EITHER_LANGUAGE, *test_duration.MINUTES,
    *test_integer.EITHER_LANGUAGE, *test_money.EITHER_LANGUAGE, *test_number.EITHER_LANGUAGE,
    *test_time.EITHER_LANGUAGE,
]  # fmt: skip
CODES = frozenset({"try", "chf", "dt", "pt", "t"})
"""Codes are found by their capitals and ISO forms by their digits, not as words."""


@pytest.mark.parametrize("phrase", PHRASES)
def test_every_word_of_a_value_is_in_the_vocabulary(phrase: str) -> None:
    words = set(_WORD.findall(bare(phrase, BOTH))) - CODES
    assert words <= VALUE_WORDS


@pytest.mark.parametrize("table", TABLES)
def test_every_word_of_the_tables_is_in_the_vocabulary(table: dict[str, int]) -> None:
    assert {word for phrase in table for word in _WORD.findall(phrase)} <= VALUE_WORDS


@pytest.mark.parametrize("word", ["the", "of", "de", "el", "para", "and", "y", "new", "todos", "a", "swiss"])
def test_a_connecting_word_alone_shows_no_value(word: str) -> None:
    assert word in CONNECTING_WORDS <= VALUE_WORDS


@pytest.mark.parametrize("word", ["five", "cinco", "pm", "euros", "francs", "friday", "tomorrow", "navidad", "half"])
def test_a_word_that_carries_meaning_is_no_connecting_word(word: str) -> None:
    assert word in VALUE_WORDS - CONNECTING_WORDS


@pytest.mark.parametrize("word", ["hotel", "transfer", "cuenta", "mesa", "there", "siento", "table", "nuevamente"])
def test_ordinary_words_are_not_in_the_vocabulary(word: str) -> None:
    assert word not in VALUE_WORDS
