"""Numbers in digits and in English and Spanish words."""

import re
from decimal import Decimal

from soni.core.values.locales import comma_is_decimal, is_spanish

LARGEST = 10**15
"""No quantity said in a conversation is larger; below it floats and 64-bit integers are exact enough."""

_ENGLISH_UNITS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
}  # fmt: skip
_SPANISH_UNITS = {
    "un": 1, "uno": 1, "una": 1, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "siete": 7,
    "ocho": 8, "nueve": 9,
}  # fmt: skip
_UNITS = _ENGLISH_UNITS | _SPANISH_UNITS
_ENGLISH_TEENS = {
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19,
}  # fmt: skip
_SPANISH_TEENS = {
    "diez": 10, "once": 11, "doce": 12, "trece": 13, "catorce": 14, "quince": 15, "dieciseis": 16,
    "diecisiete": 17, "dieciocho": 18, "diecinueve": 19, "veintiun": 21, "veintiuno": 21, "veintiuna": 21,
    "veintidos": 22, "veintitres": 23, "veinticuatro": 24, "veinticinco": 25, "veintiseis": 26,
    "veintisiete": 27, "veintiocho": 28, "veintinueve": 29,
}  # fmt: skip
_CLOSED = _ENGLISH_TEENS | _SPANISH_TEENS
_ENGLISH_TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fourty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
    "eighty": 80, "ninety": 90,
}  # fmt: skip
_SPANISH_TENS = {
    "veinte": 20, "treinta": 30, "cuarenta": 40, "cincuenta": 50, "sesenta": 60, "setenta": 70,
    "ochenta": 80, "noventa": 90,
}  # fmt: skip
_TENS = _ENGLISH_TENS | _SPANISH_TENS
_HUNDREDS = {
    "ciento": 100, "doscientos": 200, "trescientos": 300, "cuatrocientos": 400, "quinientos": 500,
    "seiscientos": 600, "setecientos": 700, "ochocientos": 800, "novecientos": 900,
}  # fmt: skip
_HUNDREDS |= {word[:-2] + "as": value for word, value in _HUNDREDS.items() if word.endswith("os")}
_ENGLISH_SCALES = {"thousand": 10**3, "million": 10**6, "millions": 10**6, "billion": 10**9}
_SPANISH_SCALES = {"mil": 10**3, "millon": 10**6, "millones": 10**6}
_SCALES = _ENGLISH_SCALES | _SPANISH_SCALES
_BIG = {"hundred": 100} | _SCALES
_AFTER_DIGITS = _BIG | {"k": 10**3}

_ENGLISH_GROUPS = {"dozen": 12, "grand": 1000, "fiver": 5, "fivers": 5, "tenner": 10, "tenners": 10}
_SPANISH_GROUPS = {
    "decena": 10, "decenas": 10, "docena": 12, "docenas": 12, "veintena": 20, "centenar": 100,
    "centenares": 100, "millar": 1000, "millares": 1000,
}  # fmt: skip
_GROUPS = {"k": 1000} | _ENGLISH_GROUPS | _SPANISH_GROUPS
_MOST_GROUPS = 1000
_COUPLES = dict.fromkeys(("couple", "a couple", "a pair", "un par"), Decimal(2))
_AFTER_A_COUPLE = {"hundreds": 100, "thousands": 1000, "cientos": 100, "miles": 1000}
_FIXED = _COUPLES | {
    "zero": Decimal(0), "cero": Decimal(0), "dozen": Decimal(12), "docena": Decimal(12),
    "a half": Decimal("0.5"), "one half": Decimal("0.5"), "un medio": Decimal("0.5"),
}  # fmt: skip

_HALF, _QUARTER, _THREE_QUARTERS = Decimal("0.5"), Decimal("0.25"), Decimal("0.75")
FRACTIONS = {
    "half": _HALF, "a half": _HALF, "half a": _HALF, "half an": _HALF, "media": _HALF, "medio": _HALF,
    "quarter": _QUARTER, "a quarter": _QUARTER, "quarter of a": _QUARTER, "quarter of an": _QUARTER,
    "a quarter of a": _QUARTER, "a quarter of an": _QUARTER, "cuarto": _QUARTER, "un cuarto": _QUARTER,
    "cuarto de": _QUARTER, "un cuarto de": _QUARTER,
    "three quarters": _THREE_QUARTERS, "three quarters of a": _THREE_QUARTERS,
    "three quarters of an": _THREE_QUARTERS, "three-quarters of a": _THREE_QUARTERS,
    "three-quarters of an": _THREE_QUARTERS, "tres cuartos": _THREE_QUARTERS, "tres cuartos de": _THREE_QUARTERS,
}  # fmt: skip
"""Halves and quarters, as said before the thing they are of or after "and"."""

