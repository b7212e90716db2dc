"""Ledger: an action's intent is written before it is called, its outcome after; what is written is never done again."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from soni.errors import ActionError, ActionOutcomeUnknown, ActionResultUnusable
from soni.store.records import EffectRecord

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from soni.store.journal import Journal

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


class Diverged(Exception):
    """A turn that is run again goes another way than the one on which it did something; it must not go on."""


class Ledger:
    """Settles each visit of an action once."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        begun = (effect for effect in journal.effects.values() if effect.status != "failed" and effect.kind != "pure")
        self._left = {effect.key for effect in begun}
        """What an earlier attempt at this turn may have done, and this one has not come by yet."""

    def idempotency_key(self, effect: Effect) -> str:
        """A name for this visit that no other has, not even after the user was forgotten."""
        return f"{self._journal.incarnation}/{effect.key}"

    def of_this_pass(self, effect: Effect) -> Effect:
        """The effect, under a name of its own if this turn has tried the step with other values before."""
        arguments = json.dumps(effect.arguments, ensure_ascii=True)
        key, number = effect.key, 1
        while (before := self._journal.effects.get(key)) is not None and before.arguments != arguments:
            number += 1
            key = f"{effect.key}~{number}"
        return replace(effect, key=key)

    async def settle(
        self, effect: Effect, perform: Performed, reconcile: Reconciled | None, masked: Callable[[str], str]
    ) -> dict[str, Any]:
        """The outcome of the visit: as it is written, or by calling the action now; ActionError if it is a failure."""
        journal, arguments = self._journal, json.dumps(effect.arguments, ensure_ascii=True)
        before = journal.effects.get(effect.key)
        if before is not None and before.action != effect.action:
            raise Diverged(f"step '{effect.key}' called '{before.action}', and now calls '{effect.action}'")
        self._left.discard(effect.key)
        if before is None and effect.kind != "pure":
            self.check()
        if before is not None and before.status != "begun":
            return _outcome(before)
        try:
            if before is not None and effect.kind == "once":
                stopped = ActionOutcomeUnknown(f"action '{effect.action}' was begun, and then everything stopped")
                result = await _asked(reconcile, stopped)
            else:
                if effect.kind != "pure":
                    self._note(effect, arguments, "begun")
                    await journal.flush("the intent of an action")
                result = await _done(perform, reconcile)
        except ActionError as error:
            status = next(name for name in ("unknown", "unusable", "failed") if isinstance(error, _ERRORS[name]))
            await self._noted(effect, arguments, status, {"why": masked(str(error))})
            raise
        await self._noted(effect, arguments, "done", {"slots": result})
        return result

    def check(self) -> None:
        """Diverged if this attempt has passed by what an earlier one may have done."""
        if self._left:
            came_by = ", ".join(sorted(self._left))
            raise Diverged(
                f"it went another way than the attempt that called {came_by}; was the assistant edited since?"
            )

    def _note(self, effect: Effect, arguments: str, status: Any, result: dict[str, Any] | None = None) -> None:
        turn = self._journal.turn
        self._journal.effect(EffectRecord(effect.key, turn, effect.action, effect.kind, arguments, status, result))

    async def _noted(self, effect: Effect, arguments: str, status: Any, result: dict[str, Any]) -> None:
        self._note(effect, arguments, status, result)
        if effect.kind == "once":
            await self._journal.flush("the result of an action")


async def _done(perform: Performed, reconcile: Reconciled | None) -> dict[str, Any]:
    try:
        return await perform()
    except ActionOutcomeUnknown as error:
        if error.running:
            raise
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
