"""Which of an assistant's languages a message is in, if it shows one: '100' and 'Ana' show none.

What tells are the common words and the letters of each language, and the assistant's own words: those of its trigger
phrases, options and texts. Courtesies and answers tell nothing; people borrow them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from soni.du.local.words import content, fold
from soni.languages import built, language, vocabulary_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from soni.config.models import SoniConfig
    from soni.languages import Language

_LEAD = 2
"""How many words more must speak for another language where some speak for the current one: people mix them."""
_MARKS = (" a", " b")
"""What a letter or sign of one language alone counts as: two words that no message has."""


class _Telling:
    """What tells the languages of an assistant from one another, whatever it is about."""

    def __init__(self, words: Language) -> None:
        each = {code: language(code) for code in words.codes}
        self.borrowed = frozenset(word for one in each.values() for word in _borrowed(one))
        self.vocabulary = {code: vocabulary_of(one) for code, one in each.items()}
        every = frozenset(word for one in each.values() for word in one.spelling.common) - self.borrowed
        self.common = {
            code: every.intersection(one.spelling.common.set | self.vocabulary[code]) for code, one in each.items()
        }
        """The common words of each language, with those of others that it has as well."""
        self.marks = {code: tuple(one.spelling.marks) for code, one in each.items()}

    def words(self, text: str) -> dict[str, set[str]]:
        """The words, and the letters and signs, that speak for each language."""
        said = set(content(text))
        # A name may have letters of another language.
        plain = " ".join(word for word in text.split() if not word[:1].isupper() and fold(word) not in self.borrowed)
        return {code: (said & common) | self._marks(code, plain) for code, common in self.common.items()}

    def _marks(self, code: str, plain: str) -> set[str]:
        return set(_MARKS) if any(mark in plain for mark in self.marks[code]) else set()


_telling = built(_Telling)


def _borrowed(one: Language) -> Iterator[str]:
    """Words that people say in the middle of another language."""
    courtesies = one.courtesies
    for phrase in (*courtesies.please, *courtesies.trigger_end):
        yield from phrase.split()
    for phrase in (*courtesies.closings, *courtesies.tails, *one.answers.yes, *one.answers.no):
        if " " not in phrase:
            yield phrase


class MessageLanguage:
    """Decides the language of messages to one assistant."""

    def __init__(self, config: SoniConfig, words: Language) -> None:
        self._telling = _telling(words)
        said: dict[str, set[str]] = {code: set() for code in config.spoken}
        for code, text in _own_texts(config):
            leading = [code] if code else self._leading(self._telling.words(text))
            if len(leading) == 1:
                said.setdefault(leading[0], set()).update(content(text))
        told = self._telling.borrowed.union(*self._telling.common.values())
        every = frozenset(word for own in said.values() for word in own) - told
        self._own: Mapping[str, frozenset[str]] = {
            code: every.intersection(own | self._telling.vocabulary.get(code, frozenset()))
            for code, own in said.items()
        }
        """The assistant's words, for each language that has them."""

    def of(self, text: str, current: str) -> str | None:
        """The language that the words show; None when they do not tell, or the current one may be meant."""
        said, shown = set(content(text)), self._telling.words(text)
        for code, own in self._own.items():
            shown[code] = shown.get(code, set()) | (said & own)
        leading = self._leading(shown)
        if not leading or (len(leading) > 1 and current in leading):
            return None
        here, there = shown.get(current, set()), shown[leading[0]]
        mixed = current not in leading and here - there and len(there - here) < len(here - there) + _LEAD
        return None if mixed else leading[0]

    @staticmethod
    def _leading(shown: Mapping[str, set[str]]) -> list[str]:
        """The languages that most speaks for; none if nothing speaks for any."""
        best = max(map(len, shown.values()))
        return [code for code, words in shown.items() if len(words) == best] if best else []


def _own_texts(config: SoniConfig) -> Iterator[tuple[str, str]]:
    """The assistant's texts with the language of each, which is empty where the author does not say it."""
    for flow in config.flows.values():
        for phrase in flow.trigger.phrases:
            yield phrase.language, " ".join(piece for piece in phrase.template.pieces if isinstance(piece, str))
    for _, text in config.written():
        for code, templates in text.variants.items():
            for template in templates:
                yield code, " ".join(piece for piece in template.pieces if isinstance(piece, str))
