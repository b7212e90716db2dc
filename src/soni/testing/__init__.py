"""Parts for testing assistants: real ones, only scripted."""

from soni.testing.conversation import Conversation
from soni.testing.scripted import ScriptedUnderstanding

__all__ = ["Conversation", "ScriptedUnderstanding"]
