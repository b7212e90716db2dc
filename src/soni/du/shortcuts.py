"""What needs no model in any mode: a plain yes or no, a clean value for the open question, a secret."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soni.core.commands import AffirmConfirmation, DenyConfirmation, SetSlot
from soni.core.pending_task import is_confirm
from soni.core.values.boolean import Boolean
from soni.du.understanding import Understood

if TYPE_CHECKING:
    from soni.du.context import DialogueContext

_BOOLEAN = Boolean()


def shortcut(message: str, context: DialogueContext) -> Understood | None:
    """What the message means if the open question leaves no doubt; None where it has to be understood."""
    if context.task is None or not message.strip():
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
    if slot.sensitive:
        # A secret is not for a model to see.
        return Understood.of([SetSlot(slot=context.asked, value=message.strip())], by="shortcut")
    if slot.type in ("text", "list"):
        return None
    try:
        slot.value_type.parse(message, context.reading)
    except ValueError:
        return None
    return Understood.of([SetSlot(slot=context.asked, value=message.strip())], by="shortcut")
