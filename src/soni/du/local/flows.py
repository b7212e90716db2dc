"""Which flow a message asks for: how near it is to the names, descriptions and phrases of each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import exp, log
from typing import TYPE_CHECKING, Any

import numpy as np

from soni.du.local.array_cache import kept
from soni.du.local.encoder import encoder, phrase_vectors, vector, weights_digest
from soni.du.local.trained import READER_LANGUAGES
from soni.du.local.words import content

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from soni.config.models import FlowConfig, SlotConfig
    from soni.core.template import Field, Template
    from soni.du.local.encoder import Vectors

_WORDS_FOR = {
    "money": "100 euros",
    "integer": "3",
    "number": "2.5",
    "date": "tomorrow",
    "time": "6 pm",
    "datetime": "tomorrow at 6 pm",
    "duration": "two hours",
    "email": "ana@example.com",
    "phone": "600 123 456",
    "iban": "ES91 2100 0418 4502 0005 1332",
}

LEARNED = 0.2
"""How much the regression counts beside plain similarity; chosen on the development data."""
_NEAREST = 3
_STEPS = 100
_STRENGTH = 100.0
_PLAIN = 0.9
"""How much of what phrases of one flow differ in is taken for chance; chosen on the development data."""
_MOST_WORK = 2e8
"""Beyond this many phrases times flows the regression would hold up the start; similarity alone remains."""
_SETTINGS = (_STEPS, _STRENGTH, _PLAIN, _MOST_WORK)
"""What the regression depends on besides the vectors."""
SURE = (11.4, 4.6, -5.35)
"""Confidence out of similarity and lead over the next flow; fitted by bench/understanding/calibrate.py."""
SURE_READ = (3.53, 10.71, 0.14, -0.39, -4.16)
"""The same with what the trained reader says: its part is the logit of the probability that it gives to the flow."""
SURE_READ_ABROAD = (5.72, 3.38, 0.47, -0.06, -1.75)
"""The same for other languages, of which the reader has learned less."""
MOST_LEAD = 0.3
ALONE = 0.2
"""The lead of a flow that has no other beside it."""
LEAST = 0.01
"""No less is made of a flow by the reader: it is surer than it is right."""
FOREIGN = -0.5
"""What is taken off for other languages than English: to the English encoder all their sentences look alike."""
READ = 0.3
"""How much the trained reader counts beside similarity in the order of flows."""
VALUE = 0.1
"""How much nearer a flow is for each value in the message that shows it is for one of its slots."""


@lru_cache(maxsize=256)
def _vectors(phrases: tuple[str, ...]) -> Vectors:
    return phrase_vectors(phrases)


def nearest(message: str, phrases: tuple[str, ...]) -> tuple[float, str]:
    """How near a message is to the nearest of some phrases, and which that is."""
    said = content(message)
    exact = next((phrase for phrase in phrases if content(phrase) == said), None)
    if exact is not None or not said:
        return (1.0, exact) if exact is not None else (0.0, "")
    similar = _vectors(phrases) @ vector(message)
    best = int(np.argmax(similar))
    return float(similar[best]), phrases[best]


@dataclass(frozen=True, slots=True)
class Score:
    """How much a message asks for a flow, and the phrases that show it best."""

    flow: str
    value: float
    """What flows are ranked by."""
    similar: float
    """How alike the message and the flow's phrases are, at most one."""
    phrases: tuple[str, ...]
    """The flow's phrases that are nearest, the nearest first."""
    read: float | None = None
    """How likely the trained reader thinks it; None where it did not look."""
    outside: float = 0.5
    """How likely it thinks that the message asks for nothing there is."""

    @property
    def phrase(self) -> str:
        """The phrase that shows best why the message may ask for the flow."""
        return self.phrases[0]


