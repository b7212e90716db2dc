"""From a folder or a file of YAML to a SoniConfig, or to a list of every problem it has."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from soni.config.check import check
from soni.config.models import FlowConfig, Settings, SlotConfig, SoniConfig, Texts
from soni.config.source import Reader, SourceMap
from soni.errors import ConfigError, Problem, did_you_mean, dotted
from soni.steps import STEPS

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_SECTIONS = ("settings", "slots", "flows", "texts")


def load_config(path: str | Path) -> SoniConfig:
    """Load an assistant from a folder (its YAML files merged in name order) or from one file.

    Raises ConfigError with every problem found, each with its file, line and column.
    """
    config, problems = read_config(path)
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors or config is None:
        raise ConfigError(errors)
    return config


def read_config(path: str | Path) -> tuple[SoniConfig | None, list[Problem]]:
    """The assistant as far as it can be read, and every problem and warning of it."""
    reader = Reader()
    tree = _merged(reader, Path(path))
    if tree is None:
        return None, reader.problems
    config, problems = _validated(tree, reader.source)
    problems = [*reader.problems, *problems]
    if config is not None:
        config._source = reader.source
        problems += locate(check(config), reader.source)
    return config, sorted(problems, key=_order)


def locate(problems: list[Problem], source: SourceMap | None) -> list[Problem]:
    """The same problems, each with its place in the files."""
    if source is None:
        return problems
    return [replace(problem, place=problem.place or source.place(problem.path)) for problem in problems]


def _order(problem: Problem) -> tuple[str, int, int]:
    return (problem.place.file, problem.place.line, problem.place.column) if problem.place else ("", 0, 0)


def _merged(reader: Reader, path: Path) -> dict[str, Any] | None:
    files = _files(reader, path)
    tree: dict[str, Any] = {}
    readable = 0
    for file in files:
        part = reader.read(file, str(file))
        if part is None:
            continue
        if not isinstance(part, dict):
            reader.problems.append(
                Problem("the file must hold a map, such as 'flows: …'.", place=reader.source.place(()))
            )
            continue
        readable += 1
        for key, value in part.items():
            if key in _SECTIONS and isinstance(value, dict) and isinstance(tree.get(key), dict):
                for name, item in value.items():
                    _add(reader, tree[key], (key, name), item)
            else:
                _add(reader, tree, (key,), copy.copy(value))
    if files and readable and "flows" not in tree:
        reader.problems.append(
            Problem("there are no flows.", hint="Declare at least one under 'flows:'.", place=reader.source.place(()))
        )
        return None
    return tree if readable else None


def _add(reader: Reader, tree: dict[str, Any], path: tuple[str, ...], item: Any) -> None:
    name = path[-1]
    if name in tree and tree[name] != item:
        place = reader.source.place(path, key=True)
        reader.problems.append(
            Problem(f"'{dotted(path)}' is declared in more than one file.", path, "Keep one of them.", place=place)
        )
    tree.setdefault(name, item)


def _files(reader: Reader, path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        parent = path.parent if path.parent.is_dir() else Path()
        hint = did_you_mean(path.name, [entry.name for entry in parent.iterdir()])
        reader.problems.append(Problem(f"there is no file or folder '{path}'.", hint=hint))
        return []
    files = sorted(entry for entry in path.iterdir() if entry.suffix in (".yaml", ".yml") and entry.is_file())
    if not files:
        reader.problems.append(
            Problem(f"the folder '{path}' has no .yaml files.", hint="Name the folder that holds the assistant.")
        )
    return files


def _validated(tree: dict[str, Any], source: SourceMap) -> tuple[SoniConfig | None, list[Problem]]:
    """Validate; what is wrong is taken out and the rest looked at again, so that one round tells all."""
    problems: list[Problem] = []
    for _ in range(5):
        try:
            return SoniConfig.model_validate(tree, context={"from_yaml": True}), problems
        except ValidationError as error:
            details = error.errors(include_url=False)
        problems += [_problem(detail, tree, source) for detail in details if not _is_echo(detail, problems)]
        tree = copy.deepcopy(tree)
        taken = [_take_out(tree, detail["loc"]) for detail in details]
        if not all(taken):
            break
    return None, problems


def _is_echo(detail: ErrorDetails, problems: list[Problem]) -> bool:
    return any(problem.path == tuple(detail["loc"]) for problem in problems)


def _take_out(tree: Any, loc: tuple[str | int, ...]) -> bool:
    *around, last = loc or [None]
    for part in around:
        try:
            tree = tree[part]
        except (KeyError, IndexError, TypeError):
            return False
    if isinstance(tree, dict) and last in tree and last not in ("type", "step"):
        del tree[last]
        return True
    return False


def _problem(detail: ErrorDetails, tree: dict[str, Any], source: SourceMap) -> Problem:
    loc = tuple(detail["loc"])
    match detail["type"]:
        case "extra_forbidden":
            where = f"in {_where(loc[:-1])}" if loc[:-1] else "at the top"
            known = _known_keys(tree, loc[:-1])
            hint = did_you_mean(str(loc[-1]), known) or (f"There are {', '.join(sorted(known))}." if known else None)
            message = f"there is no key '{loc[-1]}' {where}."
            return Problem(message, loc, hint, place=source.place(loc, key=True))
        case "missing":
            message = f"{_where(loc[:-1])} needs '{loc[-1]}'."
            return Problem(message, loc, place=source.place(loc[:-1]))
        case "step" | "slot" | "slot_type" | "case" | "branch" | "text" | "expression" | "trigger" | "timespan":
            return Problem(detail["msg"], loc, place=source.place(loc))
        case _:
            value = detail["input"]
            got = f" (it is {_shown(value)})" if not isinstance(value, dict | list) else ""
            message = f"'{loc[-1] if loc else 'the file'}' in {_where(loc[:-1])}{got}: {_plain(detail['msg'])}."
            return Problem(message, loc, place=source.place(loc))


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "empty" if value is None else repr(value)


def _plain(message: str) -> str:
    return message[0].lower() + message[1:].removeprefix("Input ").replace("Input should", "it should")


def _where(loc: tuple[str | int, ...]) -> str:
    match loc:
        case ():
            return "the assistant"
        case (("slots" | "flows") as section, name):
            return f"{section[:-1]} '{name}'"
        case ("flows", name, *rest) if "steps" in rest:
            return f"a step of flow '{name}'"
        case ("slots", name, *_):
            return f"slot '{name}'"
        case ("flows", name, *_):
            return f"flow '{name}'"
        case _:
            return f"'{dotted(loc)}'"


def _known_keys(tree: Any, loc: tuple[str | int, ...]) -> list[str]:
    match loc:
        case ():
            return _keys(SoniConfig)
        case ("settings",):
            return _keys(Settings)
        case ("texts",):
            return _keys(Texts)
        case ("slots", _):
            return _keys(SlotConfig)
        case ("flows", _):
            return _keys(FlowConfig)
        case ("flows", _, *rest) if isinstance(rest[-1], int):
            return _step_keys(tree, loc)
        case _:
            return []


def _step_keys(tree: Any, loc: tuple[str | int, ...]) -> list[str]:
    for part in loc:
        tree = tree[part]
    word = tree.get("type") or next((key for key in tree if key in STEPS), None)
    return _keys(STEPS[word]) if word in STEPS else []


def _keys(model: Any) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]
