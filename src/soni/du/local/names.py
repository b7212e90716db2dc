"""Names in a sentence: after a word that announces one, or written with capitals."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from soni.du.local.cues import BEFORE_PLACES
from soni.du.local.spans import overlaps
from soni.du.local.value_runs import ANCHORS
from soni.du.local.words import fold, lexicon, tokens, trimmed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from soni.du.local.spans import Span
    from soni.du.local.words import Token

_STOP = lexicon(
    "and y but pero or o with con from desde please por porfa favor pls plz thanks gracias today tomorrow hoy "
    "manana because porque que who whose su her his their now ahora on at is es for para the in to a via when "
    "cuando if si instead not no asap tonight ya then luego so e q porfis"
)
_RELATIVES = lexicon("my mi our nuestro nuestra un una a an the el la los las")
_FROM = re.compile(r"\sde (?:mi|la|nuestra|mis) (?:cuentas?|parte|tarjetas?|n[oó]mina|ahorros)\b.*", re.IGNORECASE)
"""'Ana de mi cuenta'."""
_SPELT = re.compile(r",?\s(?:as[ií] )?(?:con|with(?: an?)?) ['\"]?\w['\"]?$", re.IGNORECASE)
"""'Zamorano, con z'."""
_RELATIVE_OF = re.compile(
    r"(?:(?:la|el|mi|the|my) )?\b(?:madre|padre|mam[aá]|pap[aá]|hij[oa]|herman[oa]|marido|mujer|espos[oa]|novi[oa]|"
    r"prim[oa]|t[ií][oa]|abuel[oa]|suegr[oa]|jef[ea]|amig[oa]|vecin[oa]|cuñad[oa]|mother|father|son|daughter|brother|sister|wife|"
    r"husband|friend|boss) (?:del?|of) $",
    re.IGNORECASE,
)
_OWNED = re.compile(
    r"['’]s (?!(?:booking|reservation|table|account|iban|share|part|bill|order|appointment|name|place)\b)[^\W\d]+",
    re.IGNORECASE,
)
"""Ana's mum is not Ana, but Ana's table is hers."""
_ANNOUNCED = re.compile(
    r"^(?:(?:my |the )?name(?:['’]?s|:| is)|(?:mi |el )?nombre(?: es|:| de)|soy|me llamo|i['’]?m|i am|this is|"
    r"(?-i:de(?= [A-ZÀ-Ý])))\s+",
    re.IGNORECASE,
)
_CALLED = re.compile(
    r"[\s,.](?:(?:que |y )?se llama|(?:who |he |she )?is called|(?:his|her) name(?:'s| is)|called|named|llamad[oa])\s"
    r"(?P<name>[^,.;]{1,60}?)[\s.!]{0,9}$",
    re.IGNORECASE,
)
_OCCASION = re.compile(
    r"\s?(?:['’]?s)? (?:birthday|bday|b-day|anniversary|wedding|graduation|retirement|hen|stag|\d+(?:st|nd|rd|th))\b"
)
_LAST_NAMES = re.compile(
    r"(?:(?: (?:de la|de los|de las|del|de|van der|van|von|bin|da|dos) [^\W\d]+)+| \w\.)[\s.!]*$", re.IGNORECASE
)
_TOLD_OF = re.compile(r"\s(?:is|was|es|era|but|pero|because|porque|who|que)\b")
_NAME_BEHIND = re.compile(r"(?: [A-ZÀ-Ý][\w’'-]+)+")
_LONGEST_NAME = 4
_PARTICLES = lexicon("de del la las los el van von der den da di do dos du le y bin al san")
_BEFORE_NAMES = BEFORE_PLACES | lexicon("from desde")
_NAMES_TOO = lexicon("may mar sol abril julio")
NO_NAMES = lexicon(
    "i i'm i'd i've me you it that this he she they we us him her them someone somebody anyone nobody nothing yes no "
    "ok okay hi hello hey thanks please what when where who how why which can could do does is are was will would my "
    "your hola gracias si vale que cuando donde quien como cual puede puedes quiero alguien nadie nada eso esto el "
    "ella none not later tomorrow today now fine sorry never wait well ninguno luego manana hoy ahora bien despues "
    "perdon perdona asi mejor otro otra another other cancel stop don't dont want be honest sure ver ellos ti "
    "esperate guita plata lana pasta dinero cash money hold on too much espera esperar alquiler rent quick it's its "
    "thats that's correct right wrong correcto cierto"
)


def name_runs(text: str, words: list[Token], taken: list[Span]) -> Iterator[tuple[int, int, frozenset[str]]]:
    """Runs of words that may be a name: after a short word that announces one, or written with capitals."""
    place = 0
    while place < len(words):
        run = _name_at(text, words, place, taken)
        if run is None:
            place += 1
            continue
        first, last = run
        yield first, last, frozenset(word.plain for word in words[max(0, place - 1) : first])
        place = last + 1


def _is_capital(text: str, word: Token) -> bool:
    is_word = text[word.start].isupper() and not any(letter.isdigit() for letter in word.plain)
    return is_word and (word.plain not in ANCHORS or word.plain in _NAMES_TOO)


def _name_at(text: str, words: list[Token], place: int, taken: list[Span]) -> tuple[int, int] | None:
    first = place
    while first < len(words) and words[first].plain in _RELATIVES and first - place < 2:
        if first and all(_is_capital(text, word) for word in words[first : first + 2]):
            break  # 'Los Angeles'
        first += 1
    last = first - 1
    for index in range(first, min(first + _LONGEST_NAME, len(words))):
        word = words[index]
        bad = (
            word.plain in _STOP
            or word.plain in NO_NAMES
            or any(letter.isdigit() or letter == "@" for letter in word.plain)
        )
        bad = bad or (word.plain in ANCHORS and word.plain not in ("may", "mar", "sol"))
        if bad or not word.plain or overlaps(word.start, word.end, taken):
            break
        last = index
        if word.stops:
            break
    if last < first:
        return None
    if first > place and not text[words[first].start].isupper():
        first = place + (words[place].plain in _RELATIVES)
    capitals = [index for index in range(first, last + 1) if text[words[index].start].isupper()]
    if capitals:
        begin = capitals[0]
        end = begin
        while end < len(words) - 1:
            after = next(
                (index for index in range(end + 1, min(end + 4, len(words))) if _is_capital(text, words[index])), None
            )
            between = words[end + 1 : after] if after is not None else []
            if after is None or words[end].stops or any(word.plain not in _PARTICLES for word in between):
                break
            end = after
        return begin, end
    return first, last


def is_name(text: str) -> bool:
    """Whether a whole text is a name: words with capitals, and the small words that names have."""
    words = trimmed(text).split()
    capitals = [word[:1].isupper() for word in words]
    small = [fold(word) in _PARTICLES or word in ("and", "&") for word in words]
    return (
        0 < len(words) <= 6
        and fold(words[0]) not in _BEFORE_NAMES
        and capitals[0]
        and capitals[-1]
        and all(a or b for a, b in zip(capitals, small, strict=True))
    )


def whole_name(name: str, text: str, *, asked: bool) -> str:
    """A name with what makes it somebody else's: 'maria del carmen' is not maria, nor is Ana's mum Ana.

    What follows in small letters belongs to a name only where one was asked for: 'to Ana de mi cuenta' is to Ana.
    """
    hit = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)
    if hit is None:
        return name
    before, rest = _RELATIVE_OF.search(text[: hit.start()]), text[hit.end() :]
    if is_relation(name) and (own := _NAME_BEHIND.match(rest)) is not None:
        return trimmed(own.group())  # 'mi primo Evaristo'
    behind = _OWNED.match(rest) or (_LAST_NAMES.match(rest) if asked else None)
    return trimmed(text[before.start() if before else hit.start() : hit.end() + (behind.end() if behind else 0)])


def before_verb(text: str) -> str:
    """'Ana' of 'Ana is my sister'."""
    return _TOLD_OF.split(text, maxsplit=1)[0]


def is_relation(text: str) -> bool:
    """Whether some words only say what somebody is to whom speaks: 'mi suegra', 'my sister in law'."""
    words = text.split()
    return len(words) > 1 and fold(words[0]) in ("mi", "my") and not any(word[:1].isupper() for word in words[1:])


def in_apposition(text: str) -> str | None:
    """The name behind who that is: 'Gurpreet Kaur' of 'my sister in law, Gurpreet Kaur'."""
    if (called := _CALLED.search(text)) is not None and is_name(called["name"]):
        return trimmed(called["name"])
    before, comma, behind = text.partition(",")
    return trimmed(behind) if comma and is_relation(before.strip()) and is_name(behind) else None


def without_relation(text: str) -> str:
    """The name behind what somebody is: 'Yamila' of 'my niece Yamila'; all of it where none has a capital."""
    words = _SPELT.sub("", text).split()
    if all(word[:1].isupper() for word in words[:2]):
        return " ".join(words)  # 'Los Angeles'
    is_name = (word[:1].isupper() and fold(word) not in _RELATIVES for word in words)
    first = next((place for place, is_one in enumerate(is_name) if is_one), 0)
    if first and fold(words[first - 1]) in ("de", "del", "of"):
        return " ".join(words)  # 'la madre de Ana' is not Ana
    if not first and len(words) == 2 and fold(words[0]) in ("el", "la"):
        first = 1  # 'la Edurne'
    return " ".join(words[first:]) if words and fold(words[0]) in _RELATIVES else " ".join(words)


def without_announcement(text: str) -> str:
    """The name behind words that only say that one comes: 'Lindqvist' of "name's Lindqvist"."""
    return _ANNOUNCED.sub("", text)


def names_an_occasion(text: str, span: Span) -> bool:
    """Whether somebody is named only for what is celebrated: "it's my mum's birthday"."""
    return _OCCASION.match(fold(text[span.end :])) is not None


def leading_name(text: str) -> str:
    """The name that some words begin with: 'Ana' of 'Ana tomorrow'."""
    end = 0
    for word in tokens(_FROM.sub("", text)):
        if _ends_name(word.plain) and not (end and word.plain in _PARTICLES):
            break
        end = word.end
        if word.stops:
            break
    return trimmed(text[:end])


def _ends_name(word: str) -> bool:
    """Whether a word cannot be part of a name."""
    odd = not word or any(letter.isdigit() or letter == "@" for letter in word)
    return odd or word in _STOP or word in NO_NAMES or (word in ANCHORS and word not in _NAMES_TOO)
