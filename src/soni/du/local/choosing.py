"""Which flow a message asks for: one, one of several, two, or none."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from soni.core.commands import Clarify, ResumeFlow, StartFlow
from soni.core.values.vocabulary import vocabulary
from soni.du.local import acts
from soni.du.local.clauses import cuts, joins, parts
from soni.du.local.corrections import positive
from soni.du.local.message import REQUESTS, slot_of
from soni.du.local.reading import TELLING
from soni.du.local.vague import asks_in_general, tells, vague_among
from soni.du.local.words import content, fold
from soni.du.understanding import Found
from soni.languages import any_of, built

if TYPE_CHECKING:
    from collections.abc import Sequence

    from soni.du.local.flows import Score
    from soni.du.local.message import Message
    from soni.languages import Language

START = 0.45
"""How sure of a flow when nothing was asked."""
INTERRUPT = 0.55
"""The same while a question is open: an answer is likelier than a change of subject."""
SURELY = 0.85
"""The same where the message also answers the question."""
ANSWERED = 0.97
"""The same where the reader sees an answer and no request."""
BOTH = 0.6
"""The same for each of two requests in one message."""
JOINED_BAR = 0.4
"""The same where a word such as 'then' or 'also' joins them."""
CLOSE = 0.06
"""How much nearer one flow must be than another to be taken without asking."""
MOST_OFFERED = 4
VAGUE, RATHER_VAGUE = 6, 8
ALIKE = 0.085
"""How much more a few words must be like one flow than like another to be taken for it."""
LIKE = 0.35
"""How much they must be like the other at all."""
FAR_AHEAD = 0.5
"""How far ahead a flow is, all in all, that is meant however alike the words."""
HEARD = 0.05
"""How likely the reader must think a request, or the flow it is for, while something else is under way."""
OUTSIDE = 0.9
"""How sure it must be that a message asks for nothing there is, or that it asks for something."""
RIVAL = 0.6
"""How sure it must be of another flow than the likeliest for both to be offered."""
SHARED = 0.25
"""How likely it must think a flow that a vague request may be for."""


@built
def _another_one(words: Language) -> re.Pattern[str]:
    return re.compile(rf"(?:\w+\s){{0,3}}{any_of(words.acts.another)}\b")


def request(message: Message, text: str, least: float) -> list[Found] | None:
    """The flow that the words ask for, with the values they name."""
    if acts.is_refusal(text, message.words) and not _requests(message, text):
        return None
    match = message.assistant.patterns.match(text, message.context.flows, message.context.reading)
    if match is not None and positive(text, message.words) == text and "?" not in text:
        values = message.values(text, message.context.slots_of(match.flow), preset=match.values)
        if match.flow == message.context.active_flow:
            return values
        return [Found(StartFlow(flow=match.flow), 0.95, f"like '{match.phrase}'"), *values]
    ranked = message.ranked(text)
    if _unheard(message, text, ranked):
        return None
    if (vague := _vague(message, text, ranked)) is not None:
        return [vague]
    sure = message.sure(ranked)
    for part in parts(text, message.words) if sure < BOTH and not _is_outside(message, text) else []:
        again = message.ranked(part) if len(content(part)) > 2 else []
        if message.sure(again) > sure:
            ranked, sure = again, message.sure(again)
    if ranked and sure < least and _counted(message, text, ranked[0]):
        sure = least
    if not ranked or sure < least:
        return _unsure(message, text) if ranked and ranked[0].similar >= LIKE else None
    near = [score for score in ranked if _close(ranked[0], score, text) and _may_be(message, text, score)]
    near = _rivals(message, text, ranked) or near[:MOST_OFFERED]
    values = message.values(text, message.context.slots_of(ranked[0].flow))
    if len(near) > 1 and not values:
        options = [score.flow for score in near]
        return [Found(Clarify(options=options), sure, " or ".join(f"like '{score.phrase}'" for score in near))]
    if ranked[0].flow in message.context.paused_flows and not values:
        return [Found(ResumeFlow(flow=ranked[0].flow), sure, f"like '{ranked[0].phrase}'")]
    return [Found(StartFlow(flow=ranked[0].flow), sure, f"like '{ranked[0].phrase}'"), *values]


def _may_be(message: Message, text: str, score: Score) -> bool:
    """Whether the reader thinks a flow possible."""
    return message.heard(text) is None or score.read is None or message.likely(score.flow)


def _vague(message: Message, text: str, ranked: Sequence[Score]) -> Found | None:
    """The flows that a request fits alike because it says too little: 'I need to pay something'."""
    context = message.context
    if context.task or context.active_flow or text != message.core:
        return None
    words = {flow: said for flow, said in message.assistant.scorer.words.items() if flow in context.flows}
    telling = {name for name, flow in context.flows.items() if tells(flow, message.words)}
    fits = set(vague_among(text, words, message.words))
    fits = fits if len(fits - telling) < 2 else fits - telling  # to make a payment is not to see the last ones
    fits = telling if asks_in_general(text, message.words, message.assistant.name) else fits
    if not 1 < len(fits) <= MOST_OFFERED or message.values(text, context.slots_of(*fits)):
        return None
    options = [score.flow for score in ranked if score.flow in fits]
    return Found(Clarify(options=options), 0.8, f"'{text}' fits them alike") if len(options) > 1 else None


def _rivals(message: Message, text: str, ranked: Sequence[Score]) -> list[Score]:
    """The flows between which the reader cannot tell, or the likeliest and the one it would take, after a few words."""
    reading = message.heard(text)
    if reading is None or ranked[0].read is None or len(content(text)) > RATHER_VAGUE:
        return []
    shared = [score for score in ranked if reading.among.get(score.flow, 0.0) >= SHARED]
    if len(shared) > 1 and reading.acts["start"] >= OUTSIDE:
        return shared[:MOST_OFFERED]
    other = next((score for score in ranked[1:] if reading.among.get(score.flow, 0.0) >= RIVAL), None)
    return [ranked[0], other] if other is not None else []


def _unheard(message: Message, text: str, ranked: Sequence[Score]) -> bool:
    """Whether something else is under way, and the reader hears nothing of the likeliest flow."""
    reading = message.heard(text) if message.context.task and ranked else None
    if reading is None or ranked[0].read is None or ranked[0].flow in message.context.paused_flows:
        return False
    return max(ranked[0].read, reading.acts["start"]) < HEARD


def _is_outside(message: Message, text: str) -> bool:
    """Whether the reader is sure that the message asks for nothing there is."""
    reading = message.heard(text)
    return reading is not None and reading.acts["outside"] >= OUTSIDE


def _counted(message: Message, text: str, best: Score) -> bool:
    """Whether a number is said of what only the likeliest flow counts: 'I'd give you four stars'."""
    if message.context.task or best.similar < LIKE or len(content(text)) > RATHER_VAGUE:
        return False
    slots = message.context.slots_of(best.flow)
    spans = message.assistant.rules.read(text, slots, message.context)
    counts = {name for name, slot in slots.items() if slot.type in ("integer", "number")}
    counted = [span.slot for span in spans if span.slot in counts and span.confidence >= TELLING]
    return any(sum(name in message.context.slots_of(flow) for flow in message.context.flows) == 1 for name in counted)


