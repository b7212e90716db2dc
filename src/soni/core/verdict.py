"""What a validator says of a value: good, or refused, with words for the person and what would do instead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from soni.core.readable_text import readable_text, storable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

MOST_IN_A_REASON = 1_000
"""How many characters of a reason are told."""
MOST_IN_AN_OPTION = 100
"""A longer option is left out: a part of it would be another value."""
MOST_OPTIONS = 20
MOST_LANGUAGES = 50

Reason = str | dict[str, str]
"""One text for all languages, or one for each."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a value is good; if not, why, and which values could be offered instead."""

    ok: bool
    reason: Reason | None = None
    options: tuple[str, ...] = ()

    @classmethod
    def refused(
        cls,
        reason: str | Mapping[str, str] | None = None,
        options: Iterable[str] = (),
        *,
        masked: Callable[[str], str] = str,
    ) -> Verdict:
        """A refusal in words that can be stored and are not too long; `masked` hides what nobody may see."""
        return cls(False, _told(reason, masked), _offered(options, masked))

    def to_json(self) -> dict[str, Any]:
        """The verdict as the journal holds it."""
        return {"ok": self.ok, "reason": self.reason, "options": list(self.options)}

    @classmethod
    def from_json(cls, data: dict[str, Any] | bool) -> Verdict:
        """The verdict that `to_json` wrote, or the plain true or false that was written before there were reasons."""
        if isinstance(data, bool):
            return cls(data)
        return cls(data["ok"], data["reason"], tuple(data["options"]))


def in_language(reason: Reason, language: str, default: str) -> str:
    """A reason in this language; else in the default one, else in whichever there is."""
    if isinstance(reason, str):
        return reason
    return reason.get(language) or reason.get(default) or next(iter(reason.values()))


def _told(reason: str | Mapping[str, str] | None, masked: Callable[[str], str]) -> Reason | None:
    if reason is None or isinstance(reason, str):
        return _cut(masked(reason)) or None if reason else None
    texts = {language: _cut(masked(text)) for language, text in list(reason.items())[:MOST_LANGUAGES]}
    return {language: text for language, text in texts.items() if text} or None


def _cut(text: str) -> str:
    text = text.strip()
    return storable(text if len(text) <= MOST_IN_A_REASON else f"{text[: MOST_IN_A_REASON - 1]}…")


def _offered(options: Iterable[str], masked: Callable[[str], str]) -> tuple[str, ...]:
    short = [storable(masked(option)) for option in options if len(option) <= MOST_IN_AN_OPTION]
    lines = [" ".join(readable_text(option).split()) for option in short]
    return tuple(dict.fromkeys(filter(None, lines)))[:MOST_OPTIONS]
