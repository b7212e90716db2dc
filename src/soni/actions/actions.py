"""Actions of one assistant: registration, typed arguments from slots, effect classes, calling."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, is_dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_type_hints

from pydantic import BaseModel, PydanticSchemaGenerationError, TypeAdapter, ValidationError

from soni.core.values.money import Money
from soni.errors import ActionError, ActionOutcomeUnknown

if TYPE_CHECKING:
    from collections.abc import Collection

logger = logging.getLogger(__name__)

Effect = Literal["pure", "idempotent", "once"]
Function = TypeVar("Function", bound=Callable[..., Any])
Inform = Callable[[str], Awaitable[None]]


class ActionContext:
    """What an action may ask for besides slots: give a parameter this type to receive it."""

    def __init__(self, inform: Inform, *, user_id: str, language: str) -> None:
        self.user_id = user_id
        self.language = language
        self._inform = inform
        self._loop = asyncio.get_running_loop()

    async def inform(self, text: str) -> None:
        """Tell the person something while the action is still running."""
        await self._inform(text)

    def inform_sync(self, text: str) -> None:
        """The same for an action that is a plain function."""
        asyncio.run_coroutine_threadsafe(_awaited(self._inform(text)), self._loop).result()


async def _awaited(done: Awaitable[None]) -> None:
    await done


@dataclass(frozen=True, slots=True)
class _Parameter:
    adapter: TypeAdapter[Any]
    required: bool


@dataclass(frozen=True, slots=True)
class _Action:
    function: Callable[..., Any]
    effect: Effect
    parameters: dict[str, _Parameter]
    context: str | None
    all_slots: bool


class Actions:
    """A registry of actions and validators.

    >>> actions = Actions()
    >>> @actions.register("check_balance", effect="pure")
    ... async def check_balance(account: str) -> dict[str, str]:
    ...     return {"balance": "1,234.56"}
    >>> sorted(actions.names())
    ['check_balance']
    """

    def __init__(self) -> None:
        self._actions: dict[str, _Action] = {}
        self._validators: dict[str, Callable[..., Any]] = {}

    def register(self, name: str | None = None, *, effect: Effect = "once") -> Callable[[Function], Function]:
        """Make a function an action. Undeclared means `once`: never called twice for one visit of its step."""

        def add(function: Function) -> Function:
            self._actions[name or function.__name__] = _read(function, effect)
            return function

        return add

    def validator(self, name: str | None = None) -> Callable[[Function], Function]:
        """Make a function of one value a validator: false, or a ValueError, refuses the value."""

        def add(function: Function) -> Function:
            self._validators[name or function.__name__] = function
            return function

        return add

    def include(self, other: Actions) -> None:
        """Take over everything another registry has."""
        self._actions.update(other._actions)
        self._validators.update(other._validators)

    def names(self) -> Collection[str]:
        """The registered actions."""
        return self._actions.keys()

    def validators(self) -> Collection[str]:
        """The registered validators."""
        return self._validators.keys()

    def parameters(self, action: str) -> Mapping[str, bool]:
        """The slots an action takes: whether each is required."""
        return {name: parameter.required for name, parameter in self._actions[action].parameters.items()}

    def effect(self, action: str) -> Effect:
        """The declared effect class of an action."""
        return self._actions[action].effect

    async def is_valid(self, validator: str, value: Any) -> bool:
        """Ask a validator about a value."""
        try:
            verdict = self._validators[validator](value)
            return bool(await verdict if inspect.isawaitable(verdict) else verdict)
        except ValueError:
            return False
        except Exception:  # whatever an author's code raises, the value has not been found good
            logger.warning("validator '%s' failed", validator, exc_info=True)
            return False

    async def call(
        self, name: str, slots: Mapping[str, Any], *, context: ActionContext, timeout: float, retry: int = 0
    ) -> Mapping[str, Any]:
        """Run an action. A `once` action is tried once, and if it times out its outcome is unknown."""
        action = self._actions[name]
        arguments = _arguments(name, action, slots)
        attempts = 1 if action.effect == "once" else retry + 1
        for attempt in range(attempts):
            try:
                return await self._attempt(name, action, arguments, context, timeout)
            except ActionOutcomeUnknown:
                raise
            except ActionError:
                if attempt + 1 == attempts:
                    raise
                await asyncio.sleep(min(0.05 * 2**attempt, 1.0))
        raise AssertionError("unreachable: the last attempt returns or raises")

    async def _attempt(
        self, name: str, action: _Action, arguments: dict[str, Any], context: ActionContext, timeout: float
    ) -> Mapping[str, Any]:
        given = {**arguments, action.context: context} if action.context else arguments
        try:
            async with asyncio.timeout(timeout) as limit:
                if inspect.iscoroutinefunction(action.function):
                    result = await action.function(**given)
                else:
                    result = await asyncio.to_thread(action.function, **given)
        except TimeoutError as error:
            if not limit.expired():
                raise ActionError(f"action '{name}' raised {type(error).__name__}") from error
            message = f"action '{name}' did not finish within {timeout:g} seconds"
            raise (ActionOutcomeUnknown(message) if action.effect == "once" else ActionError(message)) from None
        except Exception as error:  # whatever an author's code raises is a failed action, not a failed turn
            raise ActionError(f"action '{name}' raised {type(error).__name__}") from error
        return _outputs(name, result)


def _read(function: Callable[..., Any], effect: Effect) -> _Action:
    try:
        hints = get_type_hints(function)
    except NameError as error:
        raise TypeError(f"the annotations of action '{function.__name__}' cannot be read: {error}") from None
    parameters: dict[str, _Parameter] = {}
    context: str | None = None
    all_slots = False
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            all_slots = True
        elif parameter.kind in (parameter.VAR_POSITIONAL, parameter.POSITIONAL_ONLY):
            raise TypeError(f"action '{function.__name__}' takes '{name}' by position; slots are passed by name")
        elif hints.get(name) is ActionContext:
            context = name
        else:
            required = parameter.default is parameter.empty
            parameters[name] = _Parameter(_adapter(function, name, hints.get(name, Any)), required)
    return _Action(function, effect, parameters, context, all_slots)


def _adapter(function: Callable[..., Any], name: str, hint: Any) -> TypeAdapter[Any]:
    try:
        return TypeAdapter(hint)
    except PydanticSchemaGenerationError:
        raise TypeError(f"action '{function.__name__}' takes '{name}' of a type that slots cannot have") from None


def _arguments(name: str, action: _Action, slots: Mapping[str, Any]) -> dict[str, Any]:
    arguments: dict[str, Any] = dict(slots) if action.all_slots else {}
    for slot, parameter in action.parameters.items():
        value = slots.get(slot)
        if value is None and not parameter.required:
            arguments.pop(slot, None)
            continue
        try:
            arguments[slot] = _fitted(parameter.adapter, value)
        except ValidationError as error:
            reason = error.errors(include_input=False)[0]["msg"]
            raise ActionError(f"action '{name}' cannot take slot '{slot}': {reason}") from None
    return arguments


def _fitted(adapter: TypeAdapter[Any], value: Any) -> Any:
    try:
        return adapter.validate_python(value)
    except ValidationError:
        if isinstance(value, Money):
            return adapter.validate_python(value.amount)
        raise


def _outputs(name: str, result: Any) -> Mapping[str, Any]:
    match result:
        case None:
            return {}
        case BaseModel():
            return {field: getattr(result, field) for field in type(result).model_fields}
        case Mapping():
            return result
        case _ if is_dataclass(result) and not isinstance(result, type):
            return asdict(result)
        case _:
            raise ActionError(f"action '{name}' returned {type(result).__name__}; return a dict of outputs")