def _unsure(message: Message, text: str) -> list[Found] | None:
    """The flows to choose from where the reader sees a request for one of them, but not for which."""
    reading = None if message.context.task or message.context.active_flow else message.heard(text)
    if reading is None or reading.acts["start"] < OUTSIDE or reading.acts["outside"] >= SHARED:
        return None
    among = reading.among
    near = sorted((name for name in among if among[name] >= SHARED), key=lambda name: -among[name])[:MOST_OFFERED]
    return [Found(Clarify(options=near), among[near[0]], "read as one of these")] if len(near) > 1 else None


def _requests(message: Message, text: str) -> bool:
    """Whether the reader sees a request behind a refusal: 'I no longer want this one, give me another'."""
    reading = message.heard(text) if len(parts(text, message.words)) > 1 else None
    return reading is not None and reading.acts["start"] >= REQUESTS


def two_requests(message: Message) -> list[Found] | None:
    """Two requests in one message, in spoken order."""
    best: tuple[tuple[bool, float], list[Found]] | None = None
    for left, right in cuts(message.core, message.words):
        between = fold(message.core)[len(left) : len(message.core) - len(right)]
        joined = joins(message.words).search(f"{between} {' '.join(fold(right).split()[:3])}") is not None
        bar = JOINED_BAR if joined else BOTH
        if _is_value(left, message.words) or _is_value(right, message.words):
            continue  # 'a table on Friday, half past eight in the evening'
        first = request(message, left, bar)
        second = first and (_another(message, first, right) or request(message, right, bar))
        if not first or not second:
            continue
        one, other = first[0].command, second[0].command
        if not isinstance(one, StartFlow) or not isinstance(other, StartFlow) or one.flow == other.flow:
            continue
        plain = not set(message.words.acts.but) & set(content(between))
        weak, strong = sorted((first, second), key=lambda found: _heard(message, found))
        others = message.context.slots_of(_flow(strong))
        told = plain and any(_tells(message, found) and slot_of(found) not in others for found in weak[1:])
        if not joined and not told and _is_all_that_is_heard(message, weak, strong):
            continue
        if joined or told or all(_is_likely(message, found, plain) for found in (first[0], second[0])):
            least = joined, min(first[0].confidence, second[0].confidence)
            if best is None or least > best[0]:
                best = least, [*first, *second]
    return best[1] if best else None


