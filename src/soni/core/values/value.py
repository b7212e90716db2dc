"""The contract of a slot type: words in, value out, JSON in state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from soni.languages import Language, language, languages

if TYPE_CHECKING:
    from datetime import datetime

T = TypeVar("T")

Json = None | bool | int | float | str | list[Any] | dict[str, Any]

TYPES: dict[str, type[ValueType[Any]]] = {}
"""Every slot type by the word that names it in YAML."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What the reading of words may depend on besides the words themselves."""

    language: str
    now: datetime
    currency: str = "EUR"
    region: str = "ES"
    languages: tuple[str, ...] = ()
    """The languages that the assistant offers; only `language` if there are none."""

    @property
    def words(self) -> Language:
        """The words of all languages that people may mix here."""
        return languages(self.languages or (self.language,))

    @property
    def own(self) -> Language:
        """The words of the language of the conversation alone."""
        return language(self.language)


class ValueType(ABC, Generic[T]):
    """One kind of value a slot can hold; an instance serves one slot."""

    name: ClassVar[str]
    formats: ClassVar[frozenset[str]] = frozenset()
    """The words allowed after the colon in `{slot:format}`, besides upper, lower and title."""

    @abstractmethod
    def parse(self, text: str, reading: Reading) -> T:
        """The value these words stand for; ValueError if they stand for none."""

    @abstractmethod
    def coerce(self, value: object, reading: Reading) -> T:
        """A value that came from Python (an action, the host, a model); text is parsed."""

    def otherwise(self, text: str, reading: Reading) -> T | None:
        """What else the words may mean, for where their first meaning is refused; None if nothing."""
        return None

    @abstractmethod
    def dump(self, value: T) -> Json:
        """The value as it stands in the state: JSON and nothing else."""

    @abstractmethod
    def load(self, data: Json) -> T:
        """The value that `dump` wrote."""

    @abstractmethod
    def format(self, value: T, language: str, spec: str | None = None) -> str:
        """The value as a person reads it in this language."""


def register(kind: type[ValueType[Any]]) -> type[ValueType[Any]]:
    """Make a slot type known under its name; other packages use this too."""
    TYPES[kind.name] = kind
    return kind
