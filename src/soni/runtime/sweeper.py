"""Sweeper: finishes turns that a process which is gone has left unfinished, now and then."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from soni.errors import ConversationBusy, StoreUnavailable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

logger = logging.getLogger(__name__)

MOST_AT_ONCE = 8


class Sweeper:
    """Looks for unfinished turns for as long as its loop is open."""

    def __init__(
        self, interrupted: Callable[[], Awaitable[list[str]]], recover: Callable[[str], Awaitable[Any]]
    ) -> None:
        self._interrupted = interrupted
        self._recover = recover
        self._closing = asyncio.Event()
        self._sweeping: asyncio.Task[None] | None = None
        self.has_looked = False
        """Whether everything that was unfinished when it began has been looked at."""

    def start(self, pause: float) -> None:
        """Look at once, and then every so many seconds."""
        self._closing = asyncio.Event()
        self._sweeping = asyncio.create_task(self._sweep(pause))

    async def stop(self, wait: float) -> None:
        """Look no more; what is being finished has some seconds to be."""
        sweeping, self._sweeping = self._sweeping, None
        if sweeping is not None:
            self._closing.set()
            await asyncio.wait({sweeping}, timeout=wait)
            sweeping.cancel()
            with suppress(asyncio.CancelledError):
                await sweeping

    async def finish_all(self) -> list[str]:
        """Finish every turn that nobody is going to finish, several at once; whose they were."""
        places = asyncio.Semaphore(MOST_AT_ONCE)

        async def finish(user_id: str) -> bool:
            async with places:
                try:
                    if self._closing.is_set() or not await self._recover(user_id):
                        return False
                except ConversationBusy:
                    return False  # somebody is still at it
                except Exception:  # one conversation that cannot be recovered must not keep the others waiting
                    logger.exception("the conversation of '%s' could not be recovered", user_id)
                    return False
                logger.info("an interrupted turn of '%s' was finished", user_id)
                return True

        users = await self._interrupted()
        finished = await asyncio.gather(*map(finish, users))
        return [user_id for user_id, is_done in zip(users, finished, strict=True) if is_done]

    async def _sweep(self, pause: float) -> None:
        while not self._closing.is_set():
            try:
                await self.finish_all()
                self.has_looked = True
            except StoreUnavailable as error:
                logger.warning("interrupted turns could not be looked for: %s", error)
            except Exception:  # whatever it was, the next look may find the store in better health
                logger.warning("interrupted turns could not be looked for", exc_info=True)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), pause)
