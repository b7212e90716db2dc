"""A turn: one message on its way to its answers, and the one door through which answers leave."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from typing import TYPE_CHECKING

from soni.du.understanding import Usage

if TYPE_CHECKING:
    from datetime import datetime

    from soni.core.commands import Command
    from soni.core.message_sink import Message, MessageSink

logger = logging.getLogger(__name__)


class Turn:
    """The number, the clock and the messages of a turn; `commands` are the host's, before those of the message."""

    def __init__(
        self,
        number: int,
        *,
        user_id: str,
        now: datetime,
        sink: MessageSink | None,
        commands: tuple[Command, ...] = (),
    ) -> None:
        self.number = number
        self.user_id = user_id
        self.now = now
        self.commands = commands
        self.messages: list[Message] = []
        self.usage = Usage()
        """What understanding the message has cost."""
        self._sink = sink
        self._used: Counter[str] = Counter()
        self._closed = False

    def message_id(self, key: str) -> str:
        """An id that a turn run again gives to the same message."""
        self._used[key] += 1
        return f"{self.number}/{key}/{self._used[key]}"

    def close(self) -> None:
        """Take no more messages: what an action that was given up on still tells comes too late."""
        self._closed = True

    async def deliver(self, message: Message) -> None:
        """Keep a message and pass it on at once; a sink that fails is not asked again in this turn."""
        if self._closed:
            logger.warning("a message came after turn %d had ended; it is dropped", self.number)
            return
        self.messages.append(message)
        if self._sink is None:
            return
        try:
            await self._sink.send(message)
        except (Exception, asyncio.CancelledError):  # one person's broken connection must not stop what was asked for
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            logger.warning("the sink of turn %d failed; its messages are kept", self.number, exc_info=True)
            self._sink = None
