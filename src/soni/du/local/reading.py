"""Values in a sentence: which words are a value, and for which slot."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from soni.core.values.calendar_words import DAYS_IN, MONTHS_IN, SECONDS_IN
from soni.core.values.numerals import COUNT
from soni.du.local.encoder import encoder
from soni.du.local.options import option_in
from soni.du.local.reader import Read, Span
from soni.du.local.value_runs import ANCHORS, value_runs
from soni.du.local.words import fold, lexicon, same_stem, tokens, trimmed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from soni.config.models import SlotConfig
    from soni.du.context import DialogueContext
    from soni.du.local.cues import Cues
    from soni.du.local.words import Token

_ORDER = ("iban", "email", "phone", "datetime", "date", "time", "duration", "money", "number", "integer")
"""Which types are looked for first: those that cannot be mistaken for another."""
TELLING = 0.95
"""How sure of values that cannot be anything else: an option by name, an amount with its currency, '3 stars'."""
REPORTED = re.compile(
    r"\b(?:(?:tel|tell|let)l? (?:the \w+|them|him|her|your \w+)(?: know)?(?: that)?|(?:say|diga\w*) that|"
    r"(?:decid|deci|di|diga|digan)(?:le|les|lo|selo)?(?: (?:al?|a la) \w+)? que) (?P<said>.+)$"
)
"""Words to be passed on: 'tell the kitchen that …'."""
NUMBERS = ("money", "number", "integer")
_ARTICLES = lexicon("a an one un una uno unos unas the el la los las")
_SPANS = frozenset({*SECONDS_IN, *DAYS_IN, *MONTHS_IN}) - {"s", "m", "h", "d", "w"}
_UNIT = 3.0
_SHORT = 4
_BY_UNIT = "by what it is counted in"
_PLAIN_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_CODE = re.compile(r"0\d")
_MONEY = re.compile(r"[€$£¥]|\b(?:eur|euros?|usd|dollars?|dolares|bucks|pounds?|quid|libras?|pesos)\b")
_CLOCK = re.compile(
    r"\d\s*[:h.]\s*\d|\d\s*(?:am|pm|h)\b|a\.m|p\.m|noon|midnight|medio|clock|media|cuarto|quarter|half|morning|evening|night|noche|tarde|manana"
)
_NUMERAL = "|".join(sorted(COUNT, key=len, reverse=True))
_DATED = re.compile(rf"\d|^(?!(?:(?:the|el|los|las|la|dia|on|for|para) )*(?:{_NUMERAL})$)")
_BEFORE_TIMES = lexicon("at las la sobre by around hacia eso about")
_BEFORE_DATES = lexicon("on for el para this next")
_STOP = lexicon(
    "and y but pero or o with con from desde please por porfa favor pls plz thanks gracias today tomorrow hoy "
    "manana because porque que who whose su her his their now ahora on at is es for para the in to a via when "
    "cuando if si instead not no asap tonight ya then luego so e"
)
_RELATIVES = lexicon("my mi our nuestro nuestra un una a an the el la los las")
_NAMING = ("nombre de", "name of", "name is", "nombre es", "me llamo", "name's", "names", "booked as", "under")
_LONGEST_NAME = 4
_LONGEST_FULL_NAME = 6
_PARTICLES = lexicon("de del la las los el van von der den da di do dos du le y bin al san")
_NAMES_TOO = lexicon("may mar sol abril julio")
NO_NAMES = lexicon(
    "i i'm i'd i've me you it that this he she they we us him her them someone somebody anyone nobody nothing yes "
    "no ok okay hi hello hey thanks please what when where who how why which can could do does is are was will "
    "would my your hola gracias si vale que cuando donde quien como cual puede puedes quiero alguien nadie nada "
    "eso esto el ella none not later tomorrow today now fine sorry never wait well ninguno luego manana hoy ahora "
    "bien despues perdon perdona asi mejor otro otra another other cancel stop don't dont want be honest sure ver "
    "ellos ti hold on too much espera esperar alquiler rent quick it's its"
)


class CueReader:
    """The reader by rules: values that a type tells, options by name, names after words that announce them."""

    def __init__(self, cues: Cues) -> None:
        self._cues = cues

    def read(
        self,
        text: str,
        slots: Mapping[str, SlotConfig],
        context: DialogueContext,
        *,
        asked: str | None = None,
        flows: tuple[str, ...] = (),  # rules read values alike for every flow
    ) -> Read:
        words = tokens(text)
        found = self._typed(text, words, slots, context, asked)
        found += self._options(text, words, slots, found)
        found += self._reported(text, slots, found)
        found += self._names(text, words, slots, found, asked)
        return Read(sorted(found, key=lambda span: span.start))

    # Values of a type

    def _typed(
        self,
        text: str,
        words: list[Token],
        slots: Mapping[str, SlotConfig],
        context: DialogueContext,
        asked: str | None,
    ) -> list[Span]:
        found: list[Span] = []
        for kind in _ORDER:
            open_slots = {name: slot for name, slot in slots.items() if slot.type == kind}
            if not open_slots:
                continue
            numeric = kind in NUMBERS
            rivals = {name: slot for name, slot in slots.items() if slot.type in NUMBERS} if numeric else open_slots
            for first, last in value_runs(words, kind, context.reading.language):
                if len(open_slots) == 0:
                    break
                start, end = words[first].start, words[last].end
                said = trimmed(text[start:end])
                if _overlaps(start, end, found) or not self._plausible(kind, words, first, last, said, asked, slots):
                    continue
                slot = next(iter(open_slots.values()))
                if not parses(said, slot, context):
                    continue
                name, why = self._owner(kind, words, first, last, said, open_slots, rivals, context, asked)
                if name is not None and kind in NUMBERS and self._is_one_of_several(words, first, last, said, context):
                    break
                if name is not None:
                    found.append(Span(name, said, start, end, TELLING if why == _BY_UNIT else 0.9, why))
                    del open_slots[name]
        return found

    def _plausible(
        self,
        kind: str,
        words: list[Token],
        first: int,
        last: int,
        said: str,
        asked: str | None,
        slots: Mapping[str, SlotConfig],
    ) -> bool:
        """Whether words can be a value nobody asked for: 'una' is no amount then, nor '5' a time."""
        plain = fold(said)
        is_asked = asked is not None and slots[asked].type == kind if asked in slots else False
        if kind in NUMBERS:
            if all(word.plain in _ARTICLES for word in words[first : last + 1]):
                after = words[last + 1].plain if last + 1 < len(words) else ""
                return is_asked and len(words) <= last - first + 2 and after not in ("momento", "moment", "second")
            after = words[last + 1].plain if last + 1 < len(words) else ""
            if after in _SPANS and not any(same_stem(after, word) for word in self._cues.named[_first(slots, kind)]):
                return False  # "in 2 days"
            return not _CODE.match(plain) and not _is_piece(words, first, last)
        if kind == "date":
            after = words[last + 1].plain if last + 1 < len(words) else ""
            counted = last > first and words[last].plain.isdigit() and self._counts(after, slots)
            return _DATED.search(plain) is not None and not counted  # "the two of us", "on Saturday 5 people"
        if kind == "time" and first and self._announces_number(words[first - 1].plain, slots):
            return False  # "a table for four tonight"
        if kind == "time" and not is_asked:
            before = words[first - 1].plain if first else ""
            opens = words[first].plain
            return bool(_CLOCK.search(plain)) or before in _BEFORE_TIMES or opens in _BEFORE_TIMES
        return True

    def _is_one_of_several(
        self, words: list[Token], first: int, last: int, said: str, context: DialogueContext
    ) -> bool:
        """Whether there is another plain number, so that nothing tells which is meant: 'two payments of 50'."""
        if _MONEY.search(fold(said)) or self._counts(
            words[last + 1].plain if last + 1 < len(words) else "", context.slots
        ):
            return False
        others = (word for place, word in enumerate(words) if not first <= place <= last)
        return any(
            _PLAIN_NUMBER.fullmatch(word.plain) or (word.plain in COUNT and word.plain not in _ARTICLES)
            for word in others
        )

    def _counts(self, word: str, slots: Mapping[str, SlotConfig]) -> bool:
        """Whether a word is what some number of a slot counts: people, stars, nights."""
        return any(
            same_stem(word, other)
            for name, slot in slots.items()
            if slot.type in NUMBERS
            for other in self._cues.named[name]
        )

    def _announces_number(self, word: str, slots: Mapping[str, SlotConfig]) -> bool:
        return any(word in self._cues.before[name] for name, slot in slots.items() if slot.type == "integer")

    def _owner(
        self,
        kind: str,
        words: list[Token],
        first: int,
        last: int,
        said: str,
        slots: Mapping[str, SlotConfig],
        rivals: Mapping[str, SlotConfig],
        context: DialogueContext,
        asked: str | None,
    ) -> tuple[str | None, str]:
        """Which of the slots of a type a value is for; None if another one's words are beside it."""
        money = _MONEY.search(fold(said)) is not None
        before = [word.plain for word in words[max(0, first - 4) : first]]
        after = [word.plain for word in words[last + 1 : last + 3]]
        inside = [word.plain for word in words[first : last + 1]]
        scores: dict[str, float] = {}
        for name, slot in rivals.items():
            naming = self._cues.named[name]
            score = _UNIT * any(same_stem(word, other) for word in after[:1] for other in naming)
            score += 1.5 * any(same_stem(word, other) for word in before[-3:] for other in naming)
            score += 1.5 * bool(set(before[-1:] + inside[:1]) & self._cues.before[name])
            score += 1.2 * (name == asked) + 0.4 * (name not in context.filled)
            if money and slot.type in NUMBERS:
                score += 3.0 if slot.type == "money" else -3.0
            scores[name] = score
        best = max(scores.values())
        leading = [name for name, score in scores.items() if score == best]
        name = leading[0]
        if name not in slots or (len(leading) > 1 and best < 1.0 and kind in NUMBERS and len(rivals) > 1):
            return None, ""
        told = money or kind not in ("integer", "number", "money", "time") or best >= _UNIT
        return name, _BY_UNIT if told else "by its type" if len(rivals) == 1 else "by its type and the words around it"

    # Options of a choice

    def _options(self, text: str, words: list[Token], slots: Mapping[str, SlotConfig], taken: list[Span]) -> list[Span]:
        found: list[Span] = []
        for name, slot in slots.items():
            if slot.type != "choice":
                continue
            hit = option_in(words, slot)
            if hit is None:
                continue
            first, last, option, confidence = hit
            start, end = words[first].start, words[last].end
            if not _overlaps(start, end, taken + found):
                said = trimmed(text[start:end])
                found.append(Span(name, option, start, end, confidence, f"'{said}' is one of its options"))
        return found

    # Words

    def _reported(self, text: str, slots: Mapping[str, SlotConfig], taken: list[Span]) -> list[Span]:
        """What is to be passed on belongs into the one slot that takes any words."""
        free = [name for name, slot in slots.items() if slot.type == "text" and name not in self._cues.names]
        hit = REPORTED.search(fold(text)) if len(free) == 1 and not slots[free[0]].sensitive else None
        if hit is None or _overlaps(hit.start("said"), hit.end("said"), taken):
            return []
        start, end = hit.span("said")
        return [Span(free[0], trimmed(text[start:end]), start, end, 0.8, "words to be passed on")]

    # Names

    def _names(
        self, text: str, words: list[Token], slots: Mapping[str, SlotConfig], taken: list[Span], asked: str | None
    ) -> list[Span]:
        wanted = [name for name in slots if name in self._cues.names and not slots[name].sensitive]
        found: list[Span] = []
        for first, last, cue in _name_runs(text, words, taken):
            if not wanted:
                break
            start, end = words[first].start, words[last].end
            said = trimmed(text[start:end])
            scores = {name: self._name_score(name, words, first, cue, said, asked, len(wanted)) for name in wanted}
            name = max(scores, key=lambda one: scores[one])
            if scores[name] >= 1.0:
                found.append(
                    Span(
                        name,
                        said,
                        start,
                        end,
                        min(0.5 + 0.2 * scores[name], 0.9),
                        f"after '{words[first - 1].plain}'" if first else "a name",
                    )
                )
                wanted.remove(name)
        return found

    def _name_score(
        self, name: str, words: list[Token], first: int, cue: frozenset[str], said: str, asked: str | None, rivals: int
    ) -> float:
        capital = said[:1].isupper() and first > 0
        naming = self._cues.called[name]
        named = any(same_stem(word.plain, other) for word in words[max(0, first - 4) : first] for other in naming)
        said_before = " ".join(word.plain for word in words[max(0, first - 3) : first])
        announced = bool(cue & self._cues.before[name]) or said_before.endswith(_NAMING)
        if set(fold(said).split()) <= self._cues.vocabulary:
            return 0.0
        if not capital and (not announced or self._cues.vocabulary & set(fold(said).split())):
            return 0.0
        common = not capital and name != asked and len(words) >= _SHORT
        if common and any(encoder().knows(word) for word in said.split()):
            return 0.0  # 'to maria' names somebody, 'I would like to arrange' does not
        return 1.0 * announced + 1.0 * named + 0.7 * capital + 0.7 * (name == asked) + 0.3 * (rivals == 1)


