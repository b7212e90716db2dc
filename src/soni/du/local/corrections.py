"""Words that take something back: 'I meant 300', 'to Ana, not Anna', 'change the recipient'."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from soni.core.values.numerals import numerals
from soni.du.local.words import content, fold, trimmed
from soni.languages import any_of, built, filled, longest_first

if TYPE_CHECKING:
    from collections.abc import Mapping

    from soni.config.models import SlotConfig
    from soni.du.local.cues import Cues
    from soni.languages import Language

_MOST_WORDS = 16
_MOST_DENIED = 7
_MOST_TAKEN_BACK = 6
"""How often each way to take something back is looked for in one message."""


class _Corrections:
    """The words that take something back in some languages."""

    def __init__(self, words: Language) -> None:
        said = words.corrections
        number = rf"(?:\d[\d.,]{{0,15}}|{any_of(longest_first(_number_words(words)))})"
        currency = rf"(?:\s*(?:{any_of(said.plain_coins)}|€))?"
        repair = (
            rf"(?:[,.;]|\.\.\.?)?\s(?:{any_of(said.interjections)}[,\s]{{1,3}}){{0,3}}"
            rf"(?:(?:{any_of(said.not_said)}[,\s]{{1,3}})?(?:{any_of(said.sorry)}[,\s]{{1,3}})?{any_of(said.repair)}"
            rf"|{any_of(said.not_said)})\b[,\s]{{1,3}}"
        )
        name, end = r"[^\W\d]{1,30}", r"[\s.!]{0,9}$"
        self.repaired = (
            re.compile(rf"\b{number}{currency}{repair}(?=(?:\w+\s)?{number}\b)"),
            *(
                re.compile(rf"(?<=\b{re.escape(to)} ){name}{repair}(?=(?:{re.escape(to)} )?{name}{end})")
                for to in said.before_name
            ),
        )
        """What is put right while it is said: '50, no wait 60', 'to Ana, sorry, María'."""
        between = any_of(said.between_changes)
        self.repaired_later = re.compile(
            rf"\b(?P<old>{number}{currency})(?:\s+(?!{between}\b)[^\W\d]+){{1,5}}?(?P<mark>{repair})"
            rf"(?=(?:\w+\s)?{number}\b)"
        )
        """'20 to Tom, no wait, 25'."""
        self.neither = re.compile(
            rf"(?P<new>{number}{currency})(?: {any_of(said.better)})?[,;]?\s+"
            rf"(?:{any_of(said.neither_joins)} )?{any_of(said.neither)}\s+(?P<old>{number})(?!\w)"
        )
        """'70, not 60': which of them is meant tells what was said before."""
        self.negated = tuple(map(re.compile, said.negated))
        marks = "|".join(rf"(?<={re.escape(word)})" for word in _marks(words))
        self.also_negated = (
            re.compile(rf"(?:(?<=\d)|{marks})\s+{any_of(said.out_of)}\s+(?:{any_of(said.best_marks)}|5|10)\b"),
            *map(re.compile, said.also_negated),
        )
        self.mark = re.compile(
            rf"^(?:{any_of(said.before_mark)}[\s,.!]+)*{any_of(said.mark)}\b[\s,.!:]*"
            rf"(?:{any_of(said.after_mark)}\b[\s,.!:]*)*"
        )
        self.anywhere = re.compile(rf"\b{any_of(said.anywhere)}\b")
        self.change = re.compile(rf"\b{any_of(said.change)}\s(?P<parts>.+)")
        self.polite_end = re.compile(rf"[\s,]{{0,3}}{any_of(said.polite_end)}?[\s.!?]{{0,9}}$")
        that = f"(?:{any_of(said.that)} )?"
        hesitation = rf"(?:{any_of(said.hesitation)}[\s,.!]{{1,3}}{that}){{0,3}}"
        self.wrong = tuple(re.compile(f"^(?:{filled(pattern, hesitation=hesitation)})") for pattern in said.wrong)
        self.other = re.compile(
            rf"^(?:(?:\w+[\s,.!]+){{0,5}}?){any_of(said.other)} (?P<what>[a-z]+)(?: {any_of(said.other_end)})*[\s.!?]*$"
        )
        """'Can we do a different time?'"""
        joined = any_of(said.between_parts)
        self.between_parts = re.compile(rf"\s?(?:,|\b{joined}\b)\s?(?={any_of(said.the_next)} )")
        self.end_of_part = re.compile(rf"[\s,]{{1,3}}(?:{joined}[\s,]{{0,3}})?$")
        self.part = re.compile(
            rf"^(?:{any_of(said.the)} )?(?P<what>[\w ]{{1,40}}?)(?:\s{any_of(said.into)}\s(?P<value>.+))?$"
        )
        self.relative = re.compile(rf"\b{any_of(said.relative)}\b")
        self.absolute = re.compile(
            rf"\b{any_of(said.absolute_verbs)}\b[^,.;\d]{{0,60}}\b{any_of(said.absolute_to)} {number}\b"
            rf"|\b{any_of(said.absolute)} {number}\b|^{any_of(said.all_but)}\b"
        )
        """'Lower it to 80', 'a zero too many, it is 40': the new one all the same."""
        before = rf"^\W*(?:{any_of(said.what_is_before)} )*"
        self.what_is = tuple(re.compile(before + pattern) for pattern in said.what_is)
        self.somebody = frozenset(said.somebody)
        self.could = re.compile(rf"^(?:\w+[\s,.!]+){{0,2}}{any_of(said.could)}\b")


def _number_words(words: Language) -> frozenset[str]:
    """The words of numbers, but those that are much else besides."""
    return numerals(words).words.difference(words.numbers.a, words.numbers.tens_and, words.corrections.not_said)


def _marks(words: Language) -> list[str]:
    """The words for one to five, which are given as marks."""
    return [word for word, number in words.numbers.units.items() if 1 <= number <= 5]


_corrections = built(_Corrections)


def correction_words(words: Language) -> frozenset[str]:
    """Words that take something back, for slips of the keyboard to be put right."""
    return frozenset(words.corrections.words)


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be changed, in the person's word for it, and into what, if that was said."""

    what: str
    value: str | None


