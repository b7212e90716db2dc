"""Journal: what is written down about a conversation while a turn of it runs, so that the turn can be run again.

Rows wait in a batch until something outside could depend on them: a message that is sent, an action that is called,
the end of the turn. Until then nobody has seen anything, and a turn that is run again may as well write others.
"""

from __future__ import annotations

import json
import uuid
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, Protocol

from soni.core.message_sink import Message
from soni.errors import ConversationBusy, StoreUnavailable

if TYPE_CHECKING:
    from soni.store.store import Held, Put, Rows, Statement, Store

Kind = Literal["message", "start", "say", "return"]
Status = Literal["open", "done", "failed"]
Settled = Literal["begun", "done", "failed", "unusable", "unknown"]


class Reader(Protocol):
    """A store, or a conversation of it that is held: while it is, nothing else should be asked for a connection."""

    async def read(self, *statements: Statement) -> list[Rows]: ...


@dataclass(frozen=True, slots=True)
class Request:
    """What a turn was asked for; with what the ledger holds, enough to run it again."""

    kind: Kind
    message_id: str
    now: datetime
    text: str | None = None
    payload: dict[str, str] | None = None
    slots: dict[str, Any] = field(default_factory=dict)
    """The host's, as they are stored."""


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """A turn as the journal has it."""

    turn: int
    request: Request
    fingerprint: str
    understood: dict[str, Any] | None
    attempts: int
    status: Status
    result: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class EffectRecord:
    """An action that was begun, and what came of it."""

    key: str
    turn: int
    action: str
    arguments: str
    status: Settled
    result: dict[str, Any] | None


_TURN = "turn, message_id, kind, text, given, now, fingerprint, understood, attempts, status, result"
_READ_CONVERSATION = (
    "SELECT incarnation, turn, sequence, checkpoint_id, fingerprint FROM soni_conversations WHERE conversation = ?"
)
_READ_TURNS = f"SELECT {_TURN} FROM soni_turns WHERE conversation = ? AND (message_id = ? OR status <> 'done')"  # noqa: S608  # names of ours
_READ_EFFECTS = (
    "SELECT e.key, e.turn, e.action, e.arguments, e.status, e.result FROM soni_turns t JOIN soni_effects e ON "
    "e.conversation = t.conversation AND e.turn = t.turn WHERE t.conversation = ? AND t.status <> 'done'"
)
_READ_OUTBOX = "SELECT sequence, id, message FROM soni_outbox WHERE conversation = ? AND turn = ? ORDER BY sequence"
_KEEP_CONVERSATION = (
    "INSERT INTO soni_conversations (conversation, incarnation, turn, sequence, checkpoint_id, fingerprint, at) "
    "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (conversation) DO UPDATE SET turn = excluded.turn, "
    "sequence = excluded.sequence, checkpoint_id = excluded.checkpoint_id, fingerprint = excluded.fingerprint, "
    "at = excluded.at"
)
_CLAIM = (
    "INSERT INTO soni_turns (conversation, turn, message_id, kind, text, given, now, at, fingerprint, attempts, "
    "status) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 'open')"
)
_AGAIN = "UPDATE soni_turns SET attempts = attempts + 1 WHERE conversation = ? AND turn = ?"
_UNDERSTOOD = "UPDATE soni_turns SET understood = ? WHERE conversation = ? AND turn = ?"
_EFFECT = (
    "INSERT INTO soni_effects (conversation, key, turn, action, arguments, status, result) "
    "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (conversation, key) DO UPDATE SET turn = excluded.turn, "
    "arguments = excluded.arguments, status = excluded.status, result = excluded.result"
)
_MASK_EFFECT = "UPDATE soni_effects SET result = ? WHERE conversation = ? AND key = ?"
_MESSAGE = "INSERT INTO soni_outbox (conversation, sequence, id, turn, message) VALUES (?, ?, ?, ?, ?)"
_END = (
    "UPDATE soni_turns SET text = ?, given = '{}', understood = ?, status = ?, result = ? "
    "WHERE conversation = ? AND turn = ?"
)


