"""One message being read: which flows it may ask for, and which values it names."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from soni.core.commands import Clarify, CorrectSlot, ResumeFlow, SetSlot, StartFlow
from soni.du.local import acts
from soni.du.local.clauses import JOINED, cuts, parts, without_courtesies
from soni.du.local.corrections import positive
from soni.du.local.flows import VALUE, confidence
from soni.du.local.names import leading_name
from soni.du.local.reading import TELLING
from soni.du.local.verdicts import verdict
from soni.du.local.words import content, fold
from soni.du.understanding import Found

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from soni.config.models import SlotConfig
    from soni.du.context import DialogueContext
    from soni.du.local.assistant import Assistant
    from soni.du.local.flows import Score
    from soni.du.local.reader import Span
    from soni.du.local.spelling import Repaired
    from soni.du.local.verdicts import Verdict

START = 0.3
"""How sure of a flow when nothing was asked."""
INTERRUPT = 0.55
"""The same while a question is open: an answer is likelier than a change of subject."""
SURELY = 0.85
"""The same where the message also answers the question."""
BOTH = 0.6
"""The same for each of two requests in one message."""
JOINED_BAR = 0.4
"""The same where a word such as 'then' or 'also' joins them."""
CLOSE = 0.06
"""How much nearer one flow must be than another to be taken without asking."""
UNDO = 0.6
"""How much nearer a flow that calls something off is for a word that does."""
MOST_OFFERED = 4
SHORT = 4
VAGUE = 6
FREE = ("text", "list")
"""Types that take any words."""
_WEIGHED = 3


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

    def __post_init__(self) -> None:
        self.fixed = self.assistant.spelling.repaired(self.text)
        self.core = without_courtesies(self.fixed.text)

    def verdict(self, text: str) -> Verdict | None:
        """The yes or no that a text is or begins with, as it was written: no slip is put right into a yes."""
        undoing = self.context.active_flow in self.assistant.undoing
        said = verdict(text, self.context.reading, undoing=undoing, shows=bool(self.context.filled))
        return None if said is not None and said.yes and not self.whole else said

    def ranked(self, text: str, *, active: bool = False) -> list[Score]:
        """The flows, the likeliest first; values speak for the flows that take them, and so does an undoing word."""
        if (text, active) in self._known:
            return self._known[text, active]
        names = [name for name in self.context.flows if active or name != self.context.active_flow]
        ranked = self.assistant.scorer.ranked(text, names, self.context.reading.language)
        undoes = acts.undoes(text)
        weighed = []
        for place, score in enumerate(ranked):
            more = self._told(text, score.flow) if place < _WEIGHED else 0.0
            undone = UNDO * (undoes and score.flow in self.assistant.undoing)
            weighed.append(replace(score, value=score.value + more + undone, similar=min(1.0, score.similar + more)))
        weighed.sort(key=lambda score: score.value, reverse=True)
        self._known[text, active] = weighed
        return weighed

    def _told(self, text: str, flow: str) -> float:
        """How much the values in the message speak for a flow."""
        read = self.assistant.reader.read(text, self.context.slots_of(flow), self.context, flows=(flow,))
        values = sum(1.0 if span.confidence >= TELLING else 0.5 for span in read.spans)
        return VALUE * min(values, 2.0) + read.flows.get(flow, 0.0)

    def sure(self, ranked: Sequence[Score]) -> float:
        """How likely the first of these flows is what is asked for."""
        return confidence(ranked, self.context.reading.language)

    def trust(self, text: str) -> float:
        """How likely some words ask for a flow at all."""
        return self.sure(self.ranked(text))

    def start(self, text: str, least: float) -> list[Found] | None:
        """The flow that the words ask for, with the values they name."""
        if acts.is_refusal(text):
            return None
        match = self.assistant.patterns.match(text, self.context.flows, self.context.reading)
        if match is not None and positive(text) == text and "?" not in text:
            values = self.values(text, self.context.slots_of(match.flow), preset=match.values)
            if match.flow == self.context.active_flow:
                return values
            return [Found(StartFlow(flow=match.flow), 0.95, f"like '{match.phrase}'"), *values]
        ranked = self.ranked(text)
        sure = self.sure(ranked)
        for part in parts(text) if sure < BOTH else []:
            again = self.ranked(part) if len(content(part)) > 2 else []
            if self.sure(again) > sure:
                ranked, sure = again, self.sure(again)
        if not ranked or sure < least:
            return None
        near = [score for score in ranked if _close(ranked[0], score, text)][:MOST_OFFERED]
        values = self.values(text, self.context.slots_of(ranked[0].flow))
        if len(near) > 1 and not values:
            options = [score.flow for score in near]
            return [Found(Clarify(options=options), sure, " or ".join(f"like '{score.phrase}'" for score in near))]
        if ranked[0].flow in self.context.paused_flows and not values:
            return [Found(ResumeFlow(flow=ranked[0].flow), sure, f"like '{ranked[0].phrase}'")]
        return [Found(StartFlow(flow=ranked[0].flow), sure, f"like '{ranked[0].phrase}'"), *values]

    def two(self) -> list[Found] | None:
        """Two requests in one message, in spoken order."""
        best: tuple[float, list[Found]] | None = None
        for left, right in cuts(self.core):
            between = fold(self.core)[len(left) : len(self.core) - len(right)]
            bar = JOINED_BAR if JOINED.search(between) else BOTH
            first, second = self.start(left, bar), self.start(right, bar)
            if first is None or second is None:
                continue
            one, other = first[0].command, second[0].command
            if isinstance(one, StartFlow) and isinstance(other, StartFlow) and one.flow != other.flow:
                least = min(first[0].confidence, second[0].confidence)
                if best is None or least > best[0]:
                    best = least, [*first, *second]
        return best[1] if best else None

    def values(
        self, text: str, slots: Mapping[str, SlotConfig], *, preset: Mapping[str, str] | None = None
    ) -> list[Found]:
        """The values that the words name, new ones and ones that replace another."""
        read = self.assistant.reader.read(positive(text), slots, self.context, asked=self.context.asked)
        found = {span.slot: self.value(span) for span in read.spans}
        for name, words in (preset or {}).items():
            value = self.fixed.as_written(self._named(name, words)) if slots[name].type in FREE else words
            found[name] = self._command(name, value, 0.9, "in the place a trigger phrase has for it", value)
        return list(found.values())

    def _named(self, slot: str, words: str) -> str:
        """'Ana tomorrow', in the place of a name, is Ana."""
        return leading_name(words) or words if slot in self.assistant.cues.names else words

    def value(self, span: Span) -> Found:
        """A value that was found, as the command it comes to."""
        kind = self.context.slots[span.slot].type
        words = self.fixed.as_written(span.words) if kind in FREE else span.words
        return self._command(span.slot, span.value or words, span.confidence, span.evidence, words)

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


def _close(best: Score, other: Score, text: str) -> bool:
    """Whether nothing tells which of two flows is meant; a few words that fit both alike say too little."""
    lead = best.value - other.value
    vague = len(content(text)) <= VAGUE and lead < 3 * CLOSE and best.similar - other.similar < CLOSE / 2
    return lead < CLOSE or vague


def slot_of(found: Found) -> str:
    """The slot that a command is about; empty if it is about none."""
    return str(getattr(found.command, "slot", ""))
