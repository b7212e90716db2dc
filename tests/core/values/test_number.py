import pytest

from soni.core.values import Reading
from soni.core.values.number import Number

EITHER_LANGUAGE = {
    "1.5": 1.5, "1,5": 1.5, "1.234,56": 1234.56, "1,234.56": 1234.56, "1 234,56": 1234.56, "0.123": 0.123,
    "0,123": 0.123, ".5": 0.5, "two and a half": 2.5, "dos y medio": 2.5, "2 and a half": 2.5,
    "three point one four": 3.14, "dos coma cinco": 2.5, "tres coma veinticinco": 3.25,
    "zero point zero five": 0.05, "-0.5": -0.5, "5": 5.0, "a half": 0.5, "1234,5": 1234.5,
    "ciento uno y medio": 101.5, "one and a quarter million": 1_250_000,
}  # fmt: skip


@pytest.mark.parametrize(("phrase", "value"), EITHER_LANGUAGE.items())
def test_numbers_in_digits_and_words(phrase: str, value: float, english: Reading, spanish: Reading) -> None:
    assert Number().parse(phrase, english) == value
    assert Number().parse(phrase, spanish) == value


def test_the_language_settles_whether_a_mark_groups(english: Reading, spanish: Reading) -> None:
    assert Number().parse("1.234", english) == 1.234
    assert Number().parse("1.234", spanish) == 1234
    assert Number().parse("1,234", english) == 1234
    assert Number().parse("1,234", spanish) == 1.234


@pytest.mark.parametrize(
    "phrase", ["", "point", "1.2.3", "one point", "nan", "inf", "1e5", "5 percent of it", "²", "5²"]
)
def test_other_words_are_no_number(phrase: str, english: Reading) -> None:
    with pytest.raises(ValueError, match="number"):
        Number().parse(phrase, english)


def test_decimals_are_written_as_the_language_does() -> None:
    assert Number().format(1234.5678, "en") == "1,234.5678"
    assert Number().format(1234.5, "es-ES") == "1.234,5"
    assert Number().format(12345.5, "es") == "12.345,5"
