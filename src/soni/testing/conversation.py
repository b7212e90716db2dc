"""Conversation: a small driver that talks to an assistant in commands, on any store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from soni.core.message_sink import BufferedMessageSink
from soni.runtime.loop import RuntimeLoop
from soni.store.sqlite import SqliteStore
from soni.testing.scripted import ScriptedUnderstanding

if TYPE_CHECKING:
    from collections.abc import Mapping

    from soni.actions import Actions
    from soni.config.models import SoniConfig
    from soni.core.commands import Command
    from soni.core.state import DialogueState
    from soni.runtime.result import TurnResult
    from soni.store import Store


class Conversation:
    """One person's conversation in a test.

    Each `say` runs a whole turn with exactly the given commands and returns the texts of its answers.
    With `fresh=True` every turn runs in a new RuntimeLoop on the same store, as after a restart.
    """

    def __init__(
        self,
        config: SoniConfig,
        *,
        actions: Actions | None = None,
        store: Store | None = None,
        user_id: str = "test",
        fresh: bool = False,
        **options: Any,
    ) -> None:
        self.user_id = user_id
        self.sink = BufferedMessageSink()
        self.last: TurnResult | None = None
        self.understanding = ScriptedUnderstanding()
        self._config = config
        self._options = {
            "actions": actions,
            "store": store or (None if "checkpointer" in options else SqliteStore()),
            "understanding": self.understanding,
            **options,
        }
        self._fresh = fresh
        self._loop = RuntimeLoop(config, **self._options)

    async def say(
        self,
        *commands: Command,
        text: str = "…",
        language: str | None = None,
        slots: Mapping[str, Any] | None = None,
    ) -> list[str]:
        """Run a turn that means these commands; the texts of the assistant's messages."""
        self.understanding.add(text, *commands, language=language)
        return await self._turn(text, slots=slots)

    async def choose(self, label: str) -> list[str]:
        """Take the quick reply with this label from the last question."""
        options = self.last.messages[-1].options if self.last and self.last.messages else ()
        option = next(option for option in options if option.label == label)
        return await self._turn(label, payload=option.payload)

    async def state(self) -> DialogueState:
        """The conversation as it is stored."""
        return await self._loop.get_state(self.user_id)

    async def slots(self) -> dict[str, Any]:
        """The stored slots of the active flow and of the conversation."""
        state = await self.state()
        active = state["flow_stack"][-1]["flow_id"] if state["flow_stack"] else ""
        return {**state["flow_slots"].get("_conversation", {}), **state["flow_slots"].get(active, {})}

    async def _turn(self, text: str, **arguments: Any) -> list[str]:
        if self._fresh:
            self._loop = RuntimeLoop(self._config, **self._options)
        async with self._loop as loop:
            self.last = await loop.run_turn(text, user_id=self.user_id, sink=self.sink, **arguments)
        return [message.text for message in self.last.messages]
