"""What the offline understanding knows about one assistant: its flows, its slots, its words."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from soni.du.local import acts, corrections
from soni.du.local.cues import Cues
from soni.du.local.flows import FlowScorer
from soni.du.local.language import MessageLanguage
from soni.du.local.model import model
from soni.du.local.patterns import Patterns
from soni.du.local.pieces import vocabulary
from soni.du.local.reading import CueReader
from soni.du.local.spelling import Spelling
from soni.du.local.trained import TrainedReader
from soni.du.local.words import content
from soni.languages import languages

if TYPE_CHECKING:
    from collections.abc import Iterator

    from soni.config.models import SoniConfig


class Assistant:
    """One assistant, prepared for messages."""

    def __init__(self, config: SoniConfig) -> None:
        self.name = config.settings.name
        self.words = languages(config.spoken)
        self.language = MessageLanguage(config, self.words)
        self.cues = Cues(config.flows, config.slots, self.words)
        self.rules = CueReader(self.cues, self.words)
        self.patterns = Patterns(config.flows, config.slots, self.words)
        self.scorer = FlowScorer(config.flows, config.slots)
        self.undoing = {
            name
            for name, flow in config.flows.items()
            if any(acts.undoes(text, self.words) for text in (name.replace("_", " "), *flow.trigger.said_in()))
        }
        """The flows that are there to call something off."""
        self.spelling = Spelling(
            _vocabulary(config),
            self.words,
            [*acts.act_words(self.words), *corrections.correction_words(self.words)],
        )

    @cached_property
    def reader(self) -> TrainedReader | None:
        """What reads messages with the trained model, where that can be had."""
        network = model()
        return None if network is None else TrainedReader(network, vocabulary())

    def warm(self) -> None:
        """Load the models now rather than with the first message."""
        _ = self.reader
        self.scorer.warm()
        acts.warm(self.words)


def _vocabulary(config: SoniConfig) -> set[str]:
    """The words that the author uses for flows, slots and options."""
    return {word for text in _texts(config) for word in content(text)}


def _texts(config: SoniConfig) -> Iterator[str]:
    for name, flow in config.flows.items():
        yield name.replace("_", " ")
        yield from flow.description.sources if flow.description else ()
        yield from (piece for template in flow.trigger.templates for piece in template.pieces if isinstance(piece, str))
    for name, slot in config.slots.items():
        yield from (name.replace("_", " "), *slot.aliases, *(slot.description.sources if slot.description else ()))
        for words in slot.option_words.values():
            yield from words
