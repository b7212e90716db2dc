"""What a host may hand in: messages and the payloads of quick replies, or an error that says what is wrong."""

from __future__ import annotations

from collections.abc import Mapping

from soni.core.readable_text import storable
from soni.errors import ConversationError

MOST_CHARACTERS = 10_000
"""The longest message a turn takes."""
MOST_IN_A_NAME = 200
"""The longest name of a message."""


def readable(text: object) -> str:
    """A message as it can be kept; ConversationError if it is none, or too long."""
    if not isinstance(text, str):
        raise ConversationError(f"a message is text, not {type(text).__name__}")
    if len(text) > MOST_CHARACTERS:
        raise ConversationError(f"the message has {len(text)} characters; at most {MOST_CHARACTERS} are taken")
    return storable(text)


def named(message_id: object) -> str:
    """The name of a message, by which it is known when it comes again; ConversationError if it cannot be one."""
    if not isinstance(message_id, str) or not message_id:
        raise ConversationError("a message_id is a text that is not empty")
    if len(message_id) > MOST_IN_A_NAME:
        raise ConversationError(f"a message_id has at most {MOST_IN_A_NAME} characters, not {len(message_id)}")
    return readable(message_id)


def offered(payload: object) -> dict[str, str]:
    """What a quick reply carries, as it can be kept."""
    if not isinstance(payload, Mapping):
        raise ConversationError(f"a payload is the map that a quick reply carries, not {type(payload).__name__}")
    return {readable(key): readable(value) for key, value in payload.items()}
