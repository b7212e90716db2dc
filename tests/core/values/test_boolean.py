import pytest

from soni.core.values import Reading
from soni.core.values.boolean import Boolean

YES = [
    "yes", "Yes!", "yeah", "yep", "true", "on", "ok", "sure", "of course", "yes please", "Yes, that's right",
    "sí", "si", "Sí, claro", "claro que sí", "vale", "por supuesto", "de acuerdo", "sí sí", "no problem",
    "me viene genial", "nos viene de perlas",
]  # fmt: skip
NO = [
    "no", "No.", "nope", "nah", "false", "off", "no thanks", "no, thank you", "not really", "no no no",
    "of course not", "no, gracias", "claro que no", "para nada", "que va", "en absoluto",
]  # fmt: skip
NEITHER = ["", "maybe", "yes no", "quizás", "yes send it to Ana", "please", "gracias", "1", "not", "thanks",
           "me queda mal"]  # fmt: skip


@pytest.mark.parametrize("phrase", YES)
def test_ways_to_say_yes(phrase: str, english: Reading, spanish: Reading) -> None:
    assert Boolean().parse(phrase, english) is True
    assert Boolean().parse(phrase, spanish) is True


@pytest.mark.parametrize("phrase", NO)
def test_ways_to_say_no(phrase: str, english: Reading, spanish: Reading) -> None:
    assert Boolean().parse(phrase, english) is False
    assert Boolean().parse(phrase, spanish) is False


@pytest.mark.parametrize("phrase", NEITHER)
def test_anything_else_is_neither(phrase: str, english: Reading) -> None:
    with pytest.raises(ValueError, match="yes"):
        Boolean().parse(phrase, english)


def test_the_letter_y_is_yes_except_in_spanish_where_it_is_and(english: Reading, spanish: Reading) -> None:
    assert Boolean().parse("y", english) is True
    assert Boolean().parse("s", spanish) is True
    with pytest.raises(ValueError, match="yes"):
        Boolean().parse("y", spanish)


def test_numbers_are_not_answers(english: Reading) -> None:
    with pytest.raises(ValueError, match="yes"):
        Boolean().coerce(1, english)


def test_booleans_are_written_as_words() -> None:
    assert [Boolean().format(value, "en") for value in (True, False)] == ["yes", "no"]
    assert [Boolean().format(value, "es") for value in (True, False)] == ["sí", "no"]
