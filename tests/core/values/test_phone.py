from dataclasses import replace

import pytest

from soni.core.values import Reading
from soni.core.values.phone import Phone

PHRASES = {
    "600 123 456": "+34600123456", "600123456": "+34600123456", "+34 600-12-34-56": "+34600123456",
    "0034 600 123 456": "+34600123456", "(+34) 600 123 456": "+34600123456", "el 912 345 678": "+34912345678",
    "+1 (415) 555-2671": "+14155552671", "tel: 600.123.456": "+34600123456",
    "six one seven, double two four, five five nine": "+34617224559",
    "six oh oh one two three four five six": "+34600123456",
    "seis uno siete veintidós cuarenta y cinco cincuenta y nueve": "+34617224559",
    "six seventeen twenty-two forty five fifty nine": "+34617224559",
}  # fmt: skip


@pytest.mark.parametrize(("phrase", "number"), PHRASES.items())
def test_numbers_as_people_write_them(phrase: str, number: str, spanish: Reading) -> None:
    assert Phone().parse(phrase, spanish) == number


@pytest.mark.parametrize(
    "phrase",
    [
        "",
        "12345",
        "000 000 000",
        "call 600123456",
        "600123456 or 600123457",
        "+999123456789",
        "double five",
        "six one seven",
        "six one seven double",
        "six hundred one two three",
        "dos mesas y tres sillas",
    ],
)
def test_other_words_are_no_number(phrase: str, spanish: Reading) -> None:
    with pytest.raises(ValueError, match="not a phone"):
        Phone().parse(phrase, spanish)


def test_the_region_settles_numbers_without_a_prefix(english: Reading) -> None:
    assert Phone().parse("(415) 555-2671", replace(english, region="US")) == "+14155552671"
    assert Phone().coerce(600123456, english) == "+34600123456"


def test_a_number_is_written_in_groups() -> None:
    assert Phone().format("+34600123456", "en") == "+34 600 12 34 56"
    assert Phone().format("+34600123456", "en", "national") == "600 12 34 56"
