"""Words that take something back: 'I meant 300', 'to Ana, not Anna', 'change the recipient', 'mejor 40'."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from soni.core.values.numerals import ENGLISH_NUMBER_WORDS, SPANISH_NUMBER_WORDS
from soni.du.local.cues import HOLLOW, OF_TYPE
from soni.du.local.words import content, fold, lexicon, trimmed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from soni.config.models import SlotConfig
    from soni.du.local.cues import Cues

_MARK = re.compile(
    r"^(?:(?:oh|ah|uy|ay|ok|okay|vale|yes|yeah|si|bueno|pues)[\s,.!]+)*"
    r"(?:(?:no|not|nope|wait|sorry|oops|actually|rather|better|perdon|perdona|perdone|espera|mejor|mas bien|digo|eran?|"
    r"en realidad|que sean?)\b|(?:but|pero|make (?:it|that)|it'?s actually|it should be)\b)[\s,.!:]*"
    r"(?:(?:no|not|wait|sorry|actually|mejor|eran?|son|es|make (?:it|that)|i mean|i meant|it was|it's|its|that's)\b"
    r"[\s,.!:]*)*"
)
_ANYWHERE = re.compile(
    r"\b(?:i meant(?: to say)?|i mean|i said|i wanted to say|it should be|should be|instead|rather than|"
    r"quise decir|queria decir|yo decia|me referia a|he dicho|debe ser|deberia ser|en vez de|en lugar de|"
    r"but make (?:it|that)|pero que sean?|(?:pero )?mejor que sean?|now that i think|ahora (?:que|q) lo pienso|"
    r"(?:move|shift|push|switch|change|put|bring) (?:it|that|them)(?: up| down| back)? to|"
    r"pas[ae]lo al?|cambialo al?|ponlo? en|wrong|too many|de mas)\b"
)
_NEGATED = (
    re.compile(r"\b(?:i said|i put|i told you|dije|he dicho|puse|te dije)\s(?P<x>[^,.;]{1,60}?)\s(?:but|pero)\b"),
    re.compile(
        r"\b(?:instead of|rather than|en vez de|en lugar de)\s(?P<x>[^,.;]{1,60}?)"
        r"(?=\s?(?:[,.;]|$|\b(?:and|y|pon\w*|que sean?|seremos|somos|make|put)\b))"
    ),
    re.compile(r"(?:^|[,;])(?: ?no,)?(?P<x>[^,;]{1,60}?)\sno\s?(?=,)"),
    re.compile(r"^(?:(?:uy|ay|ah|no|perdon|oye)[\s,]+)*(?P<x>[^,;]{1,30}?)\sno\b(?=.{0,60}\b(?:queria|quise) decir)"),
    re.compile(r"\bnot\s(?P<x>[^,.;]{1,60}?)(?=\s?(?:[,.;]|$|\b(?:and|but)\b))"),
    re.compile(r"\b(?:is not|isn'?t|was not|wasn'?t|aren'?t)\s(?P<x>[^,.;]{1,60}?)(?=\s?(?:[,.;]|$|\b(?:and|but)\b))"),
    re.compile(
        r"(?:^|[,;]\s?|\by\s)no\s(?P<x>[^,.;]{1,60}?)"
        r"(?=\s?(?:[,;]|\bsino\b))"
    ),
    re.compile(r"(?:,\s?|\by\s)no\s(?P<x>[^,.;]{1,60}?)(?=\s?(?:[,.;]|$))"),
    re.compile(r"(?<=\w)\sno\s(?P<x>(?:a|para|con)\s[^\W\d]+)[\s.!]*$"),
)
_WORDS_OF_NUMBERS = sorted(
    (ENGLISH_NUMBER_WORDS | SPANISH_NUMBER_WORDS) - {"a", "an", "no", "y"}, key=len, reverse=True
)
_NUMBER = rf"(?:\d[\d.,]{{0,15}}|(?:{'|'.join(map(re.escape, _WORDS_OF_NUMBERS))}))"
_TAKEN_BACK = (
    r"(?:[,.;]|\.\.\.?)?\s(?:(?:uy|ay|oh|ah|er|uh|oops|huy)[,\s]{1,3}){0,3}"
    r"(?:(?:no[,\s]{1,3})?(?:sorry[,\s]{1,3})?"
    r"(?:wait|sorry|i mean|make that|perdon|perdona|digo|mejor dicho|espera)|no)\b[,\s]{1,3}"
)
_CURRENCY = r"(?:\s*(?:euros?|eur|€|dollars?|pounds?|quid|bucks|pesos))?"
_REPAIRED = (
    re.compile(rf"\b{_NUMBER}{_CURRENCY}{_TAKEN_BACK}(?=(?:\w+\s)?{_NUMBER}\b)"),
    re.compile(rf"(?<=\bto )[^\W\d]{{1,30}}{_TAKEN_BACK}(?=(?:to )?[^\W\d]{{1,30}}[\s.!]{{0,9}}$)"),
    re.compile(rf"(?<=\ba )[^\W\d]{{1,30}}{_TAKEN_BACK}(?=(?:a )?[^\W\d]{{1,30}}[\s.!]{{0,9}}$)"),
)
"""What is put right while it is said: '50, no wait 60', 'to Ana, sorry, María'."""
_REPAIRED_LATER = re.compile(
    rf"\b(?P<old>{_NUMBER}{_CURRENCY})(?:\s+(?!(?:y|and|e)\b)[^\W\d]+){{1,5}}?(?P<mark>{_TAKEN_BACK})(?=(?:\w+\s)?{_NUMBER}\b)"
)
"""'20 to Tom, no wait, 25'."""
_NEITHER = re.compile(
    rf"(?P<new>{_NUMBER}{_CURRENCY})(?: (?:mejor|better|instead|en realidad|actually))?[,;]?\s+"
    rf"(?:y |and |but )?(?:no|not)\s+(?P<old>{_NUMBER})(?!\w)"
)
"""'70, not 60': which of them is meant tells what was said before."""
_ALSO_NEGATED = (
    re.compile(
        r"(?:(?<=\d)|(?<=one)|(?<=two)|(?<=three)|(?<=four)|(?<=five)|(?<=una)|(?<=uno)|(?<=dos)|(?<=tres)|(?<=cuatro)|(?<=cinco))"
        r"\s+(?:out of|sobre)\s+(?:five|cinco|ten|diez|5|10)\b"
    ),
    re.compile(r"\b(?:any\w*|todos?|cualquiera|tod[oa]s)\s(?:but|except|menos|excepto|salvo)\s[^,.;]+"),
    re.compile(r"(?:^|[,;])[^,;]{1,60}?\sno[\s.!]{0,9}$"),
    re.compile(r"\bno\s+(?:la|lo|le|me|se|es|era|fue|son|soy|estoy|quiero|ha|he|esta)\b(?:(?!\bsino\b)[^,;.])*"),
    re.compile(r"\b(?:isn't|wasn't|don't|didn't|never|nobody|nunca|nadie|tampoco)\b[^,;.]*"),
)
_CHANGE = re.compile(
    r"\b(?:change|correct|fix|update|edit|alter|amend|adjust|redo|cambia|cambiar|cambie|cambiarlo|cambiame|"
    r"corrige|corregir|corrija|corrigeme|modifica|modificar|modifique|rectifica|rectificar)\s"
    r"(?P<parts>.+)"
)
_POLITE_END = re.compile(r"[\s,]{0,3}(?:please|pls|por favor|porfa)?[\s.!?]{0,9}$")
_EH = (
    r"(?:(?:no|hey|oh|hmm+|mm+|um+|uh+|er+|eh|uy|oye|ojo|perdona|perdon|disculpa|disculpe|sorry|espera|espere|"
    r"wait(?: a \w+)?|hang on|hold on|un momento|un segundo)[\s,.!]{1,3}(?:q(?:ue)? )?){0,3}"
)
_WRONG = re.compile(
    rf"^{_EH}(?:the |my |that |el |la |los |las |mi )?(?P<what>[\w ]{{1,40}}?)"
    r"(?:'?s|\s(?:is|are|was|esta|estan|es|son))\s"
    r"(?:wrong|incorrect|not right|not correct|out of date|outdated|an old one|no longer valid|mal|incorrect[oa]|"
    r"erroneo|equivocad[oa]|antigu[oa]|viej[oa])\b[\s.!]*(?:,|$)"
    rf"|^{_EH}(?:(?:that'?s|thats|that is|it'?s|es|ese es|esa es) )?(?:the |el |la )?"
    r"(?:wrong|incorrect[oa]?|equivocad[oa]) (?P<what2>[\w ]{1,40}?)"
    r"(?:[\s,.!]{1,3}(?:sorry|oops|my bad|perdon|perdona|lo siento)){0,3}[\s.!]{0,9}$"
    r"|^(?:\w+[\s,.!]{1,3}){0,2}"
    r"(?:(?:i|i'?ve|i have) (?:got|picked|chose|took|typed|gave you|put|entered|had) the wrong|"
    r"me (?:he |equivoque|confundi|equivocado|confundido|colado|lie|liado)+ (?:de|en|con)(?: el| la| los| las| mi)?|"
    r"(?:he puesto|puse|te he dado|te di|le di|he escrito|escribi|tengo) mal (?:el|la|los|las|mi)) "
    r"(?P<what4>[\w ]{1,40}?)(?: there| ahi)?(?:,.*|[\s.!]*)$"
    r"|^(?:\w+[\s,.!]{1,3}){0,3}(?:i|i'?ve|i have) (?:got|put|typed|entered|had) (?:the|my) "
    r"(?P<what8>[\w ]{1,40}?) wrong[\s.!]*$"
    rf"|^{_EH}(?:the |my |el |la )?(?P<what3>[\w ]{{1,40}}?) (?:is not|isn'?t|no es|no esta) "
    r"(?:right|correct|rite|correct[oa]|bien|es[ea]|eso|asi|that one)(?:,.*|[\s.!]*)$"
    rf"|^{_EH}(?:the |my |el |la )?(?P<what7>[\w ]{{1,40}}?) (?:no me (?:cuadra|va|viene|sirve|vale)(?: bien)?|"
    r"(?:doesn'?t|does not|won'?t) (?:work|suit)(?: for)?(?: me| us)?)(?:,.*|[\s.!]*)$"
    r"|^(?:(?:no|hmm+|uy|oye|ojo)[\s,.!]{1,3}){0,3}(?:esta|es) (?:mal|incorrect[oa]|equivocad[oa]) (?:el |la )"
    r"(?P<what5>[\w ]{1,40}?)[\s.!]*$"
    rf"|^{_EH}(?:(?:ese|esa|este|esta) no (?:es|era) (?:el|la|mi)|that'?s not (?:the|my)|that isn'?t (?:the|my)) "
    r"(?P<what6>[\w ]{1,40}?)(?:,.*|[\s.!]*)$"
)
_OTHER = re.compile(
    r"^(?:(?:\w+[\s,.!]+){0,5}?)(?:a )?(?:different|another|otr[oa]|distint[oa]) (?P<what>[a-z]+)"
    r"(?: (?:please|pls|por favor|porfa|instead|mejor))*[\s.!?]*$"
)
"""'Can we do a different time?'"""
_AND = re.compile(r"\s?(?:,|\band\b|\by\b)\s?(?=(?:the|my|el|la|los|las|mi) )")
_END_OF_PART = re.compile(r"[\s,]{1,3}(?:(?:and|y)[\s,]{0,3})?$")
_PART = re.compile(
    r"^(?:the |my |that |el |la |los |las |mi )?(?P<what>[\w ]{1,40}?)(?:\s(?:to|into|for|a|por|al)\s(?P<value>.+))?$"
)
_RELATIVE = re.compile(
    r"\b(?:less|more|extra|add|reduce|increase|raise|lower|fee|fees|charge|only have|cost|costs|menos|mas|comision|"
    r"solo tengo|cuesta|sube|baja|anade|quita|quitale|plus|too much|de mas)\b"
)
"""Words by which an amount is about something else, or only a part of the new one."""
_ABSOLUTE = re.compile(
    r"\b(?:lower|raise|reduce|increase|bump|baja\w*|sube\w*|subi\w*|reduce\w*|aumenta\w*)\b[^,.;\d]{0,60}"
    rf"\b(?:to|a|hasta) {_NUMBER}\b"
    rf"|\b(?:son|es|eran?|it'?s|it is|should be|make it|que sean?|somos|seremos) {_NUMBER}\b|^todo \w+ menos\b"
)
"""'Lower it to 80', 'a zero too many, it is 40': the new one all the same."""
WORDS = lexicon(
    "actually instead rather meant mean sorry change correct wrong better mejor perdon queria decir cambia cambiar"
)
"""Words that take something back, for slips of the keyboard to be put right."""
_WHAT_IS = re.compile(
    r"^(?:and |y |pero |but )*(?:what|what's|whats|que)(?: even| exactly| on earth)?(?: is| are| es| son)?"
    r"(?: an?| the| my| el| la| un| una| eso del?)? (?P<x>[a-z]+)(?: mean| exactly| exactamente)?[\s?!.]*$"
    r"|^\W*(?:and |y |pero |but )*(?:el|la|(?:eso|esto|lo) del?|es[ea]|est[ea]) (?P<y>[a-z]+) "
    r"(?:(?:para|pa) (?:que|q)\b|(?:que|q) (?:es|sirve)\b)"
    r"|^(?:and |y |pero |but )*(?:what'?s|whats|what is) (?:the|that|this) (?P<z>[a-z]+) for\b"
)
_SOMEBODY = lexicon("person persona name nombre guy tipo")
"""What a slot that holds a name goes by, too."""
_MOST_WORDS = 16
_MOST_DENIED = 7
_MOST_TAKEN_BACK = 6
"""How often each way to take something back is looked for in one message."""
_COULD = re.compile(r"^(?:\w+[\s,.!]+){0,2}(?:could|can|would|shall|podria\w*|podemos|puedes|puede|podeis)\b")


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be changed, in the person's word for it, and into what, if that was said."""

    what: str
    value: str | None


