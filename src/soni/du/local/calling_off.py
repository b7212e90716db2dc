"""What is called off, and what is asked for instead: 'cancel that and show my balance'."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from soni.core.commands import CancelFlow, Command, Restart, StartFlow
from soni.du.local import acts
from soni.du.local.asides import ACTED, PLAINLY, TOLD_OFF, and_a_person, answered, last_said
from soni.du.local.choosing import HEARD, JOINED_BAR, SURELY, VAGUE, request
from soni.du.local.clauses import cuts, parts, without_courtesies
from soni.du.local.merging import CORRECTS, SAID
from soni.du.local.message import FREE
from soni.du.local.words import content, fold
from soni.du.understanding import Found
from soni.languages import any_of, built

if TYPE_CHECKING:
    from soni.du.local.message import Message
    from soni.languages import Language

_SHORT_CANCEL = 3
_FEWEST_WORDS = 2


class _CallingOff:
    """What calls something off and asks for another thing in some languages."""

    def __init__(self, words: Language) -> None:
        said = words.acts
        self.no_more = re.compile(rf"^(?:{any_of(said.no_more_before)}[\s,]+)*{any_of(said.no_more)}\b")
        self.rather = re.compile(rf"^{any_of(said.rather)}\b[\s,]*")


_calling_off = built(_CallingOff)


def called_off(message: Message) -> list[Found] | None:
    """'Cancel the transfer', 'cancel that and show my balance'; unless calling off is what a flow is for."""
    if (rather := _rather(message)) is not None:
        return rather
    if answered(message):
        return None
    if (person := and_a_person(message)) is not None:
        return person
    asked = message.context.slots.get(message.context.asked or "")
    if (
        asked is not None
        and asked.type in FREE
        and len(content(message.core)) > _SHORT_CANCEL
        and not cuts(message.core, message.words)
    ):
        return None  # "stop putting so much salt" is something to tell
    named = message.context.asked in message.assistant.cues.names
    if asked is not None and asked.type in FREE and not named and message.reading is not None:
        return None  # "forget the dessert" is too
    if _corrects(message):
        return None  # 'drop a zero, it's 20 not 200'
    if not acts.begins_with_cancel(message.core, message.words):
        if named and isinstance(acts.act_of(last_said(message), message.words), CancelFlow):
            return [Found(CancelFlow(), 0.8, f"'{message.text}' calls it off")]
        return None if asked is not None and asked.type in FREE else _called_off_later(message)
    cancel = Found(CancelFlow(), 0.9, f"'{message.text}' calls it off")
    if (instead := _instead(message)) is not None:
        return [cancel, *instead]
    if _is_undoing(message, message.core):
        return None
    if message.reading is not None and message.reading.acts["restart"] >= PLAINLY:  # 'yes cancel' begins nothing anew
        return [Found(Restart(), message.reading.acts["restart"], "read as restart")]
    if message.reading is not None and message.reading.acts["start"] >= TOLD_OFF:
        if not message.context.active_flow:
            return None  # 'cancel my card'
        return [cancel, *_wanted_instead(message)]
    return [cancel] if message.context.active_flow or len(content(message.core)) <= VAGUE else None


def _rather(message: Message) -> list[Found] | None:
    """'I don't want to send anything any more, rather show me the last movements'."""
    asked = message.context.slots.get(message.context.asked or "")
    tells = asked is not None and asked.type in FREE and message.context.asked not in message.assistant.cues.names
    for left, right in cuts(message.core, message.words) if message.context.active_flow and not tells else []:
        known = _calling_off(message.words)
        hit = known.rather.match(fold(right)) if known.no_more.match(fold(left)) else None
        start = request(message, right[hit.end() :], JOINED_BAR) if hit else None
        if start and isinstance(start[0].command, StartFlow):
            return [Found(CancelFlow(), 0.9, f"'{left}' calls it off"), *start]
    return None


def _instead(message: Message) -> list[Found] | None:
    """What is asked for behind what is called off."""
    for left, right in cuts(message.core, message.words):
        if (
            acts.begins_with_cancel(left, message.words)
            and not _is_undoing(message, left)
            and not _says_it_again(message, right)
        ):
            start = request(message, right, JOINED_BAR)
            if start and _is_wanted(message, start[0].command):
                return start
    return None


def _says_it_again(message: Message, text: str) -> bool:
    """'Forget about it, cancel the transfer': called off twice, where no request is heard."""
    if isinstance(acts.act_of(text, message.words), CancelFlow):
        return True
    heard = message.reading is None or message.reading.acts["start"] >= HEARD
    return not heard and acts.begins_with_cancel(text, message.words)


def _is_wanted(message: Message, command: Command) -> bool:
    """Whether a request may stand behind what is called off: 'let's leave it, I won't book' asks for nothing."""
    if message.reading is None or message.reading.acts["start"] >= HEARD:
        return True
    return isinstance(command, StartFlow) and command.flow not in message.assistant.undoing


def _corrects(message: Message) -> bool:
    reading = message.reading
    if reading is None or reading.acts["start"] >= SAID:
        return False
    return reading.acts["correct"] >= CORRECTS and reading.acts["cancel"] < ACTED


def _wanted_instead(message: Message) -> list[Found]:
    """'Scrap that I came to pay the water': what is asked for in place of what is called off, with no word between."""
    start = request(message, message.core, JOINED_BAR)
    return start if start and isinstance(start[0].command, StartFlow) else []


def _called_off_later(message: Message) -> list[Found] | None:
    """'No clue, then drop the whole thing': called off in one of several parts, and what is wanted instead."""
    for part in parts(message.core, message.words):
        short = len(content(part)) <= VAGUE
        if (
            short
            and acts.begins_with_cancel(part, message.words)
            and not _is_undoing(message, part)
            and message.context.active_flow
        ):
            return [Found(CancelFlow(), 0.8, f"'{part}' calls it off"), *_wanted_behind(message, part)]
    return None


def _wanted_behind(message: Message, part: str) -> list[Found]:
    """What is asked for behind the part that calls something off, where the reader hears a request."""
    rest = message.core[message.core.find(part) + len(part) :].strip(" ,.;!")
    if message.reading is None or len(content(rest)) < _FEWEST_WORDS:
        return []
    heard = message.reading.acts["start"] >= TOLD_OFF
    start = request(message, without_courtesies(rest, message.words), JOINED_BAR if heard else SURELY)
    wanted = start and isinstance(start[0].command, StartFlow) and _is_wanted(message, start[0].command)
    return start if start and wanted else []


def _is_undoing(message: Message, text: str) -> bool:
    """Whether the words ask for a flow that is there to call something off."""
    reading = message.reading
    ranked = message.ranked(text, active=True)
    if reading is not None and ranked:
        unheard = reading.acts["cancel"] >= TOLD_OFF and reading.flows.get(ranked[0].flow, 0.0) < HEARD
        if unheard or reading.acts["start"] < HEARD:
            return False  # 'never mind, I don't want it now'
    return bool(ranked) and ranked[0].flow in message.assistant.undoing and message.sure(ranked) >= 0.5