class Journal:
    """The record of one conversation while it is held."""

    def __init__(self, held: Held) -> None:
        self.held = held
        self.incarnation = uuid.uuid4().hex
        """A random name for this life of the conversation; whoever forgets it gets another."""
        self.turn = 0
        self.sequence = self._before = 0
        self.checkpoint_id: str | None = None
        self.fingerprint: str | None = None
        self.unfinished: TurnRecord | None = None
        self.known: TurnRecord | None = None
        self.effects: dict[str, EffectRecord] = {}
        self._messages: dict[str, Message] = {}
        self._masked: dict[str, dict[str, Any]] = {}
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
        rows, turns = await self.held.read((_READ_CONVERSATION, (name,)), (_READ_TURNS, (name, message_id)))
        self.unfinished = self.known = None
        self.effects, self._batch = {}, []
        if rows:
            self.incarnation, self.turn, self.sequence, self.checkpoint_id, self.fingerprint = rows[0]
        self._before = self.sequence
        for record in map(_turn, turns):
            if record.status == "open":
                self.unfinished = record
            if record.request.message_id == message_id:
                self.known = record
        if any(_turn(row).status != "done" for row in turns):
            (found,) = await self.held.read((_READ_EFFECTS, (name,)))
            self.effects = {row[0]: _effect(row) for row in found}
        if self.unfinished is not None:
            await self._read_messages(self.unfinished)

    def remember(self, before: Journal | None) -> None:
        """Take over what this process knows of actions, and could not write down when the connection was lost."""
        if before is None or self.unfinished is None or self.unfinished.turn != before.turn:
            return
        self.turn = before.turn
        for effect in before.effects.values():
            begun = self.effects.get(effect.key)
            if begun is not None and begun.status == "begun" and effect.status != "begun":
                self.effect(effect.key, effect.action, effect.arguments, effect.status, effect.result)
        for message in before._messages.values():
            if message.kind == "progress":
                self.message(message)

    async def claim(self, request: Request, turn: int, fingerprint: str) -> TurnRecord:
        """Accept a message: from here on it is processed, whatever happens."""
        self.turn, self._at = turn, request.now.timestamp()
        self._messages, self._masked, self._understood = {}, {}, None
        given = _dumped({"payload": request.payload, "slots": request.slots})
        text, now = request.text, request.now.isoformat()
        values = (self.conversation, turn, request.message_id, request.kind, text, given, now, self._at, fingerprint)
        await self.held.commit("accepting a message", [self._row(), (_CLAIM, values)])
        return TurnRecord(turn, request, fingerprint, None, 1, "open", None)

    async def again(self, record: TurnRecord) -> TurnRecord:
        """Begin a turn another time, with what was written down before."""
        # What was learnt counts, also if nobody has seen it yet, and what actions told; what else was going to be said
        # is said anew.
        told = {message.id for message in self._messages.values() if message.kind == "progress"}
        learnt = [row for row in self._batch if row[0] in (_EFFECT, _UNDERSTOOD) or told.intersection(row[1])]
        self._batch = []
        await self.held.commit("another attempt", [(_AGAIN, (self.conversation, record.turn)), *learnt])
        await self._read_messages(record)
        return replace(record, attempts=record.attempts + 1, understood=self._understood or record.understood)

    async def _read_messages(self, record: TurnRecord) -> None:
        self.turn, self._at = record.turn, record.request.now.timestamp()
        (rows,) = await self.held.read((_READ_OUTBOX, (self.conversation, record.turn)))
        self._messages = {row[1]: replace(Message.load(json.loads(row[2])), sequence=row[0]) for row in rows}
        self.sequence = max([self._before, *(row[0] for row in rows)])

    def understood(self, what: dict[str, Any]) -> None:
        """Note what a message was understood to mean."""
        self._understood = what
        self._batch.append((_UNDERSTOOD, (_dumped(what), self.conversation, self.turn)))

    def said(self, start: str) -> list[Message]:
        """The stored messages of this turn whose ids begin so."""
        return [message for message in self._messages.values() if message.id.startswith(start)]

    def message(self, message: Message) -> Message:
        """The message as it is stored: a turn that is run again finds what it said before."""
        stored = self._messages.get(message.id)
        if stored is None:
            self.sequence += 1
            stored = self._messages[message.id] = replace(message, sequence=self.sequence)
            values = (self.conversation, self.sequence, message.id, self.turn, _dumped(message.to_json()))
            self._batch.append((_MESSAGE, values))
        return stored

    def effect(
        self,
        key: str,
        action: str,
        arguments: str,
        status: Settled,
        result: dict[str, Any] | None,
        masked: dict[str, Any] | None = None,
    ) -> None:
        """Note that an action has begun, or what came of it; `masked` is what stays of that when the turn has ended."""
        if masked is not None and masked != result:
            self._masked[key] = masked
        self.effects[key] = EffectRecord(key, self.turn, action, arguments, status, result)
        held = None if result is None else _dumped(result)
        self._batch.append((_EFFECT, (self.conversation, key, self.turn, action, arguments, status, held)))

    async def flush(self, what: str) -> None:
        """Write what waits, before somebody can see something that depends on it."""
        if not self._batch:
            return
        batch, self._batch = self._batch, []
        try:
            await self.held.commit(what, batch)
        except StoreUnavailable:
            self._batch = [*batch, *self._batch]  # for whoever tries next
            raise

    async def finish(
        self,
        status: Status,
        *,
        text: str | None,
        commands: list[dict[str, Any]],
        result: dict[str, Any],
        checkpoint: Put | None,
        fingerprint: str,
    ) -> None:
        """End the turn: its rows, its checkpoint and what they replace, at once."""
        values = (text, _dumped({"commands": commands}), status, _dumped(result), self.conversation, self.turn)
        masks = [(_MASK_EFFECT, (_dumped(shown), self.conversation, key)) for key, shown in self._masked.items()]
        await self._moved("the end of a turn", checkpoint, fingerprint, [(_END, values), *masks])
        self.unfinished, self._before = None, self.sequence

    async def move(self, checkpoint: Put, fingerprint: str, at: float) -> None:
        """Put the conversation somewhere else, without a turn."""
        self._at = at
        await self._moved("a new beginning", checkpoint, fingerprint, [])

    async def _moved(self, what: str, checkpoint: Put | None, fingerprint: str, rows: list[Statement]) -> None:
        batch, self._batch = self._batch, []
        before = self.checkpoint_id
        pruned: list[Statement] = []
        if checkpoint is not None:
            self.checkpoint_id, self.fingerprint = checkpoint.checkpoint["id"], fingerprint
            pruned = self.held.other_checkpoints(checkpoint.checkpoint) if before else []
        await self.held.commit(what, [*batch, *rows, self._row(), *pruned], checkpoint)

    def _row(self) -> Statement:
        values = (self.incarnation, self.turn, self.sequence, self.checkpoint_id, self.fingerprint, self._at)
        return _KEEP_CONVERSATION, (self.conversation, *values)