def _tells(message: Message, found: Found) -> bool:
    """Whether a value shows that a flow is asked for that takes it; a day may be of anything."""
    slot = message.context.slots.get(slot_of(found))
    return slot is not None and slot.type not in ("date", "time", "datetime") and found.confidence >= TELLING


def _is_value(text: str, words: Language) -> bool:
    """Whether there is no word that is not of a number, a day or a time."""
    values = vocabulary(words).words
    return all(word in values or any(map(str.isdigit, word)) for word in content(text))


def _is_all_that_is_heard(message: Message, weak: list[Found], strong: list[Found]) -> bool:
    """Whether the reader hears one of two flows alone, and the words for the other are no clear request."""
    quiet = _heard(message, strong) >= OUTSIDE and _heard(message, weak) < HEARD
    own = message.context.slots_of(_flow(strong))
    tells_more = len(weak) > 1 and all(slot_of(found) in own for found in weak[1:])  # "booking's under O'Leary"
    return quiet and (weak[0].confidence < SURELY or tells_more)


def _heard(message: Message, found: list[Found]) -> float:
    """How likely the reader thinks the flow of a request."""
    return message.reading.flows.get(_flow(found), 0.0) if message.reading is not None else 0.0


def _flow(found: list[Found]) -> str:
    return str(getattr(found[0].command, "flow", ""))


def _is_likely(message: Message, found: Found, plain: bool) -> bool:
    """Whether a flow was asked for in so many words, or the reader thinks it possible."""
    return (plain and found.confidence >= OUTSIDE) or message.likely(found.command.model_dump()["flow"])


def _another(message: Message, first: list[Found], right: str) -> list[Found] | None:
    """'Drop my table and make me another for Friday': what it is, was said before."""
    done = first[0].command
    if (
        not isinstance(done, StartFlow)
        or done.flow not in message.assistant.undoing
        or not _another_one(message.words).match(fold(right))
    ):
        return None
    best = next((score for score in message.ranked(message.core) if score.flow != done.flow), None)
    values = message.values(right, message.context.slots_of(best.flow)) if best and best.similar >= LIKE else []
    return [Found(StartFlow(flow=best.flow), OUTSIDE, f"like '{best.phrase}'"), *values] if best and values else None


def _close(best: Score, other: Score, text: str) -> bool:
    """Whether nothing tells which of two flows is meant; a few words that fit both alike say too little."""
    lead = best.value - other.value
    if lead < CLOSE:
        return True
    if len(content(text)) > VAGUE:
        return False
    if best.read is None:
        return lead < 3 * CLOSE and best.similar - other.similar < CLOSE / 2
    # The reader is sure too soon of a few words: that they are like both is what counts.
    return lead < FAR_AHEAD and best.similar - other.similar < ALIKE and other.similar >= LIKE
