"""Yes and no, also in front of something else: 'yes, and then pay the water bill', 'sí, anúlala'.

A wrong yes pays money and a missed one costs a question, so a yes is read word by word: every word must belong to it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from soni.core.values.boolean import NO, YES, Boolean, approves
from soni.du.local.spelling import is_common, one_slip
from soni.du.local.words import fold, lexicon, squeezed, trimmed

if TYPE_CHECKING:
    from soni.core.values import Reading

_BOOLEAN = Boolean()
_SWITCHES = lexicon("on off true false activado desactivado va")
"""Answers that begin sentences of another kind: 'on the bus'."""
_YES, _NO = YES - _SWITCHES, NO - _SWITCHES
_LONGEST_PHRASE = 6
_STRONG = lexicon(
    "yes yeah yea yep yup sure si sip claro definitely absolutely certainly affirmative perfect great excellent "
    "perfecto genial estupendo correct correcto exactly exacto awesome wonderful fantastic brilliant approved "
    "confirmed agreed confirmo confirmado afirmativo"
)
"""Words that agree by themselves; 'ok', 'fine' and 'right' may just begin a sentence."""
_CLEAR = lexicon("that's thats that it's its go do works yes")
"""Words that begin a phrase of several that agrees: 'that's it', 'go ahead'."""
_HARMLESS = lexicon(
    "now quick quickly fast sadly unfortunately please pls plz thanks thank thx ta you so much dear love my mate man "
    "sir bro buddy then for me us ya ahora ahorita rapido porfa xfa gracias muchas amigo amiga senor senora senorita "
    "usted ustedes tio tia parce guey wey compa jefe hermano che joven mismo just and n y then pues pos po well bueno "
    "eh kindly definitivamente permanently permanentemente asap asi lamentablemente desgraciadamente nomas finally "
    "lovely brill ace champion joya barbaro chido chevere bacan bacano buenisimo guay"
)
"""Words that change nothing about a yes."""
_NO_OBJECTION = (
    "no problem at all", "no problem", "no worries", "no dramas", "no doubt about it", "no doubt", "no changes",
    "nothing to change", "no objections", "no complaints", "no notes", "sin cambios", "sin pegas", "nada que cambiar",
    "nada que objetar", "no hay problema", "no hay pega", "no hay ningun problema",
)  # fmt: skip
"""A no that stands in nobody's way."""
_POLITE = frozenset({
    "por favor", "muy amable", "si es tan amable", "si eres tan amable", "se lo agradezco", "te lo agradezco",
    "mil gracias", "se lo ruego", "te lo ruego", "hagame el favor", "hazme el favor", "haceme el favor",
    "me lo quito de encima", "y punto", "be done with it", "get it over with", "ya que estas", "ya que estamos",
    "while you're at it", "while we're at it", "if you can", "si puedes", "si puede", "que tengo prisa",
    "que voy con prisa", "cuanto antes", "lo antes posible", "as soon as possible", "sin falta",
    "sintiendolo mucho", "muy a mi pesar", "con todo el dolor", "sorry to say", "i'm in a hurry",
    "if you would", "if you please", "if you don't mind", "thanks a lot", "thanks a million", "much appreciated",
    "thank you very much", "thanks very much", "very kind", "cheers", "para siempre", "for good", "for ever",
    *_NO_OBJECTION,
})  # fmt: skip
"""Phrases that change nothing about it, though a word of theirs might."""
_DEED = (
    r"(?:the|this|that) (?:above|transfer|payment|booking|reservation|order|operation|transaction|change|cancellation)"
)
_GO_AHEAD = re.compile(
    r"(?:(?:you can|you may|go ahead and|please|just|then|puedes|podeis|puede|pueden) )*"
    r"(?:(?:do|send|pay|book|block|reserve|confirm|make|place|transfer|order|buy|submit|process|complete|finish|schedule"
    r"|freeze|save|accept|approve) (?:it|that|this|them|the thing|the lot)"
    r"(?: (?:now|through|off|over|on|away|already|then|along|as is))*|(?:book|send|fire|pay) away"
    rf"|(?:proceed|go ahead)(?: with (?:it|that|this|{_DEED}))?"
    r"|go for it|carry on|put it through|get it done"
    rf"|i (?:hereby )?(?:confirm|authori[sz]e|approve) {_DEED}"
    r"|(?:confirmo|autorizo|apruebo) (?:el|la|esta|este|dicha|dicho) (?:envio|pago|operacion|transferencia|reserva"
    r"|pedido|transaccion|cambio|anulacion|bloqueo)"
    r"|(?:puedes|puede|podeis|pueden)(?: usted)? (?:hacer|enviar|mandar|pagar|reservar|bloquear|confirmar|proceder"
    r"|tramitar|continuar|seguir)(?:l[oa]s?)?"
    r"|(?:haz|hace|haga|hagan|envia|envie|envien|manda|mande|manden|paga|pague|paguen|reserva|reserve|reserven|aparta|aparte|aparten|bloquea"
    r"|bloquee|bloqueen|abona|abone|abonen|ejecuta|ejecute|realiza|realice|confirma|confirme|confirmen|transfiere|tramita|tramite|procesa|acepta|acepte|compra|guarda|pide"
    r"|pidan)(?:me|se|le|les|nos|mela|melo|sela|selo)?(?:lo|la|los|las)?"
    r"|(?:cierra|cerra|cierre)l[oa]s?"
    r"|siga|sigue|sigan|continua|continue|proceda|procedan|procede|proced|adelante|de una vez|sin (?:mas )?demora)"
)
_GO_ON_AND = re.compile(
    r"(?:please )?(?:go ahead|go on) and (?!(?:do|send|pay|book|block|reserve|confirm|make|place|transfer|order|buy"
    r"|submit|process|complete|finish|schedule|freeze|cancel|drop|delete|remove|get rid of) (?:it|that|this|them)\b)"
)
"""'Go ahead and tell me which account that is': what to go ahead with is something else."""
_UNDO_IT = re.compile(
    r"(?:cancel|drop|delete|remove|scrap|undo|erase|bin|ditch) "
    r"(?:it|that(?: one)?|this(?: one)?|them|the (?:booking|reservation))"
    r"|(?:get rid of|take off|call off) (?:it|that|this|them)|call (?:it|that|this) off"
    r"|(?:cancela|cancele|anula|anule|borra|borre|quita|quite|elimina|elimine)(?:me)?(?:n)?(?:lo|la|los|las)"
    r"(?: no mas)?"
)
_DO_IT = re.compile(r"(?:[aeo]l[oa]s?|d[oa]l[oa]s?)$")
"""'Resérvala', 'bloquéala'."""
_LONG = sorted(
    lexicon(
        "absolutely definitely certainly affirmative perfect correct exactly excellent confirmed confirm agreed "
        "correcto perfecto exacto exactamente adelante afirmativo confirmo confirmado estupendo efectivamente"
    )
)
"""Words for yes that are too long for a slip of the keyboard to make them out of another word."""
_LONG_ENOUGH = 6
_SEQUENCE = re.compile(r"\b(?:when|once|after|later|cuando|luego|despues)\b")
"""Words that put something off, unless they only say when to do the next thing: 'yes, and once that is done …'."""
_OF_A_REQUEST = re.compile(rf"{_SEQUENCE.pattern}|\b(?:sin|without)\b")
"""Those, and words by which the next thing may be told: 'perfect, and what do you have without gluten'."""
_AGAINST = re.compile(
    r"\b(?:but|though|although|however|except|besides|apart|unless|until|if|when|once|provided|before|after|first|only|"
    r"instead|rather|wait|hold|hang|stop|pause|later|tomorrow|not|no|nope|never|nothing|nobody|none|without|cannot|"
    r"\w+n't|dont|wont|cant|isnt|didnt|doesnt|wouldnt|refuse|wrong|mistake|scam|fraud|doubt|unsure|change|fix|check|"
    r"pero|aunque|salvo|excepto|menos|sin|si no|cuando|hasta|antes|primero|luego|despues|manana|espera\w*|ni|nada|"
    r"nadie|nunca|jamas|tampoco|mal|error|equivoc\w*|duda\w*|cambia\w*|mejor|otro|otra|en vez|kidding|oops|hmm|depende|"
    r"maybe|quizas?|tal vez|actually|disregard|ignore|siempre que|as long|con tal|mientras|assuming|"
    r"suppos\w*|supon\w*)\b"
)
_EXCLAMATIONS = ("aye right", "venga ya", "anda ya", "yeah right", "you sure", "u sure", "tira eso", "ya esta bien")
"""Said of what cannot be true, or is to be thrown away."""
_CONDITION = re.compile(
    r"\W*[Ss]i (?:hay|no|tengo|tienen|puedo|quedan?|cobro|llego|alcanza|es (?!as[ií]|correcto|eso|es[ea]|mi)\w)"
)
"""'Si hay saldo': without its accent and its comma it may be an if."""
_TAKES_BACK = re.compile(
    r"\b(?:but|wait|hold|hang|actually|instead|rather|not|no|never|nothing|\w+n't|dont|wont|cant|cannot|cancel|stop|"
    r"scratch|undo|wrong|mistake|scam|fraud|kidding|refuse|hmm+|first|change|unless|besides|apart|except|provided|"
    r"think about|repeat|help|dead body|when(?! (?:is|are|do|does|will|would|can)\b)|pero|espera\w*|nunca|nada|ni|mal|"
    r"disregard|ignore|siempre que|as long|con tal|mientras|assuming|suppos\w*|supon\w*|ask|"
    r"error|cancel\w*|anul\w*|paral[oa]|mejor|cambi\w*|primero|antes|sin|menos|salvo|excepto|depende|cuando)\b|[❌✖🚫👎]"
)
"""Words that take a yes back, also in a sentence of their own."""
_STOPS = re.compile(r"\b(?:cancel\w*|stop|scratch|undo|wait|hold|hang|never|paral[oa]|anul\w*|espera\w*|nunca)\b")
"""Words that take it back whoever vouches for it."""
_JOINED = re.compile(r"(?:and|n|then|also|y|luego|despues|tambien|ademas)\b")
_QUESTION = re.compile(
    r"(?:and |y |also |tambien )*(?:what|what's|whats|how|when|where|which|who|can you|could you|do you|does|do they|"
    r"is|are|que|cual|cuanto|cuanta|cuando|donde|como|quien|puedes|me puedes|hay|tiene|tienen)\b"
)
_BEFORE = lexicon("simon oh ah well um uh mm eh pues bueno ay hey so and y ok okay vale er hala ea anda")
_DECLINES = re.compile(
    r"^(?:\w+[\s,.]+)?(?:(?:i'?m |i am )?not (?:ready|yet|now|just|right|at (?:the|this)|today|interested|really|"
    r"for now|sure)|i (?:would|do|did|will) not|i (?:don'?t|wouldn'?t|won'?t) (?:want|need|like|think)|"
    r"(?:maybe|possibly|perhaps) (?:later|another)|another time|(?:let me|i'?ll|i need to|i have to) think\b|"
    r"(?:mejor )?(?:me )?lo (?:tengo que |voy a )?(?:pienso|pensar|pensare)\b|(?:ahora|hoy) me viene (?:muy )?mal|"
    r"(?:ahora|hoy|de momento|por ahora|todavia|aun) no\b|no (?:quiero|me interesa)|"
    r"(?:quizas?|tal vez|igual) (?:luego|mas tarde|otro dia)|en otro momento)"
)
_NOT_NOW = re.compile(r"(?:\w+\W+){1,2}(?:but|pero) (?:not (?:now|yet|today)|ahora no|todavia no|aun no|hoy no)\b")
"""'Yes, but not now.'"""
_ENDS_NO = re.compile(
    r"(?:\bso|\bthen|\basi que|\bpor lo que|,|\bmejor|\bque|\bpues)\s+no(?:\s+(?:thanks|thank you|gracias))?[\s.!]*$"
)
_TRAILS_OFF = re.compile(r"(?:\.\.|…)\s?$")
"""'Ok...': somebody who has not made up their mind."""
_GLUED = re.compile(r"(?<=[.!?])(?=[^\W\d])")
_ECHO = re.compile(r"^\W*(?:yes|yeah|yep|s[ií]|ok|okay|vale)\?+\s+(?=\S)", re.IGNORECASE)
"""'Yes? That's right': a yes that only says the question again; what follows decides."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A yes or a no, and what was said after it."""

    yes: bool
    rest: str = ""
    """What was said after it; a yes counts only if that is a question or a request of its own."""
    asks: bool = False
    """Whether the rest takes nothing away from a yes, such as a question after a full stop."""


