"""What a language decides about reading and writing values, asked of Babel once."""

from functools import lru_cache

from babel import Locale, UnknownLocaleError

_SPACES = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2009": " "})


@lru_cache(maxsize=64)
def locale_for(language: str) -> Locale:
    """The locale of a language tag; English for one that Babel does not know."""
    try:
        return Locale.parse(language.replace("-", "_"))
    except (UnknownLocaleError, ValueError):
        return Locale("en")


@lru_cache(maxsize=64)
def comma_is_decimal(language: str) -> bool:
    """Whether 1,234 is a little more than one here, and 1.234 over a thousand."""
    symbols = locale_for(language).number_symbols["latn"]
    return bool(symbols["decimal"] == ",")


@lru_cache(maxsize=64)
def day_comes_first(language: str) -> bool:
    """Whether 3/4 is the third of April here, rather than the fourth of March."""
    pattern = str(locale_for(language).date_formats["short"].pattern)
    return pattern.find("d") < pattern.find("M")


def plain_spaces(text: str) -> str:
    """Babel's text with ordinary spaces, which people can type and tests can compare."""
    return text.translate(_SPACES)


def checked_spec(spec: str | None, allowed: frozenset[str], default: str) -> str:
    """The format asked for, or the default; ValueError for one the type does not have."""
    if spec is None:
        return default
    if spec not in allowed:
        raise ValueError(f"no format {spec!r}; there are: {', '.join(sorted(allowed)) or 'none'}")
    return spec
