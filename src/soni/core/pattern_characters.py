"""The characters that the parts of a regular expression read, and which kinds of them a pattern tells apart."""

from __future__ import annotations

import re
import re._constants as ops  # type: ignore[import-not-found]  # the parser's own vocabulary has no public name
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

SINGLE = (ops.LITERAL, ops.NOT_LITERAL, ops.ANY, ops.IN)
"""What reads one character."""
REPEATS = (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT)
_SAMPLES = [chr(number) for number in range(128)] + list("\x85\xa0ªºÀéñÿŁßſK’‘´`«»…–—¡¿€£¥₹¢°٣Ⅳ中\u200b\ufeff😀")
_CATEGORIES = {
    ops.CATEGORY_DIGIT: r"\d",
    ops.CATEGORY_NOT_DIGIT: r"\D",
    ops.CATEGORY_SPACE: r"\s",
    ops.CATEGORY_NOT_SPACE: r"\S",
    ops.CATEGORY_WORD: r"\w",
    ops.CATEGORY_NOT_WORD: r"\W",
}


def letters_of(tree: Any, flags: int) -> list[str]:
    """One character for each kind that the pattern tells apart."""
    tests = list(_tests(tree, flags))
    samples = dict.fromkeys(_SAMPLES)
    for (op, value), _ in tests:
        for number in _numbers(op, value):
            samples |= dict.fromkeys({chr(number), chr(number).lower()[:1], chr(number).upper()[:1]})
    word = re.compile(r"\w", flags & re.ASCII)
    kinds: dict[tuple[bool, ...], str] = {}
    for letter in sorted(samples, key=lambda letter: not letter.isprintable()):
        matched = (matches(test, letter, inside) for test, inside in tests)
        kinds.setdefault((word.match(letter) is not None, letter == "\n", *matched), letter)
    return list(kinds.values())


def _tests(items: Any, flags: int) -> Iterator[tuple[Any, int]]:
    """Every item of a pattern that reads one character, with the flags that hold for it."""
    for op, value in items:
        if op in SINGLE:
            yield (op, value), flags
        elif op in REPEATS:
            yield from _tests(value[2], flags)
        elif op is ops.BRANCH:
            for way in value[1]:
                yield from _tests(way, flags)
        elif op is ops.SUBPATTERN:
            yield from _tests(value[-1], flags_inside(flags, value))
        elif op is ops.ATOMIC_GROUP:
            yield from _tests(value, flags)
        elif op in (ops.ASSERT, ops.ASSERT_NOT):
            yield from _tests(value[1], flags)
        elif op is ops.GROUPREF_EXISTS:
            for way in value[1:]:
                yield from _tests(way or (), flags)


def flags_inside(flags: int, group: Any) -> int:
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


def matches(item: Any, letter: str, flags: int) -> bool:
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
