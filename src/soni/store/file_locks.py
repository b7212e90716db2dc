"""FileLocks: locks on the bytes of a file, which the kernel gives back when a process dies, however it dies."""

from __future__ import annotations

import asyncio
import os
import struct
from typing import TYPE_CHECKING

from soni.store.places import unusable
from soni.store.store import busy

if TYPE_CHECKING:
    from pathlib import Path


class FileLocks:
    """Locks on the bytes of a file, one for each conversation.

    They belong to the open file, not to the process, where the system has that kind (Linux): two stores of one process
    keep each other out as well. Elsewhere open a file once in a process.
    """

    def __init__(self, path: Path) -> None:
        try:
            import fcntl
        except ImportError:
            raise unusable(path, "this system has no locks on files; keep conversations in Postgres") from None
        self._fcntl = fcntl
        self._command: int | None = getattr(fcntl, "F_OFD_SETLK", None)
        try:
            self.descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise unusable(path, str(error.strerror)) from None

    def take(self, place: int) -> bool:
        """Whether the byte is ours now."""
        try:
            self._set(self._fcntl.F_WRLCK, place)
        except (BlockingIOError, PermissionError):
            return False
        return True

    def release(self, place: int) -> None:
        """Let others have it."""
        self._set(self._fcntl.F_UNLCK, place)

    def _set(self, kind: int, place: int) -> None:
        if self._command is not None:
            self._fcntl.fcntl(self.descriptor, self._command, struct.pack("hhqqi4x", kind, os.SEEK_SET, place, 1, 0))
        elif kind == self._fcntl.F_UNLCK:
            self._fcntl.lockf(self.descriptor, self._fcntl.LOCK_UN, 1, place)
        else:
            self._fcntl.lockf(self.descriptor, self._fcntl.LOCK_EX | self._fcntl.LOCK_NB, 1, place)

    def close(self) -> None:
        """Give all of them back."""
        os.close(self.descriptor)


async def taken(locks: FileLocks, place: int, conversation: str, deadline: float) -> None:
    """Wait for the byte of a conversation; ConversationBusy at the deadline."""
    clock, pause = asyncio.get_running_loop().time, 0.002
    begun = clock()
    while not locks.take(place):
        if clock() + pause > deadline:
            raise busy(conversation, clock() - begun)
        await asyncio.sleep(pause)
        pause = min(pause * 2, 0.05)
