"""What a message can mean: typed commands, and the registry that names them."""

from __future__ import annotations

import re
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from soni.errors import SoniError, did_you_mean

COMMANDS: dict[str, type[Command]] = {}
"""Every command by its name; understanding learns of commands from here."""


class UnknownCommand(SoniError):
    """A command that is not registered, or not in the form its class has."""


class Command(BaseModel):
    """One thing a person wants, understood."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: ClassVar[str]

    def dump(self) -> dict[str, Any]:
        """The command as JSON, with its name under `type`."""
        return {"type": self.name, **self.model_dump(mode="json", exclude_defaults=True)}


C = TypeVar("C", bound=Command)


def register(kind: type[C]) -> type[C]:
    """Make a command known under its class's name in snake case."""
    kind.name = re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()
    COMMANDS[kind.name] = kind
    return kind


def load(data: dict[str, Any]) -> Command:
    """The command that `dump` wrote; UnknownCommand if there is no such thing."""
    fields = dict(data)
    name = fields.pop("type", None)
    if name not in COMMANDS:
        hint = did_you_mean(str(name), COMMANDS) or f"There are {', '.join(sorted(COMMANDS))}."
        raise UnknownCommand(f"there is no command '{name}'. {hint}")
    try:
        return COMMANDS[name].model_validate(fields)
    except ValidationError as error:
        raise UnknownCommand(f"'{name}' cannot be read from {fields}: {error.errors()[0]['msg']}") from None


@register
class StartFlow(Command):
    """Begin a flow, perhaps with values that were said in the same breath."""

    flow: str
    slots: dict[str, Any] = {}


@register
class CancelFlow(Command):
    """Stop what is being done."""


@register
class SetSlot(Command):
    """Give a slot its value, as words or as a value."""

    slot: str
    value: Any


@register
class CorrectSlot(Command):
    """Replace a value given earlier, or take it back when no new one is said."""

    slot: str
    value: Any = None


@register
class AffirmConfirmation(Command):
    """Yes to the confirmation that is open."""


@register
class DenyConfirmation(Command):
    """No to the confirmation that is open."""


@register
class Acknowledge(Command):
    """Go on: seen what was told."""


@register
class OutOfScope(Command):
    """Something this assistant has no flow for."""
