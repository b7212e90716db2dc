"""Which regular expressions may take more than linear time."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soni.core.linear import super_linear
from soni.core.pattern_automaton import PatternTooLarge, Use


@pytest.mark.parametrize(
    ("pattern", "use"),
    [
        ("a*a*b", "fullmatch"),
        ("(?:a|a)*b", "fullmatch"),
        ("(a*)*b", "fullmatch"),
        ("(?:a+)+$", "match"),
        (r"(?:\w+\s?)+$", "match"),
        (r"[.!?]+\s|\s*,\s+", "search"),
        (r"\s+$", "search"),
        ("a+b", "search"),
        ("(?=.*x)a", "search"),
        (r"(.*)-(.*)-", "match"),
        (r"(?i:[a-f]+[A-Z]+)1", "fullmatch"),
        (r"(?m)^\s+$", "search"),
        (r"(?>x+)(?:a|b)*(?:b|c)*d", "match"),
        (r"(a)?(?(1)b*b*|c*c*)d", "match"),
        (r"(?:a{1,30}){1,30}b", "fullmatch"),
        (r"[^a]*[^b]*c", "match"),
        (r"(?s).*x.*y", "match"),
    ],
)
def test_a_text_that_can_be_read_in_more_and_more_ways_is_found(pattern: str, use: Use) -> None:
    assert super_linear(pattern, use=use) is not None


@pytest.mark.parametrize(
    ("pattern", "use"),
    [
        ("a+b", "match"),
        (r"\b\w+,", "search"),
        (r"(?<!\s)\s+$", "search"),
        (r"^(?:\w+[\s,]+){0,3}x", "search"),
        ("(?:ab|cd)*e", "fullmatch"),
        (r"\w+", "search"),
        (r"([a-z])\1{2,}", "search"),
        (r"[^,]{1,60}?,", "search"),
        (r"\d+(?:\.\d+)?", "fullmatch"),
        (r"\Ba+\B", "match"),
        (r"(?<=[ab])c+(?!d)", "match"),
        (r"(?=(?:a|b))[ab]+", "match"),
        (r"(a)(b)?(?(2)c|d)", "search"),
        (r"(?:a{1,3},){1,4}b", "fullmatch"),
        (r"(?a:\w+) ", "match"),
    ],
)
def test_what_is_read_in_one_way_is_left_alone(pattern: str, use: Use) -> None:
    assert super_linear(pattern, use=use) is None


@pytest.mark.parametrize("pattern", ["((((a{60}){60}){60}){60})", "(" * 90 + "a" + "){9}" * 90])
def test_a_pattern_that_is_too_large_to_tell_is_refused_at_once(pattern: str) -> None:
    with pytest.raises(PatternTooLarge, match="more than 5,000 characters"):
        super_linear(pattern, use="fullmatch")


def test_a_repeat_of_very_many_is_told_at_once() -> None:
    assert super_linear("(?:(?:a?){99999999}){2}b", use="fullmatch") == "a"


def test_the_text_that_makes_a_pattern_slow_is_told() -> None:
    found = super_linear(r"(?:x\s*)*\s*y", use="match")
    assert found
    assert set(found) <= set("x \t\n\r\x0b\x0c\xa0\x1c\x1d\x1e\x1f\x85")


_PIECES = st.sampled_from(["a", "b", "[ab]", r"\w", r"\s", "a?", "b?", "a*", "b*", "[ab]*", "a{0,3}", "(?:a|b)", "ab"])
_PATTERNS = st.recursive(
    _PIECES,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda ways: f"(?:{'|'.join(ways)})"),
        inner.map(lambda body: f"(?:{body})*"),
    ),
    max_leaves=6,
)


@given(_PATTERNS)
def test_what_is_called_linear_is_linear(pattern: str) -> None:
    """Several hundred letters are matched at all: an exponential pattern would take longer than any test may."""
    if super_linear(f"{pattern}z", use="fullmatch") is None:
        for piece in ("a", "b", "ab", "aab", "a "):
            re.fullmatch(f"{pattern}z", piece * 100 + "!")
