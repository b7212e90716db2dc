"""Values that the trained reader and the rules found, made one list."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from soni.du.local.options import option_in
from soni.du.local.reading import NUMBERS, TELLING, parses
from soni.du.local.spans import Span, overlaps
from soni.du.local.value_runs import anchors
from soni.du.local.words import tokens, trimmed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from soni.config.models import SlotConfig
    from soni.du.context import DialogueContext
    from soni.du.local.trained import Reading, Value

_WRITTEN = re.compile(r"[\d@]")
"""What numbers, dates and addresses are written with."""
SHAPED = ("iban", "email", "phone")
"""Types whose values look like nothing else."""
SAID = 0.5
"""How likely a slot must have a value for the reader's to be taken."""
SAID_FILLED = 0.8
"""The same for a slot that has one already."""
SAID_YES = 0.97
"""The same for a yes or no that nobody asked for."""
SURE = 0.7
"""How sure of the answer to the open question where it is none that its type can read."""
PLAIN = 0.85
"""The same for a new amount among other numbers, and for an account or a telephone that nobody asked for."""
CORRECTS = 0.8
"""How sure of a correction for the reader to tell what is meant from what is not: 'not to Iker but to Ibon'."""
CALLED = 0.9
"""How sure the rules are of an option that is called by its very name."""
NAMED = 0.8
"""How sure the rules are of an option that is called by its name, or by another form of it."""
MEANT = 0.8
"""How sure of an option that nobody asked for and that is not called by its name."""
BESIDE = 0.9
"""The same while another question is open."""
WHICH = 0.95
"""How sure which option it is, given that it is one of them: 'my card was nicked' is about a card, but about which?"""
TOLD = 0.01
"""How likely at least for a value that the rules are sure of, such as an amount with its currency."""
FOUND = 0.2
"""How likely at least for any other value that the rules found."""
_MORE = 2
"""How many words more than the reader says a value may have."""


def merged(
    found: list[Span], reading: Reading, text: str, slots: Mapping[str, SlotConfig], context: DialogueContext
) -> list[Span]:
    """One value a slot at most; words are the value of one slot alone."""
    by_rules = {span.slot: span for span in found}
    chosen = []
    for name, slot in slots.items():
        value, rule = reading.values.get(name), by_rules.get(name)
        corrects = reading.acts["correct"] >= CORRECTS
        span = rule if value is None else _chosen(name, slot, value, rule, text, context, corrects=corrects)
        if span is not None and _is_stray(span, slot, reading, context):
            span = None
        if span is not None:
            chosen.append(span)
    chosen = [span for span in chosen if not _is_told_already(span, chosen, slots, context)]
    taken: list[Span] = []
    for span in sorted(_meant_once(chosen, context), key=lambda one: -one.confidence):
        rivals = [one for one in taken if one.end and bool(one.value) == bool(span.value)]
        if span.end == 0 or not overlaps(span.start, span.end, rivals):  # an option may stand in what is told
            taken.append(span)
    return sorted(taken, key=lambda one: one.start)


def _is_told_already(span: Span, others: list[Span], slots: Mapping[str, SlotConfig], context: DialogueContext) -> bool:
    """Whether free words nobody asked for say no more than the option they name: 'someone nicked my wallet'."""
    if slots[span.slot].type != "text" or span.slot == context.asked or not span.end:
        return False
    said = [word.plain for word in tokens(span.words)]
    named = any(one.value and span.start <= one.start < span.end for one in others if one.end)
    words = context.reading.words
    return named and not any(word in anchors(words) or word in words.names.where for word in said)


def _meant_once(spans: list[Span], context: DialogueContext) -> list[Span]:
    """Spans with one option at most that nobody asked for and that is not called by its name.

    'It was stolen' says nothing of which card it is.
    """
    others = [span for span in spans if span.value and span.slot != context.asked]
    hinted = [span for span in others if span.confidence < CALLED or not span.end]
    best = max(hinted, key=lambda span: (span.end > 0, span.confidence), default=None)
    return [span for span in spans if span not in hinted or span is best]


