"""Readings as the answer to the open question, alone or with more."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from soni.core.commands import Acknowledge, CorrectSlot, SetSlot, Skip
from soni.core.values.vocabulary import vocabulary
from soni.du.local import acts
from soni.du.local.clauses import MOST_BREAKS, joins, parts
from soni.du.local.correcting import corrected, corrected_by_reader
from soni.du.local.corrections import is_relative
from soni.du.local.decide.candidate import ready
from soni.du.local.decide.requests import starts
from soni.du.local.decide.signs import logit
from soni.du.local.encoder import encoder
from soni.du.local.lead_ins import without_lead_in
from soni.du.local.message import FREE, SHORT, slot_of
from soni.du.local.names import in_apposition, is_name, without_relation
from soni.du.local.reading import NUMBERS, TELLING, parses
from soni.du.local.value_runs import anchors
from soni.du.local.verdicts import verdict
from soni.du.local.words import content, fold, tokens, trimmed
from soni.du.understanding import Found
from soni.languages import any_of, built

if TYPE_CHECKING:
    from collections.abc import Iterator

    from soni.config.models import SlotConfig
    from soni.du.local.decide.candidate import Candidate
    from soni.du.local.message import Message
    from soni.languages import Language


_SHAPES = {
    "iban": re.compile(r"\b[a-z]{2} ?\d{2}(?:[ .-]?[a-z]{4})?(?:[ .-]?\d){6,40}\b", re.IGNORECASE),
    "email": re.compile(r"[^\s@]@\S{0,60}[^\s.,;:!?)]"),
    "phone": re.compile(r"\+?\(?\d[\d ().-]{5,20}\d"),
}
"""What cannot be anything else than the answer, even if it is none that is good: the slot's own words say so."""
_SENTENCE = re.compile(r"[.!?]\s")


@built
def _goes_on(words: Language) -> re.Pattern[str]:
    """What stands before words that are only the second half of what somebody tells."""
    return re.compile(rf"\w \w+,? {any_of(words.courtesies.goes_on)}\s?$")


def answers(message: Message) -> Iterator[Candidate]:
    """Every way to read the message as an answer."""
    name = message.context.asked or ""
    asked = message.context.slots[name]
    yield from _whole(message, name, asked)
    yield from _with_values(message, name, asked)
    if asked.type == "boolean":
        yield from _decided(message, name)
    elif asked.type in FREE:
        yield from _words(message, name)
    else:
        yield from _unreadable(message, name, asked)
    yield from _and_then(message, name, asked)
    yield from _declined_but(message)


def _set(name: str, value: object, why: str, words: str = "") -> list[Found]:
    return [Found(SetSlot(slot=name, value=value), 1.0, why, words)]


def _whole(message: Message, name: str, asked: SlotConfig) -> Iterator[Candidate]:
    """All of the message is a value of the slot's type."""
    if asked.type not in FREE and asked.type != "boolean" and parses(message.core, asked, message.context):
        value = trimmed(message.core)
        yield ready("answer", _set(name, value, "the answer", value), {"whole": 1.0})


def _with_values(message: Message, name: str, asked: SlotConfig) -> Iterator[Candidate]:
    """The values in the message, with the answer among them or not."""
    slots = {**message.open_slots(), **(message.filled() if message.reading is not None else {})}
    values = message.values(message.core, slots)
    own = next((found for found in values if slot_of(found) == name), None)
    if own is None and asked.type in ("iban", "email", "phone"):
        shaped = _shaped(message.text, asked, values)
        if shaped is not None:
            yield ready("shaped", [*values, *_set(name, shaped, "written like one", shaped)])
    if not values:
        return
    signs = value_signs(message, values)
    if own is None:
        yield ready("values", values, signs)
        return
    signs |= {"own": own.confidence, "own telling": float(own.confidence >= TELLING), "named": float(bool(own.words))}
    yield ready("answer in words", values, signs)
    if len(values) > 1:
        yield ready("answer alone", [own], signs)
    if asked.type == "text" and name not in message.assistant.cues.names:
        yield ready("answer told", [_told(message, own)], signs)


def value_signs(message: Message, values: list[Found]) -> dict[str, float]:
    """What speaks for some values being meant as such."""
    said = set(content(message.core))
    covered = {word for found in values for word in content(found.words)}
    slots = [message.context.slots[slot_of(found)] for found in values]
    changes = [found for found in values if isinstance(found.command, CorrectSlot)]
    asks_numbers = any(slot.type in NUMBERS for slot in slots)
    return {
        "covered": len(said & covered) / max(len(said), 1),
        "several": float(len(values) > 1),
        "changes": float(bool(changes)),
        "only changes": float(len(changes) == len(values)),
        "least": min(found.confidence for found in values),
        "telling": float(any(found.confidence >= TELLING for found in values)),
        "numbers": float(asks_numbers),
        "words": float(any(slot.type in FREE for slot in slots)),
        "options": float(any(slot.type == "choice" for slot in slots)),
        "relative": float(is_relative(message.core, message.words)),
        "asks numbers": float(asks_numbers and "?" in message.core),
    }


