"""What a turn leaves in the state: words and commands that carry a sensitive value are masked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from soni.du.context import MASK

if TYPE_CHECKING:
    from collections.abc import Iterable

    from soni.config.models import SoniConfig
    from soni.core.pending_task import PendingTask


def asks_for_secret(task: PendingTask | None, config: SoniConfig) -> bool:
    """Whether the open question is for a sensitive value."""
    slot = config.slots.get(task["slot"]) if task is not None and task["type"] == "collect" else None
    return slot is not None and slot.sensitive


def is_private(task: PendingTask | None, commands: Iterable[dict[str, Any]], config: SoniConfig) -> bool:
    """Whether a message answers a sensitive question, or was understood to hold a sensitive value."""
    named: set[str] = set()
    for command in commands:
        slots = command.get("slots")
        named |= {str(command.get("slot", "")), *(slots if isinstance(slots, dict) else ())}
    return asks_for_secret(task, config) or any(config.slots[name].sensitive for name in named & config.slots.keys())


def masked(command: dict[str, Any]) -> dict[str, Any]:
    """The command without what it carries; the names of flows and slots are the author's, not the person's."""
    slots = command.get("slots")
    shown = {name: command[name] for name in ("type", "slot", "flow") if isinstance(command.get(name), str)}
    if isinstance(slots, dict):
        shown["slots"] = dict.fromkeys(slots, MASK)
    return {**dict.fromkeys(command, MASK), **shown}
