"""YAML with positions: our own tree over `yaml.compose`, without the surprises of YAML 1.1."""

from __future__ import annotations

import os
import re
import stat
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
_FLOAT = re.compile(r"[-+]?(([0-9]+\.[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?|[0-9]+[eE][-+]?[0-9]+)")
_WORDS = {"true": True, "True": True, "false": False, "False": False, "null": None, "~": None, "": None}
_MOST_NODES = 200_000
_DEEPEST = 60
MAX_FILE = 5_000_000
"""How many bytes a file may have, and how many characters its values, counting what its aliases repeat."""
_NEVER_WAIT = getattr(os, "O_NONBLOCK", 0)


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
        return None

    def include(self, other: SourceMap) -> None:
        """Add what another file holds; what is declared twice keeps its first place."""
        self.keys = other.keys | self.keys
        self.values = other.values | self.values


class Unreadable(Exception):
    """A file that gives no tree; `problem` says why."""

    def __init__(self, message: str, place: Place, hint: str | None = None) -> None:
        self.problem = Problem(message, hint=hint, place=place)
        super().__init__(str(self.problem))


class FileReader:
    """Reads one file into a tree, noting where everything stands and which keys come twice."""

    def __init__(self, file: File) -> None:
        self.shown = str(file)
        self.source = SourceMap()
        self.problems: list[Problem] = []
        self.size = 0
        """How many bytes were read."""
        self._file = file
        self._nodes = 0
        self._characters = 0

    def read(self) -> Any:
        """The tree, None if the file is empty; raises Unreadable if there is none to be had."""
        text = self._text()
        try:
            self._measure(text)
            node = yaml.compose(text, Loader=_LOADER)
        except yaml.MarkedYAMLError as error:
            raise _not_yaml(error, text, self.shown) from None
        except yaml.reader.ReaderError:
            odd = yaml.reader.Reader.NON_PRINTABLE.search(text)
            place = Place(self.shown, *_line_and_column(text[: odd.start()] if odd else ""))
            raise Unreadable("there is a control character here.", place, "Remove it.") from None
        return None if node is None else self._build(node, (), frozenset())

    def _text(self) -> str:
        top = Place(self.shown, 1, 1)
        try:
            data = self._bytes()
        except OSError as error:
            raise Unreadable(f"the file cannot be read: {error.strerror}.", top) from None
        self.size = len(data)
        if self.size > MAX_FILE:
            size = f"{self._file.stat().st_size:,} bytes; at most {MAX_FILE:,} are read"
            raise Unreadable(f"the file has {size}.", top, "Write the assistant in several files of one folder.")
        try:
            return data.removeprefix(b"\xef\xbb\xbf").decode()
        except UnicodeDecodeError as error:
            line, column = _line_and_column(error.object[: error.start].decode())
            message = "the file is not UTF-8 text."
            raise Unreadable(message, Place(self.shown, line, column), "Save it as UTF-8.") from None

    def _bytes(self) -> bytes:
        """What the file holds, at most a byte more than may be read; a pipe or a device is never waited for."""
        with os.fdopen(os.open(self._file, os.O_RDONLY | _NEVER_WAIT), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                hint = "Name a YAML file, or the folder that holds the assistant."
                raise Unreadable("this is not a file but a folder, a pipe or a device.", Place(self.shown, 1, 1), hint)
            return file.read(MAX_FILE + 1) or b""

    def _measure(self, text: str) -> None:
        """Refuse what is nested so deeply that composing it would exhaust the stack."""
        depth = 0
        for event in yaml.parse(text, Loader=_LOADER):
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                if depth > _DEEPEST:
                    raise Unreadable(f"this is nested more than {_DEEPEST} levels deep.", self._place(event))
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1

    def _place(self, marked: Any) -> Place:
        return Place(self.shown, marked.start_mark.line + 1, marked.start_mark.column + 1)

    def _build(self, node: Node, path: Path, inside: frozenset[int]) -> Any:
        place = self.source.values[path] = self._place(node)
        self._nodes += 1
        self._count(node)
        if id(node) in inside:
            raise Unreadable("this holds an alias to itself, so it never ends.", place, "Write the value out instead.")
        inside = inside | {id(node)}
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path, inside)
        if isinstance(node, yaml.SequenceNode):
            return [self._build(item, (*path, index), inside) for index, item in enumerate(node.value)]
        return _scalar(cast("ScalarNode", node))

    def _count(self, node: Node) -> None:
        """Refuse what has become too much by repeating an alias."""
        self._characters += len(node.value) if isinstance(node, yaml.ScalarNode) else 0
        if self._nodes > _MOST_NODES:
            much = f"{_MOST_NODES:,} values"
        elif self._characters > MAX_FILE:
            much = f"{MAX_FILE:,} characters"
        else:
            return
        message = f"this file has more than {much}, counting what its aliases repeat."
        raise Unreadable(message, Place(self.shown, 1, 1), "Write it shorter, or in several files.")

    def _mapping(self, node: MappingNode, path: Path, inside: frozenset[int]) -> dict[str, Any]:
        tree: dict[str, Any] = {}
        for key_node, value_node in node.value:
            place = self._place(key_node)
            self._count(key_node)
            if not isinstance(key_node, yaml.ScalarNode):
                raise Unreadable("a key must be a word.", place, "Quote a text that begins with '{' or '['.")
            # Keys are always words: `no:` and `1:` mean what they say.
            key = str(key_node.value)
            here = (*path, key)
            if key in tree:
                first = self.source.keys[here]
                message = f"'{key}' is given twice; the first is in line {first.line}."
                self.problems.append(Problem(message, here, "Remove one.", place=place))
                continue
            self.source.keys[here] = place
            tree[key] = self._build(value_node, here, inside)
        return tree


