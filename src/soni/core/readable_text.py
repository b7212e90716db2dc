"""A message as it is read: letters composed, nothing invisible, one blank where there were many."""

from __future__ import annotations

import re
import unicodedata

_BLANKS = re.compile(r"\s\s+")
_BREAKS = frozenset("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")
_MOST_MARKS = 3
"""How many accents and other marks a letter keeps; composing many of them takes time that grows with their square."""
_REMEMBERED = 0x3000
"""Characters up to here are remembered; there are too many of the others to keep what each of them becomes."""


class _Shown(dict[int, str]):
    """What a character is read as, by its number: blanks as one kind of blank, what nobody sees as nothing."""

    def __missing__(self, number: int) -> str:
        letter = chr(number)
        kind = unicodedata.category(letter)
        shown = (
            "\n" if letter in _BREAKS else " " if letter.isspace() or kind == "Cc" else "" if kind == "Cf" else letter
        )
        if number < _REMEMBERED:
            self[number] = shown
        return shown


_SHOWN = _Shown()


def readable_text(text: str) -> str:
    """The text without control and zero-width characters, with runs of blanks made one, a line break if it had one."""
    shown = text.translate(_SHOWN)
    if not shown.isascii():
        shown = unicodedata.normalize("NFC", _with_few_marks(shown))
    return _BLANKS.sub(lambda run: "\n" if "\n" in run[0] else " ", shown).strip()


def storable(text: str) -> str:
    """A text without what cannot be stored: halves of characters nowhere, and a NUL not everywhere."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def _with_few_marks(text: str) -> str:
    kept, marks = [], 0
    for letter in text:
        marks = marks + 1 if unicodedata.combining(letter) else 0
        if marks <= _MOST_MARKS:
            kept.append(letter)
    return "".join(kept)
