"""What needs no model in any mode: a plain yes or no, a clean value for the open question, a secret."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soni.core.commands import AffirmConfirmation, DenyConfirmation, SetSlot
from soni.core.pending_task import is_confirm
from soni.core.values.boolean import Boolean
from soni.core.values.phrase import fold
from soni.du.understanding import Understood

if TYPE_CHECKING:
    from soni.config.models import SlotConfig
    from soni.du.context import DialogueContext

_BOOLEAN = Boolean()


def _is_secret(context: DialogueContext) -> bool:
    slot = context.slots.get(context.asked or "")
    return slot is not None and slot.sensitive


def _names(slot: SlotConfig) -> set[str]:
    """The options by the author's own words: what only resembles one is for an understanding to judge."""
    return {fold(word) for option, words in slot.option_words.items() for word in (option, *words)}


def shortcut(message: str, context: DialogueContext) -> Understood | None:
    """What the message means if the open question leaves no doubt; None where it has to be understood."""
    if context.task is None or not message.strip():
        return None
    if "?" in message and not _is_secret(context):
        return None
    if is_confirm(context.task):
        try:
            answer = _BOOLEAN.parse(message, context.reading)
        except ValueError:
            return None
        return Understood.of([AffirmConfirmation() if answer else DenyConfirmation()], by="shortcut")
    slot = context.slots.get(context.asked or "")
    if slot is None or context.asked is None:
        return None
    if _is_secret(context):
        # A secret is not for a model to see.
        return Understood.of([SetSlot(slot=context.asked, value=message.strip())], by="shortcut")
    if slot.type in ("text", "list") or (slot.type == "choice" and fold(message) not in _names(slot)):
        return None
    try:
        slot.value_type.parse(message, context.reading)
    except ValueError:
        return None
    return Understood.of([SetSlot(slot=context.asked, value=message.strip())], by="shortcut")