def _decided(message: Message, name: str) -> Iterator[Candidate]:
    """A yes or a no to a question for one."""
    said = verdict(message.core, message.context.reading)
    reading = message.reading
    value = None if reading is None else reading.values.get(name)
    for yes, act, option in ((True, "affirm", "yes"), (False, "negate", "no")):
        likely = 0.0
        if reading is not None and value is not None:
            likely = logit(max(reading.acts[act], value.sure if value.option == option else 0.0))
        signs = {"said": float(said is not None and said.yes == yes), "read": likely}
        signs["unsaid"] = float(said is not None and said.yes != yes)
        yield ready("decided", _set(name, yes, "says yes" if yes else "says no"), signs)


def _words(message: Message, name: str) -> Iterator[Candidate]:
    """The words themselves, where any are an answer."""
    core, words = message.core, message.words
    named = name in message.assistant.cues.names
    said = verdict(core, message.context.reading)
    signs = {
        "name": float(named and is_name(core, words)),
        "no name": float(named and _is_no_name(core, words)),
        "verdict": float(said is not None and not said.rest),
    }
    if named and (behind := in_apposition(core, words)) is not None:
        value = message.fixed.as_written(behind)
        yield ready("answer behind", _set(name, value, "a name", value), signs)
    value = without_lead_in(message.fixed.as_written(core), words, name=named and signs["name"] > 0)
    value = without_relation(value, words) if named else value
    yield ready("all of it", _set(name, value, "the open question takes any words", value), signs)
    first = parts(core, words)[:1]
    if named and first and len(content(first[0])) < len(content(core)):
        values = message.values(core, message.open_slots())
        begun = without_lead_in(message.fixed.as_written(first[0]), words, name=True)
        others = [found for found in values if slot_of(found) != name]
        signs = {**signs, "others": float(bool(others)), "size": min(len(content(begun)), 5) / 5}
        yield ready("the first part", [*_set(name, begun, "the first thing said", begun), *others], signs)


def _unreadable(message: Message, name: str, asked: SlotConfig) -> Iterator[Candidate]:
    """An answer that the slot cannot hold: its own words say what is wrong with it."""
    if parses(message.core, asked, message.context):
        return
    words = content(message.core)
    known = [encoder().knows(word) for word in words]
    signs = {"known": sum(known) / max(len(known), 1), "digits": float(any(map(str.isdigit, message.core)))}
    value = without_lead_in(message.core, message.words) if asked.type == "choice" else message.text
    yield ready("unreadable", _set(name, value, "an answer that fits none"), signs)


def _and_then(message: Message, name: str, asked: SlotConfig) -> Iterator[Candidate]:
    """The answer, and a request that is joined to it: 'vegan, and after that I want a table'."""
    for hit in islice(joins(message.words).finditer(fold(message.core)), MOST_BREAKS):
        left, right = message.core[: hit.start()], message.core[hit.end() :]
        if len(content(right)) > 1 and message.assistant.rules.read(left, {name: asked}, message.context, asked=name):
            before = message.values(left, {name: asked})
            yield from list(starts(message, right, "answer and start", before))[:1]
            return


def _declined_but(message: Message) -> Iterator[Candidate]:
    """'No thanks, but change the time to nine', to a question that may stay open."""
    said = parts(message.core, message.words) if message.optional else []
    if len(said) > 1 and acts.declines(said[0], message.words) and (changed := corrected(message)):
        yield ready("skip and change", [Found(Skip(), evidence=said[0]), *changed])


def _shaped(text: str, asked: SlotConfig, others: list[Found]) -> str | None:
    """What is written like the answer and is no other value: a day has digits, as a telephone has."""
    shape = _SHAPES.get(asked.type)
    hit = shape.search(text) if shape is not None else None
    if hit is None:
        return None
    written = hit.group()
    taken = any(found.words and (found.words in written or written in found.words) for found in others)
    return None if taken else written


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
    if _goes_on(message.words).search(fold(whole[:place])):
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


def changes(message: Message) -> Iterator[Candidate]:
    """New values for what was said before."""
    if found := corrected(message):
        bare = any(getattr(one.command, "value", None) is None for one in found)
        with_values = [one for one in found if getattr(one.command, "value", None) is not None]
        signs = value_signs(message, with_values) if with_values else {}
        yield ready("change", found, {**signs, "bare": float(bare)})
    if values := corrected_by_reader(message):
        yield ready("change by reader", values, value_signs(message, values))


def values_of_the_flow(message: Message) -> Iterator[Candidate]:
    """Values for the flow that runs, where no question for one is open."""
    values = message.values(message.core, message.context.slots_of(*message.context.chain))
    if values:
        yield ready("values", values, value_signs(message, values))


def acknowledged(message: Message) -> Candidate:
    """Going on, where something was only told."""
    seen = acts.is_acknowledgement(message.core, message.words)
    return ready("seen", [Found(Acknowledge(), evidence="it was seen")], {"said": float(seen)})
