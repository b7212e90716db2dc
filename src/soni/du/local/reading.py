"""Values in a sentence: which words are a value, and for which slot."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from soni.core.values.numerals import numerals
from soni.core.values.vocabulary import vocabulary
from soni.du.local.encoder import encoder
from soni.du.local.names import name_runs
from soni.du.local.options import option_in
from soni.du.local.people import people_in
from soni.du.local.spans import Span, overlaps
from soni.du.local.value_runs import anchors, value_runs
from soni.du.local.words import fold, same_stem, tokens, trimmed
from soni.languages import any_of, built

if TYPE_CHECKING:
    from collections.abc import Mapping

    from soni.config.models import SlotConfig
    from soni.du.context import DialogueContext
    from soni.du.local.cues import Cues
    from soni.du.local.words import Token
    from soni.languages import Language

_ORDER = ("iban", "email", "phone", "datetime", "date", "time", "duration", "money", "number", "integer")
"""Which types are looked for first: those that cannot be mistaken for another."""
TELLING = 0.95
"""How sure of values that cannot be anything else: an option by name, an amount with its currency, '3 stars'."""
NUMBERS = ("money", "number", "integer")
_UNIT = 3.0
_SHORT = 4
_BY_UNIT = "by what it is counted in"
_PLAIN_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_CODE = re.compile(r"0\d")


class _Cues:
    """What tells values apart in some languages."""

    def __init__(self, words: Language) -> None:
        said, names, courtesies = words.calendar, words.names, words.courtesies
        self.count = numerals(words).count
        self.articles = frozenset(words.numbers.no_count)
        self.spans = {span for span in (*said.seconds_in, *said.days_in, *said.months_in) if len(span) > 1}
        self.moment = frozenset(courtesies.moment)
        self.money = re.compile(rf"[€$£¥]|\b(?:eur|usd|{any_of(words.money.plain_coins)})\b")
        self.clock = re.compile(rf"\d\s*[:h.]\s*\d|\d\s*(?:am|pm|h)\b|a\.m|p\.m|{any_of(said.clock_words)}")
        self.before_numerals = frozenset(said.before_numerals)
        self.before_times = frozenset(said.before_times)
        self.naming = tuple(names.naming)
        self.reported = re.compile(rf"\b{any_of(names.reported)} (?P<said>.+)")
        self.night = re.compile(rf"\b{any_of(said.tonight)}\b")
        self.noon = re.compile(rf"\b{any_of(said.at_lunch)}\b")
        article = any_of(names.place_article)
        self.place = re.compile(rf"\b{any_of(names.place_before)}(?: {article})?(?: [^\W\d]+){{1,2}}? $")
        self.preposition = re.compile(rf"\b{any_of(names.plain_place_before)} $")

    def is_number(self, folded: str) -> bool:
        """Whether words are only a number, with an article or a preposition: no date, unless in digits."""
        said = folded.split()
        while said and said[0] in self.before_numerals:
            said.pop(0)
        return " ".join(said) in self.count


_cues = built(_Cues)


def reported(words: Language) -> re.Pattern[str]:
    """Words to be passed on: 'tell the kitchen that …'."""
    return _cues(words).reported


class CueReader:
    """The reader by rules: values that a type tells, options by name, names after words that announce them."""

    def __init__(self, cues: Cues, words: Language) -> None:
        self._cues, self._words = cues, words
        self._known = _cues(words)

    def read(
        self,
        text: str,
        slots: Mapping[str, SlotConfig],
        context: DialogueContext,
        *,
        asked: str | None = None,
    ) -> list[Span]:
        """The values of these slots that the text has, in the order of its words."""
        words = tokens(text)
        found = self._typed(text, words, slots, context, asked)
        found += self._options(text, words, slots, found)
        found += self._reported(text, slots, found)
        found += self._names(text, words, slots, found, asked)
        return sorted(found, key=lambda span: span.start)

    # Values of a type

    def _typed(
        self,
        text: str,
        words: list[Token],
        slots: Mapping[str, SlotConfig],
        context: DialogueContext,
        asked: str | None,
    ) -> list[Span]:
        found = self._people(text, slots)
        listed = {span.slot for span in found}
        for kind in _ORDER:
            open_slots = {name: slot for name, slot in slots.items() if slot.type == kind and name not in listed}
            if not open_slots:
                continue
            numeric = kind in NUMBERS
            rivals = {name: slot for name, slot in slots.items() if slot.type in NUMBERS} if numeric else open_slots
            for first, last in value_runs(words, kind, context.reading):
                if len(open_slots) == 0:
                    break
                start, end = words[first].start, words[last].end
                said = trimmed(text[start:end])
                if overlaps(start, end, found) or not self._plausible(kind, words, first, last, said, asked, slots):
                    continue
                slot = next(iter(open_slots.values()))
                if not parses(said, slot, context):
                    continue
                name, why = self._owner(kind, words, first, last, said, open_slots, rivals, context, asked)
                if (
                    name is not None
                    and kind in NUMBERS
                    and self._is_one_of_several(words, first, last, said, context, found)
                ):
                    break
                if name is not None:
                    found.append(Span(name, said, start, end, TELLING if why == _BY_UNIT else 0.9, why))
                    del open_slots[name]
        return found

    def _people(self, text: str, slots: Mapping[str, SlotConfig]) -> list[Span]:
        """Everybody who comes, for the one number of people that is wanted: 'my wife and I'."""
        heads = [name for name, slot in slots.items() if slot.type in NUMBERS and self._cues.counts_people(name)]
        listed = people_in(text, self._words) if len(heads) == 1 else None
        if listed is None:
            return []
        count, start, end = listed
        return [Span(heads[0], trimmed(text[start:end]), start, end, TELLING, "all who come", value=str(count))]

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
        """Whether words can be a value nobody asked for: 'one' is no amount then, nor '5' a time."""
        plain = fold(said)
        is_asked = asked is not None and slots[asked].type == kind if asked in slots else False
        if kind in NUMBERS:
            if all(word.plain in self._known.articles for word in words[first : last + 1]):
                after = words[last + 1].plain if last + 1 < len(words) else ""
                return is_asked and len(words) <= last - first + 2 and after not in self._known.moment
            after = words[last + 1].plain if last + 1 < len(words) else ""
            if after in self._known.spans and not any(
                same_stem(after, word) for word in self._cues.named[_first(slots, kind)]
            ):
                return False  # "in 2 days"
            return not _CODE.match(plain) and not self._is_piece(words, first, last)
        if kind == "date":
            after = words[last + 1].plain if last + 1 < len(words) else ""
            counted = last > first and words[last].plain.isdigit() and self._counts(after, slots)
            return not self._known.is_number(plain) and not counted  # "the two of us", "on Saturday 5 people"
        if kind == "time" and first and self._announces_number(words[first - 1].plain, slots):
            return False  # "a table for four tonight"
        if kind == "time" and not is_asked:
            before = words[first - 1].plain if first else ""
            opens = words[first].plain
            return bool(self._known.clock.search(plain)) or bool({before, opens} & self._known.before_times)
        return True

    def _is_one_of_several(
        self, words: list[Token], first: int, last: int, said: str, context: DialogueContext, found: list[Span]
    ) -> bool:
        """Whether there is another plain number, so that nothing tells which is meant: 'two payments of 50'."""
        if self._known.money.search(fold(said)) or self._counts(
            words[last + 1].plain if last + 1 < len(words) else "", context.slots
        ):
            return False
        others = (
            word
            for place, word in enumerate(words)
            if not (first <= place <= last or overlaps(word.start, word.end, found))
        )
        return any(_PLAIN_NUMBER.fullmatch(word.plain) or self._is_number(word) for word in others)

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
        money = self._known.money.search(fold(said)) is not None
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
            hit = option_in(words, slot, self._words)
            if hit is None:
                continue
            first, last, option, confidence = hit
            start, end = words[first].start, words[last].end
            if not overlaps(start, end, taken + found):
                said = trimmed(text[start:end])
                found.append(Span(name, said, start, end, confidence, "one of its options", value=option))
        return found

    # Words

    def _reported(self, text: str, slots: Mapping[str, SlotConfig], taken: list[Span]) -> list[Span]:
        """What is to be passed on belongs into the one slot that takes any words."""
        free = [name for name, slot in slots.items() if slot.type == "text" and name not in self._cues.names]
        hit = self._known.reported.search(fold(text)) if len(free) == 1 and not slots[free[0]].sensitive else None
        if hit is None or overlaps(hit.start("said"), hit.end("said"), taken):
            return []
        start, end = hit.span("said")
        return [Span(free[0], trimmed(text[start:end]), start, end, 0.8, "words to be passed on")]

    # Names

    def _names(
        self, text: str, words: list[Token], slots: Mapping[str, SlotConfig], taken: list[Span], asked: str | None
    ) -> list[Span]:
        wanted = [name for name in slots if name in self._cues.names and not slots[name].sensitive]
        found: list[Span] = []
        for first, last, cue in name_runs(text, words, taken, self._words):
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
        announced = bool(cue & self._cues.before[name]) or said_before.endswith(self._known.naming)
        if set(fold(said).split()) <= self._cues.vocabulary:
            return 0.0
        if not capital and (not announced or self._cues.vocabulary & set(fold(said).split())):
            return 0.0
        common = not capital and name != asked and len(words) >= _SHORT
        if common and any(encoder().knows(word) for word in said.split()):
            return 0.0  # 'to maria' names somebody, 'I would like to arrange' does not
        return 1.0 * announced + 1.0 * named + 0.7 * capital + 0.7 * (name == asked) + 0.3 * (rivals == 1)

    def _is_number(self, word: Token) -> bool:
        return word.plain in self._known.count and word.plain not in self._known.articles

    def _is_piece(self, words: list[Token], first: int, last: int) -> bool:
        """Whether a number goes on before or behind: 'two' is not the value of 'two fifty'."""
        beside = [words[place] for place in (first - 1, last + 1) if 0 <= place < len(words)]
        if first and words[first - 1].stops:
            beside = beside[1:]
        if words[last].stops and last + 1 < len(words):
            beside = beside[:-1]
        return any(map(self._is_number, beside))


def _first(slots: Mapping[str, SlotConfig], kind: str) -> str:
    return next(name for name, slot in slots.items() if slot.type == kind)


_LUNCH = range(1, 6)
"""Hours of a clock at which people have lunch, other than those that are so by themselves."""


def by_part_of_day(words: str, text: str, slot: SlotConfig, context: DialogueContext) -> str:
    """A time with the part of the day that is said elsewhere: 'tonight at 9' is at nine in the evening."""
    if not parses(words, slot, context):
        return words  # the slot's own words say what is wrong with it
    known, own = _cues(context.reading.words), context.reading.own.calendar
    if known.night.search(fold(text)) and not known.night.search(fold(words)):
        said = f"{words} {own.said_at_night[0]}"
    elif known.noon.search(fold(text)) and slot.value_type.parse(words, context.reading).hour in _LUNCH:
        said = f"{words} {own.said_in_the_afternoon[0]}"
    else:
        return words
    return said if parses(said, slot, context) else words


def with_place(words: str, text: str, known: Language) -> str:
    """What is told of a time with the place that stands before it: 'on the tube this morning'."""
    start, said = text.find(words), [word.plain for word in tokens(words)]
    if start <= 0 or not any(word in anchors(known) for word in said):
        return words
    cues, values = _cues(known), vocabulary(known).words
    hit = (cues.place if all(word in values for word in said) else cues.preposition).search(fold(text[:start]))
    return text[hit.start() : start + len(words)] if hit else words


def parses(text: str, slot: SlotConfig, context: DialogueContext) -> bool:
    """Whether the words are a value of the slot's type."""
    try:
        slot.value_type.parse(text, context.reading)
    except ValueError:
        return False
    return True
