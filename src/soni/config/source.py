"""YAML with positions: our own tree over `yaml.compose`, without the surprises of YAML 1.1."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import yaml

from soni.errors import Place, Problem

if TYPE_CHECKING:
    from pathlib import Path as File

    from yaml.nodes import MappingNode, Node, ScalarNode

Path = tuple[str | int, ...]

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)([eE][-+]?[0-9]+)?")
_WORDS = {"true": True, "True": True, "false": False, "False": False, "null": None, "~": None, "": None}
_MOST_NODES = 200_000


@dataclass
class SourceMap:
    """Where each key and value of an assistant stands in its files."""

    keys: dict[Path, Place] = field(default_factory=dict)
    values: dict[Path, Place] = field(default_factory=dict)

    def place(self, path: Path, *, key: bool = False) -> Place | None:
        """The place of a path, or of the nearest thing around it."""
        if key and path in self.keys:
            return self.keys[path]
        for length in range(len(path), -1, -1):
            prefix = path[:length]
            if prefix in self.values:
                return self.values[prefix]
            if prefix in self.keys:
                return self.keys[prefix]
        return None


class Reader:
    """Reads files into one tree, noting positions and every problem on the way."""

    def __init__(self) -> None:
        self.source = SourceMap()
        self.problems: list[Problem] = []
        self._nodes = 0

    def read(self, file: File, shown: str) -> Any:
        """The tree of one file, or None if there is none to be had."""
        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            self._problem(f"the file is not UTF-8 text: {error.reason} at byte {error.start}.", Place(shown, 1, 1))
            return None
        except OSError as error:
            self._problem(f"the file cannot be read: {error.strerror}.", Place(shown, 1, 1))
            return None
        try:
            node = yaml.compose(text, Loader=_LOADER)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            place = Place(shown, mark.line + 1, mark.column + 1) if mark else Place(shown, 1, 1)
            what = " ".join(part for part in (error.context, error.problem) if part)
            self._problem(f"this is not YAML: {what}.", place, _yaml_hint(str(error.problem)))
            return None
        except (yaml.YAMLError, RecursionError) as error:
            self._problem(f"this is not YAML: {error}.", Place(shown, 1, 1))
            return None
        return None if node is None else self._build(node, (), shown, frozenset())

    def _build(self, node: Node, path: Path, shown: str, inside: frozenset[int]) -> Any:
        place = Place(shown, node.start_mark.line + 1, node.start_mark.column + 1)
        self.source.values.setdefault(path, place)
        self._nodes += 1
        if id(node) in inside or self._nodes > _MOST_NODES:
            self._problem("an alias makes this file endless.", place, "Write the value out instead.")
            return None
        inside = inside | {id(node)}
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path, shown, inside)
        if isinstance(node, yaml.SequenceNode):
            return [self._build(item, (*path, index), shown, inside) for index, item in enumerate(node.value)]
        return _scalar(cast("ScalarNode", node))

    def _mapping(self, node: MappingNode, path: Path, shown: str, inside: frozenset[int]) -> dict[str, Any]:
        tree: dict[str, Any] = {}
        for key_node, value_node in node.value:
            place = Place(shown, key_node.start_mark.line + 1, key_node.start_mark.column + 1)
            if not isinstance(key_node, yaml.ScalarNode):
                self._problem("a key must be a word.", place, "Quote texts that begin with { or [.")
                continue
            # Keys are always words: `no:` and `1:` mean what they say.
            key = str(key_node.value)
            here = (*path, key)
            if key in tree:
                first = self.source.keys[here]
                self._problem(f"'{key}' is given twice; the first is in line {first.line}.", place, "Remove one.", here)
                continue
            self.source.keys[here] = place
            tree[key] = self._build(value_node, here, shown, inside)
        return tree

    def _problem(self, message: str, place: Place, hint: str | None = None, path: Path = ()) -> None:
        self.problems.append(Problem(message, path=path, hint=hint, place=place))


def _scalar(node: ScalarNode) -> Any:
    text = str(node.value)
    if node.style is not None or not node.tag.startswith("tag:yaml.org,2002:"):
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text) if len(text) < 4000 else text
    if _FLOAT.fullmatch(text):
        return float(text)
    return text


def _yaml_hint(problem: str) -> str | None:
    if "mapping values are not allowed" in problem:
        return "Quote a text that has ': ' in it."
    if "found character '\\t'" in problem or "\\t" in problem:
        return "Indent with spaces, not tabs."
    if "expected <block end>" in problem or "did not find expected" in problem:
        return "Check the indentation and the quotes of the lines above."
    return None
