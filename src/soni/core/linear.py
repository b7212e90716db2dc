r"""Regular expressions that never take longer than the text deserves: which ones may, and on what text they would.

Python's engine tries one way after the other. It takes more than linear time where a text can be read in more and
more ways as it grows: `a*a*b` reads a run of a's in as many ways as it has letters. A search adds a way for every
place where a match may begin, so that `a+b` is quadratic in a run of a's.

The pattern is turned into an automaton whose states are its characters. It is super-linear exactly where there are two
states p and q and some text v with p -v-> p, p -v-> q and q -v-> q, and a match may still fail after q. Assertions
about the neighbouring characters (`\b`, `(?<!\w)`, `(?!,)`) are part of the automaton. Longer assertions are taken to
hold, and what they look at is read, too.
"""

from __future__ import annotations

import re
import re._constants as ops  # type: ignore[import-not-found]  # the parser's own vocabulary has no public name
import re._parser as parser  # type: ignore[import-not-found]
from collections import defaultdict
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

Use = Literal["search", "match", "fullmatch"]
"""How a pattern is tried: at every place, at the beginning, or on the whole text."""
_SAMPLES = [chr(number) for number in range(128)] + list("\x85\xa0ªºÀéñÿŁßſK’‘´`«»…–—¡¿€£¥₹¢°٣Ⅳ中\u200b\ufeff😀")
_CATEGORIES = {
    ops.CATEGORY_DIGIT: r"\d",
    ops.CATEGORY_NOT_DIGIT: r"\D",
    ops.CATEGORY_SPACE: r"\s",
    ops.CATEGORY_NOT_SPACE: r"\S",
    ops.CATEGORY_WORD: r"\w",
    ops.CATEGORY_NOT_WORD: r"\W",
}
_MOST_COPIES = 64
"""Repeats up to this often are written out; more often they are taken for a loop without end."""
_MOST_LENGTHS = 1000
"""A repeat whose rounds can have more different lengths together is taken for a loop without end, too."""


@dataclass(frozen=True, slots=True)
class Slow:
    """Why a pattern may take more than linear time: a text that can be repeated, with what can be read in two ways."""

    pumped: str
    """The text which, repeated, is read in more and more ways."""
    searching: bool
    """Whether it is only slow because a search tries every beginning."""


@lru_cache(maxsize=4096)
def super_linear(pattern: str, flags: int = 0, *, use: Use = "search") -> Slow | None:
    """What makes a pattern take more than linear time, or None; a search tries it at every place of a text."""
    return _Analysis(pattern, flags, use).slow()


@dataclass(slots=True)
class _Node:
    """A place between characters: free moves with what they ask of the neighbours, and characters that can be read."""

    free: list[tuple[int, int, int]] = field(default_factory=list)
    """(node, mask of characters allowed before, mask of characters allowed behind)"""
    reads: list[int] = field(default_factory=list)
    """Numbers of the states that can be read from here."""