def verdict(
    text: str, reading: Reading, *, undoing: bool = False, shows: bool = True, vouched: bool = False
) -> Verdict | None:
    """The yes or no that the message is or begins with; None for neither, and for both.

    `undoing` is for questions about calling something off, where 'yes, cancel it' goes ahead. `shows` is whether the
    question shows values: if there is nothing that the rest could change, a clear yes is one whatever follows it, even
    a no ('yes, with no subtitles') where somebody who read all of it vouches for the yes.
    """
    text = _ECHO.sub("", _GLUED.sub(" ", squeezed(text)))
    folded = fold(text)
    if trimmed(folded) in _EXCLAMATIONS or _CONDITION.match(text) or _GO_ON_AND.match(folded):
        return None
    whole = _as_boolean(text, reading)
    if whole and _TRAILS_OFF.search(text) and trimmed(folded).split()[0] not in _STRONG:
        return None
    if whole and "?" not in text:
        return Verdict(True)
    denied = Verdict(False) if whole is False else _denied(text, folded)
    if denied is not None:
        return denied
    opening = _opening(text, undoing=undoing)
    if opening is None:
        return None
    if not opening.rest:
        return None if "?" in text else Verdict(True)
    rest, stopped, joined = opening.rest, opening.stopped, opening.joined
    asks = rest.rstrip().endswith("?") and bool(_QUESTION.match(fold(rest)))
    harmless = not _TAKES_BACK.search(fold(rest)) or (vouched and not shows and not _STOPS.search(fold(rest)))
    if opening.strong and harmless and (not shows or (stopped and asks)):
        return Verdict(True, rest, asks=True)
    if opening.against:
        return None
    return Verdict(True, rest) if joined or stopped else None


