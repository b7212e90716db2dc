"""The words around an answer: 'it's for', 'tell them that', 'please'."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from soni.du.local.reading import reported
from soni.du.local.words import content, fold, trimmed
from soni.languages import any_of, built, longest_first

if TYPE_CHECKING:
    from soni.languages import Language


class _LeadIns:
    """What stands around an answer in some languages."""

    def __init__(self, words: Language) -> None:
        said = words.courtesies
        self.lead_ins = longest_first(said.lead_ins)
        self.before_names = longest_first({*said.lead_ins, *said.lead_ins_to_names})
        self.tails = tuple(f" {tail}" for tail in said.tails)
        self.that = re.compile(any_of(said.that))
        self.question_words = frozenset(said.question_words)


_lead_ins = built(_LeadIns)


def asks_back(text: str, words: Language) -> bool:
    """Whether the message asks something itself."""
    said = content(text)
    return "?" in text or (bool(said) and said[0] in _lead_ins(words).question_words)


def without_lead_in(text: str, words: Language, *, name: bool = False) -> str:
    """'to Ana, please' answers 'To whom?' with Ana; `name` is whether a name is what was asked for."""
    known, said = _lead_ins(words), trimmed(text)
    for tail in known.tails:
        if fold(said).endswith(tail):
            said = trimmed(said[: -len(tail)])
    passed_on = reported(words).search(fold(said))
    if passed_on is not None and passed_on.start() == 0:
        return trimmed(said[passed_on.start("said") :])
    if not name and (that := known.that.match(said)):
        return trimmed(said[that.end() :])
    for lead in known.before_names if name else known.lead_ins:
        if fold(said).startswith((f"{lead} ", f"{lead}: ")) and len(said) > len(lead) + 2:
            return trimmed(said[len(lead) + 1 :])
    return said
