"""The kinds of entries in the files of a language: how each is read, checked, and joined with another language's."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import time
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from unicodedata import combining, normalize

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Self

V = TypeVar("V")

_SAME = str.maketrans("\u2019\u2018\u00b4`", "''''")
_CURRENCY = re.compile("[A-Z]{3}")
_NAMED = re.compile(r"(?<!\\)\{([a-z_]+)\}")


class Fault(Exception):
    """An entry that cannot be used; `path` is where in it."""

    def __init__(self, message: str, path: tuple[str | int, ...] = ()) -> None:
        super().__init__(message)
        self.message, self.path = message, path


def unaccented(text: str) -> str:
    """The text without accents; messages are compared without them."""
    if text.isascii():
        return text
    parts = normalize("NFD", text.translate(_SAME))
    return normalize("NFC", "".join(letter for letter in parts if not combining(letter)))


class Words(tuple[str, ...]):
    """Words and phrases, as they are compared: in small letters, without accents."""

    wanted = "a list of words or phrases"

    @classmethod
    def read(cls, raw: object) -> Self:
        """Read a list of texts."""
        if not isinstance(raw, list):
            raise Fault(f"this must be {cls.wanted}.")
        for place, text in enumerate(raw):
            if not isinstance(text, str) or not text.strip():
                raise Fault("this must be a word or a phrase.", (place,))
        return cls(dict.fromkeys(cls._plain(text) for text in raw))

    @classmethod
    def check(cls, raw: object, demand: Demand | None = None) -> None:
        """Refuse what cannot be read, or does not meet what the entry demands."""
        entry = cls.read(raw)
        if demand is not None:
            demand.check(entry)

    @staticmethod
    def _plain(text: str) -> str:
        return " ".join(unaccented(text).casefold().split())

    @classmethod
    def joined(cls, several: Iterable[Self]) -> Self:
        """The entries of several languages as one, each once."""
        return cls(dict.fromkeys(entry for words in several for entry in words))

    @property
    def set(self) -> frozenset[str]:
        """The same to look things up in."""
        return frozenset(self)


class Marks(Words):
    """Letters and signs as they are written, with their accents."""

    wanted = "a list of letters or signs"

    @staticmethod
    def _plain(text: str) -> str:
        return text.lower()


class Demand(Protocol):
    """What an entry has to meet besides its kind."""

    def check(self, entry: Any) -> None:
        """Raise a Fault where it does not."""


@dataclass(frozen=True, slots=True)
class Within:
    """Whole numbers have bounds: there are twelve months."""

    least: int
    most: int

    def check(self, entry: Mapping[str, int]) -> None:
        """Refuse what is out of bounds."""
        for word, value in entry.items():
            if not self.least <= value <= self.most:
                raise Fault(f"this must be a number from {self.least} to {self.most}.", (word,))


@dataclass(frozen=True, slots=True)
class OneOf:
    """Only some words may stand on the right of a map."""

    words: tuple[str, ...]

    def check(self, entry: Mapping[str, str]) -> None:
        """Refuse any other."""
        for word, value in entry.items():
            if value not in self.words:
                raise Fault(f"'{value}' must be one of {', '.join(self.words)}.", (word,))


@dataclass(frozen=True, slots=True)
class Currencies:
    """Currencies stand on the left, several of them with spaces between; a dash stands for none."""

    def check(self, entry: Iterable[str]) -> None:
        """Refuse what is no code of a currency."""
        for codes in entry:
            odd = [code for code in codes.split() if code != "-" and not _CURRENCY.fullmatch(code)]
            if odd:
                raise Fault(f"'{odd[0]}' is no code of a currency such as EUR.", (codes,))


@dataclass(frozen=True, slots=True)
class Holds:
    """What the patterns of an entry have a place for."""

    parts: tuple[str, ...] = ()
    """The names in braces that are filled in."""
    group: str = ""
    """The group that every pattern has."""

    def check(self, patterns: Iterable[str]) -> None:
        """Refuse a name in braces that nothing is put in for, and a pattern without the group."""
        for place, pattern in enumerate(patterns):
            odd = set(_NAMED.findall(pattern)) - set(self.parts)
            if odd:
                known = ", ".join(f"{{{part}}}" for part in self.parts) or "nothing in braces"
                raise Fault(f"nothing is put in for {{{min(odd)}}}; there is {known} here.", (place,))
            if self.group and f"(?P<{self.group}>" not in pattern:
                raise Fault(f"this needs a group (?P<{self.group}>…).", (place,))


class Patterns(Words):
    """Regular expressions over text in small letters without accents, of which any may match."""

    wanted = "a list of phrases, which may be regular expressions"

    @classmethod
    def check(cls, raw: object, demand: Demand | None = None) -> None:
        """Refuse what is no list of regular expressions; they are compiled where they are used."""
        patterns = cls.read(raw)
        for place, pattern in enumerate(patterns):
            try:
                re.compile(_NAMED.sub("x", pattern))
            except re.error as error:
                raise Fault(f"this is no regular expression: {error}.", (place,)) from None
        (demand or Holds()).check(patterns)

    @staticmethod
    def _plain(text: str) -> str:
        return unaccented(text)  # capitals have a meaning of their own


class WrittenPatterns(Patterns):
    """Regular expressions over text as it was written, with capitals and accents."""

    wanted = "a list of phrases, which may be regular expressions, over text with its capitals and accents"

    @staticmethod
    def _plain(text: str) -> str:
        return text


class _Map(dict[str, V]):
    """Entries by a word or by a name."""

    wanted = "a map"

    @classmethod
    def read(cls, raw: object) -> Self:
        """Read a map of texts."""
        if not isinstance(raw, dict):
            raise Fault(f"this must be {cls.wanted}.")
        entries: dict[str, V] = {}
        for name, value in raw.items():
            try:
                entries[cls._key(name)] = cls._value(value)
            except Fault as fault:
                raise Fault(fault.message, (name, *fault.path)) from None
        return cls(entries)

    @classmethod
    def check(cls, raw: object, demand: Demand | None = None) -> None:
        """Refuse what cannot be read, or does not meet what the entry demands."""
        entry = cls.read(raw)
        if demand is not None:
            demand.check(entry)

    @classmethod
    def _key(cls, name: str) -> str:
        return Words._plain(name)

    @classmethod
    def _value(cls, value: Any) -> V:
        raise NotImplementedError

    @classmethod
    def joined(cls, several: Iterable[Self]) -> Self:
        """The entries of several languages as one; a word of two languages means what it means in the last."""
        together: dict[str, V] = {}
        for entries in several:
            together |= entries
        return cls(together)


class Counts(_Map[int]):
    """Words with the whole numbers that they stand for."""

    wanted = "a map of words to whole numbers"

    @classmethod
    def _value(cls, value: Any) -> int:
        try:
            return int(value)
        except (TypeError, ValueError):
            raise Fault("this must be a whole number.") from None


class Amounts(_Map[Decimal]):
    """Words with the numbers that they stand for."""

    wanted = "a map of words to numbers"

    @classmethod
    def _value(cls, value: Any) -> Decimal:
        try:
            return Decimal(value)
        except (TypeError, ValueError, InvalidOperation):
            raise Fault("this must be a number such as 0.5.") from None


class Days(_Map[tuple[int, int]]):
    """Names with the month and the day that they are for."""

    wanted = "a map of names to days such as 12-25"

    @classmethod
    def _value(cls, value: Any) -> tuple[int, int]:
        month, dash, day = str(value).partition("-")
        if dash and month.isdigit() and day.isdigit() and 1 <= int(month) <= 12 and 1 <= int(day) <= 31:
            return int(month), int(day)
        raise Fault("this must be a month and a day such as 12-25.")


class Times(_Map[time]):
    """Names with the times of day that they are for."""

    wanted = "a map of names to times such as 12:00"

    @classmethod
    def _value(cls, value: Any) -> time:
        try:
            return time.fromisoformat(value)
        except (TypeError, ValueError):
            raise Fault("this must be a time such as 12:00.") from None


class Shown(_Map[str]):
    """Texts by name, as people see them."""

    wanted = "a map of texts"

    @classmethod
    def _key(cls, name: str) -> str:
        return name

    @classmethod
    def _value(cls, value: Any) -> str:
        if isinstance(value, str) and value:
            return value
        raise Fault("this must be a text.")


class Means(_Map[str]):
    """Words, each with the word that it stands for."""

    wanted = "a map of words to words"

    @classmethod
    def _value(cls, value: Any) -> str:
        if isinstance(value, str) and value:
            return Words._plain(value)
        raise Fault("this must be a word.")


class Replacements(_Map[str]):
    """Regular expressions, each with what all that it matches is written as."""

    wanted = "a map of regular expressions to letters"

    @classmethod
    def _key(cls, name: str) -> str:
        try:
            re.compile(name)
        except re.error as error:
            raise Fault(f"this is no regular expression: {error}.") from None
        return name

    @classmethod
    def _value(cls, value: Any) -> str:
        if isinstance(value, str):
            return value
        raise Fault("this must be letters, or '' for none.")


class WordsBy(_Map[Words]):
    """Lists of words and phrases by name."""

    wanted = "a map of lists of words"

    @classmethod
    def _key(cls, name: str) -> str:
        return name

    @classmethod
    def _value(cls, value: Any) -> Words:
        return Words.read(value)

    @classmethod
    def joined(cls, several: Iterable[Self]) -> Self:
        """The lists of several languages as one."""
        every = list(several)
        names = dict.fromkeys(name for entries in every for name in entries)
        return cls({name: Words.joined(entries[name] for entries in every if name in entries) for name in names})


def any_of(*lists: Iterable[str]) -> str:
    """A regular expression for any of these words or patterns, in their order; for nothing if there are none."""
    entries = [
        entry if isinstance(words, Patterns) else re.escape(entry).replace(r"\ ", " ")
        for words in lists
        for entry in words
    ]
    return f"(?:{'|'.join(entries)})" if entries else "(?!)"


def texts_in(entry: Any) -> Iterator[str]:
    """The words, phrases and patterns of an entry; of a map that is by word, the words."""
    for key in entry:
        if isinstance(entry, WordsBy):
            yield from entry[key]
        else:
            yield key


def longest_first(words: Iterable[str]) -> list[str]:
    """Words in the order in which a pattern should try them: 'twenty one' before 'twenty'."""
    return sorted(words, key=lambda word: (-len(word), word))


def filled(pattern: str, **parts: str) -> str:
    """A pattern of a language with the parts put in that it names in braces."""
    return _NAMED.sub(lambda name: parts[name[1]], pattern)


Kind = Words | Counts | Amounts | Days | Times | Shown | Means | Replacements | WordsBy