def begun(text: str) -> Verdict | None:
    """A yes in front of words that nothing is known of, but that do not take it back; they may be a request."""
    text = _GLUED.sub(" ", squeezed(text))
    doubted = "?" in text or _CONDITION.match(text) or _GO_ON_AND.match(fold(text))
    opening = None if doubted else _opening(text)
    if opening is None or not (opening.joined or opening.stopped) or (opening.against and not opening.joined):
        return None
    rest = fold(opening.rest)
    if _TAKES_BACK.search(_OF_A_REQUEST.sub("", rest) if opening.joined else rest):
        return None
    return Verdict(True, opening.rest)


@dataclass(frozen=True, slots=True)
class _Opening:
    """The yes that a text begins with."""

    rest: str
    strong: bool
    stopped: bool
    joined: bool

    @property
    def against(self) -> bool:
        """Whether the rest has a word that may speak against it."""
        rest = fold(self.rest)
        return _AGAINST.search(_SEQUENCE.sub("", rest) if self.joined else rest) is not None


def _opening(text: str, *, undoing: bool = False) -> _Opening | None:
    words = list(re.finditer(r"\S+", text))
    plain = [_repaired(trimmed(fold(match.group()))) for match in words]
    place, told, agreed, strong = 0, 0, False, False
    while place < len(plain):
        length, agrees = _yes_at(plain, place, undoing=undoing)
        if not length:
            break
        agreed = agreed or agrees
        said = plain[place : place + length]
        first = next((word for word in said if word not in _HARMLESS), "")  # 'please go ahead'
        clear = said[0] in _STRONG or approves(" ".join(said)) or (length > 1 and first in _CLEAR)
        strong = strong or (agrees and clear)
        place += length
        told = place if agrees else told  # what stands behind it only goes with it, or joins the next thing to it
    if not agreed:
        return None
    rest = text[words[place].start() :] if place < len(words) else ""
    joined = any(_JOINED.match(word) for word in plain[max(told, 1) : place])
    return _Opening(rest, strong, words[place - 1].group()[-1] in ".!;", joined)


