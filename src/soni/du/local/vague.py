"""Requests that say of what, but not what for: 'I need to pay something'."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from soni.du.local.words import content, fold, same_root, same_stem
from soni.languages import any_of, built

if TYPE_CHECKING:
    from collections.abc import Mapping

    from soni.config.models import FlowConfig
    from soni.du.local.message import Message
    from soni.languages import Language

_MOST = 10
_MOST_OFFERED = 4


class _Vague:
    """The words of requests that say too little in some languages."""

    def __init__(self, words: Language) -> None:
        said = words.acts
        self.empty, self.around = frozenset(said.empty), frozenset(said.empty_around)
        self.bits = frozenset(said.bits)
        self.roots = said.roots
        self.clitic = re.compile(rf"(?<=\w{{3}}[aeiou]){any_of(said.clitics)}$")
        self.knowing = re.compile(any_of(said.knowing))
        self.here = re.compile(rf"\b{any_of(said.here)}\b")
        self.telling = re.compile(any_of(said.telling))

    def alike(self, one: str, other: str) -> bool:
        """Whether two words are of one root: payment and pay."""
        return same_root(self.clitic.sub("", one), self.clitic.sub("", other))


_vague = built(_Vague)


def without_clitic(word: str, words: Language) -> str:
    """A verb without the pronouns that are written on to it."""
    return _vague(words).clitic.sub("", word)


def vague_among(text: str, flows: Mapping[str, frozenset[str]], words: Language) -> list[str]:
    """The flows that all that a request says fits alike; none where it says more, or fits one of them alone."""
    said, known = content(text), _vague(words)
    about = [known.roots.get(word, word) for word in said if word not in known.empty | known.around]
    if len(said) > _MOST or not 1 <= len(about) <= 2:
        return []
    if known.empty.isdisjoint(said) and (len(about) > 1 or any(about[0] in own for own in flows.values())):
        return []  # 'make a payment' says no more than to pay, where no flow is told with that very word
    fits = [name for name, own in flows.items() if all(any(known.alike(one, word) for word in own) for one in about)]
    return fits if len(fits) > 1 else []


def asks_in_general(text: str, words: Language, name: str) -> bool:
    """Whether somebody wants to know about the place, and not what: 'tell me a bit about your place'.

    `name` is the assistant's, which may say what place it is: 'Tasca Restaurant'.
    """
    folded, known = fold(text), _vague(words)
    if not known.knowing.search(folded):
        return False
    named = content(name)
    rest = content(known.here.sub(" ", known.knowing.sub(" ", folded)))
    about = {word for word in rest if any(same_stem(word, own) for own in named)}
    says = bool(about) or known.here.search(folded) is not None
    return says and not set(rest) - about - known.empty - known.around - known.bits


def tells(flow: FlowConfig, words: Language) -> bool:
    """Whether a flow is there to tell something, by what its author says of it."""
    told = flow.description.sources if flow.description is not None else ()
    return any(_vague(words).telling.match(fold(text)) for text in told)


def vague_flows(message: Message, text: str) -> set[str]:
    """The flows that a request fits alike because it says too little: 'I need to pay something'."""
    context = message.context
    if context.task or context.active_flow or text != message.core:
        return set()
    words = {flow: said for flow, said in message.assistant.scorer.words.items() if flow in context.flows}
    telling = {name for name, flow in context.flows.items() if tells(flow, message.words)}
    fits = set(vague_among(text, words, message.words))
    fits = fits if len(fits - telling) < 2 else fits - telling  # to make a payment is not to see the last ones
    fits = telling if asks_in_general(text, message.words, message.assistant.name) else fits
    if not 1 < len(fits) <= _MOST_OFFERED or message.values(text, context.slots_of(*fits)):
        return set()
    return fits
