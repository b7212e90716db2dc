"""soni recover, forget, prune and backup: looking after stored conversations."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING

from pydantic import TypeAdapter, ValidationError
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress

from soni.cli.check import examine, problem_line
from soni.config.loader import load_config
from soni.core.timespan import Seconds
from soni.errors import ConfigError, ConversationBusy, Problem, SoniError
from soni.runtime.loop import RuntimeLoop
from soni.store import history, open_store
from soni.store.backup import back_up
from soni.store.opening import path_of

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from pathlib import Path
    from typing import Any

    from soni.config.models import SoniConfig

_WAIT = 30.0
_WHERE = ("settings", "persistence")


def told(
    console: Console,
    command: str,
    work: Callable[[], Coroutine[Any, Any, int]],
    loop_factory: Callable[[], asyncio.AbstractEventLoop] | None = None,
) -> int:
    """Run a command; what a person did wrong is told in words, with status 1."""
    logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)  # what it tries again and again, we tell once
    try:
        with asyncio.Runner(loop_factory=loop_factory) as runner:
            return runner.run(work())
    except ConfigError as error:
        for problem in error.problems:
            console.print(problem_line(problem))
        if not any(problem.place or problem.path for problem in error.problems):
            console.print(f"Name an assistant, for example: soni {command} --config examples/banking/domain")
        return 1
    except SoniError as error:
        console.print(f"[red]error:[/red] {escape(str(error))}")
        return 1


def store_url(config: SoniConfig) -> str:
    """Where the assistant keeps conversations."""
    persistence = config.settings.persistence
    if persistence.backend == "postgres" and not persistence.url:
        message = f"the environment does not say where Postgres is: '{persistence.url_env}' is not set."
        hint = f"Set it: {persistence.url_env}=postgresql://USER@HOST/DATABASE"
        raise ConfigError([Problem(message, ("settings", "persistence"), hint)])
    return persistence.url


def _kept_url(config: SoniConfig, store: str | None) -> str:
    return _existing(store or store_url(config))


def _existing(url: str) -> str:
    if url.startswith("memory:"):
        message = "this assistant keeps conversations in memory, which is gone with the process."
        raise ConfigError([Problem(message, _WHERE, "Name the store: --store sqlite:PATH")])
    if url.startswith("sqlite:") and not path_of(url).exists():
        message = f"there is no store '{path_of(url)}'."
        raise ConfigError([Problem(message, _WHERE, "Name the file that the assistant keeps conversations in.")])
    return url


def run_recover(config_path: Path, module: Path | None, store: str | None, user: str | None, *, force: bool) -> int:
    """Finish interrupted turns; 1 if some are still being worked on."""
    console = Console(soft_wrap=True, highlight=False)

    async def work() -> int:
        examined = examine(config_path, module)
        config = examined.config
        if config is None or examined.errors:
            raise ConfigError(examined.errors)
        finished, given_up, busy = 0, 0, 0
        async with (
            open_store(_kept_url(config, store)) as opened,
            RuntimeLoop(config, actions=examined.actions, store=opened, recover_every=None) as loop,
        ):
            for name in [user] if user is not None else await loop.interrupted():
                try:
                    turn = await loop.recover(name, force=force)
                except ConversationBusy:
                    console.print(f"{escape(name)}: a process is working on it.")
                    busy += 1
                    continue
                if turn is not None:
                    outcome = f"given up: {turn.error}" if turn.error else "finished"
                    console.print(f"{escape(name)}: turn {turn.turn} {escape(outcome)}.")
                    finished, given_up = finished + (not turn.error), given_up + bool(turn.error)
        lost = f", {given_up} given up" if given_up else ""
        console.print(f"{finished} finished{lost}, {busy} still being worked on.")
        if busy and not force:
            console.print("If such a process is stuck, stop it; on Postgres, --force takes its conversations away.")
        return 1 if busy or given_up else 0

    return told(console, "recover", work)


def run_forget(config_path: Path, store: str | None, user: str) -> int:
    """Erase a user."""
    console = Console(soft_wrap=True, highlight=False)

    async def work() -> int:
        config = load_config(config_path)
        async with open_store(_kept_url(config, store)) as opened, opened.hold(user, wait=_WAIT) as held:
            known = await history.is_known(held, user)
            await held.erase()
        gone = "Everything about '{}' is gone." if known else "Nothing is kept of '{}'."
        console.print(gone.format(escape(user)))
        return 0

    return told(console, "forget", work)


def run_prune(config_path: Path, store: str | None, older_than: str | None) -> int:
    """Delete what is older than it should be kept."""
    console = Console(soft_wrap=True, highlight=False)

    async def work() -> int:
        config = load_config(config_path)
        before = time.time() - _retention(config, older_than)
        async with open_store(_kept_url(config, store)) as opened:
            conversations, turns = await history.prune(opened, before)
        console.print(f"{conversations} conversations and {turns} turns of others deleted.")
        return 0

    return told(console, "prune", work)


def run_backup(config_path: Path, store: str | None, target: Path) -> int:
    """Copy a SQLite store while it is in use."""
    console = Console(soft_wrap=True, highlight=False)

    async def work() -> int:
        url = _existing(store or store_url(load_config(config_path)))
        if not url.startswith("sqlite:"):
            hint = "Use pg_dump: docs/backup.md has the command."
            raise ConfigError([Problem("these conversations are kept in Postgres.", ("backup",), hint)])
        with Progress(console=console, transient=True) as progress:
            bar = progress.add_task("copying")
            copied = back_up(
                path_of(url).resolve(),
                target,
                lambda left, pages: progress.update(bar, total=pages, completed=pages - left),
            )
        console.print(f"{escape(str(target))}: {copied / 1e6:.1f} MB.")
        return 0

    return told(console, "backup", work)


def _retention(config: SoniConfig, older_than: str | None) -> float:
    if older_than is not None:
        try:
            return TypeAdapter(Seconds).validate_python(older_than)
        except ValidationError:
            message = f"'{older_than}' is not a span of time."
            raise ConfigError([Problem(message, _WHERE, "Write, for example, 90d or 12h.")]) from None
    if config.settings.persistence.retention is None:
        message = "nothing says how long turns are kept."
        hint = "Write --older-than 90d, or 'persistence: {retention: 90d}' under settings."
        raise ConfigError([Problem(message, ("settings", "persistence", "retention"), hint)])
    return config.settings.persistence.retention
