"""What the ways through a flow show: steps never reached, slots never set, circles without an end."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from soni.config.events import TOLD
from soni.core.template import Field, Text
from soni.errors import Problem
from soni.steps import END, Step
from soni.steps.action import ActionStepConfig
from soni.steps.branch import BranchStepConfig
from soni.steps.collect import CollectStepConfig
from soni.steps.confirm import ConfirmStepConfig
from soni.steps.set import SetStepConfig
from soni.steps.while_loop import WhileStepConfig

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from soni.config.check import KnownActions
    from soni.config.models import FlowConfig, Placed, SoniConfig

Path = tuple[str | int, ...]


def field_path(field: str) -> Path:
    """The place of a field that stands inside others: `cases.0.then`."""
    return tuple(int(part) if part.isdigit() else part for part in field.split("."))


def fields_of(text: Text) -> Iterator[tuple[Path, Field]]:
    """The slots a text shows, each with its language and variation."""
    for language, variations in text.variants.items():
        for index, template in enumerate(variations):
            for piece in template.pieces:
                if isinstance(piece, Field):
                    yield ((language, index) if language else (index,)), piece


def _ways(flow: FlowConfig) -> dict[str, set[str]]:
    """Where each step can go, the end included."""
    ways: dict[str, set[str]] = {}
    for name, placed in flow.plan.items():
        step = placed.step
        following = placed.next or END
        after = {step.jump_to or following} if step.falls_through else set()
        ways[name] = {*step.targets.values(), *after, *({following} if step.if_ else ())}
    return ways


def _edges(flow: FlowConfig) -> dict[str, set[str]]:
    """Which steps can follow each."""
    return {name: {way for way in ways if way in flow.plan} for name, ways in _ways(flow).items()}


def closure(edges: Mapping[str, set[str]], start: Collection[str]) -> set[str]:
    """Everything that can be reached from there, the start included."""
    seen: set[str] = set()
    todo = list(start)
    while todo:
        step = todo.pop()
        if step not in seen:
            seen.add(step)
            todo += edges[step]
    return seen


def reachability(config: SoniConfig, name: str, flow: FlowConfig) -> Iterator[Problem]:
    """Steps that no way leads to, and circles that no way leads out of."""
    reached = closure(_edges(flow), [flow.first_step] if flow.first_step else [])
    ways = _ways(flow) | {step: {flow.plan[step].step.body[0].step} for step in _stuck_loops(config, flow)}
    edges = {step: {way for way in ways[step] if way in flow.plan} for step in ways}
    told: set[str] = set()
    for placed in flow.placed:
        step = placed.step.step
        path: Path = ("flows", name, *placed.path)
        if step not in reached:
            yield Problem(f"flow '{name}' never comes to step '{step}'.", path, "Remove it, or let a step go to it.")
            continue
        onward = closure(edges, edges[step])
        if step in onward - told and not any(_stops(flow.plan[other].step, ways[other]) for other in onward):
            told |= onward
            yield Problem(
                f"flow '{name}' goes round from step '{step}' without ever asking anything or ending.",
                path,
                "Let a step of the loop ask, change its condition, or go out of it.",
            )


def _stops(step: Step, ways: set[str]) -> bool:
    return step.waits or END in ways or not (ways or step.falls_through)


def _stuck_loops(config: SoniConfig, flow: FlowConfig) -> Iterator[str]:
    """Loops whose condition nothing inside them can change."""
    for name, placed in flow.plan.items():
        if isinstance(placed.step, WhileStepConfig):
            inside = [other for other in flow.placed if name in other.loops]
            changed = {slot for other in inside for slot in other.step.sets.values()}
            changed |= {slot for other in inside for slot in _returned(config, flow, other.step.step)}
            if not changed & placed.step.condition.names:
                yield name


def unset_reads(config: SoniConfig, name: str, flow: FlowConfig) -> Iterator[Problem]:
    """Slots shown or read where no path has set them: over-approximates what may be set, so never cries wolf."""
    entry = _set_at_entry(config, name, flow)
    edges = _edges(flow)
    before: dict[str, set[str]] = {step: set() for step in flow.plan}
    if flow.first_step:
        before[flow.first_step] |= entry
    changed = True
    while changed:
        changed = False
        for here, after in edges.items():
            known = before[here] | set(flow.plan[here].step.sets.values()) | _returned(config, flow, here)
            for target in after:
                if not known <= before[target]:
                    before[target] |= known
                    changed = True
    # A slot that people can fill may have been filled by an earlier message.
    asked = {placed.step.asks for placed in flow.placed}
    early = {slot for slot in asked if slot and config.slots[slot].source == "user"}
    for placed in flow.placed:
        step = placed.step
        known = before[step.step]
        path: Path = ("flows", name, *placed.path)
        for field, text in step.texts.items():
            for inner, shown in fields_of(text):
                if shown.slot not in known | _own(step, field):
                    yield _unset(name, step, shown.slot, (*path, *field_path(field), *inner), "shows")
        for field, expression in ({"if": step.if_, **step.expressions} if step.if_ else step.expressions).items():
            for read in sorted(expression.names - known - early):
                yield _unset(name, step, read, (*path, *field_path(field)), "reads")
        for field, slot in step.reads.items():
            if slot not in known | early:
                yield _unset(name, step, slot, (*path, *field_path(field)), "reads")


def may_be_set(config: SoniConfig, name: str) -> set[str]:
    """The slots that may have a value somewhere in a flow: over-approximates, too."""
    flow = config.flows[name]
    known = _set_at_entry(config, name, flow)
    for placed in flow.placed:
        target = config.flows.get(placed.step.flow or "")
        known |= {*placed.step.sets.values(), *(target.slot_names if target else ())}
    return known


def _own(step: Step, field: str) -> set[str]:
    return {step.asks} if field == "error" and step.asks else set()


def _unset(name: str, step: Step, slot: str, path: Path, verb: str) -> Problem:
    message = f"flow '{name}', step '{step.step}' {verb} '{slot}', which nothing has set by then."
    events = sorted(event for event, told in TOLD.items() if slot in told)
    hint = "Collect it, set it or map it before, or make it a conversation slot."
    return Problem(message, path, f"Only the flow for {' or '.join(events)} is told it." if events else hint)


def _set_at_entry(config: SoniConfig, name: str, flow: FlowConfig) -> set[str]:
    entry = set(config.conversation_slots)
    entry |= {slot for event, flow in config.events.named().items() if flow == name for slot in TOLD[event]}
    entry |= {
        piece.slot for template in flow.trigger.templates for piece in template.pieces if isinstance(piece, Field)
    }
    for caller, step in config.callers.get(name, ()):
        entry |= caller.slot_names | set(getattr(step, "inputs", {}))
    return entry


def _returned(config: SoniConfig, flow: FlowConfig, step: str) -> set[str]:
    target = flow.plan[step].step.flow
    return set(config.flows[target].slot_names) & set(flow.slot_names) if target in config.flows else set()


def unconfirmed_effects(name: str, flow: FlowConfig, actions: KnownActions) -> Iterator[Problem]:
    """Actions that happen once and can be reached without a yes."""
    edges = _edges(flow)
    for asking, placed in flow.plan.items():
        if isinstance(placed.step, ConfirmStepConfig):
            unasked = {placed.step.on_deny, placed.next if placed.step.if_ else None}
            edges[asking] = {way for way in unasked if way in flow.plan}
    reached = closure(edges, [flow.first_step] if flow.first_step else [])
    for placed in flow.placed:
        step = placed.step
        if isinstance(step, ActionStepConfig) and step.step in reached and actions.effect(step.call) == "once":
            message = f"flow '{name}' can come to '{step.step}' without a confirmation, and '{step.call}' happens once."
            hint = "Put a confirm before it, or declare it pure or idempotent if it is."
            yield Problem(message, ("flows", name, *placed.path, "call"), hint, severity="warning")


def late_copies(name: str, flow: FlowConfig, actions: KnownActions | None) -> Iterator[Problem]:
    """Slots asked for twice on one way, and copied in between: there is one answer, the latest."""
    told: set[Path] = set()
    questions = [(placed, placed.step.slot) for placed in flow.placed if isinstance(placed.step, CollectStepConfig)]
    times = Counter(slot for _, slot in questions)
    for asking, slot in questions:
        if times[slot] == 1:
            continue
        copies: list[tuple[str, Path]] = []
        emptied = False
        for placed in _straight_on(flow, asking, actions):
            step = placed.step
            if isinstance(step, SetStepConfig):
                targets = [to for to, expression in step.compute.items() if slot in expression.names and to != slot]
                copies += [(step.step, ("flows", name, *placed.path, "compute", to)) for to in targets]
                emptied = emptied or (step.if_ is None and step.slots.get(slot, slot) is None)
            elif isinstance(step, CollectStepConfig) and step.slot == slot and (step.ask_always or emptied):
                for copying, path in copies:
                    if path not in told:
                        told.add(path)
                        message = f"flow '{name}', step '{copying}' copies '{slot}' between two questions for it"
                        hint = "Let the second question fill another slot."
                        yield Problem(f"{message}, and the copy is of the latest answer.", path, hint, "warning")
                break


def _straight_on(flow: FlowConfig, start: Placed, actions: KnownActions | None) -> Iterator[Placed]:
    """The steps that follow one for sure, up to where somebody chooses, or something is done for good."""
    seen = {start.step.step}
    here = start
    while here.step.falls_through:
        following = here.step.jump_to or here.next
        if following in seen or following not in flow.plan:
            return
        here = flow.plan[following]
        seen.add(following)
        if _chooses(here.step) or here.step.flow is not None or _may_be_once(here.step, actions):
            return
        yield here


def _chooses(step: Step) -> bool:
    asks_maybe = isinstance(step, CollectStepConfig) and step.if_ is not None
    refused = isinstance(step, ConfirmStepConfig) and step.on_deny is not None
    return asks_maybe or refused or isinstance(step, BranchStepConfig | WhileStepConfig)


def _may_be_once(step: Step, actions: KnownActions | None) -> bool:
    return isinstance(step, ActionStepConfig) and (actions is None or actions.effect(step.call) == "once")


def endless_transfers(config: SoniConfig) -> Iterator[Problem]:
    """Flows that go to each other without ever waiting would go round for ever."""
    edges: dict[str, set[str]] = {}
    for name, flow in config.flows.items():
        silent = {step: set() if flow.plan[step].step.waits else after for step, after in _edges(flow).items()}
        reached = closure(silent, [flow.first_step] if flow.first_step else [])
        targets = {flow.plan[step].step.flow for step in reached if not flow.plan[step].step.waits}
        edges[name] = {target for target in targets if target in config.flows}
    told: set[str] = set()
    for name, flow in config.flows.items():
        circle = {other for other in closure(edges, edges[name]) if name in closure(edges, edges[other])}
        if name not in circle - told:
            continue
        told |= circle
        way = next(placed for placed in flow.placed if placed.step.flow in edges[name] & circle)
        through = f" through '{way.step.flow}'" if way.step.flow != name else ""
        message = f"flow '{name}' comes back to itself{through} without asking anything."
        yield Problem(message, ("flows", name, *way.path, "target"), "Let a flow of the circle ask, or end it.")
