"""What a host does around a conversation: another process on the same store."""

from __future__ import annotations

from soni import RuntimeLoop
from soni.testing import Conversation


def new_loop(user: Conversation) -> RuntimeLoop:
    """Another loop on the store of a conversation, as another process would have it."""
    return RuntimeLoop(user._config, **user._options)