async def interrupted(reader: Reader) -> list[str]:
    """The conversations with a turn that is not finished; some may be running right now."""
    rows = await reader.read(("SELECT conversation FROM soni_turns WHERE status = 'open' ORDER BY at", ()))
    return [row[0] for row in rows[0]]


async def is_known(reader: Reader, conversation: str) -> bool:
    """Whether anything is kept of a conversation."""
    rows = await reader.read(("SELECT 1 FROM soni_conversations WHERE conversation = ?", (conversation,)))
    return bool(rows[0])


async def last_checkpoint_id(reader: Reader, conversation: str) -> str | None:
    """The checkpoint of the last finished turn."""
    rows = await reader.read(("SELECT checkpoint_id FROM soni_conversations WHERE conversation = ?", (conversation,)))
    return rows[0][0][0] if rows[0] else None


async def turns(reader: Reader, conversation: str, *, last: int) -> list[TurnRecord]:
    """The newest turns of a conversation, oldest first."""
    query = f"SELECT {_TURN} FROM soni_turns WHERE conversation = ? ORDER BY turn DESC LIMIT ?"  # noqa: S608  # names of ours
    rows = await reader.read((query, (conversation, last)))
    return [_turn(row) for row in reversed(rows[0])]


async def turn(reader: Reader, conversation: str, number: int) -> TurnRecord | None:
    """One turn of a conversation."""
    query = f"SELECT {_TURN} FROM soni_turns WHERE conversation = ? AND turn = ?"  # noqa: S608  # names of ours
    rows = await reader.read((query, (conversation, number)))
    return _turn(rows[0][0]) if rows[0] else None


