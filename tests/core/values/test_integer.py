from decimal import Decimal

import pytest

from soni.core.values import Reading
from soni.core.values.integer import Integer

EITHER_LANGUAGE = {
    "5": 5, "-5": -5, "five": 5, "Minus five": -5, "cinco": 5, "menos cinco": -5, "zero": 0, "cero": 0,
    "twenty-five": 25, "twenty five": 25, "veinticinco": 25, "treinta y uno": 31, "TREINTA Y UNA": 31,
    "a hundred": 100, "cien": 100, "ciento uno": 101, "one hundred and one": 101, "fifteen hundred": 1500,
    "mil": 1000, "mil doscientos": 1200, "two thousand and six": 2006, "dos mil veintiséis": 2026,
    "quinientas": 500, "un millón": 1_000_000, "dos mil millones": 2_000_000_000, "2k": 2000,
    "3 mil": 3000, "2.5 million": 2_500_000, "1,234,567": 1_234_567, "1.234.567": 1_234_567,
    "1 234": 1234, "about 20": 20, "unos veinte": 20, "20, please": 20, "the 3": 3, "un par": 2,
    "a dozen": 12, "¡tres!": 3, "two dozen": 24, "2 dozen": 24, "tres docenas": 36, "una docena": 12,
    "half a dozen": 6, "media docena": 6, "docena y media": 18, "a dozen and a half": 18, "couple of": 2,
    "a couple of": 2, "un par de": 2, "una docena de": 12, "a pair": 2, "una decena": 10, "un centenar": 100,
    "medio centenar": 50, "dos millares": 2000, "a couple of hundred": 200, "a couple hundred": 200,
    "a couple of dozen": 24, "un par de docenas": 24, "un par de cientos": 200, "un par de miles": 2000,
    "a couple of hundred thousand": 200_000, "one and a half thousand": 1500, "two and a half million": 2_500_000,
    "a million and a half": 1_500_000, "un millón y medio": 1_500_000, "dos millones y medio": 2_500_000,
    "3 millones y medio": 3_500_000, "half a million": 500_000, "medio millón": 500_000,
    "a quarter of a million": 250_000, "tres cuartos de millón": 750_000, "two point five million": 2_500_000,
    "dos coma cinco millones": 2_500_000, "ten k": 10_000, "for two": 2, "para 5": 5, "para ocho": 8,
}  # fmt: skip


@pytest.mark.parametrize(("phrase", "value"), EITHER_LANGUAGE.items())
def test_whole_numbers_in_digits_and_words(phrase: str, value: int, english: Reading, spanish: Reading) -> None:
    assert Integer().parse(phrase, english) == value
    assert Integer().parse(phrase, spanish) == value


@pytest.mark.parametrize(
    "phrase",
    ["", "2.5", "1.000", "two and a half", "five six", "twenty thirty", "hundred hundred", "five people", "las nueve",
     "send 5", "five and", "and five", "mil mil", "a", "12abc", "5 5", "--5", "1,23,4", "9" * 30,
     "two miles", "dos miles", "cientos", "hundreds", "hundreds of", "grand", "k", "a few hundred", "dozens",
     "hundred dozen hundred", "half", "zero hundred", "para", "for", "for the two", "el para 4", "for for two",
     "of two", "two of", "dos de"],
)  # fmt: skip
def test_other_words_are_no_whole_number(phrase: str, english: Reading) -> None:
    with pytest.raises(ValueError, match="number"):
        Integer().parse(phrase, english)


def test_once_is_eleven_only_in_spanish(english: Reading, spanish: Reading) -> None:
    assert Integer().parse("once", spanish) == 11
    with pytest.raises(ValueError, match="number"):
        Integer().parse("once", english)


def test_one_mark_before_three_digits_is_read_by_the_language(english: Reading, spanish: Reading) -> None:
    assert Integer().parse("1,234", english) == 1234
    assert Integer().parse("1.234", spanish) == 1234


def test_integral_numbers_from_python_are_taken(english: Reading) -> None:
    assert Integer().coerce(5.0, english) == 5
    assert Integer().coerce(Decimal("5.00"), english) == 5


@pytest.mark.parametrize("value", [True, 5.5, float("nan"), float("inf"), Decimal("sNaN"), 10**400, None, [5]])
def test_what_is_no_whole_number_in_python_is_refused(value: object, english: Reading) -> None:
    with pytest.raises(ValueError, match="number"):
        Integer().coerce(value, english)


def test_thousands_are_grouped_as_the_language_does() -> None:
    assert Integer().format(12345, "en") == "12,345"
    assert Integer().format(12345, "es") == "12.345"
    assert Integer().format(12345, "tlh") == "12,345"