def confidence(ranked: Sequence[Score], language: str | None = None) -> float:
    """How likely the first of these flows is what the message asks for."""
    if not ranked:
        return 0.0
    ahead = min(ranked[0].value - ranked[1].value, MOST_LEAD) if len(ranked) > 1 else ALONE
    if ranked[0].read is not None:
        similar, lead, read, outside, base = SURE_READ if language in (None, "en") else SURE_READ_ABROAD
        base += read * logit(ranked[0].read) + outside * logit(ranked[0].outside)
    else:
        similar, lead, base = SURE
        base += FOREIGN * (language not in (None, "en"))
    return 1 / (1 + exp(-(similar * ranked[0].similar + lead * ahead + base)))


def logit(likely: float) -> float:
    """A probability as what is added up; nothing is quite sure."""
    kept = min(max(likely, LEAST), 1 - LEAST)
    return log(kept / (1 - kept))


@dataclass(frozen=True, slots=True)
class Phrase:
    """One way to say what a flow is for; the language is empty where nobody says which it is in."""

    flow: str
    text: str
    language: str = ""


class FlowScorer:
    """Scores messages against the flows of one assistant.

    A message in a language that the trained reader has learned is compared with phrases in those languages, which are
    what the reader is told and what its probabilities were fitted with; any other message is compared with all phrases.
    """

    def __init__(self, flows: Mapping[str, FlowConfig], slots: Mapping[str, SlotConfig]) -> None:
        every = [phrase for name, flow in flows.items() for phrase in _phrases(name, flow, slots)]
        learned = {phrase.flow for phrase in every if phrase.language in READER_LANGUAGES}
        known = [
            one for one in every if not one.language or one.language in READER_LANGUAGES or one.flow not in learned
        ]
        self._flows = tuple(flows)
        self._every = _Pool(every, self._flows)
        self._known = _Pool(known, self._flows) if len(known) < len(every) else self._every

    @cached_property
    def words(self) -> dict[str, frozenset[str]]:
        """For each flow the words that it is told with."""
        return self._words(lambda said: said)

    @cached_property
    def verbs(self) -> dict[str, frozenset[str]]:
        """For each flow the words that its phrases begin with."""
        return self._words(lambda said: said[:1])

    def _words(self, some: Callable[[list[str]], list[str]]) -> dict[str, frozenset[str]]:
        words: dict[str, set[str]] = {flow: set() for flow in self._flows}
        for phrase in self._every.phrases:
            words[phrase.flow].update(some(content(phrase.text)))
        return {flow: frozenset(said) for flow, said in words.items()}

    def warm(self) -> None:
        """Load the encoder, embed the phrases and fit the regression, so that no message waits for it."""
        self._known.warm()
        self._every.warm()

    def ranked(self, message: str, flows: Collection[str], language: str | None = None) -> list[Score]:
        """These flows, the likeliest first; a phrase said word for word leaves no other."""
        said = " ".join(content(message))
        exact = self._every.exact.get(said)
        if exact in flows and exact is not None:
            return [Score(exact, 1.0, 1.0, (message,))]
        pool = self._known if language in READER_LANGUAGES else self._every
        return pool.ranked(message, flows, language) if said else []


class _Pool:
    """Phrases that messages are compared with."""

    def __init__(self, phrases: list[Phrase], flows: tuple[str, ...]) -> None:
        self.phrases = phrases
        self.exact = {" ".join(content(phrase.text)): phrase.flow for phrase in phrases}
        self._flows = flows
        self._vectors: Vectors | None = None
        self._weights: Vectors | None = None

    def warm(self) -> None:
        """Embed the phrases and fit the regression."""
        said = tuple((phrase.flow, phrase.text) for phrase in self.phrases)
        self._vectors, self._weights = _fitted(said, self._flows)

    def ranked(self, message: str, flows: Collection[str], language: str | None) -> list[Score]:
        """These flows, the likeliest first."""
        if self._vectors is None:
            self.warm()
        if self._vectors is None or not self.phrases:
            return []
        said = vector(message, language)
        learned = None if self._weights is None else said @ self._weights
        near: dict[str, list[tuple[float, str]]] = {name: [] for name in flows}
        for phrase, value in zip(self.phrases, self._vectors @ said, strict=True):
            if phrase.flow in near:
                near[phrase.flow].append((float(value), phrase.text))
        scores = []
        for name, values in near.items():
            if values:
                best = sorted(values, reverse=True)[:_NEAREST]
                mean = sum(value for value, _ in best) / len(best)
                extra = 0.0 if learned is None else LEARNED * float(learned[self._flows.index(name)])
                phrases = tuple(phrase for _, phrase in best)
                scores.append(Score(name, mean + extra, (best[0][0] + mean) / 2, phrases))
        return sorted(scores, key=lambda score: score.value, reverse=True)


