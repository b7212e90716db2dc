"""Train the reader; see training/reader/README.md.

    python -m training.reader.train --data DATA --base MINILM --out FOLDER

DATA is the folder with the training data, MINILM is model.safetensors of all-MiniLM-L6-v2. A GPU is used where there is
one. The weights are written in 16 bits with a note of how they came about, to be exported by training.reader.export.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import json
import multiprocessing
import random
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn

from soni.du.local.packing import SENTENCE, Packer, padded
from soni.du.local.pieces import BEGIN, END, Vocabulary
from training.reader.dialogues import Dialogues
from training.reader.gloss import Gloss
from training.reader.intents import Intents
from training.reader.mixture import SHARES, Mixture, Taught, teaching_texts
from training.reader.model import Reader, Size, likeness_loss, losses, sentence_loss
from training.reader.weights import first_new, join, known_words, load, save, whole_weights
from training.reader.written import HERE, Domains

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from soni.du.local.packing import Array

_LONGEST = 40
_WARM_UP = 300
_PATIENCE = 120
_ALIKE = 4
"""How many sentences that ask for the same are shown together."""
_OFTEN = (1, 3, 1, 1)
"""How often which kind of groups is shown: public intents, near intents written by hand, written flows, dialogues."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How to train."""

    data: Path
    base: Path | None = None
    """The sentence encoder to begin with; without one all weights begin at random."""
    earlier: Path | None = None
    """Weights of an earlier training to go on from: FOLDER/NAME."""
    minutes: float = 16.3
    """How long, with the preparation; `steps` instead, if any."""
    steps: int = 0
    batch: int = 512
    rate: float = 2.5e-4
    sentences: int = 256
    """Sentences a step by which the reader stays an encoder of them."""
    likeness: float = 0.4
    workers: int = 14
    """Processes that make samples; none for this one."""
    seed: int = 1
    width: int = 384
    layers: int = 6


@dataclass(slots=True)
class Trained:
    """What came of it."""

    model: Reader
    kept: int
    """How many of the words stayed as they were."""
    facts: dict[str, Any] = field(default_factory=dict)
    losses: list[float] = field(default_factory=list)


def sentence_ids(vocabulary: Vocabulary, texts: list[str]) -> Array:
    """Sentences as the model takes them, one in a row."""
    return padded([[BEGIN, *(piece.number for piece in vocabulary.pieces(text)[:_LONGEST]), END] for text in texts], 0)


class Teacher:
    """A sentence encoder as it is: what the reader began as, or an earlier reader."""

    def __init__(self, begun: Reader, role: Any, vocabulary: Vocabulary, device: str) -> None:
        self._model = deepcopy(begun)
        if role is not None:
            with torch.no_grad():
                self._model.roles.weight.copy_(torch.as_tensor(role).float().expand_as(self._model.roles.weight))
        self._model.to(device).eval()
        self._vocabulary, self._device = vocabulary, device

    def vectors(self, texts: list[str]) -> Array:
        rows = []
        with torch.no_grad(), torch.autocast("cuda", torch.bfloat16, enabled=self._device == "cuda"):
            for start in range(0, len(texts), 1024):
                ids = torch.as_tensor(sentence_ids(self._vocabulary, texts[start : start + 1024])).to(self._device)
                rows.append(self._model.sentence(ids, SENTENCE).half().cpu().numpy())
        return np.concatenate(rows)


