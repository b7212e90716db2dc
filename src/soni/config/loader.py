"""From a folder or a file of YAML to a SoniConfig, or to a list of every problem it has."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from soni.config.check import KnownActions, check
from soni.config.faults import told
from soni.config.models import SoniConfig, named
from soni.errors import ConfigError, Place, Problem, did_you_mean, dotted
from soni.source import FileReader, SourceMap, Unreadable
from soni.steps import STEPS

Loc = tuple[str | int, ...]

MAX_FILES = 1_000
"""How many files an assistant may be written in."""
MAX_BYTES = 20_000_000
"""How many bytes the files of an assistant may have together."""
_SECTIONS = ("settings", "slots", "flows", "events", "texts")


def load_config(path: str | Path) -> SoniConfig:
    """Load an assistant from a folder (its YAML files merged in name order) or from one file.

    Raises ConfigError with every problem found, each with its file, line and column.
    """
    config, problems = read_config(path)
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors or config is None:
        raise ConfigError(errors)
    return config


def read_config(path: str | Path, actions: KnownActions | None = None) -> tuple[SoniConfig | None, list[Problem]]:
    """The assistant as far as it can be read, and every problem and warning of it.

    With its actions at hand, what the YAML says of them is looked at, too. There is no assistant if a file cannot be
    read at all: what the others name may stand in it.
    """
    merged = _Merged()
    for file in merged.files(Path(path)):
        merged.add(file)
    config, problems = _validated(merged.tree, merged.source)
    if merged.whole and not config.flows and not any(problem.path[:1] == ("flows",) for problem in merged.problems):
        problems.append(Problem("there are no flows.", hint="Declare at least one under 'flows:'.", place=merged.top))
    if merged.whole:
        config._source = merged.source
        problems += check(config, actions)
    problems = [*merged.problems, *locate(problems, merged.source)]
    return config if merged.whole else None, sorted(problems, key=by_place)


def locate(problems: list[Problem], source: SourceMap | None) -> list[Problem]:
    """The same problems, each with its place in the files."""
    if source is None:
        return problems
    return [replace(problem, place=problem.place or _place(source, problem.path)) for problem in problems]


def _place(source: SourceMap, path: Loc) -> Place | None:
    """Where a path stands: a declaration at its name, a field of a step where its short form gives it."""
    if len(path) == 2 and path[0] in ("slots", "flows"):
        return source.place(path, key=True)
    written: Loc = ()
    for part in path:
        short = (word for word, kind in STEPS.items() if kind.main == part and (*written, word) in source.values)
        here = (*written, part)
        written = here if here in source.values else (*written, next(short, part))
    return source.place(written)


def by_place(problem: Problem) -> tuple[str, int, int]:
    """Sort key: problems in the order they stand in the files."""
    return (problem.place.file, problem.place.line, problem.place.column) if problem.place else ("", 0, 0)


class _Merged:
    """The files of an assistant as one tree."""

    def __init__(self) -> None:
        self.tree: dict[str, Any] = {"flows": {}}
        self.source = SourceMap()
        self.problems: list[Problem] = []
        self.whole = True
        self.top: Place | None = None
        self._bytes = 0

    def files(self, path: Path) -> list[Path]:
        """The files that a path stands for; what cannot be listed is a problem."""
        try:
            found = self._in_folder(path) if path.is_dir() else self._one(path)
        except OSError as error:
            self._unreadable(f"'{str(path)[:200]}' cannot be read: {error.strerror}.", None)
            return []
        if len(found) > MAX_FILES:
            message = f"the folder '{path}' has {len(found):,} .yaml files; at most {MAX_FILES:,} are read."
            self._unreadable(message, "Write several flows in a file, or name another folder.")
        return found if len(found) <= MAX_FILES else []

    def _one(self, path: Path) -> list[Path]:
        if path.exists():
            return [path]
        missing = next((p for p in (path, *path.parents) if p.parent.is_dir()), path)
        entries = [entry.name for entry in missing.parent.iterdir()] if missing.parent.is_dir() else []
        self._unreadable(f"there is no file or folder '{path}'.", did_you_mean(missing.name, entries))
        return []

    def _in_folder(self, path: Path) -> list[Path]:
        # Names that begin with a dot are the editor's own if they are no files.
        files = sorted(
            entry
            for entry in path.iterdir()
            if entry.suffix in (".yaml", ".yml") and (entry.is_file() or not entry.name.startswith("."))
        )
        if not files:
            inner = sorted({file.parent for file in path.glob("*/*.yaml")})
            hint = f"Did you mean '{inner[0]}'?" if inner else "Name the folder that holds the assistant."
            self._unreadable(f"the folder '{path}' has no .yaml files.", hint)
        return files

    def add(self, file: Path) -> None:
        reader = FileReader(file)
        try:
            part = reader.read()
            self._bytes += reader.size
            if self._bytes > MAX_BYTES:
                message = f"the files of the assistant up to this one have {self._bytes:,} bytes; at most"
                raise Unreadable(f"{message} {MAX_BYTES:,} are read.", Place(reader.shown, 1, 1), "Write it shorter.")
            if part is not None and not isinstance(part, dict):
                place = reader.source.values[()]
                raise Unreadable("a file of an assistant is a map.", place, "Begin with 'flows:', 'slots:' or so.")
        except Unreadable as error:
            self.problems.append(error.problem)
            self.whole = False
            return
        self.top = self.top or Place(reader.shown, 1, 1)
        self.problems += reader.problems
        for key, value in (part or {}).items():
            self._add_section(key, value, reader.source)
        self.source.include(reader.source)

    def _add_section(self, key: str, value: Any, source: SourceMap) -> None:
        if key not in _SECTIONS:
            self._add(self.tree, (key,), value, source)
        elif isinstance(value, dict):
            for name, item in value.items():
                self._add(self.tree.setdefault(key, {}), (key, name), item, source)
        elif value is not None:
            examples = {"settings": "language: en", "texts": "denied: …", "events": "cancel: my_flow"}
            example = examples.get(key, f"my_{key[:-1]}: …")
            problem = Problem(f"'{key}' must be a map.", (key,), f"Write each on its own, as '{example}'.")
            self.problems.append(replace(problem, place=source.place((key,))))

    def _add(self, tree: dict[str, Any], path: Loc, item: Any, source: SourceMap) -> None:
        name = str(path[-1])
        if name in tree and tree[name] != item:
            first = self.source.place(path, key=True)
            message = f"'{dotted(path)}' is declared at {first} already."
            self.problems.append(Problem(message, path, "Keep one of them.", place=source.place(path, key=True)))
        tree.setdefault(name, item)

    def _unreadable(self, message: str, hint: str | None) -> None:
        self.problems.append(Problem(message, hint=hint))
        self.whole = False


def _validated(tree: dict[str, Any], source: SourceMap) -> tuple[SoniConfig, list[Problem]]:
    """Validate; what is wrong is replaced by something harmless, so that the rest can be looked at too."""
    tree = copy.deepcopy(tree)
    for flow in tree["flows"].values():
        if isinstance(flow, dict) and "steps" in flow:
            flow["steps"] = named(flow["steps"])
    problems: list[Problem] = []
    damaged: set[Loc] = set()
    while True:
        try:
            config = SoniConfig.model_validate(tree, context={"from_yaml": True})
        except ValidationError as error:
            details = error.errors(include_url=False)
        else:
            config._damaged = frozenset(damaged)
            return config, problems
        problems += [problem for problem in told(details, tree, source) if problem.path[:2] not in damaged]
        for detail in details:
            damaged.add(detail["loc"][:2])
            _mend(tree, detail["loc"])


def _mend(tree: dict[str, Any], loc: Loc) -> None:
    match loc:
        case ("slots", name, *_):
            tree["slots"][name] = {}
        case ("flows", name, "steps", int(), *_):
            _mend_step(tree["flows"][name]["steps"], loc[3:])
        case ("flows", name, key, *_) if key != "steps":
            tree["flows"][name].pop(key, None)
        case ("flows", name, *_):
            tree["flows"][name] = {"steps": ["end"]}
        case (section, key, *_):
            tree[str(section)].pop(key, None)
        case _:
            tree.pop(str(loc[0]), None)


def _mend_step(steps: list[Any], loc: Loc) -> None:
    """Replace a step by one of the same name, so that those who go to it still can."""
    index = int(loc[0])
    step = steps[index] if isinstance(steps[index], dict) else {}
    if loc[1:2] == ("do",) and len(loc) > 2:
        _mend_step(step["do"], loc[2:])
        return
    name = step["step"] if isinstance(step.get("step"), str) else f"step {index + 1}"
    body = step.get("do")
    if isinstance(body, list) and body:
        steps[index] = {"step": name, "type": "while", "condition": "true", "do": body}
    else:
        steps[index] = {"step": name, "type": "end"}