def _as_boolean(text: str, reading: Reading) -> bool | None:
    try:
        return _BOOLEAN.parse(text, reading)
    except ValueError:
        return None


def _denied(text: str, folded: str) -> Verdict | None:
    """A no at the beginning, or at the end."""
    words = list(re.finditer(r"\S+", text))
    plain = [trimmed(fold(match.group())) for match in words]
    start = 0
    while start < len(plain) and plain[start] in _BEFORE:
        start += 1
    if " ".join(plain[start:]).startswith((*_NO_OBJECTION, "never mind")):
        return None
    for length in range(min(_LONGEST_PHRASE, len(plain) - start), 0, -1):
        end = start + length
        goes_on = length > 1 and end < len(words) and plain[end - 1] == "no" and words[end - 1].group()[-1].isalpha()
        if " ".join(plain[start:end]) in _NO and not goes_on:  # 'no, no la anule'
            return Verdict(False, text[words[end].start() :] if end < len(words) else "")
    is_no = _ENDS_NO.search(folded) or _DECLINES.match(folded) or _NOT_NOW.match(folded)
    return Verdict(False) if is_no else None


def _only_goes_with_it(words: list[str]) -> bool:
    """Whether words change nothing about what stands before them."""
    if not words:
        return True
    polite = (end for end in range(min(_LONGEST_PHRASE, len(words)), 0, -1) if " ".join(words[:end]) in _POLITE)
    length = next(polite, 1 if words[0] in _HARMLESS else 0)
    return length > 0 and _only_goes_with_it(words[length:])


