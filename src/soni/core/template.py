"""Texts for people: `{slot}` and `{slot:format}`, variations, languages, and nothing else."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic_core import core_schema

from soni.core.refusal import refusals

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from pydantic import GetCoreSchemaHandler

CASES: dict[str, Callable[[str], str]] = {"upper": str.upper, "lower": str.lower, "title": str.title}
"""Formats that every slot type has."""

_PIECE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_FIELD = re.compile(r"\s*([^\W\d]\w*)\s*(?::\s*([a-z_]+)\s*)?")
_LANGUAGE = re.compile(r"[a-z]{2,3}")


def is_language(code: object) -> bool:
    """Whether this looks like the code of a language."""
    return isinstance(code, str) and _LANGUAGE.fullmatch(code) is not None


@dataclass(frozen=True, slots=True)
class Field:
    """A slot named in a text, with the format it is shown in."""

    slot: str
    format: str | None = None


@dataclass(frozen=True, slots=True)
class Template:
    """One text, cut into literal pieces and fields when it is loaded."""

    source: str
    pieces: tuple[str | Field, ...]

    @classmethod
    def parse(cls, source: str) -> Template:
        """Cut a text at its braces; ValueError names the piece that is wrong."""
        pieces: list[str | Field] = []
        position = 0
        for match in _PIECE.finditer(source):
            pieces.append(source[position : match.start()])
            position = match.end()
            token = match.group()
            if token in ("{{", "}}"):
                pieces.append(token[0])
            elif match.group(1) is None:
                raise ValueError(f"has a single '{token}'; write '{token}{token}' for a brace that should be shown")
            elif field := _FIELD.fullmatch(match.group(1)):
                pieces.append(Field(field.group(1), field.group(2)))
            else:
                raise ValueError(f"has '{token}'; only {{slot}} and {{slot:format}} can stand in braces")
        pieces.append(source[position:])
        return cls(source, tuple(piece for piece in pieces if piece != ""))

    def render(self, show: Callable[[Field], str]) -> str:
        """The text with each field shown; what is shown is never looked at again."""
        return "".join(piece if isinstance(piece, str) else show(piece) for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class Text:
    """What the assistant says: one or more variations, for all languages or by language."""

    variants: dict[str, tuple[Template, ...]]
    """By language; the empty key holds texts meant for every language."""

    @classmethod
    def of(cls, raw: object) -> Text:
        """Read a string, a list of variations, or a map by language; ValueError if it is none of them."""
        if isinstance(raw, Text):
            return raw
        if not isinstance(raw, dict):
            return cls({"": _variations(raw)})
        if not raw:
            raise ValueError("is an empty map; write a text for at least one language")
        for language in raw:
            if not is_language(language):
                raise ValueError(f"has '{language}' where a language such as 'en' or 'es' belongs")
        return cls({language: _variations(text) for language, text in raw.items()})

    @property
    def languages(self) -> frozenset[str]:
        """The languages this text is written for; empty when it serves all."""
        return frozenset(self.variants) - {""}

    @property
    def fields(self) -> frozenset[Field]:
        """Every slot the text shows, in any variation and language."""
        templates = (template for variations in self.variants.values() for template in variations)
        return frozenset(piece for template in templates for piece in template.pieces if isinstance(piece, Field))

    @property
    def sources(self) -> list[str]:
        """Every variation as it is written, in every language."""
        return [template.source for variations in self.variants.values() for template in variations]

    def among(self, languages: Collection[str]) -> Text:
        """The text in these languages; all of it if it is in none of them."""
        some = {code: variations for code, variations in self.variants.items() if not code or code in languages}
        return Text(some) if some else self

    def choose(self, language: str, default: str, key: str) -> Template:
        """The variation for this language; the key decides, so a turn that runs again says the same."""
        variations = (
            self.variants.get(language)
            or self.variants.get("")
            or self.variants.get(default)
            or next(iter(self.variants.values()))
        )
        return variations[zlib.crc32(key.encode()) % len(variations)]

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(
            cls._validate,
            serialization=core_schema.plain_serializer_function_ser_schema(_plain),
        )

    @classmethod
    def _validate(cls, raw: object) -> Text:
        if faults := list(_faults(raw)):
            raise refusals(faults, raw)
        return cls.of(raw)


def _faults(raw: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """What is wrong with a raw text, each at the innermost part of it."""
    parts = raw.items() if isinstance(raw, dict) else enumerate(raw) if isinstance(raw, list) else ()
    inner = [fault for key, part in parts for fault in _faults(part, (*path, key))]
    yield from inner
    if not inner:
        try:
            Text.of(raw)
        except ValueError as error:
            yield path, f"the text {error}."


def _variations(raw: object) -> tuple[Template, ...]:
    texts = raw if isinstance(raw, list | tuple) else [raw]
    if not texts:
        raise ValueError("is an empty list; write at least one variation")
    for text in texts:
        if text is None:
            raise ValueError("is empty; quote a text that begins with '{'")
        if not isinstance(text, str | bool | int | float):
            raise ValueError("must be a string, a list of variations, or a map by language")
    return tuple(Template.parse(text if isinstance(text, str) else str(text)) for text in texts)


def _plain(text: Text) -> object:
    def one(variations: tuple[Template, ...]) -> object:
        sources = [template.source for template in variations]
        return sources[0] if len(sources) == 1 else sources

    if set(text.variants) == {""}:
        return one(text.variants[""])
    return {language: one(variations) for language, variations in text.variants.items()}
