"""Patterns of text slots: what they match, and which are refused because they could take long."""

from __future__ import annotations

import re

import pytest

from soni.core.pattern import MAX_VALUE, Pattern


@pytest.mark.parametrize(
    ("source", "value"),
    [
        (r"\d{6}", "123456"), (r"^\d{6}$", "123456"), ("[A-Z]{2}[0-9]{4,8}", "AB12345"), ("[a-z]+@[a-z]+", "ana@here"),
        (r"\d+-\d+-\d+", "1-22-333"), (r"(\d{1,3}\.)*\d{1,3}", "12.345"), ("(ab|cd)*", "abcdab"),
        (r"\d{3} ?\d{3}", "123 456"),
        (r"\w*", "x" * MAX_VALUE), ("[^ ]+ .*", "a b c"), (r"(?:[A-Z]\d[A-Z]) ?(?:\d[A-Z]\d)", "K1A 0B1"),
        ("ñ+é+", "ñé"),
    ],
)  # fmt: skip
def test_the_whole_value_has_to_match(source: str, value: str) -> None:
    pattern = Pattern(source)
    assert pattern.matches(value)
    assert not pattern.matches(f"{value} or so" if source != r"[^ ]+ .*" else "x")
    assert not pattern.matches("") or source in (r"\w*", "(ab|cd)*")


def test_a_long_value_never_matches() -> None:
    assert not Pattern(r"\w*").matches("x" * (MAX_VALUE + 1))


@pytest.mark.parametrize(
    "source",
    [
        "(a+)+", "(a*)*b", "(a|a)*", r"(\d+)*x", r"\d*\d*\d*x", r"(\w+\s?)*", r"(\w+\s*)+:", "(a?){50}a{50}",
        "(a{1,20}){1,20}b", "(.*,)*x", r"\w+\w+\w+!", r"[a-z]+[^0-9]+.+", "é+[^a]+.+!", r"(\S+ ?)+", "(x+x+)+y",
    ],
)  # fmt: skip
def test_what_could_take_very_long_is_refused(source: str) -> None:
    re.compile(source)
    with pytest.raises(ValueError, match="may take very long"):
        Pattern(source)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("(", "not a regular expression"), ("[0-9", "not a regular expression"), ("a" * 201, "at most 200"),
        ("a{99999999999999999999}", "not a regular"),
    ],
)  # fmt: skip
def test_what_is_no_pattern_says_why(source: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Pattern(source)


NEAR = ["1" * 200 + "!", "a" * 200, "a1" * 100, "a " * 100, "1-" * 100, "." * 200, "é" * 200, "ab" * 99 + "c!"]


@pytest.mark.parametrize(
    "source", [r"\d*-\d*x", r"\d{1,3}\d{1,3}\d{1,3}x", "(a|b|ab){5}x", r"(\d{1,3}){6}x", r"\w+-\d+x", "(?i)(a|ab)*x"]
)
@pytest.mark.parametrize("value", NEAR)
def test_what_is_accepted_is_quick_where_it_almost_matches(source: str, value: str) -> None:
    assert not Pattern(source).matches(value[:MAX_VALUE])
