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

from collections import defaultdict
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any

from soni.core.pattern_automaton import Automaton, Use, bits

if TYPE_CHECKING:
    from collections.abc import Iterator


@lru_cache(maxsize=4096)
def super_linear(pattern: str, flags: int = 0, *, use: Use = "search") -> str | None:
    """A text which, repeated, takes the pattern more than linear time; None if there is none.

    PatternTooLarge if the pattern is too large to tell.
    """
    return _Search(Automaton(pattern, flags, use)).slow_text()


class _Search:
    """The search for two states that make a pattern slow."""

    def __init__(self, automaton: Automaton) -> None:
        self._automaton = automaton
        self._reach = self._states_after()
        """For each state those that come after it, at once or later."""

    def slow_text(self) -> str | None:
        """What the pattern can read in more and more ways."""
        loops = self._loops()
        if loops and self._has_empty_loop():
            return self._letter(self._automaton.masks[min(loops[-1])])
        if (character := self._read_twice(loops)) is not None:
            return character
        loop_of = {state: states for states in loops for state in states}
        for q, second in loop_of.items():
            if self._automaton.always_matches[q]:
                continue
            for p, first in loop_of.items():
                if p != q and q in self._reach[p]:
                    text = self._pumped(p, q, first, second)
                    if text is not None:
                        return text
        return None

    def _letter(self, mask: int) -> str:
        return self._automaton.letters[next(bits(mask))]

    def _pumped(self, p: int, q: int, first: set[int], second: set[int]) -> str | None:
        """A text that leads from p to p, from p to q and from q to q."""
        for last in bits(self._automaton.masks[p] & self._automaton.masks[q]):
            begin = (p, p, q, last)
            came: dict[tuple[int, ...], tuple[tuple[int, ...], int] | None] = {begin: None}
            waiting = [begin]
            while waiting:
                a, b, c, before = here = waiting.pop()
                nexts = [self._automaton.next(state, before) for state in (a, b, c)]
                for letter in nexts[0].keys() & nexts[1].keys() & nexts[2].keys():
                    xs = [x for x in nexts[0][letter] if x in first]
                    ys = [y for y in nexts[1][letter] if y == q or q in self._reach[y]]
                    zs = [z for z in nexts[2][letter] if z in second]
                    for there in product(xs, ys, zs, (letter,)):
                        if there == (p, q, q, last):
                            return self._text(came, here) + self._automaton.letters[letter]
                        if there not in came:
                            came[there] = (here, letter)
                            waiting.append(there)
        return None

    def _text(self, came: dict[Any, Any], here: Any) -> str:
        letters = []
        while came[here] is not None:
            here, letter = came[here]
            letters.append(self._automaton.letters[letter])
        return "".join(reversed(letters))

    def _read_twice(self, loops: list[set[int]]) -> str | None:
        """A character that a loop reads in two ways at once, as in `(?:a|a)*`."""
        for states in loops:
            for state in states:
                ways: dict[int, list[tuple[int, int]]] = defaultdict(list)
                for target, before, mask in self._ways(self._automaton.targets[state]):
                    before &= self._automaton.masks[state]
                    if target not in states or not before:
                        continue
                    for other_before, other_mask in ways[target]:
                        if before & other_before and (both := mask & other_mask):
                            return self._letter(both)
                    ways[target].append((before, mask))
        return None

    def _ways(self, node: int) -> Iterator[tuple[int, int, int]]:
        """Every way from a node to a state that is read next; there is no way round without reading."""
        waiting = [(node, self._automaton.all, self._automaton.all)]
        while waiting:
            here, before, behind = waiting.pop()
            for state in self._automaton.nodes[here].reads:
                if mask := behind & self._automaton.masks[state]:
                    yield state, before, mask
            for target, asks_before, asks_behind in self._automaton.nodes[here].free:
                if (left := before & asks_before) and (right := behind & asks_behind):
                    waiting.append((target, left, right))

    def _has_empty_loop(self) -> bool:
        """Whether a loop can be repeated without reading anything, as in `(a*)*`."""
        checked: set[int] = set()
        for begin in range(len(self._automaton.nodes)):
            waiting = [target for target, _, _ in self._automaton.nodes[begin].free]
            seen: set[int] = set()
            while waiting and begin not in checked:
                here = waiting.pop()
                if here == begin:
                    return True
                if here not in seen and here not in checked:
                    seen.add(here)
                    waiting.extend(target for target, _, _ in self._automaton.nodes[here].free)
            checked.add(begin)
        return False

    def _loops(self) -> list[set[int]]:
        """The sets of states that lead to each other."""
        found: list[set[int]] = []
        done: set[int] = set()
        for state in range(len(self._automaton.masks)):
            if state in self._reach[state] and state not in done:
                states = {other for other in self._reach[state] if state in self._reach[other]}
                found.append(states)
                done |= states
        return found

    def _states_after(self) -> list[set[int]]:
        follow = [set(moves) for moves in self._automaton.moves]
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
