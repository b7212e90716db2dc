"""Take the weights of a shipped model back out of its ONNX file, to go on from them.

    python -m training.reader.recover --data DATA --model reader.onnx --out FOLDER --name NAME

What was rounded to 8 bits stays rounded; that costs nothing measurable.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

from training.reader.export import build
from training.reader.model import Reader, Size
from training.reader.weights import first_new, save_arrays


def recover(path: Path, size: Size) -> dict[str, Any]:
    """The weights by name, without the places, which no training changes.

    The graph is built once more out of numbered weights: that tells which constant is which.
    """
    names = {name: tensor.shape for name, tensor in Reader(size).state_dict().items()}
    numbered = {name: np.full(shape, number, np.float32) for number, (name, shape) in enumerate(names.items(), 1)}
    there = {one.name: numpy_helper.to_array(one) for one in onnx.load(path).graph.initializer}
    found: dict[str, Any] = {}
    for constant in build(numbered, size.heads).graph.initializer:
        is_float = constant.data_type == onnx.TensorProto.FLOAT
        values: Any = np.unique(numpy_helper.to_array(constant)) if is_float else []
        number = float(values[0]) if len(values) == 1 and constant.dims else 0.0
        if not number.is_integer() or not 1 <= number <= len(names):
            continue
        name = list(names)[int(number) - 1]
        if name == "places.weight":
            continue
        array = _array(there, constant.name)
        is_product = len(names[name]) == 2 and name != "roles.weight"  # a product takes the weights turned round
        found[name] = np.ascontiguousarray(array.T if is_product else array)
    rows = next(array for array in there.values() if array.dtype == np.int8 and array.shape == names["words.weight"])
    scales = next(array for array in there.values() if array.shape == (len(rows), 1))
    found["words.weight"] = rows.astype(np.float32) * scales
    return found


def _array(there: dict[str, Any], name: str) -> Any:
    if name in there:
        return there[name].astype(np.float32)
    zero = there[f"{name}_zero_point"].astype(np.float32)
    return (there[f"{name}_quantized"].astype(np.float32) - zero) * there[f"{name}_scale"]


def main() -> None:
    """Write the weights as a training would have, with the note that lies beside the model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("data", "model", "out"):
        parser.add_argument(f"--{name}", required=True, type=Path)
    parser.add_argument("--name", default="reader")
    arguments = parser.parse_args()
    old_ids = json.loads((arguments.data / "old_ids.json").read_text(encoding="utf-8"))
    weights = recover(arguments.model, Size(len(old_ids)))
    weights["words.weight"] = weights["words.weight"][first_new(old_ids) :]
    arguments.out.mkdir(parents=True, exist_ok=True)
    save_arrays(weights, arguments.out, arguments.name)
    note = arguments.model.with_name("reader.json").read_text(encoding="utf-8")
    (arguments.out / f"{arguments.name}.json").write_text(note, encoding="utf-8")


if __name__ == "__main__":
    main()