def named_changes(text: str, words: Language) -> list[Change]:
    """'Change the amount to 60 and the recipient to María', 'the IBAN is wrong': what is named, each on its own."""
    folded, known = fold(text), _corrections(words)
    wrong = next(filter(None, (pattern.match(folded) for pattern in (*known.wrong, known.other))), None)
    named = [Change(wrong["what"], None)] if wrong else []
    hit = known.change.search(folded)
    return [*named, *(_parts(text, hit, known) if hit and len(content(text)) <= _MOST_WORDS else [])]


def _parts(text: str, hit: re.Match[str], known: _Corrections) -> list[Change]:
    begin, end = hit.span("parts")  # folding keeps every letter in its place
    polite = known.polite_end.search(hit.group("parts"))
    end = begin + polite.start() if polite else end
    cuts = [begin, *(begin + cut.end() for cut in known.between_parts.finditer(hit.group("parts")[: end - begin])), end]
    changes = []
    for first, last in pairwise(cuts):
        written = known.end_of_part.sub("", text[first:last])
        if part := known.part.match(fold(written)):
            value = trimmed(written[slice(*part.span("value"))]) if part.group("value") else None
            changes.append(Change(part.group("what"), value))
    return changes


def not_meant(text: str, words: Language) -> list[str]:
    """What the words say is not meant: 'eight' in 'nine instead of eight'."""
    negated = _corrections(words).negated
    return [trimmed(text[slice(*hit.span("x"))]) for pattern in negated if (hit := pattern.search(fold(text)))]


def taken_back(text: str, words: Language) -> str | None:
    """What is said in place of something said before; None if nothing shows that anything is taken back."""
    folded, known = fold(text), _corrections(words)
    if len(content(text)) > _MOST_WORDS or ("?" in text and not known.could.match(folded)):
        return None
    if not positive(text, words):
        return None  # only what is not meant was said
    rest, removed = _without_negated(text, known)
    mark = known.mark.match(folded)
    anywhere = known.anywhere.search(folded)
    if not removed and mark is None and anywhere is None:
        return None
    lead = known.mark.match(fold(rest))
    rest = rest[lead.end() :] if lead else rest
    rest = _cut(rest, known.anywhere)
    return trimmed(" ".join(rest.split())) or None


