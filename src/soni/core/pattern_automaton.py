"""A regular expression as an automaton whose states are the characters that it reads."""

from __future__ import annotations

import re
import re._constants as ops  # type: ignore[import-not-found]  # the parser's own vocabulary has no public name
import re._parser as parser  # type: ignore[import-not-found]
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from soni.core.pattern_characters import REPEATS, SINGLE, flags_inside, letters_of, matches

if TYPE_CHECKING:
    from collections.abc import Iterator

Use = Literal["search", "match", "fullmatch"]
"""How a pattern is tried: at every place, at the beginning, or on the whole text."""
_MOST_COPIES = 64
"""Repeats up to this often are written out; more often they are taken for a loop without end."""
_MOST_LENGTHS = 1000
"""A repeat whose rounds can have more different lengths together is taken for a loop without end, too."""


MAX_STATES = 5_000
"""How many characters a pattern may have when its repeats are written out; the largest of the package has 3,500."""


class PatternTooLarge(ValueError):
    """A pattern whose repeats, written out, are too much to look at."""


@dataclass(slots=True)
class _Node:
    """A place between characters: free moves with what they ask of the neighbours, and characters that can be read."""

    free: list[tuple[int, int, int]] = field(default_factory=list)
    """(node, mask of characters allowed before, mask of characters allowed behind)"""
    reads: list[int] = field(default_factory=list)
    """Numbers of the states that can be read from here."""