def named_changes(text: str) -> list[Change]:
    """'Change the amount to 60 and the recipient to María', 'the IBAN is wrong': what is named, each on its own."""
    folded = fold(text)
    wrong = _WRONG.match(folded) or _OTHER.match(folded)
    named = [Change(next(what for what in wrong.groups() if what), None)] if wrong else []
    hit = _CHANGE.search(folded)
    return [*named, *(_parts(text, hit) if hit and len(content(text)) <= _MOST_WORDS else [])]


def _parts(text: str, hit: re.Match[str]) -> list[Change]:
    begin, end = hit.span("parts")  # folding keeps every letter in its place
    polite = _POLITE_END.search(hit.group("parts"))
    end = begin + polite.start() if polite else end
    cuts = [begin, *(begin + cut.end() for cut in _AND.finditer(hit.group("parts")[: end - begin])), end]
    changes = []
    for first, last in pairwise(cuts):
        written = _END_OF_PART.sub("", text[first:last])
        if part := _PART.match(fold(written)):
            value = trimmed(written[slice(*part.span("value"))]) if part.group("value") else None
            changes.append(Change(part.group("what"), value))
    return changes


def not_meant(text: str) -> list[str]:
    """What the words say is not meant: 'eight' in 'nine instead of eight'."""
    return [trimmed(text[slice(*hit.span("x"))]) for pattern in _NEGATED if (hit := pattern.search(fold(text)))]


