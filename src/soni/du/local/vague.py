"""Requests that say of what, but not what for: 'I need to pay something', 'es por un tema de reservas'."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from soni.du.local.words import content, fold, lexicon

if TYPE_CHECKING:
    from collections.abc import Mapping

    from soni.config.models import FlowConfig

_EMPTY = lexicon(
    "cosa cosas cosita cosilla algo tema temita asunto gestion gestionar gestiones tramite tramitar duda consulta "
    "consultar lio pago pagos vistazo mira mirar ver echar revisar ensename muestrame ensenar mostrar something thing "
    "something's things stuff matter issue question query payment payments look looking check show see manage "
    "regarding about"
)
"""Words that say of a request only that it is one."""
_AROUND = lexicon(
    "a acerca ahora al an and are at be buenas buenos can con could de debo del dia dias do doing done el en era "
    "es escribia escribo favor for from get given got gotta gustaria ha hacer hago has have hay hello hey hi hola "
    "hoy i i'd id im in is it it's its la las le like llamo lo los make making me mi mis my necesitaba necesito "
    "need needs of on one oye para please pls podria podrias poner por porfa porfis puede puedes puedo q que "
    "queria querria quiero quisiera realizar se so sobre some sort sorted sorting take te tendria tengo that the "
    "there there's theres this to toca today tu un una unas unos us want would y you"
)
_NOUNS = lexicon("pago pagos payment payments")
"""Words that also say of what."""
_BITS = lexicon("after bit just little more wanted wondering your mas par poco su vuestra vuestro")
_ROOTS = {"paid": "pay", "sent": "send", "bought": "buy"}
_CLITIC = re.compile(r"(?<=\w{3}[aeiou])(?:me|le|les|nos|melo|selo|lo|la)$")
"""The pronoun of 'págale'."""
_KNOWING = re.compile(
    r"\binfo\w*|\bcuenta(?:me|nos|nme)\b|\bcont(?:arme|arnos|arais|aran|ais|eis)\b"
    r"|\bsaber (?:mas|algo|cosas|un poco|un par)\b|\btell me\b.{0,60}\babout\b"
    r"|\b(?:know|hear|learn) (?:\w+ ){0,2}about\b"
)
_HERE = re.compile(
    r"\b(?:local|restaurante|sitio|establecimiento|negocio|banco|hotel|clinica|tienda|taller|empresa|place|restaurant|"
    r"bank|shop|clinic|business|company|you guys|yourselves|vosotros|ustedes)\b"
)
_TELLING = re.compile(r"(?:tell (?!us)|say |show |list |inform|see |look up|decir |mostrar |ver |consultar |informar )")
_MOST = 10


def vague_among(text: str, flows: Mapping[str, frozenset[str]]) -> list[str]:
    """The flows that all that a request says fits alike; none where it says more, or fits one of them alone."""
    said = content(text)
    if len(said) > _MOST or not set(said) & _EMPTY:
        return []
    about = [_ROOTS.get(word, word) for word in said if word in _NOUNS or word not in _EMPTY | _AROUND]
    if not 1 <= len(about) <= 2:
        return []
    fits = [name for name, words in flows.items() if all(any(_alike(one, word) for word in words) for one in about)]
    return fits if len(fits) > 1 else []


def asks_in_general(text: str) -> bool:
    """Whether somebody wants to know about the place, and not what: 'tell me a bit about your restaurant'."""
    folded = fold(text)
    if not (_KNOWING.search(folded) and _HERE.search(folded)):
        return False
    return not set(content(_HERE.sub(" ", _KNOWING.sub(" ", folded)))) - _EMPTY - _AROUND - _BITS


def tells(flow: FlowConfig) -> bool:
    """Whether a flow is there to tell something, by what its author says of it."""
    return flow.description is not None and any(_TELLING.match(fold(text)) for text in flow.description.sources)


def _alike(one: str, other: str) -> bool:
    """Whether two words are of one root: pago and pagar, payment and pay, reserva and reservación."""
    one, other = _CLITIC.sub("", one), _CLITIC.sub("", other)
    short = min(len(one), len(other))
    common = next((place for place in range(short) if one[place] != other[place]), short)
    ends = max(len(one), len(other)) - common
    return common > 2 and (common == short or common > 4 or ends < 3)
