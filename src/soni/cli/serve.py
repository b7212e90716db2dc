"""soni serve: an assistant over HTTP. soni key: who may use it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

from soni.cli.check import examine
from soni.cli.upkeep import store_url, told
from soni.errors import ConfigError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from soni.config.models import SoniConfig
    from soni.server import ServerSettings
    from soni.server.serving import Server


def run_serve(
    config_path: Path, module: Path | None, store: str | None, keys: Path | None, log: str, place: dict[str, Any]
) -> int:
    """Serve until asked to stop; 1 if the assistant or the server cannot be started."""
    console = Console(soft_wrap=True, highlight=False)

    async def work() -> int:
        from soni.server import create_app
        from soni.server.logs import set_up
        from soni.server.serving import serve, trace_if_asked

        settings = _settings(keys, place)
        examined = examine(config_path, module)
        config = examined.config
        if config is None or examined.errors:
            raise ConfigError(examined.errors)
        set_up(log)
        tracing = trace_if_asked(config.settings.name)
        url = store or _kept_at(config)

        def started(server: Server) -> None:
            server.on_stop = stopping
            host = "localhost" if settings.host in ("0.0.0.0", "::") else settings.host  # noqa: S104  # to be opened
            host = f"[{host}]" if ":" in host else host
            console.print(
                f"{escape(config.settings.name)} is at [bold]http://{host}:{server.port}[/bold] (Ctrl-C stops it)."
            )
            if not settings.is_open and settings.secret is None:
                console.print(
                    "[yellow]SONI_SECRET is not set: users' tokens will not outlive this process, and no other "
                    "replica will know them.[/yellow]"
                )

        def stopping(running: int) -> None:
            if running:
                turns = "turn is" if running == 1 else "turns are"
                console.print(f"Stopping: {running} {turns} running; Ctrl-C again leaves them to the next start.")

        try:
            app = create_app(config, actions=examined.actions, store=url, settings=settings)
            await serve(app, settings, started)
        finally:
            if tracing is not None:
                tracing.shutdown()
        left = app.state.service.turns.left
        done = f"{left} left to whoever starts next" if left else "what was accepted is done"
        console.print(f"Stopped; {done}.")
        return 0

    return told(console, "serve", _with_extra(work), _loop_factory())


def _with_extra(work: Callable[[], Any]) -> Callable[[], Any]:
    async def checked() -> Any:
        try:
            return await work()
        except ModuleNotFoundError as error:
            if error.name not in ("fastapi", "uvicorn", "httptools", "websockets", "jwt", "prometheus_client"):
                raise
            message = f"serving needs the package '{error.name}'."
            raise ConfigError([Problem(message, ("server",), "Install it: pip install 'soni[server]'")]) from None

    return checked


def _loop_factory() -> Callable[[], Any] | None:
    """Uvloop where there is one; it is not needed, only faster."""
    try:
        import uvloop
    except ImportError:
        return None
    factory: Callable[[], Any] = uvloop.new_event_loop
    return factory


def _kept_at(config: SoniConfig) -> str:
    """The assistant's own store; a file unless it says otherwise, since a server should not forget."""
    persistence = config.settings.persistence
    if "backend" not in persistence.model_fields_set:
        return f"sqlite:{persistence.path}"
    return store_url(config)


def _settings(file: Path | None, place: dict[str, Any]) -> ServerSettings:
    from soni.server import Keys, ServerSettings

    lines = os.environ.get("SONI_API_KEYS", "").replace(",", " ").split()
    if file is not None:
        try:
            lines += file.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not text"
            message = f"the file of API keys '{file}' cannot be read: {reason}."
            raise ConfigError([Problem(message, ("server", "keys"), "Name another: --keys FILE")]) from None
    secret = os.environ.get("SONI_SECRET") or None
    return ServerSettings(keys=Keys(lines), secret=secret, **place)


def run_key(tenant: str, role: str) -> int:
    """Print a new key, what to keep of it, and, for a tenant's application, what it may sign tokens with."""
    console = Console(soft_wrap=True, highlight=False)

    async def work() -> int:
        from soni.server.access import Role, check_secret, new_key, tenant_secret

        key, line = new_key(tenant, role)
        secret = os.environ.get("SONI_SECRET")
        signing = tenant_secret(check_secret(secret), tenant) if secret else None
        console.print("The key, for whoever calls the server. It is not shown again:")
        console.print(f"  {key}")
        console.print("The line to keep, in SONI_API_KEYS or in the file of --keys:")
        console.print(f"  {line}")
        if role == Role.TENANT and signing is None:
            console.print(
                "With SONI_SECRET set as it is for the server, this command also shows the secret with which the "
                "tenant's own server can sign tokens."
            )
        elif role == Role.TENANT:
            console.print("The secret with which the tenant's own server can sign tokens of its users:")
            console.print(f"  {signing}")
        return 0

    return told(console, "key", _with_extra(work))
