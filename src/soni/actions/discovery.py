"""Finding an assistant's Python: `handlers.py` and `actions.py` beside its YAML or one folder above."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from soni.actions.actions import Actions
from soni.errors import ConfigError, Place, Problem, did_you_mean

if TYPE_CHECKING:
    from types import ModuleType

_NAMES = ("handlers.py", "actions.py")


def discover_actions(config_path: str | Path, module: str | Path | None = None) -> Actions:
    """Every action registered in the assistant's Python files, or in the file `module` names."""
    found = Actions()
    for file in [Path(module)] if module else _files(Path(config_path)):
        loaded = _load(file)
        for value in list(vars(loaded).values()):
            if isinstance(value, Actions):
                try:
                    found.include(value)
                except ValueError as error:
                    raise ConfigError([Problem(f"{error}.", place=Place(str(file), 1, 1))]) from None
    return found


def _files(config_path: Path) -> list[Path]:
    folder = config_path.resolve() if config_path.is_dir() else config_path.resolve().parent
    return [file for place in (folder.parent, folder) for name in _NAMES if (file := place / name).is_file()]


def _load(file: Path) -> ModuleType:
    if not file.is_file():
        siblings = [entry.name for entry in file.parent.iterdir()] if file.parent.is_dir() else []
        raise ConfigError([Problem(f"there is no Python file '{file}'.", hint=did_you_mean(file.name, siblings))])
    # The file's own folder comes first, so that it can import what lies beside it.
    if str(file.parent.resolve()) not in sys.path:
        sys.path.insert(0, str(file.parent.resolve()))
    name = f"soni_assistant_{abs(hash(str(file.resolve()))):x}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ConfigError([Problem(f"'{file}' is not a Python file.")])
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # an author's file may raise anything while it is imported
        raise ConfigError([_problem(file, error)]) from error
    return module


def _problem(file: Path, error: Exception) -> Problem:
    if isinstance(error, SyntaxError):
        return Problem(f"{error.msg}.", place=Place(str(file), error.lineno or 1, error.offset or 1))
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename) == file]
    line = frames[-1].lineno if frames and frames[-1].lineno else 1
    hint = "Install it, or check the name." if isinstance(error, ModuleNotFoundError) else None
    return Problem(f"{type(error).__name__}: {error}.", hint=hint, place=Place(str(file), line, 1))
