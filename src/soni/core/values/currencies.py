"""The words, signs and codes people name currencies by."""

import re
from functools import lru_cache

from babel.numbers import get_currency_precision, list_currencies

_CODES = frozenset(list_currencies()) - {
    code for code in list_currencies() if code.startswith("X") and code not in ("XAF", "XCD", "XOF", "XPF")
}
_DOLLARS = frozenset({"USD", "CAD", "AUD", "NZD", "SGD", "HKD", "TWD", "JMD", "BBD", "BSD", "BZD", "TTD"})
_PESOS = frozenset({"MXN", "ARS", "CLP", "COP", "UYU", "DOP", "PHP", "CUP"})

_NAMES = {
    "EUR": "€ eur euro euros eurillos pavos pavo leuro leuros",
    "GBP": "£ gbp pound pounds quid sterling libra libras",
    "USD": "us$ usd usdollars",
    "CHF": "chf franc francs franco francos",
    "JPY": "¥ jpy yen yens yenes",
    "INR": "₹ inr rupee rupees rupia rupias",
    "CAD": "ca$ cad",
    "AUD": "a$ aud",
    "MXN": "mx$ mxn",
    "PLN": "pln zloty zlotys",
    "SEK": "sek",
    "NOK": "nok",
    "DKK": "dkk",
    "CNY": "cny yuan yuanes renminbi",
    "BRL": "r$ brl reais",
}
_BY_NAME = {name: code for code, names in _NAMES.items() for name in names.split()}
_DOLLAR_NAMES = frozenset({"$", "dollar", "dollars", "buck", "bucks", "dolar", "dolares"})
_PESO_NAMES = frozenset({"peso", "pesos"})
_CENT_NAMES = frozenset({"cent", "cents", "centimo", "centimos", "centavo", "centavos", "c", "¢", "cts"})
_PENCE_NAMES = frozenset({"p", "penny", "pence", "penique", "peniques"})

_IN_CAPITALS = re.compile(r"(?<![A-Za-z])[A-Z]{3}(?![A-Za-z])")


def currency_named(name: str, default: str) -> str | None:
    """The code of a folded currency word or sign; the assistant's own currency settles whose dollar it is."""
    if name in _BY_NAME:
        return _BY_NAME[name]
    if name in _DOLLAR_NAMES:
        own = default in _DOLLARS or (name == "$" and default in _PESOS)
        return default if own else "USD"
    if name in _PESO_NAMES and default in _PESOS:
        return default
    return default if name == default.casefold() else None


def cents_named(name: str, default: str) -> str | None:
    """The currency whose hundredth a folded word names."""
    if name in _PENCE_NAMES:
        return "GBP"
    return default if name in _CENT_NAMES else None


def code_in_capitals(text: str) -> str | None:
    """The one ISO code written in capitals; in small letters too many are words (all, try, top)."""
    codes = [code for code in _IN_CAPITALS.findall(text) if code in _CODES]
    return codes[0] if len(codes) == 1 else None


@lru_cache(maxsize=512)
def decimals_of(currency: str) -> int:
    """How many decimals amounts of this currency usually have."""
    return int(get_currency_precision(currency))
