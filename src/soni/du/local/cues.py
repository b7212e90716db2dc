"""Words that tell which slot a value beside them is for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soni.core.template import Field
from soni.du.local.words import content

if TYPE_CHECKING:
    from collections.abc import Mapping

    from soni.config.models import FlowConfig, SlotConfig
    from soni.languages import Language
    from soni.languages.sections import Names


class Cues:
    """What the author's own words tell about each slot."""

    def __init__(self, flows: Mapping[str, FlowConfig], slots: Mapping[str, SlotConfig], words: Language) -> None:
        self._said = words.names
        self.before: dict[str, set[str]] = {name: set() for name in slots}
        """Words that stand right before a slot in trigger phrases."""
        for flow in flows.values():
            for template in flow.trigger.templates:
                for left, piece in zip(template.pieces, template.pieces[1:], strict=False):
                    if isinstance(piece, Field) and isinstance(left, str) and piece.slot in slots:
                        self.before[piece.slot] |= set(content(left)[-1:])
        self.named = {name: _naming(name, slot, words.names) for name, slot in slots.items()}
        """Words that name a slot: its name, its aliases, its description."""
        self.vocabulary = {word for words in self.named.values() for word in words} | {
            word
            for flow in flows.values()
            for template in flow.trigger.templates
            for piece in template.pieces
            if isinstance(piece, str)
            for word in content(piece)
        }
        """The author's own words: none of them is somebody's name."""
        self.names = {name for name, slot in slots.items() if slot.type == "text" and self._is_name(name, slot)}
        """Text slots that hold a name, of a person or a place, rather than sentences."""
        self.called = {name: self._called(name, slot) for name, slot in slots.items()}
        """Words that a slot goes by: its name and its aliases."""
        for name in self.names:
            self.before[name] |= self._generic(name)
            self.before[name] |= {whole for word, whole in self._said.contractions.items() if word in self.before[name]}

    def counts_people(self, name: str) -> bool:
        """Whether a number says how many people there are."""
        return not self.named[name].isdisjoint(self._said.people_word)

    def _is_name(self, name: str, slot: SlotConfig) -> bool:
        if slot.examples:
            return all(word[:1].isupper() for example in slot.examples for word in example.split())
        return not self._called(name, slot).isdisjoint((*self._said.people_called, *self._said.places_called))

    @staticmethod
    def _called(name: str, slot: SlotConfig) -> set[str]:
        return {*content(name.replace("_", " ")), *(word for alias in slot.aliases for word in content(alias))}

    def _generic(self, name: str) -> set[str]:
        words, said = self.called[name], self._said
        if not words.isdisjoint(said.from_called):
            return set(said.before_from)
        if not words.isdisjoint(said.to_called):
            return set(said.before_to)
        if not words.isdisjoint(said.places_called):
            return set(said.before_places)
        return set(said.before_names)


def _naming(name: str, slot: SlotConfig, said: Names) -> set[str]:
    told = content(" ".join(slot.description.sources if slot.description else ()))
    aliases = {word for alias in slot.aliases for word in content(alias)}
    words = ({*content(name.replace("_", " ")), *told}.difference(said.hollow)) | aliases
    counts_heads = slot.type in ("integer", "number") and not words.isdisjoint(said.heads)
    return words.union(said.heads) if counts_heads else words
