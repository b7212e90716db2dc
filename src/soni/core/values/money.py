"""Amounts of money."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, overload

from babel.numbers import format_currency
from pydantic_core import core_schema

from soni.core.values.currencies import cents_named, code_in_capitals, currency_among, decimals_of
from soni.core.values.locales import checked_spec, locale_for, plain_spaces
from soni.core.values.misspelt import read_despite_slips
from soni.core.values.numerals import LARGEST, decimals_written, number_in, numerals
from soni.core.values.phrase import bare, without_article
from soni.core.values.value import Json, Reading, ValueType, register

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler

_CODE = re.compile(r"[A-Z]{3}")


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Money:
    """An amount in one currency, rounded to its decimals, that also compares as a plain number.

    >>> Money(100, "EUR") + Money("0.50", "EUR") > 100
    True
    """

    amount: Decimal
    currency: str

    def __init__(self, amount: Decimal | int | float | str, currency: str) -> None:
        if _CODE.fullmatch(currency) is None:
            raise ValueError(f"{currency!r} is not a currency code such as EUR")
        object.__setattr__(self, "currency", currency)
        object.__setattr__(self, "amount", _rounded(amount, currency))

    def _operand(self, other: object) -> Decimal | None:
        """The other side as a number; None when money cannot be put beside it."""
        if isinstance(other, Money):
            if other.currency != self.currency:
                raise TypeError(f"{self.currency} and {other.currency} cannot be put together; convert one first")
            return other.amount
        if isinstance(other, bool) or not isinstance(other, int | float | Decimal):
            return None
        number = Decimal(str(other)) if isinstance(other, float) else Decimal(other)
        return None if number.is_nan() else number

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Money) and other.currency != self.currency:
            return False
        number = self._operand(other)
        return NotImplemented if number is None else self.amount == number

    def __hash__(self) -> int:
        return hash(self.amount)  # equal to the plain number, so it hashes like it

    def __lt__(self, other: object) -> bool:
        number = self._operand(other)
        return NotImplemented if number is None else self.amount < number

    def __le__(self, other: object) -> bool:
        number = self._operand(other)
        return NotImplemented if number is None else self.amount <= number

    def __gt__(self, other: object) -> bool:
        number = self._operand(other)
        return NotImplemented if number is None else self.amount > number

    def __ge__(self, other: object) -> bool:
        number = self._operand(other)
        return NotImplemented if number is None else self.amount >= number

    def __add__(self, other: object) -> Money:
        number = self._operand(other)
        return NotImplemented if number is None else Money(self.amount + number, self.currency)

    __radd__ = __add__

    def __sub__(self, other: object) -> Money:
        number = self._operand(other)
        return NotImplemented if number is None else Money(self.amount - number, self.currency)

    def __rsub__(self, other: object) -> Money:
        number = self._operand(other)
        return NotImplemented if number is None else Money(number - self.amount, self.currency)

    def __mul__(self, other: object) -> Money:
        if isinstance(other, Money):
            return NotImplemented
        number = self._operand(other)
        return NotImplemented if number is None else Money(self.amount * number, self.currency)

    __rmul__ = __mul__

    @overload
    def __truediv__(self, other: Money) -> Decimal: ...

    @overload
    def __truediv__(self, other: int | float | Decimal) -> Money: ...

    def __truediv__(self, other: Money | int | float | Decimal) -> Money | Decimal:
        """A smaller amount when divided by a number; a plain ratio when divided by money."""
        number = self._operand(other)
        if number is None:
            return NotImplemented
        ratio = self.amount / number
        return ratio if isinstance(other, Money) else Money(ratio, self.currency)

    def __neg__(self) -> Money:
        return Money(-self.amount, self.currency)

    def __abs__(self) -> Money:
        return Money(abs(self.amount), self.currency)

    def __bool__(self) -> bool:
        return bool(self.amount)

    def __int__(self) -> int:
        return int(self.amount)

    def __float__(self) -> float:
        return float(self.amount)

    def __str__(self) -> str:
        return f"{self.amount} {self.currency}"

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.is_instance_schema(cls)


def _rounded(amount: Decimal | int | float | str, currency: str) -> Decimal:
    try:
        exact = Decimal(str(amount)) if isinstance(amount, float) else Decimal(amount)
    except InvalidOperation:
        raise ValueError("not an amount") from None
    if not exact.is_finite() or abs(exact) >= LARGEST:
        raise ValueError("not an amount, or too large a one")
    quantum = Decimal(1).scaleb(-decimals_of(currency))
    # Adding zero turns -0.00 into 0.00, which is how people write nothing.
    return exact.quantize(quantum, rounding=ROUND_HALF_UP) + 0


_SIGNS = re.compile(r"([a-z]{0,2}\$|[€£¥₹¢])")
_GLUED = re.compile(r"(?<=\d)(?=[a-z])")


@register
class MoneyType(ValueType[Money]):
    """An amount with its currency; a bare number is in the assistant's own."""

    name = "money"
    formats = frozenset({"short"})

    def parse(self, text: str, reading: Reading) -> Money:
        phrase = without_article(bare(text, reading.words), reading.words)
        if not phrase:
            raise ValueError("not an amount")
        code = code_in_capitals(text)
        money = read_despite_slips(phrase, reading, lambda spelt: _money_in(spelt, code, reading))
        if money is None:
            raise ValueError("not an amount")
        return money

    def coerce(self, value: object, reading: Reading) -> Money:
        if isinstance(value, Money):
            return value
        if isinstance(value, str):
            return self.parse(value, reading)
        if isinstance(value, dict):
            return self.load(value)
        if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
            raise ValueError("not an amount")
        return Money(value, reading.currency)

    def dump(self, value: Money) -> Json:
        return {"amount": str(value.amount), "currency": value.currency}

    def load(self, data: Json) -> Money:
        if not isinstance(data, dict) or data.keys() != {"amount", "currency"}:
            raise ValueError("not a stored amount")
        amount, currency = data["amount"], data["currency"]
        if not isinstance(amount, str) or not isinstance(currency, str):
            raise ValueError("not a stored amount")
        return Money(amount, currency)

    def format(self, value: Money, language: str, spec: str | None = None) -> str:
        style = checked_spec(spec, self.formats, "exact")
        locale = locale_for(language)
        if style == "short" and value.amount == value.amount.to_integral_value():
            pattern = re.sub(r"0\.0+", "0", locale.currency_formats["standard"].pattern)
            written = format_currency(value.amount, value.currency, pattern, locale, currency_digits=False)
        else:
            written = format_currency(value.amount, value.currency, locale=locale)
        return plain_spaces(written)


