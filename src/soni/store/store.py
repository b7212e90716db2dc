"""Store: where conversations are kept. Held: one of them, while nobody else may write it."""

from __future__ import annotations

import asyncio
import hashlib
import time
from abc import ABC, abstractmethod
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakValueDictionary

from langgraph.checkpoint.base import BaseCheckpointSaver, copy_checkpoint

from soni.errors import ConversationBusy, ConversationError
from soni.store.fail_points import passed
from soni.store.records import is_storable
from soni.store.schema import TABLES
from soni.telemetry import timed

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence

    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata, CheckpointTuple

    from soni.telemetry import Spent

Statement = tuple[str, tuple[Any, ...]]
"""SQL with a question mark for each value, and the values."""
Rows = list[tuple[Any, ...]]
MOST_CHARACTERS = 500
"""The longest name of a conversation."""


class Put(NamedTuple):
    """A checkpoint that waits for its turn to end."""

    config: RunnableConfig
    checkpoint: Checkpoint
    metadata: CheckpointMetadata
    new_versions: ChannelVersions


class Watchers:
    """Who wants to know when something is said, and in which conversation."""

    def __init__(self) -> None:
        self._events: dict[str, set[asyncio.Event]] = {}

    @contextmanager
    def joined(self, conversation: str) -> Iterator[asyncio.Event]:
        """An event that is set at every word in the conversation."""
        event = asyncio.Event()
        others = self._events.setdefault(conversation, set())
        others.add(event)
        try:
            yield event
        finally:
            others.discard(event)
            if not others and self._events.get(conversation) is others:
                del self._events[conversation]

    def tell(self, conversation: str) -> None:
        """Something has been said."""
        for event in self._events.get(conversation, ()):
            event.set()

    def tell_all(self) -> None:
        """Something may have been said anywhere."""
        for conversation in self._events:
            self.tell(conversation)

    def __len__(self) -> int:
        return len(self._events)


