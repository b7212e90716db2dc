"""LocalUnderstanding: the open question first, then flows, values and acts; no key, no network, no GPU."""

from __future__ import annotations

import asyncio
import re
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from soni.core.commands import CancelFlow, CorrectSlot, Help, OutOfScope, SetSlot
from soni.core.readable_text import readable_text
from soni.du.local import acts, corrections
from soni.du.local.assistant import Assistant
from soni.du.local.clauses import parts
from soni.du.local.decide.decision import decide
from soni.du.local.lead_ins import without_lead_in
from soni.du.local.message import Message
from soni.du.local.words import content
from soni.du.understanding import Found, Understood, Usage

if TYPE_CHECKING:
    from soni.config.models import SoniConfig
    from soni.du.context import DialogueContext
    from soni.languages import Language

MOST_READ = 500
"""How much of a message is read; what people ask for stands at its beginning."""
_DIGITS = re.compile(r"(?<![\w@.-])\d+(?![\w@-]|\.\d)")


class LocalUnderstanding:
    """Understands an assistant it has never seen, from its flows and slots alone.

    The path of a message: the encoder says which flows are likely, the reader finds values, the grammar of each type
    tells what they are worth, and the open question decides what it all comes to.
    """

    def __init__(self, config: SoniConfig) -> None:
        self._assistant = Assistant(config)
        self._is_warm = False

    def warm(self) -> None:
        """Load the encoder now rather than with the first message."""
        self._assistant.warm()
        self._is_warm = True

    def ranked(self, message: str, context: DialogueContext) -> list[str]:
        """The flows that the message may ask for, the likeliest first, however likely."""
        said = Message(message.strip()[:MOST_READ], context, self._assistant)
        return [score.flow for score in said.ranked(said.core)]

    async def understand(self, message: str, context: DialogueContext) -> Understood:
        if not self._is_warm:
            await asyncio.to_thread(self.warm)
        began = time.perf_counter()
        language = self._assistant.language.of(message, context.reading.language)
        if language is not None:
            # Numbers and dates are read in the language they are said in.
            context = replace(context, reading=replace(context.reading, language=language))
        # In a thread of its own, so that other conversations go on; the models read one after the other, or together.
        found = await asyncio.to_thread(self._found, message.strip(), context)
        seconds = time.perf_counter() - began
        return Understood(tuple(found), by="local", language=language, usage=Usage(seconds=seconds))

    def _found(self, text: str, context: DialogueContext) -> list[Found]:
        if not content(text):
            return [Found(OutOfScope(), evidence="no words")]
        asked = context.slots.get(context.asked or "")
        if asked is not None and asked.sensitive:
            return self._secret(text, context)
        message = Message(text[:MOST_READ], context, self._assistant, whole=len(text) <= MOST_READ)
        return decide(message)

    def _secret(self, text: str, context: DialogueContext) -> list[Found]:
        """What is said to a question for a secret is the secret, or an act; it is looked at no further."""
        cues, words = self._assistant.cues, context.reading.words
        raw, text = text, readable_text(text)[:MOST_READ]
        filled = {name: slot for name, slot in context.slots_of(*context.chain).items() if name in context.filled}
        changes = [
            (corrections.named(one.what, filled, cues, words), one.value)
            for one in corrections.named_changes(text, words)
        ]
        if found := {name: value for name, value in changes if name is not None}:
            return [Found(CorrectSlot(slot=name, value=value), 0.9, "named") for name, value in found.items()]
        name = context.asked or ""
        act = Help() if corrections.asked_about(text, name, cues, words) else acts.act_of(text, words)
        is_code = not cues.named[name].isdisjoint(words.acts.codes)  # "the text says 739204" is 739204
        has_digits = any(letter.isdigit() for letter in text)
        said = (text, *(parts(text, words) if is_code else ()))  # no part of a password is looked at
        if act is None and not has_digits:
            act = next(filter(None, (acts.act_of(part, words) for part in said)), None)
        if act is None and not has_digits and any(acts.begins_with_cancel(part, words) for part in said):
            act = CancelFlow()
        if act is not None and act.name in context.commands:
            return [Found(act, evidence="said instead of an answer")]
        codes = _DIGITS.findall(text) or list(filter(None, [_spelled(text, words)])) if is_code else []
        value = codes[0] if len(codes) == 1 else without_lead_in(raw, words)
        return [Found(SetSlot(slot=name, value=value), 0.8, "the open question")]


def _spelled(text: str, words: Language) -> str:
    """'Four oh two' as figures; nothing if any other word is there."""
    figures = dict.fromkeys((*words.numbers.zero, *words.numbers.spoken_zero), "0")
    figures |= {word: str(value) for word, value in words.numbers.units.items()}
    digits = [figures.get(word) for word in content(text)]
    return "".join(digit for digit in digits if digit) if len(digits) > 2 and all(digits) else ""
