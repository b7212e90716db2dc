"""Messages in parts: where one request may end and the next begin."""

from __future__ import annotations

import re

from soni.du.local.words import content, fold, trimmed

_BREAK = re.compile(
    r"[.!?;]\s|,?\s(?:and then|and also|and after that|and|then|but|also|y luego|y despues|y tambien|y de paso|"
    r"y ademas|y|e|luego|despues|tambien|pero|ademas)\s|,\s"
)
_OPENING = re.compile(
    r"^(?:(?:oh|ah|eh|uy|ay|um|uh|well|so|ok|okay|vale|bueno|pues|hey|hi|hello|hola|buenas|oye|oiga|che|please|"
    r"por favor|wait|hold on|hang on|one sec|one moment|espera|espere|un momento|a ver|perdona|perdone|perdon|sorry|"
    r"excuse me|disculpe|disculpa|good (?:morning|afternoon|evening|day)|buenos dias|buenas (?:tardes|noches)|"
    r"antes(?: de (?:eso|nada|seguir|continuar))?|before (?:that|anything|you do|we do)|first|primero|"
    r"by the way|por cierto|de paso|also|tambien|tb|and|then|y|now|ahora|ya)(?:[\s,.!:]+|$))+"
)
_CLOSING = re.compile(
    r"(?:[\s,.!]{1,3}(?:please|pls|plz|por favor|porfa|porfis|porfavor|thanks|thank you|gracias|first|primero|instead|"
    r"ok|vale|mate|man|right now|asap|now|ahora|i think|i believe|i guess|creo|creo yo|me parece|supongo)){1,4}"
    r"[\s.!]{0,9}$"
)
JOINED = re.compile(r"\b(?:then|also|after that|luego|despues|tambien|ademas|de paso)\b")
"""Words that join a second request to a first."""
_FEWEST = 2
MOST_BREAKS = 4
"""At how many places of a message it is tried whether a request ends there."""


def cuts(text: str) -> list[tuple[str, str]]:
    """Every way to cut the text in two where a request may end, with enough words on both sides."""
    found = []
    for match in list(_BREAK.finditer(fold(text)))[:MOST_BREAKS]:
        left, right = trimmed(text[: match.start()]), trimmed(text[match.end() :])
        if len(content(left)) >= _FEWEST and len(content(right)) >= _FEWEST:
            found.append((left, right))
    return found


def parts(text: str) -> list[str]:
    """The text cut at every place where a request may end."""
    folded, start, found = fold(text), 0, []
    for match in _BREAK.finditer(folded):
        found.append(trimmed(text[start : match.start()]))
        start = match.end()
    return [part for part in (*found, trimmed(text[start:])) if part]


def without_courtesies(text: str) -> str:
    """The text without the greeting, hesitation and politeness around what it says."""
    folded = fold(text)
    opening = _OPENING.match(folded)
    start = opening.end() if opening else 0
    closing = _CLOSING.search(folded, start)
    end = closing.start() if closing and closing.start() > start else len(text)
    return text[start:end] if trimmed(text[start:end]) else text
