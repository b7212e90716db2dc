"""ScriptedUnderstanding: exact message, exact commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soni.core.commands import OutOfScope
from soni.du.understanding import Understood

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from soni.core.commands import Command
    from soni.du.context import DialogueContext


class ScriptedUnderstanding:
    """Understands exactly the messages it was given; anything else is out of scope.

    >>> from soni.core.commands import StartFlow
    >>> scripted = ScriptedUnderstanding({"send money": [StartFlow(flow="transfer_funds")]})
    """

    def __init__(self, script: Mapping[str, Sequence[Command]] | None = None) -> None:
        self._script: dict[str, Sequence[Command]] = dict(script or {})
        self._languages: dict[str, str | None] = {}
        self.contexts: list[DialogueContext] = []
        """What it was told with each message, in order."""

    def add(self, message: str, *commands: Command, language: str | None = None) -> None:
        """Understand one more message, or the same one differently from now on, and the language it shows."""
        self._script[message] = commands
        self._languages[message] = language

    async def understand(self, message: str, context: DialogueContext) -> Understood:
        self.contexts.append(context)
        commands = self._script.get(message, [OutOfScope()])
        return Understood.of(commands, by="scripted", language=self._languages.get(message))
