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


COSTLY = [
    "'%999999999d' % 1", "b'%999999999d' % 1", "'a' * 1000000000", "1000000000 * 'a'", "[[0] * 9999] * 9999",
    "[0] * 9999", "text * n", "items * n", "n * items", "'%s' % text", "text % n", "round(1, -999999999)",
    "round(1.5, 999999999)",
]  # fmt: skip


@pytest.mark.parametrize("source", COSTLY)
def test_what_could_cost_much_is_refused_when_it_is_loaded_and_when_it_is_run(source: str) -> None:
    try:
        expression = Expression(source)
    except ExpressionError:
        return
    assert expression.misfit(SLOTS)
    with pytest.raises(ExpressionError) as error:
        expression.evaluate(SLOTS)
    assert source in str(error.value)


@pytest.mark.parametrize(
    "source",
    [
        "2 ** 99", "1 << 99", "'{:>999999999}'.format(1)", "f'{1:>999999999}'", "','.join(items)", "text.ljust(99999)",
        "[x for x in items]", "[*items, *items]", "1j", "b'a'", "...", "a" + " + a" * 200, "-" * 300 + "n",
        "not " * 300 + "a", "[" * 150 + "]" * 150, "'" + "a" * 6_000 + "'",
    ],
)  # fmt: skip
def test_what_expressions_do_not_have_is_refused_when_it_is_written(source: str) -> None:
    with pytest.raises(ExpressionError) as error:
        Expression(source)
    assert len(str(error.value)) < 1_000


LONG = {"text": "x" * 60_000, "items": ["x"] * 60_000, "ndigits": -999_999_999, "big": 2**60_000, "sharp": "ΐ" * 60_000}


@pytest.mark.parametrize(
    "source",
    [
        "text + text", "len(text + text) > 3", "items + items", "[[items, items], [items]]", "[text, text]",
        "round(5, ndigits)", "big * big", "big * big > 3", "upper(sharp)", "upper([text, text])",
    ],
)  # fmt: skip
def test_a_value_that_becomes_too_large_is_an_error_that_names_the_expression(source: str) -> None:
    with pytest.raises(ExpressionError, match=r"too large|30 digits") as error:
        Expression(source).evaluate(LONG)
    assert str(error.value).startswith(f"'{source}' cannot be evaluated: ")
    assert len(str(error.value)) < 300


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("len(text) == 60000 and text == text", True),
        ("'x' in items and 'z' not in text", True),
        ("text if len(items) > 3 else ''", LONG["text"]),
        ("round(12.345, 1) + round(1234, -2)", 1212.3),
        (" or ".join(f"n == {number}" for number in range(300)), False),
        ("n + " * 90 + "1", 91),
    ],
)
def test_long_values_can_be_looked_at(source: str, value: Any) -> None:
    assert Expression(source).evaluate({**LONG, "n": 1} if "n +" in source else {**LONG, "n": 999}) == value


@given(st.text(max_size=40))
def test_any_text_is_an_expression_or_refused(source: str) -> None:
    try:
        expression = Expression(source)
    except ExpressionError:
        return
    with contextlib.suppress(ExpressionError):
        expression.evaluate(SLOTS)
