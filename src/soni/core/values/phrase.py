"""How words are made comparable before any grammar looks at them."""

from unicodedata import combining, normalize

LONGEST = 120
"""A longer text is no single value; cutting it off here keeps every grammar fast."""

_OPENING = " \t\"'`([{<¿¡,;:!?…*"
_CLOSING = " \t\"'`)]}>,;:.!?…*"
_SAME = str.maketrans("\u2019\u2018\u00b4\u2212\u2013\u2010ºª", "'''---oa")

_BEFORE = (
    "please ", "por favor ", "about ", "around ", "roughly ", "approximately ", "approx ", "some ",
    "just ", "only ", "exactly ", "unos ", "unas ", "aproximadamente ", "sobre ", "alrededor de ",
    "cerca de ", "solo ", "exactamente ",
)  # fmt: skip
_AFTER = (
    " please", " por favor", " or so", " mas o menos", " approximately", " aproximadamente", " thanks",
    " thank you", " gracias", " exactly", " only", " solo", " nada mas",
    " if possible", " if poss", " si puede ser", " si es posible", " si se puede",
)  # fmt: skip
_ARTICLES = ("the ", "el ", "los ")  # "las nueve" is a time, not nine


def fold(text: str) -> str:
    """The text in lower case, without accents, doubled spaces or punctuation around it."""
    if len(text) > LONGEST:
        return ""
    folded = text.casefold()
    if not folded.isascii():
        decomposed = normalize("NFD", folded.translate(_SAME))
        folded = "".join(letter for letter in decomposed if not combining(letter))
    return " ".join(folded.split()).lstrip(_OPENING).rstrip(_CLOSING)


def undress(phrase: str) -> str:
    """A folded phrase without the politeness and hedges people put around a value."""
    while phrase.startswith(_BEFORE):
        prefix = next(word for word in _BEFORE if phrase.startswith(word))
        phrase = phrase[len(prefix) :].lstrip(_OPENING)
    while phrase.endswith(_AFTER):
        suffix = next(word for word in _AFTER if phrase.endswith(word))
        phrase = phrase[: -len(suffix)].rstrip(_CLOSING)
    return phrase


def bare(text: str) -> str:
    """The folded, undressed phrase of a text, the form most grammars read."""
    return undress(fold(text))


def without_article(phrase: str) -> str:
    """A folded phrase without a definite article before it."""
    if phrase.startswith(_ARTICLES):
        return phrase.partition(" ")[2]
    return phrase
