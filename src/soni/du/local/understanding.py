"""LocalUnderstanding: the open question first, then flows, values and acts, by plain rules and one encoder."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from soni.core.commands import (
    Acknowledge,
    AffirmConfirmation,
    CancelFlow,
    Clarify,
    CorrectSlot,
    DenyConfirmation,
    OutOfScope,
    SetSlot,
    Skip,
    StartFlow,
)
from soni.du.local import acts, corrections
from soni.du.local.flows import FlowScorer, nearest
from soni.du.local.language import language_of
from soni.du.local.patterns import Patterns
from soni.du.local.words import content, fold, lexicon, spans, trimmed
from soni.du.understanding import Found, Understood

if TYPE_CHECKING:
    from soni.config.models import SlotConfig, SoniConfig
    from soni.du.context import DialogueContext
    from soni.du.local.corrections import Change
    from soni.du.local.flows import Score

MOST_READ = 500
"""How much of a message is read; what people ask for stands at its beginning."""
START = 0.58
"""How near a message must be to a flow to start it when nothing was asked."""
INTERRUPT = 0.68
"""The same while a question is open: an answer is likelier than a change of subject."""
SAME = 0.8
"""How near a message must be to a phrase of a command to mean it."""
CLOSE = 0.05
"""How much nearer one flow must be than another to be taken without asking."""
MOST_OFFERED = 4
_SHORT = 4
_ORDER = ("iban", "email", "phone", "datetime", "date", "time", "duration", "money", "number", "integer", "choice")
"""Which types are looked for first: those that cannot be mistaken for another."""
_SHORTEST_OPTION = 2
_NUMBERS = ("money", "number", "integer")
_CODE = re.compile(r"0\d")
_MONEY = re.compile(r"[€$£]|\b(?:eur|euros?|usd|dollars?|dolares|pounds?|libras?)\b")
_ARTICLES = {"a", "an", "one", "un", "una", "uno"}
_LEAD_INS = (
    "it's for", "its for", "it is for", "it's", "its", "it is", "that's", "that is", "to", "for", "my name is", "i'm",
    "i am", "me llamo", "mi nombre es", "es para", "es", "son", "soy", "a", "al", "para", "para el", "para la",
    "with", "con",
)  # fmt: skip
_QUESTION_WORDS = lexicon(
    "what whats what's how when where why who which can could do does is are que cual cuanto cuanta cuando donde "
    "como quien puedo puedes hay"
)


class LocalUnderstanding:
    """Understands an assistant it has never seen, from its flows and slots alone."""

    def __init__(self, config: SoniConfig) -> None:
        self._patterns = Patterns(config.flows, config.slots)
        self._scorer = FlowScorer(config.flows, config.slots)

    def warm(self) -> None:
        """Load the encoder now rather than with the first message."""
        self._scorer.warm()

    async def understand(self, message: str, context: DialogueContext) -> Understood:
        if not self._scorer.is_warm:
            await asyncio.to_thread(self.warm)
        language = language_of(message)
        if language is not None:
            # Numbers and dates are read in the language they are said in.
            context = replace(context, reading=replace(context.reading, language=language))
        found = self._found(message.strip()[:MOST_READ], context)
        return Understood(tuple(found), by="local", language=language)

    def _found(self, text: str, context: DialogueContext) -> list[Found]:
        if not content(text):
            return [Found(OutOfScope(), evidence="no words")]
        if acts.is_cancel(text) or self._cancels_something(text, context):
            return [Found(CancelFlow(), evidence=text)]
        act = self._act(text, context)
        if act is not None:
            return [act]
        match context.task:
            case {"type": "collect"} if context.asked not in context.slots:
                return self._flow(text, context, START) or [Found(OutOfScope(), evidence="none of what was offered")]
            case {"type": "collect"}:
                return (
                    self._corrected(text, context)
                    or self._answer(text, context)
                    or self._flow(text, context, INTERRUPT)
                    or self._refused(text, context)
                )
            case {"type": "confirm"}:
                return self._verdict(text, context)
            case {"type": "inform"}:
                if acts.is_acknowledgement(text):
                    return [Found(Acknowledge(), evidence=text)]
                return self._flow(text, context, INTERRUPT) or [Found(Acknowledge(), 0.5, "something was said")]
            case _:
                return self._flow(text, context, START) or [Found(OutOfScope(), evidence="no flow is near")]

    def _cancels_something(self, text: str, context: DialogueContext) -> bool:
        """'Cancel the transfer' ends it, unless cancelling is what some flow is for."""
        asked = context.slots.get(context.asked or "")
        if not acts.begins_with_cancel(text) or (asked is not None and asked.type == "text"):
            return False
        match = self._patterns.match(text, context.flows, context.reading)
        near = self._scorer.ranked(text, list(context.flows))[:1]
        phrases = [match.phrase] if match else [score.phrase for score in near if score.value >= START]
        return not any(acts.begins_with_cancel(phrase, longest=99) for phrase in phrases)

    def _act(self, text: str, context: DialogueContext) -> Found | None:
        """One of the things people say to any assistant, or to this one; the name of an option is an answer first."""
        asked = context.slots.get(context.asked or "")
        if asked is not None and asked.type == "choice" and _parses(text, asked, context):
            return None
        if asked is not None and acts.is_skip(text, optional=_is_optional(context) and asked.type != "boolean"):
            return Found(Skip(), evidence=text)
        act = acts.act_of(text)
        if act is not None and act.name in context.commands:
            return Found(act, evidence=text)
        return self._own_command(text, context)

    def _own_command(self, text: str, context: DialogueContext) -> Found | None:
        """A command of the assistant's own, by the phrases its class has."""
        for kind in context.commands.values():
            if kind.phrases and not any(field.is_required() for field in kind.model_fields.values()):
                value, phrase = nearest(text, kind.phrases)
                if value >= SAME:
                    return Found(kind(), min(value, 1.0), phrase)
        return None

    def _corrected(self, text: str, context: DialogueContext) -> list[Found] | None:
        """'I meant 300', 'change the recipient', 'mejor 50': a word about what was said before, not an answer."""
        filled = {name: slot for name, slot in context.slots_of(*context.chain).items() if name in context.filled}
        asked = context.slots.get(context.asked or "")
        found: list[Found] = []
        for change in corrections.read(text) if filled else []:
            if change.what is None and asked is not None and asked.sensitive:
                continue  # what is said to a secret question may be the secret
            if change.what is not None:
                name = corrections.named(change.what, filled)
                found += [Found(CorrectSlot(slot=name, value=change.value), 0.9, change.what)] if name else []
            elif change.value and not self._means_something_else(change.value, context):
                found += self._said_anew(change, filled, context)
        return found or None

    def _said_anew(self, change: Change, filled: dict[str, SlotConfig], context: DialogueContext) -> list[Found]:
        """New values for slots that have one: those a type tells, and a name for the only slot of words."""
        said = change.value or ""
        asked = context.slots.get(context.asked or "")
        typed = _typed_values(said, filled, context)
        found = [Found(CorrectSlot(slot=name, value=words), 0.85, said) for name, words in typed.items()]
        texts = [name for name, slot in filled.items() if slot.type == "text" and not slot.sensitive]
        name = corrections.name_in(change)
        # Words that could as well be the answer are the answer.
        is_answer = asked is not None and not typed and _parses(name or "", asked, context)
        if name is not None and len(texts) == 1 and not is_answer:
            found.append(Found(CorrectSlot(slot=texts[0], value=name), 0.7, said))
        return found

    def _means_something_else(self, words: str, context: DialogueContext) -> bool:
        verdict = acts.yes_or_no(words, context.reading)
        return (
            verdict is not None
            or acts.is_cancel(words)
            or acts.act_of(words) is not None
            or self._changes_subject(words, context)
        )

    def _answer(self, text: str, context: DialogueContext) -> list[Found] | None:
        """The message as the answer to the question that is open."""
        name = context.asked
        slot = context.slots.get(name) if name else None
        if name is None or slot is None:
            return None
        if slot.type == "boolean":
            verdict = acts.yes_or_no(text, context.reading)
            return None if verdict is None else [Found(SetSlot(slot=name, value=verdict), evidence=text)]
        if slot.type in ("text", "list"):
            if self._changes_subject(text, context):
                return None
            if acts.yes_or_no(text, context.reading) is not None or _asks_back(text):
                return None
            return [Found(SetSlot(slot=name, value=_answered(text)), 0.8, "the open question takes any words")]
        if _parses(text, slot, context):
            return [Found(SetSlot(slot=name, value=trimmed(text)), evidence=text)]
        if self._changes_subject(text, context) or acts.is_refusal(text):
            return None
        words = _value_in(text, slot, context)
        return None if words is None else [Found(SetSlot(slot=name, value=words), 0.9, words)]

    def _verdict(self, text: str, context: DialogueContext) -> list[Found]:
        """The message as the answer to a yes-or-no question."""
        verdict = acts.yes_or_no(text, context.reading)
        if not verdict:
            changes = self._corrected(text, context) or self._corrections(text, context)
            if changes:
                return changes
        if verdict is None:
            return self._flow(text, context, INTERRUPT) or [Found(OutOfScope(), evidence="neither yes nor no")]
        return [Found(AffirmConfirmation() if verdict else DenyConfirmation(), evidence=text)]

    def _corrections(self, text: str, context: DialogueContext) -> list[Found]:
        """New values for what a confirmation shows: 'no, make it 200', 'send 50 to Ana'."""
        named = any(change.what is not None for change in corrections.read(text))
        if trimmed(text).isdigit() or named or _asks_back(text):
            return []  # a bare number may be that of a choice; what is named is something else; a question is none
        match = self._patterns.match(text, context.flows, context.reading)
        if match is not None and match.flow == context.active_flow:
            return [Found(CorrectSlot(slot=name, value=words), 0.9, words) for name, words in match.values.items()]
        filled = {name: slot for name, slot in context.slots_of(*context.chain).items() if name in context.filled}
        return [
            Found(CorrectSlot(slot=name, value=words), 0.8, words)
            for name, words in _typed_values(text, filled, context).items()
            # A number in a longer sentence may be about anything, unless it says of what.
            if filled[name].type not in _NUMBERS or len(content(text)) <= _SHORT - 1 or _says_money(words)
        ]

    def _flow(self, text: str, context: DialogueContext, threshold: float) -> list[Found] | None:
        """The flow the message asks for, with the values it names."""
        if acts.is_refusal(text):
            return None
        match = self._patterns.match(text, context.flows, context.reading)
        if match is not None:
            values = [Found(SetSlot(slot=name, value=words), 0.9, words) for name, words in match.values.items()]
            return [Found(StartFlow(flow=match.flow), 0.95, match.phrase), *values]
        near = self._near(text, context, threshold)
        if len(near) > 1:
            options = [score.flow for score in near]
            return [Found(Clarify(options=options), near[0].value, " or ".join(score.phrase for score in near))]
        if not near:
            return None
        score = near[0]
        values = [
            Found(SetSlot(slot=name, value=words), 0.8, words)
            for name, words in _typed_values(text, context.slots_of(score.flow), context).items()
        ]
        return [Found(StartFlow(flow=score.flow), score.value, score.phrase), *values]

    def _changes_subject(self, text: str, context: DialogueContext) -> bool:
        if self._patterns.match(text, context.flows, context.reading) is not None:
            return True
        return bool(self._near(text, context, INTERRUPT))

    def _near(self, text: str, context: DialogueContext, threshold: float) -> list[Score]:
        """The flow the message is nearest to, and those that are about as near."""
        others = [name for name in context.flows if name != context.active_flow]
        ranked = [score for score in self._scorer.ranked(text, others) if score.value >= threshold]
        return [score for score in ranked if ranked[0].value - score.value < CLOSE][:MOST_OFFERED]

    def _refused(self, text: str, context: DialogueContext) -> list[Found]:
        """A short answer that fits no type is still an answer: it gets the slot's error text."""
        asked = context.slots.get(context.asked or "")
        free = asked is not None and asked.type in ("text", "list")
        if context.asked and len(content(text)) <= _SHORT and not _asks_back(text) and not free:
            return [Found(SetSlot(slot=context.asked, value=text), 0.3, "a short answer to the open question")]
        return [Found(OutOfScope(), evidence="no answer to the open question")]