def _scalar(node: ScalarNode) -> Any:
    text = str(node.value)
    if node.style or not node.tag.startswith("tag:yaml.org,2002:"):
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text) if len(text) < 4000 else text
    if _FLOAT.fullmatch(text):
        return float(text)
    return text


def _line_and_column(before: str) -> tuple[int, int]:
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


_QUOTE = "Quote the whole text."
_FAULTS: tuple[tuple[str, str, str], ...] = (
    ("found a tab character", "there is a tab in the indentation.", "Indent with spaces."),
    ("mapping values are not allowed", "there is a ': ' too many here.", "Quote a text that has ': ' in it."),
    ("found unknown escape", "'\\' begins an escape in double quotes.", "Write '\\\\', or use single quotes."),
    ("found undefined alias", "'*' begins an alias, and nothing is anchored under its name.", _QUOTE),
    ("found another document", "'---' begins a second assistant here.", "Give each its own file, or remove it."),
    ("did not find expected '-'", "this does not continue the list above.", "Begin it with '- ', or indent it less."),
    ("did not find expected ','", "a bracket or brace is not closed before here.", "Close it, or quote the text."),
    ("did not find expected comment", "a block text begins on the next line.", "Quote a text that begins with > or |."),
    ("did not find expected node", "there is no value here.", _QUOTE),
    ("could not find expected ':'", "there is no ': ' after this word.", "Write 'key: value', or indent it as text."),
    ("found unexpected", "the quote that opens here is never closed.", "Close it."),
)
_AT_ITS_BEGINNING = ("found unexpected", "could not find expected ':'")


def _not_yaml(error: yaml.MarkedYAMLError, text: str, shown: str) -> Unreadable:
    problem = str(error.problem)
    mark = error.context_mark if problem.startswith(_AT_ITS_BEGINNING) else error.problem_mark
    if mark is None:
        return Unreadable(f"this is not YAML: {problem}.", Place(shown, 1, 1))
    place = Place(shown, mark.line + 1, mark.column + 1)
    line = [*text.splitlines(), ""][mark.line]
    before, character = line[: mark.column].rstrip(), line[mark.column : mark.column + 1]
    if "cannot start any token" in problem:
        if character == "\t":
            return Unreadable("there is a tab in the indentation.", place, "Indent with spaces.")
        return Unreadable(f"a text cannot begin with '{character}'.", place, _QUOTE)
    if "did not find expected key" in problem:
        if not before:
            return Unreadable("the indentation fits none of the lines above.", place, "Line it up with its neighbours.")
        hint = f"Quote a text that begins with '{'{' if before.endswith('}') else '['}'."
        if before[-1] in "'\"":
            hint = "Use the other kind of quotes around a text with quotes in it."
        return Unreadable(f"the value ends before '{line[mark.column :].strip()}'.", place, hint)
    for fragment, message, hint in _FAULTS:
        if fragment in problem:
            return Unreadable(message, place, hint)
    return Unreadable(f"this is not YAML: {problem}.", place)
