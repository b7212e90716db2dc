"""The handlers of the commands every assistant has, and the table that finds the handler of a command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from soni.core.commands import COMMANDS, Command
from soni.dm.orchestrator.answer_commands import (
    AcknowledgeHandler,
    AffirmConfirmationHandler,
    DenyConfirmationHandler,
    ExplainHandler,
    RepeatHandler,
    SkipHandler,
    WaitHandler,
)
from soni.dm.orchestrator.flow_commands import (
    CancelFlowHandler,
    RestartHandler,
    ResumeFlowHandler,
    ReturnToAssistantHandler,
    StartFlowHandler,
    StartSessionHandler,
)
from soni.dm.orchestrator.handler import CommandHandler
from soni.dm.orchestrator.slot_commands import ClearSlotHandler, CorrectSlotHandler, SetSlotHandler
from soni.dm.orchestrator.talk_commands import (
    ChitChatHandler,
    ClarifyHandler,
    HelpHandler,
    HumanHandoffHandler,
    OutOfScopeHandler,
    TroubleHandler,
)
from soni.errors import SoniError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = [
    "DEFAULT_HANDLERS",
    "AcknowledgeHandler",
    "AffirmConfirmationHandler",
    "CancelFlowHandler",
    "ChitChatHandler",
    "ClarifyHandler",
    "ClearSlotHandler",
    "CommandHandler",
    "CorrectSlotHandler",
    "DenyConfirmationHandler",
    "ExplainHandler",
    "HelpHandler",
    "HumanHandoffHandler",
    "OutOfScopeHandler",
    "RepeatHandler",
    "RestartHandler",
    "ResumeFlowHandler",
    "ReturnToAssistantHandler",
    "SetSlotHandler",
    "SkipHandler",
    "StartFlowHandler",
    "StartSessionHandler",
    "TroubleHandler",
    "WaitHandler",
    "handlers_by_command",
]

DEFAULT_HANDLERS: tuple[CommandHandler[Any], ...] = (
    StartFlowHandler(),
    CancelFlowHandler(),
    SetSlotHandler(),
    CorrectSlotHandler(),
    ClearSlotHandler(),
    AffirmConfirmationHandler(),
    DenyConfirmationHandler(),
    AcknowledgeHandler(),
    SkipHandler(),
    RepeatHandler(),
    WaitHandler(),
    ExplainHandler(),
    ClarifyHandler(),
    ChitChatHandler(),
    HelpHandler(),
    OutOfScopeHandler(),
    HumanHandoffHandler(),
    ResumeFlowHandler(),
    RestartHandler(),
    StartSessionHandler(),
    ReturnToAssistantHandler(),
    TroubleHandler(),
)


def handlers_by_command(extra: Iterable[CommandHandler[Any]] = ()) -> Mapping[type[Command], CommandHandler[Any]]:
    """One handler for every command; a command nobody handles fails here, not in a conversation.

    A handler that is given takes the place of the one there is, and brings its command along if it is a new one.
    """
    extra = list(extra)
    for handler in extra:
        kind = getattr(handler, "command", None)
        if not isinstance(handler, CommandHandler) or not isinstance(kind, type) or not issubclass(kind, Command):
            raise SoniError(f"{handler!r} is not a CommandHandler whose 'command' is the class of a command.")
    handlers = {handler.command: handler for handler in (*DEFAULT_HANDLERS, *extra)}
    for name, kind in COMMANDS.items():
        if kind not in handlers:
            raise SoniError(f"no handler for the command '{name}'. Pass one to RuntimeLoop(command_handlers=…).")
    for kind in handlers:
        same = [other for other in handlers if other.name == kind.name]
        if len(same) > 1:
            raise SoniError(f"there are two commands named '{kind.name}'. Give one of the classes another name.")
    return handlers