class _Analysis:
    """One pattern as an automaton, and the search for two states that make it slow."""

    def __init__(self, pattern: str, flags: int, use: Use) -> None:
        tree = parser.parse(pattern, flags)
        self._flags = tree.state.flags
        self._groups: dict[int, Any] = {}
        self._letters = _letters(tree, self._flags)
        self._all = (1 << len(self._letters)) - 1
        self._word = self._mask(lambda letter: re.match(r"\w", letter, self._flags & re.ASCII) is not None)
        self._nodes: list[_Node] = []
        self._masks: list[int] = []
        self._targets: list[int] = []
        self._accept = self._node()
        self._dead = self._node()
        start = self._node()
        self._searched = use == "search"
        if self._searched:
            self._read(start, self._all, start)
        end = self._node()
        self._build(tree, self._add(start), end)
        self._free(end, self._accept, behind=0 if use == "fullmatch" else None)
        self._moves = [self._moves_from(target) for target in self._targets]
        self._nexts: dict[tuple[int, int], dict[int, list[int]]] = {}
        self._sure = [self._is_sure(target) for target in self._targets]

    # Building

    def _node(self) -> int:
        self._nodes.append(_Node())
        return len(self._nodes) - 1

    def _add(self, source: int) -> int:
        node = self._node()
        self._free(source, node)
        return node

    def _free(self, source: int, target: int, before: int | None = None, behind: int | None = None) -> None:
        before = self._all if before is None else before
        behind = self._all if behind is None else behind
        self._nodes[source].free.append((target, before, behind))

    def _read(self, source: int, mask: int, target: int) -> None:
        self._masks.append(mask)
        self._targets.append(target)
        self._nodes[source].reads.append(len(self._masks) - 1)

    def _mask(self, holds: Any) -> int:
        return sum(1 << number for number, letter in enumerate(self._letters) if holds(letter))

    def _build(self, items: Any, source: int, target: int) -> None:
        """Read these items one after the other on the way from a node to another."""
        for item in items:
            after = self._node()
            self._one(item, source, after)
            source = after
        self._free(source, target)

    def _one(self, item: Any, source: int, target: int) -> None:
        op, value = item
        if op in (ops.LITERAL, ops.NOT_LITERAL, ops.ANY, ops.IN):
            self._read(source, self._mask(lambda letter: _matches(item, letter, self._flags)), target)
        elif op in (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT):
            self._repeat(value, source, target)
        elif op is ops.BRANCH:
            for way in value[1]:
                self._build(way, self._add(source), target)
        elif op is ops.SUBPATTERN:
            self._groups[value[0]] = value[-1]
            outside, self._flags = self._flags, _inside(self._flags, value)
            self._build(value[-1], source, target)
            self._flags = outside
        elif op is ops.ATOMIC_GROUP:
            self._build(value, source, target)
        elif op is ops.GROUPREF:
            self._build(self._groups.get(value, ()), source, target)
        elif op is ops.GROUPREF_EXISTS:
            for way in value[1:]:
                self._build(way or (), self._add(source), target)
        elif op is ops.AT:
            self._place(value, source, target)
        elif op in (ops.ASSERT, ops.ASSERT_NOT):
            direction, body = value
            self._look(op is ops.ASSERT, direction, body, source, target)
        else:  # pragma: no cover - every operation of the parser is above
            raise NotImplementedError(f"a pattern uses {op}")

    def _repeat(self, value: Any, source: int, target: int) -> None:
        least, most, body = value
        endless = most == ops.MAXREPEAT or most > _MOST_COPIES or _lengths(body) ** most > _MOST_LENGTHS
        for _ in range(min(least, _MOST_COPIES)):
            after = self._node()
            self._build(body, source, after)
            source = after
        if endless:
            loop = self._add(source)
            self._build(body, self._add(loop), loop)
            self._free(loop, target)
            return
        for _ in range(most - min(least, _MOST_COPIES)):
            self._free(source, target)
            after = self._node()
            self._build(body, source, after)
            source = after
        self._free(source, target)

    def _place(self, kind: Any, source: int, target: int) -> None:
        inside, outside = self._word, self._all & ~self._word
        if kind is ops.AT_BOUNDARY:
            self._free(source, target, inside, outside)
            self._free(source, target, outside, inside)
        elif kind is ops.AT_NON_BOUNDARY:
            self._free(source, target, inside, inside)
            self._free(source, target, outside, outside)
        elif kind in (ops.AT_BEGINNING, ops.AT_BEGINNING_STRING):
            newline = self._mask(lambda letter: letter == "\n") if self._flags & re.MULTILINE else 0
            self._free(source, target, newline, self._all)
        else:  # the end: nothing is read behind it
            self._free(source, target, self._all, 0)

    def _look(self, wanted: bool, direction: int, body: Any, source: int, target: int) -> None:
        low, high = body.getwidth()
        if direction < 0:
            seen = self._edge(list(body)[-1:], self._flags) if len(body) else self._all
            single = low == high == 1
            before = seen if wanted else self._all & ~seen if single else self._all
            self._free(source, target, before, self._all)
            return
        seen = self._edge(list(body)[:1], self._flags) if len(body) else self._all
        single = low == high == 1
        self._free(source, target, self._all, seen if wanted else self._all & ~seen if single else self._all)
        self._build(body, self._add(source), self._dead)

    def _edge(self, items: list[Any], flags: int) -> int:
        """The characters that one item at the edge of an assertion may be; all where that is not plain."""
        if not items:
            return self._all
        op, value = items[0]
        if op in (ops.LITERAL, ops.NOT_LITERAL, ops.ANY, ops.IN):
            return self._mask(lambda letter: _matches(items[0], letter, flags))
        if op is ops.SUBPATTERN and len(value[-1]):
            only = list(value[-1])
            return self._edge(only, flags) if len(only) == 1 else self._all
        if op is ops.BRANCH and all(len(way) == 1 for way in value[1]):
            masks = [self._edge(list(way), flags) for way in value[1]]
            return _union(masks)
        return self._all

    # Moving

    def _moves_from(self, node: int) -> dict[int, list[tuple[int, int]]]:
        """For each state that can be read next, what must have been read before, and what is read."""
        found: dict[int, list[tuple[int, int]]] = defaultdict(list)
        seen = set()
        waiting = [(node, self._all, self._all)]
        while waiting:
            here, before, behind = waiting.pop()
            if (here, before, behind) in seen:
                continue
            seen.add((here, before, behind))
            for state in self._nodes[here].reads:
                if mask := behind & self._masks[state]:
                    found[state].append((before, mask))
            for target, asks_before, asks_behind in self._nodes[here].free:
                if (left := before & asks_before) and (right := behind & asks_behind):
                    waiting.append((target, left, right))
        return found

    def _is_sure(self, node: int) -> bool:
        """Whether a match succeeds as soon as this node is reached, whatever comes."""
        seen, waiting = {node}, [node]
        while waiting:
            here = waiting.pop()
            if here == self._accept:
                return True
            for target, before, behind in self._nodes[here].free:
                if before == behind == self._all and target not in seen:
                    seen.add(target)
                    waiting.append(target)
        return False

    def _next(self, state: int, last: int) -> dict[int, list[int]]:
        """For each letter that may come after another, the states that reading it leads to."""
        known = self._nexts.get((state, last))
        if known is None:
            masks: dict[int, int] = {}
            for target, moves in self._moves[state].items():
                masks[target] = _union([mask for before, mask in moves if before >> last & 1])
            known = self._nexts[state, last] = defaultdict(list)
            for target, mask in masks.items():
                for letter in _bits(mask):
                    known[letter].append(target)
        return known

    # Searching

    def slow(self) -> Slow | None:
        if self._round():
            return Slow("", searching=False)
        loops = self._loops()
        if (twice := self._twice(loops)) is not None:
            return Slow(twice, searching=False)
        component = {state: number for number, states in enumerate(loops) for state in states}
        reach = self._reach()
        for states in loops:
            for q in states:
                if self._sure[q]:
                    continue
                for p in component:
                    if p != q and q in reach[p]:
                        again = self._pump(p, q, loops[component[p]], states, reach)
                        if again is not None:
                            return Slow(again, searching=self._searched and p == 0)
        return None

    def _pump(self, p: int, q: int, first: set[int], second: set[int], reach: list[set[int]]) -> str | None:
        """A text that leads from p to p, from p to q and from q to q."""
        for last in _bits(self._masks[p] & self._masks[q]):
            begin = (p, p, q, last)
            came: dict[tuple[int, ...], tuple[tuple[int, ...], int] | None] = {begin: None}
            waiting = [begin]
            while waiting:
                a, b, c, before = here = waiting.pop()
                nexts = [self._next(state, before) for state in (a, b, c)]
                for letter in nexts[0].keys() & nexts[1].keys() & nexts[2].keys():
                    xs = [x for x in nexts[0][letter] if x in first]
                    ys = [y for y in nexts[1][letter] if y == q or q in reach[y]]
                    zs = [z for z in nexts[2][letter] if z in second]
                    for there in product(xs, ys, zs, (letter,)):
                        if there == (p, q, q, last):
                            return self._text(came, here) + self._letters[letter]
                        if there not in came:
                            came[there] = (here, letter)
                            waiting.append(there)
        return None

    def _text(self, came: dict[Any, Any], here: Any) -> str:
        letters = []
        while came[here] is not None:
            here, letter = came[here]
            letters.append(self._letters[letter])
        return "".join(reversed(letters))

    def _twice(self, loops: list[set[int]]) -> str | None:
        """A character that a loop reads in two ways at once, as in `(?:a|a)*`."""
        for states in loops:
            for state in states:
                ways: dict[int, list[tuple[int, int]]] = defaultdict(list)
                for target, before, mask in self._ways(self._targets[state]):
                    before &= self._masks[state]
                    if target not in states or not before:
                        continue
                    for other_before, other_mask in ways[target]:
                        if before & other_before and (both := mask & other_mask):
                            return self._letters[next(_bits(both))]
                    ways[target].append((before, mask))
        return None

    def _ways(self, node: int) -> Iterator[tuple[int, int, int]]:
        """Every way from a node to a state that is read next; there is no way round without reading."""
        waiting = [(node, self._all, self._all)]
        while waiting:
            here, before, behind = waiting.pop()
            for state in self._nodes[here].reads:
                if mask := behind & self._masks[state]:
                    yield state, before, mask
            for target, asks_before, asks_behind in self._nodes[here].free:
                if (left := before & asks_before) and (right := behind & asks_behind):
                    waiting.append((target, left, right))

    def _round(self) -> bool:
        """Whether a loop can be gone round without reading anything, as in `(a*)*`."""
        checked: set[int] = set()
        for begin in range(len(self._nodes)):
            waiting = [target for target, _, _ in self._nodes[begin].free]
            seen: set[int] = set()
            while waiting and begin not in checked:
                here = waiting.pop()
                if here == begin:
                    return True
                if here not in seen and here not in checked:
                    seen.add(here)
                    waiting.extend(target for target, _, _ in self._nodes[here].free)
            checked.add(begin)
        return False

    def _loops(self) -> list[set[int]]:
        """The states that can be come back to, with those each can go round with."""
        reach = self._reach()
        found: list[set[int]] = []
        done: set[int] = set()
        for state in range(len(self._masks)):
            if state in reach[state] and state not in done:
                states = {other for other in reach[state] if state in reach[other]}
                found.append(states)
                done |= states
        return found

    def _reach(self) -> list[set[int]]:
        """For each state those that come after it, at once or later."""
        follow = [set(moves) for moves in self._moves]
        found = []
        for state in range(len(follow)):
            seen: set[int] = set()
            waiting = list(follow[state])
            while waiting:
                here = waiting.pop()
                if here not in seen:
                    seen.add(here)
                    waiting.extend(follow[here] - seen)
            found.append(seen)
        return found


