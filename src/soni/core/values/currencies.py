"""The words, signs and codes people name currencies by."""

import re
from functools import lru_cache

from babel.numbers import get_currency_precision, list_currencies

_CODES = frozenset(list_currencies()) - {
    code for code in list_currencies() if code.startswith("X") and code not in ("XAF", "XCD", "XOF", "XPF")
}
_SIGNS_AND_CODES = {
    "EUR": "€ eur", "GBP": "£ gbp", "USD": "us$ usd usdollars", "CHF": "chf", "JPY": "¥ jpy", "INR": "₹ inr",
    "CAD": "ca$ cad", "AUD": "a$ aud", "MXN": "mx$ mxn", "PLN": "pln", "SEK": "sek", "NOK": "nok", "DKK": "dkk",
    "CNY": "cny", "BRL": "r$ brl",
}  # fmt: skip

# The currencies a coin's name can stand for, first the one it usually does; "-" if it does for none by itself.
_ENGLISH_COINS = {
    "EUR": "euro euros",
    "GBP EGP": "pound pounds quid sterling",
    "USD CAD AUD NZD SGD HKD TWD JMD BBD BSD BZD TTD": "dollar dollars buck bucks",
    "- MXN ARS CLP COP UYU DOP PHP CUP": "peso pesos",
    "CHF XOF XAF": "franc francs",
    "- SEK NOK DKK CZK ISK": "crown crowns krona kronor krone kroner koruna",
    "JPY": "yen yens",
    "CNY": "yuan renminbi",
    "INR PKR LKR": "rupee rupees",
    "PLN": "zloty zlotys",
    "TRY": "lira liras",
    "ZAR": "rand rands",
    "RUB": "ruble rubles rouble roubles",
    "ILS": "shekel shekels",
    "- MAD AED": "dirham dirhams",
    "BRL": "reais",
    "- BRL": "real reals",
    "- KRW": "won",
}
_SPANISH_COINS = {
    "EUR": "euro euros eurillos leuro leuros pavo pavos",
    "GBP EGP": "libra libras",
    "USD CAD AUD NZD SGD HKD TWD JMD BBD BSD BZD TTD": "dolar dolares",
    "- MXN ARS CLP COP UYU DOP PHP CUP": "peso pesos",
    "CHF XOF XAF": "franco francos",
    "- SEK NOK DKK CZK ISK": "corona coronas",
    "JPY": "yenes",
    "CNY": "yuanes",
    "INR PKR LKR": "rupia rupias",
    "PLN": "zlotys",
    "TRY": "lira liras",
    "RUB": "rublo rublos",
    "- MAD AED": "dirham dirhams",
    "- BRL": "real reales",
    "PEN": "soles",
    "- PEN": "sol",
}
_ENGLISH_OWNERS = {
    "USD": "us american usa", "CAD": "canadian", "AUD": "australian", "SGD": "singapore", "TWD": "taiwanese",
    "HKD": "hong-kong", "NZD": "new-zealand", "JMD": "jamaican", "GBP": "british english sterling",
    "EGP": "egyptian", "CHF": "swiss", "MXN": "mexican", "ARS": "argentine argentinian", "CLP": "chilean",
    "COP": "colombian", "UYU": "uruguayan", "DOP": "dominican", "PHP": "philippine filipino", "CUP": "cuban",
    "SEK": "swedish", "NOK": "norwegian", "DKK": "danish", "CZK": "czech", "ISK": "icelandic", "JPY": "japanese",
    "CNY": "chinese", "INR": "indian", "PKR": "pakistani", "PLN": "polish", "TRY": "turkish",
    "ZAR": "south-african", "RUB": "russian", "ILS": "israeli", "MAD": "moroccan", "AED": "uae emirati",
    "BRL": "brazilian", "KRW": "korean", "PEN": "peruvian",
}  # fmt: skip
_SPANISH_OWNERS = {
    "USD": "americano americanos estadounidense estadounidenses usa eeuu norteamericanos estados-unidos",
    "CAD": "canadiense canadienses", "AUD": "australiano australianos", "NZD": "neozelandes neozelandeses",
    "HKD": "hong-kong", "SGD": "singapur", "GBP": "esterlina esterlinas inglesa inglesas britanica britanicas",
    "EGP": "egipcia egipcias", "CHF": "suizo suizos", "MXN": "mexicano mexicanos mejicano mejicanos",
    "ARS": "argentino argentinos",
    "CLP": "chileno chilenos", "COP": "colombiano colombianos", "UYU": "uruguayo uruguayos",
    "DOP": "dominicano dominicanos", "PHP": "filipino filipinos", "CUP": "cubano cubanos",
    "SEK": "sueca suecas", "NOK": "noruega noruegas", "DKK": "danesa danesas", "CZK": "checa checas",
    "ISK": "islandesa islandesas", "JPY": "japones japoneses", "CNY": "chino chinos", "INR": "india indias",
    "PLN": "polaco polacos", "TRY": "turca turcas", "RUB": "ruso rusos", "MAD": "marroqui marroquies",
    "BRL": "brasileno brasilenos", "PEN": "peruano peruanos",
}  # fmt: skip

