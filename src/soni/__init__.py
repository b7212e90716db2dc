"""Soni: task-oriented assistants that may misread a sentence but never misact."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from soni.actions import ActionContext, Actions, Refusal
    from soni.config.loader import load_config
    from soni.config.models import SoniConfig
    from soni.errors import ConfigError, SoniError
    from soni.runtime.loop import RuntimeLoop
    from soni.runtime.result import TurnResult

__all__ = [
    "ActionContext",
    "Actions",
    "ConfigError",
    "Refusal",
    "RuntimeLoop",
    "SoniConfig",
    "SoniError",
    "TurnResult",
    "load_config",
]

_HOMES = {
    "ActionContext": "soni.actions",
    "Actions": "soni.actions",
    "ConfigError": "soni.errors",
    "Refusal": "soni.actions",
    "RuntimeLoop": "soni.runtime.loop",
    "SoniConfig": "soni.config.models",
    "SoniError": "soni.errors",
    "TurnResult": "soni.runtime.result",
    "load_config": "soni.config.loader",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `soni --help` does not load LangGraph."""
    if name not in _HOMES:
        raise AttributeError(f"module 'soni' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
