"""soni chat: talk to an assistant in the terminal, or pipe a conversation through it."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from soni.cli.check import examine
from soni.cli.console_sink import ConsoleMessageSink
from soni.cli.upkeep import store_url, told
from soni.core.template import Field, Template
from soni.dm.orchestrator.task_handler import message_of
from soni.dm.privacy import is_private
from soni.du.configured import configured_understanding
from soni.du.secrets import MASK, SecretFinder, recognisable
from soni.errors import ConfigError, ConversationError, StoreUnavailable
from soni.languages import shown_in
from soni.runtime.loop import RuntimeLoop
from soni.runtime.session import described
from soni.store import open_store

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from soni.config.models import FlowConfig, SoniConfig
    from soni.core.message_sink import Option
    from soni.core.pending_task import PendingTask
    from soni.runtime.result import TurnResult


def run_chat(config_path: Path, module: Path | None, user_id: str, store: str | None) -> int:
    """Chat until the input ends; 1 if the assistant cannot be loaded."""
    console = Console(soft_wrap=True, highlight=False)
    return told(console, "chat", lambda: _chat(config_path, module, user_id, store, console))


async def _chat(config_path: Path, module: Path | None, user_id: str, store: str | None, console: Console) -> int:
    examined = examine(config_path, module)
    config = examined.config
    if config is None or examined.errors:
        raise ConfigError(examined.errors)
    logging.getLogger("soni").addHandler(_Log(console))
    logging.getLogger("soni").propagate = False
    understanding = configured_understanding(config)
    async with (
        open_store(store or store_url(config)) as opened,
        # What the last chat left unfinished is finished, and shown, when this one opens.
        RuntimeLoop(
            config, actions=examined.actions, store=opened, understanding=understanding, recover_every=None
        ) as loop,
    ):
        # While the person reads and types, the encoder is loaded.
        warm = getattr(understanding, "warm", None)
        warming = asyncio.create_task(asyncio.to_thread(warm)) if warm and sys.stdin.isatty() else asyncio.sleep(0)
        for problem in examined.problems if sys.stdin.isatty() else []:
            console.print(Text(str(problem), "yellow"))
        console.print(Text(_welcome(config), "dim"))
        chat = _Chat(loop, console, user_id)
        await chat.open()
        async for line in _lines(chat, console):
            if not await chat.line(line):
                break
        await warming
    return 0


class _Log(logging.Handler):
    """What goes wrong in an author's code, for the author who is trying it."""

    def __init__(self, console: Console) -> None:
        super().__init__(logging.WARNING)
        self._console = console

    def emit(self, record: logging.LogRecord) -> None:
        self._console.print(Text(self.format(record), "dim yellow"))


