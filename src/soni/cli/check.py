"""soni check: every problem of an assistant, where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from soni.actions import discover_actions
from soni.config.check import check
from soni.config.loader import by_place, locate, read_config
from soni.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

    from soni.config.models import SoniConfig
    from soni.errors import Problem


def run_check(config_path: Path, module: Path | None) -> int:
    """Print the problems; 1 if any of them is an error."""
    console = Console(soft_wrap=True, highlight=False)
    config, problems = find_problems(config_path, module)
    for problem in problems:
        console.print(_line(problem))
    errors = sum(problem.severity == "error" for problem in problems)
    warnings = len(problems) - errors
    if errors or config is None:
        console.print(f"{_count(errors, 'problem')}, {_count(warnings, 'warning')}.")
        return 1
    found = f"{_count(len(config.flows), 'flow')}, {_count(len(config.slots), 'slot')}"
    console.print(f"{config_path}: {found}, no problems, {_count(warnings, 'warning')}.")
    return 0


def find_problems(config_path: Path, module: Path | None) -> tuple[SoniConfig | None, list[Problem]]:
    """All problems of the YAML, and of the Python that goes with it."""
    config, problems = read_config(config_path)
    try:
        actions = discover_actions(config_path, module)
    except ConfigError as error:
        return config, [*problems, *error.problems]
    if config is not None:
        known = {(problem.path, problem.message) for problem in problems}
        more = locate(check(config, actions), config._source)
        problems += [problem for problem in more if (problem.path, problem.message) not in known]
    return config, sorted(problems, key=by_place)


def _line(problem: Problem) -> Text:
    where = f"{problem.place}: " if problem.place else ""
    mark = Text("warning: ", "yellow") if problem.severity == "warning" else Text("error: ", "red")
    hint = Text(f" {problem.hint}", "green") if problem.hint else Text()
    return Text.assemble((where, "bold"), mark, problem.message, hint)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
