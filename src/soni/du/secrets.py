"""Secrets that nobody asked for: the words of a message that look like the value of a sensitive slot."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from soni.core.values import TYPES, Reading, ValueType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from soni.config.models import SoniConfig
    from soni.config.slots import SlotConfig

MASK = "•••"
"""What stands where a sensitive value was."""

_WORD = re.compile(r"\w+")
_PIECE = re.compile(r"\S+")
_WIDEST = 9
"""Of how many words a secret may consist: an IBAN has up to nine groups."""
_MAX_TYPED = 400
"""In how many words values of a type are looked for; a longer message is masked as a whole where one may be in it."""
_MAX_SECRETS = 50
"""A message with more secrets is masked as a whole."""
_NAMES = frozenset({"type", "slot", "flow", "step", "then", "event", "by"})
"""Fields of commands and traces that hold the author's names, never what a person said."""
_VALUES = frozenset({"value", "slots", "saw"})

Spans = list[tuple[int, int]]


def recognisable(flows: Iterable[str], config: SoniConfig) -> tuple[SlotConfig, ...]:
    """The sensitive slots of these flows, and of those they go to, whose values can be told from other words."""
    names = {name for flow in flows for name in config.secrets_of.get(flow, ())}
    slots = [config.slots[name] for name in sorted(names)]
    return tuple(slot for slot in slots if slot.pattern is not None or _type_of(slot) is not None)


def _type_of(slot: SlotConfig) -> ValueType[Any] | None:
    """The type that reads a value; any words are a text, and a yes or no by itself tells nothing."""
    kind = slot.items if slot.type == "list" else slot.type
    if kind in ("text", "boolean"):
        return None
    return TYPES[kind]() if slot.type == "list" else slot.value_type


@dataclass(frozen=True, slots=True)
class SecretFinder:
    """Finds the values of some slots in what a person says."""

    slots: tuple[SlotConfig, ...]
    reading: Reading

    def masked(self, text: str) -> str:
        """The text without the words that may be a secret."""
        return self.in_text(text).masked(text)

    def in_text(self, text: str) -> FoundSecrets:
        """The words of a text that may be secrets."""
        words = {text[start:end] for start, end in _merged(self._spans(text))}
        return FoundSecrets(tuple(words) if len(words) <= _MAX_SECRETS else (text,))

    def _spans(self, text: str) -> Iterator[tuple[int, int]]:
        if not self.slots:
            return
        words = [match.span() for match in _WORD.finditer(text)]
        types = [kind for slot in self.slots if (kind := _type_of(slot)) is not None]
        if types and len(words) > _MAX_TYPED:
            yield 0, len(text)
            return
        for kind in types:
            yield from self._of_type(kind, text, words)
        for slot in self.slots:
            if slot.pattern is not None:
                yield from (span for span in _candidates(text, words) if slot.pattern.matches(text[slice(*span)]))
                yield from (span for span, joined in _grouped(text, words) if slot.pattern.matches(joined))

    def _of_type(self, kind: ValueType[Any], text: str, words: Spans) -> Iterator[tuple[int, int]]:
        read: dict[tuple[int, int], Any] = {}
        for width in range(1, _WIDEST + 1):
            for first in range(len(words) - width + 1):
                last = first + width - 1
                start, end = words[first][0], words[last][1]
                try:
                    value = read[first, last] = kind.parse(text[start:end], self.reading)
                except ValueError:
                    continue
                # Words around a value that add nothing to it are no part of it.
                inner = (read.get((first + 1, last)), read.get((first, last - 1)))
                if value not in inner:
                    yield start, end


@dataclass(frozen=True, slots=True)
class FoundSecrets:
    """The words of one message that may be secrets, and what is left of texts without them."""

    words: tuple[str, ...] = ()

    def masked(self, text: str) -> str:
        """A text without these words."""
        if not self.words:
            return text
        longest = sorted(self.words, key=len, reverse=True)
        return re.sub(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)", MASK, text)

    def covers(self, value: object) -> bool:
        """Whether a value stands in the message just so, and can be masked there."""
        return _plain(value) in {_plain(word) for word in self.words}

    def hidden(self, data: Any, *, is_value: bool = False) -> Any:
        """Commands or a trace without these words."""
        if not self.words:
            return data
        if isinstance(data, dict):
            return {
                name: part if name in _NAMES else self.hidden(part, is_value=is_value or name in _VALUES)
                for name, part in data.items()
            }
        if isinstance(data, list | tuple):
            return [self.hidden(part, is_value=is_value) for part in data]
        if isinstance(data, str):
            return MASK if is_value and self.covers(data) else self.masked(data)
        return MASK if is_value and data is not None and self.covers(data) else data


def is_same(stored: str | None, text: str | None) -> bool:
    """Whether a text is the stored one, of which words may have been masked since."""
    if stored is None or text is None or MASK not in stored:
        return stored == text
    first, *between, last = stored.split(MASK)
    if len(text) < len(first) + len(last) or not text.startswith(first) or not text.endswith(last):
        return False
    at, end = len(first), len(text) - len(last)
    for part in between:
        at = text.find(part, at, end)
        if at < 0:
            return False
        at += len(part)
    return True


def _plain(value: object) -> str:
    return "".join(_WORD.findall(str(value))).casefold()


def _candidates(text: str, words: Spans) -> Iterator[tuple[int, int]]:
    """What stands between spaces, and every few words with what is between them."""
    yield from (match.span() for match in _PIECE.finditer(text))
    for first, (start, _) in enumerate(words):
        for _, end in words[first : first + _WIDEST]:
            yield start, end


def _grouped(text: str, words: Spans) -> Iterator[tuple[tuple[int, int], str]]:
    """Words with digits that a space or a hyphen separates, and what they are together: "123 456" is 123456."""
    for first, (begin, _) in enumerate(words):
        joined = ""
        for last, (start, end) in enumerate(words[first : first + _WIDEST], first):
            is_near = last == first or text[words[last - 1][1] : start] in (" ", "-")
            if not is_near or not any(map(str.isdigit, text[start:end])):
                break
            joined += text[start:end]
            yield (begin, end), joined


def _merged(spans: Iterable[tuple[int, int]]) -> Spans:
    merged: Spans = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
