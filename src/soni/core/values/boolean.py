"""Yes and no."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from soni.core.values.locales import checked_spec
from soni.core.values.phrase import fold
from soni.core.values.value import Json, Reading, ValueType, register
from soni.languages import any_of, built, language

if TYPE_CHECKING:
    from collections.abc import Mapping

    from soni.languages import Language

_MOST_WORDS = 8
_LONGEST = 6


@dataclass(frozen=True, slots=True)
class Answers:
    """The words for yes and for no, folded."""

    yes: frozenset[str]
    no: frozenset[str]
    _meaning: Mapping[str, bool | None]
    _approval: re.Pattern[str]
    _longest: int

    def approve(self, phrase: str) -> bool:
        """Whether a folded phrase finds something good: "that sounds great"."""
        return self._approval.fullmatch(phrase) is not None

    def alone(self, phrase: str) -> bool | None:
        """What a folded phrase says as a whole; None if it is neither."""
        return self._meaning.get(phrase)

    def together(self, words: list[str]) -> set[bool] | None:
        """What the words say if they can be cut into answers: "sure, do it" has "sure do" in it, but also "do it"."""
        if not words:
            return set()
        for end in range(min(self._longest, len(words)), 0, -1):
            piece = " ".join(words[:end])
            rest = self.together(words[end:]) if piece in self._meaning or self.approve(piece) else None
            if rest is not None:
                meaning = self._meaning.get(piece, True)
                return rest if meaning is None else {*rest, meaning}
        return None


@built
def answers(words: Language) -> Answers:
    """The answers of some languages."""
    said = words.answers
    meaning: dict[str, bool | None] = {
        **dict.fromkeys(said.polite, None),
        **dict.fromkeys(said.yes, True),
        **dict.fromkeys(said.no, False),
    }
    longest = max(_LONGEST, *(phrase.count(" ") + 1 for phrase in meaning))
    return Answers(
        yes=frozenset(said.yes),
        no=frozenset(said.no),
        _meaning=meaning,
        _approval=re.compile(any_of(said.approval)),
        _longest=longest,
    )


_NAMES = {"yes": True, "no": False, "true": True, "false": False}
"""What programs call the two values, whatever language people speak; quick replies do, and the trained reader."""


@register
class Boolean(ValueType[bool]):
    """An answer, or a switch."""

    name = "boolean"

    def parse(self, text: str, reading: Reading) -> bool:
        phrase = fold(text)
        letter = reading.own.answers.letters.get(phrase)
        answer = letter == "yes" if letter is not None else answers(reading.words).alone(phrase)
        if answer is not None:
            return answer
        return _agreed(phrase, answers(reading.words))

    def coerce(self, value: object, reading: Reading) -> bool:
        if isinstance(value, bool):
            return value
        if isinstance(value, str):
            return _NAMES[value] if value in _NAMES else self.parse(value, reading)
        raise ValueError("not a yes or no")

    def dump(self, value: bool) -> Json:
        return value

    def load(self, data: Json) -> bool:
        if isinstance(data, bool):
            return data
        raise ValueError("not a stored boolean")

    def format(self, value: bool, language: str, spec: str | None = None) -> str:
        checked_spec(spec, self.formats, "")
        return shown_answer(value, language)


def shown_answer(value: bool, code: str) -> str:
    """A yes or a no as it is written in a language."""
    return language(code).answers.shown["yes" if value else "no"]


def _agreed(phrase: str, known: Answers) -> bool:
    """What several answers in a row say ("yes, of course", "no, thanks"), when they all say the same."""
    words = phrase.replace(",", " ").replace(".", " ").replace("!", " ").split()
    if not words or len(words) > _MOST_WORDS:
        raise ValueError("not a yes or no")
    meanings = known.together(words)
    if meanings is None:
        raise ValueError("not a yes or no")
    if len(meanings) != 1:
        raise ValueError("neither yes nor no")
    return meanings.pop()
