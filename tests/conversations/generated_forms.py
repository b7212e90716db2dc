"""A family of forms for property-based tests of corrections: a step reads only what was filled on every way to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from soni import Actions, SoniConfig
from soni.config.models import FlowConfig, SlotConfig
from soni.steps.action import ActionStepConfig

Step = dict[str, Any]
Piece = tuple[Any, ...]

FLOWS = ("main", "mid", "deep")
BY_NAME = frozenset({"s0", "s1", "g"})
"""Slots that several flows ask for, with one answer for all of them; g belongs to the conversation."""
LAST = "stop"
"""The last question of every form."""

_n = st.integers(0, 7)
_LEAVES = [
    st.tuples(st.just("ask"), st.sampled_from(["", "", "optional", "ask_always"])),
    st.tuples(st.just("ask_if"), _n, _n),
    st.tuples(st.just("shared"), _n),
    st.tuples(st.just("say"), _n, _n),
    st.tuples(st.just("compute"), _n, _n),
    st.tuples(st.just("action"), _n, _n),
    st.tuples(st.just("look_up"), _n),
    st.tuples(st.just("confirm"), _n, _n),
    st.tuples(st.just("menu"), _n),
    st.tuples(st.just("call"), _n, _n, st.booleans(), st.booleans()),
]


def _nested(inside: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    some = st.lists(inside, min_size=1, max_size=2)
    return st.one_of(
        st.tuples(st.just("over"), _n, some),
        st.tuples(st.just("ways"), _n, some, some),
        st.tuples(st.just("agreed"), _n, some),
        st.tuples(st.just("count"), _n, some, st.booleans()),
        st.tuples(st.just("more"), some),
    )


PIECES = st.lists(st.recursive(st.one_of(_LEAVES), _nested, max_leaves=3), min_size=1, max_size=3)


@dataclass
class Author:
    """Writes the steps of one flow."""

    flow: str
    slots: dict[str, SlotConfig]
    steps: list[Step] = field(default_factory=list)
    readable: list[str] = field(default_factory=list)
    loops: int = 0
    count: int = 0

    def name(self, kind: str) -> str:
        self.count += 1
        return f"{kind}{self.count}"

    def slot(self, kind: str, *, system: bool = False, boolean: bool = False) -> str:
        name = f"{self.flow}_{self.name(kind)}"
        self.slots[name] = SlotConfig(type="boolean" if boolean else "integer", source="system" if system else "user")
        return name

    def pick(self, n: int) -> str:
        return self.readable[n % len(self.readable)]

    def add(self, kind: str, **step: Any) -> str:
        name = self.name(kind)
        self.steps.append({"step": name, "type": kind, **step})
        return name

    def collect(self, slot: str, **options: Any) -> str:
        return self.add("collect", slot=slot, message=f"{self.flow}.{slot}?", **options)

    def tell(self, *slots: str, **options: Any) -> str:
        name = self.name("say")
        shown = " ".join(f"{slot}={{{slot}}}" for slot in slots)
        self.steps.append({"step": name, "type": "say", "message": f"{self.flow}.{name}: {shown}", **options})
        return name

    def mark(self, name: str, **options: Any) -> None:
        """A step that others can go to."""
        self.steps.append({"step": name, "type": "set", "slots": {f"{self.flow}_mark": 0}, **options})

    def compute(self, slot: str, expression: str) -> None:
        self.add("set", compute={slot: expression})

    def block(self, pieces: list[Piece]) -> list[Step]:
        """Steps that may be left out: nothing after them reads what they fill."""
        outer, readable = self.steps, list(self.readable)
        self.steps = []
        for piece in pieces:
            self.write(piece)
        inner, self.steps, self.readable = self.steps, outer, readable
        return inner

    def write(self, piece: Piece) -> None:
        kind, *rest = piece
        getattr(self, f"_{kind}")(*rest)

    def _ask(self, option: str) -> None:
        slot = self.slot("a")
        self.collect(slot, **({option: True} if option else {}))
        if option == "optional":
            self.tell(slot)
        else:
            self.readable.append(slot)

    def _ask_if(self, n: int, m: int) -> None:
        condition = f"{self.pick(n)} > {m % 3}"
        slot = self.slot("b")
        self.collect(slot, **{"if": condition})
        self.tell(slot, **{"if": condition})

    def _shared(self, n: int) -> None:
        if self.loops:
            return
        slot = sorted(BY_NAME)[n % 3]
        self.collect(slot)
        if slot not in self.readable:
            self.readable.append(slot)

    def _say(self, n: int, m: int) -> None:
        self.tell(self.pick(n), self.pick(m))

    def _compute(self, n: int, m: int) -> None:
        slot = self.slot("c", system=True)
        self.compute(slot, f"({self.pick(n)} + 2 * {self.pick(m)}) % 5")
        self.readable.append(slot)

    def _action(self, n: int, m: int) -> None:
        slot = self.slot("d", system=True)
        self.add("action", call=f"sum__{self.pick(n)}__{self.pick(m)}", map_outputs={"out": slot})
        self.readable.append(slot)

    def _look_up(self, n: int) -> None:
        slot = self.slot("p")
        self.add("action", call=f"find__{self.pick(n)}", map_outputs={"out": slot})
        self.collect(slot)
        self.readable.append(slot)

    def _confirm(self, n: int, m: int) -> None:
        slots = (self.pick(n), self.pick(m))
        shown = " ".join(f"{slot}={{{slot}}}" for slot in slots)
        self.add("confirm", slot=self.slot("y", boolean=True), message=f"Right, {shown}?", on_deny="end_ok")

    def _menu(self, n: int) -> None:
        total, choice, item = self.slot("t", system=True), self.slot("m"), self.slot("i")
        self.add("set", slots={total: 0})
        menu = self.collect(choice, ask_always=True)
        after = self.name("after")
        self.add("branch", cases=[{"when": f"{choice} == 0", "then": after}])
        self.collect(item, ask_always=True)
        self.compute(total, f"({total} * 3 + {item} + {self.pick(n)}) % 1000")
        self.tell(total, jump_to=menu)
        self.steps.append({"step": after, "type": "say", "message": f"{self.flow}.{after}: {{{total}}}"})
        self.readable.append(total)

    def _call(self, n: int, m: int, maps_in: bool, maps_out: bool) -> None:
        later = FLOWS[FLOWS.index(self.flow) + 1 :]
        if not later:
            return
        target = later[n % len(later)]
        inputs = {f"{target}_first": self.pick(m)} if maps_in else {}
        outputs = {f"{target}_result": self.slot("o")} if maps_out else {}
        self.add("call", target=target, inputs=inputs, outputs=outputs)
        self.readable += outputs.values()

    def _over(self, n: int, pieces: list[Piece]) -> None:
        after = self.name("after")
        self.add("branch", cases=[{"when": f"{self.pick(n)} > 1", "then": after}])
        self.steps += self.block(pieces)
        self.mark(after)

    def _ways(self, n: int, one: list[Piece], two: list[Piece]) -> None:
        other, after = self.name("other"), self.name("after")
        self.add("branch", cases=[{"when": f"{self.pick(n)} > 1", "then": other}])
        self.steps += self.block(one)
        self.mark(self.name("over"), jump_to=after)
        self.mark(other)
        self.steps += self.block(two)
        self.mark(after)

    def _agreed(self, n: int, pieces: list[Piece]) -> None:
        after = self.name("after")
        slot = self.pick(n)
        yes = self.slot("y", boolean=True)
        self.add("confirm", slot=yes, message=f"More, {slot}={{{slot}}}?", on_deny=after)
        self.steps += self.block(pieces)
        self.mark(after)

    def _count(self, n: int, pieces: list[Piece], keep: bool) -> None:
        i, total = self.slot("n", system=True), self.slot("t", system=True)
        size = self.pick(n)
        self.add("set", slots={i: 0, total: 0})
        self.loops += 1
        self.readable.append(i)
        self.steps, outer = [], self.steps
        item = self.slot("l")
        self.collect(item)
        self.readable.append(item)
        body = [*self.steps, *self.block(pieces)]
        self.readable.remove(item)
        self.steps = []
        self.compute(total, f"({total} * 3 + {item}) % 1000")
        self.compute(i, f"{i} + 1")
        body += self.steps
        self.steps = outer
        self.loops -= 1
        self.add("while", condition=f"{i} < {size} % 4", do=body, keep=keep)
        self.readable.append(total)

    def _more(self, pieces: list[Piece]) -> None:
        total, more, i = self.slot("t", system=True), self.slot("w", boolean=True), self.slot("n", system=True)
        self.add("set", slots={total: 0, i: 0})
        self.loops += 1
        body = self.block(pieces)
        self.steps, outer = [], self.steps
        item = self.slot("l")
        self.collect(item)
        self.compute(total, f"({total} * 3 + {item}) % 1000")
        self.compute(i, f"{i} + 1")
        self.collect(more)
        body += self.steps
        self.steps = outer
        self.loops -= 1
        self.add("while", condition=f"{i} < 4 and ({more} is None or {more})", do=body)
        self.readable.append(total)


def form(pieces: dict[str, list[Piece]]) -> SoniConfig:
    """An assistant of three forms, which call each other, and one aside."""
    slots: dict[str, SlotConfig] = {name: SlotConfig(type="integer") for name in ("s0", "s1", LAST, "aside_x")}
    slots["g"] = SlotConfig(type="integer", scope="conversation")
    flows = {}
    for flow in FLOWS:
        author = Author(flow, slots)
        slots |= {f"{flow}_{name}": SlotConfig(type="integer") for name in ("first", "result", "mark")}
        author.collect(f"{flow}_first")
        author.readable.append(f"{flow}_first")
        for piece in pieces[flow]:
            author.write(piece)
        author.collect(LAST if flow == "main" else f"{flow}_result")
        steps = author.steps
        for step in steps:
            _point(step, steps[-1]["step"])
        flows[flow] = FlowConfig.model_validate({"description": flow, "steps": steps})
    aside: list[Step] = [{"collect": "aside_x"}, {"say": "Aside {aside_x}."}, {"collect": "g"}, {"say": "g {g}"}]
    flows["aside"] = FlowConfig.model_validate({"description": "aside", "steps": aside})
    used = {slot for flow in flows.values() for slot in slot_names(flow)}
    return SoniConfig(slots={name: slot for name, slot in slots.items() if name in used}, flows=flows)


def _point(step: Step, last: str) -> None:
    if step.get("on_deny") == "end_ok":
        step["on_deny"] = last
    for inner in step.get("do", []):
        _point(inner, last)


def calls_of(flow: FlowConfig) -> set[str]:
    """The actions a flow calls; their names tell what they read."""
    return {placed.step.call for placed in flow.placed if isinstance(placed.step, ActionStepConfig)}


def _arguments(flow: FlowConfig) -> set[str]:
    return {slot for call in calls_of(flow) for slot in call.split("__")[1:]}


def slot_names(flow: FlowConfig) -> set[str]:
    """The slots a flow has."""
    return set(flow.slot_names) | _arguments(flow)


def actions_of(config: SoniConfig) -> Actions:
    """Pure actions: one adds up, and one finds something for even numbers only."""
    actions = Actions()
    for call in sorted({call for flow in config.flows.values() for call in calls_of(flow)}):
        kind, *arguments = call.split("__")
        names = list(dict.fromkeys(arguments))
        result = "+".join(names) + " + 10" if kind == "sum" else f"50 + {names[0]} if {names[0]} % 2 == 0 else None"
        actions.register(call, effect="pure")(eval(f"lambda {', '.join(names)}: {{'out': {result}}}"))  # noqa: S307
    return actions


FORMS = st.builds(
    lambda main, mid, deep: form({"main": main, "mid": mid, "deep": deep}),
    PIECES,
    st.lists(st.one_of(_LEAVES), max_size=3),
    st.lists(st.one_of(_LEAVES), max_size=1),
)
