"""Words that take something back: 'I meant 300', 'yes, but to Ana', 'change the recipient', 'mejor 40'."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from soni.du.local.words import content, fold, lexicon, trimmed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from soni.config.models import SlotConfig

_OOPS = r"(?:(?:oh|wait|sorry|oops|no|perdon|perdona|espera|uy|ay)[\s,.!]+)*"
_MEANT = re.compile(
    rf"^{_OOPS}(?:i meant(?: to say)?|i mean|i said|i wanted to say|it should be|quise decir|queria decir|me referia a|"
    r"he dicho|digo|debe ser|deberia ser)[\s,:]+(?P<value>.+)$"
)
_RATHER = re.compile(
    rf"^{_OOPS}(?:actually|rather|better|make (?:it|that)|it's actually|en realidad|mejor|mas bien|que sean?)"
    r"[\s,:]+(?P<value>.+)$"
)
_YES_BUT = re.compile(
    r"^(?:yes|yeah|yep|ok|okay|sure|fine|si|vale|claro|bueno|de acuerdo)[\s,]+(?:but|pero|though|aunque|solo que)[\s,]+"
    r"(?P<value>.+)$"
)
_NOT_BUT = re.compile(
    r"^(?:no[\s,]+)?(?:not|no eran?|no son|no es|no)\s+(?P<old>[^,]+?)\s*(?:,|\bbut\b|\bsino\b)\s*"
    r"(?:but |sino |eran? |son |es |it's |its )?(?P<value>.+)$"
)
_NO = re.compile(r"^(?:no|sorry|perdon|perdona|oops|wait|espera)\s*[,;.!]+\s*(?P<value>.+)$")
_TO = re.compile(r"^(?P<value>(?:to|for|a|para) .+)$")
_CHANGE = re.compile(
    r"^(?:(?:please|por favor|no|wait|espera|i want to|i'd like to|can you|could you|can i|quiero|quisiera|puedes|"
    r"puedo)[\s,]+)*(?:change|correct|fix|update|edit|cambia|cambiar|cambie|corrige|corregir|modifica|modificar)\s+"
    r"(?P<parts>.+?)(?:[\s,]*(?:please|por favor))?[\s.!?]*$"
)
_AND = re.compile(r"\s*(?:,|\band\b|\by\b)\s*(?=(?:the|my|el|la|los|las|mi) )")
_PART = re.compile(
    r"^(?:the |my |that |el |la |los |las |mi )?(?P<what>[\w ]+?)(?:\s+(?:to|into|for|a|por|al)\s+(?P<value>.+))?$"
)
_NAME_IN = re.compile(
    r"(?:^|[\s,])(?:and |y |but |pero )?(?P<to>to|for|a|para)\s+(?P<name>[^\d,?]+?)(?=\s+(?:and|y)\s|[,.!]|$)"
)
_MOST_WORDS = 12
_LONGEST_NAME = 3
_NO_NAMES = lexicon(
    "nothing nobody none no not yes later tomorrow today now fine sorry please never ok okay wait that this it well "
    "nada nadie ninguno luego manana hoy ahora bien despues perdon perdona gracias si eso esto asi mejor otro otra "
    "another other thanks cancel stop don't dont do want be honest sure ver him her them me you us el ella ellos ti mi "
    "hold on too much espera esperar un una the el la los las alquiler rent"
)
_OF_TYPE = {
    "money": lexicon("amount sum money quantity price importe cantidad monto dinero precio"),
    "integer": lexicon("number quantity numero cantidad"),
    "number": lexicon("number quantity numero cantidad"),
    "date": lexicon("date day fecha dia"),
    "time": lexicon("time hour hora"),
    "datetime": lexicon("date time day fecha hora dia"),
    "duration": lexicon("duration length duracion"),
    "email": lexicon("email mail address correo"),
    "phone": lexicon("phone number telefono numero"),
    "iban": lexicon("iban account cuenta"),
}
_HOLLOW = lexicon("the a an of to for who which what how much my is el la de del que quien cual mi es para")


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be changed, as far as it was said, and into what."""

    what: str | None
    value: str | None
    plain: bool = False
    """Whether the words say that something was meant otherwise, so that any name will do."""


def read(text: str) -> list[Change]:
    """The corrections that the words are, if they are any."""
    if len(content(text)) > _MOST_WORDS or "?" in text:
        return []
    text = text.strip()
    folded = fold(text)
    if hit := _CHANGE.match(folded):
        return _parts(text, hit)
    for pattern in (_MEANT, _RATHER, _YES_BUT, _NOT_BUT, _NO, _TO):
        if hit := pattern.match(folded):
            return [Change(None, trimmed(text[slice(*hit.span("value"))]), plain=pattern is _MEANT)]
    return []


def _parts(text: str, hit: re.Match[str]) -> list[Change]:
    """'the amount to 60 and the recipient to María', each on its own; folding keeps every letter in its place."""
    begin, end = hit.span("parts")
    cuts = [begin, *(begin + cut.end() for cut in _AND.finditer(hit.group("parts"))), end]
    changes = []
    for first, last in pairwise(cuts):
        written = re.sub(r"[\s,]+(?:and|y)?[\s,]*$", "", text[first:last])
        if part := _PART.match(fold(written)):
            value = trimmed(written[slice(*part.span("value"))]) if part.group("value") else None
            changes.append(Change(part.group("what"), value))
    return changes


def name_in(change: Change) -> str | None:
    """The name that the words of a change give, if they look like giving one: 'to Ana', 'Ana', 'I meant ana'."""
    words = change.value or ""
    if hit := _NAME_IN.search(fold(words)):
        name = trimmed(words[slice(*hit.span("name"))])
        # 'for rent' and 'para luego' are not about people; 'to ana' may be.
        plain = name[:1].isupper() or (hit.group("to") in ("to", "a") and len(name.split()) == 1)
        return name if plain and _is_name(name) else None
    capitals = all(word[:1].isupper() for word in words.split())
    return words if (change.plain or capitals) and _is_name(words) else None


def _is_name(words: str) -> bool:
    said = content(words)
    short = 0 < len(said) <= _LONGEST_NAME
    return short and not any(letter.isdigit() for letter in words) and not set(said) & _NO_NAMES


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