async def messages(
    reader: Reader, conversation: str, *, after: int = 0, first_turn: int = 0
) -> list[tuple[int, Message]]:
    """What was said to the person, each with its turn, in order."""
    query = (
        "SELECT turn, sequence, message FROM soni_outbox WHERE conversation = ? AND sequence > ? AND turn >= ? "
        "ORDER BY sequence"
    )
    rows = await reader.read((query, (conversation, after, first_turn)))
    return [(row[0], replace(Message.load(json.loads(row[2])), sequence=row[1])) for row in rows[0]]


async def sequence_of(reader: Reader, conversation: str, message_id: str) -> int | None:
    """The number of a message that was said."""
    query = "SELECT sequence FROM soni_outbox WHERE conversation = ? AND id = ?"
    rows = await reader.read((query, (conversation, message_id)))
    return rows[0][0][0] if rows[0] else None


async def prune(store: Store, before: float) -> tuple[int, int]:
    """Delete what is from before a time: conversations silent since, and finished turns of others; how many of each."""
    silent = (
        "SELECT conversation FROM soni_conversations c WHERE at < ? AND NOT EXISTS (SELECT 1 FROM soni_turns t "
        "WHERE t.conversation = c.conversation AND t.status = 'open')"
    )
    conversations = 0
    for row in (await store.read((silent, (before,))))[0]:
        with suppress(ConversationBusy):  # not so silent
            async with store.hold(row[0], wait=0.0) as held:
                if (await held.read((f"{silent} AND conversation = ?", (before, row[0]))))[0]:
                    await held.erase()
                    conversations += 1
    old = "SELECT 1 FROM soni_turns t WHERE t.conversation = {0}.conversation AND t.turn = {0}.turn"
    gone: list[Statement] = [
        (f"DELETE FROM {table} WHERE EXISTS ({old.format(table)} AND t.at < ? AND t.status = 'done')", (before,))  # noqa: S608  # names of ours
        for table in ("soni_effects", "soni_outbox")
    ]
    turns_gone: Statement = ("DELETE FROM soni_turns WHERE at < ? AND status = 'done'", (before,))
    rows = await store.read(("SELECT count(*) FROM soni_turns WHERE at < ? AND status = 'done'", (before,)))
    await store.commit("pruning", [*gone, turns_gone])
    return conversations, int(rows[0][0][0])


def _turn(row: tuple[Any, ...]) -> TurnRecord:
    number, message_id, kind, text, given, now, fingerprint, understood, attempts, status, result = row
    held = json.loads(given)
    at = datetime.fromisoformat(now)
    request = Request(kind, message_id, at, text, held.get("payload"), held.get("slots") or {})
    return TurnRecord(number, request, fingerprint, _loaded(understood), attempts, status, _loaded(result))


def _effect(row: tuple[Any, ...]) -> EffectRecord:
    key, turn, action, arguments, status, result = row
    return EffectRecord(key, turn, action, arguments, status, _loaded(result))


def _dumped(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def _loaded(text: str | None) -> Any:
    return None if text is None else json.loads(text)
