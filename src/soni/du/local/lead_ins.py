"""The words around an answer: 'it's for', 'tell them that', 'please'."""

from __future__ import annotations

import re

from soni.du.local.reading import REPORTED
from soni.du.local.words import content, fold, lexicon, trimmed

_LEAD_INS = (
    "it's for", "its for", "it is for", "it's", "its", "it is", "that's", "that is", "to", "for", "my name is", "i'm",
    "i am", "me llamo", "mi nombre es", "es para", "es", "son", "soy", "a", "al", "para", "para el", "para la",
    "with", "con", "it was", "it happened", "fue", "under", "put it under", "a nombre de", "ponla a nombre de",
    "the code is", "my code is", "el codigo es", "mi codigo es", "it is under", "under the name of", "under the name",
)  # fmt: skip
_BEFORE_NAMES = (
    "la de", "el de", "lo de", "a la de", "al de", "the one for", "the one of", "the one under", "soy la", "soy el",
    "ponlo a", "ponla a", "ponlo a nombre de", "put it down as", "pues", "pos", "pues a", "apunte", "apunta", "anote",
    "anota", "apunte a", "apunta a", "ponga", "ponga a", "pon a", "put down", "write down", "jot down",
)  # fmt: skip
"""The same before a name; before other words they may be what is said: 'el de la barra fue un borde'."""
_TAILS = (
    ", please", " please", ", por favor", " por favor", " pls", " porfa", ", ponlo asi", ", ponla asi",
    ", apuntalo asi", ", anotalo asi", ", ponlo a ese nombre", ", put that down", ", put it like that",
)  # fmt: skip
_THAT = re.compile(r"[Qq]ue (?:el|la|los|las|nos|me) \w+ \w+")
"""'Que las croquetas son las mejores', but not 'qué rico'."""
_QUESTION_WORDS = lexicon(
    "what whats what's how when where why who which can could do does is are cual cuanto cuanta cuando donde "
    "quien puedo puedes hay"
)


def asks_back(text: str) -> bool:
    """Whether the message asks something itself."""
    words = content(text)
    return "?" in text or (bool(words) and words[0] in _QUESTION_WORDS)


def without_lead_in(text: str, *, name: bool = False) -> str:
    """'to Ana, please' answers 'To whom?' with Ana; `name` is whether a name is what was asked for."""
    words = trimmed(text)
    for tail in _TAILS:
        if fold(words).endswith(tail):
            words = trimmed(words[: -len(tail)])
    reported = REPORTED.search(fold(words))
    if reported is not None and reported.start() == 0:
        return trimmed(words[reported.start("said") :])
    if not name and _THAT.match(words):
        return trimmed(words[4:])
    for lead in sorted((*_LEAD_INS, *(_BEFORE_NAMES if name else ())), key=len, reverse=True):
        if fold(words).startswith((f"{lead} ", f"{lead}: ")) and len(words) > len(lead) + 2:
            return trimmed(words[len(lead) + 1 :])
    return words
