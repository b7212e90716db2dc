"""What a turn leaves behind: words and commands that carry a sensitive value are masked.

What answers a question for a secret, or was read as one that cannot be found among the words, is masked as a whole. Of
other messages only the words are masked that look like a secret of the flows they are about.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from soni.du.secrets import MASK, FoundSecrets, SecretFinder, recognisable

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from soni.config.models import SoniConfig
    from soni.core.pending_task import PendingTask
    from soni.core.state import DialogueState

_NOTHING = FoundSecrets()
_SHORT = 500
"""A message up to this length is looked through at once."""


def asks_for_secret(task: PendingTask | None, config: SoniConfig) -> bool:
    """Whether the open question is for a sensitive value."""
    return task is not None and task["type"] == "collect" and _is_sensitive(task["slot"], config)


def is_private(
    task: PendingTask | None,
    commands: Iterable[dict[str, Any]],
    config: SoniConfig,
    found: FoundSecrets = _NOTHING,
) -> bool:
    """Whether a message answers a sensitive question, or was understood to hold a secret that is not `found` in it."""
    if asks_for_secret(task, config):
        return True
    for command in commands:
        slots = command.get("slots")
        values = [
            (str(command.get("slot", "")), command.get("value")),
            *(slots.items() if isinstance(slots, dict) else ()),
        ]
        if any(_is_sensitive(name, config) and not found.covers(value) for name, value in values):
            return True
    return False


def _is_sensitive(name: str, config: SoniConfig) -> bool:
    return name in config.slots and config.slots[name].sensitive


async def found_secrets(
    text: str | None,
    state: DialogueState,
    commands: Iterable[dict[str, Any]],
    config: SoniConfig,
    *,
    now: datetime,
) -> FoundSecrets:
    """The words of a message that look like a secret of the flows that run or that it starts.

    A message that is about no flow at all may be about any that people can ask for.
    """
    flows = {frame["flow_name"] for frame in state["flow_stack"]}
    for command in commands:
        options = command.get("options")
        named = [command.get("flow"), *(options if isinstance(options, list) else ())]
        flows |= {name for name in named if isinstance(name, str) and name in config.flows}
    slots = recognisable(flows or config.for_people, config)
    if not text or not slots:
        return _NOTHING
    language = state["language"] or config.settings.language
    finder = SecretFinder(slots, config.reading(language, now))
    # A long message is looked through in a thread, so that other conversations go on.
    return finder.in_text(text) if len(text) <= _SHORT else await asyncio.to_thread(finder.in_text, text)


def masked(command: dict[str, Any]) -> dict[str, Any]:
    """The command without what it carries; the names of flows and slots are the author's, not the person's."""
    slots = command.get("slots")
    shown = {name: command[name] for name in ("type", "slot", "flow") if isinstance(command.get(name), str)}
    if isinstance(slots, dict):
        shown["slots"] = dict.fromkeys(slots, MASK)
    return {**dict.fromkeys(command, MASK), **shown}
