"""Journal: what is written down about a conversation while a turn of it runs, so that the turn can be run again.

Rows wait in a batch until something outside could depend on them: a message that is sent, an action that is called,
the end of the turn. Until then nobody has seen anything, and a turn that is run again may as well write others.
"""

from __future__ import annotations

import json
import uuid
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from soni.core.message_sink import Message
from soni.store import history
from soni.store.records import HEARD, TURN_COLUMNS, TurnRecord, dumped, effect_of, loaded, turn_of

if TYPE_CHECKING:
    from soni.store.records import EffectRecord, Request, Status
    from soni.store.store import Held, Put, Statement

_READ_CONVERSATION = (
    "SELECT incarnation, turn, sequence, heard, checkpoint_id, fingerprint, person FROM soni_conversations "
    "WHERE conversation = ?"
)
# Two questions, each with an index of its own: asked as one, all turns of the conversation would be looked at.
_READ_TURNS = (
    f"SELECT {TURN_COLUMNS} FROM soni_turns WHERE conversation = ? AND message_id = ? UNION ALL "  # noqa: S608  # names of ours
    f"SELECT {TURN_COLUMNS} FROM soni_turns WHERE conversation = ? AND status = 'open'"
)
_READ_EFFECTS = (
    "SELECT key, turn, action, kind, arguments, status, result FROM soni_effects WHERE conversation = ? AND turn = ?"
)
_READ_OUTBOX = "SELECT sequence, id, message FROM soni_outbox WHERE conversation = ? AND turn = ? ORDER BY sequence"
_KEEP_CONVERSATION = (
    "INSERT INTO soni_conversations (conversation, incarnation, turn, sequence, heard, checkpoint_id, fingerprint, at, "
    "person) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (conversation) DO UPDATE SET turn = excluded.turn, "
    "sequence = excluded.sequence, heard = excluded.heard, checkpoint_id = excluded.checkpoint_id, "
    "fingerprint = excluded.fingerprint, at = excluded.at, person = excluded.person"
)
_CLAIM = (
    "INSERT INTO soni_turns (conversation, turn, message_id, kind, text, given, now, at, fingerprint, attempts, "
    "status) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 'open')"
)
_AGAIN = "UPDATE soni_turns SET attempts = attempts + 1 WHERE conversation = ? AND turn = ?"
_UNDERSTOOD = "UPDATE soni_turns SET understood = ? WHERE conversation = ? AND turn = ?"
_EFFECT = (
    "INSERT INTO soni_effects (conversation, key, turn, action, kind, arguments, status, result) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (conversation, key) DO UPDATE SET turn = excluded.turn, "
    "action = excluded.action, kind = excluded.kind, arguments = excluded.arguments, "
    "status = excluded.status, result = excluded.result"
)
_MASK_EFFECT = "UPDATE soni_effects SET result = ? WHERE conversation = ? AND key = ?"
_MESSAGE = (
    "INSERT INTO soni_outbox (conversation, sequence, id, turn, message) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
)
_END = (
    "UPDATE soni_turns SET text = ?, given = '{}', understood = ?, status = ?, result = ? "
    "WHERE conversation = ? AND turn = ?"
)


MOST_TOLD_AGAIN = 100
"""How many messages that nobody heard come again before an answer; the rest can be fetched."""


