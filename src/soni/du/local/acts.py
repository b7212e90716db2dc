"""Dialogue acts in English and Spanish: yes, no, cancel, go on; read only where they make sense."""

from __future__ import annotations

from soni.du.local.words import content, lexicon

_FILLERS = lexicon(
    "a ah ahora all alright and bueno eh eso esto favor gracias hey i it just la las lo me muchas now oh please "
    "por pues que quiero so thank thanks that the think this to uh um want well y you"
)
_YES = lexicon(
    "absolutely acepto adelante afirmativo agree claro confirm confirma confirmado confirmo confirmed correct "
    "correcto dale definitely desde do exacto fine go ahead good great hazlo indeed luego ok okay okey perfect "
    "perfecto proceed right si sii supuesto sure va vale venga y yeah yep yes yup acuerdo de sip sounds"
)
_YES_ALONE = _YES - {"ahead", "acuerdo", "de", "desde", "do", "go", "good", "luego", "sounds", "supuesto", "y"}
_NO = lexicon("incorrect incorrecto jamas nah negativo negative never no nop nope para nada not wrong dont don't do")
_NO_ALONE = _NO - {"para", "do", "nada"}
_CANCEL = lexicon(
    "abort anula anular anulalo cancel cancela cancelalo cancelar cancelemos cancelo dejalo dejemoslo olvidalo "
    "olvidate quit stop detente basta"
)
_CANCEL_PHRASES = (
    "never mind", "nevermind", "forget it", "forget about it", "forget that", "drop it", "leave it", "olvida eso",
    "dejalo estar", "no quiero seguir", "i changed my mind", "he cambiado de idea", "para todo", "ya no quiero",
)  # fmt: skip
_ACK = lexicon(
    "ok okay okey vale entendido understood got gotcha claro bien fine next siguiente continue continua sigue si "
    "yes perfecto listo"
)
_PHRASES_YES = {"go ahead", "do it", "sounds good", "de acuerdo", "desde luego", "por supuesto", "of course", "que si"}
_PHRASES_NO = {"para nada", "de ninguna manera", "not really", "no way", "mejor no", "ni hablar", "do not", "que no"}


def is_cancel(text: str) -> bool:
    """Whether the whole message asks to stop what is being done."""
    words = content(text)
    joined = " ".join(words)
    if any(phrase in joined for phrase in _CANCEL_PHRASES) and len(words) <= 8:
        return True
    rest = [word for word in words if word not in _FILLERS]
    return bool(rest) and all(word in _CANCEL for word in rest)


def yes_or_no(text: str) -> bool | None:
    """True for a yes, False for a no, None for anything that is neither, or both."""
    words = content(text)
    joined = " ".join(words)
    if not words:
        return None
    if joined in _PHRASES_YES:
        return True
    if any(joined.startswith(phrase) for phrase in _PHRASES_NO):
        return False
    rest = [word for word in words if word not in _FILLERS]
    if rest and all(word in _YES for word in rest) and any(word in _YES_ALONE for word in rest):
        return True
    if rest and all(word in _NO for word in rest) and any(word in _NO_ALONE for word in rest):
        return False
    return None


def leads_with(text: str) -> bool | None:
    """What a longer answer begins with: 'no, I do not want that' is a no."""
    words = content(text)
    if not words:
        return None
    if words[0] in _NO_ALONE:
        return False
    return True if words[0] in _YES_ALONE else None


def is_acknowledgement(text: str) -> bool:
    """Whether the message only says that it was seen."""
    rest = [word for word in content(text) if word not in _FILLERS]
    return not rest or all(word in _ACK or word in {"it", "know"} for word in rest)
