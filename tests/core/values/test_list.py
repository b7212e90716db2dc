from datetime import date
from typing import Any

import pytest

from soni.core.values import Reading, ValueType
from soni.core.values.date import DateType
from soni.core.values.integer import Integer
from soni.core.values.list import ListType
from soni.core.values.money import Money, MoneyType
from soni.core.values.number import Number
from soni.core.values.text import Text


@pytest.mark.parametrize(
    ("item", "phrase", "values"),
    [
        (Text(), "Ana", ["Ana"]),
        (Text(), "Ana, Luis y Eva", ["Ana", "Luis", "Eva"]),
        (Text(), "Ana, Luis, and Eva.", ["Ana", "Luis", "Eva."]),
        (Text(), "Ana; Luis e Inés", ["Ana", "Luis", "Inés"]),
        (Integer(), "1, 2 and 3", [1, 2, 3]),
        (Integer(), "treinta y uno, dos y tres", [31, 2, 3]),
        (Number(), "1,2,3", [1, 2, 3]),
        (Number(), "1,5 y 2,5", [1.5, 2.5]),
        (MoneyType(), "5 euros and 50 cents, 3 euros", [Money("5.50", "EUR"), Money(3, "EUR")]),
        (DateType(), "November 15, 2026 and monday", [date(2026, 11, 15), date(2026, 11, 16)]),
    ],
)
def test_values_one_after_the_other(item: ValueType[Any], phrase: str, values: list[Any], spanish: Reading) -> None:
    assert ListType(item).parse(phrase, spanish) == values


@pytest.mark.parametrize("phrase", ["", ",", "1, two, x", "1 and", "one, " * 100])
def test_a_list_with_anything_else_in_it_is_refused(phrase: str, english: Reading) -> None:
    with pytest.raises(ValueError, match="values"):
        ListType(Integer()).parse(phrase, english)


def test_python_lists_are_taken_item_by_item(english: Reading) -> None:
    assert ListType(Integer()).coerce([1, "two", 3.0], english) == [1, 2, 3]
    with pytest.raises(ValueError, match="number"):
        ListType(Integer()).coerce([1, True], english)
    with pytest.raises(ValueError, match="not a list"):
        ListType(Integer()).coerce({1: 2}, english)


def test_a_list_is_written_as_the_language_does() -> None:
    assert ListType(Text()).format(["Ana", "Luis", "Eva"], "en") == "Ana, Luis, and Eva"
    assert ListType(Text()).format(["Ana", "Luis", "Eva"], "es") == "Ana, Luis y Eva"
    assert ListType(DateType()).format([date(2026, 11, 15)], "es", "short") == "15/11/26"
