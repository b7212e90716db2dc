"""The trained reader: which flow a message asks for, which words are values, what it does, each with a probability."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from soni.core.values.boolean import shown_answer
from soni.du.local.packing import (
    ACTS,
    FLOW,
    FLOW_ACTIVE,
    FLOW_PAUSED,
    SLOT,
    SLOT_ASKED,
    SLOT_FILLED,
    FlowText,
    Packer,
    SlotText,
)
from soni.du.local.words import fold
from soni.languages import any_of, built

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from soni.config.models import FlowConfig, SlotConfig
    from soni.du.context import DialogueContext
    from soni.du.local.model import Model, Scores
    from soni.du.local.packing import Array, Packed
    from soni.du.local.pieces import Vocabulary
    from soni.languages import Language

READER_LANGUAGES = frozenset(["en", "es"])
"""The languages that the weights have learned; messages in others are read without them."""
MOST_OPTIONS = 10
"""With more options than that a choice is read as words."""
_LONGEST_SPAN = 24
_REMEMBERED = 1024
"""How many readings are kept, so that what is said often is read once."""


@dataclass(frozen=True, slots=True)
class Value:
    """What a message says about one slot."""

    words: str
    start: int
    end: int
    option: str
    """The option that is meant, where the slot has some and few enough; else empty."""
    said: float
    """How likely it is that the message has a value for the slot at all."""
    sure: float
    """How likely this is it."""
    any: float
    """How likely the message says that any value will do."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What the reader makes of a message."""

    flows: Mapping[str, float]
    """How likely each candidate is what the message asks for; none of them has the rest."""
    among: Mapping[str, float]
    """The same, given that one of them is."""
    values: Mapping[str, Value]
    acts: Mapping[str, float]


class TrainedReader:
    """Reads messages to one assistant."""

    def __init__(self, model: Model, vocabulary: Vocabulary) -> None:
        self._model, self._packer = model, Packer(vocabulary)
        self._scored = lru_cache(maxsize=_REMEMBERED)(self._scored_anew)

    def read(
        self,
        text: str,
        context: DialogueContext,
        flows: Sequence[tuple[str, tuple[str, ...]]],
        slots: Mapping[str, SlotConfig],
    ) -> Reading:
        """Read a message for some flows, each with the phrases that speak for it most, and for some slots."""
        names = list(slots)
        packed, scores = self._scored(
            text,
            next((line["text"] for line in reversed(context.history) if line["role"] != "user"), ""),
            context.task["type"] if context.task else None,
            tuple(self._flow(name, phrases, context) for name, phrases in flows),
            tuple(self._slot(name, slots[name], context) for name in names),
        )
        told = _softmax(np.append(scores.flows, scores.none))
        among = _softmax(scores.flows)
        return Reading(
            flows={name: float(told[number]) for number, (name, _) in enumerate(flows)},
            among={name: float(among[number]) for number, (name, _) in enumerate(flows)},
            values={
                name: value
                for number, name in enumerate(names)
                if (value := _value(text, packed, scores, number, slots[name], context.reading.words)) is not None
            },
            acts=dict(zip(ACTS, (float(one) for one in 1 / (1 + np.exp(-scores.acts))), strict=True)),
        )

    def _scored_anew(
        self, text: str, bot: str, task: str | None, flows: tuple[FlowText, ...], slots: tuple[SlotText, ...]
    ) -> tuple[Packed, Scores]:
        """What the model says; people say the same things at the same places again and again."""
        packed = self._packer.pack(text, bot, task, flows, slots)
        return packed, self._model.read(packed)

    def _flow(self, name: str, phrases: Sequence[str], context: DialogueContext) -> FlowText:
        paused = name in context.paused_flows
        state = FLOW_ACTIVE if name == context.active_flow else FLOW_PAUSED if paused else FLOW
        return FlowText(_flow_words(name, context.flows[name], phrases, context.reading.language), state)

    def _slot(self, name: str, slot: SlotConfig, context: DialogueContext) -> SlotText:
        is_filled = name in context.filled
        state = SLOT_ASKED if name == context.asked else SLOT_FILLED if is_filled else SLOT
        language = context.reading.language
        options = tuple(_option_words(option, slot, language) for option in shown_options(slot))
        return SlotText(_slot_words(name, slot, language), slot.type, state, options)


