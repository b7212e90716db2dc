"""The console sink: messages on the terminal as they happen, with their choices numbered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from soni.core.message_sink import MessageSink

if TYPE_CHECKING:
    from rich.console import Console

    from soni.core.message_sink import Message


class ConsoleMessageSink(MessageSink):
    """Prints each message; what people wrote is printed as it is, never as markup."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self.last_id: str | None = None
        """The last message on this screen."""

    async def send(self, message: Message) -> None:
        self.last_id = message.id
        style = "dim" if message.kind == "progress" else ""
        self._console.print(Text(message.text, style))
        for number, option in enumerate(message.options, start=1):
            self._console.print(Text.assemble((f"  {number}. ", "cyan"), option.label))
