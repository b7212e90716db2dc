"""What an author's function asks for: slots by name, each of a type, and the context."""

from __future__ import annotations

import functools
import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_type_hints

from pydantic import PydanticSchemaGenerationError, TypeAdapter, ValidationError

from soni.actions.context import ActionContext
from soni.core.values.money import Money

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


class Unfit(Exception):
    """A slot's value that a parameter cannot take."""

    def __init__(self, slot: str, reason: str) -> None:
        super().__init__(f"cannot take slot '{slot}': {reason}")
        self.slot = slot


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter that takes a value of a type."""

    name: str
    adapter: TypeAdapter[Any]
    required: bool

    def fitted(self, value: Any) -> Any:
        """The value as the parameter takes it; Unfit if it cannot."""
        try:
            return _fitted(self.adapter, value)
        except ValidationError as error:
            raise Unfit(self.name, error.errors(include_input=False)[0]["msg"]) from None


@dataclass(frozen=True, slots=True)
class Signature:
    """The slots a function takes, by name, and which parameter takes the context."""

    slots: dict[str, Parameter]
    context: str | None
    all_slots: bool

    @property
    def required(self) -> dict[str, bool]:
        """Whether each of the slots must have a value."""
        return {name: parameter.required for name, parameter in self.slots.items()}

    def arguments(self, slots: Mapping[str, Any]) -> dict[str, Any]:
        """What the function is given of these slots; Unfit if it cannot take one of them."""
        arguments: dict[str, Any] = dict(slots) if self.all_slots else {}
        for slot, parameter in self.slots.items():
            value = slots.get(slot)
            if value is None and not parameter.required:
                arguments.pop(slot, None)
            else:
                arguments[slot] = parameter.fitted(value)
        return arguments

    def with_context(self, arguments: dict[str, Any], context: ActionContext) -> dict[str, Any]:
        """The arguments, and the context if the function wants it."""
        return {**arguments, self.context: context} if self.context else arguments


def read_signature(function: Callable[..., Any]) -> Signature:
    """What an action asks for; TypeError if slots cannot be passed to it."""
    hints = hints_of(function, "action")
    return signature_of(inspect.signature(function).parameters.values(), hints, f"action '{name_of(function)}'")


def signature_of(parameters: Iterable[inspect.Parameter], hints: Mapping[str, Any], whose: str) -> Signature:
    """What these parameters of a function ask for; TypeError if slots cannot be passed to one of them."""
    slots: dict[str, Parameter] = {}
    context: str | None = None
    all_slots = False
    for parameter in parameters:
        if parameter.kind is parameter.VAR_KEYWORD:
            all_slots = True
        elif parameter.kind in (parameter.VAR_POSITIONAL, parameter.POSITIONAL_ONLY):
            raise TypeError(f"{whose} takes '{parameter.name}' by position; slots are passed by name")
        elif hints.get(parameter.name) is ActionContext:
            context = parameter.name
        else:
            slots[parameter.name] = typed(parameter, hints, whose)
    return Signature(slots, context, all_slots)


def typed(parameter: inspect.Parameter, hints: Mapping[str, Any], whose: str) -> Parameter:
    """A parameter with its type; TypeError if no slot's value is of it."""
    try:
        adapter = TypeAdapter(hints.get(parameter.name, Any))
    except PydanticSchemaGenerationError:
        raise TypeError(f"{whose} takes '{parameter.name}' of a type that slots cannot have") from None
    return Parameter(parameter.name, adapter, parameter.default is parameter.empty)


def hints_of(function: Callable[..., Any], kind: str) -> dict[str, Any]:
    """The types a function is written with; TypeError if they cannot be read."""
    try:
        return get_type_hints(_written(function), include_extras=True)
    except NameError as error:
        raise TypeError(f"the annotations of {kind} '{name_of(function)}' cannot be read: {error}") from None


def name_of(function: Callable[..., Any]) -> str:
    """What to call a function when talking about it."""
    written = function.func if isinstance(function, functools.partial) else function
    return str(getattr(written, "__name__", type(written).__name__))


def _written(function: Callable[..., Any]) -> Any:
    """Where the annotations are, whether it is a function, a part of one, or an object that can be called."""
    written = function.func if isinstance(function, functools.partial) else function
    return written if inspect.isroutine(written) else type(written).__call__


def _fitted(adapter: TypeAdapter[Any], value: Any) -> Any:
    try:
        return adapter.validate_python(value)
    except ValidationError:
        if isinstance(value, Money):
            return adapter.validate_python(value.amount)
        raise