class Automaton:
    """One pattern; a mask has a bit for each kind of character that the pattern tells apart."""

    def __init__(self, pattern: str, flags: int, use: Use) -> None:
        tree = parser.parse(pattern, flags)
        self._flags = tree.state.flags
        self._groups: dict[int, Any] = {}
        self.letters = letters_of(tree, self._flags)
        self.all = (1 << len(self.letters)) - 1
        self._word = self._mask(lambda letter: re.match(r"\w", letter, self._flags & re.ASCII) is not None)
        self.nodes: list[_Node] = []
        self.masks: list[int] = []
        self.targets: list[int] = []
        self._accept = self._node()
        self._dead = self._node()
        start = self._node()
        self.searched = use == "search"
        if self.searched:
            self._read(start, self.all, start)
        end = self._node()
        self._build(tree, self._add(start), end)
        self._free(end, self._accept, behind=0 if use == "fullmatch" else None)
        self.moves = [self._moves_from(target) for target in self.targets]
        self._nexts: dict[tuple[int, int], dict[int, list[int]]] = {}
        self.always_matches = [self._always_matches(target) for target in self.targets]
        """For each state whether a match succeeds as soon as it is reached, whatever comes."""

    # Building

    def _node(self) -> int:
        self.nodes.append(_Node())
        return len(self.nodes) - 1

    def _add(self, source: int) -> int:
        node = self._node()
        self._free(source, node)
        return node

    def _free(self, source: int, target: int, before: int | None = None, behind: int | None = None) -> None:
        before = self.all if before is None else before
        behind = self.all if behind is None else behind
        self.nodes[source].free.append((target, before, behind))

    def _read(self, source: int, mask: int, target: int) -> None:
        if len(self.masks) >= MAX_STATES:
            raise PatternTooLarge(f"written out, the pattern has more than {MAX_STATES:,} characters")
        self.masks.append(mask)
        self.targets.append(target)
        self.nodes[source].reads.append(len(self.masks) - 1)

    def _mask(self, holds: Any) -> int:
        return sum(1 << number for number, letter in enumerate(self.letters) if holds(letter))

    def _build(self, items: Any, source: int, target: int) -> None:
        """Read these items one after the other on the way from a node to another."""
        for item in items:
            after = self._node()
            self._one(item, source, after)
            source = after
        self._free(source, target)

    def _one(self, item: Any, source: int, target: int) -> None:
        op, value = item
        if op in SINGLE:
            self._read(source, self._mask(lambda letter: matches(item, letter, self._flags)), target)
        elif op in REPEATS:
            self._repeat(value, source, target)
        elif op is ops.BRANCH:
            for way in value[1]:
                self._build(way, self._add(source), target)
        elif op is ops.SUBPATTERN:
            self._groups[value[0]] = value[-1]
            outside, self._flags = self._flags, flags_inside(self._flags, value)
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
        endless = most == ops.MAXREPEAT or most > _MOST_COPIES or _power(lengths(body), most) > _MOST_LENGTHS
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
        inside, outside = self._word, self.all & ~self._word
        if kind is ops.AT_BOUNDARY:
            self._free(source, target, inside, outside)
            self._free(source, target, outside, inside)
        elif kind is ops.AT_NON_BOUNDARY:
            self._free(source, target, inside, inside)
            self._free(source, target, outside, outside)
        elif kind in (ops.AT_BEGINNING, ops.AT_BEGINNING_STRING):
            newline = self._mask(lambda letter: letter == "\n") if self._flags & re.MULTILINE else 0
            self._free(source, target, newline, self.all)
        else:  # nothing is read behind the end but, after `$`, a line break
            newline = self._mask(lambda letter: letter == "\n") if kind is ops.AT_END else 0
            self._free(source, target, self.all, newline)

    def _look(self, wanted: bool, direction: int, body: Any, source: int, target: int) -> None:
        if not wanted and not len(body):
            return  # (?!) never matches
        low, high = body.getwidth()
        if direction < 0:
            seen = self._edge(list(body)[-1:], self._flags) if len(body) else self.all
            single = low == high == 1
            before = seen if wanted else self.all & ~seen if single else self.all
            self._free(source, target, before, self.all)
            return
        seen = self._edge(list(body)[:1], self._flags) if len(body) else self.all
        single = low == high == 1
        self._free(source, target, self.all, seen if wanted else self.all & ~seen if single else self.all)
        self._build(body, self._add(source), self._dead)

    def _edge(self, items: list[Any], flags: int) -> int:
        """The characters that one item at the edge of an assertion may be; all where that is not plain."""
        if not items:
            return self.all
        op, value = items[0]
        if op in SINGLE:
            return self._mask(lambda letter: matches(items[0], letter, flags))
        if op is ops.SUBPATTERN and len(value[-1]):
            only = list(value[-1])
            return self._edge(only, flags) if len(only) == 1 else self.all
        if op is ops.BRANCH and all(len(way) == 1 for way in value[1]):
            masks = [self._edge(list(way), flags) for way in value[1]]
            return union(masks)
        return self.all

    # Moving

    def _moves_from(self, node: int) -> dict[int, list[tuple[int, int]]]:
        """For each state that can be read next, what must have been read before, and what is read."""
        found: dict[int, list[tuple[int, int]]] = defaultdict(list)
        seen = set()
        waiting = [(node, self.all, self.all)]
        while waiting:
            here, before, behind = waiting.pop()
            if (here, before, behind) in seen:
                continue
            seen.add((here, before, behind))
            for state in self.nodes[here].reads:
                if mask := behind & self.masks[state]:
                    found[state].append((before, mask))
            for target, asks_before, asks_behind in self.nodes[here].free:
                if (left := before & asks_before) and (right := behind & asks_behind):
                    waiting.append((target, left, right))
        return found

    def _always_matches(self, node: int) -> bool:
        seen, waiting = {node}, [node]
        while waiting:
            here = waiting.pop()
            if here == self._accept:
                return True
            for target, before, behind in self.nodes[here].free:
                if before == behind == self.all and target not in seen:
                    seen.add(target)
                    waiting.append(target)
        return False

    def next(self, state: int, last: int) -> dict[int, list[int]]:
        """For each letter that may come after another, the states that reading it leads to."""
        known = self._nexts.get((state, last))
        if known is None:
            masks: dict[int, int] = {}
            for target, moves in self.moves[state].items():
                masks[target] = union([mask for before, mask in moves if before >> last & 1])
            known = self._nexts[state, last] = defaultdict(list)
            for target, mask in masks.items():
                for letter in bits(mask):
                    known[letter].append(target)
        return known


def lengths(items: Any) -> int:
    """In how many lengths the bounded repeats of a pattern can come; those without a bound are loops anyway."""
    ways = 1
    for op, value in items:
        if op in REPEATS:
            least, most, body = value
            ways *= 1 if most == ops.MAXREPEAT else (most - least + 1) * _power(lengths(body), most)
        elif op is ops.BRANCH:
            ways *= 1 + sum(lengths(way) - 1 for way in value[1])
        elif op in (ops.SUBPATTERN, ops.ATOMIC_GROUP):
            ways *= lengths(value[-1] if op is ops.SUBPATTERN else value)
        ways = min(ways, _MOST_LENGTHS + 1)
    return ways


def _power(base: int, exponent: int) -> int:
    """A power, as far as it matters whether it is more than the most lengths there may be."""
    return int(base ** min(exponent, _MOST_LENGTHS.bit_length()))


def union(masks: list[int]) -> int:
    """The mask of what is in any of these."""
    union = 0
    for mask in masks:
        union |= mask
    return union


def bits(mask: int) -> Iterator[int]:
    """The numbers of the characters in a mask."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