_BY_NAME = {name: code for code, names in _SIGNS_AND_CODES.items() for name in names.split()}
_COINS = {
    name: codes.split()
    for table in (_ENGLISH_COINS, _SPANISH_COINS)
    for codes, names in table.items()
    for name in names.split()
}
_COINS["$"] = [*_COINS["dollar"], *_COINS["peso"][1:]]
_OWNERS = {
    name.replace("-", " "): code
    for table in (_ENGLISH_OWNERS, _SPANISH_OWNERS)
    for code, names in table.items()
    for name in names.split()
}
_PENCE_NAMES = frozenset({"p", "penny", "pence", "penique", "peniques"})
_CENT_NAMES = frozenset({"cent", "cents", "centimo", "centimos", "centavo", "centavos", "c", "¢", "cts"})

ENGLISH_COIN_WORDS = frozenset({"cent", "cents", "penny", "pence"}.union(*map(str.split, _ENGLISH_COINS.values())))
SPANISH_COIN_WORDS = frozenset(
    {"centimo", "centimos", "centavo", "centavos", "penique", "peniques"}.union(
        *map(str.split, _SPANISH_COINS.values())
    )
)
CURRENCY_CODES = frozenset(name for name in _BY_NAME if name.isalpha()) | {"c", "cts", "p"}
OWNER_WORDS = frozenset(word for name in _OWNERS for word in name.split())
"""Whose coin it is: swiss, mexicanos, hong and kong."""

_IN_CAPITALS = re.compile(r"(?<![A-Za-z])[A-Z]{3}(?![A-Za-z])")


def currency_among(words: list[str], code: str | None, default: str) -> tuple[int, int, str] | None:
    """Where the first currency among folded words starts and ends, and its code."""
    for position, word in enumerate(words):
        if code is not None and word == code.casefold():
            return position, position + 1, code
        if word in _COINS:
            start, end, owned = _owned(words, position)
            currency = owned or _own_or_usual(_COINS[word], default)
        else:
            start, end = position, position + 1
            currency = _BY_NAME.get(word) or (default if word == default.casefold() else None)
        if currency is not None:
            return start, end, currency
    return None


def _owned(words: list[str], position: int) -> tuple[int, int, str | None]:
    """The stretch of a coin with whose it is beside it ("swiss francs", "dólares de Hong Kong"), and the code."""
    codes = _COINS[words[position]]
    after = position + 1
    if words[after : after + 1] == ["de"]:
        after += 1
    for length in (1, 2):
        for start, end in ((position - length, position), (after, after + length)):
            code = _OWNERS.get(" ".join(words[start:end])) if start >= 0 else None
            if code in codes:
                return min(start, position), max(end, position + 1), code
    return position, position + 1, None


def _own_or_usual(codes: list[str], default: str) -> str | None:
    """The assistant's own currency settles whose dollar it is."""
    if default in codes:
        return default
    return None if codes[0] == "-" else codes[0]


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
