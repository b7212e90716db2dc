"""Ledger: an action's intent is written before it is called, its outcome after; what is written is never done again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from soni.core.state import digest
from soni.du.context import MASK
from soni.errors import ActionError, ActionOutcomeUnknown, ActionResultUnusable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from soni.store.journal import EffectRecord, Journal

    Performed = Callable[[], Awaitable[dict[str, Any]]]
    Reconciled = Callable[[], Awaitable[dict[str, Any] | None]]

_ERRORS: dict[str, type[ActionError]] = {
    "failed": ActionError,
    "unusable": ActionResultUnusable,
    "unknown": ActionOutcomeUnknown,
}


@dataclass(frozen=True, slots=True)
class Effect:
    """One visit of a step that calls an action."""

    key: str
    action: str
    kind: str
    arguments: Mapping[str, Any]
    """As they are stored; sensitive ones are masked."""
    secrets: frozenset[str] = frozenset()
    """The sensitive ones among the slots that it fills."""


class Ledger:
    """Settles each visit of an action once."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def idempotency_key(self, effect: Effect) -> str:
        """A name for this visit with these values that nobody else has, not even after the user was forgotten."""
        return f"{self._journal.incarnation}/{effect.key}/{digest(effect.arguments)}"

    async def settle(
        self, effect: Effect, perform: Performed, reconcile: Reconciled | None, masked: Callable[[str], str]
    ) -> dict[str, Any]:
        """The outcome of the visit: as it is written, or by calling the action now; ActionError if it is a failure."""
        journal, arguments = self._journal, json.dumps(effect.arguments, ensure_ascii=True)
        before = self._before(effect, arguments)
        if before is not None and before.status != "begun":
            return _outcome(before)
        try:
            if before is not None and effect.kind == "once":
                stopped = ActionOutcomeUnknown(f"action '{effect.action}' was begun, and then everything stopped")
                result = await _asked(reconcile, stopped)
            else:
                if effect.kind != "pure":
                    journal.effect(effect.key, effect.action, arguments, "begun", None)
                    await journal.flush("the intent of an action")
                result = await _done(perform, reconcile)
        except ActionError as error:
            status = next(name for name in ("unknown", "unusable", "failed") if isinstance(error, _ERRORS[name]))
            journal.effect(effect.key, effect.action, arguments, status, {"why": masked(str(error))})  # type: ignore[arg-type]  # the names are those of Settled
            await self._kept(effect)
            raise
        shown = {"slots": {slot: MASK if slot in effect.secrets else value for slot, value in result.items()}}
        journal.effect(effect.key, effect.action, arguments, "done", {"slots": result}, shown)
        await self._kept(effect)
        return result

    def _before(self, effect: Effect, arguments: str) -> EffectRecord | None:
        """What is written about this visit, as far as it still counts."""
        before = self._journal.effects.get(effect.key)
        if before is None or before.turn == self._journal.turn:
            return before
        # It is of a turn that failed and was closed. What may have been done then counts for ever.
        if before.status == "failed" or effect.kind == "pure":
            return None
        if before.arguments == arguments:
            return before
        if effect.kind == "once":
            raise ActionOutcomeUnknown(f"action '{effect.action}' was begun before, with other values")
        return None

    async def _kept(self, effect: Effect) -> None:
        if effect.kind == "once":
            await self._journal.flush("the result of an action")


async def _done(perform: Performed, reconcile: Reconciled | None) -> dict[str, Any]:
    try:
        return await perform()
    except ActionOutcomeUnknown as error:
        return await _asked(reconcile, error)


async def _asked(reconcile: Reconciled | None, unknown: ActionOutcomeUnknown) -> dict[str, Any]:
    """What the author's function found out; it is never taken as a leave to call the action again."""
    if reconcile is None:
        raise unknown
    try:
        result = await reconcile()
    except ActionResultUnusable:
        raise
    except ActionError as error:
        raise unknown from error
    if result is None:
        raise ActionError(f"{unknown}; it did not happen")
    return result


def _outcome(record: EffectRecord) -> dict[str, Any]:
    result = record.result or {}
    if record.status == "done":
        slots: dict[str, Any] = result["slots"]
        return slots
    raise _ERRORS[record.status](result["why"])
