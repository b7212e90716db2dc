"""The mixture that the reader learns from, and batches of it."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np

from soni.du.local.packing import ACTS, FlowText, Packer, batch, padded
from training.reader.samples import UNKNOWN, FlowSchema, Sample

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from soni.du.local.packing import Array, Packed
    from training.reader.dialogues import Dialogues
    from training.reader.intents import Intents
    from training.reader.written import Domains

SHARES = {"dialogues": 0.23, "spanish": 0.04, "domains": 0.34, "intents": 0.27, "taught": 0.12}
"""How much of the mixture is what."""
SPANISH = 0.6
"""The part of Spanish in what was written by hand."""
_MOST_FOREIGN = (0, 1, 2, 3, 4, 5, 6, 8, 10, 14, 20)
_BUCKETS = 8


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
    messages += [text for one in intents.english() for text, _ in one.rows]
    labels = [*pool["lab"], *(label for one in intents.english() for label in one.intents), *words]
    for flow in dialogues.flows.values():
        labels += [f"{name}: {text}" for name, text in flow.texts["en"]] + [name for name, _ in flow.texts["en"]]
    for slots in dialogues.slots.values():
        labels += [f"{name}: {text}" for slot in slots.values() for name, text in slot.texts["en"]]
    labels += [" ".join(draw.sample(words, 2)) for _ in range(15000)] + draw.sample(messages, min(10000, len(messages)))
    return messages, labels