_MINUS = ("minus ", "negative ", "menos ")
_AND_A_PART = {
    " and a half": _HALF, " y medio": _HALF, " y media": _HALF, " and a quarter": _QUARTER,
    " y un cuarto": _QUARTER, " and three quarters": _THREE_QUARTERS, " y tres cuartos": _THREE_QUARTERS,
}  # fmt: skip
_PART_ENDINGS = tuple(_AND_A_PART)
_POINT = re.compile(r" (?:point|coma|punto) ")
_DIGITS = re.compile(r"\d+(?:[.,]\d+)?|[.,]\d+|\d{1,3}(?:([., ])\d{3})+(?:[.,]\d+)?", re.ASCII)
_WITH_SCALE = re.compile(r"(\d[\d.,]*) ?([a-z]+)", re.ASCII)

# How many digits may still follow in the group of three being read.
_NOTHING, _UNIT, _TEN, _HUNDRED = 0, 10, 100, 1000


def number_in(phrase: str, language: str) -> Decimal | None:
    """The number a folded phrase is, in digits or words; None if it is none."""
    sign = 1
    if phrase[:1] in ("-", "+"):
        sign = -1 if phrase[0] == "-" else 1
        phrase = phrase[1:].lstrip()
    elif phrase.startswith(_MINUS):
        sign = -1
        phrase = phrase.partition(" ")[2]
    if not phrase:
        return None
    if phrase == "once" and not is_spanish(language):
        return None  # in English it is how often, not eleven
    value = _unsigned(phrase, language)
    if value is None or value >= LARGEST:
        return None
    return sign * value


def decimals_written(number: Decimal) -> int:
    """How many decimals the number was written with; 1.000 has three, though it is one."""
    exponent = number.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _unsigned(phrase: str, language: str) -> Decimal | None:
    if phrase.endswith(_PART_ENDINGS):
        return _and_a_part(phrase, language)
    in_digits = phrase[0].isdigit() or phrase[0] in ".,"
    value = _digits(phrase, language) if in_digits else _words(phrase)
    return value if value is not None or " " not in phrase else _multiple(phrase, language)


def _and_a_part(phrase: str, language: str) -> Decimal | None:
    """A number and a half, or a quarter; of a million or a dozen when that is what was counted."""
    ending = next(ending for ending in _PART_ENDINGS if phrase.endswith(ending))
    whole = phrase.removesuffix(ending)
    counted = _unsigned(whole, language)
    if counted is None or decimals_written(counted):
        return None
    last = whole.rpartition(" ")[2]
    # Nobody says "mil y medio" for 1,500, but "mil euros y medio" is fifty cents over a thousand.
    unit = 1 if last in ("mil", "hundred") else _GROUPS.get(last, _SCALES.get(last, 1))
    return (counted + unit * _AND_A_PART[ending]).normalize()


def _multiple(phrase: str, language: str) -> Decimal | None:
    """So many of a round number: two dozen, a couple of hundred, un par de miles, half a million."""
    said, _, word = phrase.rpartition(" ")
    if word in ("of", "de"):  # as if what is counted followed: "a couple of", "una docena de"
        return _unsigned(said, language) if said in _COUPLES or said.rpartition(" ")[2] in _GROUPS else None
    couple = said.removesuffix(" of").removesuffix(" de") in _COUPLES
    round_number = _GROUPS.get(word) or _BIG.get(word) or (_AFTER_A_COUPLE.get(word) if couple else None)
    if round_number is None:
        return None
    count = Decimal(2) if couple else Decimal(1) if said == "a" else FRACTIONS.get(said)
    if count is None:
        count = _unsigned(said, language)
    most = _MOST_GROUPS if word in _GROUPS else round_number
    return (count * round_number).normalize() if count is not None and 0 < count < most else None


def _digits(phrase: str, language: str) -> Decimal | None:
    scale = 1
    scaled = _WITH_SCALE.fullmatch(phrase)
    if scaled is not None:
        if scaled[2] not in _AFTER_DIGITS:
            return None
        phrase, scale = scaled[1], _AFTER_DIGITS[scaled[2]]
    if len(phrase) > 24 or _DIGITS.fullmatch(phrase) is None:
        return None
    value = Decimal(_point_for_decimals(phrase, language))
    return value if scale == 1 else (value * scale).normalize()


def _point_for_decimals(digits: str, language: str) -> str:
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
        decimal = last if not could_group or (last == ",") is comma_is_decimal(language) else None
    if decimal is None:
        return digits.replace(".", "").replace(",", "")
    other = "." if decimal == "," else ","
    return digits.replace(other, "").replace(decimal, ".")


def _words(phrase: str) -> Decimal | None:
    if phrase in _FIXED:
        return _FIXED[phrase]
    if _POINT.search(phrase) is not None:
        return _spoken_decimal(phrase)
    whole = _cardinal(phrase.replace("-", " ").split())
    return None if whole is None else Decimal(whole)


