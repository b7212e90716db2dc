"""Texts: fields, escapes, variations, languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soni.core.template import Field, Template, Text


def render(source: str, **values: str) -> str:
    return Template.parse(source).render(lambda field: values[field.slot])


def test_fields_are_shown_and_braces_can_be_written() -> None:
    assert render("Hello {name}, {{not}} { name }.", name="Ana") == "Hello Ana, {not} Ana."
    assert Template.parse("{day:long}").pieces == (Field("day", "long"),)


@pytest.mark.parametrize("source", ["{", "}", "{}", "{a.b}", "{a[0]}", "{a!r}", "{0}", "{a b}", "{a:}", "a } b", "{a"])
def test_anything_else_in_braces_is_refused(source: str) -> None:
    with pytest.raises(ValueError, match=r"brace|has '"):
        Template.parse(source)


@given(st.text(), st.text())
def test_what_is_shown_is_never_read_again(value: str, literal: str) -> None:
    safe = literal.replace("{", "{{").replace("}", "}}")
    assert render(f"{safe}{{x}}", x=value) == literal + value


def test_a_text_falls_back_from_language_to_default_to_whatever_there_is() -> None:
    text = Text.of({"en": "Hello", "es": "Hola"})
    assert text.choose("es", "en", "k").source == "Hola"
    assert text.choose("fr", "es", "k").source == "Hola"
    assert Text.of({"de": "Hallo"}).choose("fr", "es", "k").source == "Hallo"
    assert Text.of("Hi").choose("fr", "es", "k").source == "Hi"
    assert text.languages == {"en", "es"}
    assert Text.of("Hi").languages == set()


def test_a_variation_is_chosen_by_the_key_and_stays() -> None:
    text = Text.of(["a", "b", "c"])
    chosen = [text.choose("en", "en", f"key{n}").source for n in range(30)]
    assert set(chosen) == {"a", "b", "c"}
    assert chosen == [text.choose("en", "en", f"key{n}").source for n in range(30)]


@pytest.mark.parametrize("raw", [None, [], {}, {"english": "Hi"}, {"en": []}, [None], {"en": {"x": 1}}, object()])
def test_what_is_no_text_is_refused(raw: object) -> None:
    with pytest.raises(ValueError, match=r"empty|must be|language"):
        Text.of(raw)
