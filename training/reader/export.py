"""Export the trained reader to ONNX with weights of 8 bits.

    python -m training.reader.export --data DATA --base MINILM --weights FOLDER --out FOLDER

The graph is written by hand, so that what runs is what can be read here. Words are 8 bits with a scale of their own
each; the products with weights are quantised as they run.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

from training.reader.weights import join, known_words, load, whole_weights

if TYPE_CHECKING:
    from collections.abc import Mapping

_LONGEST = 128
_SPAN = 128
SEALED = ("reader.onnx", "words.txt")


class Graph:
    """An ONNX graph in the making."""

    def __init__(self, weights: Mapping[str, Any], heads: int) -> None:
        self.weights = {name: np.asarray(array, np.float32) for name, array in weights.items()}
        self.heads = heads
        self.width = self.weights["norm.weight"].shape[0]
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, value: Any) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value, order="C"), name))
        return name

    def ints(self, *values: int) -> str:
        return self.constant(np.array(values, np.int64))

    def add(self, kind: str, *inputs: str, to: str | None = None, **attributes: Any) -> str:
        name = to or f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        return name

    def floats(self, x: str) -> str:
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node("Cast", [x], [name], to=TensorProto.FLOAT))
        return name

    def norm(self, x: str, name: str) -> str:
        scale, shift = (self.constant(self.weights[f"{name}.{part}"]) for part in ("weight", "bias"))
        return self.add("LayerNormalization", x, scale, shift, axis=-1, epsilon=1e-12)

    def linear(self, x: str, name: str, *, to: str | None = None) -> str:
        product = self.add("MatMul", x, self.constant(self.weights[f"{name}.weight"].T))
        return self.add("Add", product, self.constant(self.weights[f"{name}.bias"]), to=to)

    def head(self, x: str, name: str, to: str) -> str:
        return self.linear(self.add("Gelu", self.linear(x, f"{name}.0")), f"{name}.2", to=to)

    def table(self, rows: Any, ids: str) -> str:
        """Rows of a table in 8 bits, each with its own scale."""
        scale = np.abs(rows).max(axis=1, keepdims=True) / 127 + 1e-9
        small = np.round(rows / scale).astype(np.int8)
        found = self.floats(self.add("Gather", self.constant(small), ids))
        return self.add("Mul", found, self.add("Gather", self.constant(scale.astype(np.float32)), ids))

    def at(self, x: str, marks: str) -> str:
        return self.add("GatherND", x, self.add("Unsqueeze", marks, self.ints(2)), batch_dims=1)

    def layer(self, x: str, bias: str, name: str) -> str:
        part = self.width // self.heads

        def split(kind: str, order: list[int]) -> str:
            shaped = self.add("Reshape", self.linear(x, f"{name}.{kind}"), self.ints(0, 0, self.heads, part))
            return self.add("Transpose", shaped, perm=order)

        query, key, value = split("query", [0, 2, 1, 3]), split("key", [0, 2, 3, 1]), split("value", [0, 2, 1, 3])
        scores = self.add("Mul", self.add("MatMul", query, key), self.constant(np.float32(part**-0.5)))
        seen = self.add("MatMul", self.add("Softmax", self.add("Add", scores, bias), axis=-1), value)
        joined = self.add("Reshape", self.add("Transpose", seen, perm=[0, 2, 1, 3]), self.ints(0, 0, self.width))
        x = self.norm(self.add("Add", x, self.linear(joined, f"{name}.out")), f"{name}.norm_seen")
        wide = self.add("Gelu", self.linear(x, f"{name}.wide"))
        return self.norm(self.add("Add", x, self.linear(wide, f"{name}.narrow")), f"{name}.norm_thought")


def build(weights: Mapping[str, Any], heads: int) -> onnx.ModelProto:
    """The whole reader as a graph: packed messages in, scores and a sentence's vector out."""
    g = Graph(weights, heads)
    w = g.weights
    x = g.table(w["words.weight"], "ids")
    x = g.add("Add", x, g.add("Gather", g.constant(w["places.weight"][:_LONGEST]), "places"))
    x = g.norm(g.add("Add", x, g.add("Gather", g.constant(w["roles.weight"]), "roles")), "norm")
    layers = 1 + max(int(name.split(".")[1]) for name in w if name.startswith("layers."))
    for number in range(layers):
        x = g.layer(x, "bias", f"layers.{number}")
    first = g.add("Gather", x, g.constant(np.int64(0)), axis=1)
    slots = g.at(x, "slot_marks")
    g.head(g.at(x, "flow_marks"), "flow", "flows")
    g.head(first, "none", "none")
    g.head(slots, "status", "statuses")
    g.head(g.at(x, "option_marks"), "option", "options")
    g.head(first, "act", "acts")
    query, key = g.linear(slots, "span_slot"), g.add("Transpose", g.linear(x, "span_word"), perm=[0, 2, 1])
    for name, start in (("firsts", 0), ("lasts", _SPAN)):
        ends = g.ints(start), g.ints(start + _SPAN)
        scores = g.add("MatMul", g.add("Slice", query, *ends, g.ints(2)), g.add("Slice", key, *ends, g.ints(1)))
        g.add("Mul", scores, g.constant(np.float32(_SPAN**-0.5)), to=name)
    row = g.add("Squeeze", g.add("Slice", "bias", g.ints(0), g.ints(1), g.ints(2)), g.ints(1, 2))
    real = g.floats(g.add("Equal", row, g.constant(np.float32(0))))
    total = g.add("ReduceSum", g.add("Mul", x, g.add("Unsqueeze", real, g.ints(2))), g.ints(1), keepdims=0)
    mean = g.add("Div", total, g.add("ReduceSum", real, g.ints(1), keepdims=1))
    g.add("Div", mean, g.add("ReduceL2", mean, g.ints(1), keepdims=1), to="vector")
    shapes: dict[str, list[Any]] = {
        "flows": ["n", "f", 1],
        "none": ["n", 1],
        "statuses": ["n", "s", 3],
        "options": ["n", "o", 1],
        "acts": ["n", w["act.2.bias"].shape[0]],
        "firsts": ["n", "s", "t"],
        "lasts": ["n", "s", "t"],
        "vector": ["n", g.width],
    }
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["n", "t"]) for name in ("ids", "places", "roles")]
    inputs.append(helper.make_tensor_value_info("bias", TensorProto.FLOAT, ["n", 1, "t", "t"]))
    for name, size in (("flow_marks", "f"), ("slot_marks", "s"), ("option_marks", "o")):
        inputs.append(helper.make_tensor_value_info(name, TensorProto.INT64, ["n", size]))
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes.items()]
    graph = helper.make_graph(g.nodes, "reader", inputs, outputs, g.constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def seal(folder: Path) -> None:
    """Write the hashes by which the files are known to be the ones that were shipped."""
    lines = [f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in SEALED]
    (folder / "reader.sha256").write_text("".join(lines), encoding="utf-8")


def export(weights: Mapping[str, Any], target: Path, *, heads: int) -> None:
    """Write the model of 8 bits.

    They are unsigned: products with signed ones overflow, unnoticed, on processors that lack VNNI.
    """
    model = build(weights, heads)
    onnx.checker.check_model(model)
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole.onnx"
        onnx.save(model, whole)
        quantize_dynamic(whole, target, weight_type=QuantType.QUInt8, per_channel=True, op_types_to_quantize=["MatMul"])


def _facts(folder: Path, name: str) -> dict[str, Any]:
    """How weights came about."""
    facts: dict[str, Any] = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    return facts


def main() -> None:
    """Export, with the vocabulary, the hashes and the note of how the weights came about."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("data", "base", "weights", "out"):
        parser.add_argument(f"--{name}", required=True, type=Path)
    parser.add_argument("--name", default="reader")
    parser.add_argument("--earlier", type=Path, help="FOLDER/NAME of what it went on from: export the mean")
    parser.add_argument("--share", type=float, default=0.5, help="of the later weights in that mean (%(default)s)")
    arguments = parser.parse_args()
    old_ids = json.loads((arguments.data / "old_ids.json").read_text(encoding="utf-8"))
    trained, facts = join(arguments.weights, arguments.name), _facts(arguments.weights, arguments.name)
    if arguments.earlier:
        before = join(arguments.earlier.parent, arguments.earlier.name)
        share = np.float32(arguments.share)
        trained = {name: share * array + (1 - share) * np.float32(before[name]) for name, array in trained.items()}
        facts |= {"share": arguments.share, "earlier": _facts(arguments.earlier.parent, arguments.earlier.name)}
    weights = whole_weights(trained, load(arguments.base), old_ids)
    arguments.out.mkdir(parents=True, exist_ok=True)
    path, words = arguments.out / "reader.onnx", arguments.out / "words.txt"
    export(weights, path, heads=len(weights["norm.weight"]) // 32)
    words.write_text("\n".join(known_words(arguments.data)) + "\n", encoding="utf-8")
    seal(arguments.out)
    (arguments.out / "reader.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
