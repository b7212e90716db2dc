"""StoredConversations: what can be read of conversations, also while their turns run."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from soni.errors import NotKept
from soni.runtime.explanation import Explanation, Known, facts_of
from soni.runtime.session import lines, packet, transcript
from soni.runtime.standing import state_of
from soni.store import history

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from soni.config.models import SoniConfig
    from soni.core.message_sink import Message
    from soni.core.state import DialogueState, Spoken
    from soni.runtime.session import Line
    from soni.store import Store


class StoredConversations:
    """Reads what a store keeps of conversations."""

    def __init__(self, store: Store, config: SoniConfig) -> None:
        self.config = config
        self._store = store

    async def check_store(self) -> None:
        """StoreUnavailable if nothing can be kept now: the database is away, full, or read-only."""
        await self._store.check()

    async def is_known(self, user_id: str) -> bool:
        """Whether anything is kept of this user."""
        return await history.is_known(self._store, user_id)

    async def get_state(self, user_id: str) -> DialogueState:
        """The conversation as it stands after its last finished turn."""
        checkpoint = None
        for _ in range(20):
            checkpoint_id = await history.last_checkpoint_id(self._store, user_id)
            checkpoint = await self._store.checkpoint(user_id, checkpoint_id)
            if checkpoint is not None or checkpoint_id is None:
                break
            # A turn has ended in between, and taken its predecessor's checkpoint with it: look again.
        return state_of(checkpoint)

    async def get_handoff(self, user_id: str) -> dict[str, Any] | None:
        """What the person who has this conversation is told, with all that was said; None if nobody has it."""
        state = await self.get_state(user_id)
        if state["person"] is None:
            return None
        return packet(user_id, state["language"], state["person"], await self.transcript(user_id))

    async def handoffs(self, *, prefix: str = "") -> list[dict[str, Any]]:
        """The conversations that a person has, longest silent first, of the users whose names begin so.

        `waiting` says whether the user spoke last, `since` and `last_at` are in seconds of the epoch.
        """
        return await history.with_a_person(self._store, prefix)

    async def transcript(self, user_id: str) -> list[Spoken]:
        """What was said, by all sides, in the newest turns; secrets are masked."""
        return await transcript(self._store, user_id)

    async def lines(self, user_id: str) -> list[Line]:
        """The same with everything that is known of each line: its turn, when it was, ids, quick replies."""
        return await lines(self._store, user_id)

    async def messages_since(self, user_id: str, message_id: str | None = None) -> list[Message]:
        """What the assistant has said after this message, or all that is kept; for a client that was away."""
        after = 0 if message_id is None else await history.sequence_of(self._store, user_id, message_id)
        if after is None:
            raise NotKept(f"no message '{message_id}' is kept; ask for all of them")
        found = await history.messages_after(self._store, user_id, after)
        if found:
            await history.hear(self._store, user_id, found[-1].sequence or 0)
        return found

    async def follow(
        self, user_id: str, *, after: str | None = None, beat: float = 15.0, hears: bool = True
    ) -> AsyncGenerator[Message | None]:
        """Every message after this one (or all that are kept), then each as it is said, in whichever process.

        In silence, None comes every `beat` seconds. It ends when the user is forgotten. A message counts as heard
        when the next is asked for, unless `hears` is False. An id that is not kept any more counts as none.
        """
        async with self._store.watch(user_id) as news:
            at = 0 if after is None else await history.sequence_of(self._store, user_id, after) or 0
            life: str | None = None
            while True:
                news.clear()
                found = await history.news(self._store, user_id, at)
                if life is not None and found.life != life:
                    return
                life = found.life
                for message in found.messages:
                    yield message
                    at = message.sequence or at
                if hears and found.messages and found.heard < at:
                    await history.hear(self._store, user_id, at, life)
                if not found.is_all:
                    continue
                try:
                    async with asyncio.timeout(beat):
                        await news.wait()
                except TimeoutError:
                    yield None

    async def place_of(self, user_id: str, message_id: str) -> int | None:
        """The place of a message among all that was said; None if it is not kept."""
        return await history.sequence_of(self._store, user_id, message_id)

    async def hear(self, user_id: str, message_id: str) -> None:
        """Note that everything up to this message has been heard."""
        sequence = await self.place_of(user_id, message_id)
        if sequence is not None:
            await history.hear(self._store, user_id, sequence)

    async def explain(self, user_id: str, turn: int | None = None) -> Explanation:
        """Why a turn went as it did; the last finished one if none is named, with the facts that flows go by."""
        if turn is None:
            ended = [record for record in await history.turns(self._store, user_id, last=2) if record.status != "open"]
            record = ended[-1] if ended else None
            if record is None:  # it is older than the journal
                return Explanation.of((await self.get_state(user_id))["trace"])
        elif (record := await history.turn(self._store, user_id, turn)) is None:
            raise NotKept(f"turn {turn} of '{user_id}' is not kept")
        result = record.result or {}
        explained = Explanation.of(result.get("trace", ()), error=result.get("error"))
        return explained if turn is not None else replace(explained, facts=await self.facts(user_id))

    async def facts(self, user_id: str) -> tuple[Known, ...]:
        """What the running flows go by: what was said for their slots, in which turn and with which words."""
        state = await self.get_state(user_id)
        found = [known for chain in state["chains"].values() for known in facts_of(chain, self.config)]
        spoken = {turn: await history.turn(self._store, user_id, turn) for turn in {known.turn for known in found}}
        words = {turn: record.request.text or "" for turn, record in spoken.items() if record is not None}
        return tuple(replace(known, words=words.get(known.turn, "")) for known in found)

    async def interrupted(self) -> list[str]:
        """The users with a turn that is not finished; some may be running right now."""
        return await history.interrupted(self._store)

    async def is_running(self, user_id: str) -> bool:
        """Whether a turn of this user is not finished."""
        return await history.is_open(self._store, user_id)
