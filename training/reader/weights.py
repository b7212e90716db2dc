"""Weights in files: safetensors read and written without a library, in 16 bits, in parts that are easy to carry."""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from torch import nn

_LOWER = ("layers.0.", "layers.1.", "layers.2.", "layers.3.")
PARTS = ("lower", "upper", "words")
_TYPES = {"F32": np.float32, "F16": np.float16, "I64": np.int64}


def load(path: Path) -> dict[str, Any]:
    """The arrays of a safetensors file, by name."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    body = memoryview(data)[8 + length :]
    return {
        name: np.frombuffer(body[slice(*entry["data_offsets"])], _TYPES[entry["dtype"]]).reshape(entry["shape"]).copy()
        for name, entry in header.items()
        if name != "__metadata__"
    }


def write(path: Path, arrays: dict[str, Any]) -> None:
    """Arrays of 16 bits as a safetensors file."""
    header: dict[str, Any] = {}
    offset = 0
    for name, array in arrays.items():
        header[name] = {"dtype": "F16", "shape": list(array.shape), "data_offsets": [offset, offset + 2 * array.size]}
        offset += 2 * array.size
    told = json.dumps(header).encode()
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(told)))
        file.write(told)
        for array in arrays.values():
            file.write(np.ascontiguousarray(array, np.float16).tobytes())


def save(model: nn.Module, folder: Path, name: str, kept: int) -> None:
    """A trained model in parts; of the words only the new ones, the others are those it started from."""
    arrays = {key: value.detach().float().cpu().numpy() for key, value in model.state_dict().items()}
    if kept:
        arrays["words.weight"] = arrays["words.weight"][kept:]
        arrays.pop("places.weight")
    save_arrays(arrays, folder, name)


def save_arrays(arrays: Mapping[str, Any], folder: Path, name: str) -> None:
    """Weights in parts."""
    lower = {key: value for key, value in arrays.items() if key.startswith(_LOWER)}
    words = {"words.weight": arrays["words.weight"]}
    upper = {key: value for key, value in arrays.items() if key not in lower and key not in words}
    for part, some in zip(PARTS, (lower, upper, words), strict=True):
        write(folder / f"{name}.{part}.safetensors", some)


def join(folder: Path, name: str) -> dict[str, Any]:
    """The parts of a trained model, together."""
    return {key: value for part in PARTS for key, value in load(folder / f"{name}.{part}.safetensors").items()}


def whole_weights(trained: Mapping[str, Any], base: Mapping[str, Any], old_ids: list[list[int]]) -> dict[str, Any]:
    """The trained weights with what they left out because it stayed as it was."""
    if "places.weight" in trained:
        return dict(trained)
    table = np.asarray(base["embeddings.word_embeddings.weight"], np.float32)
    kept = len(old_ids) - len(trained["words.weight"])
    words = np.concatenate([table[[ids[0] for ids in old_ids[:kept]]], np.asarray(trained["words.weight"], np.float32)])
    return {**trained, "words.weight": words, "places.weight": base["embeddings.position_embeddings.weight"]}


def first_new(old_ids: list[list[int]]) -> int:
    """Where the new words begin: the old ones are one piece each, in rising order."""
    for number, ids in enumerate(old_ids):
        if len(ids) > 1 or (number and ids[0] < old_ids[number - 1][0]):
            return number
    return len(old_ids)


def known_words(data: Path, name: str = "tok_es.json") -> list[str]:
    """The vocabulary of the training data, in the order of its numbers."""
    numbers = json.loads((data / name).read_text(encoding="utf-8"))["model"]["vocab"]
    return sorted(numbers, key=lambda word: numbers[word])
