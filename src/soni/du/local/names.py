"""Names in a sentence: after a word that announces one, or written with capitals."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from soni.du.local.spans import overlaps
from soni.du.local.value_runs import anchors
from soni.du.local.words import fold, tokens, trimmed
from soni.languages import any_of, built, filled, longest_first

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from soni.du.local.spans import Span
    from soni.du.local.words import Token
    from soni.languages import Language

_NAME_BEHIND = re.compile(r"(?: [A-ZÀ-Ý][\w’'-]+)+")
_LONGEST_NAME = 4
_WHAT = r"([^\W\d]+)"
"""The place of a word by which an assistant's own words decide."""


class _Names:
    """The words around names in some languages."""

    def __init__(self, words: Language) -> None:
        said = words.names
        self.ends, self.determiners = frozenset(said.ends), frozenset(said.determiners)
        self.own_things = re.compile(filled(any_of(said.own_things), what=_WHAT))
        self.spelt = re.compile(rf",?\s{any_of(said.spelt)} ['\"]?\w['\"]?$")
        self.relative_of = re.compile(
            rf"(?:{any_of(said.relation_before)} )?\b{any_of(said.relations)} {any_of(said.of)} $"
        )
        self.owned = re.compile(filled(any_of(said.owned), what=_WHAT))
        capital = rf"|(?-i:{any_of(said.announced_capital)}(?= [A-ZÀ-Ý]))" if said.announced_capital else ""
        self.announced = re.compile(rf"^(?:{any_of(said.announced)}{capital})\s+", re.IGNORECASE)
        self.called = re.compile(rf"[\s,.]{any_of(said.called)}\s(?P<name>[^,.;]{{1,60}}?)[\s.!]{{0,9}}$")
        self.occasion = re.compile(rf"\s?(?:'?s)? {any_of(said.occasions)}\b")
        particles = any_of(longest_first(said.last_name_particles))
        self.last_names = re.compile(rf"(?:(?: {particles} [^\W\d]+)+| \w\.)[\s.!]*$")
        self.told_of = re.compile(rf"\s{any_of(said.told_of)}\b")
        self.particles = frozenset(said.particles)
        self.before_names = frozenset(said.before_places) | frozenset(said.before_places_too)
        self.names_too, self.short_names_too = frozenset(said.names_too), frozenset(said.short_names_too)
        self.no_names = frozenset(said.no_names)
        self.my, self.of, self.article = frozenset(said.my), frozenset(said.of), frozenset(said.article)
        self.name_and = frozenset(said.name_and)
        self.anchors = anchors(words)


_names = built(_Names)


def no_names(words: Language) -> frozenset[str]:
    """Words that are no name, even where a name was asked for."""
    return _names(words).no_names


def name_runs(
    text: str, words: list[Token], taken: list[Span], known: Language
) -> Iterator[tuple[int, int, frozenset[str]]]:
    """Runs of words that may be a name: after a short word that announces one, or written with capitals."""
    place = 0
    while place < len(words):
        run = _name_at(text, words, place, taken, _names(known))
        if run is None:
            place += 1
            continue
        first, last = run
        yield first, last, frozenset(word.plain for word in words[max(0, place - 1) : first])
        place = last + 1


def _is_capital(text: str, word: Token, known: _Names) -> bool:
    is_word = text[word.start].isupper() and not any(letter.isdigit() for letter in word.plain)
    return is_word and (word.plain not in known.anchors or word.plain in known.names_too)


def _name_at(text: str, words: list[Token], place: int, taken: list[Span], known: _Names) -> tuple[int, int] | None:
    first = place
    while first < len(words) and words[first].plain in known.determiners and first - place < 2:
        if first and all(_is_capital(text, word, known) for word in words[first : first + 2]):
            break  # 'The Hague'
        first += 1
    last = first - 1
    for index in range(first, min(first + _LONGEST_NAME, len(words))):
        word = words[index]
        bad = (
            word.plain in known.ends
            or word.plain in known.no_names
            or any(letter.isdigit() or letter == "@" for letter in word.plain)
        )
        bad = bad or (word.plain in known.anchors and word.plain not in known.short_names_too)
        if bad or not word.plain or overlaps(word.start, word.end, taken):
            break
        last = index
        if word.stops:
            break
    if last < first:
        return None
    if first > place and not text[words[first].start].isupper():
        first = place + (words[place].plain in known.determiners)
    capitals = [index for index in range(first, last + 1) if text[words[index].start].isupper()]
    if capitals:
        begin = capitals[0]
        end = begin
        while end < len(words) - 1:
            ahead = range(end + 1, min(end + 4, len(words)))
            after = next((index for index in ahead if _is_capital(text, words[index], known)), None)
            between = words[end + 1 : after] if after is not None else []
            if after is None or words[end].stops or any(word.plain not in known.particles for word in between):
                break
            end = after
        return begin, end
    return first, last


