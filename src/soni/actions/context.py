"""What an author's function may ask for besides slots."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress

Inform = Callable[[str], Awaitable[None]]


class ActionContext:
    """What an action may ask for besides slots: give a parameter this type to receive it."""

    def __init__(self, inform: Inform, *, user_id: str, language: str, idempotency_key: str = "") -> None:
        self.user_id = user_id
        self.language = language
        self.idempotency_key = idempotency_key
        """The same whenever this visit of this step is tried again, and never otherwise."""
        self.limit: asyncio.Timeout | None = None
        self._inform = inform
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()

    async def inform(self, text: str) -> None:
        """Tell the person something while the action is still running."""
        if not isinstance(text, str):
            raise TypeError(f"inform takes a text, not {type(text).__name__}")
        limit = self.limit.when() if self.limit else None
        if self.limit is None or limit is None or self.limit.expired():
            await self._inform(text)
            return
        # How long a person's connection takes is not the action's time.
        begun = self._loop.time()
        self.limit.reschedule(None)
        await self._inform(text)
        with suppress(RuntimeError):  # the action has ended meanwhile
            self.limit.reschedule(limit + self._loop.time() - begun)

    def inform_sync(self, text: str) -> None:
        """The same for an action that is a plain function."""
        if threading.get_ident() == self._thread:
            raise RuntimeError("inform_sync is for plain functions; in a coroutine, await context.inform(…)")
        asyncio.run_coroutine_threadsafe(self.inform(text), self._loop).result()
