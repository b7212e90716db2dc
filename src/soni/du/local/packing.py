"""One message and everything it may be about, as one sequence for the trained reader.

    [begin] message [end] bot's last words [end]   a mark for each flow, slot and option   the words of each

Places count anew for every text, so order and number of flows and slots make no difference. A mark sees the message,
the other marks and its own words (an option also its slot's); words see themselves, the message and the marks; the
message sees everything.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from soni.du.local.pieces import BEGIN, END, PAD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from soni.du.local.pieces import Piece, Vocabulary

Array = np.ndarray[Any, Any]

# What a piece is to the model. The order is part of the trained weights.
(
    MESSAGE,
    BOT,
    BOT_COLLECTS,
    BOT_CONFIRMS,
    FLOW_WORDS,
    SLOT_WORDS,
    OPTION_WORDS,
    FLOW,
    FLOW_ACTIVE,
    FLOW_PAUSED,
    SLOT,
    SLOT_ASKED,
    SLOT_FILLED,
    OPTION,
    SENTENCE,
) = range(15)
ROLES = 15

ACTS = (
    "affirm", "negate", "inform", "start", "request", "alternatives", "select", "thank", "bye", "greet", "cancel",
    "correct", "help", "repeat", "human", "skip", "resume", "chat", "outside", "restart",
)  # fmt: skip
"""What a message does; the order is part of the trained weights."""

BOTS = {None: BOT, "collect": BOT_COLLECTS, "confirm": BOT_CONFIRMS}
"""What the bot's words are, by what it waits for."""
NOTHING, SAID, SEEN, WORDS = range(4)
"""Kinds of pieces by what they see: padding, the message and the bot's words, marks, the words of a mark."""
TYPE_WORDS = {
    "text": "text",
    "list": "list",
    "choice": "option",
    "boolean": "whether",
    "integer": "count",
    "number": "number",
    "money": "money",
    "date": "date",
    "time": "time",
    "datetime": "moment",
    "duration": "duration",
    "email": "email",
    "phone": "phone",
    "iban": "account",
}
"""The word that a slot's mark is, so that its type is known."""
MOST_SAID, MOST_BOT, MOST_WORDS, MOST_OPTION = 64, 40, 48, 8


@dataclass(frozen=True, slots=True)
class FlowText:
    """A flow as the reader is told of it."""

    words: str
    state: int = FLOW


@dataclass(frozen=True, slots=True)
class SlotText:
    """A slot as the reader is told of it."""

    words: str
    kind: str = "text"
    state: int = SLOT
    options: tuple[str, ...] = ()


@dataclass(slots=True)
class Packed:
    """One message, packed."""

    ids: list[int]
    places: list[int]
    roles: list[int]
    kinds: list[int]
    elements: list[int]
    parents: list[int]
    pieces: list[Piece]
    """The message's own, which stand from place one on."""
    flow_marks: list[int] = field(default_factory=list)
    slot_marks: list[int] = field(default_factory=list)
    option_marks: list[int] = field(default_factory=list)
    option_slots: list[int] = field(default_factory=list)
    """For each option the number of its slot."""


class Packer:
    """Packs messages with one vocabulary."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._type_ids = {kind: vocabulary[word] for kind, word in TYPE_WORDS.items()}
        self._numbers = lru_cache(maxsize=16384)(self._numbers_anew)

    def pack(
        self, message: str, bot: str, task: str | None, flows: Sequence[FlowText], slots: Sequence[SlotText]
    ) -> Packed:
        pieces = self._vocabulary.pieces(message)[:MOST_SAID]
        said = [piece.number for piece in pieces]
        heard = list(self._numbers(bot)[-MOST_BOT:])
        ids = [BEGIN, *said, END, *heard, END]
        size, role = len(ids), BOTS.get(task, BOT)
        packed = Packed(
            ids=ids,
            places=list(range(size)),
            roles=[MESSAGE] * (len(said) + 2) + [role] * (len(heard) + 1),
            kinds=[SAID] * size,
            elements=[-1] * size,
            parents=[-2] * size,
            pieces=pieces,
        )
        words: list[tuple[int, int, tuple[int, ...]]] = []
        for flow in flows:
            words.append((len(words), FLOW_WORDS, self._numbers(flow.words)[:MOST_WORDS]))
            packed.flow_marks.append(_mark(packed, BEGIN, flow.state, words[-1][0]))
        for number, slot in enumerate(slots):
            owner = len(words)
            words.append((owner, SLOT_WORDS, self._numbers(slot.words)[:MOST_WORDS]))
            packed.slot_marks.append(_mark(packed, self._type_ids[slot.kind], slot.state, owner))
            for option in slot.options:
                words.append((len(words), OPTION_WORDS, self._numbers(option)[:MOST_OPTION]))
                packed.option_marks.append(_mark(packed, BEGIN, OPTION, words[-1][0], owner))
                packed.option_slots.append(number)
        for element, role, numbers in words:
            packed.ids += numbers
            packed.places += range(1, len(numbers) + 1)
            packed.roles += [role] * len(numbers)
            packed.kinds += [WORDS] * len(numbers)
            packed.elements += [element] * len(numbers)
            packed.parents += [-2] * len(numbers)
        return packed

    def _numbers_anew(self, text: str) -> tuple[int, ...]:
        return tuple(piece.number for piece in self._vocabulary.pieces(text))


def _mark(packed: Packed, number: int, role: int, element: int, parent: int = -2) -> int:
    packed.ids.append(number)
    packed.places.append(0)
    packed.roles.append(role)
    packed.kinds.append(SEEN)
    packed.elements.append(element)
    packed.parents.append(parent)
    return len(packed.ids) - 1


def padded(rows: Sequence[Sequence[int]], empty: int, least: int = 0) -> Array:
    """Rows of different length as one array."""
    array = np.full((len(rows), max(least, *(len(row) for row in rows))), empty, np.int64)
    for number, row in enumerate(rows):
        array[number, : len(row)] = row
    return array


def batch(packed: Sequence[Packed]) -> dict[str, Array]:
    """Packed messages as the arrays that the model takes; a mark that is not there is -1."""
    return {
        "ids": padded([one.ids for one in packed], PAD),
        "places": padded([one.places for one in packed], 0),
        "roles": padded([one.roles for one in packed], MESSAGE),
        "kinds": padded([one.kinds for one in packed], NOTHING),
        "elements": padded([one.elements for one in packed], -3),
        "parents": padded([one.parents for one in packed], -4),
        "flow_marks": padded([one.flow_marks for one in packed], -1, 1),
        "slot_marks": padded([one.slot_marks for one in packed], -1, 1),
        "option_marks": padded([one.option_marks for one in packed], -1, 1),
        "option_slots": padded([one.option_slots for one in packed], -1, 1),
        "said": np.array([len(one.pieces) for one in packed], np.int64),
    }


def sees(kinds: Any, elements: Any, parents: Any) -> Any:
    """Which piece sees which: true where the row's piece looks at the column's; for arrays and for tensors alike."""
    row, column = kinds[:, :, None], kinds[:, None, :]
    own = elements[:, :, None] == elements[:, None, :]
    of_parent = parents[:, :, None] == elements[:, None, :]
    by_mark = (column != WORDS) | own | of_parent
    by_words = (column != WORDS) | own
    seen = (row == SAID) | ((row == SEEN) & by_mark) | ((row == WORDS) & by_words) | (row == NOTHING)
    return seen & (column != NOTHING)