def _is_optional(context: DialogueContext) -> bool:
    return bool(context.task and (context.task.get("metadata") or {}).get("optional"))


def _parses(text: str, slot: SlotConfig, context: DialogueContext) -> bool:
    try:
        slot.value_type.parse(text, context.reading)
    except ValueError:
        return False
    return True


def _value_in(text: str, slot: SlotConfig, context: DialogueContext) -> str | None:
    return next((run for run in spans(text) if _parses(run, slot, context)), None)


def _typed_values(text: str, slots: dict[str, SlotConfig], context: DialogueContext) -> dict[str, str]:
    """Values whose type tells which slot they are for: one slot of the type, one value of it."""
    kinds = [slot.type for slot in slots.values()]
    found: dict[str, Any] = {}
    telling = {name: slot for name, slot in slots.items() if slot.type in _ORDER}
    for name, slot in sorted(telling.items(), key=lambda item: _ORDER.index(item[1].type)):
        if slot.type != "choice" and kinds.count(slot.type) > 1:
            continue
        runs = [run for run in spans(text) if _tells(run, slot)]
        if slot.type == "choice":
            runs.reverse()  # the fewest words that name an option, not the most that resemble one
        words = next((run for run in runs if _parses(run, slot, context)), None)
        if words is not None:
            found[name] = words
            text = text.replace(words, " ", 1)  # the digits of an IBAN are not an amount, too
    return found


