"""A family of forms for property-based tests of corrections.

A step reads only what was filled on every way to it. Values are whole numbers whose last digit decides, so that people
can give each value only once, and it is known of every value what it was said for.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Protocol, TypeVar

from tests.conversations.form import Form, Node, digit, inside

T = TypeVar("T")

FIRST = "a_main1"
"""What the main flow asks for first, on every way."""
SHARED = ("s_0", "s_1")
"""What all flows may ask for."""
LAST = "last"
"""The last confirmation of the main flow."""
PAY = "pay"
"""What is done after it."""


class Choices(Protocol):
    """Where a form's choices come from."""

    def below(self, n: int) -> int:
        """A number from 0 up to n, without n; smaller ones make simpler forms."""


class Seeded:
    """Choices that are the same for the same seed, and are kept."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)  # noqa: S311  # draws are for samples
        self.taken: list[int] = []

    def below(self, n: int) -> int:
        self.taken.append(self._random.randrange(n))
        return self.taken[-1]


class Given:
    """Choices that were kept; what is missing is the simplest."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self._numbers = numbers
        self.taken: list[int] = []

    def below(self, n: int) -> int:
        at = len(self.taken)
        self.taken.append(self._numbers[at] % n if at < len(self._numbers) else 0)
        return self.taken[-1]


