"""A turn: one message on its way to its answers, and the one door through which answers leave."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from dataclasses import astuple, replace
from typing import TYPE_CHECKING, Any

from soni.core.readable_text import storable
from soni.core.verdict import Verdict
from soni.du.understanding import Usage
from soni.runtime.ledger import Ledger

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Sequence

    from soni.core.commands import Command
    from soni.core.message_sink import Message, MessageSink
    from soni.store.journal import Journal
    from soni.store.records import TurnRecord
    from soni.telemetry import Spent

logger = logging.getLogger(__name__)

SEND_LIMIT = 10.0
"""How many seconds a sink may take for a message; the conversation waits meanwhile."""


class Delivery:
    """The way to a person: a sink that gets each message once, and is not asked again after it has failed."""

    def __init__(self, sink: MessageSink | None, is_awaited: Callable[[], bool] = lambda: True) -> None:
        self.is_awaited = is_awaited
        """Whether somebody waits for the answer, with or without a sink; asked when the turn ends."""
        self._sink = sink
        self._sent: set[str] = set()

    @property
    def is_open(self) -> bool:
        """Whether anybody is there to hear."""
        return self._sink is not None

    async def send(self, message: Message) -> None:
        """Pass a message on, unless it has been."""
        if self._sink is not None and message.id not in self._sent:
            self._sent.add(message.id)
            await self._tell(self._sink.send(message))

    async def accepted(self) -> None:
        """Pass on that the turn is going to be run."""
        if self._sink is not None:
            await self._tell(self._sink.accepted())

    async def _tell(self, telling: Coroutine[Any, Any, None]) -> None:
        try:
            async with asyncio.timeout(SEND_LIMIT):
                await telling
        except (Exception, asyncio.CancelledError):  # one person's broken connection must not stop what was asked for
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            logger.warning("the sink failed; messages are kept", exc_info=True)
            self._sink = None


class Turn:
    """The number, the clock and the messages of a turn; `commands` are the host's, before those of the message."""

    def __init__(
        self,
        record: TurnRecord,
        journal: Journal,
        delivery: Delivery,
        *,
        commands: Sequence[Command] = (),
        notes: Sequence[dict[str, Any]] = (),
        is_private: bool = False,
    ) -> None:
        self.number = record.turn
        self.user_id = journal.conversation
        self.incarnation = journal.incarnation
        # No message of another life of the conversation has this id, so that a client that was away cannot mix them up.
        self._prefix = f"{self.incarnation[:8]}/{self.number}/"
        self.now = record.request.now
        self.at = record.request.at
        self.commands = tuple(commands)
        self.notes = list(notes)
        """What the trace tells before anything is understood."""
        self.is_private = is_private
        """Whether the message answers a sensitive question that is not open any more."""
        self._learnt: dict[str, Any] = dict(record.understood or {"verdicts": {}})
        self.usage = Usage(*self._learnt.get("usage", ()))
        """What understanding the message has cost."""
        self.messages: list[Message] = []
        self.ledger = Ledger(journal)
        self._journal = journal
        self._delivery = delivery
        self._used: Counter[str] = Counter()
        self._closed = False
        self._sent = 0
        """How many of the messages are out."""
        self._held_since: int | None = None
        self._tightly = False
        self._out: Counter[tuple[str, str]] = Counter()

    @property
    def spent(self) -> Spent:
        """The seconds of what the turn has done so far."""
        return self._journal.held.spent

    @property
    def is_heard(self) -> bool:
        """Whether somebody waits for the answer."""
        return self._delivery.is_awaited()

    def message_id(self, key: str) -> str:
        """An id that a turn run again gives to the same message."""
        self._used[key] += 1
        return f"{self._prefix}{key}/{self._used[key]}"

    @property
    def understood(self) -> dict[str, Any] | None:
        """What the message was understood to mean when the turn was begun before."""
        return self._learnt.get("update")

    def has_understood(self, update: dict[str, Any]) -> dict[str, Any]:
        """Note what the message means, so that it means the same if the turn has to be run again."""
        self._learn({"update": update, "usage": astuple(self.usage)})
        return update

    async def verdict(self, validator: str, ask: Callable[[], Awaitable[Verdict]]) -> Verdict:
        """What a validator says, now or when the turn was begun before: the world may have changed since."""
        self._used[f"validator {validator}"] += 1
        key = f"{validator}/{self._used[f'validator {validator}']}"
        known: dict[str, Any] = self._learnt["verdicts"]
        if key not in known:
            verdict = await ask()
            self._learn({"verdicts": {**known, key: verdict.to_json()}})
        return Verdict.from_json(self._learnt["verdicts"][key])

    def _learn(self, more: dict[str, Any]) -> None:
        self._learnt |= more
        self._journal.understood(dict(self._learnt))

    async def retell(self, key: str) -> None:
        """Say again, as it is stored, what was said under a key when the turn was begun before."""
        for message in self._journal.said(f"{self._prefix}{key}/"):
            await self.deliver(message)

    def hold(self, *, tightly: bool = False) -> None:
        """Keep messages back until it is sure that they are said; tightly, even while an action takes its time."""
        self._held_since = self._sent
        self._tightly = tightly
        self._out.clear()

    async def say_early(self) -> None:
        """Say what was kept back before something that may take long, unless it may have to be taken back."""
        if not self._tightly:
            await self.flush()

    async def flush(self) -> None:
        """Say what was kept back."""
        while self._sent < len(self.messages):
            message = self.messages[self._sent]
            if self._out[_name(message)] > 0:  # an earlier try has said it
                self._out[_name(message)] -= 1
                del self.messages[self._sent]
            else:
                await self._send(message)

    async def release(self) -> None:
        """Say what was kept back, and keep nothing back any more."""
        await self.flush()
        self._held_since = None

    def drop(self) -> None:
        """Forget what was kept back; what is out already is not said again."""
        del self.messages[self._sent :]
        self._out = Counter(_name(message) for message in self.messages[self._held_since : self._sent])

    def close(self) -> None:
        """Take no more messages: what an action that was given up on still tells comes too late."""
        self._closed = True

    async def deliver(self, message: Message) -> None:
        """Keep a message, then pass it on at once."""
        if self._closed:
            logger.warning("a message came after turn %d had ended; it is dropped", self.number)
            return
        message = replace(message, text=storable(message.text))
        is_next = self._sent == len(self.messages)
        self.messages.append(message)
        # What an action tells while it runs is told at once, unless something before it is still kept back.
        if self._held_since is None or (message.kind == "progress" and is_next):
            await self.flush()

    async def _send(self, message: Message) -> None:
        stored = self._journal.message(message)
        self.messages[self._sent] = stored
        self._sent += 1
        if self._delivery.is_open or stored.kind == "progress":
            await self._journal.flush("a message")
            await self._delivery.send(stored)


def _name(message: Message) -> tuple[str, str]:
    """What tells a message from others of its turn: its id without the count, and its text."""
    return message.id.rpartition("/")[0], message.text
