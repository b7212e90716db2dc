"""Languages that an assistant offers: in which texts, in which not, and whether there is a folder for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soni.errors import Problem
from soni.languages import ENGLISH, known_languages

if TYPE_CHECKING:
    from collections.abc import Iterator

    from soni.config.models import SoniConfig

Path = tuple[str | int, ...]


def language_warnings(config: SoniConfig) -> Iterator[Problem]:
    """Warn of languages without a folder, and of texts that lack a language which others have."""
    places = dict(_written(config))
    for code in config.spoken:
        having = [path for path, languages in places.items() if code in languages]
        if code not in known_languages():
            yield _no_folder(config, code, having)
        lacking = [path for path, languages in places.items() if code not in languages]
        if len(having) >= len(lacking):
            yield from (_lacks(config, code, path) for path in lacking)
        elif having:
            yield _seldom(config, code, having, len(places))


def _written(config: SoniConfig) -> Iterator[tuple[Path, frozenset[str]]]:
    """Where people read the author's words or are read by them, with the languages of each place.

    A text that is not written by language serves all of them.
    """
    for path, text in config.written():
        if text.languages:
            yield path, text.languages
    for name, flow in config.flows.items():
        if isinstance(flow.trigger.intents, dict):
            yield ("flows", name, "trigger", "intents"), frozenset(flow.trigger.intents)


def _no_folder(config: SoniConfig, code: str, having: list[Path]) -> Problem:
    told = config.settings.language if config.settings.language in known_languages() else ENGLISH
    path = (*having[0], code) if having else ("settings", "language")
    message = f"there is no folder for the language '{code}'."
    hint = (
        f"General texts are said in '{told}', and values and yes or no are read with English words. "
        "docs/languages.md says how to add a language."
    )
    return Problem(message, path, hint, "warning")


def _lacks(config: SoniConfig, code: str, path: Path) -> Problem:
    message = f"this is not written in '{code}', which the assistant offers elsewhere."
    hint = f"Add '{code}'" if path[-1] == "intents" else f"It is shown in '{config.settings.language}'; add '{code}'"
    return Problem(message, path, f"{hint}.", "warning")


def _seldom(config: SoniConfig, code: str, having: list[Path], number: int) -> Problem:
    message = f"'{code}' is offered in {len(having)} of the {number} texts that are written by language."
    hint = f"The others are shown in '{config.settings.language}'; write them in '{code}', or take it out here."
    return Problem(message, (*having[0], code), hint, "warning")