def _tells(run: str, slot: SlotConfig) -> bool:
    """Whether words can be a value nobody asked for: 'una' is no amount then, nor '2' an option."""
    if slot.type == "choice":
        return len(run) > _SHORTEST_OPTION and not any(letter.isdigit() for letter in run)
    if slot.type in _NUMBERS and _CODE.match(run):
        return False  # nobody says an amount with a zero in front
    return fold(run) not in _ARTICLES


def _says_money(words: str) -> bool:
    return _MONEY.search(fold(words)) is not None


def _asks_back(text: str) -> bool:
    return "?" in text or content(text)[0] in _QUESTION_WORDS


def _answered(text: str) -> str:
    """'no, to María' and 'sorry, María' answer 'To whom?' with María."""
    for change in corrections.read(text):
        if change.what is None and (name := corrections.name_in(change)):
            return name
    return _without_lead_in(text)


def _without_lead_in(text: str) -> str:
    """'to Ana, please' answers 'To whom?' with Ana."""
    words = trimmed(text)
    for tail in (", please", " please", ", por favor", " por favor"):
        if fold(words).endswith(tail):
            words = trimmed(words[: -len(tail)])
    for lead in sorted(_LEAD_INS, key=len, reverse=True):
        if fold(words).startswith(f"{lead} ") and len(words) > len(lead) + 1:
            return trimmed(words[len(lead) + 1 :])
    return words
