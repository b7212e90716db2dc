"""Which flow a message asks for: how near it is to the names, descriptions and phrases of each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import exp, log
from typing import TYPE_CHECKING, Any

import numpy as np

from soni.du.local.array_cache import kept
from soni.du.local.encoder import encoder, phrase_vectors, vector, weights_digest
from soni.du.local.words import content

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

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


class FlowScorer:
    """Scores messages against the flows of one assistant."""

    def __init__(self, flows: Mapping[str, FlowConfig], slots: Mapping[str, SlotConfig]) -> None:
        self._flows = tuple(flows)
        self._phrases = [(name, phrase) for name, flow in flows.items() for phrase in _phrases(name, flow, slots)]
        self._exact = {" ".join(content(phrase)): name for name, phrase in self._phrases}
        self._vectors: Vectors | None = None
        self._learned: Vectors | None = None

    @cached_property
    def words(self) -> dict[str, frozenset[str]]:
        """For each flow the words that it is told with."""
        return {
            flow: frozenset(word for name, phrase in self._phrases if name == flow for word in content(phrase))
            for flow in self._flows
        }

    @cached_property
    def verbs(self) -> dict[str, frozenset[str]]:
        """For each flow the words that its phrases begin with."""
        return {
            flow: frozenset(word for name, phrase in self._phrases if name == flow for word in content(phrase)[:1])
            for flow in self._flows
        }

    def warm(self) -> None:
        """Load the encoder, embed the phrases and fit the regression, so that no message waits for it."""
        self._vectors, self._learned = _fitted(tuple(self._phrases), self._flows)

    def ranked(self, message: str, flows: Collection[str], language: str | None = None) -> list[Score]:
        """These flows, the likeliest first; a phrase said word for word leaves no other."""
        if self._vectors is None:
            self.warm()
        if self._vectors is None or not self._phrases:
            return []
        said = vector(message, language)
        learned = None if self._learned is None else said @ self._learned
        return self._of(message, self._vectors @ said, learned, flows)

    def _of(self, message: str, similar: Any, learned: Any, flows: Collection[str]) -> list[Score]:
        said = " ".join(content(message))
        exact = self._exact.get(said)
        if exact in flows and exact is not None:
            return [Score(exact, 1.0, 1.0, (message,))]
        if not said:
            return []
        near: dict[str, list[tuple[float, str]]] = {name: [] for name in flows}
        for (name, phrase), value in zip(self._phrases, similar, strict=True):
            if name in near:
                near[name].append((float(value), phrase))
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


def _phrases(name: str, flow: FlowConfig, slots: Mapping[str, SlotConfig]) -> list[str]:
    told = flow.description.sources if flow.description else []
    phrases = [name.replace("_", " "), *told, *(_filled(template, slots) for template in flow.trigger.templates)]
    return list(dict.fromkeys(phrases))


def _filled(template: Template, slots: Mapping[str, SlotConfig]) -> str:
    """A phrase as people would say it, with an example where it names a slot."""

    def example(field: Field) -> str:
        slot = slots.get(field.slot)
        if slot is None:
            return ""
        return slot.examples[0] if slot.examples else next(iter(slot.options), _WORDS_FOR.get(slot.type, ""))

    return " ".join(template.render(example).split())