def _spoken_decimal(phrase: str) -> Decimal | None:
    before, after = _POINT.split(phrase, maxsplit=1)
    whole = COUNT.get(before)
    if whole is None:
        whole = _cardinal(before.replace("-", " ").split())
    words = after.split()
    digits = [COUNT.get(word, 10) for word in words]
    if all(digit < 10 for digit in digits):
        decimals = "".join(map(str, digits))
    elif after in COUNT:
        decimals = str(COUNT[after])
    else:
        return None
    return None if whole is None else Decimal(f"{whole}.{decimals}")


def _cardinal(words: list[str]) -> int | None:
    """A whole number in words, each place said at most once and from large to small."""
    total, group, room, last_scale = 0, 0, _HUNDRED, LARGEST
    joined = hundred_said = False
    for position, word in enumerate(words):
        if word in _UNITS and room >= _UNIT:
            group, room = group + _UNITS[word], _NOTHING
        elif word in _CLOSED and room >= _TEN:
            group, room = group + _CLOSED[word], _NOTHING
        elif word in _TENS and room >= _TEN:
            group, room = group + _TENS[word], _UNIT
        elif joined:
            return None
        elif word in _HUNDREDS and room == _HUNDRED:
            group, room = _HUNDREDS[word], _TEN
        elif word == "cien" and room == _HUNDRED:
            group, room = 100, _NOTHING
        elif word == "hundred" and group < 100 and not hundred_said:
            group, room, hundred_said = max(group, 1) * 100, _TEN, True
        elif word in _SCALES:
            scale = _SCALES[word]
            if scale < last_scale and (group > 0 or total == 0):
                total += max(group, 1) * scale
            elif scale == 10**6 and last_scale == 10**3:  # dos mil millones
                total = (total + group) * scale
            else:
                return None
            group, room, last_scale, hundred_said = 0, _HUNDRED, scale, False
        elif word in ("a", "an") and position == 0 and len(words) > 1 and words[1] in _BIG:
            continue
        elif (word == "y" and room == _UNIT) or (word == "and" and _after_a_hundred(room, total, group)):
            joined = True
            continue
        else:
            return None
        joined = False
    return None if joined or not words or total + group == 0 else total + group


def _after_a_hundred(room: int, total: int, group: int) -> bool:
    return room == _TEN or (room == _HUNDRED and total > 0 and group == 0)


def _count() -> dict[str, int]:
    counted = {"zero": 0, "cero": 0} | _UNITS | _CLOSED | _TENS
    for ten, tens in _ENGLISH_TENS.items():
        for unit, value in _ENGLISH_UNITS.items():
            counted[f"{ten} {unit}"] = counted[f"{ten}-{unit}"] = tens + value
    for ten, tens in _SPANISH_TENS.items():
        for unit, value in _SPANISH_UNITS.items():
            counted[f"{ten} y {unit}"] = tens + value
    return counted


COUNT = _count()
"""The words for zero to ninety-nine, for the grammars of clock and calendar."""

_ENGLISH_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
    "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14,
    "fifteenth": 15, "sixteenth": 16, "seventeenth": 17, "eighteenth": 18, "nineteenth": 19,
    "twentieth": 20, "thirtieth": 30,
}  # fmt: skip
_SPANISH_ORDINALS = {
    "primer": 1, "tercer": 3, "primero": 1, "segundo": 2, "tercero": 3, "cuarto": 4, "quinto": 5,
    "sexto": 6, "septimo": 7, "octavo": 8, "noveno": 9, "decimo": 10, "undecimo": 11, "duodecimo": 12,
}  # fmt: skip
_SPANISH_ORDINALS |= {word[:-1] + "a": value for word, value in _SPANISH_ORDINALS.items() if word.endswith("o")}


def _ordinals() -> dict[str, int]:
    said = _ENGLISH_ORDINALS | _SPANISH_ORDINALS
    for word, value in _ENGLISH_ORDINALS.items():
        if value < 10:
            for ten, tens in (("twenty", 20), ("thirty", 30)):
                said[f"{ten}-{word}"] = said[f"{ten} {word}"] = tens + value
    for value in range(1, 100):
        for ending in ("st", "nd", "rd", "th", "o", "a", ".o", ".a"):  # 5º folds to 5o
            said[f"{value}{ending}"] = value
    return said


ORDINALS = _ordinals()
"""First to thirty-ninth, in words and as 1st or 1º, folded."""

ENGLISH_NUMBER_WORDS = frozenset(
    {"zero", "hundred", "hundreds", "thousands", "couple", "pair", "half", "quarter", "quarters"}.union(
        _ENGLISH_UNITS, _ENGLISH_TEENS, _ENGLISH_TENS, _ENGLISH_SCALES, _ENGLISH_GROUPS, _ENGLISH_ORDINALS
    )
)
SPANISH_NUMBER_WORDS = frozenset(
    {"cero", "cien", "cientos", "miles", "par", "medio", "media", "cuarto", "cuartos"}.union(
        _SPANISH_UNITS, _SPANISH_TEENS, _SPANISH_TENS, _HUNDREDS, _SPANISH_SCALES, _SPANISH_GROUPS, _SPANISH_ORDINALS
    )
)
