"""Yes and no, also in front of something else: 'yes, and then pay the water bill', 'sí, anúlala'."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from soni.core.values.boolean import NO, YES, Boolean, approves
from soni.du.local.acts import begins_with_cancel
from soni.du.local.words import fold, lexicon, trimmed

if TYPE_CHECKING:
    from soni.core.values import Reading

_BOOLEAN = Boolean()
_SWITCHES = lexicon("on off true false activado desactivado va")
"""Answers that begin sentences of another kind: 'on the bus'."""
_YES, _NO = YES - _SWITCHES, NO - _SWITCHES
_LONGEST_PHRASE = 6
_STRONG = lexicon(
    "yes yeah yea yep yup sure si sip claro definitely absolutely certainly affirmative perfect great excellent "
    "awesome wonderful cool perfecto genial estupendo exactly indeed"
)
"""Words that agree whatever comes behind a comma; 'ok' and 'right' may just begin a sentence."""
_TAKES_BACK = re.compile(
    r"\b(?:but|wait|however|except|actually|instead|change|not|don't|dont|no|rather|hold on|wrong|incorrect\w*|pero|"
    r"espera|espere|aunque|salvo|cambia|cambiar|en vez|todavia no|mal|equivocad\w*)\b"
)
_DOUBTS = re.compile(
    r"\b(?:unless|if|only|other|later|until|different|si|mejor|hasta|otro|otra|luego|despues|to what|which|cual)\b"
)
_BEFORE = lexicon("oh ah well um uh hmm mm eh pues bueno ay hey so and y ok okay vale er")
_GO_AHEAD = re.compile(
    r"^(?:please |just |then |you can |go ahead and |do |and |por favor |y |puedes |podeis )*"
    r"(?:\w+ (?:it|them|that|this|one|now|both)|\w+(?:lo|la|los|las))(?: (?:please|now|for me|por favor|ya|ahora))*$"
)
_JOINED = re.compile(r"(?:and|then|also|y|luego|despues|tambien|ademas)\b")
_FEW = 4
_ASKING = lexicon("what how when where why who which to what's que cual cuanto cuando donde como quien a")
_DECLINES = re.compile(
    r"^(?:\w+[\s,.]+)?(?:(?:i'?m |i am )?not (?:ready|yet|now|just|right|at (?:the|this)|today|interested|really|"
    r"for now|sure)|i (?:would|do|did|will) not|i (?:don'?t|wouldn'?t|won'?t) (?:want|need|like|think)|"
    r"(?:maybe|possibly|perhaps) (?:later|another)|another time|"
    r"(?:ahora|hoy|de momento|por ahora|todavia|aun) no\b|no (?:quiero|me interesa)|"
    r"(?:quizas?|tal vez|igual) (?:luego|mas tarde|otro dia)|en otro momento)"
)
_ENDS_NO = re.compile(
    r"(?:\bso|\bthen|\basi que|\bpor lo que|,|\bmejor|\bque|\bpues)\s+no(?:\s+(?:thanks|thank you|gracias))?[\s.!]*$"
)
_GLUED = re.compile(r"(?<=[.!?])(?=[^\W\d])")
_REPEATED = re.compile(r"([^\W\d])\1{2,}")


@dataclass(frozen=True, slots=True)
class Verdict:
    """A yes or a no, and what was said after it."""

    yes: bool
    rest: str = ""
    """What was said after it, unless that was only to go ahead."""
    apart: bool = False
    """Whether the rest stands on its own, so that the yes is one whatever it says."""


def verdict(text: str, reading: Reading) -> Verdict | None:
    """The yes or no that the message is or begins with; None for neither, and for both.

    A yes that is taken back in the same breath is none: "yes, but", "ok, wait", "claro que no". The rest is for the
    caller to judge: "yes. What is my balance?" agrees, "ok what is the fee?" only asks.
    """
    text = _GLUED.sub(" ", _REPEATED.sub(r"\1", text))
    whole = _as_boolean(text, reading)
    if whole is not None and "?" not in text:
        return Verdict(whole)
    leading = _leading(text)
    if leading is None:
        folded = fold(text)
        return Verdict(False) if _ENDS_NO.search(folded) or _DECLINES.match(folded) else None
    rest = leading.rest
    plain = trimmed(fold(rest))
    if not plain:
        return None if "?" in text and leading.yes else Verdict(leading.yes)
    if not leading.yes:
        return leading
    first = re.split(r"[.!?;]", fold(rest))[0]
    asks = "?" in rest or plain.split()[0] in _ASKING
    if _TAKES_BACK.search(first) or (not asks and _DOUBTS.search(first)):
        return None
    if not asks and (_GO_AHEAD.match(plain) or len(plain.split()) <= _FEW):
        return Verdict(True, rest) if begins_with_cancel(plain) else Verdict(True)
    return Verdict(True, rest, apart=leading.apart or _JOINED.match(plain) is not None)


def _as_boolean(text: str, reading: Reading) -> bool | None:
    try:
        return _BOOLEAN.parse(text, reading)
    except ValueError:
        return None


def _leading(text: str) -> Verdict | None:
    """The yes or no that the message begins with, and what comes after all of them that agree."""
    matches = list(re.finditer(r"\S+", text))
    plain = [trimmed(fold(match.group())) for match in matches]
    start = 0
    while start < len(plain) and plain[start] in _BEFORE and plain[start] not in _YES:
        start += 1
    answer: bool | None = None
    strong = False
    while start < len(plain):
        for length in range(min(_LONGEST_PHRASE, len(plain) - start), 0, -1):
            phrase = " ".join(plain[start : start + length])
            said = True if phrase in _YES or approves(phrase) else False if phrase in _NO else None
            if said is not None:
                break
        else:
            break
        if answer is not None and said is not answer:
            return None  # "yes no"
        answer, start = said, start + length
        strong = strong or length > 1 or plain[start - 1] in _STRONG
        if answer is False:
            break
    if answer is None:
        return None
    if start == len(matches):
        return Verdict(answer)
    mark = matches[start - 1].group()[-1]
    asks = "?" in text or plain[start] in _ASKING
    apart = mark in ".!;" or (strong and (mark == "," or not asks))
    return Verdict(answer, text[matches[start].start() :], apart)
