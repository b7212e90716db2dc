"""Facts and memo: what was said, and what steps did with it."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from soni.core.state import Answer, Chain, Entry, Fact, Memory, Origin

START = ""
"""The place before a flow's first step."""
GONE = {"gone": True}
"""What stands for a secret in the memo when its round or flow is over."""
MOST_KEPT = 400
"""How many facts and entries a chain keeps; what was done is never dropped."""
_NEWEST = 50
"""How much a flow keeps of what was said when there is too much of it."""


@dataclass(frozen=True, slots=True)
class Change:
    """One fact that is put or, without one, removed; in the conversation itself, a value."""

    chain: str
    path: tuple[str, ...]
    key: str
    fact: Fact | None
    replaces: bool = False
    """Whether it changes what was said before; else it is an answer, or new."""
    about: str = ""
    """The slot that the person spoke of."""
    is_news: bool = False
    """Whether it is worth saying that the slot has changed."""
    in_memo: bool = False
    """Whether it is an entry of the memo that is removed: the step has to run again."""
    follows: bool = False
    """Whether nobody said it: it depends on something that was said."""
    answer: Answer | None = None
    """A yes or no, for the place `key`."""
    otherwise: Any = None
    """What else the words may mean."""

    @property
    def target(self) -> tuple[str, tuple[str, ...], str]:
        """What it changes."""
        return self.chain, self.path, self.key


class Again(Exception):
    """Something that was said does not hold: the flow is derived again from the message's beginning, with changes."""

    def __init__(self, changes: Sequence[Change], rule: Any = None) -> None:
        self.changes = tuple(changes)
        self.rule = rule
        """The broken rule, if it is one; it says its error."""
        super().__init__("derive again")


class Refused(Exception):
    """What was done with other values stays done: this cannot be derived."""


def place_of(step: str, rounds: Mapping[str, int]) -> str:
    """A step in these rounds of the loops around it; no step has an `@` in its name."""
    return step + "".join(f"@{loop}:{count}" for loop, count in rounds.items())


def step_of(place: str) -> str:
    """The step that a place is one round of."""
    return place.partition("@")[0]


def fact_key(slot: str, rounds: Mapping[str, int], deeds: int) -> str:
    """What a word is kept under: there is one for each slot, round and number of things done."""
    return place_of(slot, rounds) + (f"#{deeds}" if deeds else "")


def full_name(path: Sequence[str], key: str) -> str:
    """A fact or a place of a called flow, told from those of other flows in the chain."""
    return ">".join([*path, key])


def new_memory(flow: str) -> Memory:
    """A flow of which nothing is known yet."""
    return {"flow": flow, "facts": {}, "answers": {}, "memo": {}, "calls": {}, "visits": {}}


def new_chain(flow: str, given: Mapping[str, Any], turn: int, *, acted: bool = False) -> Chain:
    """A flow that begins now, with these values."""
    return {
        "memory": new_memory(flow),
        "given": dict(given),
        "begun": turn,
        "newest": 0,
        "deeds": 0,
        "entered": [],
        "first": {},
        "confirmed": [],
        "owed": [],
        "released": [],
        "failed": 0,
        "walked": 0,
        "outer": {},
        "attempts": {},
        "verdicts": {},
        "undo": [],
        "derive": False,
        "acted": acted,
        "cut": False,
    }


def given(slot: str, turn: int) -> Origin:
    """A value from outside."""
    return {"kind": "given", "path": [], "key": "", "slot": slot, "turn": turn}


def new_entry(
    reads: Mapping[str, str], writes: Mapping[str, Any], rounds: dict[str, int], turn: int, deeds: int
) -> Entry:
    """What a step did that just went on."""
    return {
        "reads": dict(reads),
        "writes": dict(writes),
        "rounds": rounds,
        "turn": turn,
        "deeds": deeds,
        "done": False,
        "goto": "",
    }


def new_fact(
    slot: str, *, rounds: dict[str, int] | None = None, deeds: int = 0, place: str | None, over: str | None = None
) -> Fact:
    """A fact that a word is to be put into."""
    return {
        "slot": slot,
        "rounds": rounds or {},
        "deeds": deeds,
        "value": None,
        "state": "taken_back",
        "turn": 0,
        "place": place,
        "answers": [],
        "over": over,
    }


def copied(memory: Memory) -> Memory:
    """The same with containers of its own; what is in them is never changed, only replaced."""
    return {
        "flow": memory["flow"],
        "facts": dict(memory["facts"]),
        "answers": dict(memory["answers"]),
        "memo": dict(memory["memo"]),
        "calls": {place: copied(inner) for place, inner in memory["calls"].items()},
        "visits": dict(memory["visits"]),
    }


def copied_chain(chain: Chain) -> Chain:
    """The same with containers of its own."""
    own = {name: copy(held) for name, held in chain.items()}
    return cast("Chain", {**own, "memory": copied(chain["memory"])})


def at(memory: Memory, path: Sequence[str]) -> Memory:
    """The memory of a flow that was called."""
    for place in path:
        memory = memory["calls"][place]
    return memory


def memories(memory: Memory, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Memory]]:
    """A memory, and those of the flows that were called, each with its path."""
    yield path, memory
    for place, inner in memory["calls"].items():
        yield from memories(inner, (*path, place))


def bounded(chain: Chain, running: Sequence[Sequence[str]]) -> Chain:
    """The chain, as far as it can be kept: without its oldest entries nothing can be derived again.

    What was done stays, and so does what the flows on these paths have heard last.
    """
    if sum(_size(memory) for _, memory in memories(chain["memory"])) <= MOST_KEPT:
        return chain
    chain = {**copied_chain(chain), "cut": True}
    chain["memory"] = _cut(chain["memory"], (), {tuple(path[:n]) for path in running for n in range(len(path) + 1)})
    kept = {full_name(path, key) for path, memory in memories(chain["memory"]) for key in memory["facts"]}
    chain["entered"] = [name for name in chain["entered"] if name in kept]
    chain["first"] = {name: place for name, place in chain["first"].items() if name in kept}
    paths = {path for path, _ in memories(chain["memory"])}
    chain["confirmed"] = [passed for passed in chain["confirmed"] if tuple(passed[0]) in paths][-_NEWEST:]
    return chain


def _size(memory: Memory) -> int:
    return len(memory["facts"]) + len(memory["memo"]) + len(memory["answers"])


def _cut(memory: Memory, path: tuple[str, ...], running: set[tuple[str, ...]]) -> Memory:
    calls = {place: _cut(inner, (*path, place), running) for place, inner in memory["calls"].items()}
    newest = sorted(memory["facts"], key=lambda key: memory["facts"][key]["turn"])[-_NEWEST:]
    last = sorted(memory["answers"], key=lambda key: memory["answers"][key]["turn"])[-_NEWEST:]
    return {
        "flow": memory["flow"],
        "facts": {key: memory["facts"][key] for key in newest} if path in running else {},
        "answers": {key: memory["answers"][key] for key in last} if path in running else {},
        "memo": {place: entry for place, entry in memory["memo"].items() if entry["done"]},
        "calls": {
            place: inner
            for place, inner in calls.items()
            if (*path, place) in running or any(_size(kept) for _, kept in memories(inner))
        },
        "visits": memory["visits"],
    }