def instead_of(text: str, words: Language) -> tuple[str, str] | None:
    """Two numbers of which one is not meant, in the order they are said: '70, not 60'."""
    hit = _corrections(words).neither.search(fold(text))
    return (trimmed(text[slice(*hit.span("new"))]), text[slice(*hit.span("old"))]) if hit else None


def says_so(text: str, words: Language) -> bool:
    """Whether the words say outright that something else was meant."""
    known = _corrections(words)
    return _without_negated(text, known)[1] or known.anywhere.search(fold(text)) is not None


def positive(text: str, words: Language) -> str:
    """The text without what it says is not meant, blanks in its place; empty if it says only that."""
    known = _corrections(words)
    for _ in range(_MOST_TAKEN_BACK):
        if (later := known.repaired_later.search(fold(text))) is None:
            break
        for first, last in (later.span("old"), later.span("mark")):
            text = text[:first] + _blank(last - first) + text[last:]
    for pattern in (*known.repaired, *known.negated, *known.also_negated):
        for _ in range(_MOST_TAKEN_BACK):
            if (hit := pattern.search(fold(text))) is None or _is_story(hit):
                break
            text = text[: hit.start()] + _blank(len(hit.group())) + text[hit.end() :]
    return text if trimmed(text) else ""


def _is_story(hit: re.Match[str]) -> bool:
    """Whether far more is denied than a value: 'not to come on Friday can you take my table off …'."""
    return len((hit.groupdict().get("x") or "").split()) > _MOST_DENIED


def _blank(length: int) -> str:
    """Nothing, as long as what it takes the place of."""
    return " , "[:length].ljust(length) if length > 2 else " " * length


def _without_negated(text: str, known: _Corrections) -> tuple[str, bool]:
    """The text without what it says is not meant."""
    removed = False
    for pattern in known.negated:
        hit = pattern.search(fold(text))
        if hit is not None:
            left = text[: hit.start()] + " , " + text[hit.end() :]
            if trimmed(left):
                text, removed = left, True
    return text, removed


def is_relative(text: str, words: Language) -> bool:
    """Whether an amount in the text is about something else, or only a part of the new one."""
    folded, known = fold(text), _corrections(words)
    return known.relative.search(folded) is not None and known.absolute.search(folded) is None


def _cut(text: str, pattern: re.Pattern[str]) -> str:
    pieces, start = [], 0
    for match in pattern.finditer(fold(text)):
        pieces.append(text[start : match.start()])
        start = match.end()
    return " ".join([*pieces, text[start:]])


def asked_about(text: str, slot: str, cues: Cues, words: Language) -> bool:
    """Whether a question is about the very thing that was asked for, such as 'what even is an IBAN?'."""
    folded = fold(text)
    hits = filter(None, (pattern.match(folded) for pattern in _corrections(words).what_is))
    return any(hit["x"] in cues.named.get(slot, set()) for hit in hits)


def called(name: str, slot: SlotConfig, cues: Cues, words: Language) -> frozenset[str]:
    """The words that a slot goes by: its name, its description, what its type is called."""
    is_called = frozenset(cues.named[name]).union(words.names.of_type.get(slot.type, ()))
    return is_called | _corrections(words).somebody if name in cues.names else is_called


def named(what: str, slots: Mapping[str, SlotConfig], cues: Cues, words: Language) -> str | None:
    """The one slot that these words name: by its name, its description, or what its type is called."""
    said = set(content(what)).difference(words.names.hollow)
    scores = {name: len(said & called(name, slot, cues, words)) for name, slot in slots.items()}
    best = max(scores.values(), default=0)
    found = [name for name, score in scores.items() if score == best and score]
    return found[0] if len(found) == 1 else None
