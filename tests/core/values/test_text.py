import pytest

from soni.core.values import Reading
from soni.core.values.text import Text


def test_text_is_kept_as_written_but_for_the_space_around_it(english: Reading) -> None:
    assert Text().parse("  Juan  PÉREZ, please\n", english) == "Juan  PÉREZ, please"


@pytest.mark.parametrize("blank", ["", "  ", "\n\t"])
def test_no_words_are_no_text(blank: str, english: Reading) -> None:
    with pytest.raises(ValueError, match="no words"):
        Text().parse(blank, english)


def test_an_integer_becomes_text_and_a_boolean_does_not(english: Reading) -> None:
    assert Text().coerce(4711, english) == "4711"
    with pytest.raises(ValueError, match="not a text"):
        Text().coerce(True, english)
