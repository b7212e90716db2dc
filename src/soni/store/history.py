"""What can be read of stored conversations, held or not, and what is deleted of them in time."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from soni.core.message_sink import Message
from soni.errors import ConversationBusy
from soni.store.records import HEARD, TURN_COLUMNS, is_storable, turn_of

if TYPE_CHECKING:
    from soni.store.records import Reader, TurnRecord
    from soni.store.store import Statement, Store

_AT_ONCE = 100


async def interrupted(reader: Reader) -> list[str]:
    """The conversations with a turn that is not finished; some may be running right now."""
    rows = await reader.read(("SELECT conversation FROM soni_turns WHERE status = 'open' ORDER BY at", ()))
    return [row[0] for row in rows[0]]


async def is_open(reader: Reader, conversation: str) -> bool:
    """Whether a turn of a conversation is not finished."""
    query = "SELECT 1 FROM soni_turns WHERE conversation = ? AND status = 'open'"
    return bool((await reader.read((query, (conversation,))))[0])


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
    query = f"SELECT {TURN_COLUMNS} FROM soni_turns WHERE conversation = ? ORDER BY turn DESC LIMIT ?"  # noqa: S608  # names of ours
    rows = await reader.read((query, (conversation, last)))
    return [turn_of(row) for row in reversed(rows[0])]


async def turn(reader: Reader, conversation: str, number: int) -> TurnRecord | None:
    """One turn of a conversation."""
    query = f"SELECT {TURN_COLUMNS} FROM soni_turns WHERE conversation = ? AND turn = ?"  # noqa: S608  # names of ours
    rows = await reader.read((query, (conversation, number)))
    return turn_of(rows[0][0]) if rows[0] else None


async def hear(store: Store, conversation: str, sequence: int, life: str | None = None) -> None:
    """Note that somebody has fetched everything up to a message, in this life of the conversation if one is named."""
    query = "SELECT heard, incarnation FROM soni_conversations WHERE conversation = ?"
    rows = await store.read((query, (conversation,)))
    if rows[0] and rows[0][0][0] < sequence and life in (None, rows[0][0][1]):
        heard = f"{HEARD} AND incarnation = ?"
        await store.commit("what was heard", [(heard, (sequence, conversation, sequence, rows[0][0][1]))])


async def messages_after(reader: Reader, conversation: str, sequence: int) -> list[Message]:
    """What was said to the person after a message, in order."""
    query = "SELECT sequence, message FROM soni_outbox WHERE conversation = ? AND sequence > ? ORDER BY sequence"
    rows = await reader.read((query, (conversation, sequence)))
    return [replace(Message.load(json.loads(row[1])), sequence=row[0]) for row in rows[0]]


async def messages_of(reader: Reader, conversation: str, first: int, last: int) -> list[tuple[int, Message]]:
    """What was said to the person in some turns, each message with its turn, in order."""
    query = (
        "SELECT turn, sequence, message FROM soni_outbox WHERE conversation = ? AND turn BETWEEN ? AND ? "
        "ORDER BY turn, sequence"
    )
    rows = await reader.read((query, (conversation, first, last)))
    return [(row[0], replace(Message.load(json.loads(row[2])), sequence=row[1])) for row in rows[0]]


class News(NamedTuple):
    """What was said after a message."""

    life: str | None
    """Which life of the conversation it is; None if there is no such conversation."""
    heard: int
    """Up to which message somebody was there to hear."""
    messages: list[Message]
    is_all: bool
    """Whether there is no more; much is read in pieces, so that nobody who was away for long fills the memory."""


async def news(reader: Reader, conversation: str, sequence: int) -> News:
    """What was said after a message."""
    query = (
        "SELECT c.incarnation, c.heard, o.sequence, o.message FROM soni_conversations c LEFT JOIN soni_outbox o "
        "ON o.conversation = c.conversation AND o.sequence > ? WHERE c.conversation = ? ORDER BY o.sequence LIMIT ?"
    )
    (rows,) = await reader.read((query, (sequence, conversation, _AT_ONCE)))
    life, heard = rows[0][:2] if rows else (None, 0)
    said = [row[2:] for row in rows if row[2] is not None]
    messages = [replace(Message.load(json.loads(message)), sequence=number) for number, message in said]
    return News(life, heard, messages, len(said) < _AT_ONCE)


async def with_a_person(reader: Reader, prefix: str) -> list[dict[str, Any]]:
    """The conversations that a person has, of those whose names begin so, longest silent first."""
    query = (
        "SELECT conversation, person, at, (SELECT kind FROM soni_turns t WHERE t.conversation = c.conversation "
        "ORDER BY turn DESC LIMIT 1) FROM soni_conversations c WHERE person IS NOT NULL "
        "AND substr(conversation, 1, ?) = ? ORDER BY at"
    )
    rows = await reader.read((query, (len(prefix), prefix)))
    return [
        {"user_id": name, **json.loads(person), "last_at": at, "waiting": kind == "message"}
        for name, person, at, kind in rows[0]
    ]


async def sequence_of(reader: Reader, conversation: str, message_id: str) -> int | None:
    """The number of a message that was said."""
    if not is_storable(message_id):
        return None  # whoever asks made it up, and not every database could be asked
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
        (f"DELETE FROM {table} WHERE EXISTS ({old.format(table)} AND t.at < ? AND t.status <> 'open')", (before,))  # noqa: S608  # names of ours
        for table in ("soni_effects", "soni_outbox")
    ]
    turns_gone: Statement = ("DELETE FROM soni_turns WHERE at < ? AND status <> 'open'", (before,))
    rows = await store.read(("SELECT count(*) FROM soni_turns WHERE at < ? AND status <> 'open'", (before,)))
    await store.commit("pruning", [*gone, turns_gone])
    return conversations, int(rows[0][0][0])
