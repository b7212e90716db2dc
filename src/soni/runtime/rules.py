"""Rules: promises about the conversation, looked at whenever something is asked, told or done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from soni.config.models import CollectStepConfig
from soni.core.rule import rule_slots
from soni.flow.memory import Again

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from soni.actions import Actions
    from soni.config.models import SoniConfig
    from soni.core.expression import Expression
    from soni.core.state import DialogueState, FlowContext
    from soni.core.template import Text
    from soni.core.verdict import Verdict
    from soni.flow.derivation.walk import Walk


class Judge(Protocol):
    """Who knows what slots mean, and can ask an author's validators."""

    def loaded(self, stored: Mapping[str, Any]) -> dict[str, Any]: ...

    async def verdict(self, state: DialogueState, validator: str, slot: str, slots: Mapping[str, Any]) -> Verdict: ...


@dataclass(frozen=True, slots=True)
class HeldRule:
    """A rule over slots, one of which is its own: that one is void when it is broken."""

    name: str
    own: str
    rule: Expression | str
    slots: frozenset[str]
    """What it reads, its own among them."""
    needed: frozenset[str]
    """Those that have to have values before it can be judged."""
    flow: str | None
    """The flow it holds in; None for every flow."""
    error: Text | None


@dataclass(frozen=True, slots=True)
class Broken:
    """A rule that does not hold, and why."""

    rule: HeldRule
    slots: Mapping[str, Any]
    """What there was when it was looked at."""
    reason: Any = None
    options: tuple[str, ...] = ()


class Rules:
    """The rules of an assistant, in the order of the file."""

    def __init__(self, config: SoniConfig, actions: Actions) -> None:
        self._rules = [*_of_slots(config, actions), *_of_steps(config, actions)]

    async def look(self, walk: Walk, state: DialogueState, judge: Judge) -> None:
        """Again if a rule whose slots all have values here does not hold."""
        for rule in self._rules:
            for frame in walk.frames:
                if rule.flow in (None, frame["flow_name"]) and _is_open(rule, walk, frame):
                    broken = await self._judged(rule, walk, frame, state, judge)
                    if broken is not None:
                        raise Again([walk.void(rule.own, frame)], broken)

    async def _judged(
        self, rule: HeldRule, walk: Walk, frame: FlowContext, state: DialogueState, judge: Judge
    ) -> Broken | None:
        walk.has_read(rule.slots)
        values = judge.loaded(walk.values(frame))
        if not isinstance(rule.rule, str):
            return None if rule.rule.is_true(values) else Broken(rule, values)
        # Somebody else's code is asked once for the same values.
        reads = {slot: walk.mark(slot, frame) for slot in sorted(rule.slots)}
        known = walk.chain["verdicts"].get(rule.name)
        if known is None or known["reads"] != reads:
            verdict = await judge.verdict(state, rule.rule, rule.own, values)
            known = {"reads": reads, "ok": verdict.ok, "reason": verdict.reason, "options": [*verdict.options]}
            walk.chain["verdicts"][rule.name] = known
        return None if known["ok"] else Broken(rule, values, known["reason"], tuple(known["options"]))


def _is_open(rule: HeldRule, walk: Walk, frame: FlowContext) -> bool:
    """Whether a rule can be judged and may be broken: one over its own slot alone was, when the value came in."""
    if any(walk.value(slot, frame) is None for slot in rule.needed):
        return False
    origin = walk.origin(rule.own, frame)
    return len(rule.slots) > 1 or rule.flow is not None or (origin is not None and origin["slot"] != rule.own)


def _held(
    name: str, own: str, rule: Expression | str, actions: Actions, flow: str | None, error: Text | None
) -> HeldRule:
    slots = rule_slots(rule, own, actions)
    taken = actions.validator_slots(rule) if isinstance(rule, str) else {}
    needed = frozenset(slot for slot in slots if taken.get(slot, True))
    return HeldRule(name, own, rule, slots, needed, flow, error)


def _of_slots(config: SoniConfig, actions: Actions) -> Iterator[HeldRule]:
    for name, slot in config.slots.items():
        if slot.validate_ is not None:
            yield _held(name, name, slot.validate_, actions, None, slot.error)


def _of_steps(config: SoniConfig, actions: Actions) -> Iterator[HeldRule]:
    for flow_name, flow in config.runnable.items():
        for placed in flow.placed:
            step = placed.step
            if isinstance(step, CollectStepConfig) and step.validate_ is not None:
                error = step.error or config.slots[step.slot].error
                yield _held(f"{flow_name}/{step.step}", step.slot, step.validate_, actions, flow_name, error)