def taken_back(text: str) -> str | None:
    """What is said in place of something said before; None if nothing shows that anything is taken back."""
    folded = fold(text)
    if len(content(text)) > _MOST_WORDS or ("?" in text and not _COULD.match(folded)):
        return None
    if not positive(text):
        return None  # only what is not meant was said
    rest, removed = _without_negated(text)
    mark = _MARK.match(folded)
    anywhere = _ANYWHERE.search(folded)
    if not removed and mark is None and anywhere is None:
        return None
    lead = _MARK.match(fold(rest))
    rest = rest[lead.end() :] if lead else rest
    rest = _cut(rest, _ANYWHERE)
    return trimmed(" ".join(rest.split())) or None


def instead_of(text: str) -> tuple[str, str] | None:
    """Two numbers of which one is not meant, in the order they are said: '70, not 60', '60, no 70'."""
    hit = _NEITHER.search(fold(text))
    return (trimmed(text[slice(*hit.span("new"))]), text[slice(*hit.span("old"))]) if hit else None


def says_so(text: str) -> bool:
    """Whether the words say outright that something else was meant."""
    return _without_negated(text)[1] or _ANYWHERE.search(fold(text)) is not None


def positive(text: str) -> str:
    """The text without what it says is not meant, blanks in its place; empty if it says only that."""
    for _ in range(_MOST_TAKEN_BACK):
        if (later := _REPAIRED_LATER.search(fold(text))) is None:
            break
        for first, last in (later.span("old"), later.span("mark")):
            text = text[:first] + _blank(last - first) + text[last:]
    for pattern in (*_REPAIRED, *_NEGATED, *_ALSO_NEGATED):
        for _ in range(_MOST_TAKEN_BACK):
            if (hit := pattern.search(fold(text))) is None or _is_story(hit):
                break
            text = text[: hit.start()] + _blank(len(hit.group())) + text[hit.end() :]
    return text if trimmed(text) else ""