def _money_in(phrase: str, code: str | None, reading: Reading) -> Money | None:
    number = number_in(phrase, reading)
    return _named(phrase, code, reading) if number is None else _exactly(number, reading.currency)


def _exactly(number: Decimal, currency: str) -> Money:
    """The amount as said; one with too many decimals was likely meant otherwise (1.000 for 1,000)."""
    if decimals_written(number) > decimals_of(currency):
        raise ValueError(f"{currency} has no such small coins")
    return Money(number, currency)


def _named(phrase: str, code: str | None, reading: Reading) -> Money | None:
    """A phrase that names its currency, before or after the number, with or without cents."""
    words = _GLUED.sub(" ", _SIGNS.sub(r" \1 ", phrase)).split()
    sign = 1
    if words[0] == "-":
        sign, words = -1, words[1:]
    found = currency_among(words, code, reading.currency, reading.words)
    if found is None:
        return _only_cents(words, reading) or _amount(words, [], reading.currency, sign, reading)
    start, end, currency = found
    before, after = words[:start], words[end:]
    said = reading.words.money
    and_a_half = " ".join(after) in said.and_a_half
    if not before and not and_a_half:
        return _amount(after, [], currency, sign, reading)
    counted = " ".join(before)
    if not before or counted in said.one_coin:
        if and_a_half:
            return _counted(Decimal("1.5"), [], currency, sign, reading)
        return _counted(Decimal(1), after, currency, sign, reading)
    if counted in said.half_a_coin:
        return _counted(Decimal("0.5"), after, currency, sign, reading)
    return _amount(before[:-1] if before[-1] in reading.words.numbers.of else before, after, currency, sign, reading)


def _only_cents(words: list[str], reading: Reading) -> Money | None:
    currency = cents_named(words[-1], reading.currency, reading.words) if words else None
    if currency is None:
        return None
    number = number_in(" ".join(words[:-1]), reading)
    return None if number is None else _exactly(number / 100, currency)


def _amount(words: list[str], rest: list[str], currency: str, sign: int, reading: Reading) -> Money | None:
    """An amount whose number is in these words, and whose cents may be in the rest."""
    middle = next((place for place, word in enumerate(words) if word in reading.words.money.with_cents), None)
    if not rest and middle is not None:  # five, and then fifty
        words, rest = words[:middle], words[middle:]
    if " ".join(rest) in reading.words.money.and_a_half:  # of the number, which may be a million
        return _counted(_number([*words, *rest], reading) or _and_a_half(words, reading), [], currency, sign, reading)
    return _counted(_number(words, reading), rest, currency, sign, reading)


def _number(words: list[str], reading: Reading) -> Decimal | None:
    return number_in(" ".join(words), reading)


def _and_a_half(words: list[str], reading: Reading) -> Decimal | None:
    """A number and half of what it counts, in whichever words the language has for that."""
    halves = (part for part, value in reading.words.numbers.and_a_part.items() if value == Decimal("0.5"))
    numbers = (number_in(" ".join([*words, half]), reading) for half in halves)
    return next((number for number in numbers if number is not None), None)


def _counted(number: Decimal | None, rest: list[str], currency: str, sign: int, reading: Reading) -> Money | None:
    if number is None:
        return None
    if rest:
        cents = _cents(rest, currency, reading)
        if cents is None or number != int(number) or decimals_of(currency) != 2:
            return None
        number += (cents / 100).copy_sign(number)
    return _exactly(sign * number, currency)


def _cents(words: list[str], currency: str, reading: Reading) -> Decimal | None:
    """What follows the currency: "and 50 cents", "fifty"."""
    known = reading.words.money
    joined = words[0] if words[0] in (*known.and_cents, *known.with_cents) else None
    if joined is not None:
        words = words[1:]
    named = bool(words) and cents_named(words[-1], currency, reading.words) is not None
    if named:
        words = words[:-1]
    said = " ".join(words)
    cents = (
        int(said) if said.isascii() and said.isdigit() and len(said) < 3 else numerals(reading.words).count.get(said)
    )
    if cents is None or (not named and (joined in known.and_cents or (joined is None and cents < 10))):
        return None
    return Decimal(cents)
