"""A form: flows as trees of steps, their rules, and how they are written for an assistant."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import yaml

from soni import Actions, SoniConfig

Record = Callable[[str, dict[str, int]], None]
"""Is told which action is done, and with what."""

MANY = 50
"""More attempts than anybody needs."""


@dataclass
class Node:
    """A step, with the steps inside it."""

    kind: str
    """collect, set, action, branch, while, back (steps that a jump repeats), call, confirm or say."""
    name: str
    slot: str = ""
    expr: str = ""
    shows: tuple[str, ...] = ()
    then: list[Node] = field(default_factory=list)
    other: list[Node] = field(default_factory=list)
    flow: str = ""
    inputs: dict[str, str] = field(default_factory=dict)
    outputs: dict[str, str] = field(default_factory=dict)
    always: bool = False
    optional: bool = False
    keep: bool = False
    once: bool = False
    ifs: bool = False
    """Of a branch: the steps inside have the condition each."""
    goes_on: bool = False
    """Of a confirm: a no goes on, and does not end the flow."""
    counter: str = ""
    """Of steps that a jump repeats: the slot that counts the rounds."""

    @property
    def names(self) -> frozenset[str]:
        """The slots the step names."""
        return frozenset(
            {self.slot, *self.shows, *names(self.expr), *self.inputs.values(), *self.outputs.values()} - {""}
        )


@dataclass
class Rule:
    """What has to hold of a slot and others."""

    own: str
    expr: str
    step: str = ""
    """The step it is written at; otherwise it is written at the slot."""
    python: bool = False
    """Whether it is a function; one over several slots has to be an expression."""

    @property
    def names(self) -> frozenset[str]:
        """The slots it reads."""
        return frozenset({self.own}) | names(self.expr)

    def holds(self, slots: dict[str, Any]) -> bool:
        """Whether it is kept, or cannot be broken yet."""
        return any(slots.get(name) is None for name in self.names) or bool(evaluated(self.expr, slots))


def names(expr: str) -> frozenset[str]:
    """The slots of an expression: their names have underscores."""
    return frozenset(re.findall(r"\b[a-z]\w*_\w*", expr))


def evaluated(expr: str, slots: dict[str, Any]) -> Any:
    """The value of an expression, in Python."""
    return eval(expr, {}, {name: slots.get(name) for name in names(expr)})  # noqa: S307  # it was written here


def digit(slot: str) -> str:
    """What decides in a value."""
    return f"{slot} % 10"


def inside(nodes: list[Node]) -> Iterator[Node]:
    """Every step, those inside others too."""
    for node in nodes:
        yield node
        yield from inside([*node.then, *node.other])


@dataclass
class Form:
    """An assistant of three flows that call each other, and one that interrupts."""

    flows: dict[str, list[Node]] = field(default_factory=dict)
    rules: list[Rule] = field(default_factory=list)
    depends: dict[str, str] = field(default_factory=dict)

    def add_rule(self, own: str, expr: str, step: str = "", *, python: bool = False) -> None:
        """One more rule; a slot has one of its own, and a step another."""
        if not any(rule.own == own and rule.step == step for rule in self.rules):
            self.rules.append(Rule(own, expr, step, python))

    @cached_property
    def nodes(self) -> dict[tuple[str, str], Node]:
        """Every step by its flow and name."""
        return {(flow, node.name): node for flow, nodes in self.flows.items() for node in inside(nodes)}

    @cached_property
    def around(self) -> dict[tuple[str, str], tuple[Node, ...]]:
        """The loops around every step."""
        found: dict[tuple[str, str], tuple[Node, ...]] = {}

        def walk(flow: str, nodes: list[Node], loops: tuple[Node, ...]) -> None:
            for node in nodes:
                found[flow, node.name] = loops
                walk(flow, [*node.then, *node.other], (*loops, node) if node.kind in ("while", "back") else loops)

        for flow, nodes in self.flows.items():
            walk(flow, nodes, ())
        return found

    @cached_property
    def slots(self) -> dict[str, frozenset[str]]:
        """The slots each flow names."""
        return {flow: frozenset(name for n in inside(nodes) for name in n.names) for flow, nodes in self.flows.items()}

    def reached(self, flow: str) -> set[str]:
        """A flow, and those it calls."""
        calls = {node.flow for node in inside(self.flows[flow]) if node.kind == "call"}
        return {flow}.union(*(self.reached(called) for called in calls))

    @cached_property
    def asked_once(self) -> frozenset[str]:
        """What one question of the main flow, or of those it calls, asks for."""
        nodes = [node for flow in self.reached("main") for node in inside(self.flows[flow])]
        asked = Counter(node.slot for node in nodes if node.kind == "collect")
        return frozenset(slot for slot, times in asked.items() if times == 1)

    @cached_property
    def repeated(self) -> frozenset[str]:
        """The slots that some step fills inside a loop, or in a flow that is called in one."""
        flows = {n.flow for (flow, step), n in self.nodes.items() if n.kind == "call" and self.around[flow, step]}
        flows = set().union(*(self.reached(flow) for flow in flows))
        fills = {at: node.slot for at, node in self.nodes.items() if node.kind in ("collect", "set", "action")}
        return frozenset(slot for at, slot in fills.items() if self.around[at] or at[0] in flows)

    def dependents(self, slot: str) -> set[str]:
        """What depends on a slot, and what depends on that."""
        direct = {name for name, on in self.depends.items() if on == slot}
        return direct.union(*(self.dependents(name) for name in direct))

    @cached_property
    def linked(self) -> dict[str, set[str]]:
        """For each slot, the names its value can have in other flows."""
        groups = {slot: {slot} for slots in self.slots.values() for slot in slots}
        for node in self.nodes.values():
            for theirs, ours in [*node.inputs.items(), *node.outputs.items()]:
                both = groups.setdefault(theirs, {theirs}) | groups.setdefault(ours, {ours})
                for name in both:
                    groups[name] = both
        return groups

    @cached_property
    def data(self) -> dict[str, Any]:
        """The assistant as it would be written."""
        written = [flow for flow in self.flows if flow in {*self.reached("main"), "aside"}]
        used = {slot for flow in written for slot in self.slots[flow]}
        used |= {name for rule in self.rules if rule.own in used for name in rule.names}
        flows = {flow: {"description": flow, "steps": _Writer(self, flow).steps} for flow in written}
        marks = {f"mark_{flow}" for flow, flow_data in flows.items() if f"mark_{flow}" in str(flow_data)}
        return {
            "settings": {"handoff": False, "fallback_after": 1000, "max_steps": 2000},
            "slots": {name: self._slot(name) for name in sorted(used | marks)},
            "flows": flows,
        }

    def _slot(self, name: str) -> dict[str, Any]:
        declared: dict[str, Any] = {"type": "boolean" if name[0] == "y" else "integer"}
        if name.split("_")[0] in ("c", "i", "t", "mark"):
            declared["source"] = "system"
        if name in self.depends:
            declared["depends_on"] = [self.depends[name]]
        for rule in self.rules:
            if rule.own == name and not rule.step:
                declared |= {"validate": _written(rule), "error": f"!{name}"}
        return declared

    @cached_property
    def config(self) -> SoniConfig:
        """The assistant."""
        return SoniConfig.model_validate(self.data)

    def actions(self, record: Record) -> Actions:
        """What its steps call: some look something up, and some are done once, which is recorded."""
        actions = Actions()
        for (flow, _), node in self.nodes.items():
            if node.kind == "action":
                effect = "once" if node.once else "pure"
                actions.register(f"{flow}_{node.name}", effect=effect)(_function(flow, node, record))  # type: ignore[arg-type]
        for rule in self.rules:
            if rule.python:
                actions.validator(_written(rule))(_validator(rule))
        return actions

    def __str__(self) -> str:
        lines = ["slots:"]
        lines += [f"  {name}: {_line(slot)}" for name, slot in self.data["slots"].items()]
        for flow in ("main", *sorted(self.reached("main") - {"main"})):
            lines += [f"{flow}:", *(f"  - {_line(step)}" for step in self.data["flows"][flow]["steps"])]
        return "\n".join(lines)


def _line(data: object) -> str:
    return str(yaml.safe_dump(data, default_flow_style=True, sort_keys=False, width=10_000)).strip()


def _written(rule: Rule) -> str:
    return f"check_{rule.own}" if rule.python else rule.expr


def _validator(rule: Rule) -> Callable[[int], bool]:
    return lambda value: bool(evaluated(rule.expr, {rule.own: value}))


def _function(flow: str, node: Node, record: Record) -> Callable[..., Any]:
    async def look(**slots: int) -> dict[str, int | None]:
        return {"out": evaluated(node.expr, slots)}

    async def do(**slots: int) -> None:
        record(f"{flow}_{node.name}", slots)

    run: Any = do if node.once else look
    taken = sorted({*node.shows, *names(node.expr)})
    parameters = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=int) for name in taken]
    run.__annotations__ = dict.fromkeys(taken, int)
    run.__signature__ = inspect.Signature(parameters)
    return run  # type: ignore[no-any-return]


class _Writer:
    """Writes the steps of a flow as a list, with jumps where steps are inside others."""

    def __init__(self, form: Form, flow: str) -> None:
        self.form, self.flow = form, flow
        self.steps = self.block(form.flows[flow])

    def block(self, nodes: list[Node]) -> list[dict[str, Any]]:
        return [step for node in nodes for step in getattr(self, f"_{node.kind}")(node)]

    def mark(self, name: str, **options: Any) -> dict[str, Any]:
        """A step that others can go to."""
        return {"step": name, "type": "set", "slots": {f"mark_{self.flow}": 0}, **options}

    def shown(self, node: Node) -> str:
        return f"{self.flow}.{node.name}: " + ", ".join(f"{slot}={{{slot}}}" for slot in node.shows)

    def _collect(self, node: Node) -> list[dict[str, Any]]:
        question = f"{self.flow}.{node.name}: {node.slot}?"
        step = {"step": node.name, "type": "collect", "slot": node.slot, "message": question, "attempts": MANY}
        step |= {"ask_always": True} if node.always else {}
        step |= {"optional": True} if node.optional else {}
        for rule in self.form.rules:
            if rule.step == node.name and rule.own == node.slot:
                step |= {"validate": rule.expr, "error": f"!{rule.own}"}
        return [step]

    def _set(self, node: Node) -> list[dict[str, Any]]:
        given = {"slots": {node.slot: None}} if node.expr == "None" else {"compute": {node.slot: node.expr}}
        return [{"step": node.name, "type": "set", **given}]

    def _action(self, node: Node) -> list[dict[str, Any]]:
        given = {"map_outputs": {"out": node.slot}} if node.slot else {}
        return [{"step": node.name, "type": "action", "call": f"{self.flow}_{node.name}", **given}]

    def _say(self, node: Node) -> list[dict[str, Any]]:
        return [{"step": node.name, "type": "say", "message": self.shown(node)}]

    def _branch(self, node: Node) -> list[dict[str, Any]]:
        if node.ifs:
            return [{**step, "if": node.expr} for step in self.block(node.then)]
        then, after = f"{node.name}_then", f"{node.name}_after"
        if not node.other:
            over = {"step": node.name, "type": "branch", "cases": [{"when": f"not ({node.expr})", "then": after}]}
            return [over, *self.block(node.then), self.mark(after)]
        way = {"step": node.name, "type": "branch", "cases": [{"when": node.expr, "then": then}]}
        other = [*self.block(node.other), self.mark(f"{node.name}_other", jump_to=after)]
        return [way, *other, self.mark(then), *self.block(node.then), self.mark(after)]

    def _while(self, node: Node) -> list[dict[str, Any]]:
        step = {"step": node.name, "type": "while", "condition": node.expr, "do": self.block(node.then)}
        return [step | ({"keep": True} if node.keep else {})]

    def _back(self, node: Node) -> list[dict[str, Any]]:
        steps = self.block(node.then)
        return [*steps, {"step": node.name, "type": "branch", "cases": [{"when": node.expr, "then": steps[0]["step"]}]}]

    def _call(self, node: Node) -> list[dict[str, Any]]:
        given = {"inputs": node.inputs, "outputs": node.outputs}
        return [{"step": node.name, "type": "call", "target": node.flow, **{k: v for k, v in given.items() if v}}]

    def _confirm(self, node: Node) -> list[dict[str, Any]]:
        step = {
            "step": node.name,
            "type": "confirm",
            "slot": node.slot,
            "message": f"{self.shown(node)}?",
            "attempts": MANY,
        }
        if not node.goes_on:
            return [step, *self.block(node.then)]
        no, after = f"{node.name}_no", f"{node.name}_after"
        if not node.other:
            return [step | {"on_deny": after}, *self.block(node.then), self.mark(after)]
        yes = [*self.block(node.then), self.mark(f"{node.name}_yes", jump_to=after)]
        return [step | {"on_deny": no}, *yes, self.mark(no), *self.block(node.other), self.mark(after)]
