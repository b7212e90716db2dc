"""Options of a choice named in a sentence: exactly, in another form of the word, or misspelt."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from soni.du.local.encoder import encoder
from soni.du.local.spelling import one_slip
from soni.du.local.words import fold, lexicon, same_stem

if TYPE_CHECKING:
    from soni.config.models import SlotConfig
    from soni.du.local.words import Token

_ANY = lexicon("any all none other anything everything todo todos nada otro otra algo cualquiera")
_ALL = {
    "any", "anything", "anything goes", "any of them", "everything", "whatever", "no preference", "de todo",
    "cualquiera", "cualquier cosa", "lo que sea", "indiferente", "me da igual", "sin preferencia",
}  # fmt: skip
_SHORT = 4
_PARTICIPLE = re.compile(r"(?P<stem>\w{3,30})[ai]d[oa]s?")
_ENDINGS = re.compile(r"a(?:ron|ste|mos|ban?|ndo|r)|ieron|iste|imos|ian?|iendo|[ei]r|i|io|o|e")
_GENDER = re.compile(r"[ao](s?)$")
_LONG_ENOUGH = 3


def any_option(slot: SlotConfig) -> str | None:
    """The option that takes everything: 'anything goes', 'de todo'."""
    return next((option for option, known in slot.option_words.items() if _ALL & set(map(fold, known))), None)


def option_in(words: list[Token], slot: SlotConfig) -> tuple[int, int, str, float] | None:
    """The option that some words name: exactly, in another form of the word, or misspelt; the longest name first."""
    names = {tuple(fold(said).split()): option for option, known in slot.option_words.items() for said in known}
    best: tuple[float, int, int, int, str] | None = None
    for name, option in names.items():
        for first in range(len(words) - len(name) + 1):
            likeness = [
                _likeness(word.plain, part) for word, part in zip(words[first : first + len(name)], name, strict=True)
            ]
            worst = min(likeness, default=0.0)
            if len(name) == 1 and name[0] in _ANY and len(words) >= _SHORT:
                continue  # "anything without meat" is not an answer, "anything" is one
            if worst > 0 and (best is None or (worst, len(name)) > best[:2]):
                best = (worst, len(name), first, first + len(name) - 1, option)
    return None if best is None else (best[2], best[3], best[4], best[0])


def _same_verb(said: str, name: str) -> bool:
    """Whether a word is a form of the verb that an option is the participle of: 'robaron' of 'robada'."""
    option = _PARTICIPLE.fullmatch(name)
    stem = option["stem"] if option else ""
    if not stem or not said.startswith(stem) or not _ENDINGS.fullmatch(said[len(stem) :]):
        return False
    return len(stem) > _LONG_ENOUGH or len(said) - len(stem) > _LONG_ENOUGH


@lru_cache(maxsize=16384)
def _likeness(said: str, name: str) -> float:
    if said == name:
        return 0.95
    if len(name) < 4 or len(said) < 4 or any(letter.isdigit() for letter in said):
        return 0.0
    if same_stem(said, name) or _same_verb(said, name) or _GENDER.sub(r"o\1", said) == _GENDER.sub(r"o\1", name):
        return 0.85
    return 0.7 if len(name) > 4 and one_slip(said, name) and (len(name) > 5 or not encoder().knows(said)) else 0.0
