"""The mixture that the reader learns from, and batches of it."""

from __future__ import annotations

import gzip
import json
import random
from typing import TYPE_CHECKING, Any

import numpy as np

from soni.du.local.packing import ACTS, FlowText, Packer, batch, padded
from training.reader.noise import mistyped
from training.reader.samples import UNKNOWN, FlowSchema, Sample

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from random import Random

    from soni.du.local.packing import Array, Packed
    from training.reader.dialogues import Dialogues
    from training.reader.gloss import Gloss
    from training.reader.written import Domains

SHARES = {"dialogues": 0.24, "spanish": 0.04, "domains": 0.46, "intents": 0.16, "taught": 0.1}
"""How much of the mixture is what."""
GLOSSED = 0.35
"""The part of the intent sets that is said word by word in Spanish."""
SPANISH = 0.6
"""The part of Spanish in what was written by hand."""
_MOST_FOREIGN = (0, 1, 2, 3, 4, 5, 6, 8, 10, 14, 20)
_BUCKETS = 8


class Intents:
    """Requests of public intent sets, with the other intents of the set as the flows they might mean."""

    def __init__(self, path: Path, gloss: Gloss | None = None) -> None:
        self._gloss = gloss
        with gzip.open(path, "rt", encoding="utf-8") as file:
            self.sets: dict[str, list[tuple[str, str]]] = {
                name: [(text, label) for text, label in rows] for name, rows in json.load(file).items()
            }
        self.labels = {name: sorted({label for _, label in rows}) for name, rows in self.sets.items()}
        self._by = {name: _by_label(rows) for name, rows in self.sets.items()}
        self._near = {
            (name, label): [other for other in labels if other != label and set(label.split()) & set(other.split())]
            for name, labels in self.labels.items()
            for label in labels
        }

    def requests(self) -> Iterator[list[str]]:
        """For each intent what people say for it, and its name."""
        for by in self._by.values():
            for label, texts in by.items():
                yield [label, *texts]

    def sample(self, draw: Random, bots: list[str]) -> Sample:
        name = draw.choices(list(self.sets), [len(rows) ** 0.5 for rows in self.sets.values()])[0]
        text, label = draw.choice(self.sets[name])
        count = draw.choice([2, 4, 6, 8, 10, 14, 20])
        near = self._near[name, label]
        others = [one for one in self.labels[name] if one != label]
        chosen = draw.sample(near, min(len(near), max(1, count // 2)))
        chosen = list(dict.fromkeys([*chosen, *draw.sample(others, min(count, len(others)))]))[:count]
        is_gone = draw.random() < 0.12
        if not is_gone:
            chosen.append(label)
        draw.shuffle(chosen)
        way = draw.random()
        told = [self._told(draw, name, one, text, way) for one in chosen]
        bot = draw.choice(["", "", "Hi, how can I help you?", draw.choice(bots)])
        if self._gloss is not None and draw.random() < GLOSSED:
            text = self._gloss.of(text, draw)
            told = [self._gloss.of(one, draw) for one in told] if draw.random() < 0.6 else told
        return Sample(
            message=mistyped(text, draw) if draw.random() < 0.12 else text,
            bot=bot,
            task=None,
            flows=[FlowText(one) for one in told],
            flow=-1 if is_gone else chosen.index(label),
            acts=frozenset({"outside"} if is_gone else {"start"}),
            unknown_acts=frozenset(set(ACTS) - {"start", "outside", "affirm", "negate", "cancel"}),
        )

    def _told(self, draw: Random, name: str, label: str, text: str, way: float) -> str:
        """An intent by its name, by what people say, or by both; all flows of a sample in one way."""
        if way < 0.45:
            return label
        said = set(text.split())
        some = [one for one in draw.sample(self._by[name][label], min(5, len(self._by[name][label]))) if one != text]
        example = max(some, key=lambda one: len(said & set(one.split())), default="")
        if not example:
            return label
        return example if way > 0.85 else f"{label}; {example}"


def _by_label(rows: list[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for text, label in rows:
        found.setdefault(label, []).append(text)
    return found


class Taught:
    """Unlabelled texts whose likeness to flows a teacher, the sentence encoder that we start from, tells."""

    def __init__(self, texts: list[str], labels: list[str], text_vectors: Array, label_vectors: Array) -> None:
        self.texts, self.labels = texts, labels
        self.text_vectors, self.label_vectors = text_vectors, label_vectors

    def sample(self, draw: Random, bots: list[str]) -> Sample:
        number = draw.randrange(len(self.texts))
        some = [draw.randrange(len(self.labels)) for _ in range(300)]
        like = self.label_vectors[some].astype(np.float32) @ self.text_vectors[number].astype(np.float32)
        order = np.argsort(-like)
        count = draw.choice([6, 8, 10, 14, 20])
        chosen = [*order[: count // 2], *draw.sample(list(order[count // 2 :]), count - count // 2)]
        draw.shuffle(chosen)
        weight = np.exp((like[chosen] - like[chosen].max()) / 0.05)
        return Sample(
            message=self.texts[number],
            bot="" if draw.random() < 0.7 else draw.choice(bots),
            task=None,
            flows=[FlowText(self.labels[some[one]]) for one in chosen],
            flow=UNKNOWN,
            unknown_acts=frozenset(ACTS),
            soft=[float(one) for one in weight / weight.sum()],
        )


class Mixture:
    """Draws samples; what the n-th batch holds depends on the seed and n alone."""

    def __init__(
        self,
        dialogues: Dialogues,
        domains: Domains,
        intents: Intents,
        taught: Taught | None,
        shares: dict[str, float] | None = None,
    ) -> None:
        self._dialogues, self._domains, self._intents, self._taught = dialogues, domains, intents, taught
        self._bots = [turn.bot for turn in dialogues.turns if turn.bot][:20000]
        self._flows = list(dialogues.flows.values())
        self._shares = shares or SHARES

    def sample(self, draw: Random) -> Sample:
        kind = draw.choices(list(self._shares), list(self._shares.values()))[0]
        if kind == "intents":
            return self._intents.sample(draw, self._bots)
        if kind == "taught" and self._taught is not None:
            return self._taught.sample(draw, self._bots)
        others = self._foreign(draw)
        if kind == "domains":
            return self._domains.sample(draw, others, "es" if draw.random() < SPANISH else "en")
        turns = self._dialogues.spanish if kind == "spanish" and self._dialogues.spanish else self._dialogues.turns
        return self._dialogues.sample(draw, draw.choice(turns), others)

    def _foreign(self, draw: Random) -> list[FlowSchema]:
        """Flows of other assistants: most from the dialogues, which have many, some from the written domains."""
        count = draw.choice(_MOST_FOREIGN)
        written = round(count * 0.3)
        chosen = draw.sample(self._flows, min(count - written, len(self._flows))) + draw.sample(
            self._domains.flows, min(written, len(self._domains.flows))
        )
        return list({flow.key: flow for flow in chosen}.values())

    def batches(
        self, packer: Packer, size: int, seed: int, worker: int = 0, workers: int = 1
    ) -> Iterator[dict[str, Array]]:
        """Batches without end; messages of about the same length share one, so that little is padded."""
        number = worker
        while True:
            draw = random.Random(seed * 1_000_003 + number)
            number += workers
            samples = [self.sample(draw) for _ in range(size * _BUCKETS)]
            packed = [(pack(packer, one), one) for one in samples]
            packed.sort(key=lambda pair: len(pair[0].ids))
            groups = [packed[start : start + size] for start in range(0, len(packed), size)]
            draw.shuffle(groups)
            for group in groups:
                yield labelled([one for one, _ in group], [sample for _, sample in group])


def pack(packer: Packer, sample: Sample) -> Packed:
    """A sample as the model takes it."""
    return packer.pack(sample.message, sample.bot, sample.task, sample.flows, sample.slots)


def labelled(packed: list[Packed], samples: list[Sample]) -> dict[str, Array]:
    """The arrays of some messages, with what should be read out of them."""
    arrays = batch(packed)
    flows, slots = arrays["flow_marks"].shape[1], arrays["slot_marks"].shape[1]
    rows: dict[str, list[list[int]]] = {"status": [], "first": [], "last": [], "option": []}
    for one, sample in zip(packed, samples, strict=True):
        labels = [_slot_labels(one, number, label) for number, label in enumerate(sample.labels)]
        for place, name in enumerate(rows):
            rows[name].append([label[place] for label in labels])
    for name, values in rows.items():
        arrays[name] = padded(values, UNKNOWN, slots)
    arrays["flow"] = np.array([flows if one.flow == -1 else one.flow for one in samples], np.int64)
    arrays["acts"] = np.array(
        [[-1 if act in one.unknown_acts else int(act in one.acts) for act in ACTS] for one in samples], np.int64
    )
    soft = np.zeros((len(samples), flows), np.float32)
    for number, sample in enumerate(samples):
        soft[number, : len(sample.soft or [])] = sample.soft or []
    arrays["soft"] = soft
    return arrays


def _slot_labels(packed: Packed, slot: int, label: Any) -> tuple[int, int, int, int]:
    """Status, first and last piece of the value, and the option's number among all options."""
    status, first, last, option = label.status, UNKNOWN, UNKNOWN, UNKNOWN
    if label.option is not None:
        option = packed.option_slots.index(slot) + label.option
    elif label.span is not None:
        start, end = label.span
        inside = [place for place, piece in enumerate(packed.pieces) if piece.start < end and piece.end > start]
        if inside:
            first, last = inside[0] + 1, inside[-1] + 1
        else:
            status = UNKNOWN
    return status, first, last, option


def teaching_texts(
    dialogues: Dialogues, intents: Intents, pool: dict[str, list[str]], words: list[str]
) -> tuple[list[str], list[str]]:
    """Texts for the teacher: messages, and what may stand for a flow."""
    draw = random.Random(4)
    messages = [
        *pool["txt"],
        *(turn.message for turn in draw.sample(dialogues.turns, min(30000, len(dialogues.turns)))),
    ]
    messages += [text for rows in intents.sets.values() for text, _ in rows]
    labels = [*pool["lab"], *(label for labels in intents.labels.values() for label in labels), *words]
    for flow in dialogues.flows.values():
        labels += [f"{name}: {text}" for name, text in flow.texts["en"]] + [name for name, _ in flow.texts["en"]]
    for slots in dialogues.slots.values():
        labels += [f"{name}: {text}" for slot in slots.values() for name, text in slot.texts["en"]]
    labels += [" ".join(draw.sample(words, 2)) for _ in range(15000)] + draw.sample(messages, min(10000, len(messages)))
    return messages, labels
