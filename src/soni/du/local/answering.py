"""The message as the answer to the open question."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from soni.core.commands import SetSlot, Skip, StartFlow
from soni.core.values.vocabulary import vocabulary
from soni.du.local import acts
from soni.du.local.choosing import ANSWERED, BOTH, INTERRUPT, SURELY, request, two_requests
from soni.du.local.clauses import MOST_BREAKS, joins, parts
from soni.du.local.correcting import corrected
from soni.du.local.corrections import positive
from soni.du.local.encoder import encoder
from soni.du.local.lead_ins import asks_back, without_lead_in
from soni.du.local.merging import SAID, SURE
from soni.du.local.message import FREE, SHORT, slot_of
from soni.du.local.names import in_apposition, is_name, without_relation
from soni.du.local.reading import parses
from soni.du.local.value_runs import anchors
from soni.du.local.verdicts import verdict
from soni.du.local.words import content, fold, tokens, trimmed
from soni.du.understanding import Found
from soni.languages import any_of, built

if TYPE_CHECKING:
    from soni.config.models import SlotConfig
    from soni.du.local.message import Message
    from soni.languages import Language

_NO_NAME = 0.65
"""How sure of a flow that some words ask for where they could as well be a name."""
STRANGE = 0.8
"""How sure the reader must be that words are about nothing here for them not to be a name."""
_NO_TEXT = 0.97
"""The same where they could as well be whatever a person wants to tell."""
_SHAPES = {
    "iban": re.compile(r"\b[a-z]{2} ?\d{2}(?:[ .-]?[a-z]{4})?(?:[ .-]?\d){6,40}\b", re.IGNORECASE),
    "email": re.compile(r"[^\s@]@\S{0,60}[^\s.,;:!?)]"),
    "phone": re.compile(r"\+?\(?\d[\d ().-]{5,20}\d"),
}
"""What cannot be anything else than the answer, even if it is none that is good: the slot's own words say so."""
_SENTENCE = re.compile(r"[.!?]\s")


class _Answering:
    """Words around answers in some languages."""

    def __init__(self, words: Language) -> None:
        self.politely = re.compile(rf"\b{any_of(words.courtesies.politely)}\b")
        """Without these a no may be about what comes behind it: 'oh no, it is the other one'."""
        self.goes_on = re.compile(rf"\w \w+,? {any_of(words.courtesies.goes_on)}\s?$")
        """What stands before words that are only the second half of what somebody tells."""


_answering = built(_Answering)


def collect(message: Message) -> list[Found] | None:
    """The answer, unless the message clearly does something else."""
    asked = message.context.slots[message.context.asked or ""]
    plain = positive(message.core, message.words) == message.core
    if plain and asked.type not in FREE and asked.type != "boolean" and parses(message.core, asked, message.context):
        value = trimmed(message.core)
        return [Found(SetSlot(slot=message.context.asked or "", value=value), 1.0, "the answer", value)]
    return (
        _declined_but(message)
        or corrected(message)
        or (_words(message) if asked.type in FREE else _answer(message, asked))
        or request(message, message.core, INTERRUPT)
        or _refused(message, asked)
    )


def _declined_but(message: Message) -> list[Found] | None:
    """'No thanks, but change the time to nine', to a question that may stay open."""
    said = (
        parts(message.core, message.words)
        if message.optional and _answering(message.words).politely.search(fold(message.core))
        else []
    )
    if len(said) < 2 or not acts.declines(said[0], message.words):
        return None
    changed = corrected(message)
    return [Found(Skip(), evidence=said[0]), *changed] if changed else None


def _answer(message: Message, asked: SlotConfig) -> list[Found] | None:
    """The answer, perhaps in a sentence, perhaps with more."""
    name = message.context.asked or ""
    if asked.type == "boolean":
        return _decided(message, name)
    values = message.values(
        message.core, {**message.open_slots(), **(message.filled() if message.reading is not None else {})}
    )
    answers = any(slot_of(found) == name for found in values)
    if asked.type == "choice":
        values = [found for found in values if slot_of(found) == name or not _tells_it(message, found)]
    if not answers and (shaped := _shaped(message.text, asked, values)) is not None:
        return [*values, Found(SetSlot(slot=name, value=shaped), 0.9, "written like one", shaped)]
    enough = ANSWERED if message.answered() else SURELY if answers else INTERRUPT
    start = two_requests(message) or _and_then(message, asked) or request(message, message.core, enough)
    if start is not None:
        return start
    return None if acts.is_refusal(message.core, message.words) and not answers else values or None


def _and_then(message: Message, asked: SlotConfig) -> list[Found] | None:
    """The answer, and a request that is joined to it: 'vegan, and after that I want a table'."""
    for hit in islice(joins(message.words).finditer(fold(message.core)), MOST_BREAKS):
        left, right = message.core[: hit.start()], message.core[hit.end() :]
        slots = {message.context.asked or "": asked}
        answers = message.assistant.rules.read(left, slots, message.context, asked=message.context.asked)
        start = request(message, right, BOTH) if answers and len(content(right)) > 1 else None
        if start and isinstance(start[0].command, StartFlow):
            return [*message.values(left, slots), *start]
    return None


def _tells_it(message: Message, found: Found) -> bool:
    """Whether words for another slot are what the message begins with: 'it fell out of my pocket' is the answer."""
    slot = message.context.slots[slot_of(found)]
    named = slot_of(found) in message.assistant.cues.names
    begins = bool(found.words) and message.core.casefold().startswith(found.words.casefold())
    return slot.type == "text" and not named and begins