class Author:
    """Writes one flow; the flows it can call are written already."""

    def __init__(self, choices: Choices, form: Form, flow: str, called: list[Author]) -> None:
        self.choices, self.form, self.flow, self.called = choices, form, flow, called
        self.readable: list[str] = []
        self.given: list[str] = []
        """What may be passed in by a caller: plain questions outside loops and branches."""
        self.loops = self.kept = self.depth = 0
        """The loops around, those that keep what was said, and all the steps around."""
        self._number = 0

    def choose(self, options: Sequence[T]) -> T:
        return options[self.choices.below(len(options))]

    def maybe(self, one_in: int = 2) -> bool:
        return self.choices.below(one_in) == one_in - 1

    def pick(self) -> str:
        """Something that has a value here, rather a late one."""
        return self.readable[-1 - self.choices.below(len(self.readable))]

    def name(self, kind: str) -> str:
        self._number += 1
        return f"{kind}{self._number}"

    def slot(self, kind: str) -> str:
        self._number += 1
        return f"{kind}_{self.flow}{self._number}"

    def known(self, kind: str) -> str:
        """A new slot that has a value from here on."""
        slot = self.slot(kind)
        self.readable.append(slot)
        return slot

    def ask(self, slot: str, *, always: bool = False, optional: bool = False) -> Node:
        return Node("collect", self.name("ask"), slot=slot, always=always, optional=optional)

    def tell(self, *slots: str) -> Node:
        return Node("say", self.name("say"), shows=slots)

    def put(self, slot: str, expr: str) -> Node:
        return Node("set", self.name("set"), slot=slot, expr=expr)

    def sure(self, *shows: str, name: str = "", goes_on: bool = False) -> Node:
        shows = tuple(dict.fromkeys(shows))
        return Node("confirm", name or self.name("sure"), slot=self.slot("y"), shows=shows, goes_on=goes_on)

    def some(self) -> list[Node]:
        """Steps that may be left out, or gone through often: nothing after them reads what they fill."""
        readable = list(self.readable)
        self.depth += 1
        nodes = [node for _ in range(1 + self.choices.below(2)) for node in self.piece()]
        self.depth -= 1
        self.readable = readable
        return nodes

    def repeated(self, *, keep: bool = False) -> list[Node]:
        """Steps that are gone through often."""
        self.loops, self.kept = self.loops + 1, self.kept + keep
        nodes = self.some()
        self.loops, self.kept = self.loops - 1, self.kept - keep
        return nodes

    PLAIN = (
        "ask", "say", "always", "optional", "ask_if", "compute", "round", "look", "look", "default", "guard", "guard",
        "clear", "rule", "rule", "rule", "depends", "depends", "shared", "confirm", "once", "once", "once",
        "once",
    )  # fmt: skip
    NESTED = ("branch", "branch", "agreed", "count", "more", "menu", "back")

    def piece(self) -> list[Node]:
        kinds = [*self.PLAIN, *(["call"] * 4 if self.called else [])]
        kinds += self.NESTED if self.depth < (2 if self.flow == "main" else 1) else []
        nodes: list[Node] = getattr(self, f"write_{self.choose(kinds)}")()
        return nodes

    def write_ask(self) -> list[Node]:
        slot = self.known("a")
        if not self.depth and not self.loops:
            self.given.append(slot)
        return [self.ask(slot)]

    def write_always(self) -> list[Node]:
        return [self.ask(self.known("a"), always=True)]

    def write_optional(self) -> list[Node]:
        slot = self.slot("o")
        return [self.ask(slot, optional=True), self.tell(slot)]

    def write_ask_if(self) -> list[Node]:
        slot, expr = self.slot("b"), f"{digit(self.pick())} > {2 + self.choices.below(5)}"
        return [Node("branch", self.name("if"), expr=expr, then=[self.ask(slot), self.tell(slot)], ifs=True)]

    def write_shared(self) -> list[Node]:
        if self.loops:
            return self.write_ask()
        slot = self.choose(SHARED)
        self.readable += [] if slot in self.readable else [slot]
        return [self.ask(slot)]

    def write_say(self) -> list[Node]:
        return [self.tell(self.pick(), self.pick())]

    def write_compute(self) -> list[Node]:
        expr = f"({digit(self.pick())} + 2 * ({digit(self.pick())})) % 10"
        return [self.put(self.known("c"), expr)]

    def write_round(self) -> list[Node]:
        nodes = self.write_ask()
        return [*nodes, self.put(nodes[0].slot, f"{nodes[0].slot} // 2 * 2")]

    def write_look(self) -> list[Node]:
        found = digit(self.pick())
        slot = self.known("p")
        look = Node("action", self.name("look"), slot=slot, expr=f"({found}) // 2 if {found} % 3 else None")
        question = self.ask(slot)
        if self.flow == "main" and not self.loops and self.maybe(3):
            self.form.add_rule(slot, f"{digit(slot)} >= {digit(self.choose(self.readable[:-1]))} - 5")
        return [look, question]

    def write_default(self) -> list[Node]:
        expr = f"({digit(self.pick())}) // 2"
        slot = self.known("p")
        return [self.put(slot, expr), self.tell(slot)]

    def write_guard(self) -> list[Node]:
        limit, slot = self.pick(), self.known("g")
        again = [self.tell(slot), self.ask(slot, always=True)]
        guard = Node("branch", self.name("guard"), expr=f"{digit(slot)} > {digit(limit)}", then=again)
        return [self.ask(slot, always=self.maybe(3) or self.kept > 0), guard]

    def write_clear(self) -> list[Node]:
        slot = self.known("g")
        again = [self.put(slot, "None"), self.ask(slot)]
        guard = Node("branch", self.name("guard"), expr=f"{digit(slot)} > 6", then=again)
        return [self.ask(slot, always=self.kept > 0), guard]

    def write_rule(self) -> list[Node]:
        one, two = self.pick(), self.pick()
        slot = self.known("a")
        node = self.ask(slot)
        mine, first, second = digit(slot), digit(one), digit(two)
        own = self.choose([slot, slot, one if one[0] == "a" else slot])
        how = self.choose(["two", "three", "two_more", "python", "caller"])
        expr = {
            "two": f"{mine} <= {first} + 3",
            "three": f"{mine} + {first} + {second} < 20",
            "two_more": f"{mine} >= {first} - 3",
            "python": f"{mine} < 8",
            "caller": f"{mine} <= {digit(FIRST)} + 4",
        }[how]
        if how == "python":
            self.form.add_rule(slot, expr, python=True)
        elif how == "caller" or own == slot:
            at_step = not self.depth and not self.loops and self.maybe(4)
            self.form.add_rule(slot, expr, node.name if at_step else "")
        else:
            self.form.add_rule(own, expr)
        return [node]

    def write_depends(self) -> list[Node]:
        on, slot = self.pick(), self.known("a")
        self.form.depends[slot] = on
        return [self.ask(slot)]

    def write_confirm(self) -> list[Node]:
        node = self.sure(self.pick(), self.pick(), goes_on=self.maybe())
        node.other = [self.tell(self.pick())] if node.goes_on else []
        return [node]

    def write_agreed(self) -> list[Node]:
        node = self.sure(self.pick(), goes_on=True)
        node.then = self.some()
        node.other = self.some() if self.maybe() else []
        return [node]

    def write_once(self) -> list[Node]:
        shows = (self.pick(), self.pick())
        do = Node("action", self.name("once"), shows=tuple(dict.fromkeys(shows)), once=True)
        asks_again = shows[0][0] == "a" and not self.loops and self.maybe()
        again = [self.ask(shows[0], always=True)] if asks_again else []
        sure = self.sure(*shows, goes_on=not again and self.maybe(3))
        if sure.goes_on:
            sure.then = [do]
            return [sure]
        return [sure, do, *again]

    def write_branch(self) -> list[Node]:
        expr = f"{digit(self.pick())} > {2 + self.choices.below(5)}"
        return [Node("branch", self.name("branch"), expr=expr, then=self.some(), other=self.some())]

    def _add(self, total: str, item: str) -> Node:
        return self.put(total, f"({total} * 3 + {digit(item)}) % 1000")

    def write_count(self) -> list[Node]:
        """A loop that goes round as often as something says."""
        size, i, total, item = self.pick(), self.slot("i"), self.slot("t"), self.slot("l")
        readable = list(self.readable)
        self.readable += [i, item]
        keep = self.maybe()
        body = [self.ask(item), *self.repeated(keep=keep), self._add(total, item), self.put(i, f"{i} + 1")]
        self.readable = [*readable, total]
        loop = Node("while", self.name("count"), expr=f"{i} < {digit(size)} % 3", then=body, keep=keep)
        return [self.put(i, "0"), self.put(total, "0"), loop]

    def write_more(self) -> list[Node]:
        """A loop that goes round as often as somebody wants."""
        i, total, item, more = self.slot("i"), self.slot("t"), self.slot("l"), self.slot("w")
        body = [*self.repeated(), self.ask(item), self._add(total, item), self.put(i, f"{i} + 1"), self.ask(more)]
        self.readable.append(total)
        expr = f"{i} < 3 and ({more} is None or {digit(more)} % 2 == 0)"
        return [self.put(i, "0"), self.put(total, "0"), Node("while", self.name("more"), expr=expr, then=body)]

    def write_menu(self) -> list[Node]:
        """Choose, do it, and choose again."""
        total, item, choice = self.slot("t"), self.slot("l"), self.slot("m")
        chosen = f"{digit(choice)} < 6"
        way = Node("branch", self.name("way"), expr=chosen, then=[self.ask(item, always=True), self._add(total, item)])
        body = [self.ask(choice, always=True), way]
        self.readable.append(total)
        expr = f"{choice} is None or {chosen}"
        return [self.put(total, "0"), Node("while", self.name("menu"), expr=expr, then=body, keep=True)]

    def write_back(self) -> list[Node]:
        """Steps that a jump back repeats: one question comes every time, another only once, a third is emptied."""
        size, i, total = self.pick(), self.slot("i"), self.slot("t")
        asked = self.choose(["always", "once", "emptied"])
        item = self.slot("l")
        body = [self.ask(item, always=asked == "always"), *(self.repeated(keep=True) if self.maybe() else [])]
        body += [self._add(total, item), self.put(i, f"{i} + 1")]
        body += [self.put(item, "None")] if asked == "emptied" else []
        self.readable.append(total)
        back = Node("back", self.name("back"), expr=f"{i} < 1 + {digit(size)} % 3", then=body, counter=i)
        return [self.put(i, "0"), self.put(total, "0"), back]

    def write_call(self) -> list[Node]:
        """Call a flow; what both name goes in and comes back, some under other names."""
        called = self.choose(self.called)
        node = Node("call", self.name("call"), flow=called.flow)
        mine = [slot for slot in self.readable if slot[0] in "asl"]
        if called.given and mine and self.maybe(3):
            node.inputs = {self.choose(called.given): self.choose(mine)}
        theirs = [slot for slot in called.readable if slot not in SHARED]
        if theirs and self.maybe():
            node.outputs = {self.choose(theirs): self.known("r")}
        named = {name for other in inside(self.form.flows[called.flow]) for name in other.names}
        brought = [slot for slot in SHARED if slot in called.readable and slot in named]
        self.readable += [slot for slot in brought if slot not in self.readable]
        return [node]


def written_form(choices: Choices, most: int = 3) -> Form:
    """A form, of up to so many pieces besides the first question."""
    form = Form()
    authors: list[Author] = []
    for flow in ("deep", "mid", "main"):
        author = Author(choices, form, flow, authors)
        nodes = author.write_ask() if flow == "main" else author.write_shared()
        for _ in range(1 + choices.below(most if flow == "main" else 2)):
            nodes += author.piece()
        if flow == "main":
            shows = sorted(set(author.readable))
            nodes += [author.sure(*shows, name=LAST), Node("action", PAY, shows=tuple(shows), once=True)]
        form.flows[flow] = nodes
        authors.insert(0, author)
    form.flows["aside"] = [
        Node("collect", "ask1", slot="x_aside1"),
        Node("say", "say2", shows=("x_aside1",)),
        Node("collect", "ask3", slot="x_aside2"),
    ]
    return form
