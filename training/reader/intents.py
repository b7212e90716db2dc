"""Samples out of intent sets: requests, with the other intents of their set as the flows they might mean."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from math import log
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from soni.du.local.packing import ACTS, FlowText
from training.reader.noise import mistyped
from training.reader.samples import Sample, written_in

if TYPE_CHECKING:
    from random import Random

    from training.reader.gloss import Gloss

HERE = Path(__file__).with_name("intents")
GLOSSED = 0.35
"""The part of the English sets that is said word by word in Spanish."""
_NEAREST = 16
"""How many intents count as near another."""
_FEW = 5
"""How many phrases an author gives; the one most like the message is told."""


@dataclass
class IntentSet:
    """What people say for each intent of one assistant."""

    name: str
    language: str
    intents: dict[str, list[str]]

    @cached_property
    def rows(self) -> list[tuple[str, str]]:
        return [(text, label) for label, texts in self.intents.items() for text in texts]

    def requests(self) -> list[list[str]]:
        """For each intent its name and what people say for it."""
        return [[label, *texts] for label, texts in self.intents.items()]

    @cached_property
    def near(self) -> dict[str, list[str]]:
        """For each intent those whose requests are in the most alike words, the most alike first."""
        bags = [
            Counter(word for text in [label, *texts] for word in _words(text)) for label, texts in self.intents.items()
        ]
        rarity = Counter(word for bag in bags for word in bag)
        number = {word: place for place, word in enumerate(rarity)}
        table = np.zeros((len(bags), len(number)), np.float32)
        for row, bag in zip(table, bags, strict=True):
            for word, count in bag.items():
                row[number[word]] = (1 + log(count)) * log(1 + len(bags) / rarity[word])
        table /= np.linalg.norm(table, axis=1, keepdims=True)
        labels = list(self.intents)
        like = table @ table.T - 2 * np.eye(len(labels), dtype=np.float32)
        return {
            label: [labels[one] for one in np.argsort(-row)[: min(_NEAREST, len(labels) - 1)]]
            for label, row in zip(labels, like, strict=True)
        }


class Intents:
    """Public intent sets, and those that were written by hand: many intents each that differ in one point only."""

    def __init__(self, path: Path, gloss: Gloss | None = None, written: Path = HERE) -> None:
        self._gloss = gloss
        with gzip.open(path, "rt", encoding="utf-8") as file:
            self.public = [IntentSet(name, "en", _by_label(rows)) for name, rows in json.load(file).items()]
        self.written = [IntentSet(one.stem, **written_in(one)) for one in sorted(written.glob("*.yaml"))]
        self.sets = [*self.public, *self.written]
        self._weights = [len(one.rows) ** 0.6 for one in self.sets]
        for one in self.sets:
            _ = one.near  # once, before processes share it

    def english(self) -> list[IntentSet]:
        """The sets that an English encoder can teach."""
        return [one for one in self.sets if one.language == "en"]

    def sample(self, draw: Random, bots: list[str]) -> Sample:
        one = draw.choices(self.sets, self._weights)[0]
        text, label = draw.choice(one.rows)
        count = draw.choice([2, 4, 6, 8, 8, 10, 14, 20])
        near = one.near[label][: max(4, count)]
        others = [other for other in one.intents if other != label]
        chosen = draw.sample(near, min(len(near), max(1, round(count * draw.choice([0.5, 0.7, 0.9])))))
        chosen = list(dict.fromkeys([*chosen, *draw.sample(others, min(count, len(others)))]))[:count]
        is_gone = draw.random() < 0.12
        if not is_gone:
            chosen.append(label)
        draw.shuffle(chosen)
        way = draw.random()
        told = [_told(draw, one, other, text, way) for other in chosen]
        bot = draw.choice(["", "", "Hi, how can I help you?", draw.choice(bots)])
        if self._gloss is not None and one.language == "en" and draw.random() < GLOSSED:
            text = self._gloss.of(text, draw)
            told = [self._gloss.of(other, draw) for other in told] if draw.random() < 0.6 else told
        return Sample(
            message=mistyped(text, draw) if draw.random() < 0.12 else text,
            bot=bot,
            task=None,
            flows=[FlowText(other) for other in told],
            flow=-1 if is_gone else chosen.index(label),
            acts=frozenset({"outside"} if is_gone else {"start"}),
            unknown_acts=frozenset(set(ACTS) - {"start", "outside", "affirm", "negate", "cancel"}),
        )


def _told(draw: Random, one: IntentSet, label: str, text: str, way: float) -> str:
    """An intent by its name, by what people say, or by both; all flows of a sample in one way."""
    if way < 0.4:
        return label
    said, texts = set(_words(text)), one.intents[label]
    some = [other for other in draw.sample(texts, min(_FEW, len(texts))) if other != text]
    example = max(some, key=lambda other: len(said & set(_words(other))), default="")
    if not example:
        return label
    return example if way > 0.85 else f"{label}; {example}"


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _by_label(rows: list[list[str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for text, label in rows:
        found.setdefault(label, []).append(text)
    return found
