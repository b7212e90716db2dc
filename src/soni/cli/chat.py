"""soni chat: talk to an assistant in the terminal, or pipe a conversation through it."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from soni.cli.check import examine, problem_line
from soni.cli.console_sink import ConsoleMessageSink
from soni.core.state import CONVERSATION
from soni.core.template import Field
from soni.dm.orchestrator.task_handler import message_of
from soni.dm.privacy import is_private
from soni.du.configured import configured_understanding
from soni.du.context import MASK
from soni.errors import ConfigError, ConversationError
from soni.runtime.loop import RuntimeLoop
from soni.store.checkpointer import open_checkpointer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from soni.config.models import SoniConfig
    from soni.core.message_sink import Option
    from soni.core.pending_task import PendingTask
    from soni.runtime.loop import TurnResult

_HELP = "/state shows the slots, /why explains the last turn, /restart begins anew, /quit leaves."


def run_chat(config_path: Path, module: Path | None, user_id: str) -> int:
    """Chat until the input ends; 1 if the assistant cannot be loaded."""
    console = Console(soft_wrap=True, highlight=False)
    try:
        return asyncio.run(_chat(config_path, module, user_id, console))
    except ConfigError as error:
        for problem in error.problems:
            console.print(problem_line(problem))
        if not any(problem.place for problem in error.problems):
            console.print("Name an assistant, for example: soni chat --config examples/banking/domain")
        return 1


async def _chat(config_path: Path, module: Path | None, user_id: str, console: Console) -> int:
    examined = examine(config_path, module)
    config = examined.config
    if config is None or examined.errors:
        raise ConfigError(examined.errors)
    logging.getLogger("soni").addHandler(_Log(console))
    logging.getLogger("soni").propagate = False
    understanding = configured_understanding(config)
    async with (
        open_checkpointer(config.settings.persistence) as checkpointer,
        RuntimeLoop(config, actions=examined.actions, checkpointer=checkpointer, understanding=understanding) as loop,
    ):
        # While the person reads and types, the encoder is loaded.
        warm = getattr(understanding, "warm", None)
        warming = asyncio.create_task(asyncio.to_thread(warm)) if warm else asyncio.sleep(0)
        for problem in examined.problems if sys.stdin.isatty() else []:
            console.print(Text(str(problem), "yellow"))
        console.print(Text(_welcome(config), "dim"))
        chat = _Chat(loop, console, user_id)
        await chat.show_open_question()
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
        self._sink = ConsoleMessageSink(console)
        self._options: tuple[Option, ...] = ()
        self._last: TurnResult | None = None
        self._task: PendingTask | None = None

    @property
    def is_private(self) -> bool:
        """Whether what is typed next should not be seen or kept."""
        return is_private(self._task, [], self._loop.config)

    async def show_open_question(self) -> None:
        """Begin where an earlier chat stopped."""
        self._task = task = (await self._loop.get_state(self._user_id))["_pending_task"]
        if task is not None:
            self._console.print(Text("Welcome back; /restart begins anew.", "dim"))
            message = message_of(task, "open")
            self._options = message.options
            await self._sink.send(message)

    async def line(self, line: str) -> bool:
        """Take one line of input; False ends the chat."""
        match line.strip():
            case "":
                return True
            case "/quit" | "/exit":
                return False
            case "/restart":
                await self._loop.reset(self._user_id)
                self._options, self._last, self._task = (), None, None
                self._console.print(Text("The conversation begins anew.", "dim"))
            case "/state":
                self._console.print(Text(await self._state(), "dim"))
            case "/why":
                self._console.print(Text(_why(self._last), "dim"))
            case "/help":
                self._console.print(Text(_HELP, "dim"))
            case command if command.startswith("/"):
                self._console.print(Text(f"There is no command {command}. {_HELP}", "dim"))
            case text:
                await self._turn(text)
        return True

    async def _turn(self, text: str) -> None:
        payload = None
        if text.isascii() and text.isdigit() and len(text) < 4 and 0 < int(text) <= len(self._options):
            payload = self._options[int(text) - 1].payload
        try:
            self._last = await self._loop.run_turn(text, user_id=self._user_id, sink=self._sink, payload=payload)
        except ConversationError as error:
            self._console.print(Text(str(error), "red"))
            return
        self._task = self._last.pending
        self._options = self._last.messages[-1].options if self._last.messages else ()

    async def _state(self) -> str:
        state = await self._loop.get_state(self._user_id)
        slots = self._loop.config.slots
        flows = [
            {
                "flow": frame["flow_name"],
                "step": frame["current_step"],
                "state": frame["flow_state"],
                "slots": {
                    name: MASK if slots[name].sensitive else value
                    for name, value in state["flow_slots"].get(frame["flow_id"], {}).items()
                },
            }
            for frame in state["flow_stack"]
        ]
        shown: dict[str, Any] = {"turn": state["turn"], "language": state["language"], "flows": flows}
        shown["conversation"] = state["flow_slots"].get(CONVERSATION, {})
        shown["waiting_for"] = _waiting_for(state["_pending_task"])
        return json.dumps(shown, indent=2, ensure_ascii=False)


def _waiting_for(task: PendingTask | None) -> str | None:
    if task is None:
        return None
    return task["slot"] if task["type"] == "collect" else task["type"]


def _why(turn: TurnResult | None) -> str:
    if turn is None:
        return "Nothing has been said yet."
    lines = [f"the turn failed: {turn.error}"] if turn.error else []
    for entry in turn.trace:
        why = f": {entry['why']}" if entry.get("why") else ""
        if "command" in entry:
            command = dict(entry["command"])
            fields = ", ".join(f"{name}={value!r}" for name, value in command.items() if name != "type")
            evidence = f" from '{entry['evidence']}'" if entry["evidence"] else ""
            sure = f"{entry['by']}, {entry['confidence']:.2f}"
            lines.append(f"understood {command['type']}({fields}){evidence} ({sure})")
        elif "step" in entry:
            lines.append(f"{entry['flow']}.{entry['step']} ({entry['type']}){why}")
        else:
            lines.append(f"{entry.get('flow', '')} {entry['event']}{why}".strip())
    return "\n".join(lines)


def _welcome(config: SoniConfig) -> str:
    flows = [flow for flow in config.flows.values() if flow.if_ is None or flow.if_.names]
    lines = [f"  {_example(flow)}" for flow in flows if flow.description or flow.trigger.intents]
    return "\n".join(["You can say, for example:", *lines, _HELP]) if lines else _HELP


def _example(flow: Any) -> str:
    plain = [t.source for t in flow.trigger.templates if not any(isinstance(piece, Field) for piece in t.pieces)]
    said = [f"“{plain[0]}”"] if plain else []
    return " — ".join([*said, *([flow.description] if flow.description else [])])


async def _lines(chat: _Chat, console: Console) -> AsyncIterator[str]:
    if sys.stdin.isatty():
        async for line in _typed_lines(chat):
            yield line
        return
    # Piped input is not visible on the screen, so it is shown with what it leads to.
    for raw in sys.stdin.buffer:
        line = raw.decode("utf-8", errors="replace").rstrip("\r\n")
        if line.strip():
            console.print(Text(f"> {MASK if chat.is_private else line}", "bold"))
        yield line


async def _typed_lines(chat: _Chat) -> AsyncIterator[str]:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.history import FileHistory, InMemoryHistory

    folder = Path.home() / ".soni"
    try:
        folder.mkdir(exist_ok=True)
        session: PromptSession[str] = PromptSession(history=FileHistory(str(folder / "history")))
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
