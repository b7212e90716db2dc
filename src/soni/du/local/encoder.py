"""Sentence vectors: a multilingual encoder and the trained model's own, side by side in one vector of length one."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from soni.du.local.array_cache import kept
from soni.du.local.model import digest, model
from soni.du.local.multilingual import Multilingual, multilingual_digest

if TYPE_CHECKING:
    from collections.abc import Sequence

Vectors = np.ndarray[Any, np.dtype[np.float32]]

_MULTILINGUAL = 512
OWN = 0.8
"""The trained model's part in a similarity."""
ABROAD = 0.3
"""Its part where the message is in another language than English, from which it learned most."""


class Encoder:
    """Both encoders, on one thread: more fight over busy cores. Without the trained model there is one."""

    def __init__(self) -> None:
        self._own = model()
        self._multilingual = Multilingual()

    def encode(self, texts: Sequence[str]) -> Vectors:
        """A row for each text; the product of two rows is how alike their texts are, at most one."""
        multilingual = self._multilingual.encode(texts)
        if self._own is None:
            return multilingual
        # One by one: together they take as long, and what is rounded to eight bits shifts with what is read beside it.
        own = np.concatenate([self._own.vectors([text]) for text in texts])
        return np.concatenate([(1 - OWN) ** 0.5 * multilingual, OWN**0.5 * own], axis=1)

    def knows(self, word: str) -> bool:
        """Whether a word is common enough in some language to have a place of its own in the vocabulary."""
        return self._multilingual.knows(word)


def phrase_vectors(phrases: Sequence[str]) -> Vectors:
    """The vectors of phrases that are compared with many messages; they are kept from one start to the next."""
    content = "\n".join((weights_digest(), *phrases))
    return kept("phrases", content, lambda: {"vectors": encoder().encode(phrases)})["vectors"]


def weights_digest() -> str:
    """What tells the weights behind all vectors from others."""
    return f"{digest() if model() is not None else 'none'} {multilingual_digest()}"


def vector(text: str, language: str | None = None) -> Vectors:
    """The vector of one text, with the trained model counting for less in other languages than English."""
    row = _vector(text)
    return row if language in (None, "en") else row * _abroad(len(row))


@lru_cache(maxsize=1024)
def _vector(text: str) -> Vectors:
    """The same in any language; a message is asked about more than once while it is read."""
    row: Vectors = encoder().encode([text])[0]
    return row


@lru_cache(maxsize=1)
def _abroad(size: int) -> Vectors:
    """What each number of a vector is worth where the trained model counts for less."""
    if size == _MULTILINGUAL:
        return np.ones(size, np.float32)
    multilingual = np.full(_MULTILINGUAL, (1 - ABROAD) / (1 - OWN), np.float32)
    return np.concatenate([multilingual, np.full(size - _MULTILINGUAL, ABROAD / OWN, np.float32)])


@lru_cache(maxsize=1)
def encoder() -> Encoder:
    """The encoder, loaded once for all assistants and conversations of a process."""
    return Encoder()
