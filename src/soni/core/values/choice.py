"""One of a few named options."""

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher

from soni.core.values.locales import checked_spec
from soni.core.values.numerals import COUNT, ORDINALS
from soni.core.values.phrase import fold, undress
from soni.core.values.value import Json, Reading, ValueType, register

_SIMILAR = 0.8
_CLEARLY_CLOSER = 0.05
_SHORTEST_MISSPELT = 4

_BEFORE = re.compile(r"(?:the|an?|my|el de|la de|los de|las de|el|la|los|las|una?|mi|mis)(?: (?=.))", re.ASCII)
_NUMBERED = re.compile(r"(?:(?:option|number|choice|opcion|numero|no\.?|n\.?o|#) ?)?([a-z0-9.-]+(?: (?:y )?[a-z]+)?)")
_LAST = frozenset({"last", "ultimo", "ultima"})


@register
class Choice(ValueType[str]):
    """An option by its name, a synonym, a misspelling of either, or its place in the list."""

    name = "choice"

    def __init__(self, options: Mapping[str, Sequence[str]]) -> None:
        if not options:
            raise ValueError("a choice needs at least one option")
        self.options = {option: tuple(synonyms) for option, synonyms in options.items()}
        self._meaning: dict[str, str] = {}
        for option, synonyms in self.options.items():
            for word in (option, option.replace("_", " "), *synonyms):
                meant = self._meaning.setdefault(fold(word), option)
                if meant != option:
                    raise ValueError(f"{word!r} would mean both {meant!r} and {option!r}")
        # "2" cannot be a place in the list when it may be the name of an option.
        self._by_place = not any(any(map(str.isdigit, word)) or word in COUNT for word in self._meaning)

    def parse(self, text: str, reading: Reading) -> str:
        phrase = fold(text)
        for said in _undressings(phrase):
            option = self._meaning.get(said)
            if option is not None:
                return option
            option = self._placed(said) if self._by_place else None
            if option is not None:
                return option
        option = self._misspelt(said)
        if option is None:
            raise ValueError("none of the options")
        return option

    def coerce(self, value: object, reading: Reading) -> str:
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**15:
            value = str(value)  # YAML reads an option such as 2 as an integer
            if value not in self.options:
                raise ValueError("none of the options")
        if not isinstance(value, str):
            raise ValueError("none of the options")
        return value if value in self.options else self.parse(value, reading)

    def dump(self, value: str) -> Json:
        return value

    def load(self, data: Json) -> str:
        if isinstance(data, str):
            return data
        raise ValueError("not a stored choice")

    def format(self, value: str, language: str, spec: str | None = None) -> str:
        checked_spec(spec, self.formats, "")
        return value.replace("_", " ")

    def _placed(self, phrase: str) -> str | None:
        options = list(self.options)
        if phrase in _LAST:
            return options[-1]
        match = _NUMBERED.fullmatch(phrase)
        if match is None:
            return None
        said = match[1]
        if said.isascii() and said.isdigit() and len(said) < 4:
            place: int | None = int(said)
        else:
            # "one" and "una" are too common to be a place unless "option" or "number" goes before.
            place = ORDINALS.get(said) if said == phrase else COUNT.get(said, ORDINALS.get(said))
        return options[place - 1] if place is not None and 1 <= place <= len(options) else None

    def _misspelt(self, phrase: str) -> str | None:
        """The one option these words nearly name; digits are never a slip of the keyboard."""
        if len(phrase) < _SHORTEST_MISSPELT or any(map(str.isdigit, phrase)) or phrase.startswith(_DENYING):
            return None
        scores: dict[str, float] = {}
        matcher: SequenceMatcher[str] | None = None
        for word, option in self._meaning.items():
            if len(word) < _SHORTEST_MISSPELT or not _could_be_similar(len(word), len(phrase)):
                continue
            if word[0] != phrase[0] and word[-1] != phrase[-1]:
                continue  # a slip at both ends at once is rarer than another word altogether
            if matcher is None:
                matcher = SequenceMatcher(b=phrase, autojunk=False)
            matcher.set_seq1(word)
            if matcher.quick_ratio() >= _SIMILAR:
                scores[option] = max(scores.get(option, 0), matcher.ratio())
        ranked = sorted(scores.items(), key=lambda scored: -scored[1])
        if not ranked or ranked[0][1] < _SIMILAR:
            return None
        if len(ranked) > 1 and ranked[0][1] - ranked[1][1] < _CLEARLY_CLOSER:
            return None
        return ranked[0][0]


_DENYING = ("no ", "not ", "sin ", "ni ", "without ")


def _could_be_similar(one: int, other: int) -> bool:
    return 2 * min(one, other) >= _SIMILAR * (one + other)


def _undressings(phrase: str) -> list[str]:
    """The phrase as said, then without politeness, article and "one", since a name may contain them."""
    said = [phrase]
    for shorter in (undress(phrase), _BEFORE.sub("", undress(phrase), count=1)):
        if shorter != said[-1]:
            said.append(shorter)
    if said[-1].endswith(" one"):
        said.append(said[-1].removesuffix(" one"))
    return said
