"""Numbers in digits and in words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from soni.core.values.locales import comma_is_decimal
from soni.languages import any_of, built, language, longest_first

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from soni.core.values.value import Reading
    from soni.languages import Language
    from soni.languages.sections import Numbers

LARGEST = 10**15
"""No quantity said in a conversation is larger; below it floats and 64-bit integers are exact enough."""

_MOST_GROUPS = 1000
_DIGITS = re.compile(r"\d+(?:[.,]\d+)?|[.,]\d+|\d{1,3}(?:([., ])\d{3})+(?:[.,]\d+)?", re.ASCII)
_JOINT = re.compile("[- ]")
_WITH_SCALE = re.compile(r"(\d[\d.,]*) ?([a-z]+)", re.ASCII)

# How many digits may still follow in the group of three being read.
_NOTHING, _UNIT, _TEN, _HUNDRED = 0, 10, 100, 1000


@dataclass(frozen=True, slots=True)
class Numerals:
    """The words for numbers of the languages that are read."""

    count: Mapping[str, int]
    """The words for zero to ninety-nine, for the grammars of clock and calendar."""
    ordinals: Mapping[str, int]
    """First to thirty-ninth, in words and as 1st or 1º, folded."""
    fractions: Mapping[str, Decimal]
    """Halves and quarters, as said before the thing they are of or after "and"."""
    words: frozenset[str]
    """Every word of a number."""
    said: Numbers
    """The entries of the languages."""
    units: Mapping[str, int]
    teens: Mapping[str, int]
    tens: Mapping[str, int]
    several_words: re.Pattern[str]
    """Numbers below a hundred that are written as several words: dix-sept."""
    fixed: Mapping[str, Decimal]
    couples: frozenset[str]
    big: Mapping[str, int]
    groups: Mapping[str, int]
    after_digits: Mapping[str, int]
    minus: tuple[str, ...]
    parts: Mapping[str, Decimal]
    part_endings: tuple[str, ...]
    point: re.Pattern[str]


@built
def numerals(words: Language) -> Numerals:
    """The numerals of some languages."""
    said = words.numbers
    big = {**dict.fromkeys(said.hundred_counted, 100), **said.scales}
    groups = {**said.short_scales, **said.groups}
    parts = {f" {part}": value for part, value in said.and_a_part.items()}
    return Numerals(
        count=_of_each(words, _count),
        ordinals=_of_each(words, _ordinals),
        fractions=said.fractions,
        words=_words_of(said) - frozenset(words.calendar.joining),
        said=said,
        units=_as_one_word(said.units),
        teens=_as_one_word(said.teens),
        tens=_as_one_word(said.tens),
        several_words=_several_words((*said.units, *said.teens, *said.tens)),
        fixed={**dict.fromkeys(said.couples, Decimal(2)), **dict.fromkeys(said.zero, Decimal(0)), **said.fixed},
        couples=frozenset(said.couples),
        big=big,
        groups=groups,
        after_digits={**big, **said.short_scales},
        minus=tuple(f"{word} " for word in said.minus),
        parts=parts,
        part_endings=tuple(parts),
        point=re.compile(f" {any_of(said.point)} "),
    )


def _as_one_word(table: Mapping[str, int]) -> dict[str, int]:
    return {_JOINT.sub("_", word): value for word, value in table.items()}


def _several_words(words: Iterable[str]) -> re.Pattern[str]:
    several = {_JOINT.sub(" ", word) for word in words if _JOINT.search(word)}
    return re.compile(rf"\b{any_of(longest_first(several))}\b")


def _of_each(words: Language, table: Callable[[Numbers], dict[str, int]]) -> dict[str, int]:
    """What each language makes of its own words: nobody joins the words of two languages in one number."""
    together: dict[str, int] = {}
    for code in words.codes:
        together |= table(language(code).numbers)
    return together


def _count(said: Numbers) -> dict[str, int]:
    plain = {**dict.fromkeys(said.zero, 0), **said.units, **said.teens, **said.tens}
    counted = {form: value for word, value in plain.items() for form in (word, _JOINT.sub(" ", word))}
    joints = [f" {word} " for word in said.tens_and] if said.tens_and else [" ", "-"]
    for ten, tens in said.tens.items():
        for unit, value in said.units.items():
            for joint in joints:
                counted[f"{ten}{joint}{unit}"] = tens + value
    return counted


def _ordinals(said: Numbers) -> dict[str, int]:
    ordinals = dict(said.ordinals)
    for word, value in said.ordinals.items():
        if value < 10:
            for ten, tens in said.ordinal_tens.items():
                ordinals[f"{ten}-{word}"] = ordinals[f"{ten} {word}"] = tens + value
    for value in range(1, 100):
        for ending in said.ordinal_endings:
            ordinals[f"{value}{ending}"] = value
    return ordinals


def _words_of(said: Numbers) -> frozenset[str]:
    """Every word of a number, taken apart where a phrase has several."""
    lists = (said.zero, said.hundred_alone, said.hundred_counted, said.couples)
    tables = (said.units, said.teens, said.tens, said.hundreds, said.scales, said.groups, said.after_a_couple)
    phrases = {*(word for words in lists for word in words), *(word for table in tables for word in table)}
    return frozenset(word for phrase in (*phrases, *said.fractions, *said.ordinals) for word in phrase.split())


def number_in(phrase: str, reading: Reading) -> Decimal | None:
    """The number a folded phrase is, in digits or words; None if it is none."""
    known = numerals(reading.words)
    sign = 1
    if phrase[:1] in ("-", "+"):
        sign = -1 if phrase[0] == "-" else 1
        phrase = phrase[1:].lstrip()
    elif phrase.startswith(known.minus):
        sign = -1
        phrase = phrase.partition(" ")[2]
    if not phrase or phrase in reading.own.numbers.not_numbers:
        return None
    value = _unsigned(phrase, known, reading.language)
    if value is None or value >= LARGEST:
        return None
    return sign * value


def decimals_written(number: Decimal) -> int:
    """How many decimals the number was written with; 1.000 has three, though it is one."""
    exponent = number.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _unsigned(phrase: str, known: Numerals, code: str) -> Decimal | None:
    if phrase.endswith(known.part_endings):
        return _and_a_part(phrase, known, code)
    in_digits = phrase[0].isdigit() or phrase[0] in ".,"
    value = _digits(phrase, known, code) if in_digits else _words(phrase, known)
    return value if value is not None or " " not in phrase else _multiple(phrase, known, code)


def _and_a_part(phrase: str, known: Numerals, code: str) -> Decimal | None:
    """A number and a half, or a quarter; of a million or a dozen when that is what was counted."""
    ending = next(ending for ending in known.part_endings if phrase.endswith(ending))
    whole = phrase.removesuffix(ending)
    counted = _unsigned(whole, known, code)
    if counted is None or decimals_written(counted):
        return None
    last = whole.rpartition(" ")[2]
    unit = 1 if last in known.said.scales_without_half else known.groups.get(last, known.said.scales.get(last, 1))
    return (counted + unit * known.parts[ending]).normalize()


def _multiple(phrase: str, known: Numerals, code: str) -> Decimal | None:
    """So many of a round number: two dozen, a couple of hundred, half a million."""
    said, _, word = phrase.rpartition(" ")
    if word in known.said.of:  # as if what is counted followed: "a couple of"
        is_counted = said in known.couples or said.rpartition(" ")[2] in known.groups
        return _unsigned(said, known, code) if is_counted else None
    before, _, joint = said.rpartition(" ")
    couple = (before if joint in known.said.of else said) in known.couples
    round_number = known.groups.get(word) or known.big.get(word)
    if round_number is None and couple:
        round_number = known.said.after_a_couple.get(word)
    if round_number is None:
        return None
    count = Decimal(2) if couple else Decimal(1) if said in known.said.a else known.fractions.get(said)
    if count is None:
        count = _unsigned(said, known, code)
    most = _MOST_GROUPS if word in known.groups else round_number
    return (count * round_number).normalize() if count is not None and 0 < count < most else None


def _digits(phrase: str, known: Numerals, code: str) -> Decimal | None:
    scale = 1
    scaled = _WITH_SCALE.fullmatch(phrase)
    if scaled is not None:
        if scaled[2] not in known.after_digits:
            return None
        phrase, scale = scaled[1], known.after_digits[scaled[2]]
    if len(phrase) > 24 or _DIGITS.fullmatch(phrase) is None:
        return None
    value = Decimal(_point_for_decimals(phrase, code))
    return value if scale == 1 else (value * scale).normalize()


def _point_for_decimals(digits: str, code: str) -> str:
    """Digits as Decimal reads them; only one mark before three digits needs the language."""
    digits = digits.replace(" ", "")
    marks = [mark for mark in digits if mark in ".,"]
    if not marks:
        return digits
    last = marks[-1]
    if len(set(marks)) == 2:
        decimal: str | None = last
    elif len(marks) > 1:
        decimal = None
    else:
        before, _, after = digits.partition(last)
        could_group = len(after) == 3 and 1 <= len(before) <= 3 and before[0] != "0"
        decimal = last if not could_group or (last == ",") is comma_is_decimal(code) else None
    if decimal is None:
        return digits.replace(".", "").replace(",", "")
    other = "." if decimal == "," else ","
    return digits.replace(other, "").replace(decimal, ".")


def _words(phrase: str, known: Numerals) -> Decimal | None:
    if phrase in known.fixed:
        return known.fixed[phrase]
    if known.point.search(phrase) is not None:
        return _spoken_decimal(phrase, known)
    whole = _cardinal(phrase, known)
    return None if whole is None else Decimal(whole)


def _spoken_decimal(phrase: str, known: Numerals) -> Decimal | None:
    before, after = known.point.split(phrase, maxsplit=1)
    whole = known.count.get(before)
    if whole is None:
        whole = _cardinal(before, known)
    words = after.split()
    digits = [known.count.get(word, 10) for word in words]
    if all(digit < 10 for digit in digits):
        decimals = "".join(map(str, digits))
    elif after in known.count:
        decimals = str(known.count[after])
    else:
        return None
    return None if whole is None else Decimal(f"{whole}.{decimals}")


def _cardinal(phrase: str, known: Numerals) -> int | None:
    """A whole number in words, each place said at most once and from large to small."""
    said = known.said
    words = known.several_words.sub(lambda several: several[0].replace(" ", "_"), phrase.replace("-", " ")).split()
    total, group, room, last_scale = 0, 0, _HUNDRED, LARGEST
    joined = hundred_said = False
    for position, word in enumerate(words):
        if word in known.units and room >= _UNIT:
            group, room = group + known.units[word], _NOTHING
        elif word in known.teens and room >= _TEN:
            group, room = group + known.teens[word], _NOTHING
        elif word in known.tens and room >= _TEN:
            group, room = group + known.tens[word], _UNIT
        elif word in said.hundreds and room == _HUNDRED:
            group, room = said.hundreds[word], _TEN
        elif word in said.hundred_alone and room == _HUNDRED:
            group, room = 100, _NOTHING
        elif joined:
            return None
        elif word in said.hundred_counted and group < 100 and not hundred_said:
            group, room, hundred_said = max(group, 1) * 100, _TEN, True
        elif word in said.scales:
            scale = said.scales[word]
            if scale < last_scale and (group > 0 or total == 0):
                total += max(group, 1) * scale
            elif scale == 10**6 and last_scale == 10**3:  # two thousand millions
                total = (total + group) * scale
            else:
                return None
            group, room, last_scale, hundred_said = 0, _HUNDRED, scale, False
        elif word in said.a and position == 0 and len(words) > 1 and words[1] in known.big:
            continue
        elif _joins(word, known, room, total, group):
            joined = True
            continue
        else:
            return None
        joined = False
    return None if joined or not words or total + group == 0 else total + group


def _joins(word: str, known: Numerals, room: int, total: int, group: int) -> bool:
    """Whether a word may join the next one to the number so far: "a hundred and one"."""
    after_a_hundred = room == _TEN or (room == _HUNDRED and total > 0 and group == 0)
    return (word in known.said.tens_and and room == _UNIT) or (word in known.said.hundreds_and and after_a_hundred)
