"""Dialogue acts in English and Spanish: yes, no, cancel, go on; read only where they make sense."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soni.core.values.boolean import Boolean
from soni.du.local.words import content, lexicon

if TYPE_CHECKING:
    from soni.core.values import Reading

_BOOLEAN = Boolean()

_FILLERS = lexicon(
    "a ah ahora all alright and bueno eh eso esto favor gracias hey i it just la las lo me muchas now oh please "
    "por pues que quiero so thank thanks that the think this to uh um want well y you"
)
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
_DENIALS = lexicon("no nope nah nop negativo negative never jamas nunca not incorrect incorrecto wrong")


def is_cancel(text: str) -> bool:
    """Whether the whole message asks to stop what is being done."""
    words = content(text)
    joined = " ".join(words)
    if any(phrase in joined for phrase in _CANCEL_PHRASES) and len(words) <= 8:
        return True
    rest = [word for word in words if word not in _FILLERS]
    return bool(rest) and all(word in _CANCEL for word in rest)


def yes_or_no(text: str, reading: Reading) -> bool | None:
    """True for a yes, False for a no, None for anything that is neither, or both.

    Every word must agree to a yes: "claro que no", "ok, wait" and "sure, don't" are none. A no may say more.
    """
    first = content(text)[:1]
    denies = bool(first) and first[0] in _DENIALS
    if "?" in text:
        return False if denies else None
    try:
        return _BOOLEAN.parse(text, reading)
    except ValueError:
        return False if denies else None


def is_acknowledgement(text: str) -> bool:
    """Whether the message only says that it was seen."""
    rest = [word for word in content(text) if word not in _FILLERS]
    return not rest or all(word in _ACK or word in {"it", "know"} for word in rest)
