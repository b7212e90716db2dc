"""The Python side of an assistant: actions and validators."""

from soni.actions.actions import Actions, Effect
from soni.actions.context import ActionContext
from soni.actions.discovery import discover_actions

__all__ = ["ActionContext", "Actions", "Effect", "discover_actions"]
