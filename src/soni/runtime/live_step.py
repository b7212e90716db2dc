"""LiveStep: the StepContext of one visit of one step."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from soni.actions import ActionContext
from soni.config.models import ActionStepConfig
from soni.core.message_sink import Message
from soni.du.context import MASK
from soni.errors import ActionError, ActionOutcomeUnknown, ActionResultUnusable, InvalidValue, StoreUnavailable
from soni.flow.memory import Again, Refused
from soni.runtime.ledger import Effect
from soni.telemetry import span, timed

if TYPE_CHECKING:
    from soni.core.state import DialogueState, Handoff
    from soni.core.template import Text
    from soni.flow.derivation.walk import Walk
    from soni.flow.manager import FlowManager
    from soni.runtime.context import RuntimeContext
    from soni.steps import Step

logger = logging.getLogger(__name__)


class _NotedSlots(Mapping[str, Any]):
    """Loaded values that remember which of them were looked at."""

    def __init__(self, values: Mapping[str, Any], walk: Walk) -> None:
        self._values = values
        self._walk = walk
        self.reads: dict[str, None] = {}

    def __getitem__(self, name: str) -> Any:
        self.reads[name] = None
        if self._walk.is_gone(name):
            # It was said, and is not kept any more: it has to be asked for again.
            raise Again([self._walk.void(name)])
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


class LiveStep:
    """What one step sees and does in this turn."""

    def __init__(self, context: RuntimeContext, walk: Walk, state: DialogueState, step: Step, visit: int) -> None:
        self._context = context
        self._walk = walk
        self._state = state
        self._frame = walk.frame
        self._key = f"{self._frame['flow_id']}/{step.step}/{visit}"
        self._step = step
        self.said: bool | None = None
        self.acted = False
        self._decided_on: dict[str, None] = {}
        self._look()

    def _look(self) -> None:
        self.stored = self._walk.values()
        self.slots = _NotedSlots(self._context.loaded(self.stored), self._walk)

    def begins(self) -> None:
        self._decided_on = self.slots.reads
        step = self._step
        if step.asks_for_value:
            self.said = self._walk.answer_to(step.asks, step.asks_anew, step.may_be_left_out)
        self._look()

    @property
    def depth(self) -> int:
        return len(self._state["flow_stack"])

    @property
    def reads(self) -> Collection[str]:
        return self.slots.reads

    @property
    def seen(self) -> Mapping[str, Any]:
        return self._context.masked({slot: self.stored.get(slot) for slot in self.looked_at})

    @property
    def looked_at(self) -> Collection[str]:
        return {**self._decided_on, **self.slots.reads}

    @property
    def answer(self) -> bool | None:
        if self._step.asks_for_value:
            return self.said
        if self._is_denied_for_good:
            return False
        answer = self._walk.confirmation(confirms=self._step.confirms)
        if answer is None or answer["mark"] != self._step.mark:
            return None
        shown = {slot: mark for slot, mark in answer["shown"].items() if slot != self._step.asks}
        return answer["value"] if self._walk.is_unchanged(shown) else None

    @property
    def _is_denied_for_good(self) -> bool:
        """Whether a no has led back to something that was said anew since: it is not asked about again."""
        answer = self._walk.memory["answers"].get(self._walk.place)
        on_deny = self._step.targets.get("on_deny")
        if answer is None or answer["value"] or not self._step.confirms or on_deny is None:
            return False
        flow = self._context.config.runnable[self._frame["flow_name"]]
        return answer["turn"] < self._walk.turn and on_deny in flow.plan and flow.goes_back(self._step.step, on_deny)

    @property
    def attempts(self) -> int:
        asks = self._step.asks if self._step.asks_for_value else None
        return self._walk.attempts_at(asks or self._walk.place)

    @property
    def done(self) -> bool:
        chain = self._walk.chain
        return chain["acted"] or chain["deeds"] > 0 or bool(chain["owed"])

    @property
    def has_people(self) -> bool:
        return self._context.config.settings.handoff

    @property
    def rounds(self) -> int:
        return self._frame["rounds"].get(self._step.step, 0)

    @property
    def returned(self) -> Mapping[str, Any] | None:
        returned = self._frame["returned"]
        return None if returned is None else returned["slots"]

    @property
    def own_slots(self) -> Set[str]:
        names = self._context.flow_manager.slot_names(self._frame["flow_name"])
        return names - self._context.config.confirm_slots

    def render(self, text: Text) -> str:
        return self._context.render(text, self._state, key=self._key, slots=self.slots)

    def phrase(self, name: str, **values: str) -> str:
        return self._context.phrase(name, self._state, key=self._key, **values)

    def question(self, slot: str) -> str:
        declared = self._context.config.slots[slot]
        if declared.message:
            return self.render(declared.message)
        what = declared.called(slot, self._state["language"] or "", self._context.config.settings.language)
        return self.phrase("ask", what=what.rstrip("?.").capitalize())

    def event_flow(self, event: str) -> str | None:
        return self._context.event_flow(event, self._state)

    def flows(self, names: Sequence[str]) -> list[tuple[str, str]]:
        startable = self._context.startable(self._state)
        return [(name, self._context.flow_label(name, self._state)) for name in names if name in startable]

    def choices(self, slot: str) -> list[tuple[str, str]]:
        declared = self._context.config.slots[slot]
        if declared.type == "boolean":
            return [("yes", self.phrase("yes")), ("no", self.phrase("no"))]
        return [(value, self._context.label(slot, value, self._state)) for value in declared.options]

    async def accept(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        return await self._context.accept(self._state, values)

    async def call_action(
        self, name: str, *, outputs: Mapping[str, str], timeout: float | None, retry: int
    ) -> Mapping[str, Any]:
        actions, turn, config = self._context.actions, self._context.turn, self._context.config
        everything = self.stored if actions.takes_all(name) else {}
        taken = {**actions.parameters(name), **everything}
        for slot in taken:
            self.slots.get(slot)  # an action reads what its signature names
        given = {slot: self.stored[slot] for slot in sorted(taken) if self.stored.get(slot) is not None}
        limit = timeout or config.settings.action_timeout
        effect = Effect(self._key, name, actions.effect(name), self._context.masked(given))
        if effect.kind != "pure" and self._walk.chain["owed"]:
            raise Refused("something would be done beside what was done already")
        effect = turn.ledger.of_this_pass(effect)
        context = ActionContext(
            self._progress,
            user_id=turn.user_id,
            language=self._context.language(self._state),
            idempotency_key=turn.ledger.idempotency_key(effect),
        )
        slots = self._context.loaded(self.stored)

        called = False

        async def perform() -> dict[str, Any]:
            nonlocal called
            called = True
            if not self._walk.chain["owed"]:
                await turn.say_early()
            about = {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": name,
                "gen_ai.tool.call.id": self._key,
            }
            with span(f"execute_tool {name}", about), timed(turn.spent, "actions"):
                result = await actions.call(name, slots, context=context, timeout=limit, retry=retry)
            return await self._slots_of(result, name, outputs)

        async def reconcile() -> dict[str, Any] | None:
            found = await actions.reconcile(name, slots, context=context, timeout=limit)
            return None if found is None else await self._slots_of(found, name, outputs)

        ask = reconcile if actions.can_reconcile(name) else None
        try:
            values = await turn.ledger.settle(effect, perform, ask, self.masked)
            self.acted = effect.kind == "once"
            return values
        except ActionError as error:
            self.acted = effect.kind == "once" and isinstance(error, ActionOutcomeUnknown | ActionResultUnusable)
            logger.warning("%s", self.masked(f"{error}{_cause(error.__cause__)}"))
            raise
        finally:
            if not called:  # what it told the person when it was called counts as told now
                await turn.retell(f"{self._key}/progress")

    async def _slots_of(self, result: Mapping[str, Any], name: str, outputs: Mapping[str, str]) -> dict[str, Any]:
        missing = [output for output in outputs if output not in result]
        if missing:
            raise ActionResultUnusable(f"action '{name}' did not return '{missing[0]}'")
        values = {slot: result[output] for output, slot in outputs.items()}
        try:
            held = await self.accept({slot: value for slot, value in values.items() if value is not None})
        except InvalidValue as error:
            raise ActionResultUnusable(str(error)) from None
        return {slot: held.get(slot) for slot in values}

    async def _progress(self, text: str) -> None:
        turn = self._context.turn
        try:
            await turn.deliver(Message(turn.message_id(f"{self._key}/progress"), "progress", text))
        except StoreUnavailable:
            # Raised into the action, it would look as if what the action does had failed; its outcome is written next.
            logger.warning("what action step '%s' told could not be stored yet", self._step.step)

    def masked(self, text: str) -> str:
        for name, value in self._context.loaded(self.stored).items():
            if self._context.config.slots[name].sensitive and str(value):
                text = text.replace(str(value), MASK)
        return text


def _cause(error: BaseException | None) -> str:
    """What an author's code raised, and in which of its lines."""
    if error is None:
        return ""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
    return f": {type(error).__name__}: {error}{place}"


@dataclass(frozen=True, slots=True)
class LiveSteps:
    """The context that the nodes of a flow's graph run with."""

    context: RuntimeContext

    @property
    def flow_manager(self) -> FlowManager:
        return self.context.flow_manager

    def step_context(self, walk: Walk, state: DialogueState, step: Step, visit: int) -> LiveStep:
        return LiveStep(self.context, walk, state, step, visit)

    async def look_at_rules(self, walk: Walk, state: DialogueState) -> None:
        await self.context.rules.look(walk, state, self.context)

    def effect(self, step: Step) -> str | None:
        return self.context.actions.effect(step.call) if isinstance(step, ActionStepConfig) else None

    def label(self, flow: str, state: DialogueState) -> str:
        return self.context.flow_label(flow, state)

    def handoff(self, state: DialogueState, reason: str | None) -> Handoff | None:
        return self.context.handoff(state, reason)
