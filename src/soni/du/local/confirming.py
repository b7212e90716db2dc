"""The message as the answer to a confirmation: a yes, a no, or new values for what it shows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from soni.core.commands import (
    AffirmConfirmation,
    CancelFlow,
    Clarify,
    CorrectSlot,
    DenyConfirmation,
    ResumeFlow,
    StartFlow,
)
from soni.du.local import acts
from soni.du.local.choosing import BOTH, INTERRUPT, JOINED_BAR, SURELY, request, two_requests
from soni.du.local.clauses import without_courtesies
from soni.du.local.correcting import corrected
from soni.du.local.corrections import is_relative, positive
from soni.du.local.lead_ins import asks_back
from soni.du.local.message import FREE, SHORT, slot_of
from soni.du.local.reading import NUMBERS, TELLING
from soni.du.local.verdicts import begun
from soni.du.local.words import content, fold, trimmed
from soni.du.understanding import Found
from soni.languages import any_of, built

if TYPE_CHECKING:
    from soni.du.local.message import Message
    from soni.du.local.verdicts import Verdict
    from soni.languages import Language

DOUBT = 0.2
"""How likely the trained reader must think a yes for values beside it not to be what is meant instead."""
PLAIN = 0.75
"""How sure of the request behind a yes."""
VOUCHED = 0.9
"""How likely it must think a yes that words begin, but do not end."""
NO = 0.5
"""How sure it must be of a no."""
_LONGEST = 8
"""How many words a message may have in which a plain value changes what is confirmed."""


@built
def _puts_off(words: Language) -> re.Pattern[str]:
    """By these words what is confirmed is only put off: 'not yet, show me my balance first'."""
    said = words.acts
    return re.compile(rf"^(?:\w+[\s,.!]+){{0,3}}?{any_of(said.first_of_all)}\b|\b{any_of(said.first_at_end)}[\s.!?]*$")


def confirm(message: Message) -> list[Found] | None:
    """The message as the answer to a yes-or-no question."""
    said = message.verdict(message.text)
    if said is not None and said.yes:
        doubted = message.reading is not None and message.reading.acts["affirm"] < DOUBT
        changed = _changed(message) if doubted else None  # 'make that a table for four'
        return changed or _yes_and(message, said) or _vouched(message)
    is_bare = trimmed(message.core).isdigit()  # a number alone may be that of a choice
    changed = None if is_bare else corrected(message) or _changed(message)
    replaces = changed is not None and any(isinstance(found.command, CorrectSlot) for found in changed)
    if changed and (said is None or message.reading is not None or replaces):
        return changed
    if said is not None and acts.begins_with_cancel(said.rest, message.words):
        return [Found(CancelFlow(), 0.9, f"'{said.rest}' calls it off")]
    puts_off = _puts_off(message.words).search(fold(message.text)) is not None
    if said is not None:
        no = Found(DenyConfirmation(), 1.0, f"'{message.text}' says no")
        start = _behind_a_no(message, said) if said.rest and _asks(message) else None
        return start if start and puts_off else [no, *(start or changed or [])]
    start = _vouched(message) or two_requests(message) or request(message, message.core, INTERRUPT)
    if start is None or puts_off or message.reading is None or message.reading.acts["negate"] < VOUCHED:
        return start or _read_as_no(message)
    return [Found(DenyConfirmation(), message.reading.acts["negate"], "read as a no"), *start]


def _asks(message: Message) -> bool:
    """Whether there may be a request behind a no."""
    return message.reading is None or message.reading.acts["start"] >= DOUBT


def _behind_a_no(message: Message, said: Verdict) -> list[Found] | None:
    start = request(message, without_courtesies(said.rest, message.words), BOTH)
    sees = message.reading is not None and message.reading.acts["start"] >= VOUCHED
    return start or (request(message, message.core, BOTH) if sees else None)  # 'no, not yet. tell me my balance'


def _vouched(message: Message) -> list[Found] | None:
    """A yes by its first words before a request, where the trained reader sees nothing that speaks against it."""
    said, reading = begun(message.text, message.words, message.confirmed) if message.whole else None, message.reading
    if said is None or reading is None or message.says_value():
        return None
    against = max(reading.acts[name] for name in ("negate", "cancel", "help", "repeat", "human"))
    if reading.acts["affirm"] < VOUCHED or reading.acts["start"] < NO or against > DOUBT:
        return None
    yes = Found(AffirmConfirmation(), reading.acts["affirm"], f"'{message.text}' begins with a yes")
    start = request(message, without_courtesies(said.rest, message.words), JOINED_BAR) or request(
        message, message.core, JOINED_BAR
    )
    if start is None or not isinstance(start[0].command, StartFlow):
        return None
    return [yes, *start] if start[0].confidence >= PLAIN else None


def _read_as_no(message: Message) -> list[Found] | None:
    """A no that the trained reader sees; it is never asked for a yes, which words alone can say."""
    acts_read = message.reading.acts if message.reading is not None else {}
    no = acts_read.get("negate", 0.0)
    if no < NO or no <= acts_read["affirm"] or _says_again(message):
        return None
    return [Found(DenyConfirmation(), no, "read as a no")]


def _says_again(message: Message) -> bool:
    """Whether all that is said is a choice that was made already: 'the debit one', of the debit card that is shown."""
    spans = message.assistant.rules.read(message.core, message.filled(), message.context)
    held = any(span.value and span.value == message.context.filled.get(span.slot) for span in spans)
    return held and positive(message.core, message.words) == message.core and len(content(message.core)) <= SHORT


def _yes_and(message: Message, said: Verdict) -> list[Found] | None:
    """A yes before something else: it counts if the rest goes on from it, and not if it takes anything back."""
    yes = Found(AffirmConfirmation(), 0.85, f"'{message.text}' says yes")
    hears = message.reading is None or max(message.reading.acts["start"], message.reading.acts["request"]) >= NO
    start = request(message, without_courtesies(said.rest, message.words), BOTH if hears else SURELY)
    if start is not None and isinstance(start[0].command, StartFlow):
        return [yes, *start]
    changed = corrected(message) or message.values(said.rest, message.context.slots_of(*message.context.chain))
    if any(isinstance(found.command, CorrectSlot) for found in changed):
        return changed
    if start is None and not said.asks:
        return None
    return [yes, *(start or changed)]


def _changed(message: Message) -> list[Found] | None:
    """New values for what a confirmation shows: 'make it 200', 'send 50 to Ana'."""
    if message.reading is None and is_relative(message.core, message.words):
        return None
    if message.reading is None and asks_back(message.core, message.words):
        return None  # by the rules alone a question changes nothing
    filled = message.context.slots_of(*message.context.chain)
    told = [found for found in message.values(message.core, filled) if found.confidence >= TELLING]
    start = request(message, message.core, SURELY if told else INTERRUPT)
    if start and isinstance(start[0].command, StartFlow | Clarify | ResumeFlow):
        return None
    match = message.assistant.patterns.match(message.core, message.context.flows, message.context.reading)
    if match is not None and match.flow == message.context.active_flow:
        return message.values(message.core, filled, preset=match.values)
    if message.reading is not None:
        asks = asks_back(message.core, message.words) or is_relative(message.core, message.words)
        values = message.values(message.core, filled)
        return [found for found in values if not (asks and _replaces(message, slot_of(found)))] or None
    size = len(content(message.core))
    # A number in a longer sentence may be about anything, unless it says of what.
    return [
        found
        for found in message.values(message.core, filled)
        if size < SHORT
        or found.confidence >= TELLING
        or (
            size <= _LONGEST
            and filled[slot_of(found)].type not in NUMBERS
            and _tells(found.words, filled[slot_of(found)].type)
        )
    ] or None


def _replaces(message: Message, slot: str) -> bool:
    """Whether a number that is only asked about, or that is to be added, would take the place of another."""
    return slot in message.context.filled and message.context.slots[slot].type in NUMBERS


def _tells(text: str, kind: str) -> bool:
    """Whether words are plainly a value; a name is, with a capital."""
    return kind not in FREE or text[:1].isupper()
