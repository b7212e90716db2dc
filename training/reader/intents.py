"""Samples out of intent sets: requests, with the other intents of their set as the flows they might mean."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from soni.du.local.packing import ACTS, FlowText
from training.reader.noise import mistyped
from training.reader.samples import Sample, written_in

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from soni.du.local.packing import Array
    from training.reader.gloss import Gloss

HERE = Path(__file__).with_name("intents")
GLOSSED = 0.35
"""The part of the English sets that is said word by word in Spanish."""
_FEW = 5
"""How many phrases an author gives; those most like the message are told."""
_MEAN_OF = 3
"""Of how many of an intent's texts, the nearest ones, the mean tells how near the intent is."""
_NAMES_ONLY = 0.4
"""The part of samples in which an author gave names alone."""
_NAMED = 0.85
"""The part in which the names are told; in the rest an intent is its phrases."""


@dataclass
class IntentSet:
    """What people say for each intent of one assistant."""

    name: str
    language: str
    intents: dict[str, list[str]]
    name_vectors: Array = field(default_factory=lambda: np.zeros((0, 0)), repr=False)
    row_vectors: Array = field(default_factory=lambda: np.zeros((0, 0)), repr=False)

    @cached_property
    def rows(self) -> list[tuple[str, str]]:
        return [(text, label) for label, texts in self.intents.items() for text in texts]

    @cached_property
    def places(self) -> dict[str, range]:
        """Where the rows of each intent stand."""
        ends = list(accumulate(len(texts) for texts in self.intents.values()))
        return {
            label: range(end - len(self.intents[label]), end) for label, end in zip(self.intents, ends, strict=True)
        }

    def requests(self) -> list[list[str]]:
        """For each intent its name and what people say for it."""
        return [[label, *texts] for label, texts in self.intents.items()]

    def place(self, encode: Callable[[list[str]], Array]) -> None:
        """Find the vectors of all that is said in it."""
        self.name_vectors, self.row_vectors = encode(list(self.intents)), encode([text for text, _ in self.rows])

    def ranked(self, number: int, phrases: dict[str, list[int]]) -> list[tuple[str, list[str]]]:
        """The intents, the most like a row first, each with its phrases, the most like it first.

        How like they are is what the product goes by: the mean of the nearest three of name and phrases.
        """
        said = self.row_vectors[number].astype(np.float32)
        names = self.name_vectors.astype(np.float32) @ said
        told = [row for rows in phrases.values() for row in rows]
        like = iter((self.row_vectors[told].astype(np.float32) @ said).tolist() if told else [])
        found = []
        for name, own in zip(self.intents, names.tolist(), strict=True):
            near = sorted(((next(like), self.rows[row][0]) for row in phrases[name]), reverse=True)
            best = sorted((own, *(value for value, _ in near)), reverse=True)[:_MEAN_OF]
            found.append((sum(best) / len(best), name, [text for _, text in near]))
        return [(name, texts) for _, name, texts in sorted(found, reverse=True)]


class Intents:
    """Public intent sets, and those that were written by hand: many intents each that differ in one point only."""

    def __init__(
        self,
        path: Path,
        encode: Callable[[list[str]], Array],
        gloss: Gloss | None = None,
        written: Path = HERE,
    ) -> None:
        self._gloss = gloss
        with gzip.open(path, "rt", encoding="utf-8") as file:
            self.public = [IntentSet(name, "en", _by_label(rows)) for name, rows in json.load(file).items()]
        self.written = [IntentSet(one.stem, **written_in(one)) for one in sorted(written.glob("*.yaml"))]
        self.sets = [*self.public, *self.written]
        self._weights = [len(one.rows) ** 0.6 for one in self.sets]
        for one in self.sets:
            one.place(encode)  # once, before processes share it

    def english(self) -> list[IntentSet]:
        """The sets that an English encoder can teach."""
        return [one for one in self.sets if one.language == "en"]

    def sample(self, draw: Random, bots: list[str]) -> Sample:
        """A request, with the intents that it is most like, as the product would find them, and some others."""
        one = draw.choices(self.sets, self._weights)[0]
        number = draw.randrange(len(one.rows))
        text, label = one.rows[number]
        way = draw.random()
        few = 0 if way < _NAMES_ONLY else _FEW
        phrases = {name: _some(draw, places, number, few) for name, places in one.places.items()}
        ranked = one.ranked(number, phrases)
        others = [pair for pair in ranked if pair[0] != label]
        count = draw.choice([2, 4, 6, 6, 8, 8, 10, 14, 20])
        near = round(count * draw.choice([0.5, 0.8, 1.0]))
        chosen = others[:near] + draw.sample(others[near:], min(count - near, max(0, len(others) - near)))
        is_gone = draw.random() < 0.12
        if not is_gone:
            chosen.append(next(pair for pair in ranked if pair[0] == label))
        draw.shuffle(chosen)
        shown, is_named = draw.choice([1, 1, 2, 3]), way < _NAMED
        told = ["; ".join([*([name] if is_named or not texts else []), *texts[:shown]]) for name, texts in chosen]
        bot = draw.choice(["", "", "Hi, how can I help you?", draw.choice(bots)])
        if self._gloss is not None and one.language == "en" and draw.random() < GLOSSED:
            text = self._gloss.of(text, draw)
            told = [self._gloss.of(other, draw) for other in told] if draw.random() < 0.6 else told
        return Sample(
            message=mistyped(text, draw) if draw.random() < 0.12 else text,
            bot=bot,
            task=None,
            flows=[FlowText(other) for other in told],
            flow=-1 if is_gone else [name for name, _ in chosen].index(label),
            acts=frozenset({"outside"} if is_gone else {"start"}),
            unknown_acts=frozenset(set(ACTS) - {"start", "outside", "affirm", "negate", "cancel"}),
        )


def _some(draw: Random, places: range, number: int, few: int) -> list[int]:
    """Some rows of an intent, without the one that is asked about."""
    rows = draw.sample(places, min(few + 1, len(places))) if few else []
    return [row for row in rows if row != number][:few]


def _by_label(rows: list[list[str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for text, label in rows:
        found.setdefault(label, []).append(text)
    return found
