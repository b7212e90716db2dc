"""Readings as a request: one flow, one of several, two, or another one instead."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from soni.core.commands import CancelFlow, Clarify, ResumeFlow, StartFlow
from soni.core.values.vocabulary import vocabulary
from soni.du.local import acts
from soni.du.local.clauses import cuts, joins, parts
from soni.du.local.corrections import positive
from soni.du.local.decide.candidate import Candidate, ready
from soni.du.local.decide.signs import logit
from soni.du.local.message import slot_of
from soni.du.local.reading import TELLING
from soni.du.local.vague import vague_flows
from soni.du.local.words import content, fold
from soni.du.understanding import Found
from soni.languages import any_of, built

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from soni.du.local.flows import Score
    from soni.du.local.message import Message
    from soni.languages import Language

_LOOKED_AT = 3
"""How many flows, the likeliest, a message is read as a request for."""
_MOST_OFFERED = 4
EVEN = 0.5
"""More likely than not."""
_WHEN = ("date", "time", "datetime")


class _Instead:
    """What asks for another thing in some languages."""

    def __init__(self, words: Language) -> None:
        said = words.acts
        self.no_more = re.compile(rf"^(?:{any_of(said.no_more_before)}[\s,]+)*{any_of(said.no_more)}\b")
        self.rather = re.compile(rf"^{any_of(said.rather)}\b[\s,]*")
        self.another = re.compile(rf"(?:\w+\s){{0,3}}{any_of(said.another)}\b")
        """What is asked for again without its name: 'drop my table and make me another for Friday'."""
        self.marks = frozenset(said.instead)
        self.but = frozenset(said.but)


_instead_words = built(_Instead)


def requests(message: Message) -> Iterator[Candidate]:
    """Every way to read the message as asking for flows."""
    yield from _by_pattern(message)
    yield from starts(message, message.core, "start")
    yield from _with_values_heard(message, message.ranked(message.core))
    yield from _in_a_part(message)
    yield from _one_of_several(message)
    yield from _two(message)
    if message.context.active_flow:
        yield from _instead(message)


def starts(message: Message, text: str, kind: str, before: Sequence[Found] = ()) -> Iterator[Candidate]:
    """The likeliest flows that some words ask for, perhaps behind something else that is said."""
    ranked = message.ranked(text)
    for place, score in enumerate(ranked[:_LOOKED_AT]):

        def make(score: Score = score) -> list[Found]:
            return [*before, *started(message, text, score)]

        yield Candidate(kind, make, start_signs(message, text, ranked, place))


def _with_values_heard(message: Message, ranked: Sequence[Score]) -> Iterator[Candidate]:
    """The likeliest flow with those values alone that the reader hears: much that is told is not asked for."""
    if not ranked or message.reading is None:
        return
    text, score = message.core, ranked[0]
    values = message.values(text, message.context.slots_of(score.flow))
    reading = message.read_for(message.context.slots_of(score.flow))
    heard = {name for name, value in reading.values.items() if value.said >= EVEN} if reading is not None else set()
    kept = [found for found in values if slot_of(found) in heard]
    if reading is None or len(kept) == len(values):
        return
    dropped = [
        reading.values[slot_of(found)].said
        for found in values
        if found not in kept and slot_of(found) in reading.values
    ]
    signs = start_signs(message, text, ranked, 0)
    signs |= {"dropped": logit(max(dropped, default=0.0)), "kept": float(bool(kept))}
    signs["dates"] = float(any(message.context.slots[slot_of(one)].type in _WHEN for one in values if one not in kept))
    yield ready("start, values heard", started(message, text, score, kept), signs)


def started(message: Message, text: str, score: Score, values: list[Found] | None = None) -> list[Found]:
    """The start of a flow with the values that the words name; a flow that was left open goes on."""
    values = message.values(text, message.context.slots_of(score.flow)) if values is None else values
    paused = score.flow in message.context.paused_flows and not values
    command = ResumeFlow(flow=score.flow) if paused else StartFlow(flow=score.flow)
    return [Found(command, evidence=f"like '{score.phrase}'"), *values]


def start_signs(message: Message, text: str, ranked: Sequence[Score], place: int) -> dict[str, float]:
    """What speaks for one of the ranked flows."""
    score = ranked[place]
    others = [other.value for other in ranked if other is not score]
    spans = message.spans(text, score.flow)
    return {
        "similar": score.similar,
        "ahead": max(-0.5, min(score.value - max(others, default=score.value - 0.2), 0.5)),
        "likely": 0.0 if score.read is None else logit(score.read),
        "unread": float(score.read is None),
        "outside": logit(score.outside),
        "sure": logit(message.sure(ranked)) if place == 0 else -1.0,
        "first": float(place == 0),
        "values": min(len(spans), 3) / 3,
        "telling": float(any(span.confidence >= TELLING for span in spans)),
        "exact": float(score.similar == 1.0),
        "undoes": float(acts.undoes(text, message.words)) * (1.0 if score.flow in message.assistant.undoing else -1.0),
        "undoing": float(score.flow in message.assistant.undoing),
        "left open": float(score.flow in message.context.paused_flows),
        "words": min(len(content(text)), 10) / 10,
        "refused": float(acts.is_refusal(text, message.words)),
    }


def _by_pattern(message: Message) -> Iterator[Candidate]:
    """A trigger phrase with values in its places."""
    text, context = message.core, message.context
    match = message.assistant.patterns.match(text, context.flows, context.reading)
    if match is None:
        return

    def make() -> list[Found]:
        values = message.values(text, context.slots_of(match.flow), preset=match.values)
        if match.flow == context.active_flow:
            return values
        return [Found(StartFlow(flow=match.flow), evidence=f"like '{match.phrase}'"), *values]

    signs = {"asks": float("?" in text), "denies": float(positive(text, message.words) != text)}
    yield Candidate("pattern of this flow" if match.flow == context.active_flow else "pattern", make, signs)


def _in_a_part(message: Message) -> Iterator[Candidate]:
    """A request that is only a part of what is said."""
    said = [part for part in parts(message.core, message.words) if len(content(part)) > 2]
    if len(said) < 2 or len(said) > 4:
        return
    ranked = max((message.ranked(part) for part in said), key=message.sure)
    text = next(part for part in said if message.ranked(part) is ranked)
    if ranked:
        yield Candidate(
            "start by a part", lambda: started(message, text, ranked[0]), start_signs(message, text, ranked, 0)
        )


def _one_of_several(message: Message) -> Iterator[Candidate]:
    """Flows of which nothing tells which is meant."""
    text, reading = message.core, message.reading
    ranked = message.ranked(text)
    fits = vague_flows(message, text)
    options = [score.flow for score in ranked if score.flow in fits][:_MOST_OFFERED]
    if len(options) > 1:
        yield ready(
            "vague", [Found(Clarify(options=options), evidence="it fits them alike")], {"options": len(options) / 4}
        )
    if len(ranked) < 2 or ranked[0].similar == 1.0:
        return
    among = {} if reading is None else reading.among
    for size in range(2, min(len(ranked), _MOST_OFFERED) + 1):
        near = ranked[:size]
        signs = {
            "size": size / 4,
            "spread": min(near[0].value - near[-1].value, 0.5),
            "gap": min(near[-1].value - ranked[size].value, 0.5) if len(ranked) > size else 0.2,
            "alike": near[0].similar - near[-1].similar,
            "similar": near[-1].similar,
            "least": logit(min(among.get(one.flow, 0.0) for one in near)),
            "among": sum(among.get(one.flow, 0.0) for one in near),
            "sure": logit(message.sure(ranked)),
            "words": min(len(content(text)), 10) / 10,
            "values": min(len(message.spans(text, near[0].flow)), 3) / 3,
        }
        asking = Clarify(options=[one.flow for one in near])
        yield ready("clarify", [Found(asking, evidence="like each of them")], signs)


def _two(message: Message) -> Iterator[Candidate]:
    """Two requests, in spoken order, at the place where the message is best cut."""
    best: tuple[tuple[bool, float], Candidate] | None = None
    known = _instead_words(message.words)
    for left, right in cuts(message.core, message.words):
        if _is_value(left, message.words) or _is_value(right, message.words):
            continue  # 'a table on Friday, half past eight in the evening'
        first, second = message.ranked(left), message.ranked(right)
        if not first or not second:
            continue
        another = first[0].flow in message.assistant.undoing and known.another.match(fold(right)) is not None
        if another:
            second = [score for score in message.ranked(message.core) if score.flow != first[0].flow] or second
        if first[0].flow == second[0].flow:
            continue
        between = fold(message.core)[len(left) : len(message.core) - len(right)]
        joined = joins(message.words).search(f"{between} {' '.join(fold(right).split()[:3])}") is not None
        flows = (first[0].flow, second[0].flow)
        weak = min(message.sure(first), message.sure(second))
        likely = sorted(_read_flow(message, flow) for flow in flows)
        others = message.context.slots_of(flows[0])
        signs = {
            "joined": float(joined),
            "another": float(another),
            "weak": logit(weak),
            "strong": logit(max(message.sure(first), message.sure(second))),
            "less likely": likely[0],
            "likelier": likely[1],
            "but": float(not known.but.isdisjoint(content(between))),
            "told": float(any(span.slot not in others for span in message.spans(right, flows[1]))),
        }

        def make(left: str = left, right: str = right, one: Score = first[0], two: Score = second[0]) -> list[Found]:
            return [*started(message, left, one), *started(message, right, two)]

        if best is None or (joined, weak) > best[0]:
            best = (joined, weak), Candidate("two requests", make, signs)
    if best is not None:
        yield best[1]


def _read_flow(message: Message, flow: str) -> float:
    return 0.0 if message.reading is None else logit(message.reading.flows.get(flow, 0.0))


def _instead(message: Message) -> Iterator[Candidate]:
    """Another flow in place of the one that runs: 'cancel that and show my balance', 'no, just top up 20 instead'."""
    cancel = Found(CancelFlow(), evidence="something else is wanted instead")
    core, words = message.core, message.words
    known = _instead_words(words)
    marks = {"instead": float(not known.marks.isdisjoint(content(core)))}
    marks["begins"] = float(acts.begins_with_cancel(core, words))
    for one in list(starts(message, core, "instead", [cancel]))[:2]:
        yield Candidate(one.kind, one.make, {**one.signs, **marks})
    for left, right in cuts(core, words):
        if acts.begins_with_cancel(left, words) or known.no_more.match(fold(left)):
            rather = known.rather.match(fold(right))
            wanted = right[rather.end() :] if rather else right
            for one in list(starts(message, wanted, "cancel and start", [cancel]))[:1]:
                yield Candidate(one.kind, one.make, {**one.signs, **marks})


def _is_value(text: str, words: Language) -> bool:
    """Whether there is no word that is not of a number, a day or a time."""
    values = vocabulary(words).words
    return all(word in values or any(map(str.isdigit, word)) for word in content(text))