def _is_story(hit: re.Match[str]) -> bool:
    """Whether far more is denied than a value: 'not to come on Friday can you take my table off …'."""
    return len((hit.groupdict().get("x") or "").split()) > _MOST_DENIED


def _blank(length: int) -> str:
    """Nothing, as long as what it takes the place of."""
    return " , "[:length].ljust(length) if length > 2 else " " * length


def _without_negated(text: str) -> tuple[str, bool]:
    """The text without what it says is not meant."""
    removed = False
    for pattern in _NEGATED:
        hit = pattern.search(fold(text))
        if hit is not None:
            left = text[: hit.start()] + " , " + text[hit.end() :]
            if trimmed(left):
                text, removed = left, True
    return text, removed


def is_relative(text: str) -> bool:
    """Whether an amount in the text is about something else, or only a part of the new one."""
    folded = fold(text)
    return _RELATIVE.search(folded) is not None and _ABSOLUTE.search(folded) is None


def _cut(text: str, pattern: re.Pattern[str]) -> str:
    pieces, start = [], 0
    for match in pattern.finditer(fold(text)):
        pieces.append(text[start : match.start()])
        start = match.end()
    return " ".join([*pieces, text[start:]])


def asked_about(text: str, slot: str, cues: Cues) -> bool:
    """Whether a question is about the very thing that was asked for, such as 'what even is an IBAN?'."""
    hit = _WHAT_IS.match(fold(text))
    return hit is not None and (hit["x"] or hit["y"] or hit["z"]) in cues.named.get(slot, set())


def called(name: str, slot: SlotConfig, cues: Cues) -> frozenset[str]:
    """The words that a slot goes by: its name, its description, what its type is called."""
    is_called = frozenset(cues.named[name]) | frozenset(OF_TYPE.get(slot.type, ()))
    return is_called | _SOMEBODY if name in cues.names else is_called


def named(what: str, slots: Mapping[str, SlotConfig], cues: Cues) -> str | None:
    """The one slot that these words name: by its name, its description, or what its type is called."""
    words = set(content(what)) - HOLLOW
    scores = {name: len(words & called(name, slot, cues)) for name, slot in slots.items()}
    best = max(scores.values(), default=0)
    found = [name for name, score in scores.items() if score == best and score]
    return found[0] if len(found) == 1 else None
