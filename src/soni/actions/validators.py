"""Validators: an author's functions that judge a slot's value, beside other slots if they name them."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from soni.actions.calling import called
from soni.actions.context import ActionContext
from soni.actions.signature import Parameter, Signature, Unfit, hints_of, name_of, signature_of, typed
from soni.core.template import is_language
from soni.core.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

logger = logging.getLogger(__name__)

LIMIT = 10.0
"""How many seconds a validator may take."""
_MOST_LOOKED_AT = 1_000
"""How many options are taken from something that may go on for ever."""


class Refusal(ValueError):
    """Raised by a validator: what to tell the person, in one text or by language, and what to offer instead.

    >>> Refusal("We close at eight.", options=["19:00", "19:30"]).options
    ('19:00', '19:30')
    """

    def __init__(self, reason: str | Mapping[str, str] | None = None, *, options: Iterable[str] = ()) -> None:
        texts = reason if isinstance(reason, Mapping) else {}
        if not (reason is None or isinstance(reason, str) or texts):
            raise TypeError("a refusal gives a text, or a map of languages to texts")
        for language, text in texts.items():
            if not is_language(language) or not isinstance(text, str):
                raise TypeError("a refusal by language maps codes such as 'en' and 'es' to texts")
        offered = () if isinstance(options, str) else tuple(islice(options, _MOST_LOOKED_AT))
        if isinstance(options, str) or not all(isinstance(option, str) for option in offered):
            raise TypeError("the options of a refusal are a list of texts")
        super().__init__(*(() if reason is None else (reason,)))
        self.reason = dict(texts) or reason
        self.options = offered


@dataclass(frozen=True, slots=True)
class Validator:
    """A function whose first parameter takes a value; the others take slots by name, and the context."""

    function: Callable[..., Any]
    value: Parameter
    signature: Signature

    async def verdict(
        self,
        name: str,
        value: Any,
        slots: Mapping[str, Any],
        *,
        context: ActionContext,
        masked: Callable[[str], str],
    ) -> Verdict:
        """What the function says of a value; whatever goes wrong in it, the value has not been found good."""
        try:
            return await self._judged(value, slots, context, masked)
        except Unfit as error:
            logger.warning("validator '%s' cannot take slot '%s'", name, error.slot)
        except (Exception, asyncio.CancelledError) as error:  # an author's code may raise anything
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            # Not with the traceback: an error's text may hold the value, and the value may be a secret.
            logger.warning("validator '%s' raised %s", name, type(error).__name__)
        return Verdict(ok=False)

    async def _judged(
        self, value: Any, slots: Mapping[str, Any], context: ActionContext, masked: Callable[[str], str]
    ) -> Verdict:
        given = self.signature.with_context(self.signature.arguments(slots), context)
        fitted = self.value.fitted(value)
        try:
            async with asyncio.timeout(LIMIT):
                answer = await called(self.function, fitted, **given)
        except Refusal as refusal:
            return Verdict.refused(refusal.reason, refusal.options, masked=masked)
        except ValueError as error:
            # Only a plain one was written for a person; its subclasses are what libraries say to programmers.
            text = error.args[0] if type(error) is ValueError and len(error.args) == 1 else None
            return Verdict.refused(text if isinstance(text, str) else None, masked=masked)
        return Verdict(bool(answer))


def read_validator(function: Callable[..., Any]) -> Validator:
    """A function as a validator; TypeError if it cannot be one."""
    whose = f"validator '{name_of(function)}'"
    hints = hints_of(function, "validator")
    parameters = list(inspect.signature(function).parameters.values())
    by_position = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    if not parameters or parameters[0].kind not in by_position or hints.get(parameters[0].name) is ActionContext:
        raise TypeError(f"{whose} must take the value as its first parameter")
    if hints.get("return") is type(None):
        raise TypeError(f"{whose} returns nothing; return True where the value is good")
    signature = signature_of(parameters[1:], hints, whose)
    if signature.all_slots:
        raise TypeError(f"{whose} takes every slot; name the slots it looks at")
    return Validator(function, typed(parameters[0], hints, whose), signature)