def _yes_at(plain: list[str], place: int, *, undoing: bool) -> tuple[int, bool]:
    """How many words from here belong to a yes, and whether they say it rather than only go with it."""
    for length in range(min(_LONGEST_PHRASE, len(plain) - place), 0, -1):
        phrase = " ".join(plain[place : place + length])
        if phrase in _YES or approves(phrase):
            return length, True
        if phrase in _POLITE:
            return length, False
        if place and (_GO_AHEAD.fullmatch(phrase) or (undoing and _UNDO_IT.fullmatch(phrase))):
            return length, True
        if not place and _GO_AHEAD.fullmatch(phrase) and (length > 1 or _DO_IT.search(phrase)):
            return length, True
        if undoing and not place and _UNDO_IT.fullmatch(phrase) and _only_goes_with_it(plain[length:]):
            return length, True
    goes_with_it = plain[place] in _HARMLESS or plain[place] in _BEFORE or plain[place] == "va"  # 'va, apártala'
    return (1, False) if goes_with_it else (0, False)


def _repaired(word: str) -> str:
    """A long word for yes with a slip of the keyboard put right: 'absolutly', 'perfekt'."""
    if len(word) < _LONG_ENOUGH or is_common(word):
        return word
    return next((yes for yes in _LONG if word[0] == yes[0] and one_slip(word, yes)), word)
