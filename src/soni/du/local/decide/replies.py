"""Readings as the reply to a confirmation: yes, no, and what is said besides."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from soni.core.commands import AffirmConfirmation, CancelFlow, CorrectSlot, DenyConfirmation
from soni.du.local import acts
from soni.du.local.clauses import without_courtesies
from soni.du.local.decide.answers import value_signs
from soni.du.local.decide.candidate import Candidate, ready
from soni.du.local.decide.requests import starts
from soni.du.local.verdicts import agreement, denial
from soni.du.local.words import content, fold, same_root
from soni.du.understanding import Found
from soni.languages import any_of, built

if TYPE_CHECKING:
    from collections.abc import Iterator

    from soni.du.local.message import Message
    from soni.du.local.verdicts import Agreement
    from soni.languages import Language


@built
def _puts_off(words: Language) -> re.Pattern[str]:
    """By these words what is confirmed is only put off: 'not yet, show me my balance first'."""
    said = words.acts
    return re.compile(rf"^(?:\w+[\s,.!]+){{0,3}}?{any_of(said.first_of_all)}\b|\b{any_of(said.first_at_end)}[\s.!?]*$")


def replies(message: Message) -> Iterator[Candidate]:
    """Every way to read the message as the reply to a confirmation."""
    said = agreement(message.text, message.context.reading, message.confirmed)
    if said is not None:
        yield from _yes(message, said)
    yield from _no(message)
    values = message.values(message.core, message.context.slots_of(*message.context.chain))
    if values:
        yield ready("values", values, value_signs(message, values))
    match = message.assistant.patterns.match(message.core, message.context.flows, message.context.reading)
    if match is not None and match.flow == message.context.active_flow:
        preset = message.values(message.core, message.context.slots_of(*message.context.chain), preset=match.values)
        yield ready("values", preset, {"pattern": 1.0})


def _yes(message: Message, said: Agreement) -> Iterator[Candidate]:
    yes = Found(AffirmConfirmation(), evidence=f"'{message.text}' says yes")
    signs = yes_signs(message, said)
    yield ready("yes", [yes], signs)
    if len(content(said.rest)) < 2:
        return
    rest = without_courtesies(said.rest, message.words)
    for text in dict.fromkeys((rest, message.core)):
        for one in list(starts(message, text, "yes and start", [yes]))[:1]:
            yield Candidate(one.kind, one.make, {**one.signs, **signs})


def yes_signs(message: Message, said: Agreement) -> dict[str, float]:
    """What speaks for words that begin with a yes being one."""
    rest = content(said.rest)
    shown = {word for value in message.context.filled.values() for word in content(str(value))}
    own = shown | message.confirmed.words
    known = [word for word in rest if any(same_root(word, other) for other in own)]
    return {
        "bare": float(not rest),
        "rest": min(len(rest), 8) / 8,
        "strong": float(said.strong),
        "stopped": float(said.stopped),
        "joined": float(said.joined),
        "asks more": float(said.asks_more),
        "against": float(said.against),
        "taken back": float(said.takes_back),
        "trails off": float(said.trails_off),
        "known": len(known) / max(len(rest), 1),
        "shows nothing": float(not message.context.filled),
    }


def _no(message: Message) -> Iterator[Candidate]:
    said = denial(message.text, message.context.reading)
    no = Found(DenyConfirmation(), evidence=f"'{message.text}' says no")
    undoing = message.context.active_flow in message.assistant.undoing
    signs = {
        "said": float(said is not None),
        "bare": float(said is not None and not said.rest),
        "keeps": float(undoing and acts.keeps(message.text, message.words)),
        "puts off": float(_puts_off(message.words).search(fold(message.text)) is not None),
        "calls off": float(acts.begins_with_cancel(message.core, message.words)),
    }
    yield ready("no", [no], signs)
    if said is not None and acts.begins_with_cancel(said.rest, message.words):
        yield ready("no, cancel", [Found(CancelFlow(), evidence=f"'{said.rest}' calls it off")], signs)
    rest = without_courtesies(said.rest, message.words) if said is not None and said.rest else ""
    for text in dict.fromkeys(text for text in (rest, message.core) if len(content(text)) > 1):
        for one in list(starts(message, text, "no and start", [no]))[:1]:
            yield Candidate(one.kind, one.make, {**one.signs, **signs})
        if text == rest:
            for one in list(starts(message, text, "start behind a no"))[:1]:
                yield Candidate(one.kind, one.make, {**one.signs, **signs})
    values = message.values(message.core, message.context.slots_of(*message.context.chain)) if said is not None else []
    if values and not any(isinstance(found.command, CorrectSlot) for found in values):
        yield ready("no and values", [no, *values], signs)