def _chosen(
    name: str,
    slot: SlotConfig,
    value: Value,
    rule: Span | None,
    text: str,
    context: DialogueContext,
    *,
    corrects: bool,
) -> Span | None:
    is_asked = name == context.asked
    bar = SAID_FILLED if name in context.filled and not is_asked else SAID
    is_named = rule is not None and slot.type == "choice" and rule.confidence >= NAMED
    if rule is not None and not is_asked and not is_named:
        enough = TOLD if rule.confidence >= TELLING or slot.type == "choice" else FOUND
        enough = TOLD if slot.type == "text" and rule.confidence >= CALLED else enough
        is_list = bool(rule.value) and slot.type in NUMBERS  # 'my wife and I': the reader does not count
        rule = rule if is_list or value.said >= enough else None
    if value.option:
        if slot.type == "boolean":
            bar = max(bar, SAID_YES)
        if rule is not None:
            return rule
        if _is_same(value.option, context.filled.get(name)):
            return None
        if value.sure < (bar if is_asked else max(bar, BESIDE if context.asked else MEANT)):
            return None
        if not is_asked and value.sure < WHICH * value.said:
            return None
        return Span(name, "", 0, 0, value.sure, "meant, by all that is said", value=value.option)
    if value.said < bar or trimmed(value.words) not in text:
        return rule
    if slot.type == "money" and (rule is not None or value.sure < PLAIN or not corrects):
        return rule  # of an amount the reader says whether, and the rules which: two numbers are one too many
    whole = _placed(name, value, text)
    span = _read(whole, slot, context) or _grown(whole, text, slot, context)
    is_meant = value.sure >= (SURE if is_asked else PLAIN) and (is_asked or slot.type in SHAPED)
    if span is None and rule is None and is_meant and _WRITTEN.search(whole.words):
        return whole  # the answer, if one that cannot be: the slot's own words say what is wrong with it
    if span is None or (rule is not None and slot.type not in ("text", "list") and _is_longer(rule, span)):
        return rule
    if rule is not None and slot.type == "text" and value.sure < SURE and overlaps(span.start, span.end, [rule]):
        return rule
    if rule is not None and slot.type not in ("text", "list") and not overlaps(span.start, span.end, [rule]):
        return span if value.sure >= bar else rule
    return span


def _is_stray(span: Span, slot: SlotConfig, reading: Reading, context: DialogueContext) -> bool:
    """Whether a number would replace one that was given, though nothing says that it should."""
    replaces = span.slot in context.filled and span.slot != context.asked
    return replaces and slot.type in NUMBERS and span.confidence < TELLING and reading.acts["correct"] < SAID


def _is_same(option: str, filled: object) -> bool:
    """Whether an option is what the slot holds already."""
    return option == ({True: "yes", False: "no"}.get(filled, "") if isinstance(filled, bool) else filled)


def _is_longer(rule: Span, span: Span) -> bool:
    """Whether the rules found more of the same value: 'half past six tomorrow' for 'six'."""
    return span.words in rule.words and len(rule.words) > len(span.words)


def _placed(name: str, value: Value, text: str) -> Span:
    """The reader's words where they stand in a text that may be a part of what it read."""
    words = trimmed(value.words)
    places = [hit.start() for hit in re.finditer(re.escape(words), text)]
    start = min(places, key=lambda place: abs(place - value.start))
    return Span(name, words, start, start + len(words), value.sure, "read as its value")


def _read(whole: Span, slot: SlotConfig, context: DialogueContext) -> Span | None:
    """The reader's words as a value of the slot's type; what stands before or behind it is left away."""
    words = whole.words
    if slot.type == "choice":
        hit = option_in(tokens(words), slot, context.reading.words)
        return None if hit is None else replace(whole, value=hit[2])
    if slot.type in ("text", "list") or parses(words, slot, context):
        return whole
    runs = tokens(words)
    for length in range(len(runs) - 1, 0, -1):
        for first in range(len(runs) - length + 1):
            begin, end = runs[first].start, runs[first + length - 1].end
            part = trimmed(words[begin:end])
            if part and parses(part, slot, context):
                return replace(whole, words=part, start=whole.start + begin, end=whole.start + end)
    return None


def _grown(whole: Span, text: str, slot: SlotConfig, context: DialogueContext) -> Span | None:
    """The same with a word or two more: 'this evening' is a day where 'evening' alone is none."""
    if slot.type in ("choice", "text", "list"):
        return None
    runs = tokens(text)
    inside = [place for place, run in enumerate(runs) if run.start < whole.end and run.end > whole.start]
    if not inside:
        return None
    for more in range(1, _MORE + 1):
        for before in range(more, -1, -1):
            first, last = inside[0] - before, inside[-1] + more - before
            if first < 0 or last >= len(runs):
                continue
            words = trimmed(text[runs[first].start : runs[last].end])
            if parses(words, slot, context):
                return replace(whole, words=words, start=runs[first].start, end=runs[last].end)
    return None