class _Chat:
    """One conversation on a terminal."""

    def __init__(self, loop: RuntimeLoop, console: Console, user_id: str) -> None:
        self._loop = loop
        self._console = console
        self._user_id = user_id
        self._words = shown_in("chat", loop.config.settings.language)
        self._sink = ConsoleMessageSink(console)
        self._options: tuple[Option, ...] = ()
        self._task: PendingTask | None = None

    def masked(self, line: str) -> str:
        """A line without what looks like a secret of any flow."""
        config = self._loop.config
        reading = config.reading(config.settings.language, datetime.now())
        return SecretFinder(recognisable(config.runnable, config), reading).masked(line)

    @property
    def is_private(self) -> bool:
        """Whether what is typed next should not be seen or kept."""
        return is_private(self._task, [], self._loop.config)

    async def open(self) -> None:
        """Begin with the greeting, or where an earlier chat stopped."""
        begun = await self._loop.start(self._user_id)
        self._heard(begun)
        if begun.recovered:
            self._note(self._words["cut_off"])
        for message in (*begun.recovered, *begun.messages):
            await self._sink.send(message)
        if begun.messages:
            return
        if begun.pending is not None:
            message = message_of(begun.pending, "open")
            self._options = message.options
            if not begun.recovered:
                self._note(self._words["welcome_back"])
                await self._sink.send(message)
                said = await self._loop.messages_since(self._user_id)
                self._sink.last_id = said[-1].id if said else None
        elif begun.handoff:
            self._note(self._words["person"])
        elif not begun.recovered and (lines := await self._loop.transcript(self._user_id)):
            self._note(self._words["last_words"])
            for line in lines[-3:]:
                self._note(f"> {line['text']}" if line["role"] == "user" else line["text"])

    async def line(self, line: str) -> bool:
        """Take one line of input; False ends the chat."""
        word, _, rest = line.strip().partition(" ")
        try:
            match word:
                case "":
                    return True
                case "/quit" | "/exit":
                    return False
                case "/restart":
                    await self._loop.reset(self._user_id)
                    self._options, self._task = (), None
                    self._note(self._words["anew"])
                    await self.open()
                case "/state":
                    self._note(await self._state())
                case "/why":
                    self._note(str(await self._loop.explain(self._user_id)))
                case "/help":
                    self._note(self._words["commands"])
                case "/person" if rest.strip():
                    await self._loop.say(self._user_id, rest.strip(), sink=self._sink)
                case "/return":
                    self._heard(await self._loop.return_to_assistant(self._user_id, sink=self._sink))
                case command if command.startswith("/"):
                    self._note(f"{self._words['no_command'].format(command=command)} {self._words['commands']}")
                case _:
                    await self._turn(line.strip())
        except (ConversationError, StoreUnavailable) as error:
            self._console.print(Text(str(error), "red"))
        return True

    def _note(self, text: str) -> None:
        self._console.print(Text(text, "dim"))

    def _heard(self, turn: TurnResult) -> None:
        self._task = turn.pending
        self._options = turn.messages[-1].options if turn.messages else ()

    async def _turn(self, text: str) -> None:
        payload = None
        if text.isascii() and text.isdigit() and len(text) < 4 and 0 < int(text) <= len(self._options):
            payload = self._options[int(text) - 1].payload
        turn = await self._loop.run_turn(
            text, user_id=self._user_id, sink=self._sink, payload=payload, seen=self._sink.last_id
        )
        self._heard(turn)
        if turn.handoff is not None:
            self._note(self._words["person" if turn.messages else "to_person"])

    async def _state(self) -> str:
        state = await self._loop.get_state(self._user_id)
        return json.dumps(described(state, self._loop.config), indent=2, ensure_ascii=False)


def _welcome(config: SoniConfig) -> str:
    flows = [(name, flow) for name, flow in config.for_people.items() if flow.if_ is None or flow.if_.names]
    language = config.settings.language
    told = [(flow, flow.label(name, language, language)) for name, flow in flows if flow.description]
    words = shown_in("chat", language)
    lines = [f"  {_example(flow, label, language)}" for flow, label in told]
    return "\n".join([words["examples"], *lines, words["commands"]] if lines else [words["commands"]])


def _example(flow: FlowConfig, label: str, language: str) -> str:
    said = flow.trigger.said_in(language)
    plain = [text for text in said if not any(isinstance(piece, Field) for piece in Template.parse(text).pieces)]
    return shown_in("chat", language)["example"].format(phrase=plain[0], what=label) if plain else label


async def _lines(chat: _Chat, console: Console) -> AsyncIterator[str]:
    if sys.stdin.isatty():
        async for line in _typed_lines(chat):
            yield line
        return
    # Piped input is not visible on the screen, so it is shown with what it leads to.
    for raw in sys.stdin.buffer:
        line = raw.decode("utf-8", errors="replace").rstrip("\r\n")
        if line.strip():
            console.print(Text(f"> {MASK if chat.is_private else chat.masked(line)}", "bold"))
        yield line


async def _typed_lines(chat: _Chat) -> AsyncIterator[str]:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.history import FileHistory, InMemoryHistory

    class _MaskedHistory(FileHistory):
        """What was typed, for the arrow keys; a secret that nobody asked for does not get into the file."""

        def store_string(self, string: str) -> None:
            super().store_string(chat.masked(string))

    folder = Path.home() / ".soni"
    try:
        folder.mkdir(exist_ok=True)
        session: PromptSession[str] = PromptSession(history=_MaskedHistory(str(folder / "history")))
    except OSError:
        session = PromptSession(history=InMemoryHistory())
    while True:
        try:
            if chat.is_private:
                yield await PromptSession[str](history=InMemoryHistory()).prompt_async("> ", is_password=True)
            else:
                yield await session.prompt_async("> ")
        except (EOFError, KeyboardInterrupt):
            return