def _letters(tree: Any, flags: int) -> list[str]:
    """One character for each kind that the pattern tells apart."""
    tests = list(_tests(tree, flags))
    samples = dict.fromkeys(_SAMPLES)
    for (op, value), _ in tests:
        for number in _numbers(op, value):
            samples |= dict.fromkeys({chr(number), chr(number).lower()[:1], chr(number).upper()[:1]})
    word = re.compile(r"\w", flags & re.ASCII)
    kinds: dict[tuple[bool, ...], str] = {}
    for letter in sorted(samples, key=lambda letter: not letter.isprintable()):
        matched = (_matches(test, letter, inside) for test, inside in tests)
        kinds.setdefault((word.match(letter) is not None, letter == "\n", *matched), letter)
    return list(kinds.values())


def _tests(items: Any, flags: int) -> Iterator[tuple[Any, int]]:
    """Every item of a pattern that reads one character, with the flags that hold for it."""
    for op, value in items:
        if op in (ops.LITERAL, ops.NOT_LITERAL, ops.ANY, ops.IN):
            yield (op, value), flags
        elif op in (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT):
            yield from _tests(value[2], flags)
        elif op is ops.BRANCH:
            for way in value[1]:
                yield from _tests(way, flags)
        elif op is ops.SUBPATTERN:
            yield from _tests(value[-1], _inside(flags, value))
        elif op is ops.ATOMIC_GROUP:
            yield from _tests(value, flags)
        elif op in (ops.ASSERT, ops.ASSERT_NOT):
            yield from _tests(value[1], flags)
        elif op is ops.GROUPREF_EXISTS:
            for way in value[1:]:
                yield from _tests(way or (), flags)


