"""soni languages: what is missing or wrong in the folders of languages, where it stands."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from soni.cli.check import problem_line
from soni.errors import Problem, did_you_mean
from soni.languages import FOLDER, known_languages, problems


def run_languages(named: list[str]) -> int:
    """Print the problems of each language, given by its code or its folder; 1 if there are any."""
    console = Console(soft_wrap=True, highlight=False)
    wrong = 0
    for name in named or sorted(known_languages()):
        folder = FOLDER / name if name in known_languages() else Path(name)
        found = list(problems(folder)) if folder.is_dir() else [_unknown(name)]
        for problem in found:
            console.print(problem_line(problem))
        console.print(
            f"{folder.name}: {len(found)} {'problem' if len(found) == 1 else 'problems'}."
            if found
            else f"{folder.name}: complete."
        )
        wrong += len(found)
    return 1 if wrong else 0


def _unknown(name: str) -> Problem:
    hint = did_you_mean(name, known_languages()) or f"There are {', '.join(sorted(known_languages()))}."
    return Problem(f"there is no language or folder '{name}'.", hint=hint)
