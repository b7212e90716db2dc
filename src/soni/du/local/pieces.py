"""Words cut into the pieces that the trained model knows, each with its place in the text."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from soni.du.local.words import fold

if TYPE_CHECKING:
    from collections.abc import Iterable

WORDS = Path(__file__).parent / "weights" / "words.txt"
PAD, UNKNOWN, BEGIN, END = 0, 1, 2, 3
_TOKEN = re.compile(r"(?:[^\W_]|[€£¥₹¢])+|[^\w\s]|_")
_LONGEST_WORD = 100


class Piece(NamedTuple):
    """A piece of a word: its number in the vocabulary, and the letters it stands for."""

    number: int
    start: int
    end: int


class Vocabulary:
    """The pieces that a model knows; a piece inside a word begins with '##'."""

    def __init__(self, words: Iterable[str]) -> None:
        self._numbers = {word: number for number, word in enumerate(words)}
        self._cut = lru_cache(maxsize=32768)(self._cut_anew)

    def __len__(self) -> int:
        return len(self._numbers)

    def __contains__(self, word: object) -> bool:
        return word in self._numbers

    def __getitem__(self, word: str) -> int:
        return self._numbers[word]

    def pieces(self, text: str) -> list[Piece]:
        """The pieces of a text; case and accents make no difference."""
        return [
            Piece(number, match.start() + start, match.start() + end)
            for match in _TOKEN.finditer(fold(text))
            for number, start, end in self._cut(match.group())
        ]

    def _cut_anew(self, word: str) -> tuple[tuple[int, int, int], ...]:
        whole = ((UNKNOWN, 0, len(word)),)
        if len(word) > _LONGEST_WORD:
            return whole
        cut: list[tuple[int, int, int]] = []
        start = 0
        while start < len(word):
            for end in range(len(word), start, -1):
                number = self._numbers.get(word[start:end] if start == 0 else f"##{word[start:end]}")
                if number is not None:
                    cut.append((number, start, end))
                    start = end
                    break
            else:
                return whole
        return tuple(cut)


@lru_cache(maxsize=1)
def vocabulary() -> Vocabulary:
    """The vocabulary of the model in this package; empty where that is missing."""
    return Vocabulary(WORDS.read_text(encoding="utf-8").splitlines() if WORDS.exists() else ())