def _lengths(items: Any) -> int:
    """In how many lengths the bounded repeats of a pattern can come; those without a bound are loops anyway."""
    ways = 1
    for op, value in items:
        if op in (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT):
            least, most, body = value
            ways *= 1 if most == ops.MAXREPEAT else (most - least + 1) * _lengths(body) ** most
        elif op is ops.BRANCH:
            ways *= 1 + sum(_lengths(way) - 1 for way in value[1])
        elif op in (ops.SUBPATTERN, ops.ATOMIC_GROUP):
            ways *= _lengths(value[-1] if op is ops.SUBPATTERN else value)
        ways = min(ways, _MOST_LENGTHS + 1)
    return ways


def _inside(flags: int, group: Any) -> int:
    """The flags that hold inside a group."""
    return int((flags | group[1]) & ~group[2])


def _numbers(op: Any, value: Any) -> list[int]:
    """The characters that an item names."""
    if op in (ops.LITERAL, ops.NOT_LITERAL):
        return [value]
    found = []
    for kind, what in value if op is ops.IN else ():
        found += [what] if kind is ops.LITERAL else list(what) if kind is ops.RANGE else []
    return found


def _matches(item: Any, letter: str, flags: int) -> bool:
    """Whether an item that reads one character reads this one."""
    op, value = item
    if op is ops.ANY:
        return bool(flags & re.DOTALL) or letter != "\n"
    if op in (ops.LITERAL, ops.NOT_LITERAL):
        return _is(value, letter, flags) == (op is ops.LITERAL)
    wanted = True
    for kind, what in value:
        if kind is ops.NEGATE:
            wanted = False
        elif (
            (kind is ops.LITERAL and _is(what, letter, flags))
            or (kind is ops.RANGE and any(what[0] <= ord(one) <= what[1] for one in _cases(letter, flags)))
            or (kind is ops.CATEGORY and re.match(_CATEGORIES[what], letter, flags & re.ASCII) is not None)
        ):
            return wanted
    return not wanted


def _is(number: int, letter: str, flags: int) -> bool:
    return chr(number) in _cases(letter, flags)


def _cases(letter: str, flags: int) -> set[str]:
    return {letter, letter.lower()[:1], letter.upper()[:1]} if flags & re.IGNORECASE else {letter}


def _union(masks: list[int]) -> int:
    union = 0
    for mask in masks:
        union |= mask
    return union


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
