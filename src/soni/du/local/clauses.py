"""Messages in parts: where one request may end and the next begin."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from soni.du.local.words import content, fold, trimmed
from soni.languages import any_of, built, longest_first

if TYPE_CHECKING:
    from soni.languages import Language

_FEWEST = 2
MOST_BREAKS = 4
"""At how many places of a message it is tried whether a request ends there."""


class _Clauses:
    """What stands between requests and around them in some languages."""

    def __init__(self, words: Language) -> None:
        acts, courtesies = words.acts, words.courtesies
        self.between = re.compile(rf"[.!?;]\s|,?\s{any_of(longest_first(acts.breaks))}\s|,\s")
        self.joined = re.compile(rf"\b{any_of(acts.joined)}\b")
        self.opening = re.compile(rf"^(?:{any_of(courtesies.openings)}(?:[\s,.!:]+|$))+")
        self.closing = re.compile(rf"(?:[\s,.!]{{1,3}}{any_of(courtesies.closings)}){{1,4}}[\s.!]{{0,9}}$")


_clauses = built(_Clauses)


def joins(words: Language) -> re.Pattern[str]:
    """Words that join a second request to a first."""
    return _clauses(words).joined


def cuts(text: str, words: Language) -> list[tuple[str, str]]:
    """Every way to cut the text in two where a request may end, with enough words on both sides."""
    found = []
    for match in list(_clauses(words).between.finditer(fold(text)))[:MOST_BREAKS]:
        left, right = trimmed(text[: match.start()]), trimmed(text[match.end() :])
        if len(content(left)) >= _FEWEST and len(content(right)) >= _FEWEST:
            found.append((left, right))
    return found


def parts(text: str, words: Language) -> list[str]:
    """The text cut at every place where a request may end."""
    folded, start, found = fold(text), 0, []
    for match in _clauses(words).between.finditer(folded):
        found.append(trimmed(text[start : match.start()]))
        start = match.end()
    return [part for part in (*found, trimmed(text[start:])) if part]


def without_courtesies(text: str, words: Language) -> str:
    """The text without the greeting, hesitation and politeness around what it says."""
    folded, known = fold(text), _clauses(words)
    opening = known.opening.match(folded)
    start = opening.end() if opening else 0
    closing = known.closing.search(folded, start)
    end = closing.start() if closing and closing.start() > start else len(text)
    return text[start:end] if trimmed(text[start:end]) else text