class Sentences:
    """Sentences that keep the reader an encoder of them: with a teacher's vectors, and in groups that are alike."""

    def __init__(
        self,
        dialogues: Dialogues,
        domains: Domains,
        intents: Intents,
        taught: Taught,
        teacher: Teacher,
        gloss: Gloss,
        vocabulary: Vocabulary,
        seed: int,
    ) -> None:
        self._draw = random.Random(seed)
        pairs = dialogues.translations()
        glossed = [gloss.of(text, self._draw) for text in [*taught.texts, *taught.labels]]
        texts = [*taught.texts, *taught.labels, *glossed, *(text for text, _ in pairs)]
        known = [taught.text_vectors, taught.label_vectors]
        told = [teacher.vectors([text for _, text in pairs])] if pairs else []
        self._ids, self._vectors = sentence_ids(vocabulary, texts), np.concatenate([*known, *known, *told])
        groups = [
            [[request for one in intents.public for request in one.requests()]],
            [one.requests() for one in intents.written],
            [[domain.requests(flow, self._draw) for domain in domains.domains for flow in domain.flows]],
            [[flow.requests() for flow in dialogues.flows.values()]],
        ]
        self._groups = [
            [[sentence_ids(vocabulary, group) for group in part if len(group) >= _ALIKE] for part in kind]
            for kind in groups
        ]

    def __len__(self) -> int:
        return len(self._ids)

    def some(self, count: int) -> tuple[Array, Array]:
        """As many sentences whose vectors are known, and behind them as many in groups; and those vectors.

        Groups ask for the same, one after the other, all out of one kind of groups; of the sets
        written by hand, whose intents are near each other, all out of one set. One array holds both, because what a
        small batch costs is being begun.
        """
        taught = self._draw.choices(range(len(self._ids)), k=count)
        part = self._draw.choice(self._draw.choices(self._groups, _OFTEN)[0])
        groups = self._draw.sample(part, min(count // _ALIKE, len(part)))
        rows = [self._ids[taught], *(group[self._draw.sample(range(len(group)), _ALIKE)] for group in groups)]
        together = np.zeros((sum(len(row) for row in rows), _LONGEST + 2), np.int64)
        start = 0
        for row in rows:
            together[start : start + len(row), : row.shape[1]] = row
            start += len(row)
        return together[:, : int((together != 0).sum(1).max())], self._vectors[taught]


class Batches:
    """Batches made by several processes; their order does not depend on which of them is faster."""

    def __init__(self, mixture: Mixture, packer: Packer, size: int, seed: int, workers: int) -> None:
        context = multiprocessing.get_context("fork")
        gc.freeze()  # what is there stays: looking at it again and again would take most of a worker's time
        self._queues = [context.Queue(maxsize=8) for _ in range(workers)]
        for number, queue in enumerate(self._queues):
            arguments = (mixture, packer, size, seed, number, workers, queue)
            context.Process(target=_fill, args=arguments, daemon=True).start()

    def __iter__(self) -> Iterator[dict[str, Array]]:
        while True:
            for queue in self._queues:
                yield queue.get(timeout=_PATIENCE)  # a worker that died tells why by itself


def _fill(mixture: Mixture, packer: Packer, size: int, seed: int, number: int, workers: int, queue: Any) -> None:
    torch.set_num_threads(1)
    for arrays in mixture.batches(packer, size, seed, number, workers):
        queue.put(
            {name: array.astype(np.int32) if array.dtype == np.int64 else array for name, array in arrays.items()}
        )


def on_device(batches: Iterator[dict[str, Array]], device: str) -> Iterator[dict[str, torch.Tensor]]:
    """Batches as tensors; the next one is brought over while one is learned from."""

    def bring() -> dict[str, torch.Tensor]:
        tensors = {name: torch.as_tensor(array).to(device) for name, array in next(batches).items()}
        return {name: one.long() if one.dtype == torch.int32 else one for name, one in tensors.items()}

    with ThreadPoolExecutor(1) as beside:
        ahead = beside.submit(bring)
        while True:
            ready, ahead = ahead.result(), beside.submit(bring)
            yield ready


def optimizer(model: Reader, rate: float, kept: int, *, fused: bool) -> torch.optim.AdamW:
    """Slow for what was learned before, faster for what is new; the old words stay as they are."""
    if kept:
        model.places.weight.requires_grad_(False)
        model.norm.requires_grad_(False)
        model.words.weight.register_hook(lambda gradient: _without(gradient, kept))
    body = list(model.layers.parameters())
    known = {id(parameter) for parameter in [*body, model.words.weight]}
    heads = [one for one in model.parameters() if id(one) not in known and one.requires_grad]
    groups: list[dict[str, Any]] = [
        {"params": body, "lr": rate},
        {"params": heads, "lr": 2 * rate},
        {"params": [model.words.weight], "lr": rate, "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, weight_decay=0.01, betas=(0.9, 0.98), fused=fused)


def _without(gradient: torch.Tensor, kept: int) -> torch.Tensor:
    gradient = gradient.clone()
    gradient[:kept] = 0
    return gradient


def train(settings: Settings, log: Callable[[str], None] = print, folder: Path | None = None) -> Trained:
    """Train a reader; `folder` holds what was written by hand, if not that beside this file."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(settings.seed)
    torch.backends.cuda.matmul.allow_tf32 = True
    began = time.monotonic()
    data = settings.data
    vocabulary = Vocabulary(known_words(data))
    old_ids = json.loads((data / "old_ids.json").read_text(encoding="utf-8"))
    gloss = Gloss(data)
    written = folder or HERE
    dialogues, domains = Dialogues(data), Domains(written)
    with gzip.open(data / "pool.json.gz", "rt", encoding="utf-8") as file:
        pool = json.load(file)
    words = json.loads((data / "words.json").read_text(encoding="utf-8"))
    model, role = _beginning(settings, vocabulary, old_ids)
    teacher = encode = Teacher(model, role, vocabulary, device)
    if settings.earlier:
        base = load(settings.base) if settings.base else {}
        known = whole_weights(join(settings.earlier.parent, settings.earlier.name), base, old_ids)
        model.load_state_dict({name: torch.as_tensor(array) for name, array in known.items()})
        encode = Teacher(model, None, vocabulary, device)
    intents = Intents(data / "intents.json.gz", encode.vectors, gloss, written / "intents")
    dialogues.place(encode.vectors)
    texts, labels = teaching_texts(dialogues, intents, pool, words)
    taught = Taught(texts, labels, teacher.vectors(texts), teacher.vectors(labels))
    sentences = Sentences(dialogues, domains, intents, taught, teacher, gloss, vocabulary, settings.seed)
    mixture, packer = Mixture(dialogues, domains, intents, taught), Packer(vocabulary)
    log(f"{len(dialogues.turns)} turns, {len(dialogues.spanish)} in Spanish, {len(domains.domains)} written domains, ")
    log(f"{len(sentences)} sentences; prepared in {time.monotonic() - began:.0f} s")
    if settings.workers:
        batches = iter(Batches(mixture, packer, settings.batch, settings.seed, settings.workers))
    else:
        batches = mixture.batches(packer, settings.batch, settings.seed)
    kept = first_new(old_ids) if settings.base else 0
    left = settings.minutes * 60 - (time.monotonic() - began)
    trained = _steps(settings, model.to(device).train(), kept, batches, sentences, device, left, log)
    trained.facts |= {
        "turns": len(dialogues.turns),
        "spanish_turns": len(dialogues.spanish),
        "written_domains": len(domains.domains),
        "intent_sets": {one.name: len(one.rows) for one in intents.public},
        "written_requests": {one.name: len(one.rows) for one in intents.written},
        "shares": SHARES,
        "settings": {name: value for name, value in asdict(settings).items() if not isinstance(value, Path)},
    }
    return trained


def _beginning(settings: Settings, vocabulary: Vocabulary, old_ids: list[list[int]]) -> tuple[Reader, Any]:
    """The model before it is trained, and the role that its teacher's pieces have."""
    model = Reader(Size(len(vocabulary), settings.width, settings.layers, settings.width // 32))
    if settings.base is None:
        return model, None
    base = load(settings.base)
    model.start_from(base, old_ids)
    return model, base["embeddings.token_type_embeddings.weight"][0]


def _steps(
    settings: Settings,
    model: Reader,
    kept: int,
    batches: Iterator[dict[str, Array]],
    sentences: Sentences,
    device: str,
    seconds: float,
    log: Callable[[str], None],
) -> Trained:
    adam = optimizer(model, settings.rate, kept, fused=device == "cuda")
    rates = [group["lr"] for group in adam.param_groups]
    start, step, sums, trained = time.monotonic(), 0, Counter[str](), Trained(model, kept)
    warm_up = min(_WARM_UP, settings.steps // 4 or _WARM_UP)
    for batch in on_device(batches, device):
        done = step / settings.steps if settings.steps else (time.monotonic() - start) / seconds
        if done >= 1:
            break
        for group, rate in zip(adam.param_groups, rates, strict=True):
            group["lr"] = rate * min(1.0, (step + 1) / warm_up) * max(0.02, 1 - done)
        with torch.autocast("cuda", torch.bfloat16, enabled=device == "cuda"):
            parts = losses(model(batch), batch)
            if settings.sentences:
                ids, wanted = (torch.as_tensor(array).to(device) for array in sentences.some(settings.sentences))
                vectors = model.sentence(ids, SENTENCE)
                parts["sentence"] = sentence_loss(vectors[: len(wanted)], wanted.float())
                parts["likeness"] = settings.likeness * likeness_loss(vectors[len(wanted) :], _ALIKE)
            loss = torch.stack(list(parts.values())).sum()
        adam.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        adam.step()
        step += 1
        if step % 50 == 0 or settings.steps:
            trained.losses.append(float(loss.detach()))
            sums.update({name: float(part.detach()) for name, part in parts.items()})
        if step % 500 == 0:
            shown = {name: round(value / 10, 3) for name, value in sums.items()}
            log(f"{time.monotonic() - start:5.0f} s  step {step}  {done:.2f}  {shown}")
            sums.clear()
    took = round(time.monotonic() - start)
    log(f"trained {step} steps of {settings.batch} in {took} s")
    trained.facts |= {
        "steps": step,
        "seconds": took,
        "device": torch.cuda.get_device_name() if device == "cuda" else "CPU",
    }
    return trained


def main() -> None:
    """Train, and write the weights and how they came about."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=Path, help="the folder with the training data")
    parser.add_argument("--base", required=True, type=Path, help="model.safetensors of all-MiniLM-L6-v2")
    parser.add_argument("--earlier", type=Path, help="weights of an earlier training to go on from: FOLDER/NAME")
    parser.add_argument("--out", required=True, type=Path, help="where the weights go")
    parser.add_argument("--name", default="reader", help="what the weights are called (%(default)s)")
    parser.add_argument("--minutes", type=float, default=16.3, help="how long, with the preparation (%(default)s)")
    parser.add_argument("--steps", type=int, default=0, help="how many steps instead of minutes")
    parser.add_argument("--batch", type=int, default=512, help="samples a step (%(default)s)")
    parser.add_argument("--rate", type=float, default=2.5e-4, help="learning rate of the layers (%(default)s)")
    parser.add_argument("--sentences", type=int, default=256, help="sentences a step for the encoder (%(default)s)")
    parser.add_argument("--likeness", type=float, default=0.4, help="what sentences alike count for (%(default)s)")
    parser.add_argument("--workers", type=int, default=14, help="processes that make samples (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="what the draws depend on (%(default)s)")
    given = vars(parser.parse_args())
    out, name = given.pop("out"), given.pop("name")
    out.mkdir(parents=True, exist_ok=True)
    trained = train(Settings(**given), lambda line: print(line, flush=True))
    save(trained.model, out, name, trained.kept)
    (out / f"{name}.json").write_text(json.dumps(trained.facts, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
