"""Words that take something back: 'I meant 300', 'no, to Ana', 'change the recipient', 'mejor mañana'."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from soni.du.local.words import content, fold, lexicon, trimmed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from soni.config.models import SlotConfig

_CUE = re.compile(
    r"^(?:(?:oh|wait|sorry|oops|no|perdon|perdona|espera|uy)[\s,.!]+)*"
    r"(?:i meant|i mean|i said|i wanted to say|actually|rather|better|make (?:it|that)|it should be|it's actually|"
    r"quise decir|queria decir|me referia a|en realidad|mejor|mas bien|que sean?|he dicho|digo)"
    r"[\s,:]+(?:to |for |a |para )?(?P<value>.+)$"
)
_NO = re.compile(
    r"^(?:no|sorry|perdon|perdona|oops|wait|espera)[\s]*[,;.!]+\s*(?:not? .+?,\s*)?"
    r"(?P<to>to |for |a |para )?(?P<value>.+)$"
)
_CHANGE = re.compile(
    r"^(?:(?:please|por favor|no|wait|espera|i want to|i'd like to|can you|could you|can i|quiero|quisiera|puedes|"
    r"puedo)[\s,]+)*"
    r"(?:change|correct|fix|update|edit|cambia|cambiar|cambie|corrige|corregir|modifica|modificar)\s+"
    r"(?:the |my |that |el |la |los |las |mi )?(?P<what>[\w ]+?)"
    r"(?:\s+(?:to|into|for|a|por|al)\s+(?P<value>.+?))?"
    r"(?:[\s,]*(?:please|por favor))?[\s.!?]*$"
)
_MOST_WORDS = 8
_LONGEST_NAME = 3
_OF_TYPE = {
    "money": lexicon("amount sum money quantity price importe cantidad monto dinero precio"),
    "integer": lexicon("number quantity numero cantidad"),
    "number": lexicon("number quantity numero cantidad"),
    "date": lexicon("date day fecha dia"),
    "time": lexicon("time hour hora"),
    "datetime": lexicon("date time day fecha hora dia"),
    "duration": lexicon("duration length duracion"),
    "email": lexicon("email mail address correo email"),
    "phone": lexicon("phone number telefono numero"),
    "iban": lexicon("iban account cuenta"),
}
_HOLLOW = lexicon("the a an of to for who which what how much my is el la de del que quien cual mi es a para")


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be changed, as far as it was said, and into what."""

    cue: str
    what: str | None
    value: str | None
    sure: bool = True
    """Whether the words say so; after a mere no, what follows may be anything."""


def read(text: str) -> Change | None:
    """The correction that the words are, if they are one."""
    if len(content(text)) > _MOST_WORDS:
        return None
    folded = fold(text.strip())
    if hit := _CHANGE.match(folded):
        value = _original(text, hit, "value")
        return Change(trimmed(text), hit.group("what"), value)
    if hit := _CUE.match(folded):
        return Change(trimmed(text), None, _original(text, hit, "value"))
    if hit := _NO.match(folded):
        value = _original(text, hit, "value") or ""
        looks_like_a_name = len(value.split()) <= _LONGEST_NAME and (hit.group("to") or value.istitle())
        return Change(trimmed(text), None, value, sure=bool(looks_like_a_name))
    return None


def _original(text: str, hit: re.Match[str], group: str) -> str | None:
    """The words as they were written; folding keeps every letter in its place."""
    return trimmed(text.strip()[slice(*hit.span(group))]) if hit.group(group) else None


def named(what: str, slots: Mapping[str, SlotConfig]) -> str | None:
    """The one slot that these words name: by its name, its description, or what its type is called."""
    words = set(content(what)) - _HOLLOW
    scores = {name: len(words & _names(name, slot)) for name, slot in slots.items()}
    best = max(scores.values(), default=0)
    found = [name for name, score in scores.items() if score == best and score]
    return found[0] if len(found) == 1 else None


def _names(name: str, slot: SlotConfig) -> set[str]:
    told = set(content(slot.description or "")) - _HOLLOW
    aliases = {word for alias in slot.aliases for word in content(alias)}
    return {*content(name.replace("_", " ")), *told, *aliases, *_OF_TYPE.get(slot.type, ())}
