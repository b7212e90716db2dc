"""New values for what was said before: 'I meant 300', 'change the recipient', 'nine instead of eight'."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soni.core.commands import CorrectSlot
from soni.du.local import acts, corrections
from soni.du.local.corrections import is_relative
from soni.du.local.lead_ins import without_lead_in
from soni.du.local.message import FREE, SHORT, slot_of
from soni.du.local.names import no_names
from soni.du.local.reading import NUMBERS, parses
from soni.du.local.verdicts import verdict
from soni.du.local.words import content, fold, trimmed
from soni.du.understanding import Found

if TYPE_CHECKING:
    from soni.config.models import SlotConfig
    from soni.du.context import DialogueContext
    from soni.du.local.message import Message
    from soni.languages import Language


def corrected(message: Message) -> list[Found] | None:
    """'I meant 300', 'change the recipient': a word about what was said before, not an answer."""
    filled = message.filled()
    if not filled:
        return None
    if (swapped := _swapped(message, filled)) is not None:
        others = {name: slot for name, slot in _open_or_filled(message, filled).items() if slot.type not in NUMBERS}
        return [swapped, *message.values(message.core, others)]
    found: dict[str, Found] = {}
    for change in corrections.named_changes(message.fixed.text, message.words):
        name = corrections.named(change.what, filled, message.assistant.cues, message.words)
        if name is not None and (name not in found or change.value is not None):
            value = None if change.value is None else message.fixed.as_written(change.value)
            found[name] = Found(CorrectSlot(slot=name, value=value), 0.9, f"'{change.what}' names it")
    if found:
        changes = list(found.values())
        return [*_answered_besides(message, changes), *_completed(message, changes, filled)]
    rest = (
        None if is_relative(message.core, message.words) else corrections.taken_back(message.fixed.text, message.words)
    )
    if rest is None or _means_something_else(message, rest):
        return None
    return _in_place_of(message, rest, filled) or _said_anew(message, rest, filled)


def corrected_by_reader(message: Message) -> list[Found] | None:
    """New values in a message that the reader may take for a correction."""
    filled = message.filled()
    if message.reading is None or not filled or is_relative(message.core, message.words):
        return None
    values = message.values(message.core, _open_or_filled(message, filled))
    values = [found for found in values if not _is_held(message, found)]
    return values if any(isinstance(found.command, CorrectSlot) for found in values) else None


def _is_held(message: Message, found: Found) -> bool:
    """Whether the words are what the slot holds already: 'it is for Lucas, not for Luis', where it was for Luis."""
    return bool(found.words) and fold(found.words) == fold(str(message.context.filled.get(slot_of(found), "")))


def _swapped(message: Message, filled: dict[str, SlotConfig]) -> Found | None:
    """'70, not 60': one of them is what a slot holds, so the other is its new value."""
    pair = corrections.instead_of(message.fixed.text, message.words)
    for name, slot in filled.items() if pair else ():
        if slot.type not in NUMBERS:
            continue
        for new, old in (pair or (), tuple(reversed(pair or ()))):
            held = message.context.filled[name]
            if is_value(old, slot, held, message.context) and not is_value(new, slot, held, message.context):
                return Found(CorrectSlot(slot=name, value=new), 0.9, f"not {old}", new)
    return None


def _completed(message: Message, found: list[Found], filled: dict[str, SlotConfig]) -> list[Found]:
    """The same with the new value that is said elsewhere: 'the account is wrong, it should be ES12 …'."""
    missing = {slot_of(one) for one in found if getattr(one.command, "value", "") is None}
    if not missing or message.reading is None:
        return found
    values = message.values(message.core, {name: filled[name] for name in missing})
    said = {slot_of(one): one for one in values if one.words and one.words not in str(message.context.filled)}
    return [said.get(slot_of(one), one) if slot_of(one) in missing else one for one in found]


def _answered_besides(message: Message, found: list[Found]) -> list[Found]:
    """'Put Ocampo, and change the time to ten': the answer to the question, before the change."""
    asked = message.context.asked or ""
    if message.reading is None or asked not in message.context.slots or asked in map(slot_of, found):
        return []
    changed = " ".join(str(getattr(one.command, "value", "")) for one in found)
    values = message.values(message.core, {asked: message.context.slots[asked]})
    return [one for one in values if slot_of(one) == asked and one.words and one.words not in changed]


def _in_place_of(message: Message, rest: str, filled: dict[str, SlotConfig]) -> list[Found] | None:
    """'Nine instead of eight': what is not meant is a slot's value, so the other is its new one."""
    for wrong in corrections.not_meant(message.fixed.text, message.words):
        for name, slot in filled.items():
            if slot.type in FREE or not is_value(wrong, slot, message.context.filled[name], message.context):
                continue
            spans = message.assistant.rules.read(rest, {name: slot}, message.context, asked=name)
            if spans:
                others = message.values(rest, {k: v for k, v in _open_or_filled(message, filled).items() if k != name})
                beside = [found for found in others if found.words not in spans[0].words]
                return [message.value(spans[0]), *beside]
    return None


def _open_or_filled(message: Message, filled: dict[str, SlotConfig]) -> dict[str, SlotConfig]:
    return {**filled, **(message.open_slots() if message.context.asked in message.context.slots else {})}


def _said_anew(message: Message, rest: str, filled: dict[str, SlotConfig]) -> list[Found] | None:
    values = message.values(rest, _open_or_filled(message, filled))
    if any(isinstance(found.command, CorrectSlot) for found in values):
        return values
    names = [name for name in filled if name in message.assistant.cues.names]
    asked = message.context.slots.get(message.context.asked or "")
    is_answer = asked is not None and parses(rest, asked, message.context)
    if (
        len(names) == 1
        and not values
        and not is_answer
        and _is_name(rest, message.words, plain=corrections.says_so(message.fixed.text, message.words))
    ):
        value = message.fixed.as_written(without_lead_in(rest, message.words, name=True))
        return [Found(CorrectSlot(slot=names[0], value=value), 0.7, "a name said anew", value)]
    return None


def _means_something_else(message: Message, words: str) -> bool:
    return (
        verdict(words, message.context.reading) is not None
        or acts.act_of(words, message.words) is not None
        or acts.begins_with_cancel(words, message.words)
    )


def is_value(words: str, slot: SlotConfig, value: object, context: DialogueContext) -> bool:
    """Whether the words are what the slot holds."""
    for said in (words, *(part for part in words.split() if len(words.split()) <= SHORT)):
        try:
            if slot.value_type.parse(said, context.reading) == value:
                return True
        except ValueError:
            continue
    return False


def _is_name(text: str, spoken: Language, *, plain: bool) -> bool:
    """Whether words look like a name: written with capitals, after 'to', or said to be meant."""
    words = trimmed(without_lead_in(text, spoken, name=True)).split()
    if not 0 < len(words) <= 3 or any(letter.isdigit() for letter in text) or set(content(text)) & no_names(spoken):
        return False
    if all(word[0].isupper() for word in words):
        return True
    return plain or (len(words) == 1 and content(text)[0] in spoken.names.to)
