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
_CLOSED = {
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19,
    "diez": 10, "once": 11, "doce": 12, "trece": 13, "catorce": 14, "quince": 15, "dieciseis": 16,
    "diecisiete": 17, "dieciocho": 18, "diecinueve": 19, "veintiun": 21, "veintiuno": 21, "veintiuna": 21,
    "veintidos": 22, "veintitres": 23, "veinticuatro": 24, "veinticinco": 25, "veintiseis": 26,
    "veintisiete": 27, "veintiocho": 28, "veintinueve": 29,
}  # fmt: skip
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
_SCALES = {
    "thousand": 10**3, "mil": 10**3, "million": 10**6, "millions": 10**6, "millon": 10**6,
    "millones": 10**6, "billion": 10**9,
}  # fmt: skip
_AFTER_DIGITS = _SCALES | {"k": 10**3, "hundred": 100}
_FIXED = {
    "zero": Decimal(0), "cero": Decimal(0), "couple": Decimal(2), "a couple": Decimal(2),
    "un par": Decimal(2), "dozen": Decimal(12), "a dozen": Decimal(12), "una docena": Decimal(12),
    "half a dozen": Decimal(6), "media docena": Decimal(6), "a half": Decimal("0.5"),
    "one half": Decimal("0.5"), "un medio": Decimal("0.5"), "half a million": Decimal(500_000),
    "medio millon": Decimal(500_000),
}  # fmt: skip
_MINUS = ("minus ", "negative ", "menos ")
_HALVES = (" and a half", " y medio", " y media")
_POINT = re.compile(r" (?:point|coma|punto) ")
_DIGITS = re.compile(r"\d*[.,]?\d+|\d{1,3}(?:([., ])\d{3})+(?:[.,]\d+)?", re.ASCII)
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
    if phrase[0].isdigit() or phrase[0] in ".,":
        value = _digits(phrase, language)
    elif phrase == "once" and not is_spanish(language):
        return None  # in English it is how often, not eleven
    else:
        value = _words(phrase)
    if value is None or value >= LARGEST:
        return None
    return sign * value


def decimals_written(number: Decimal) -> int:
    """How many decimals the number was written with; 1.000 has three, though it is one."""
    exponent = number.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _digits(phrase: str, language: str) -> Decimal | None:
    if phrase.endswith(_HALVES):
        whole = phrase.rpartition(" and " if phrase.endswith("half") else " y ")[0]
        return Decimal(whole) + Decimal("0.5") if whole.isascii() and whole.isdigit() else None
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
    half = Decimal(0)
    if phrase.endswith(_HALVES):
        phrase = phrase.rpartition(" and " if phrase.endswith("half") else " y ")[0]
        half = Decimal("0.5")
    elif _POINT.search(phrase) is not None:
        return _spoken_decimal(phrase)
    whole = _cardinal(phrase.replace("-", " ").split())
    return None if whole is None else whole + half


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


_BIG = {"hundred", *_SCALES}


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

_ORDINAL_STEMS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
    "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14,
    "fifteenth": 15, "sixteenth": 16, "seventeenth": 17, "eighteenth": 18, "nineteenth": 19,
    "twentieth": 20, "thirtieth": 30,
    "primer": 1, "tercer": 3, "primero": 1, "segundo": 2, "tercero": 3, "cuarto": 4, "quinto": 5,
    "sexto": 6, "septimo": 7, "octavo": 8, "noveno": 9, "decimo": 10, "undecimo": 11, "duodecimo": 12,
}  # fmt: skip


def _ordinals() -> dict[str, int]:
    said = dict(_ORDINAL_STEMS)
    for word, value in _ORDINAL_STEMS.items():
        if word.endswith("o"):
            said[word[:-1] + "a"] = value
        elif value < 10 and not word.endswith("er"):
            for ten, tens in (("twenty", 20), ("thirty", 30)):
                said[f"{ten}-{word}"] = said[f"{ten} {word}"] = tens + value
    for value in range(1, 100):
        for ending in ("st", "nd", "rd", "th", "o", "a", ".o", ".a"):  # 5º folds to 5o
            said[f"{value}{ending}"] = value
    return said


ORDINALS = _ordinals()
"""First to thirty-ninth, in words and as 1st or 1º, folded."""
