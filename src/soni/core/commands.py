"""What a message can mean: typed commands, and the registry that names them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from soni.errors import SoniError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

COMMANDS: dict[str, type[Command]] = {}
"""The commands every assistant has, by name; an assistant's own come with the handlers its loop is given."""


class UnknownCommand(SoniError):
    """A command that is not registered, or not in the form its class has."""


class Command(BaseModel):
    """One thing a person wants, understood."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: ClassVar[str]
    """The class's name in snake case."""
    spoken: ClassVar[bool] = True
    """Whether a message can mean it; the others come from the host and from the assistant itself."""
    phrases: ClassVar[tuple[str, ...]] = ()
    """How people say it, for the offline understanding; a model goes by the docstring and the fields."""

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        cls.name = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()
        if isinstance(cls.phrases, str):
            raise TypeError(f"the phrases of {cls.__name__} are several: write phrases = ({cls.phrases!r},)")

    def dump(self) -> dict[str, Any]:
        """The command as JSON, with its name under `type`."""
        return {"type": self.name, **self.model_dump(mode="json", exclude_defaults=True)}


C = TypeVar("C", bound=Command)


def register(kind: type[C]) -> type[C]:
    """Make a command one that every assistant has."""
    COMMANDS[kind.name] = kind
    return kind


def load(data: dict[str, Any], known: Mapping[str, type[Command]] = COMMANDS) -> Command:
    """The command that `dump` wrote; UnknownCommand if there is no such thing."""
    fields = dict(data)
    name = fields.pop("type", None)
    if name not in known:
        hint = did_you_mean(str(name), known) or f"There are {', '.join(sorted(known))}."
        raise UnknownCommand(f"there is no command '{name}'. {hint}")
    try:
        return known[name].model_validate(fields)
    except ValidationError as error:
        raise UnknownCommand(f"'{name}' cannot be read from {fields}: {error.errors()[0]['msg']}") from None


def shown(data: dict[str, Any], known: Mapping[str, type[Command]]) -> Command:
    """A command as it was stored, also one whose values were masked and do not fit their fields any more."""
    try:
        return load(data, known)
    except UnknownCommand:
        fields = {name: value for name, value in data.items() if name != "type"}
        return known[data["type"]].model_construct(**fields)


@register
class StartFlow(Command):
    """Begin a flow, perhaps with values that were said in the same breath."""

    flow: str
    slots: dict[str, Any] = {}


@register
class CancelFlow(Command):
    """Stop what is being done, or another flow that is open, by name."""

    flow: str | None = None


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
class ClearSlot(Command):
    """Forget a value; a slot that may stay empty is not asked for again."""

    slot: str


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
class Skip(Command):
    """Leave the question that is open unanswered, and go on."""


@register
class Repeat(Command):
    """Say the last question again."""


@register
class Wait(Command):
    """The person needs a moment before they answer."""


@register
class Explain(Command):
    """Tell me more about the open question.

    The topic is why (it is asked), where (to find the answer), meaning (of it) or difference (between its options).
    """

    topic: str | None = None


@register
class Clarify(Command):
    """The message fits several flows; the person is to say which."""

    options: list[str]


@register
class ChitChat(Command):
    """Small talk: a greeting, thanks, goodbye (the topic), or anything else said in passing."""

    topic: str | None = None


@register
class Help(Command):
    """Tell me what you can do."""


@register
class OutOfScope(Command):
    """Something this assistant has no flow for."""


@register
class HumanHandoff(Command):
    """Let me talk to a person."""

    reason: str | None = None


@register
class ResumeFlow(Command):
    """Go on with something that was left open: a flow by name, or the last one."""

    flow: str | None = None


@register
class Restart(Command):
    """Forget everything that is open, and begin anew."""


@register
class StartSession(Command):
    """A conversation begins; the greeting flow runs, if there is one."""

    spoken = False


@register
class ReturnToAssistant(Command):
    """The person who had the conversation gives it back."""

    spoken = False


@register
class Trouble(Command):
    """The message could not be read at all: no understanding was able to."""

    spoken = False
