"""Values in words with a slip of the hand or the ear: "tomorow", "beinte euros"."""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TypeVar

from soni.core.values.locales import is_spanish
from soni.core.values.ordinary_words import ORDINARY_ENGLISH, ORDINARY_SPANISH
from soni.core.values.vocabulary import ENGLISH_VALUE_WORDS, SPANISH_VALUE_WORDS, VALUE_WORDS

T = TypeVar("T")

_SHORTEST, _LONG, _LONGEST = 4, 8, 15
_MOST_MISSPELT = 3
_MOST_WAYS = 4

_SELDOM_MEANT = """
    buck bucks cent cents clock crown crowns fiver fivers franc francs grand koruna krona krone kroner kronor lira
    liras mins pair quid rand rands real reais reals renminbi rouble roubles ruble rubles rupee rupees secs sept
    shekel shekels start sterling tenner tenners thur thurs tues yens yuan zloty zlotys
    centenar centenares comienzo comienzos corona coronas decena decenas dirham dirhams eurillos final finales
    franco francos inicio inicios leuro leuros millar millares novena pavo pavos principio principios reales rublo
    rublos rupia rupias soles veintena yenes yuanes
"""
_NEVER_MEANT = frozenset(_SELDOM_MEANT.split())
"""Value words too rare, or too short, to outweigh the ordinary words one slip away from them."""

_WORD = re.compile(r"(?:[^\W\d_]|(?<=[^\W\d_])(?='[^\W\d_])')+")
_SHORT_DE = re.compile(r"(?<= )d(?= [^\W\d])")
"""'A las 5 d la tarde', 'el 22 d noviembre'."""
_SAME_IN_SPANISH = (
    (re.compile(r"(?<!c)h"), ""), (re.compile("ll"), "y"), (re.compile("v"), "b"), (re.compile("z|c(?=[ei])"), "s"),
    (re.compile("qu(?=[ei])|q|c(?!h)"), "k"), (re.compile("g(?=[ei])"), "j"),
)  # fmt: skip


def read_despite_slips(phrase: str, language: str, read: Callable[[str], T | None]) -> T | None:
    """What `read` makes of a folded phrase, or else of the phrase put right; None if that is nothing, or two things."""
    value = read(phrase)
    if value is None and is_spanish(language) and (full := _SHORT_DE.sub("de", phrase)) != phrase:
        phrase, value = full, read(full)
    if value is not None:
        return value
    meant = {value for spelt in respellings(phrase, language) if (value := read(spelt)) is not None}
    return meant.pop() if len(meant) == 1 else None


@lru_cache(maxsize=1024)
def respellings(phrase: str, language: str) -> tuple[str, ...]:
    """The ways a folded phrase can be meant whose words all belong to values but for a slip; mostly none."""
    unknown = [match for match in _WORD.finditer(phrase) if match[0] not in VALUE_WORDS]
    if not 1 <= len(unknown) <= _MOST_MISSPELT:
        return ()
    ways, done = [""], 0
    for match in unknown:
        meant = _meant(match[0], is_spanish(language))
        if not meant or len(ways) * len(meant) > _MOST_WAYS:
            return ()
        between = phrase[done : match.start()]
        ways = [way + between + word for way in ways for word in meant]
        done = match.end()
    return tuple(way + phrase[done:] for way in ways)


@lru_cache(maxsize=8192)
def _meant(word: str, spanish: bool) -> tuple[str, ...]:
    """The value words that sound like a word that is none, or else those fewest slips away from it."""
    if not _SHORTEST <= len(word) <= _LONGEST or word in (ORDINARY_SPANISH if spanish else ORDINARY_ENGLISH):
        return ()
    alike = _by_sound().get(_sound(word)) if spanish else None
    if alike is not None:
        return alike
    by_form = _by_form(spanish)
    slips: dict[str, int] = {}
    for form in _shortened(word, _forgiven(word)):
        for known in by_form.get(form, ()):
            if known not in slips and _begins_alike(word, known, spanish=spanish):
                slips[known] = _slips(word, known)
    fewest = min(slips.values(), default=0)
    if fewest > _forgiven(word):
        return ()
    return tuple(sorted(known for known, count in slips.items() if count == fewest <= _forgiven(known)))


def _begins_alike(word: str, known: str, *, spanish: bool) -> bool:
    """Whether the letters people hardly ever miss are there: the first, and of a short word the last."""
    if ("'" in word) != ("'" in known):
        return False
    short = len(word) == _SHORTEST
    if spanish:
        word, known = _sound(word), _sound(known)
    return word[:1] == known[:1] and (not short or word[-1:] == known[-1:])


@lru_cache(maxsize=1)
def _by_sound() -> dict[str, tuple[str, ...]]:
    sounds: dict[str, tuple[str, ...]] = {}
    for word in _targets(spanish=True):
        sounds[_sound(word)] = (*sounds.get(_sound(word), ()), word)
    return sounds


@lru_cache(maxsize=2)
def _by_form(spanish: bool) -> dict[str, list[str]]:
    """The value words by each form they have with as many letters left out as slips are forgiven."""
    forms: dict[str, list[str]] = {}
    for word in _targets(spanish=spanish):
        for form in set(_shortened(word, _forgiven(word))):
            forms.setdefault(form, []).append(word)
    return forms


def _targets(*, spanish: bool) -> list[str]:
    words = SPANISH_VALUE_WORDS if spanish else ENGLISH_VALUE_WORDS
    return [word for word in sorted(words) if len(word) >= _SHORTEST and word not in _NEVER_MEANT]


def _forgiven(word: str) -> int:
    return 2 if len(word) >= _LONG else 1


def _sound(word: str) -> str:
    """The word with what Spanish ears do not tell apart written alike (b and v, c, s and z, y and ll, no h)."""
    for letters, alike in _SAME_IN_SPANISH:
        word = letters.sub(alike, word)
    return word


def _shortened(word: str, most: int) -> Iterator[str]:
    """The word, and the word with up to so many letters left out."""
    yield word
    if most:
        for position in range(len(word)):
            yield from _shortened(word[:position] + word[position + 1 :], most - 1)


def _slips(one: str, other: str) -> int:
    """How many letters were left out, added, changed or swapped with their neighbour."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        earlier, before, row = before, row, [i]
        for j, known in enumerate(other, 1):
            slips = min(before[j] + 1, row[-1] + 1, before[j - 1] + (letter != known))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == known:
                slips = min(slips, earlier[j - 2] + 1)
            row.append(slips)
    return row[-1]
