"""What the ways through a flow show: steps never reached, slots never set, circles without an end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soni.core.template import Field
from soni.errors import Problem
from soni.steps import END, Step
from soni.steps.action import ActionStepConfig
from soni.steps.confirm import ConfirmStepConfig

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from soni.config.check import KnownActions
    from soni.config.models import FlowConfig, SoniConfig

Path = tuple[str | int, ...]


def field_path(field: str) -> Path:
    """The place of a field that stands inside others: `cases.0.then`."""
    return tuple(int(part) if part.isdigit() else part for part in field.split("."))


def _edges(flow: FlowConfig) -> dict[str, set[str]]:
    """Where each step can go; the end is no step."""
    edges: dict[str, set[str]] = {}
    for name, placed in flow.plan.items():
        step = placed.step
        after = {step.jump_to or placed.next} if step.falls_through else set()
        skipped = {placed.next} if step.if_ else set()
        ways = {*step.targets.values(), *after, *skipped}
        edges[name] = {way for way in ways if way is not None and way != END and way in flow.plan}
    return edges


def _closure(edges: Mapping[str, set[str]], start: Collection[str]) -> set[str]:
    seen: set[str] = set()
    todo = list(start)
    while todo:
        step = todo.pop()
        if step not in seen:
            seen.add(step)
            todo += edges[step]
    return seen


def reachability(name: str, flow: FlowConfig) -> Iterator[Problem]:
    """Steps that no way leads to, and circles that no way leads out of."""
    edges = _edges(flow)
    reached = _closure(edges, [flow.first_step] if flow.first_step else [])
    for placed in flow.placed:
        step = placed.step.step
        path: Path = ("flows", name, *placed.path)
        if step not in reached:
            yield Problem(f"flow '{name}' never comes to step '{step}'.", path, "Remove it, or let a step go to it.")
            continue
        onward = _closure(edges, edges[step])
        if step in onward and not any(flow.plan[other].step.waits or _leaves(flow, other, edges) for other in onward):
            if any(("flows", name, *flow.plan[other].path) < path for other in onward):
                continue  # reported once, at the loop's first step
            yield Problem(
                f"flow '{name}' goes round from step '{step}' without ever asking anything or ending.",
                path,
                "Let a step of the loop ask, or go out of it.",
            )


def _leaves(flow: FlowConfig, step: str, edges: Mapping[str, set[str]]) -> bool:
    placed = flow.plan[step]
    ends = END in placed.step.targets.values() or placed.step.jump_to == END
    falls_out = placed.step.falls_through and placed.step.jump_to is None and placed.next is None
    skips_out = placed.step.if_ is not None and placed.next is None
    return ends or falls_out or skips_out or (not placed.step.falls_through and not edges[step])


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
    collected = {placed.step.asks for placed in flow.placed}
    for placed in flow.placed:
        step = placed.step
        known = before[step.step]
        path: Path = ("flows", name, *placed.path)
        for field, text in step.texts.items():
            for shown in sorted({f.slot for f in text.fields} - known - _own(step, field)):
                yield _unset(name, step, shown, (*path, *field_path(field)), "shows")
        for field, expression in ({"if": step.if_, **step.expressions} if step.if_ else step.expressions).items():
            # A slot that people can fill may have been filled by an earlier message.
            early = {slot for slot in collected if slot and config.slots[slot].source == "user"}
            for read in sorted(expression.names - known - early):
                yield _unset(name, step, read, (*path, *field_path(field)), "reads")


def _own(step: Step, field: str) -> set[str]:
    return {step.asks} if field == "error" and step.asks else set()


def _unset(name: str, step: Step, slot: str, path: Path, verb: str) -> Problem:
    message = f"flow '{name}', step '{step.step}' {verb} '{slot}', which nothing has set by then."
    return Problem(message, path, "Collect it, set it or map it before, or make it a conversation slot.")


def _set_at_entry(config: SoniConfig, name: str, flow: FlowConfig) -> set[str]:
    entry = set(config.conversation_slots)
    entry |= {
        piece.slot for template in flow.trigger.templates for piece in template.pieces if isinstance(piece, Field)
    }
    for caller in config.flows.values():
        for placed in caller.placed:
            if placed.step.flow == name:
                entry |= caller.slot_names | set(getattr(placed.step, "inputs", {}))
    return entry


def _returned(config: SoniConfig, flow: FlowConfig, step: str) -> set[str]:
    target = flow.plan[step].step.flow
    return set(config.flows[target].slot_names) & set(flow.slot_names) if target in config.flows else set()


def unconfirmed_effects(name: str, flow: FlowConfig, actions: KnownActions) -> Iterator[Problem]:
    """Actions that happen once and can be reached without a yes."""
    edges = _edges(flow)
    confirms = {step for step, placed in flow.plan.items() if isinstance(placed.step, ConfirmStepConfig)}
    open_edges = {step: set() if step in confirms else after for step, after in edges.items()}
    reached = _closure(open_edges, [flow.first_step] if flow.first_step else [])
    for placed in flow.placed:
        step = placed.step
        if isinstance(step, ActionStepConfig) and step.step in reached and actions.effect(step.call) == "once":
            message = f"flow '{name}' can come to '{step.step}' without a confirmation, and '{step.call}' happens once."
            hint = "Put a confirm before it, or declare it pure or idempotent if it is."
            yield Problem(message, ("flows", name, *placed.path, "call"), hint, severity="warning")


def endless_transfers(config: SoniConfig) -> Iterator[Problem]:
    """Flows that go to each other without ever waiting would go round for ever."""
    edges: dict[str, set[str]] = {}
    for name, flow in config.flows.items():
        silent = {step: set() if flow.plan[step].step.waits else after for step, after in _edges(flow).items()}
        reached = _closure(silent, [flow.first_step] if flow.first_step else [])
        targets = {flow.plan[step].step.flow for step in reached if not flow.plan[step].step.waits}
        edges[name] = {target for target in targets if target in config.flows}
    for name, flow in config.flows.items():
        if name in _closure(edges, edges[name]):
            step = next(
                p for p in flow.placed if p.step.flow and name in _closure(edges, [p.step.flow]) | {p.step.flow}
            )
            message = f"flow '{name}' comes back to itself through step '{step.step.step}' without asking anything."
            yield Problem(message, ("flows", name, *step.path), "Let a flow of the circle ask, or end it.")