def _is_piece(words: list[Token], first: int, last: int) -> bool:
    """Whether a number goes on before or behind: 'two' is not the value of 'two fifty'."""
    beside = [words[place] for place in (first - 1, last + 1) if 0 <= place < len(words)]
    if first and words[first - 1].stops:
        beside = beside[1:]
    if words[last].stops and last + 1 < len(words):
        beside = beside[:-1]
    return any(word.plain in COUNT and word.plain not in _ARTICLES for word in beside)


def _first(slots: Mapping[str, SlotConfig], kind: str) -> str:
    return next(name for name, slot in slots.items() if slot.type == kind)


def parses(text: str, slot: SlotConfig, context: DialogueContext) -> bool:
    """Whether the words are a value of the slot's type."""
    try:
        slot.value_type.parse(text, context.reading)
    except ValueError:
        return False
    return True


def _overlaps(start: int, end: int, spans: list[Span]) -> bool:
    return any(start < span.end and span.start < end for span in spans)


def _name_runs(text: str, words: list[Token], taken: list[Span]) -> Iterator[tuple[int, int, frozenset[str]]]:
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
    return text[word.start].isupper() and (word.plain not in ANCHORS or word.plain in _NAMES_TOO)


def _name_at(text: str, words: list[Token], place: int, taken: list[Span]) -> tuple[int, int] | None:
    first = place
    while first < len(words) and words[first].plain in _RELATIVES and first - place < 2:
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
        if bad or not word.plain or _overlaps(word.start, word.end, taken):
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
    small = [fold(word) in _PARTICLES for word in words]
    return (
        0 < len(words) <= 6
        and capitals[0]
        and capitals[-1]
        and all(a or b for a, b in zip(capitals, small, strict=True))
    )


def leading_name(text: str) -> str:
    """The name that some words begin with: 'Ana' of 'Ana tomorrow'."""
    end = 0
    for word in tokens(text):
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
