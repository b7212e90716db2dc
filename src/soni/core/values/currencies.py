"""The words, signs and codes people name currencies by."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from babel.numbers import get_currency_precision, list_currencies

from soni.languages import built

if TYPE_CHECKING:
    from collections.abc import Mapping

    from soni.languages import Language

_CODES = frozenset(list_currencies()) - {
    code for code in list_currencies() if code.startswith("X") and code not in ("XAF", "XCD", "XOF", "XPF")
}
_SIGNS_AND_CODES = {
    "EUR": "€ eur", "GBP": "£ gbp", "USD": "us$ usd usdollars", "CHF": "chf", "JPY": "¥ jpy", "INR": "₹ inr",
    "CAD": "ca$ cad", "AUD": "a$ aud", "MXN": "mx$ mxn", "PLN": "pln", "SEK": "sek", "NOK": "nok", "DKK": "dkk",
    "CNY": "cny", "BRL": "r$ brl",
}  # fmt: skip

_BY_NAME = {name: code for code, names in _SIGNS_AND_CODES.items() for name in names.split()}
_DOLLARS = ["USD", "CAD", "AUD", "NZD", "SGD", "HKD", "TWD", "JMD", "BBD", "BSD", "BZD", "TTD"]
_PESOS = ["MXN", "ARS", "CLP", "COP", "UYU", "DOP", "PHP", "CUP"]
CURRENCY_CODES = frozenset(name for name in _BY_NAME if name.isalpha()) | {"c", "cts", "p"}
_IN_CAPITALS = re.compile(r"(?<![A-Za-z])[A-Z]{3}(?![A-Za-z])")


@dataclass(frozen=True, slots=True)
class _Coins:
    coins: Mapping[str, list[str]]
    """The currencies that a coin's name can stand for, first the one it usually does; "-" if it does for none."""
    owners: Mapping[str, str]
    owner_of: frozenset[str]
    pence: frozenset[str]
    cents: frozenset[str]


@built
def _coins(words: Language) -> _Coins:
    said = words.money
    return _Coins(
        coins={
            **{name: codes.split() for codes, names in said.coins.items() for name in names},
            "$": [*_DOLLARS, *_PESOS],
        },
        owners={name: code for code, names in said.owners.items() for name in names},
        owner_of=frozenset(said.owner_of),
        pence=frozenset(said.pence),
        cents=frozenset(said.cents) | {"¢"},
    )


def coin_words(words: Language) -> frozenset[str]:
    """The names of coins."""
    return frozenset(words.money.cent_words).union(*words.money.coins.values())


def owner_words(words: Language) -> frozenset[str]:
    """Whose coin it is: swiss, hong and kong."""
    return frozenset(word for names in words.money.owners.values() for name in names for word in name.split())


def currency_among(words: list[str], code: str | None, default: str, known: Language) -> tuple[int, int, str] | None:
    """Where the first currency among folded words starts and ends, and its code."""
    coins = _coins(known)
    for position, word in enumerate(words):
        if code is not None and word == code.casefold():
            return position, position + 1, code
        if word in coins.coins:
            start, end, owned = _owned(words, position, coins)
            currency = owned or _own_or_usual(coins.coins[word], default)
        else:
            start, end = position, position + 1
            currency = _BY_NAME.get(word) or (default if word == default.casefold() else None)
        if currency is not None:
            return start, end, currency
    return None


def _owned(words: list[str], position: int, known: _Coins) -> tuple[int, int, str | None]:
    """The stretch of a coin with whose it is beside it, as in "swiss francs", and the code."""
    codes = known.coins[words[position]]
    after = position + 1
    if after < len(words) and words[after] in known.owner_of:
        after += 1
    for length in (1, 2):
        for start, end in ((position - length, position), (after, after + length)):
            code = known.owners.get(" ".join(words[start:end])) if start >= 0 else None
            if code in codes:
                return min(start, position), max(end, position + 1), code
    return position, position + 1, None


def _own_or_usual(codes: list[str], default: str) -> str | None:
    """The assistant's own currency settles whose dollar it is."""
    if default in codes:
        return default
    return None if codes[0] == "-" else codes[0]


def cents_named(name: str, default: str, known: Language) -> str | None:
    """The currency whose hundredth a folded word names."""
    coins = _coins(known)
    if name in coins.pence:
        return "GBP"
    return default if name in coins.cents else None


def code_in_capitals(text: str) -> str | None:
    """The one ISO code written in capitals; in small letters too many are words (all, try, top)."""
    codes = [code for code in _IN_CAPITALS.findall(text) if code in _CODES]
    return codes[0] if len(codes) == 1 else None


@lru_cache(maxsize=512)
def decimals_of(currency: str) -> int:
    """How many decimals amounts of this currency usually have."""
    return int(get_currency_precision(currency))
