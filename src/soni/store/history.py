"""What can be read of stored conversations, held or not, and what is deleted of them in time."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from soni.core.message_sink import Message
from soni.errors import ConversationBusy
from soni.store.records import HEARD, TURN_COLUMNS, turn_of

if TYPE_CHECKING:
    from soni.store.records import Reader, TurnRecord
    from soni.store.store import Statement, Store


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
    query = f"SELECT {TURN_COLUMNS} FROM soni_turns WHERE conversation = ? ORDER BY turn DESC LIMIT ?"  # noqa: S608  # names of ours
    rows = await reader.read((query, (conversation, last)))
    return [turn_of(row) for row in reversed(rows[0])]


async def turn(reader: Reader, conversation: str, number: int) -> TurnRecord | None:
    """One turn of a conversation."""
    query = f"SELECT {TURN_COLUMNS} FROM soni_turns WHERE conversation = ? AND turn = ?"  # noqa: S608  # names of ours
    rows = await reader.read((query, (conversation, number)))
    return turn_of(rows[0][0]) if rows[0] else None


async def hear(store: Store, conversation: str, sequence: int) -> None:
    """Note that somebody has fetched everything up to a message."""
    rows = await store.read(("SELECT heard FROM soni_conversations WHERE conversation = ?", (conversation,)))
    if rows[0] and rows[0][0][0] < sequence:
        await store.commit("what was heard", [(HEARD, (sequence, conversation, sequence))])


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
        (f"DELETE FROM {table} WHERE EXISTS ({old.format(table)} AND t.at < ? AND t.status <> 'open')", (before,))  # noqa: S608  # names of ours
        for table in ("soni_effects", "soni_outbox")
    ]
    turns_gone: Statement = ("DELETE FROM soni_turns WHERE at < ? AND status <> 'open'", (before,))
    rows = await store.read(("SELECT count(*) FROM soni_turns WHERE at < ? AND status <> 'open'", (before,)))
    await store.commit("pruning", [*gone, turns_gone])
    return conversations, int(rows[0][0][0])
