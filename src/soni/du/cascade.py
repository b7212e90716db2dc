"""Cascade: offline first, and a model only where that is unsure."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from soni.core.commands import Clarify, OutOfScope, SetSlot
from soni.du.shortcuts import shortcut
from soni.du.understanding import spent

if TYPE_CHECKING:
    from soni.du.context import DialogueContext
    from soni.du.understanding import Understanding, Understood

logger = logging.getLogger(__name__)

TRUST = 0.7
"""How sure the offline understanding must be of every command for the model not to be asked."""

_LONGEST_DETAIL = 500
"""How many characters of an error are logged."""


class Cascade:
    """Two understandings in a row; counts how often the second was needed."""

    def __init__(self, first: Understanding, second: Understanding, *, trust: float = TRUST) -> None:
        self._first, self._second, self._trust = first, second, trust
        self.messages = 0
        self.asked = 0
        """For how many messages the model was asked."""

    def warm(self) -> None:
        """Load the offline understanding now rather than with the first message."""
        getattr(self._first, "warm", lambda: None)()

    async def understand(self, message: str, context: DialogueContext) -> Understood:
        self.messages += 1
        sure = shortcut(message, context)
        if sure is not None:
            return sure
        understood = await self._first.understand(message, context)
        if not self._is_unsure(understood, context):
            return replace(understood, by=f"cascade: {understood.by}")
        self.asked += 1
        try:
            better = await self._second.understand(message, context)
        except Exception as error:  # a model may fail in any way; what was understood without it still holds
            logger.warning("the model could not help: %s", _told(error, context))
            by = f"cascade: {understood.by}, the model failed"
            return replace(understood, by=by, usage=understood.usage + spent(error))
        language = better.language or understood.language
        return replace(better, by=f"cascade: {better.by}", language=language, usage=understood.usage + better.usage)

    def _is_unsure(self, understood: Understood, context: DialogueContext) -> bool:
        """Whether a model could make more of the message: nothing fits, several flows do, or little speaks for it."""
        asked = context.slots.get(context.asked or "")
        for found in understood.found:
            if isinstance(found.command, OutOfScope | Clarify) or found.confidence < self._trust:
                free = asked is not None and asked.type in ("text", "list")
                if not (free and isinstance(found.command, SetSlot) and found.command.slot == context.asked):
                    return True
        return not understood.found


def _told(error: Exception, context: DialogueContext) -> str:
    """The error as a log may hold it: it may quote the message."""
    slot = context.slots.get(context.asked or "")
    is_private = slot is not None and slot.sensitive
    return type(error).__name__ if is_private else context.secrets.masked(str(error)[:_LONGEST_DETAIL])
