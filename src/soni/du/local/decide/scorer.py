"""The fitted choice: how likely each candidate is what a message means."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from math import exp
from typing import TYPE_CHECKING

from soni.du.local.decide.signs import message_signs, place_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from soni.du.local.decide.candidate import Candidate
    from soni.du.local.message import Message

WEIGHTS = "decide.json"
UNREAD = "~"
"""Marks the weights for messages that the trained reader did not see."""


@dataclass(frozen=True, slots=True)
class Place:
    """What the candidates of one message share."""

    name: str
    signs: Mapping[str, float]
    read: bool


def place(message: Message) -> Place:
    """What the candidates of a message share."""
    return Place(place_of(message), message_signs(message), message.reading is not None)


def features(candidate: Candidate, where: Place) -> Iterator[tuple[str, float]]:
    """What the weights of a candidate are multiplied with: by its kind, and by its kind at this kind of question."""
    mark = "" if where.read else UNREAD
    for kind in (f"{candidate.kind}{mark}", f"{candidate.kind}@{where.name}{mark}"):
        yield kind, 1.0
        for name, value in candidate.signs.items():
            yield f"{kind}.{name}", value
        for name, value in where.signs.items():
            yield f"{kind}:{name}", value


@lru_cache(maxsize=1)
def weights() -> Mapping[str, float]:
    """The fitted weights by feature; a feature that is not there counts nothing."""
    text = files("soni.du.local.weights").joinpath(WEIGHTS).read_text(encoding="utf-8")
    fitted: dict[str, float] = json.loads(text)["weights"]
    return fitted


def likelihoods(found: Sequence[Candidate], where: Place, fitted: Mapping[str, float] | None = None) -> list[float]:
    """How likely each of the candidates is; together they are sure."""
    known = weights() if fitted is None else fitted
    scores = [sum(known.get(name, 0.0) * value for name, value in features(one, where)) for one in found]
    best = max(scores)
    raised = [exp(score - best) for score in scores]
    return [value / sum(raised) for value in raised]