class Store(ABC):
    """The journal and the checkpoints of many conversations, in one database."""

    shared: bool
    """Whether other processes may be working on the same conversations."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self.watchers = Watchers()

    @asynccontextmanager
    async def hold(self, conversation: str, *, wait: float) -> AsyncIterator[Held]:
        """Hold a conversation; ConversationBusy if another writer has it for longer than `wait` seconds."""
        _check_name(conversation)
        lock = self._locks.get(conversation)
        if lock is None:
            lock = self._locks[conversation] = asyncio.Lock()
        deadline, began = asyncio.get_running_loop().time() + wait, time.perf_counter()
        try:
            async with asyncio.timeout(wait):
                await lock.acquire()
        except TimeoutError:
            raise busy(conversation, wait) from None
        try:
            async with self._held(conversation, deadline) as held:
                held.spent["waiting"] = time.perf_counter() - began
                yield held
        finally:
            lock.release()

    @abstractmethod
    def _held(self, conversation: str, deadline: float) -> AbstractAsyncContextManager[Held]:
        """Keep other processes out until the block ends, or raise ConversationBusy at the deadline."""

    @abstractmethod
    async def read(self, *statements: Statement) -> list[Rows]:
        """The rows of each statement."""

    @abstractmethod
    async def checkpoint(self, conversation: str, checkpoint_id: str | None) -> CheckpointTuple | None:
        """A checkpoint of the conversation, the newest if none is named."""

    @abstractmethod
    async def commit(self, what: str, statements: Sequence[Statement]) -> None:
        """Write what concerns no single conversation, whole or not at all."""

    @abstractmethod
    async def check(self) -> None:
        """StoreUnavailable if nothing can be written now: the database is away, full, or read-only."""

    @asynccontextmanager
    async def watch(self, conversation: str) -> AsyncIterator[asyncio.Event]:
        """An event that is set whenever something may have been said in the conversation, here or elsewhere.

        What happens elsewhere may come late or, if the database was away, not at all: look now and then as well.
        """
        _check_name(conversation)
        with self.watchers.joined(conversation) as event:
            yield event

    async def force(self, conversation: str) -> bool:
        """Take the conversation from a writer that does not answer any more; False where that cannot be done."""
        return False


class Held(ABC):
    """One conversation, for one writer."""

    def __init__(self, conversation: str, saver: BaseCheckpointSaver[Any]) -> None:
        self.conversation = conversation
        self.saver = HeldSaver(saver)
        self.spent: Spent = {}
        """The seconds of what is done while it is held."""

    @abstractmethod
    async def read(self, *statements: Statement) -> list[Rows]:
        """The rows of each statement."""

    async def commit(
        self, what: str, statements: Sequence[Statement], checkpoint: Put | None = None, *, news: bool = False
    ) -> None:
        """Write all of it, or nothing; whoever watches is told if there is news."""
        passed(f"before {what}")
        with timed(self.spent, "storing"):
            await self._commit(statements, checkpoint, news)
        passed(f"after {what}")

    @abstractmethod
    async def _commit(self, statements: Sequence[Statement], checkpoint: Put | None, news: bool) -> None: ...

    @abstractmethod
    def other_checkpoints(self, kept: Checkpoint) -> list[Statement]:
        """What deletes every checkpoint of the conversation but this one."""

    @abstractmethod
    async def erase(self) -> None:
        """Delete everything there is about the conversation."""

    def _everything(self, *checkpoint_tables: str) -> list[Statement]:
        # The names are ours; none comes from outside.
        journal = [(f"DELETE FROM {table} WHERE conversation = ?", (self.conversation,)) for table in TABLES]  # noqa: S608
        saved = [(f"DELETE FROM {table} WHERE thread_id = ?", (self.conversation,)) for table in checkpoint_tables]  # noqa: S608
        return [*journal, *saved]


class HeldSaver(BaseCheckpointSaver[Any]):
    """The saver that a turn's graph runs with: it reads a checkpoint once, and keeps what is put until the turn ends.

    What LangGraph notes beside a checkpoint (that it waits, or which error stopped it) is not kept: the task that a
    conversation waits on is in its state, and a turn that failed leaves no checkpoint.
    """

    def __init__(self, saver: BaseCheckpointSaver[Any]) -> None:
        super().__init__(serde=saver.serde)
        self._saver = saver
        self._read: CheckpointTuple | None = None
        self.put_: Put | None = None

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        wanted = config["configurable"].get("checkpoint_id")
        read = self._read
        if read is None or wanted is None or read.checkpoint["id"] != wanted:
            read = self._read = await self._saver.aget_tuple(config)
        # A run writes into the checkpoint it starts from; another may follow from the same one.
        return read and read._replace(checkpoint=copy_checkpoint(read.checkpoint), pending_writes=[])

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        self.put_ = Put(config, checkpoint, metadata, new_versions)
        return {"configurable": {**config["configurable"], "checkpoint_id": checkpoint["id"]}}

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        return None

    def get_next_version(self, current: Any, channel: None) -> Any:
        return self._saver.get_next_version(current, channel)

    def taken(self) -> Put | None:
        """What was put last, for the end of the turn to write."""
        put, self.put_ = self.put_, None
        return put


def thread(conversation: str, checkpoint_id: str | None = None) -> RunnableConfig:
    """The name under which LangGraph knows a conversation, at a checkpoint of it if one is named."""
    at = {"checkpoint_id": checkpoint_id} if checkpoint_id else {}
    return {"configurable": {"thread_id": conversation, "checkpoint_ns": "", **at}}


def _check_name(conversation: str) -> None:
    if not conversation:
        raise ConversationError("a conversation needs a user_id")
    if len(conversation) > MOST_CHARACTERS:
        raise ConversationError(f"a user_id has at most {MOST_CHARACTERS} characters, not {len(conversation)}")
    if not is_storable(conversation):
        raise ConversationError(f"a user_id cannot contain {conversation!r}: not every database could keep it")


def busy(conversation: str, wait: float) -> ConversationBusy:
    """The error for a conversation that somebody else holds."""
    waited = f" after {wait:.2g} seconds" if wait > 0 else ""
    return ConversationBusy(f"the conversation of '{conversation}' is still being worked on{waited}; try again later")


def lock_number(conversation: str, bits: int) -> int:
    """A number for the conversation, to lock by."""
    return int.from_bytes(hashlib.blake2b(conversation.encode(), digest_size=8).digest()) >> (64 - bits)
