"""The `soni` command: its sub-commands and their options. What they do is imported only when they run."""

from __future__ import annotations

import gc
import sys
from contextlib import contextmanager
from datetime import datetime  # noqa: TC003  # typer reads the annotation at run time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator

app = typer.Typer(
    name="soni",
    help="Build and talk to task-oriented assistants: flows in YAML, actions in Python.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

Config = Annotated[
    Path,
    typer.Option("--config", "-c", help="The assistant: a folder of YAML files, or one file.", envvar="SONI_CONFIG"),
]
Module = Annotated[
    Path | None,
    typer.Option("--module", "-m", help="A Python file with actions, if not handlers.py or actions.py beside it."),
]

Store = Annotated[
    str | None,
    typer.Option(
        "--store",
        "-s",
        help="Where conversations are kept: memory:, sqlite:PATH or postgresql://…; the assistant's own if left out.",
        envvar="SONI_STORE",
        show_envvar=True,
    ),
]


@contextmanager
def _importing() -> Iterator[None]:
    """Import without collecting garbage: there is none, and what was imported is not looked through again later."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _version(show: bool) -> None:
    if show:
        from importlib.metadata import version

        typer.echo(f"soni {version('soni')}")
        raise typer.Exit


@app.callback()
def soni(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Build and talk to task-oriented assistants: flows in YAML, actions in Python."""


@app.command()
def chat(
    config: Config = Path(),
    module: Module = None,
    user: Annotated[str, typer.Option("--user", "-u", help="Who is talking; each user has a conversation.")] = "you",
    store: Store = None,
) -> None:
    """Talk to an assistant in the terminal.

    Type a message, or the number of a choice. /state shows the slots, /why what was understood and which steps
    ran, /restart begins anew, /quit leaves. While a person has the conversation, /person TEXT speaks for them and
    /return gives it back. Piped input works: one message a line.

    With --store sqlite:chat.db the conversation outlives the process, also one that is killed.

    Example: soni chat --config examples/banking/domain
    """
    with _importing():
        from soni.cli.chat import run_chat

    raise typer.Exit(run_chat(config, module, user, store))


@app.command()
def check(
    config: Annotated[Path, typer.Argument(help="The assistant: a folder of YAML files, or one file.")] = Path(),
    module: Module = None,
) -> None:
    """List every problem of an assistant with its file, line and column; exit status 1 if there are any.

    Example: soni check examples/banking/domain
    """
    with _importing():
        from soni.cli.check import run_check

    raise typer.Exit(run_check(config, module))


@app.command()
def languages(
    language: Annotated[
        list[str] | None,
        typer.Argument(help="A code such as 'es', or a folder elsewhere; all that there are if left out."),
    ] = None,
) -> None:
    """List what is missing or wrong in the folder of a language; exit status 1 if anything is.

    A language is complete if it has every entry that English has. docs/languages.md tells how to add one.

    Example: soni languages es
    """
    from soni.cli.languages import run_languages

    raise typer.Exit(run_languages(language or []))


@app.command("eval")
def evaluate(
    data: Annotated[
        list[Path], typer.Option("--data", "-d", help="Labelled messages, JSONL or YAML; may be repeated.")
    ],
    config: Config = Path(),
    understanding: Annotated[
        str | None, typer.Option("--understanding", help="local, llm or cascade; the assistant's own if left out.")
    ] = None,
    compare: Annotated[
        str | None,
        typer.Option(
            "--compare", help="Another understanding to put beside it, or a report that --json wrote earlier."
        ),
    ] = None,
    predictions: Annotated[
        Path | None, typer.Option("--predictions", help="Write each line with what was understood to this file.")
    ] = None,
    now: Annotated[
        datetime | None, typer.Option("--now", help="The clock that 'tomorrow' is read by; the present if left out.")
    ] = None,
    misses: Annotated[int, typer.Option("--misses", help="How many wrong messages to show.")] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
    fail_under: Annotated[
        float | None, typer.Option("--fail-under", help="Exit with status 1 below this percentage exactly right.")
    ] = None,
) -> None:
    """Measure how well messages are understood: labelled messages in, figures out.

    A line of data: {"message": "no, 300", "context": {"flow": "transfer_funds", "asked": "recipient", "slots":
    {"amount": 200}}, "commands": [{"correct_slot": {"amount": 300}}]}. See docs/understanding.md.

    Example: soni eval --config examples/banking/domain --data bench/understanding/own/banking.en.dev.jsonl
    """
    with _importing():
        from soni.cli.eval import KINDS, run_eval

    if understanding is not None and understanding not in KINDS:
        raise typer.BadParameter(f"there is no understanding '{understanding}': it is {', '.join(KINDS)}.")
    raise typer.Exit(
        run_eval(
            config,
            data,
            understanding=understanding,
            compare=compare,
            predictions=predictions,
            now=now,
            misses=misses,
            as_json=as_json,
            fail_under=fail_under,
        )
    )


@app.command()
def serve(
    config: Config = Path(),
    module: Module = None,
    store: Annotated[
        str | None,
        typer.Option(
            "--store",
            "-s",
            help="Where conversations are kept; the assistant's own if left out, or sqlite:.soni/conversations.db.",
            envvar="SONI_STORE",
            show_envvar=True,
        ),
    ] = None,
    host: Annotated[str, typer.Option("--host", help="The address to serve on.", envvar="SONI_HOST")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", "-p", help="The port; 0 for a free one.", envvar="SONI_PORT")] = 8000,
    keys: Annotated[
        Path | None,
        typer.Option("--keys", help="A file with lines of API keys ('soni key'), besides SONI_API_KEYS."),
    ] = None,
    origin: Annotated[
        list[str] | None,
        typer.Option(
            "--origin", help="A web site whose pages may use the server; may be repeated.", envvar="SONI_ORIGINS"
        ),
    ] = None,
    visitors: Annotated[
        bool, typer.Option("--visitors", help="Let whoever opens the web page talk, without a token.")
    ] = False,
    rate: Annotated[int, typer.Option("--rate", help="Messages a minute, for each conversation.", min=1)] = 60,
    turns: Annotated[int, typer.Option("--turns", help="How many turns may run at once.", min=1, max=1000)] = 32,
    timeout: Annotated[float, typer.Option("--timeout", help="Seconds a request waits for its turn.", min=1.0)] = 60.0,
    log: Annotated[str, typer.Option("--log", help="json, words, or auto: words on a terminal.")] = "auto",
) -> None:
    """Serve an assistant over HTTP: a web page, JSON, event streams, WebSocket, and OpenAI's protocol.

    On 127.0.0.1 no key is needed. Elsewhere make one with 'soni key TENANT', put its line into SONI_API_KEYS or a
    file, and set SONI_SECRET, which the secrets that sign users' tokens are derived from. Several servers on one
    Postgres share all conversations. See docs/server.md.

    Example: soni serve --config examples/banking/domain, then open http://127.0.0.1:8000
    """
    with _importing():
        from soni.cli.serve import run_serve

    if log not in ("auto", "json", "words"):
        raise typer.BadParameter("--log is json, words or auto.")
    limits = {"rate": rate, "turns": turns, "turn_limit": timeout}
    place = {"host": host, "port": port, "origins": tuple(origin or ()), "visitors": visitors}
    raise typer.Exit(run_serve(config, module, store, keys, log, {**place, **limits}))


@app.command()
def key(
    tenant: Annotated[str, typer.Argument(help="Whose key it is; conversations of one tenant are unseen by others.")],
    role: Annotated[
        str,
        typer.Option(
            "--role",
            help="What the key is for: tenant (the tenant's application), agent (the desk), "
            "operator (both, and the metrics of the server).",
        ),
    ] = "tenant",
) -> None:
    """Make an API key for 'soni serve': the key, for whoever calls, and the line to keep, for the server.

    Where SONI_SECRET is set as it is for the server, also the secret with which the tenant's own server can sign
    tokens of its users. It is the same each time, and of no use for another tenant.

    Example: soni key shop; soni key shop --role agent
    """
    with _importing():
        from soni.cli.serve import run_key

    raise typer.Exit(run_key(tenant, role))


@app.command()
def recover(
    config: Config = Path(),
    module: Module = None,
    store: Store = None,
    user: Annotated[str | None, typer.Option("--user", "-u", help="Only this user's conversation.")] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Also take conversations from processes that hold them (Postgres).")
    ] = False,
) -> None:
    """Finish turns that a process left unfinished when it died; what an action did is not done again.

    An assistant that is running does this by itself. Exit status 1 if some are still being worked on.

    Example: soni recover --config examples/banking/domain --store sqlite:.soni/conversations.db
    """
    with _importing():
        from soni.cli.upkeep import run_recover

    raise typer.Exit(run_recover(config, module, store, user, force=force))


@app.command()
def forget(
    user: Annotated[str, typer.Argument(help="Whose conversation to erase.")],
    config: Config = Path(),
    store: Store = None,
) -> None:
    """Erase everything that is stored about a user: messages, slots, turns, actions, checkpoints.

    Example: soni forget ana --config examples/banking/domain
    """
    with _importing():
        from soni.cli.upkeep import run_forget

    raise typer.Exit(run_forget(config, store, user))


@app.command()
def prune(
    config: Config = Path(),
    store: Store = None,
    older_than: Annotated[
        str | None, typer.Option("--older-than", help="A span of time, such as 90d; settings.persistence.retention.")
    ] = None,
) -> None:
    """Delete what is older than the retention: finished turns, and whole conversations that have been silent since.

    Example: soni prune --config examples/banking/domain --older-than 90d
    """
    with _importing():
        from soni.cli.upkeep import run_prune

    raise typer.Exit(run_prune(config, store, older_than))


@app.command()
def backup(
    target: Annotated[Path, typer.Argument(help="The file to write; it must not exist.")],
    config: Config = Path(),
    store: Store = None,
) -> None:
    """Copy all conversations of a SQLite store into one file, also while an assistant is using the store.

    docs/backup.md tells how to put such a copy back, and how a Postgres store is backed up.

    Example: soni backup monday.db --config examples/banking/domain --store sqlite:.soni/conversations.db
    """
    with _importing():
        from soni.cli.upkeep import run_backup

    raise typer.Exit(run_backup(config, store, target))


@app.command()
def doctor(store: Store = None) -> None:
    """Tell what is installed here, and whether the trained reader is whole and runs; with --store, if a store is well.

    Without the reader (its weights or onnxruntime missing) assistants still work: messages are then understood by rules
    and the multilingual encoder alone, which reads fewer values out of sentences. A store is only read.

    Example: soni doctor --store sqlite:.soni/conversations.db
    """
    with _importing():
        from soni.cli.doctor import run_doctor

    raise typer.Exit(run_doctor(store))


def main() -> None:
    """Run the command line."""
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(141)
