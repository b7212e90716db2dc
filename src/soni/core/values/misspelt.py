"""Values in words with a slip of the hand or the ear: "tomorow"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from soni.core.values.vocabulary import telling_words, vocabulary
from soni.languages import built

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from soni.core.values.value import Reading
    from soni.languages import Language

T = TypeVar("T")

_SHORTEST, _LONG, _LONGEST = 4, 8, 15
_MOST_MISSPELT = 3
_MOST_WAYS = 4

_WORD = re.compile(r"(?:[^\W\d_]|(?<=[^\W\d_])(?='[^\W\d_])')+")


@dataclass(frozen=True, slots=True)
class _Spelling:
    """How the words of values are spelt in one language."""

    ordinary: frozenset[str]
    short: tuple[tuple[re.Pattern[str], str], ...]
    sounds: tuple[tuple[re.Pattern[str], str], ...]
    by_sound: Mapping[str, tuple[str, ...]]
    by_form: Mapping[str, list[str]]
    """The value words by each form they have with as many letters left out as slips are forgiven."""

    def sound(self, word: str) -> str:
        """The word with what ears do not tell apart written alike."""
        for letters, alike in self.sounds:
            word = letters.sub(alike, word)
        return word


@built
def _spelling(words: Language) -> _Spelling:
    said = words.spelling
    never = frozenset(said.seldom_meant)
    targets = [word for word in sorted(telling_words(words)) if len(word) >= _SHORTEST and word not in never]
    forms: dict[str, list[str]] = {}
    for word in targets:
        for form in set(_shortened(word, _forgiven(word))):
            forms.setdefault(form, []).append(word)
    sounds: dict[str, tuple[str, ...]] = {}
    rules = tuple((re.compile(letters), alike) for letters, alike in said.sounds.items())
    spelling = _Spelling(
        ordinary=frozenset(said.ordinary),
        short=tuple(
            (re.compile(rf"(?<= ){letter}(?= [^\W\d])"), full) for letter, full in said.short_in_values.items()
        ),
        sounds=rules,
        by_sound=sounds,
        by_form=forms,
    )
    for word in targets if rules else ():
        sounds[spelling.sound(word)] = (*sounds.get(spelling.sound(word), ()), word)
    return spelling


def read_despite_slips(phrase: str, reading: Reading, read: Callable[[str], T | None]) -> T | None:
    """What `read` makes of a folded phrase, or else of the phrase put right; None if that is nothing, or two things."""
    value = read(phrase)
    if value is None and (full := _in_full(phrase, reading.own)) != phrase:
        phrase, value = full, read(full)
    if value is not None:
        return value
    meant = {value for spelt in respellings(phrase, reading.own, reading.words) if (value := read(spelt)) is not None}
    return meant.pop() if len(meant) == 1 else None


def _in_full(phrase: str, words: Language) -> str:
    """The phrase with single letters that stand for a word written out."""
    for letter, full in _spelling(words).short:
        phrase = letter.sub(full, phrase)
    return phrase


@lru_cache(maxsize=1024)
def respellings(phrase: str, own: Language, words: Language) -> tuple[str, ...]:
    """The ways a folded phrase can be meant whose words all belong to values but for a slip; mostly none."""
    unknown = [match for match in _WORD.finditer(phrase) if match[0] not in vocabulary(words).words]
    if not 1 <= len(unknown) <= _MOST_MISSPELT:
        return ()
    ways, done = [""], 0
    for match in unknown:
        meant = _meant(match[0], own)
        if not meant or len(ways) * len(meant) > _MOST_WAYS:
            return ()
        between = phrase[done : match.start()]
        ways = [way + between + word for way in ways for word in meant]
        done = match.end()
    return tuple(way + phrase[done:] for way in ways)


@lru_cache(maxsize=8192)
def _meant(word: str, words: Language) -> tuple[str, ...]:
    """The value words that sound like a word that is none, or else those fewest slips away from it."""
    known = _spelling(words)
    if not _SHORTEST <= len(word) <= _LONGEST or word in known.ordinary:
        return ()
    alike = known.by_sound.get(known.sound(word))
    if alike is not None:
        return alike
    slips: dict[str, int] = {}
    for form in _shortened(word, _forgiven(word)):
        for meant in known.by_form.get(form, ()):
            if meant not in slips and _begins_alike(word, meant, known):
                slips[meant] = _slips(word, meant)
    fewest = min(slips.values(), default=0)
    if fewest > _forgiven(word):
        return ()
    return tuple(sorted(meant for meant, count in slips.items() if count == fewest <= _forgiven(meant)))


def _begins_alike(word: str, meant: str, known: _Spelling) -> bool:
    """Whether the letters people hardly ever miss are there: the first, and of a short word the last."""
    if ("'" in word) != ("'" in meant):
        return False
    short = len(word) == _SHORTEST
    word, meant = known.sound(word), known.sound(meant)
    return word[:1] == meant[:1] and (not short or word[-1:] == meant[-1:])


def _forgiven(word: str) -> int:
    return 2 if len(word) >= _LONG else 1


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
