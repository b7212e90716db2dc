"""What people are told of a change: what is different now, what a rule forbids, and what cannot be changed any more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soni.config.models import ActionStepConfig
from soni.core.pending_task import inform
from soni.core.state import CONVERSATION
from soni.dm.orchestrator.handler import happened, told
from soni.errors import InvalidValue
from soni.flow.delta import FlowDelta, merge_deltas
from soni.flow.derivation.walk import Walk
from soni.flow.memory import step_of
from soni.steps import END

if TYPE_CHECKING:
    from collections.abc import Iterator

    from soni.core.pending_task import PendingTask
    from soni.core.state import DialogueState, FlowContext
    from soni.flow.derivation.message import Pass
    from soni.flow.memory import Refused
    from soni.runtime.context import RuntimeContext
    from soni.runtime.rules import Broken


def changed_texts(tried: Pass, context: RuntimeContext) -> list[PendingTask]:
    """What the message has changed, in one sentence."""
    open_now = {*tried.base["chains"], CONVERSATION}
    news = [word for word in tried.words if word.is_news and word.chain in open_now]
    changes = {word.about: word.fact["value"] if word.fact else None for word in news}
    values = {slot: context.loaded({slot: value}).get(slot) for slot, value in changes.items()}
    return [inform(context.changes(values, tried.base))] if changes else []


def broken_texts(tried: Pass, context: RuntimeContext) -> list[PendingTask]:
    """Why what was said does not hold."""
    said = dict.fromkeys(_broken_text(broken, tried.base, context) for broken in tried.errors)
    return [inform(text) for text in said]


def _broken_text(broken: Broken, state: DialogueState, context: RuntimeContext) -> str:
    rule, key = broken.rule, f"{state['turn']}/{broken.rule.name}"
    error = InvalidValue("broken", reason=broken.reason)
    return context.refusal(error, rule.error, state, key=key, slots=broken.slots)


def refused(refusal: Refused, state: DialogueState, context: RuntimeContext, root: str | None = None) -> FlowDelta:
    """What was done stays as it is; the flow that did it may know what to do about it, or else a person does."""
    manager = context.flow_manager
    walk = Walk(manager.world, state, root)
    label = context.flow_label(walk.frames[0]["flow_name"], state)
    text = "already_done" if manager.has_acted(state, walk.root) else "too_long_ago"
    said = told(context, state, text, why=str(refusal), _flow=label)
    if (way := next(_ways_out(walk, context), None)) is not None:
        frame, place, target = way
        ends = target == END
        goes = (
            manager.end_chain(state, frame["flow_id"])
            if ends
            else manager.go_to(state, frame["flow_id"], target, place)
        )
        return merge_deltas([said, goes])
    if context.event_flow("offer_person", state) is None:
        return said
    why = "what was done cannot be changed here"
    return merge_deltas([said, happened("offer_person", context, state, text="offer_person", why=why, reason=why)])


def _ways_out(walk: Walk, context: RuntimeContext) -> Iterator[tuple[FlowContext, str, str]]:
    """Where the steps that did something go when it is corrected, the last first; only flows that still run can."""
    for frame in reversed(walk.frames):
        plan = context.config.runnable[frame["flow_name"]].plan
        memo = walk.memory_of(frame)["memo"]
        done = [(entry["turn"], n, place) for n, (place, entry) in enumerate(memo.items()) if entry["done"]]
        for _, _, place in sorted(done, reverse=True):
            step = plan[step_of(place)].step
            if isinstance(step, ActionStepConfig) and step.on_correct:
                yield frame, place, step.on_correct


def unmendable(state: DialogueState, context: RuntimeContext) -> FlowDelta:
    """What was done breaks a rule on what it was done with: the flow is closed, and a person is told."""
    reason = "a rule is broken by what was done"
    alone = "" if context.config.settings.handoff else "_alone"
    _, ended = context.flow_manager.abandon_flow(state)
    said = told(context, state, f"failed_after_effect{alone}", why=reason)
    person = context.handoff(state, reason)
    handed = FlowDelta(person=person) if person is not None else FlowDelta()
    return merge_deltas([ended, said, handed])