def shown_options(slot: SlotConfig) -> list[str]:
    """The options that the reader is told of."""
    if slot.type == "boolean":
        return ["yes", "no"]
    return list(slot.options) if len(slot.options) <= MOST_OPTIONS else []


def _flow_words(name: str, flow: FlowConfig, phrases: Sequence[str], language: str) -> str:
    plain = name.replace("_", " ")
    told = _in(flow.description, language)
    words = plain if not told or told.lower() == plain.lower() else f"{plain}: {told}"
    new = [phrase for phrase in phrases if phrase.lower() not in (plain.lower(), told.lower())]
    return "; ".join([words, *new])


def _slot_words(name: str, slot: SlotConfig, language: str) -> str:
    plain = name.replace("_", " ")
    told = _in(slot.description, language)
    words = f"{plain}: {told}" if told else plain
    return f"{words} ({', '.join(slot.examples[:2])})" if slot.examples else words


def _option_words(option: str, slot: SlotConfig, language: str) -> str:
    if slot.type == "boolean":
        return shown_answer(option == "yes", language)
    label = slot.options[option].label
    return _in(label, language) or option.replace("_", " ")


def _in(text: Any, language: str) -> str:
    """An author's text in a language."""
    return "" if text is None else str(text.choose(language, "en", "").source)


def _value(text: str, packed: Packed, scores: Scores, number: int, slot: SlotConfig, words: Language) -> Value | None:
    status = _softmax(scores.statuses[number])
    said, any_will_do = float(status[1]), float(status[2])
    options = shown_options(slot)
    if options:
        own = [place for place, owner in enumerate(packed.option_slots) if owner == number]
        likely = _softmax(scores.options[own])
        best = int(np.argmax(likely))
        return Value("", 0, 0, options[best], said, said * float(likely[best]), any_will_do)
    if not packed.pieces:
        return None
    first, last, sure = _span(_softmax(scores.firsts[number]), _softmax(scores.lasts[number]))
    start, end = packed.pieces[first].start, packed.pieces[last].end
    start, end = _whole_words(text, start, end)
    if slot.type == "text":
        known = _parts_of_names(words)
        start, end = _whole_name(text, start, end, known)
        end += len(door.group()) if text[end - 1].isdigit() and (door := known.door.match(fold(text[end:]))) else 0
    return Value(text[start:end], start, end, "", said, said * sure, any_will_do)


def _span(firsts: Array, lasts: Array) -> tuple[int, int, float]:
    """The likeliest run of pieces."""
    together = np.triu(np.outer(firsts, lasts)) - np.triu(np.outer(firsts, lasts), _LONGEST_SPAN)
    first, last = np.unravel_index(int(np.argmax(together)), together.shape)
    return int(first), int(last), float(together[first, last])


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """A run of letters that does not cut a word."""
    while start > 0 and text[start - 1].isalnum() and text[start].isalnum():
        start -= 1
    while end < len(text) and text[end - 1].isalnum() and text[end].isalnum():
        end += 1
    return start, end


_NAME_BEFORE = re.compile(r"(?<=\s)[A-ZÀ-Ý](?:[^\W\d]|[’'-])*\s+$")


class _PartsOfNames:
    """What belongs to a name or an address in some languages."""

    def __init__(self, words: Language) -> None:
        said = words.names
        particles = any_of(said.piece_particles)
        self.behind = re.compile(rf"^(?:\s+{particles})*\s+[A-ZÀ-Ý](?:[^\W\d]|[’'-])*(?![\w@])")
        self.door = re.compile(
            rf",? (?:{any_of(said.doors)}|\d{{1,2}} ?[ºª°o])(?:,? ?(?:{any_of(said.door_sides)}|[a-z]))?\b"
        )
        """What follows the number of a house."""


_parts_of_names = built(_PartsOfNames)


def _whole_name(text: str, start: int, end: int, known: _PartsOfNames) -> tuple[int, int]:
    """A name that does not leave one of its parts out: 'Ramiro Escobedo', not 'Ramiro'."""
    if not text[start].isupper():
        return start, end
    while (hit := known.behind.match(text[end:])) is not None:
        end += hit.end()
    while (hit := _NAME_BEFORE.search(text[:start])) is not None:
        start = hit.start()
    return start, end


def _softmax(scores: Array) -> Array:
    if not len(scores):
        return scores
    raised = np.exp(scores - scores.max())
    return np.asarray(raised / raised.sum())
