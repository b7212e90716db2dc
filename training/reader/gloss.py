"""English texts word by word in Spanish: no Spaniard's sentences, but their words, over every domain there is."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from training.reader.samples import WORDING
from training.reader.weights import known_words

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

_WORD = re.compile(r"[\w']+")


class Gloss:
    """A word list from the vocabulary: a Spanish word began as the mean of the English pieces that mean the same."""

    def __init__(self, folder: Path) -> None:
        english = known_words(folder, "tok_en.json")
        words = known_words(folder)
        self._table: dict[str, list[str]] = {}
        for word, ids in zip(words, json.loads((folder / "old_ids.json").read_text(encoding="utf-8")), strict=True):
            source = english[ids[0]] if len(ids) == 1 else "##"
            if source != word and not source.startswith("##"):
                self._table.setdefault(source, []).append(word)
        self._table |= WORDING["small"]

    def of(self, text: str, draw: Random) -> str:
        """The text with most of its words in Spanish."""
        glossed = _WORD.sub(lambda match: self._word(match.group().lower(), draw), text)
        return " ".join(glossed.split())

    def _word(self, word: str, draw: Random) -> str:
        for form in (word, word.removesuffix("s"), word.removesuffix("ing"), word.removesuffix("ed")):
            if form in self._table and draw.random() < 0.95:
                return draw.choice(self._table[form])
        return word
