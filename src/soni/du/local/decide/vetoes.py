"""What must never be, whatever the fitted choice says; each with its reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soni.du.local import acts
from soni.du.local.clauses import parts, without_courtesies
from soni.du.local.correcting import is_value
from soni.du.local.message import slot_of
from soni.du.local.vague import without_clitic
from soni.du.local.verdicts import agreement, yes_words
from soni.du.local.words import content, same_stem, trimmed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from soni.du.local.decide.candidate import Candidate
    from soni.du.local.message import Message
    from soni.du.local.verdicts import Agreement


HEARD = 0.5
"""How likely the reader must think that anything is asked for."""
REQUESTED, SURELY = 0.6, 0.85
"""How sure of the flow that is asked for behind a yes, where the reader hears a request and where it does not."""
STARTS = ("start", "start, values heard", "pattern", "clarify", "vague")


def allowed(found: Iterable[Candidate], message: Message) -> list[Candidate]:
    """The candidates that no veto forbids."""
    forbidden = _forbidden(message)
    return [one for one in found if one.kind not in forbidden]


def _forbidden(message: Message) -> set[str]:
    """The kinds of candidates that cannot be meant."""
    kinds: set[str] = set()
    if acts.is_refusal(message.core, message.words) and len(parts(message.core, message.words)) == 1:
        kinds.update(STARTS)  # what somebody says they do not want is not begun
    if message.context.task is None or message.context.task["type"] != "confirm":
        return kinds
    if trimmed(message.core).isdigit():
        kinds.update(("values", "change", "change by reader"))  # a number alone may be that of a choice
    said = agreement(message.text, message.context.reading, message.confirmed)
    if forbids_yes(message, said):
        kinds.add("yes")
    if forbids_yes_and_more(message, said):
        kinds.add("yes and start")
    return kinds


def forbids_yes(message: Message, said: Agreement | None) -> str:
    """Why a message is no yes to a confirmation; empty if nothing forbids it to be one.

    A wrong yes pays money and a missed one costs a question, so the words of a yes must be there, and nothing behind
    them may add anything, ask or hesitate (docs/adr/0012).
    """
    if said is None:
        return "it has no words of a yes"
    if not message.whole:
        return "it was not read to its end"
    if said.trails_off and not said.strong:
        return "it trails off"
    if said.asks_more and said.stopped and said.strong and not said.takes_back:
        return ""  # 'Yes. When will it arrive?'
    if said.asks:
        return "it asks something"
    if not said.rest:
        return ""
    if said.takes_back or said.against:
        return "something behind the yes takes it back"
    if not message.context.filled and said.strong and message.reading is not None:
        return ""  # nothing is shown that the rest could change
    return "" if adds_nothing(message, said.rest) else "something behind the yes may change what is shown"


def forbids_yes_and_more(message: Message, said: Agreement | None) -> str:
    """Why a message is no yes with a request behind it."""
    if said is None:
        return "it has no words of a yes"
    if not message.whole:
        return "it was not read to its end"
    if said.asks and not (said.asks_more and said.stopped and said.strong):
        return "it asks something"
    if not (said.joined or said.stopped):
        return "nothing parts the yes from what follows"
    if said.takes_back or (said.against and not said.joined):
        return "something behind the yes takes it back"
    reading, asks = message.reading, message.ranked(without_courtesies(said.rest, message.words))
    hears = reading is None or max(reading.acts["start"], reading.acts["request"]) >= HEARD
    return "" if message.sure(asks) >= (REQUESTED if hears else SURELY) else "what follows the yes is no clear request"


def adds_nothing(message: Message, rest: str) -> bool:
    """Whether what stands behind a yes only says again what is shown: 'yes, block it', 'yes, the 40 euros'."""
    context = message.context
    shown = set(context.slots_of(*context.chain))
    values = message.values(rest, {name: slot for name, slot in context.slots.items() if name in shown})
    same: set[str] = set()
    for found in values:
        name = slot_of(found)
        words = found.words or str(getattr(found.command, "value", ""))
        if name not in context.filled or not is_value(words, context.slots[name], context.filled[name], context):
            return False
        same |= set(content(words))
    known = {*same, *_shown_words(message)}
    empty = yes_words(message.words)
    return all(word in empty or _is_known(word, known, message) for word in content(rest))


def _is_known(word: str, known: set[str], message: Message) -> bool:
    if any(map(str.isdigit, word)):
        return word in known
    return any(same_stem(word, other) or same_stem(without_clitic(word, message.words), other) for other in known)


def _shown_words(message: Message) -> set[str]:
    """The words of the question, of the flow that asks it, and of the options that it shows."""
    context = message.context
    question = next((line["text"] for line in reversed(context.history) if line["role"] != "user"), "")
    options = [
        name
        for slot, value in context.filled.items()
        if slot in context.slots
        for name in context.slots[slot].option_words.get(str(value), ())
    ]
    said = {word for text in (question, *options) for word in content(text)}
    return {word for word in (*said, *message.confirmed.words) if not any(map(str.isdigit, word))}