class Journal:
    """The record of one conversation while it is held."""

    def __init__(self, held: Held) -> None:
        self.held = held
        self.incarnation = uuid.uuid4().hex
        """A random name for this life of the conversation; whoever forgets it gets another."""
        self.turn = 0
        self.sequence = self._before = 0
        self.heard = 0
        """Up to which message somebody was there to hear."""
        self.checkpoint_id: str | None = None
        self.fingerprint: str | None = None
        self.person: dict[str, Any] | None = None
        """What a person is told who has the conversation, and since when they have it."""
        self.is_open = False
        """Whether a turn has been begun here and not ended."""
        self.unfinished: TurnRecord | None = None
        self.known: TurnRecord | None = None
        self.effects: dict[str, EffectRecord] = {}
        self._messages: dict[str, Message] = {}
        self._understood: dict[str, Any] | None = None
        self._batch: list[Statement] = []
        self._at = 0.0

    @property
    def conversation(self) -> str:
        """Whose conversation it is."""
        return self.held.conversation

    async def load(self, message_id: str = "") -> None:
        """Read where the conversation stands, which turn is not finished, and whether the message is known."""
        name = self.conversation
        rows, turns = await self.held.read((_READ_CONVERSATION, (name,)), (_READ_TURNS, (name, message_id, name)))
        self.unfinished = self.known = None
        self.effects, self._batch = {}, []
        if rows:
            self.incarnation, self.turn, self.sequence, self.heard, *stands, person = rows[0]
            self.checkpoint_id, self.fingerprint = stands
            self.person = loaded(person)
        self._before = self.sequence
        for record in map(turn_of, turns):
            if record.status == "open":
                self.unfinished = record
            if record.request.message_id == message_id:
                self.known = record
        if self.unfinished is not None:
            (found,) = await self.held.read((_READ_EFFECTS, (name, self.unfinished.turn)))
            self.effects = {row[0]: effect_of(row) for row in found}
            await self._read_messages(self.unfinished)

    def remember(self, before: Journal | None) -> None:
        """Take over what this process knows of actions, and could not write down when the connection was lost."""
        if before is None or self.unfinished is None or self.unfinished.turn != before.turn:
            return
        self.turn = before.turn
        for effect in before.effects.values():
            begun = self.effects.get(effect.key)
            if begun is not None and begun.status == "begun" and effect.status != "begun":
                self.effect(effect)
        for message in before._messages.values():
            if message.kind == "progress":
                self.message(message)

    async def claim(self, request: Request, turn: int, fingerprint: str) -> TurnRecord:
        """Accept a message: from here on it is processed, whatever happens."""
        self.turn, self._at = turn, request.at
        self.effects, self._messages, self._understood, self._batch = {}, {}, None, []
        names = ("payload", "slots", "language", "unheard")
        given = dumped({name: value for name in names if (value := getattr(request, name))})
        text, now = request.text, request.now.isoformat()
        values = (self.conversation, turn, request.message_id, request.kind, text, given, now, self._at, fingerprint)
        await self.held.commit("accepting a message", [self._row(), (_CLAIM, values)])
        self.is_open = True
        return TurnRecord(turn, request, fingerprint, None, 1, "open", None)

    async def again(self, record: TurnRecord) -> TurnRecord:
        """Begin a turn another time, with what was written down before."""
        # What was learnt counts, also if nobody has seen it yet, and what actions told; what else was going to be said
        # is said anew.
        told = {message.id for message in self._messages.values() if message.kind == "progress"}
        learnt = [row for row in self._batch if row[0] in (_EFFECT, _UNDERSTOOD) or told.intersection(row[1])]
        self._batch = []
        await self.held.commit("another attempt", [(_AGAIN, (self.conversation, record.turn)), *learnt])
        self.is_open = True
        await self._read_messages(record)
        return replace(record, attempts=record.attempts + 1, understood=self._understood or record.understood)

    async def _read_messages(self, record: TurnRecord) -> None:
        self.turn, self._at = record.turn, record.request.at
        (rows,) = await self.held.read((_READ_OUTBOX, (self.conversation, record.turn)))
        self._messages = {row[1]: replace(Message.load(json.loads(row[2])), sequence=row[0]) for row in rows}
        self.sequence = max([self._before, *(row[0] for row in rows)])

    def understood(self, what: dict[str, Any]) -> None:
        """Note what a message was understood to mean."""
        self._understood = what
        self._batch.append((_UNDERSTOOD, (dumped(what), self.conversation, self.turn)))

    def said(self, start: str) -> list[Message]:
        """The stored messages of this turn whose ids begin so."""
        return [message for message in self._messages.values() if message.id.startswith(start)]

    def message(self, message: Message) -> Message:
        """The message as it is stored: a turn that is run again finds what it said before."""
        stored = self._messages.get(message.id)
        if stored is None:
            self.sequence += 1
            stored = self._messages[message.id] = replace(message, sequence=self.sequence)
            values = (self.conversation, self.sequence, message.id, self.turn, dumped(message.to_json()))
            self._batch.append((_MESSAGE, values))
        return stored

    def effect(self, effect: EffectRecord) -> None:
        """Note that an action has begun, or what came of it."""
        self.effects[effect.key] = effect
        result = None if effect.result is None else dumped(effect.result)
        about = (effect.action, effect.kind, effect.arguments, effect.status, result)
        self._batch.append((_EFFECT, (self.conversation, effect.key, self.turn, *about)))

    def unsay(self) -> None:
        """Forget what was going to be said and has not been stored."""
        stored = {row[1][2] for row in self._batch if row[0] is _MESSAGE}
        self._messages = {key: message for key, message in self._messages.items() if key not in stored}
        self._batch = [row for row in self._batch if row[0] is not _MESSAGE]

    async def flush(self, what: str) -> None:
        """Write what waits, before somebody can see something that depends on it."""
        if not self._batch:
            return
        batch, self._batch = self._batch, []
        try:
            await self.held.commit(what, batch, news=_is_news(batch))
        except BaseException:
            self._batch = [*batch, *self._batch]  # for whoever tries next
            raise

    async def finish(
        self,
        status: Status,
        *,
        text: str | None,
        commands: list[dict[str, Any]],
        result: dict[str, Any],
        effects: dict[str, dict[str, Any]],
        checkpoint: Put | None,
        fingerprint: str,
        heard: bool,
    ) -> None:
        """End the turn: its rows, its checkpoint and what they replace, at once.

        `effects` is what stays of actions' results that hold a secret, `heard` whether somebody waits for the answer.
        """
        if heard:
            self.heard = self.sequence
        person = result.get("person")
        self.person = None if person is None else {"since": self._at, **(self.person or {}), **person}
        values = (text, dumped({"commands": commands}), status, dumped(result), self.conversation, self.turn)
        masks = [(_MASK_EFFECT, (dumped(shown), self.conversation, key)) for key, shown in effects.items()]
        await self._moved("the end of a turn", checkpoint, fingerprint, [(_END, values), *masks])
        self.unfinished, self._before, self.is_open = None, self.sequence, False

    async def move(self, checkpoint: Put, fingerprint: str, at: float) -> None:
        """Put the conversation somewhere else, without a turn."""
        self._at, self.person = at, None
        await self._moved("a new beginning", checkpoint, fingerprint, [])

    async def _moved(self, what: str, checkpoint: Put | None, fingerprint: str, rows: list[Statement]) -> None:
        batch, self._batch = self._batch, []
        before, pruned = (self.checkpoint_id, self.fingerprint), []
        if checkpoint is not None:
            pruned = self.held.other_checkpoints(checkpoint.checkpoint) if self.checkpoint_id else []
            self.checkpoint_id, self.fingerprint = checkpoint.checkpoint["id"], fingerprint
        try:
            await self.held.commit(what, [*batch, *rows, self._row(), *pruned], checkpoint, news=_is_news(batch))
        except BaseException:
            self.checkpoint_id, self.fingerprint = before
            raise

    def _row(self) -> Statement:
        stands = (self.turn, self.sequence, self.heard, self.checkpoint_id, self.fingerprint, self._at)
        person = None if self.person is None else dumped(self.person)
        return _KEEP_CONVERSATION, (self.conversation, self.incarnation, *stands, person)

    async def hear(self) -> None:
        """Note that somebody was told everything."""
        if self.heard < self.sequence:
            self.heard = self.sequence
            await self.held.commit("what was heard", [(HEARD, (self.heard, self.conversation, self.heard))])

    async def unheard(self, seen: str | None = None) -> list[Message]:
        """What was said when nobody was there to hear it, or after a message that was the last to be seen."""
        heard = self.heard
        if seen is not None:
            heard = min(heard, await history.sequence_of(self.held, self.conversation, seen) or heard)
        if heard >= self.sequence:
            return []
        return await history.messages_after(self.held, self.conversation, max(heard, self.sequence - MOST_TOLD_AGAIN))


def _is_news(rows: list[Statement]) -> bool:
    """Whether there is something for the person among what is written."""
    return any(row[0] is _MESSAGE for row in rows)