@lru_cache(maxsize=16)
def _fitted(phrases: tuple[tuple[str, str], ...], flows: tuple[str, ...]) -> tuple[Vectors, Vectors | None]:
    """The vectors of an assistant's phrases and the regression over them; many loops may serve one assistant."""
    places = {name: place for place, name in enumerate(flows)}

    def compute() -> dict[str, Vectors]:
        vectors = encoder().encode([phrase for _, phrase in phrases] or [""])
        weights = _regression(vectors, np.array([places[name] for name, _ in phrases]), len(flows))
        return {"vectors": vectors} if weights is None else {"vectors": vectors, "weights": weights}

    content = "\n".join((weights_digest(), str(_SETTINGS), *flows, "", *(f"{name} {text}" for name, text in phrases)))
    arrays = kept("assistant", content, compute)
    return arrays["vectors"], arrays.get("weights")


def _regression(vectors: Vectors, owners: Any, flows: int) -> Vectors | None:
    """The weights of a logistic regression from a sentence's vector to its flow."""
    if flows < 2 or len(vectors) * flows * vectors.shape[1] > _MOST_WORK:
        return None
    told = np.eye(flows, dtype=np.float32)[owners]
    telling = _telling(vectors, told)
    vectors = vectors @ telling
    weights = ahead = np.zeros((vectors.shape[1], flows), np.float32)
    pace = 1 / (0.5 * float(np.linalg.norm(vectors, 2)) ** 2 + 1 / _STRENGTH)
    for step in range(_STEPS):
        guess = vectors @ ahead
        guess = np.exp(guess - guess.max(axis=1, keepdims=True))
        guess /= guess.sum(axis=1, keepdims=True)
        after = ahead - pace * (vectors.T @ (guess - told) + ahead / _STRENGTH)
        ahead = after + step / (step + 3) * (after - weights)
        weights = after
    return telling @ weights


def _telling(vectors: Vectors, told: Vectors) -> Vectors:
    """What makes the directions smaller in which phrases differ though they are for the same flow."""
    within = vectors - told @ ((told.T @ vectors) / np.maximum(told.sum(axis=0), 1)[:, None])
    spread = within.T @ within
    size = len(spread)
    if not (total := float(np.trace(spread))):
        return np.eye(size, dtype=np.float32)
    spread = (1 - _PLAIN) * size / total * spread + _PLAIN * np.eye(size, dtype=np.float32)
    telling = np.linalg.inv(np.linalg.cholesky(spread)).T
    return np.asarray(telling / np.linalg.norm(vectors @ telling, axis=1).mean(), np.float32)


def _phrases(name: str, flow: FlowConfig, slots: Mapping[str, SlotConfig]) -> list[Phrase]:
    """The name, the descriptions and the trigger phrases of a flow, each once in the languages it is said in."""
    variants = flow.description.variants if flow.description else {}
    said = [
        (name.replace("_", " "), ""),
        *((template.source, code) for code, templates in variants.items() for template in templates),
        *((_filled(phrase.template, slots), phrase.language) for phrase in flow.trigger.phrases),
    ]
    languages: dict[str, str] = {}
    for text, code in said:
        languages[text] = code if text not in languages or languages[text] == code else ""
    return [Phrase(name, text, code) for text, code in languages.items()]


def _filled(template: Template, slots: Mapping[str, SlotConfig]) -> str:
    """A phrase as people would say it, with an example where it names a slot."""

    def example(field: Field) -> str:
        slot = slots.get(field.slot)
        if slot is None:
            return ""
        return slot.examples[0] if slot.examples else next(iter(slot.options), _WORDS_FOR.get(slot.type, ""))

    return " ".join(template.render(example).split())
