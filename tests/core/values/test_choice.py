import pytest

from soni.core.values import Reading
from soni.core.values.choice import Choice

ACCOUNT = Choice({"checking": ["current", "corriente"], "savings": ["ahorro"], "credit_card": ["tarjeta de crédito"]})
PHRASES = {
    "checking": "checking", "CHECKING": "checking", "corriente": "checking", "la corriente": "checking",
    "savings": "savings", "my savings please": "savings", "the savings one": "savings",
    "la de ahorro": "savings",
    "credit card": "credit_card", "credit_card": "credit_card", "tarjeta de credito": "credit_card",
    "chekcing": "checking", "savngs": "savings", "corrientes": "checking", "creditcard": "credit_card",
    "1": "checking", "2.": "savings", "the second one": "savings", "el segundo": "savings",
    "la 3ª": "credit_card",
    "option 2": "savings", "opción dos": "savings", "number one": "checking", "el último": "credit_card",
}  # fmt: skip


@pytest.mark.parametrize(("phrase", "option"), PHRASES.items())
def test_options_by_name_synonym_misspelling_and_place(
    phrase: str, option: str, english: Reading, spanish: Reading
) -> None:
    assert ACCOUNT.parse(phrase, english) == option
    assert ACCOUNT.parse(phrase, spanish) == option


@pytest.mark.parametrize(
    "phrase", ["", "0", "4", "one", "una", "the", "card", "cash", "from my savings to Ana", "save"]
)
def test_other_words_are_no_option(phrase: str, english: Reading) -> None:
    with pytest.raises(ValueError, match="none of the options"):
        ACCOUNT.parse(phrase, english)


def test_a_number_is_no_place_when_options_are_numbers(english: Reading) -> None:
    people = Choice({"2": ["two"], "4": ["four"]})
    assert people.parse("2", english) == "2"
    assert people.parse("four", english) == "4"
    assert people.coerce(4, english) == "4"
    with pytest.raises(ValueError, match="none of the options"):
        people.parse("1", english)


def test_a_misspelling_near_two_options_is_not_guessed(english: Reading) -> None:
    with pytest.raises(ValueError, match="none of the options"):
        Choice({"moneda": [], "morena": []}).parse("monena", english)


def test_a_word_for_two_options_is_an_error() -> None:
    with pytest.raises(ValueError, match="'card' would mean both 'debit' and 'credit'"):
        Choice({"debit": ["card"], "credit": ["card"]})


def test_a_choice_without_options_is_an_error() -> None:
    with pytest.raises(ValueError, match="at least one option"):
        Choice({})


def test_an_option_is_written_with_spaces() -> None:
    assert ACCOUNT.format("credit_card", "en") == "credit card"
