"""The border at which the answer of an understanding is checked: an understanding may be anybody's code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import astuple, replace
from typing import TYPE_CHECKING, Any

import ormsgpack

from soni.core import commands
from soni.core.commands import Command
from soni.du.understanding import MAX_COMMANDS, Found, UnderstandingFailed, Understood, is_usage

if TYPE_CHECKING:
    from soni.du.context import DialogueContext

MAX_BYTES = 200_000
"""How much an answer may hold in all, as it is stored; the longest message is far shorter."""


def checked(answer: Any, context: DialogueContext) -> Understood:
    """The answer with its first commands, at most MAX_COMMANDS; UnderstandingFailed or the like if it is malformed."""
    if not isinstance(answer, Understood):
        raise UnderstandingFailed(f"the answer is of type {type(answer).__name__}, not Understood")
    if not isinstance(answer.found, tuple):
        raise UnderstandingFailed(f"'found' is of type {type(answer.found).__name__}, not a tuple of Found")
    if not is_usage(answer.usage):
        raise UnderstandingFailed("'usage' is not a Usage of counts")
    first = answer.found[:MAX_COMMANDS]
    language = () if answer.language is None else (answer.language,)
    texts = [answer.by, *language, *(text for found in first for text in _texts(found))]
    if not all(isinstance(text, str) for text in texts):
        raise UnderstandingFailed("'by', 'language', 'evidence', 'words' and 'runner_up' are texts")
    dumped = [_dumped(found.command) for found in first]
    for command in dumped:
        commands.load(command, context.commands)
    # What cannot be packed cannot be stored either.
    if len(ormsgpack.packb([texts, dumped, astuple(answer.usage)])) > MAX_BYTES:
        raise UnderstandingFailed(f"the answer holds more than {MAX_BYTES:,} bytes")
    return replace(answer, found=first)


def _texts(found: Any) -> tuple[Any, ...]:
    if not isinstance(found, Found):
        raise UnderstandingFailed(f"'found' holds a value of type {type(found).__name__}, not Found")
    for name in ("confidence", "runner_up_confidence"):
        value = getattr(found, name)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not 0 <= value <= 1:  # not a number (NaN) is not between them either
            raise UnderstandingFailed(f"'{name}' is not a number from 0 to 1")
    return found.evidence, found.words, found.runner_up


def _dumped(command: Any) -> dict[str, Any]:
    if not isinstance(command, Command):
        raise UnderstandingFailed(f"'command' is of type {type(command).__name__}, not Command")
    _refuse_iterators(dict(command))
    return command.dump()


def _refuse_iterators(value: Any) -> None:
    """An iterator may never end, and dumping the command would go through all of it."""
    if isinstance(value, Iterator):
        raise UnderstandingFailed("a command holds an iterator; a value is plain data")
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    for part in parts:
        _refuse_iterators(part)
