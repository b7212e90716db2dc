"""Expressions: safe, checked when they are written, and quiet about empty slots."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soni.core.expression import Expression, ExpressionError
from soni.core.values.money import Money

SLOTS = {"a": True, "b": False, "n": 3, "text": "Hi", "amount": Money(100, "EUR"), "items": ["x", "y"], "unset": None}


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("a or b and b", True),
        ("(a or b) and b", False),
        ("not b", True),
        ("n + 1 == 4 and n * 2 - 1 == 5", True),
        ("n % 2 == 1", True),
        ("1 < n <= 3", True),
        ("amount > 50", True),
        ("amount == 100", True),
        ("amount + 1 > 100", True),
        ("text == 'Hi'", True),
        ("lower(text) == 'hi' and upper(text) == 'HI'", True),
        ("'x' in items and 'z' not in items", True),
        ("n in [1, 2, 3]", True),
        ("len(items) == 2", True),
        ("unset is None", True),
        ("unset == None", True),
        ("unset > 3", False),
        ("unset <= 3", False),
        ("unset in [1]", False),
        ("'x' in unset", False),
        ("missing is None", True),
        ("true and not false", True),
        ("n if a else 0", 3),
        ("min(n, 2) + max(1, n) + abs(-1) + round(1.4)", 7),
    ],
)
def test_expressions_mean_what_they_say(source: str, value: Any) -> None:
    assert Expression(source).evaluate(SLOTS) == value


@pytest.mark.parametrize(
    "source",
    [
        "", " ", "a b", "a = 1", "a && b", "a || b", "!a", "a.__class__", "a[0]", "lambda: 1", "[x for x in items]",
        "__import__('os')", "open('x')", "f'{a}'", "a; b", "a if b", "import os", "a := 1", "print(1)", "len(x=1)",
        "2 ** 999999", "{1: 2}", "await a", "(" * 300 + ")" * 300, "\x00",
    ],
)  # fmt: skip
def test_what_is_no_expression_is_refused_when_it_is_written(source: str) -> None:
    with pytest.raises(ExpressionError):
        Expression(source)


@pytest.mark.parametrize(
    ("source", "advice"),
    [("a = 1", "=="), ("a && b", "'and'"), ("a || b", "'or'"), ("!a", "'not'"), ("lne(text)", "Did you mean 'len'?")],
)
def test_common_slips_get_advice(source: str, advice: str) -> None:
    with pytest.raises(ExpressionError, match=advice.replace("?", r"\?")):
        Expression(source)


def test_the_slots_an_expression_reads_are_known() -> None:
    assert Expression("a and len(text) > n or true").names == {"a", "text", "n"}


@pytest.mark.parametrize("source", ["text > 3", "text + n", "len(n)", "a and text < n"])
def test_values_that_do_not_fit_are_an_expression_error(source: str) -> None:
    expression = Expression(source)
    with pytest.raises(ExpressionError):
        expression.evaluate(SLOTS)
    assert expression.misfit(SLOTS)


@pytest.mark.parametrize("source", ["'a' * 10000000", "n / 0", "n % 0"])
def test_what_cannot_be_computed_is_an_expression_error(source: str) -> None:
    with pytest.raises(ExpressionError):
        Expression(source).evaluate(SLOTS)


def test_a_misfit_behind_a_short_cut_is_found() -> None:
    assert Expression("b and text > 3").evaluate(SLOTS) is False
    assert Expression("b and text > 3").misfit(SLOTS)
    assert Expression("a or n > 3").misfit(SLOTS) is None


@given(st.text(max_size=40))
def test_any_text_is_an_expression_or_refused(source: str) -> None:
    try:
        expression = Expression(source)
    except ExpressionError:
        return
    with contextlib.suppress(ExpressionError):
        expression.evaluate(SLOTS)
