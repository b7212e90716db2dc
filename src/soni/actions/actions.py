"""Actions of one assistant: registration, typed arguments from slots, effect classes, calling."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

from pydantic import BaseModel

from soni.actions.calling import called
from soni.actions.signature import Signature, Unfit, read_signature
from soni.actions.validators import read_validator
from soni.errors import ActionError, ActionOutcomeUnknown, ActionResultUnusable

if TYPE_CHECKING:
    from collections.abc import Collection

    from soni.actions.context import ActionContext
    from soni.actions.validators import Validator
    from soni.core.verdict import Verdict

Effect = Literal["pure", "idempotent", "once"]
Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class _Action:
    function: Callable[..., Any]
    effect: Effect
    signature: Signature
    reconcile: _Action | None = None


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
        self._validators: dict[str, Validator] = {}
        self.command_handlers: list[Any] = []
        """Handlers of commands of the assistant's own."""

    def register(
        self, name: str | None = None, *, effect: Effect = "once", reconcile: Callable[..., Any] | None = None
    ) -> Callable[[Function], Function]:
        """Make a function an action. Undeclared means `once`: never called twice for one visit of its step.

        `reconcile` is for `once`: a function that takes slots and context as the action does and finds out whether it
        happened, when nobody knows: it returns the outputs if it did ({} if it has none), None if it did not.
        """
        if effect not in get_args(Effect):
            raise ValueError(f"there is no effect '{effect}'; an action is {', '.join(get_args(Effect))}")
        if reconcile is not None and effect != "once":
            raise ValueError(f"only a 'once' action is reconciled; one that is '{effect}' is simply called again")
        asked = None if reconcile is None else _Action(reconcile, "pure", read_signature(reconcile))

        def add(function: Function) -> Function:
            action = _Action(function, effect, read_signature(function), asked)
            self._add(self._actions, name or function.__name__, action)
            return function

        return add

    def validator(self, name: str | None = None) -> Callable[[Function], Function]:
        """Make a function a validator. Its first parameter takes the value, the others take slots by name.

        It refuses the value with false, with a ValueError, whose text the person is told, or with a Refusal.
        """

        def add(function: Function) -> Function:
            self._add(self._validators, name or function.__name__, read_validator(function))
            return function

        return add

    def command(self, handler: Any) -> None:
        """Teach the assistant a command of its own: a CommandHandler, which names the command it handles."""
        self.command_handlers.append(handler)

    def include(self, other: Actions) -> None:
        """Take over everything another registry has."""
        self.command_handlers += [handler for handler in other.command_handlers if handler not in self.command_handlers]
        for name, action in other._actions.items():
            self._add(self._actions, name, action)
        for name, validator in other._validators.items():
            self._add(self._validators, name, validator)

    def _add(self, registry: dict[str, Any], name: str, what: Any) -> None:
        if registry.get(name, what) is not what:
            raise ValueError(f"'{name}' is registered twice; give one of them another name")
        registry[name] = what

    def names(self) -> Collection[str]:
        """The registered actions."""
        return self._actions.keys()

    def validators(self) -> Collection[str]:
        """The registered validators."""
        return self._validators.keys()

    def parameters(self, action: str) -> Mapping[str, bool]:
        """The slots an action takes: whether each is required."""
        return self._actions[action].signature.required

    def takes_all(self, action: str) -> bool:
        """Whether an action takes every slot there is."""
        return self._actions[action].signature.all_slots

    def effect(self, action: str) -> Effect:
        """The declared effect class of an action."""
        return self._actions[action].effect

    def validator_slots(self, name: str) -> Mapping[str, bool]:
        """The slots a validator takes besides its value: whether each is required."""
        return self._validators[name].signature.required

    async def verdict(
        self,
        name: str,
        value: Any,
        slots: Mapping[str, Any],
        *,
        context: ActionContext,
        masked: Callable[[str], str] = str,
    ) -> Verdict:
        """Ask a validator about a value beside these slots; `masked` hides what nobody may see in what it says."""
        return await self._validators[name].verdict(name, value, slots, context=context, masked=masked)

    def can_reconcile(self, action: str) -> bool:
        """Whether an action came with a function that finds out whether it happened."""
        return self._actions[action].reconcile is not None

    async def reconcile(
        self, name: str, slots: Mapping[str, Any], *, context: ActionContext, timeout: float
    ) -> Mapping[str, Any] | None:
        """Ask whether an action happened: its outputs if so, None if not; ActionError if even that cannot be told."""
        asked = self._actions[name].reconcile
        if asked is None:
            raise ActionError(f"action '{name}' came without a function that could tell")
        arguments = _arguments(name, asked, slots)
        return await self._attempt(f"{name}: reconcile", asked, arguments, context, timeout)

    async def call(
        self, name: str, slots: Mapping[str, Any], *, context: ActionContext, timeout: float, retry: int = 0
    ) -> Mapping[str, Any]:
        """Run an action. A `once` action is tried once, and if it times out its outcome is unknown."""
        action = self._actions[name]
        arguments = _arguments(name, action, slots)
        attempts = 1 if action.effect == "once" else retry + 1
        for attempt in range(attempts):
            try:
                return await self._attempt(name, action, arguments, context, timeout) or {}
            except (ActionOutcomeUnknown, ActionResultUnusable):
                raise
            except ActionError:
                if attempt + 1 == attempts:
                    raise
                await asyncio.sleep(min(0.05 * 2**attempt, 1.0))
        raise AssertionError("unreachable: the last attempt returns or raises")

    async def _attempt(
        self, name: str, action: _Action, arguments: dict[str, Any], context: ActionContext, timeout: float
    ) -> Mapping[str, Any] | None:
        given = action.signature.with_context(arguments, context)
        try:
            async with asyncio.timeout(timeout) as limit:
                context.limit = limit
                result = await called(action.function, **given)
        except TimeoutError as error:
            late = f"did not finish within {timeout:g} seconds" if limit.expired() else f"raised {type(error).__name__}"
            message = f"action '{name}' {late}"
            if action.effect != "once":
                raise ActionError(message) from error
            # A plain function goes on in its thread: what it is going to do, nobody can find out yet.
            running = limit.expired() and not inspect.iscoroutinefunction(action.function)
            raise ActionOutcomeUnknown(message, running=running) from error
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            message = f"action '{name}' was cancelled from inside"
            raise (ActionOutcomeUnknown(message) if action.effect == "once" else ActionError(message)) from None
        except ActionOutcomeUnknown as error:  # raised by the author, who cannot know
            if action.effect == "once":
                raise
            raise ActionError(f"action '{name}' raised {type(error).__name__}") from error
        except Exception as error:  # whatever an author's code raises is a failed action, not a failed turn
            raise ActionError(f"action '{name}' raised {type(error).__name__}") from error
        try:
            return _outputs(name, result)
        except ActionError:
            raise
        except Exception as error:  # what an author's object does when it is looked at is anybody's guess
            raise ActionResultUnusable(f"action '{name}' returned what raises {type(error).__name__}") from error


def _arguments(name: str, action: _Action, slots: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return action.signature.arguments(slots)
    except Unfit as error:
        raise ActionError(f"action '{name}' {error}") from None


def _outputs(name: str, result: Any) -> Mapping[str, Any] | None:
    match result:
        case None:
            return None
        case BaseModel():
            return {field: getattr(result, field) for field in type(result).model_fields}
        case Mapping():
            return {str(key): result[key] for key in result}
        case _ if is_dataclass(result) and not isinstance(result, type):
            return {field.name: getattr(result, field.name) for field in fields(result)}
        case _:
            raise ActionResultUnusable(f"action '{name}' returned {type(result).__name__}; return a dict of outputs")
