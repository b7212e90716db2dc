"""Messages as they are read."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soni.core.readable_text import readable_text


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("send   20\t\teuros", "send 20 euros"),
        ("  20\xa0€  ", "20 €"),
        ("Calle Goya 22 \r\n\r\n 28001 Madrid", "Calle Goya 22\n28001 Madrid"),
        ("one\u2028two", "one\ntwo"),
        ("s\u200be\u200bnd", "send"),
        ("\ufeffsend\u202e 20", "send 20"),
        ("send\x07 20\x00", "send 20"),
        ("si\u0301", "sí"),
        ("a" + "\u0301" * 50 + "b", "á\u0301\u0301b"),
        ("   ", ""),
    ],
)
def test_blanks_become_one_and_what_nobody_sees_goes(written: str, read: str) -> None:
    assert readable_text(written) == read


@given(st.text())
def test_what_was_read_is_read_the_same_again(text: str) -> None:
    read = readable_text(text)
    assert readable_text(read) == read
    assert not any(unicodedata.category(letter) in ("Cc", "Cf") for letter in read.replace("\n", ""))
    assert "  " not in read


@given(st.text(st.characters(categories=["L", "N", "P", "S"])))
def test_letters_numbers_and_signs_stay(text: str) -> None:
    assert readable_text(text) == unicodedata.normalize("NFC", text)
