"""soni check: every problem of an assistant, where it stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from soni.actions import Actions, discover_actions
from soni.config.loader import read_config
from soni.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

    from soni.config.models import SoniConfig
    from soni.errors import Problem


def run_check(config_path: Path, module: Path | None) -> int:
    """Print the problems; 1 if any of them is an error."""
    console = Console(soft_wrap=True, highlight=False)
    examined = examine(config_path, module)
    config, errors = examined.config, len(examined.errors)
    for problem in examined.problems:
        console.print(problem_line(problem))
    warnings = len(examined.problems) - errors
    if errors or config is None:
        console.print(f"{_count(errors, 'problem')}, {_count(warnings, 'warning')}.")
        return 1
    found = f"{_count(len(config.flows), 'flow')}, {_count(len(config.own_slots), 'slot')}"
    console.print(f"{config_path}: {found}, no problems, {_count(warnings, 'warning')}.")
    return 0


@dataclass(frozen=True, slots=True)
class Examined:
    """An assistant as far as it could be read, YAML and Python, with every problem of both."""

    config: SoniConfig | None
    actions: Actions
    problems: list[Problem]

    @property
    def errors(self) -> list[Problem]:
        return [problem for problem in self.problems if problem.severity == "error"]


def examine(config_path: Path, module: Path | None) -> Examined:
    """Read an assistant's YAML, import its Python, and check how they fit."""
    try:
        actions = discover_actions(config_path, module)
    except ConfigError as error:
        config, problems = read_config(config_path)
        return Examined(config, Actions(), [*problems, *error.problems])
    config, problems = read_config(config_path, actions)
    return Examined(config, actions, problems)


def problem_line(problem: Problem) -> Text:
    """A problem as both commands print it."""
    where = f"{problem.place}: " if problem.place else ""
    mark = Text("warning: ", "yellow") if problem.severity == "warning" else Text("error: ", "red")
    hint = Text(f" {problem.hint}", "green") if problem.hint else Text()
    return Text.assemble((where, "bold"), mark, problem.message, hint)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
