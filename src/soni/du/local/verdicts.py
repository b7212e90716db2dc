"""Yes and no, also in front of something else: 'yes, and then pay the water bill'.

A wrong yes pays money and a missed one costs a question, so a yes is read word by word: every word must belong to it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from soni.core.values.boolean import Boolean, answers
from soni.du.local.spelling import is_common, one_slip
from soni.du.local.words import fold, same_root, same_stem, squeezed, trimmed
from soni.languages import any_of, built, filled

if TYPE_CHECKING:
    from soni.core.values import Reading
    from soni.languages import Language

_BOOLEAN = Boolean()
_LONGEST_PHRASE = 6
_LONG_ENOUGH = 6
_TRAILS_OFF = re.compile(r"(?:\.\.|…)\s?$")
"""'Ok...': somebody who has not made up their mind."""
_THING = r"([^\W\d_]+)"
_GLUED = re.compile(r"(?<=[.!?])(?=[^\W\d])")


@dataclass(frozen=True, slots=True)
class Asked:
    """What is known of the question that a yes or a no answers."""

    words: frozenset[str] = frozenset()
    """The words of the flow that asks: 'go ahead with the booking' goes ahead with one that is told with 'booking'."""
    verbs: frozenset[str] = frozenset()
    """Those of them that its phrases begin with: 'book it' goes ahead with one that is told with 'book a table'."""
    undoing: bool = False
    """Whether it is about calling something off, where 'yes, cancel it' goes ahead."""
    shows: bool = True
    """Whether it shows values that the rest of a message could change."""


_NOTHING_KNOWN = Asked()


class _Verdicts:
    """The words of a yes and of a no in some languages."""

    def __init__(self, words: Language) -> None:
        said, known = words.answers, answers(words)
        self.words = words
        switches = frozenset(said.switches)
        self.yes, self.no = known.yes - switches, known.no - switches
        self.approve = known.approve
        self.strong, self.clear = frozenset(said.strong), frozenset(said.clear)
        self.harmless = frozenset(said.harmless) - known.no  # a word of one language may be the no of another
        self.no_objection = (*said.no_objection, *said.not_declined)
        self.polite = frozenset(said.courtesies) | frozenset(said.no_objection)
        before = rf"(?:{any_of(said.go_ahead_before)} )*"
        self.go_ahead = re.compile(f"{before}{any_of(said.go_ahead)}")
        self.go_ahead_verb = re.compile(before + filled(any_of(said.go_ahead_verb), verb=r"([^\W\d_]+?)"))
        self.go_ahead_thing = re.compile(before + filled(any_of(said.go_ahead_thing), thing=_THING))
        self.go_on_with = re.compile(any_of(said.go_on_with))
        self.undo_it = re.compile(any_of(said.undo_it))
        self.undo_thing = re.compile(filled(any_of(said.undo_thing), thing=_THING))
        self.acts = frozenset(phrase for phrases in words.acts.phrases.values() for phrase in phrases)
        self.calls_off = frozenset(words.acts.cancel)
        self.do_it = re.compile(rf"{any_of(said.do_it)}$")
        self.long_yes = sorted(said.long_yes)
        self.sequence = re.compile(rf"\b{any_of(said.puts_off)}\b")
        self.of_a_request = re.compile(rf"\b{any_of(said.puts_off, said.of_a_request)}\b")
        self.against = re.compile(rf"\b{any_of(said.against)}\b")
        self.exclamations = frozenset(said.exclamations)
        self.condition = re.compile(rf"\W*{any_of(said.condition)}")
        self.takes_back = re.compile(rf"\b{any_of(said.takes_back)}\b|[❌✖🚫👎]")
        self.stops = re.compile(rf"\b{any_of(said.stops)}\b")
        self.joins = re.compile(rf"{any_of(said.joins)}\b")
        self.question = re.compile(rf"(?:{any_of(said.question_joins)} )*{any_of(said.questions)}\b")
        self.before = frozenset(said.before)
        self.declines = re.compile(rf"^(?:\w+[\s,.]+)?{any_of(said.declines)}")
        self.not_now = re.compile(rf"(?:\w+\W+){{1,2}}{any_of(said.but)} {any_of(said.not_now)}\b")
        no, thanks = any_of(said.plain_no), any_of(said.thanks)
        self.ends_no = re.compile(rf"(?:{any_of(said.before_last_no)}|,)\s+{no}(?:\s+{thanks})?[\s.!]*$")
        self.plain_no = frozenset(said.plain_no)
        self.echo = re.compile(rf"^\W*{any_of(said.echo)}\?+\s+(?=\S)")
        self.goes_with_yes = frozenset(said.goes_with_yes)

    def is_condition(self, text: str) -> bool:
        """Whether the text begins with what looks like a yes and is an if; an accent would tell them apart."""
        return self.condition.match(text) is not None

    def goes_ahead(self, phrase: str, asked: Asked) -> bool:
        """Whether a phrase tells to do what is shown, in words for anything or in the words of the flow."""
        if self.go_ahead.fullmatch(phrase):
            return True
        if phrase in self.acts or self.takes_back.search(phrase) or self.against.search(phrase):
            return False
        verb = _said_in(self.go_ahead_verb.fullmatch(phrase))
        if verb and verb not in self.calls_off and any(same_stem(verb, own) for own in asked.verbs):
            return True
        thing = _said_in(self.go_ahead_thing.fullmatch(phrase))
        return any(same_root(thing, own) for own in asked.words)

    def undoes(self, phrase: str, asked: Asked) -> bool:
        """Whether a phrase tells to call off what is shown."""
        if not asked.undoing or self.undo_it.fullmatch(phrase):
            return asked.undoing
        thing = _said_in(self.undo_thing.fullmatch(phrase))
        return any(same_root(thing, own) for own in asked.words)

    def goes_on_with_another(self, folded: str, asked: Asked) -> bool:
        """Whether somebody goes ahead with something else than what is shown: 'go ahead and tell me which it is'."""
        begun = self.go_on_with.match(folded)
        if begun is None:
            return False
        rest = [trimmed(word) for word in folded[begun.end() :].split()[:_LONGEST_PHRASE]]
        phrases = [" ".join(rest[:length]) for length in range(1, len(rest) + 1)]
        return not any(self.goes_ahead(one, asked) or self.undo_it.fullmatch(one) for one in phrases)


def _said_in(match: re.Match[str] | None) -> str:
    """The word in the place that a pattern has for one; nothing if it does not match."""
    return next(filter(None, match.groups()), "") if match is not None else ""


_verdicts = built(_Verdicts)


@built
def yes_words(words: Language) -> frozenset[str]:
    """Words that add nothing behind a yes."""
    known = _verdicts(words)
    return known.harmless | known.before | frozenset(words.answers.adds_nothing)


@built
def function_words(words: Language) -> frozenset[str]:
    """Words that may begin a phrase without saying what is to be done: 'I want to book a table'."""
    return frozenset((*words.spelling.common, *words.acts.around, *words.acts.oneself, *words.acts.wanting))


@dataclass(frozen=True, slots=True)
class Verdict:
    """A yes or a no, and what was said after it."""

    yes: bool
    rest: str = ""
    """What was said after it; a yes counts only if that is a question or a request of its own."""
    asks: bool = False
    """Whether the rest takes nothing away from a yes, such as a question after a full stop."""


def verdict(text: str, reading: Reading, asked: Asked = _NOTHING_KNOWN, *, vouched: bool = False) -> Verdict | None:
    """The yes or no that the message is or begins with; None for neither, and for both.

    If there is nothing that the rest could change, a clear yes is one whatever follows it, even a no ('yes, with no
    subtitles') where somebody who read all of it vouches for the yes.
    """
    known = _verdicts(reading.words)
    text = _GLUED.sub(" ", squeezed(text, reading.words))
    if (echo := known.echo.match(fold(text))) is not None:
        text = text[echo.end() :]  # 'yes? that's right': what follows decides
    folded = fold(text)
    if trimmed(folded) in known.exclamations or known.is_condition(text) or known.goes_on_with_another(folded, asked):
        return None
    whole = _as_boolean(text, reading)
    if whole and _TRAILS_OFF.search(text) and trimmed(folded).split()[0] not in known.strong:
        return None
    if whole and "?" not in text:
        return Verdict(True)
    denied = Verdict(False) if whole is False else _denied(text, folded, known)
    if denied is not None:
        return denied
    opening = _opening(text, known, asked)
    if opening is None:
        return None
    if not opening.rest:
        return None if "?" in text else Verdict(True)
    rest, stopped, joined = opening.rest, opening.stopped, opening.joined
    asks = rest.rstrip().endswith("?") and bool(known.question.match(fold(rest)))
    harmless = not known.takes_back.search(fold(rest))
    harmless = harmless or (vouched and not asked.shows and not known.stops.search(fold(rest)))
    if opening.strong and harmless and (not asked.shows or (stopped and asks)):
        return Verdict(True, rest, asks=True)
    if opening.against(known):
        return None
    return Verdict(True, rest) if joined or stopped else None


@dataclass(frozen=True, slots=True)
class Agreement:
    """The words of a yes at the beginning of a message, and what is known of the words behind them."""

    rest: str
    """What is said behind the yes."""
    strong: bool
    """Whether the yes is one in any company: 'yes', not 'well' or 'fine'."""
    stopped: bool
    """Whether a full stop or the like stands behind it."""
    joined: bool
    """Whether a word joins something else to it: 'yes, and then …'."""
    asks: bool
    """Whether there is a question mark anywhere."""
    asks_more: bool
    """Whether the rest is a question of its own."""
    trails_off: bool
    """Whether it ends in dots: 'ok…'."""
    against: bool
    """Whether the rest has a word that may speak against it: 'but'."""
    takes_back: bool
    """Whether the rest has a word that takes it back: 'not', 'wait'."""


def agreement(text: str, reading: Reading, asked: Asked = _NOTHING_KNOWN) -> Agreement | None:
    """The yes that a message is or begins with; None where there is none, or a no beside it."""
    known = _verdicts(reading.words)
    text = _GLUED.sub(" ", squeezed(text, reading.words))
    if (echo := known.echo.match(fold(text))) is not None:
        text = text[echo.end() :]  # 'yes? that's right': what follows decides
    folded = fold(text)
    if trimmed(folded) in known.exclamations or known.is_condition(text) or known.goes_on_with_another(folded, asked):
        return None
    whole = _as_boolean(text, reading)
    if whole is False or _denied(text, folded, known) is not None:
        return None
    opening = _opening(text, known, asked)
    if opening is None and not whole:
        return None
    first = (trimmed(folded).split() or [""])[0]
    opening = _Opening("", first in known.strong, stopped=False, joined=False) if whole or not opening else opening
    rest = fold(opening.rest)
    without = known.of_a_request.sub("", rest) if opening.joined else rest
    return Agreement(
        opening.rest,
        opening.strong,
        opening.stopped,
        opening.joined,
        asks="?" in text,
        asks_more=rest.rstrip().endswith("?") and bool(known.question.match(rest)),
        trails_off=_TRAILS_OFF.search(text) is not None,
        against=opening.against(known),
        takes_back=known.takes_back.search(without) is not None,
    )


def denial(text: str, reading: Reading) -> Verdict | None:
    """The no that a message is, or begins or ends with."""
    known = _verdicts(reading.words)
    text = _GLUED.sub(" ", squeezed(text, reading.words))
    if trimmed(fold(text)) in known.exclamations:
        return None
    return Verdict(False) if _as_boolean(text, reading) is False else _denied(text, fold(text), known)


@dataclass(frozen=True, slots=True)
class _Opening:
    """The yes that a text begins with."""

    rest: str
    strong: bool
    stopped: bool
    joined: bool

    def against(self, known: _Verdicts) -> bool:
        """Whether the rest has a word that may speak against it."""
        rest = fold(self.rest)
        return known.against.search(known.sequence.sub("", rest) if self.joined else rest) is not None


def _opening(text: str, known: _Verdicts, asked: Asked) -> _Opening | None:
    words = list(re.finditer(r"\S+", text))
    plain = [_repaired(trimmed(fold(match.group())), known) for match in words]
    place, told, agreed, strong = 0, 0, False, False
    while place < len(plain):
        length, agrees = _yes_at(plain, place, known, asked)
        if not length:
            break
        agreed = agreed or agrees
        said = plain[place : place + length]
        first = next((word for word in said if word not in known.harmless), "")  # 'please go ahead'
        clear = said[0] in known.strong or known.approve(" ".join(said)) or (length > 1 and first in known.clear)
        strong = strong or (agrees and clear)
        place += length
        told = place if agrees else told  # what stands behind it only goes with it, or joins the next thing to it
    if not agreed:
        return None
    rest = text[words[place].start() :] if place < len(words) else ""
    joined = any(known.joins.match(word) for word in plain[max(told, 1) : place])
    return _Opening(rest, strong, words[place - 1].group()[-1] in ".!;", joined)


def _as_boolean(text: str, reading: Reading) -> bool | None:
    try:
        return _BOOLEAN.parse(text, reading)
    except ValueError:
        return None


def _denied(text: str, folded: str, known: _Verdicts) -> Verdict | None:
    """A no at the beginning, or at the end."""
    words = list(re.finditer(r"\S+", text))
    plain = [trimmed(fold(match.group())) for match in words]
    start = 0
    while start < len(plain) and plain[start] in known.before:
        start += 1
    if " ".join(plain[start:]).startswith(known.no_objection):
        return None
    for length in range(min(_LONGEST_PHRASE, len(plain) - start), 0, -1):
        end = start + length
        again = length > 1 and end < len(words) and plain[end - 1] in known.plain_no
        goes_on = again and words[end - 1].group()[-1].isalpha()
        if " ".join(plain[start:end]) in known.no and not goes_on:
            return Verdict(False, text[words[end].start() :] if end < len(words) else "")
    is_no = known.ends_no.search(folded) or known.declines.match(folded) or known.not_now.match(folded)
    return Verdict(False) if is_no else None


def _only_goes_with_it(words: list[str], known: _Verdicts) -> bool:
    """Whether words change nothing about what stands before them."""
    if not words:
        return True
    polite = (end for end in range(min(_LONGEST_PHRASE, len(words)), 0, -1) if " ".join(words[:end]) in known.polite)
    length = next(polite, 1 if words[0] in known.harmless else 0)
    return length > 0 and _only_goes_with_it(words[length:], known)


def _yes_at(plain: list[str], place: int, known: _Verdicts, asked: Asked) -> tuple[int, bool]:
    """How many words from here belong to a yes, and whether they say it rather than only go with it."""
    for length in range(min(_LONGEST_PHRASE, len(plain) - place), 0, -1):
        phrase = " ".join(plain[place : place + length])
        if phrase in known.yes or known.approve(phrase):
            return length, True
        if phrase in known.polite:
            return length, False
        goes_ahead, undoes = known.goes_ahead(phrase, asked), known.undoes(phrase, asked)
        if place and (goes_ahead or undoes):
            return length, True
        if not place and goes_ahead and (length > 1 or known.do_it.search(phrase)):
            return length, True
        if not place and undoes and _only_goes_with_it(plain[length:], known):
            return length, True
    goes_with_it = plain[place] in known.harmless | known.before | known.goes_with_yes
    return (1, False) if goes_with_it else (0, False)


def _repaired(word: str, known: _Verdicts) -> str:
    """A long word for yes with a slip of the keyboard put right: 'absolutly', 'perfekt'."""
    if len(word) < _LONG_ENOUGH or is_common(word, known.words):
        return word
    return next((yes for yes in known.long_yes if word[0] == yes[0] and one_slip(word, yes)), word)
