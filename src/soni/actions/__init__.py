"""The Python side of an assistant: actions and validators."""

from soni.actions.actions import Actions, Effect
from soni.actions.context import ActionContext
from soni.actions.discovery import discover_actions
from soni.actions.validators import Refusal
from soni.core.verdict import Verdict

__all__ = ["ActionContext", "Actions", "Effect", "Refusal", "Verdict", "discover_actions"]
