"""One message being read: which flows it may ask for, and which values it names."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from soni.core.commands import CorrectSlot, SetSlot
from soni.du.local import acts
from soni.du.local.clauses import without_courtesies
from soni.du.local.corrections import positive
from soni.du.local.flows import READ, VALUE, confidence
from soni.du.local.merging import CORRECTS, merged
from soni.du.local.names import (
    before_verb,
    is_relation,
    leading_name,
    names_an_occasion,
    no_names,
    whole_name,
    without_announcement,
    without_relation,
)
from soni.du.local.reading import TELLING, by_part_of_day, with_place
from soni.du.local.spelling import without_false_friends
from soni.du.local.trained import READER_LANGUAGES
from soni.du.local.verdicts import Asked, function_words
from soni.du.local.words import fold
from soni.du.understanding import Found
from soni.languages import any_of, built

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from soni.config.models import SlotConfig
    from soni.du.context import DialogueContext
    from soni.du.local.assistant import Assistant
    from soni.du.local.flows import Score
    from soni.du.local.spans import Span
    from soni.du.local.spelling import Repaired
    from soni.du.local.trained import Reading
    from soni.languages import Language

UNDO = 0.6
"""How much nearer a flow that calls something off is for a word that does."""
SHORT = 4
FREE = ("text", "list")
"""Types that take any words."""
_WEIGHED = 3
OPTION = 0.3
"""How much nearer a flow is that alone has the option which a message names."""
REQUESTS = 0.8
"""How sure the reader must be of a request that sounds like a refusal."""
CANDIDATES = 4
"""How many flows the reader is told of."""
CANDIDATES_ABROAD = 6
"""The same in other languages than English, in which the encoder finds the right one later."""
TWICE = 2
"""How many of them, the likeliest, it is told of with a second phrase."""
MOST_SLOTS = 14
"""How many slots the reader is told of."""


class _NotWanted:
    """What stands before an option, or at the beginning of its name, that is not wanted."""

    def __init__(self, words: Language) -> None:
        said = words.courtesies
        within, article = any_of(said.not_wanted_in), any_of(said.not_wanted_the)
        self.before = re.compile(rf"\b{any_of(said.not_wanted_before)}\s+(?:{within} )?(?:{article} )?$")
        self.beginning = re.compile(f"{any_of(said.negations)} ")


_not_wanted = built(_NotWanted)


@dataclass(slots=True)
class Message:
    """One message being read."""

    text: str
    context: DialogueContext
    assistant: Assistant
    whole: bool = True
    """Whether this is all that was said; a yes that is not read to its end is none."""
    fixed: Repaired = field(init=False)
    """The text with slips of the keyboard put right."""
    core: str = field(init=False)
    """That without the greeting and the politeness around it."""
    _known: dict[tuple[str, bool], list[Score]] = field(default_factory=dict)
    """Rankings made before: a text is asked about more than once."""
    _values: dict[tuple[str, frozenset[str], tuple[tuple[str, str], ...]], list[Found]] = field(default_factory=dict)
    """Values found before."""
    _readings: list[Reading] = field(default_factory=list)
    """What the trained reader said, the first time about the flows too."""

    def __post_init__(self) -> None:
        said = without_false_friends(self.text, self.context.reading.own)
        self.text = said.text
        self.fixed = self.assistant.spelling.repaired(said)
        self.core = without_courtesies(self.fixed.text, self.words)

    @property
    def words(self) -> Language:
        """The words of the languages that the assistant offers."""
        return self.context.reading.words

    @property
    def confirmed(self) -> Asked:
        """What is known of the question that a yes would answer."""
        flow = self.context.active_flow or ""
        return Asked(
            words=self.assistant.scorer.words.get(flow, frozenset()),
            verbs=self.assistant.scorer.verbs.get(flow, frozenset()) - function_words(self.words),
            undoing=flow in self.assistant.undoing,
            shows=bool(self.context.filled),
        )

    @property
    def reading(self) -> Reading | None:
        """What the trained reader makes of the whole message; None without one, or in a language it never learned."""
        reader = self.assistant.reader
        if reader is None or self.context.reading.language not in READER_LANGUAGES:
            return None
        if not self._readings:
            language = self.context.reading.language
            near = self.assistant.scorer.ranked(self.core, list(self.context.flows), language)
            most = CANDIDATES if language == "en" else CANDIDATES_ABROAD
            told = {score.flow: score.phrases[: 1 + (place < TWICE)] for place, score in enumerate(near[:most])}
            active = self.context.active_flow
            if active in self.context.flows and active is not None:
                told.setdefault(active, ())
            slots = self._told_slots(self._first([score for score in near if score.flow != active][:_WEIGHED]))
            self._readings.append(reader.read(self.fixed.text, self.context, list(told.items()), slots))
        return self._readings[0]

    def _first(self, near: Sequence[Score]) -> str | None:
        """The flow whose slots the reader is told of: what it is not told of it hardly takes a message to be about."""
        spans = {score.flow: self.spans(self.core, score.flow) for score in near}
        options = {flow: {span.slot for span in found if span.value} for flow, found in spans.items()}

        def weight(score: Score) -> float:
            others = (slots for flow, slots in options.items() if flow != score.flow)
            own = options[score.flow].difference(*others)
            return score.value + _told(spans[score.flow]) + OPTION * bool(own)

        best = max(near, key=weight, default=None)
        return best.flow if best is not None else None

    def _told_slots(self, flow: str | None) -> dict[str, SlotConfig]:
        """The slots that a message may have values for: what was asked, what runs, what it may start."""
        asked = self.context.asked or ""
        slots = {asked: self.context.slots[asked]} if asked in self.context.slots else {}
        slots |= self.context.slots_of(*self.context.chain, self.context.active_flow) | self.context.slots_of(flow)
        open_ones = {name: slot for name, slot in slots.items() if not slot.sensitive}
        return dict(list(open_ones.items())[:MOST_SLOTS])

    def read_for(self, slots: Mapping[str, SlotConfig]) -> Reading | None:
        """What the trained reader says about some slots; they are read for only if they were not before."""
        first, reader = self.reading, self.assistant.reader
        if first is None or reader is None:
            return None
        wanted = {name: slot for name, slot in slots.items() if not slot.sensitive}
        missing = [name for name in wanted if not any(name in reading.values for reading in self._readings)]
        if missing:
            flows = [
                (flow, ()) for flow in self.context.flows if set(missing) & self.context.slot_names.get(flow, set())
            ]
            some = dict([(name, wanted[name]) for name in missing][:MOST_SLOTS])
            self._readings.append(reader.read(self.fixed.text, self.context, flows[:1], some))
        values = {name: value for reading in self._readings for name, value in reading.values.items()}
        return replace(first, values=values)

    def ranked(self, text: str, *, active: bool = False) -> list[Score]:
        """The flows, the likeliest first; values speak for the flows that take them, and so does an undoing word."""
        if (text, active) in self._known:
            return self._known[text, active]
        names = [name for name in self.context.flows if active or name != self.context.active_flow]
        ranked = self.assistant.scorer.ranked(text, names, self.context.reading.language)
        undoes = acts.undoes(text, self.words)
        reading = self.heard(text)
        weighed = []
        for place, score in enumerate(ranked):
            more = _told(self.spans(text, score.flow)) if place < _WEIGHED else 0.0
            undone = UNDO * (undoes and score.flow in self.assistant.undoing)
            read = None if reading is None or score.similar == 1.0 else reading.flows.get(score.flow, 0.0)
            likely = 0.0 if reading is None else READ * reading.among.get(score.flow, 0.0)
            value = score.value + more + undone + likely
            similar, outside = min(1.0, score.similar + more), 0.5 if reading is None else reading.acts["outside"]
            weighed.append(replace(score, value=value, similar=similar, read=read, outside=outside))
        weighed.sort(key=lambda score: score.value, reverse=True)
        self._known[text, active] = weighed
        return weighed

    def spans(self, text: str, flow: str) -> list[Span]:
        """The values for a flow that the rules find."""
        return self.assistant.rules.read(text, self.context.slots_of(flow), self.context)

    def sure(self, ranked: Sequence[Score]) -> float:
        """How likely the first of these flows is what is asked for."""
        return confidence(ranked, self.context.reading.language)

    def heard(self, text: str) -> Reading | None:
        """What the reader makes of the message, if the text is all of it."""
        return self.reading if text == self.core else None

    def values(
        self, text: str, slots: Mapping[str, SlotConfig], *, preset: Mapping[str, str] | None = None
    ) -> list[Found]:
        """The values that the words name, new ones and ones that replace another."""
        key = (text, frozenset(slots), tuple((preset or {}).items()))
        if key not in self._values:
            self._values[key] = self._values_anew(text, slots, preset=preset)
        return list(self._values[key])

    def _values_anew(
        self, text: str, slots: Mapping[str, SlotConfig], *, preset: Mapping[str, str] | None = None
    ) -> list[Found]:
        spans = self.assistant.rules.read(positive(text, self.words), slots, self.context, asked=self.context.asked)
        spans += self._named_by_a_no(text, slots, spans)
        before = _not_wanted(self.words).before
        barred = {(span.slot, span.value) for span in spans if span.value and before.search(fold(text[: span.start]))}
        reading = self.read_for(slots)
        if reading is not None:
            spans = self._with_reader(spans, reading, text, slots)
            names = self.assistant.cues.names
            spans = [span for span in spans if span.slot not in names or any(map(str.isalpha, span.words))]
            spans = [span for span in spans if span.slot not in names or fold(span.words) not in no_names(self.words)]
            spans = [span for span in spans if span.slot not in names or not names_an_occasion(text, span, self.words)]
            if self.context.task and reading.acts["start"] < REQUESTS:  # 'my sister comes too, so there are 4 of us'
                asked = self.context.asked
                spans = [
                    one
                    for one in spans
                    if one.slot not in names or one.slot == asked or not is_relation(one.words, self.words)
                ]
        held = {(name, self.context.filled[name]) for name in slots if isinstance(self.context.filled.get(name), str)}
        held = {pair for pair in held if pair[0] != self.context.asked and slots[pair[0]].type == "choice"}
        barred |= held  # said again, it changes nothing
        found = {span.slot: self.value(span) for span in spans if (span.slot, span.value) not in barred}
        for name, words in (preset or {}).items():
            if name in self.assistant.cues.names and fold(words) in no_names(self.words):
                continue  # 'I gotta send him 20'
            value = self.fixed.as_written(self._named(name, words)) if slots[name].type in FREE else words
            found[name] = self._command(name, value, 0.9, "in the place a trigger phrase has for it", value)
        return list(found.values())

    def _named_by_a_no(self, text: str, slots: Mapping[str, SlotConfig], others: list[Span]) -> list[Span]:
        """Options whose very name says what is not wanted: 'no meat' is no correction."""
        if positive(text, self.words) == text:
            return []
        spans = self.assistant.rules.read(text, slots, self.context, asked=self.context.asked)
        known = {span.slot for span in others}
        negation = _not_wanted(self.words).beginning
        return [one for one in spans if one.value and one.slot not in known and negation.match(fold(one.words))]

    def _with_reader(
        self, spans: list[Span], reading: Reading, text: str, slots: Mapping[str, SlotConfig]
    ) -> list[Span]:
        """What the rules and the reader found; only of a correction does the reader say what is not meant."""
        if (meant := positive(text, self.words)) == text or (reading.acts["correct"] >= CORRECTS and meant):
            return merged(spans, reading, text, slots, self.context)
        named = self.assistant.rules.read(text, slots, self.context, asked=self.context.asked)
        denied = {(span.slot, span.value) for span in named if span.value} - {(span.slot, span.value) for span in spans}
        found = merged(spans, reading, meant, slots, self.context)
        if reading.acts["start"] >= REQUESTS:
            return found  # 'so that nobody can use my credit card' denies no credit card
        return [span for span in found if (span.slot, span.value) not in denied]

    def _named(self, slot: str, words: str) -> str:
        """'Ana tomorrow', in the place of a name, is Ana."""
        if slot not in self.assistant.cues.names:
            return words
        own = self.assistant.cues.vocabulary
        return without_relation(leading_name(words, self.words, own) or words, self.words)

    def value(self, span: Span) -> Found:
        """A value that was found, as the command it comes to."""
        slot = self.context.slots[span.slot]
        words = self.fixed.as_written(span.words) if slot.type in FREE else span.words
        if span.slot in self.assistant.cues.names:
            is_asked = span.slot == self.context.asked
            own = self.assistant.cues.vocabulary
            words = whole_name(words, self.fixed.as_written(self.core), self.words, own, asked=is_asked)
            words = before_verb(without_relation(words, self.words), self.words)
            words = without_announcement(words, self.words)
        elif slot.type == "text" and span.slot != self.context.asked:
            words = with_place(words, self.fixed.as_written(self.core), self.words)
        value = by_part_of_day(words, self.text, slot, self.context) if slot.type == "time" else span.value or words
        return self._command(span.slot, value, span.confidence, span.evidence, words)

    def _command(self, slot: str, value: str, sure: float, evidence: str, words: str) -> Found:
        change = slot in self.context.filled and slot != self.context.asked
        command = CorrectSlot(slot=slot, value=value) if change else SetSlot(slot=slot, value=value)
        return Found(command, sure, evidence, words)

    def open_slots(self) -> dict[str, SlotConfig]:
        """The slot that was asked for and the others that are still empty."""
        slots = self.context.slots_of(*self.context.chain) or self.context.slots_of(self.context.active_flow)
        name = self.context.asked or ""
        return {
            slot: declared
            for slot, declared in {name: self.context.slots[name], **slots}.items()
            if slot not in self.context.filled or slot == name
        }

    def filled(self) -> dict[str, SlotConfig]:
        """The slots that have a value, which a word may replace."""
        slots = self.context.slots_of(*self.context.chain)
        return {name: slot for name, slot in slots.items() if name in self.context.filled}

    @property
    def optional(self) -> bool:
        """Whether the open question may stay unanswered."""
        return bool(self.context.task and (self.context.task.get("metadata") or {}).get("optional"))


def _told(spans: Sequence[Span]) -> float:
    """How much the values in a message speak for the flow that takes them."""
    return VALUE * min(sum(1.0 if span.confidence >= TELLING else 0.5 for span in spans), 2.0)


def slot_of(found: Found) -> str:
    """The slot that a command is about; empty if it is about none."""
    return str(getattr(found.command, "slot", ""))