def _shaped(text: str, asked: SlotConfig, others: list[Found]) -> str | None:
    """What is written like the answer and is no other value: a day has digits, as a telephone has."""
    shape = _SHAPES.get(asked.type)
    hit = shape.search(text) if shape is not None else None
    if hit is None:
        return None
    written = hit.group()
    taken = any(found.words and (found.words in written or written in found.words) for found in others)
    return None if taken else written


def _decided(message: Message, name: str) -> list[Found] | None:
    """A yes or a no to a question for one: by its words, or by what the reader takes it for."""
    said = verdict(message.core, message.context.reading)
    if said is not None:
        return [Found(SetSlot(slot=name, value=said.yes), evidence=message.text)]
    reading = message.reading
    value = None if reading is None else reading.values.get(name)
    if reading is None or value is None:
        return None
    yes = max(reading.acts["affirm"], value.sure if value.option == "yes" else 0.0)
    no = max(reading.acts["negate"], value.sure if value.option == "no" else 0.0)
    if max(yes, no) < SAID or message.trust(message.core) > max(yes, no):
        return None
    return [Found(SetSlot(slot=name, value=yes > no), max(yes, no), "read as its answer")]


def _words(message: Message) -> list[Found] | None:
    """The answer to a question that takes any words."""
    name = message.context.asked or ""
    named = name in message.assistant.cues.names
    size = len(content(message.core))
    enough = ANSWERED if message.answered() else _NO_NAME if named else _NO_TEXT
    start = request(message, message.core, enough) if size > 1 else None
    if start is not None:
        return two_requests(message) or start
    if named and (behind := in_apposition(message.core, message.words)) is not None:
        value = message.fixed.as_written(behind)
        return [Found(SetSlot(slot=name, value=value), 0.9, "a name", value)]
    said = verdict(message.core, message.context.reading)
    asks = asks_back(message.core, message.words) and not message.answered()
    if (said is not None and not said.rest and (named or size == 1)) or asks:
        return None
    reading = message.read_for({name: message.context.slots[name]})
    if reading is not None:
        values = message.values(message.core, {**message.open_slots(), **message.filled()})
        own = next((found for found in values if slot_of(found) == name), None)
        if named and len(values) < 2 and is_name(message.core, message.words):
            values, own = [], None  # all of it
        if own is not None and len(values) == 1 and not named and own.confidence >= SURE:
            return [_told(message, own)]
        if own is not None and (named or len(values) > 1 or own.confidence >= SURE):
            return values
        if values and named:
            return values
        is_strange = max(reading.acts["outside"], reading.acts["chat"]) >= STRANGE
        if named and own is None and is_strange and not is_name(message.core, message.words):
            return None
    if named and (_is_no_name(message.core, message.words) or positive(message.core, message.words) != message.core):
        values = message.values(message.core, message.open_slots())
        return values if any(slot_of(found) == name for found in values) else None
    if named and is_name(message.core, message.words):
        value = message.fixed.as_written(without_lead_in(message.core, message.words, name=True))
        return [Found(SetSlot(slot=name, value=value), 0.9, "a name", value)]
    if named:
        values = message.values(message.core, message.open_slots())
        if any(slot_of(found) == name for found in values):
            return values
        first = parts(message.core, message.words)[:1]
        if values and first and len(content(first[0])) <= 3:
            value = without_lead_in(message.fixed.as_written(first[0]), message.words, name=True)
            return [Found(SetSlot(slot=name, value=value), 0.8, "the first thing said", value), *values]
    value = without_lead_in(message.fixed.as_written(message.core), message.words)
    value = without_relation(value, message.words) if named else value
    return [Found(SetSlot(slot=name, value=value), 0.8, "the open question takes any words", value)]


def _told(message: Message, own: Found) -> Found:
    """What somebody wants to tell, to the end of the sentence; an answer that only names something stays: 'a drama'."""
    whole = message.fixed.as_written(message.core)
    place = whole.find(own.words)
    if place < 0:
        return own
    start, end = _when(whole, place, message.words), place + len(own.words)
    if len(own.words.split()) < SHORT and not any(
        word.plain in anchors(message.words) for word in tokens(whole[start:end])
    ):
        return own
    if _answering(message.words).goes_on.search(fold(whole[:place])):
        start = 0
    stop = _SENTENCE.search(whole, end)
    value = trimmed(whole[start : stop.start() if stop else None])
    return Found(SetSlot(slot=slot_of(own), value=value), own.confidence, own.evidence, value)


def _when(text: str, place: int, words: Language) -> int:
    """Where words begin with the day or the hour that stands before them: 'on Tuesday, shopping in the market'."""
    start, values = place, vocabulary(words).words
    for word in reversed(tokens(text[:place])):
        if word.plain not in values or word.plain in words.courtesies.opens_nothing:
            break
        start = word.start
    return start if any(word.plain in anchors(words) for word in tokens(text[start:place])) else place


def _is_no_name(text: str, words: Language) -> bool:
    """Whether words that a name was asked for with are none."""
    plain = " ".join(content(text))
    return (
        plain in words.names.nobody or all(not letter.isalpha() for letter in text) or plain.replace(" ", "").isdigit()
    )


def _refused(message: Message, asked: SlotConfig) -> list[Found] | None:
    """A short answer that fits no type is still an answer: it gets the slot's error text."""
    words = content(message.text)
    gibberish = len(words) > 1 and not any(encoder().knows(word) for word in words)
    if len(words) <= SHORT and not asks_back(message.text, message.words) and asked.type not in FREE and not gibberish:
        return [Found(SetSlot(slot=message.context.asked or "", value=message.text), 0.3, "a short answer")]
    return None
