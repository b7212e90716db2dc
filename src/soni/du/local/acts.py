"""Dialogue acts: what people say to any assistant, word for word or nearly so."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from soni.core.commands import (
    CancelFlow,
    ChitChat,
    Explain,
    Help,
    HumanHandoff,
    Repeat,
    Restart,
    ResumeFlow,
    Skip,
    Wait,
)
from soni.du.local.encoder import phrase_vectors, vector
from soni.du.local.words import content, fold
from soni.languages import any_of, built, language

if TYPE_CHECKING:
    from soni.core.commands import Command
    from soni.du.local.encoder import Vectors
    from soni.languages import Language

COMMANDS: dict[str, Command] = {
    "help": Help(),
    "repeat": Repeat(),
    "restart": Restart(),
    "resume": ResumeFlow(),
    "human": HumanHandoff(),
    "greeting": ChitChat(topic="greeting"),
    "thanks": ChitChat(topic="thanks"),
    "goodbye": ChitChat(topic="goodbye"),
    "cancel": CancelFlow(),
    "skip": Skip(),
    "wait": Wait(),
    "why": Explain(topic="why"),
    "where": Explain(topic="where"),
    "meaning": Explain(topic="meaning"),
    "difference": Explain(topic="difference"),
}
"""What people do with the phrases of each name."""
_MOST_WORDS = 12


class _Acts:
    """The words of acts in some languages."""

    def __init__(self, words: Language) -> None:
        said = words.acts
        self.around, self.polite = frozenset(said.around), frozenset(said.polite)
        self.phrases = {name: phrases for name, phrases in said.phrases.items() if name in COMMANDS}
        self.acts = {self.core(phrase): COMMANDS[name] for name, phrases in self.phrases.items() for phrase in phrases}
        self.nothing = frozenset(map(self.core, said.nothing))
        self.needless = tuple(said.needless)
        self.withheld = re.compile(any_of(said.withheld))
        self.cancel, self.before_cancel = frozenset(said.cancel), frozenset(said.before_cancel)
        self.cancel_phrases = tuple(said.cancel_phrases)
        self.keep = re.compile(any_of(said.keep))
        self.resume, self.before_resume = frozenset(said.resume), frozenset(said.before_resume)
        self.resume_phrases = frozenset(said.resume_phrases)
        self.undoing, self.undone = tuple(said.undoing), tuple(said.undone)
        self.people, self.anybody = frozenset(said.people), frozenset(said.anybody)
        self.talking, self.wanting = frozenset(said.talking), frozenset(said.wanting)
        self.oneself = frozenset(said.oneself)
        self.why = re.compile(
            rf"^(?:{any_of(said.why_before)} ){{0,3}}{any_of(said.why)}\b.*\b{any_of(said.why_asked)}\b"
        )
        self.refusals = tuple(f"{phrase} " for phrase in said.refusals)
        self.seen = frozenset(said.seen)

    def core(self, text: str) -> tuple[str, ...]:
        """The words that make an act: without those that change nothing, unless hardly any would be left."""
        words = _plain(text)
        telling = tuple(word for word in words if word not in self.around)
        if len(telling) > 1 or len(words) == 1:
            return telling or words
        return tuple(word for word in words if word not in self.polite) or words


_acts = built(_Acts)


def _plain(text: str) -> tuple[str, ...]:
    return tuple(word.replace("'", "").replace("’", "") for word in content(text))


def act_words(words: Language) -> frozenset[str]:
    """Every word of an act, for slips of the keyboard to be put right."""
    known = _acts(words)
    phrases = (phrase for some in known.phrases.values() for phrase in some)
    return frozenset(word for phrase in phrases for word in phrase.split()) | known.seen


def act_of(text: str, words: Language) -> Command | None:
    """What the whole message does, if it is, word for word, one of the things people say to any assistant."""
    known = _acts(words)
    core = known.core(text)
    if core in known.acts:
        return known.acts[core]
    said = set(content(text))
    if known.why.match(" ".join(_plain(text))) and len(said) <= _MOST_WORDS:
        return Help()
    asks = said & (known.talking if said & known.oneself else frozenset())
    plainly = said & known.wanting and said & (known.people - known.anybody) and said & known.oneself
    return HumanHandoff() if len(said) <= _MOST_WORDS and said & known.people and (asks or plainly) else None


def likeness(text: str, words: Language) -> dict[str, float]:
    """How much the message is like the phrases of each act, by the act's name."""
    names, _, vectors = _embedded(words)
    similar = vectors @ vector(text)
    found: dict[str, float] = {}
    for name, value in zip(names, similar, strict=True):
        found[name] = max(found.get(name, 0.0), float(value))
    return found


@built
def _embedded(words: Language) -> tuple[list[str], list[str], Vectors]:
    """The phrases of all languages with their vectors, which are kept for each language."""
    if len(words.codes) > 1:
        names, phrases, vectors = zip(*(_embedded(language(code)) for code in words.codes), strict=True)
        return (
            [name for some in names for name in some],
            [one for some in phrases for one in some],
            np.concatenate(vectors),
        )
    pairs = [(name, one) for name, some in _acts(words).phrases.items() for one in some if len(one.split()) > 1]
    said = [phrase for _, phrase in pairs]
    return [name for name, _ in pairs], said, phrase_vectors(said)


def warm(words: Language) -> None:
    """Embed the acts now rather than with the first message."""
    _embedded(words)


def declines(text: str, words: Language) -> bool:
    """Whether the message says that there is nothing to answer, where an answer is not needed."""
    return _acts(words).core(text) in _acts(words).nothing


def withholds(text: str, words: Language) -> bool:
    """The same in a sentence of its own; where any words are an answer it may be one: 'no need for such loud music'."""
    said = " ".join(_plain(text))
    return said.startswith(_acts(words).needless) or _acts(words).withheld.search(said) is not None


def keeps(text: str, words: Language) -> bool:
    """Whether the message says that something is not to be called off."""
    return _acts(words).keep.search(fold(text)) is not None


def begins_with_cancel(text: str, words: Language) -> bool:
    """Whether the message begins by calling something off: 'cancel the transfer'."""
    if keeps(text, words):
        return False
    known, said = _acts(words), _plain(text)
    first = next((word for word in said if word not in known.around and word not in known.before_cancel), "")
    return first in known.cancel or " ".join(said[:5]).startswith(known.cancel_phrases)


def begins_with_resume(text: str, words: Language) -> bool:
    """Whether the message goes back to something: 'back to the transfer'."""
    known = _acts(words)
    said = [word for word in _plain(text) if word not in known.around and word not in known.before_resume]
    return bool(said) and (said[0] in known.resume or " ".join(said[:2]) in known.resume_phrases)


def undoes(text: str, words: Language) -> bool:
    """Whether some word of the text calls something off that was arranged before."""
    known, said = _acts(words), _plain(text)
    return any(word.startswith(known.undoing) for word in said) or any(one in " ".join(said) for one in known.undone)


def is_refusal(text: str, words: Language) -> bool:
    """Whether the message says what is not wanted: "don't send it", "not the debit one"."""
    return f"{' '.join(_plain(text)[:4])} ".startswith(_acts(words).refusals)


def is_acknowledgement(text: str, words: Language) -> bool:
    """Whether the message only says that it was seen."""
    known = _acts(words)
    rest = [word for word in content(text) if word not in known.around]
    return not rest or all(word in known.seen for word in rest)
