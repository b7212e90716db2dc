"""Slips of the keyboard, put right where the assistant's own words show what was meant."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from soni.core.values.misspelt import respellings
from soni.du.local.encoder import encoder
from soni.du.local.pieces import vocabulary
from soni.du.local.words import fold
from soni.languages import any_of, built, language

if TYPE_CHECKING:
    from collections.abc import Iterable

    from soni.languages import Language

_WORD = re.compile(r"(?<![\w@.'’-])[^\W\d_]+(?![\w@'’-]|\.\w)")
_SHORTEST = 5
_SHORTEST_ACT = 7


class _Slips:
    """What is no slip in some languages."""

    def __init__(self, words: Language) -> None:
        self.elided = re.compile(any_of(words.spelling.elided))
        self.negations = re.compile(any_of(words.spelling.negations))


_slips = built(_Slips)


@dataclass(frozen=True, slots=True)
class OwnWords:
    """A text in which words that another language has as well are replaced, and where each of them stands."""

    text: str
    replaced: tuple[tuple[int, str, str], ...] = ()
    """The place of each in the text, what stands there, and what was written."""

    def as_written(self, words: str) -> str:
        """Words out of the text the way the person wrote them."""
        start = self.text.find(words) if self.replaced else -1
        for place, word, written in reversed(self.replaced) if start >= 0 else ():
            if start <= place <= start + len(words) - len(word):
                words = words[: place - start] + written + words[place - start + len(word) :]
        return words


@dataclass(frozen=True, slots=True)
class Repaired:
    """A text with its slips put right, and how the words were written that had one."""

    text: str
    written: dict[str, str]
    said: OwnWords

    def as_written(self, words: str) -> str:
        """Words out of the repaired text the way the person wrote them: a name may look like a slip."""
        return self.said.as_written(_WORD.sub(lambda match: self.written.get(match.group(), match.group()), words))


class Spelling:
    """Puts words right that nobody uses and that are one slip away from a word of the assistant's."""

    def __init__(self, words: Iterable[str], spoken: Language, acts: Iterable[str] = ()) -> None:
        """`acts` are words that do something by themselves: only long ones are ever guessed."""
        self._spoken = spoken
        own, doing = {fold(word) for word in words}, {fold(word) for word in acts}
        self._known = own | doing
        self._near: dict[str, set[str]] = {}
        for word in self._known:
            if len(word) >= (_SHORTEST if word in own else _SHORTEST_ACT):
                for form in (word, *_shorter(word)):
                    self._near.setdefault(form, set()).add(word)

    def repaired(self, said: OwnWords) -> Repaired:
        """The text with its slips put right; letters and words that were right stay as they are."""
        written: dict[str, str] = {}

        def one(match: re.Match[str]) -> str:
            word = self._word(match.group())
            if word != match.group():
                written[word] = match.group()
            return word

        return Repaired(_WORD.sub(one, _slips(self._spoken).elided.sub("e'd", said.text)), written, said)

    def _word(self, word: str) -> str:
        plain = fold(word)
        if len(plain) < _SHORTEST - 1 or plain in self._known or word[0].isupper() or is_common(plain, self._spoken):
            return word
        if any(respellings(plain, language(code), self._spoken) for code in self._spoken.codes):
            return word  # 'thre' is a slip in a number, which its grammar puts right
        candidates = {
            known
            for form in (plain, *_shorter(plain))
            for known in self._near.get(form, ())
            if known[0] == plain[0] and one_slip(plain, known)
        }
        if not candidates or len({known[:4] for known in candidates}) > 1:
            return word  # nothing like it, or too many different words
        return min(candidates)


@built
def _false_friends(words: Language) -> re.Pattern[str]:
    return re.compile(rf"\b{any_of(words.spelling.false_friends)}\b(?=\s+\w)", re.IGNORECASE)


def without_false_friends(text: str, words: Language) -> OwnWords:
    """A text of one language without the words that would be taken for another language's."""
    friends = words.spelling.false_friends
    if not friends:
        return OwnWords(text)
    pieces, replaced, end, length = list[str](), list[tuple[int, str, str]](), 0, 0
    for match in _false_friends(words).finditer(text):
        word = friends[fold(match.group())]
        pieces += [text[end : match.start()], word]
        length += match.start() - end
        replaced.append((length, word, match.group()))
        length += len(word)
        end = match.end()
    return OwnWords("".join((*pieces, text[end:])), tuple(replaced))


@lru_cache(maxsize=4096)
def is_common(word: str, words: Language) -> bool:
    """Whether a word is one that people use."""
    return word in vocabulary() or encoder().knows(word) or _slips(words).negations.fullmatch(word) is not None


def _shorter(word: str) -> list[str]:
    return [word[:place] + word[place + 1 :] for place in range(len(word))]


def one_slip(one: str, other: str) -> bool:
    """Whether a letter too many, too few, another one, or two swapped make one word the other."""
    if abs(len(one) - len(other)) > 1:
        return False
    first = next((place for place, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), None)
    if first is None:
        return True
    a, b = one[first:], other[first:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[:2] == b[:2][::-1] and a[2:] == b[2:])
