"""One of a few named options."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from soni.core.values.locales import checked_spec
from soni.core.values.numerals import Numerals, numerals
from soni.core.values.phrase import fold, undress
from soni.core.values.value import Json, Reading, ValueType, register
from soni.languages import any_of, built

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from soni.languages import Language

_SIMILAR = 0.8
_CLEARLY_CLOSER = 0.05
_SHORTEST_MISSPELT = 4


@dataclass(frozen=True, slots=True)
class _Said:
    before: re.Pattern[str]
    numbered: re.Pattern[str]
    last: frozenset[str]
    one: tuple[str, ...]
    denying: tuple[str, ...]
    numerals: Numerals


@built
def _said(words: Language) -> _Said:
    said = words.courtesies
    joined = any_of(words.numbers.tens_and)
    return _Said(
        before=re.compile(rf"{any_of(said.option_before)}(?: (?=.))", re.ASCII),
        numbered=re.compile(rf"(?:(?:{any_of(said.option_numbered)}|#) ?)?([a-z0-9.-]+(?: (?:{joined} )?[a-z]+)?)"),
        last=frozenset(said.option_last),
        one=tuple(f" {word}" for word in said.option_one),
        denying=tuple(f"{word} " for word in said.option_denied),
        numerals=numerals(words),
    )


@register
class Choice(ValueType[str]):
    """An option by its name, a synonym, a misspelling of either, or its place in the list."""

    name = "choice"

    def __init__(self, options: Mapping[str, Sequence[str]]) -> None:
        if not options:
            raise ValueError("a choice needs at least one option")
        self.options = {option: tuple(synonyms) for option, synonyms in options.items()}
        self._meaning: dict[str, str] = {}
        for option, synonyms in self.options.items():
            for word in (option, option.replace("_", " "), *synonyms):
                meant = self._meaning.setdefault(fold(word), option)
                if meant != option:
                    raise ValueError(f"{word!r} would mean both {meant!r} and {option!r}")

    def parse(self, text: str, reading: Reading) -> str:
        known = _said(reading.words)
        # "2" cannot be a place in the list when it may be the name of an option.
        by_place = not any(any(map(str.isdigit, word)) or word in known.numerals.count for word in self._meaning)
        for said in _undressings(fold(text), reading.words):
            option = self._meaning.get(said)
            if option is not None:
                return option
            option = self._placed(said, known) if by_place else None
            if option is not None:
                return option
        option = self._misspelt(said, known)
        if option is None:
            raise ValueError("none of the options")
        return option

    def coerce(self, value: object, reading: Reading) -> str:
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**15:
            value = str(value)  # YAML reads an option such as 2 as an integer
            if value not in self.options:
                raise ValueError("none of the options")
        if not isinstance(value, str):
            raise ValueError("none of the options")
        return value if value in self.options else self.parse(value, reading)

    def dump(self, value: str) -> Json:
        return value

    def load(self, data: Json) -> str:
        if isinstance(data, str):
            return data
        raise ValueError("not a stored choice")

    def format(self, value: str, language: str, spec: str | None = None) -> str:
        checked_spec(spec, self.formats, "")
        return value.replace("_", " ")

    def _placed(self, phrase: str, known: _Said) -> str | None:
        options = list(self.options)
        if phrase in known.last:
            return options[-1]
        match = known.numbered.fullmatch(phrase)
        if match is None:
            return None
        said = match[1]
        if said.isascii() and said.isdigit() and len(said) < 4:
            place: int | None = int(said)
        else:
            # "one" is too common to be a place unless "option" or "number" goes before.
            count, ordinals = known.numerals.count, known.numerals.ordinals
            place = ordinals.get(said) if said == phrase else count.get(said, ordinals.get(said))
        return options[place - 1] if place is not None and 1 <= place <= len(options) else None

    def _misspelt(self, phrase: str, known: _Said) -> str | None:
        """The one option these words nearly name; digits are never a slip of the keyboard."""
        if len(phrase) < _SHORTEST_MISSPELT or any(map(str.isdigit, phrase)) or phrase.startswith(known.denying):
            return None
        scores: dict[str, float] = {}
        matcher: SequenceMatcher[str] | None = None
        for word, option in self._meaning.items():
            if len(word) < _SHORTEST_MISSPELT or not _could_be_similar(len(word), len(phrase)):
                continue
            if word[0] != phrase[0] and word[-1] != phrase[-1]:
                continue  # a slip at both ends at once is rarer than another word altogether
            if matcher is None:
                matcher = SequenceMatcher(b=phrase, autojunk=False)
            matcher.set_seq1(word)
            if matcher.quick_ratio() >= _SIMILAR:
                scores[option] = max(scores.get(option, 0), matcher.ratio())
        ranked = sorted(scores.items(), key=lambda scored: -scored[1])
        if not ranked or ranked[0][1] < _SIMILAR:
            return None
        if len(ranked) > 1 and ranked[0][1] - ranked[1][1] < _CLEARLY_CLOSER:
            return None
        return ranked[0][0]


def _could_be_similar(one: int, other: int) -> bool:
    return 2 * min(one, other) >= _SIMILAR * (one + other)


def _undressings(phrase: str, words: Language) -> list[str]:
    """The phrase as said, then without politeness, article and "one", since a name may contain them."""
    said = [phrase]
    plain, known = undress(phrase, words), _said(words)
    for shorter in (plain, known.before.sub("", plain, count=1)):
        if shorter != said[-1]:
            said.append(shorter)
    if (one := next((word for word in known.one if said[-1].endswith(word)), None)) is not None:
        said.append(said[-1].removesuffix(one))
    return said