def is_name(text: str, words: Language) -> bool:
    """Whether a whole text is a name: words with capitals, and the small words that names have."""
    known, said = _names(words), trimmed(text).split()
    capitals = [word[:1].isupper() for word in said]
    small = [fold(word) in known.particles or word in known.name_and for word in said]
    return (
        0 < len(said) <= 6
        and fold(said[0]) not in known.before_names
        and capitals[0]
        and capitals[-1]
        and all(a or b for a, b in zip(capitals, small, strict=True))
    )


def whole_name(name: str, text: str, words: Language, own: Container[str], *, asked: bool) -> str:
    """A name with what makes it somebody else's: 'maria van dyke' is not maria, nor is Ana's mum Ana.

    `own` are the assistant's words: where people book, Ana's booking is for Ana.
    What follows in small letters belongs to a name only where one was asked for: 'to Ana from my account' is to Ana.
    """
    hit = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)
    if hit is None:
        return name
    known = _names(words)
    before, rest = known.relative_of.search(fold(text[: hit.start()])), text[hit.end() :]
    if is_relation(name, words) and (called := _NAME_BEHIND.match(rest)) is not None:
        return trimmed(called.group())  # 'my cousin Evaristo'
    behind = known.owned.match(fold(rest))
    if behind is None or any(what in own for what in behind.groups()):
        behind = known.last_names.match(fold(rest)) if asked else None
    return trimmed(text[before.start() if before else hit.start() : hit.end() + (behind.end() if behind else 0)])


def before_verb(text: str, words: Language) -> str:
    """'Ana' of 'Ana is my sister'."""
    return _names(words).told_of.split(text, maxsplit=1)[0]


def is_relation(text: str, words: Language) -> bool:
    """Whether some words only say what somebody is to whom speaks: 'my sister in law'."""
    said = text.split()
    return len(said) > 1 and fold(said[0]) in _names(words).my and not any(word[:1].isupper() for word in said[1:])


def in_apposition(text: str, words: Language) -> str | None:
    """The name behind who that is: 'Gurpreet Kaur' of 'my sister in law, Gurpreet Kaur'."""
    called = _names(words).called.search(fold(text))
    if called is not None and is_name(name := text[slice(*called.span("name"))], words):
        return trimmed(name)
    before, comma, behind = text.partition(",")
    return trimmed(behind) if comma and is_relation(before.strip(), words) and is_name(behind, words) else None


def without_relation(text: str, words: Language) -> str:
    """The name behind what somebody is: 'Yamila' of 'my niece Yamila'; all of it where none has a capital."""
    known = _names(words)
    spelt = known.spelt.search(fold(text))
    said = (text[: spelt.start()] if spelt else text).split()
    if all(word[:1].isupper() for word in said[:2]):
        return " ".join(said)  # 'The Hague'
    is_name = (word[:1].isupper() and fold(word) not in known.determiners for word in said)
    first = next((place for place, is_one in enumerate(is_name) if is_one), 0)
    if first and fold(said[first - 1]) in known.of:
        return " ".join(said)  # 'the mother of Ana' is not Ana
    if not first and len(said) == 2 and fold(said[0]) in known.article:
        first = 1
    return " ".join(said[first:]) if said and fold(said[0]) in known.determiners else " ".join(said)


def without_announcement(text: str, words: Language) -> str:
    """The name behind words that only say that one comes: 'Lindqvist' of "name's Lindqvist"."""
    announced = _names(words).announced.match(text.replace("’", "'"))
    return text[announced.end() :] if announced else text


def names_an_occasion(text: str, span: Span, words: Language) -> bool:
    """Whether somebody is named only for what is celebrated: "it's my mum's birthday"."""
    return _names(words).occasion.match(fold(text[span.end :])) is not None


def leading_name(text: str, words: Language, own: Container[str]) -> str:
    """The name that some words begin with: 'Ana' of 'Ana tomorrow'; `own` are the assistant's words."""
    end, known = 0, _names(words)
    things = known.own_things.search(fold(text))
    ends = things is not None and all(what is None or what in own for what in things.groups())
    for word in tokens(text[: things.start()] if things is not None and ends else text):
        if _ends_name(word.plain, known) and not (end and word.plain in known.particles):
            break
        end = word.end
        if word.stops:
            break
    return trimmed(text[:end])


def _ends_name(word: str, known: _Names) -> bool:
    """Whether a word cannot be part of a name."""
    odd = not word or any(letter.isdigit() or letter == "@" for letter in word)
    is_value = word in known.anchors and word not in known.names_too
    return odd or word in known.ends or word in known.no_names or is_value
