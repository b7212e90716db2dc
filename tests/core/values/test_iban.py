import pytest

from soni.core.values import Reading
from soni.core.values.iban import Iban


@pytest.mark.parametrize(
    "phrase",
    ["ES91 2100 0418 4502 0005 1332", "es9121000418450200051332", "IBAN: ES91-2100-0418-4502-0005-1332.",
     "ES9121000418450200051332, por favor"],
)  # fmt: skip
def test_account_numbers_with_and_without_spaces(phrase: str, spanish: Reading) -> None:
    assert Iban().parse(phrase, spanish) == "ES9121000418450200051332"


@pytest.mark.parametrize(
    "phrase",
    [
        "",
        "ES91",
        "ES91 2100 0418 4502 0005 1333",
        "XX91 2100 0418 4502 0005 1332",
        "to ES9121000418450200051332",
    ],
)
def test_other_words_and_wrong_digits_are_no_account_number(phrase: str, spanish: Reading) -> None:
    with pytest.raises(ValueError, match="IBAN"):
        Iban().parse(phrase, spanish)


def test_an_account_number_is_written_in_fours() -> None:
    assert Iban().format("ES9121000418450200051332", "es") == "ES91 2100 0418 4502 0005 1332"
