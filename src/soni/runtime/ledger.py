"""Ledger: an action's intent is written before it is called, its outcome after; what is written is never done again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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
        """A name for this visit that no other has, not even after the user was forgotten."""
        return f"{self._journal.incarnation}/{effect.key}"

    async def settle(
        self, effect: Effect, perform: Performed, reconcile: Reconciled | None, masked: Callable[[str], str]
    ) -> dict[str, Any]:
        """The outcome of the visit: as it is written, or by calling the action now; ActionError if it is a failure."""
        journal, arguments = self._journal, json.dumps(effect.arguments, ensure_ascii=True)
        before = self._before(effect)
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

    def _before(self, effect: Effect) -> EffectRecord | None:
        """What is written about this visit in this turn; what a turn wrote that was given up does not count."""
        before = self._journal.effects.get(effect.key)
        if before is None or before.turn == self._journal.turn:
            return before
        if effect.kind != "pure" and before.status != "failed":
            # Such a turn closes its flows, so nobody should come by here again; if they do, nothing is called.
            raise ActionOutcomeUnknown(f"action '{effect.action}' was begun in a turn that was given up")
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
