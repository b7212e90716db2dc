"""Trigger phrases with slots in them: 'transfer {amount} to {recipient}' read out of a sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from soni.core.template import Field
from soni.du.local.words import fold, trimmed
from soni.languages import any_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from soni.config.models import FlowConfig, SlotConfig
    from soni.core.template import Template
    from soni.core.values import Reading
    from soni.languages import Language

_MOST_WORDS = 6
_LONGEST = 60
"""How many letters the value of a slot has at most that a phrase names."""


@dataclass(frozen=True, slots=True)
class Match:
    """A flow asked for with values, and the phrase that showed it."""

    flow: str
    values: dict[str, str]
    phrase: str


class Patterns:
    """The trigger phrases of an assistant that name slots."""

    def __init__(self, flows: Mapping[str, FlowConfig], slots: Mapping[str, SlotConfig], words: Language) -> None:
        tail = rf"(?:[\s,]*{any_of(words.courtesies.trigger_end)})?[\s.!?]*$"
        self._slots = slots
        self._patterns = [
            (name, template.source, _compiled(template, tail))
            for name, flow in flows.items()
            for template in flow.trigger.templates
            if any(isinstance(piece, Field) for piece in template.pieces)
            and any(isinstance(piece, str) and piece.strip() for piece in template.pieces)
        ]

    def match(self, text: str, flows: Mapping[str, FlowConfig], reading: Reading) -> Match | None:
        """The match that explains the most of the message."""
        folded = fold(text)
        found: list[tuple[int, int, Match]] = []
        for flow, phrase, pattern in self._patterns:
            hit = pattern.search(folded) if flow in flows else None
            if hit is None:
                continue
            values = {name: trimmed(text[slice(*hit.span(name))]) for name in pattern.groupindex}
            if all(self._fits(name, value, reading) for name, value in values.items()):
                found.append((len(values), hit.end() - hit.start(), Match(flow, values, phrase)))
        return max(found, key=lambda entry: entry[:2])[2] if found else None

    def _fits(self, name: str, value: str, reading: Reading) -> bool:
        if not value or len(value.split()) > _MOST_WORDS or name not in self._slots:
            return False
        try:
            self._slots[name].value_type.parse(value, reading)
        except ValueError:
            return False
        return True


def _compiled(template: Template, tail: str) -> re.Pattern[str]:
    parts = []
    for piece in template.pieces:
        if isinstance(piece, Field):
            parts.append(rf"(?P<{piece.slot}>.{{1,{_LONGEST}}}?)")
        else:
            if not piece.strip():
                parts.append(r"\s")
                continue
            words = r"\s".join(re.escape(word) for word in fold(piece).split())
            before = r"\s" if piece[:1].isspace() and parts else ""
            after = r"\s" if piece[-1:].isspace() else ""
            parts.append(before + words + after)
    return re.compile(rf"(?:^|\b){''.join(parts)}{tail}")
