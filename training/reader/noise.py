"""Slips and habits of writing, which leave every letter in its place so that values stay where they were."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from training.reader.samples import WORDING

if TYPE_CHECKING:
    from random import Random

_STOP = re.compile(r"[?!.,;](?=\s|$)|[¿¡]")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def mistyped(text: str, draw: Random) -> str:
    """One or two letters swapped or wrong."""
    letters = list(text)
    for _ in range(draw.choice([1, 1, 2])):
        place = draw.randrange(max(1, len(letters) - 1))
        if place + 1 < len(letters) and letters[place].isalpha() and letters[place + 1].isalpha():
            if draw.random() < 0.6:
                letters[place], letters[place + 1] = letters[place + 1], letters[place]
            else:
                letters[place] = draw.choice(_LETTERS)
    return "".join(letters)


def unpunctuated(text: str) -> str:
    """Without commas, full stops and question marks, except inside numbers and addresses."""
    return _STOP.sub(" ", text)


def as_written(text: str, draw: Random) -> str:
    """A text with what people do to it."""
    if draw.random() < 0.12:
        text = mistyped(text, draw)
    return unpunctuated(text) if draw.random() < 0.25 else text


def chatty(template: str, language: str, draw: Random) -> str:
    """A sentence in the shorthand of chats; what stands in braces is left alone."""
    for pattern, short in draw.sample(WORDING["chatty"][language], 5):
        template = re.sub(rf"{pattern}(?![^{{]*\}})", short, template, flags=re.IGNORECASE)
    return template
