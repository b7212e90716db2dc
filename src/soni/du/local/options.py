"""Options of a choice named in a sentence: exactly, in another form of the word, or misspelt."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from soni.du.local.encoder import encoder
from soni.du.local.spelling import one_slip
from soni.du.local.words import fold, same_stem
from soni.languages import any_of, built

if TYPE_CHECKING:
    from soni.config.models import SlotConfig
    from soni.du.local.words import Token
    from soni.languages import Language

_SHORT = 4
_LONG_ENOUGH = 3


class _Options:
    """How options are named in some languages."""

    def __init__(self, words: Language) -> None:
        said = words.courtesies
        self.any, self.all = frozenset(said.any), frozenset(said.all)
        self.participle = re.compile(rf"(?P<stem>\w{{3,30}}){any_of(said.participles)}")
        self.verb_ending = re.compile(any_of(said.verb_endings))
        self.gender = re.compile(rf"{any_of(said.genders)}(s?)$")


_options = built(_Options)


def any_option(slot: SlotConfig, words: Language) -> str | None:
    """The option that takes everything: 'anything goes'."""
    every = _options(words).all
    return next((option for option, known in slot.option_words.items() if every & set(map(fold, known))), None)


def option_in(words: list[Token], slot: SlotConfig, known: Language) -> tuple[int, int, str, float] | None:
    """The option that some words name: exactly, in another form of the word, or misspelt; the longest name first."""
    names = {tuple(fold(said).split()): option for option, own in slot.option_words.items() for said in own}
    best: tuple[float, int, int, int, str] | None = None
    for name, option in names.items():
        for first in range(len(words) - len(name) + 1):
            likeness = [
                _likeness(word.plain, part, known)
                for word, part in zip(words[first : first + len(name)], name, strict=True)
            ]
            worst = min(likeness, default=0.0)
            if len(name) == 1 and name[0] in _options(known).any and len(words) >= _SHORT:
                continue  # "anything without meat" is not an answer, "anything" is one
            if worst > 0 and (best is None or (worst, len(name)) > best[:2]):
                best = (worst, len(name), first, first + len(name) - 1, option)
    return None if best is None else (best[2], best[3], best[4], best[0])


def _same_verb(said: str, name: str, known: _Options) -> bool:
    """Whether a word is a form of the verb that an option is the participle of: 'stole' of 'stolen' in Spanish."""
    option = known.participle.fullmatch(name)
    stem = option["stem"] if option else ""
    if not stem or not said.startswith(stem) or not known.verb_ending.fullmatch(said[len(stem) :]):
        return False
    return len(stem) > _LONG_ENOUGH or len(said) - len(stem) > _LONG_ENOUGH


@lru_cache(maxsize=16384)
def _likeness(said: str, name: str, words: Language) -> float:
    if said == name:
        return 0.95
    if len(name) < 4 or len(said) < 4 or any(letter.isdigit() for letter in said):
        return 0.0
    known = _options(words)
    of_one_gender = known.gender.sub(r"o\1", said) == known.gender.sub(r"o\1", name)
    if same_stem(said, name) or _same_verb(said, name, known) or of_one_gender:
        return 0.85
    return 0.7 if len(name) > 4 and one_slip(said, name) and (len(name) > 5 or not encoder().knows(said)) else 0.0
