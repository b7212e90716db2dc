"""The trained model: scores of packed messages and vectors of sentences; loaded once, checked by its hash."""

from __future__ import annotations

import hashlib
import logging
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from soni.du.local.packing import SENTENCE, batch, padded, sees
from soni.du.local.pieces import BEGIN, END, PAD, vocabulary
from soni.errors import SoniError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from soni.du.local.packing import Array, Packed

logger = logging.getLogger(__name__)

WEIGHTS = Path(__file__).parent / "weights"
_FAR = np.float32(-1e4)
_MOST_PIECES = 64
_TOGETHER = 8
"""How many messages are read at once."""


@dataclass(frozen=True, slots=True)
class Scores:
    """What the model says about one packed message, before it is made probabilities."""

    flows: Array
    none: float
    statuses: Array
    firsts: Array
    lasts: Array
    options: Array
    acts: Array


class Model:
    """The network on one thread: more fight over busy cores. Messages that wait for it are read together."""

    def __init__(self, path: Path) -> None:
        import onnxruntime  # what it cannot be had for is told in one place, `model`

        self._turn = Lock()
        self._waiting: deque[tuple[Packed, Future[Scores]]] = deque()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    def read(self, packed: Packed) -> Scores:
        """The scores of one message; whoever's turn it is reads for all that wait."""
        own: Future[Scores] = Future()
        self._waiting.append((packed, own))
        with self._turn:
            while not own.done():
                group = [self._waiting.popleft() for _ in range(min(_TOGETHER, len(self._waiting)))]
                try:
                    scores = self.read_all([packed for packed, _ in group])
                except Exception as error:  # whatever went wrong is for those whose messages they are
                    for _, future in group:
                        future.set_exception(error)
                else:
                    for (_, future), one in zip(group, scores, strict=True):
                        future.set_result(one)
        return own.result()

    def read_all(self, packed: Sequence[Packed]) -> list[Scores]:
        """The scores of several messages at once."""
        arrays = batch(packed)
        seen = sees(arrays["kinds"], arrays["elements"], arrays["parents"])
        names = ["flows", "none", "statuses", "firsts", "lasts", "options", "acts"]
        out = self._session.run(
            names,
            {
                **{name: arrays[name] for name in ("ids", "places", "roles")},
                "bias": np.where(seen, np.float32(0), _FAR)[:, None],
                **{name: np.maximum(arrays[name], 0) for name in ("flow_marks", "slot_marks", "option_marks")},
            },
        )
        return [self._scores(one, number, out) for number, one in enumerate(packed)]

    def _scores(self, packed: Packed, number: int, out: list[Any]) -> Scores:
        flows, none, statuses, firsts, lasts, options, acts = (part[number] for part in out)
        slots, said = len(packed.slot_marks), len(packed.pieces) + 1
        return Scores(
            flows=flows[: len(packed.flow_marks), 0],
            none=float(none[0]),
            statuses=statuses[:slots],
            firsts=firsts[:slots, 1:said],
            lasts=lasts[:slots, 1:said],
            options=options[: len(packed.option_marks), 0],
            acts=acts,
        )

    def vectors(self, texts: Sequence[str]) -> Array:
        """A vector of length one for each sentence; the product of two is how alike they are."""
        rows = [
            [BEGIN, *(piece.number for piece in vocabulary().pieces(text)[: _MOST_PIECES - 2]), END] for text in texts
        ]
        ids = padded(rows, PAD)
        real = (ids != PAD)[:, None, None, :]
        count, length = ids.shape
        nothing = np.zeros((count, 1), np.int64)
        (vectors,) = self._session.run(
            ["vector"],
            {
                "ids": ids,
                "places": np.broadcast_to(np.arange(length), ids.shape),
                "roles": np.full_like(ids, SENTENCE),
                "bias": np.broadcast_to(np.where(real, np.float32(0), _FAR), (count, 1, length, length)),
                "flow_marks": nothing,
                "slot_marks": nothing,
                "option_marks": nothing,
            },
        )
        return np.asarray(vectors)


class Unavailable(SoniError):
    """The trained model cannot be had here; why is its text."""


@lru_cache(maxsize=1)
def model() -> Model | None:
    """The model of this package, loaded once for all assistants of a process; None where it cannot be had."""
    try:
        return loaded(WEIGHTS)
    except Unavailable as reason:
        logger.warning("%s Messages are understood without the trained reader, by rules alone.", reason)
        return None


def digest(folder: Path = WEIGHTS) -> str:
    """What tells the weights of a folder from others."""
    return (folder / "reader.sha256").read_text(encoding="utf-8")


def loaded(folder: Path) -> Model:
    """The model of a folder, if it is what was shipped and can run here."""
    path = checked(folder)
    try:
        return Model(path)
    except ImportError as error:
        raise Unavailable(f"The trained reader needs onnxruntime ({error}); install it with pip.") from None


def checked(folder: Path) -> Path:
    """The weights of a folder, if they are what was shipped."""
    told = folder / "reader.sha256"
    if not told.exists():
        raise Unavailable(f"The trained reader's weights are missing: there is no {told}; install soni again.")
    for line in told.read_text(encoding="utf-8").splitlines():
        digest, name = line.split()
        if not (folder / name).exists():
            raise Unavailable(f"The trained reader's weights are missing: there is no {folder / name}.")
        if hashlib.sha256((folder / name).read_bytes()).hexdigest() != digest:
            raise Unavailable(f"{folder / name} is not the file that was shipped; install soni again.")
    return folder / "reader.onnx"
