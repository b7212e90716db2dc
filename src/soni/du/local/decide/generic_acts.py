"""Readings as one of the things people say to any assistant: help, cancel, a person please, wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soni.core.commands import CancelFlow, Command, Explain, HumanHandoff, Repeat, ResumeFlow, SetSlot, Skip
from soni.du.local import acts, corrections
from soni.du.local.clauses import cuts, parts
from soni.du.local.decide.candidate import ready
from soni.du.local.decide.signs import logit
from soni.du.local.flows import nearest
from soni.du.local.options import any_option
from soni.du.local.words import content, same_stem, squeezed
from soni.du.understanding import Found

if TYPE_CHECKING:
    from collections.abc import Iterator

    from soni.du.local.decide.candidate import Candidate
    from soni.du.local.message import Message

_READ = {"thanks": "thank", "goodbye": "bye", "greeting": "greet"}
"""The trained reader's names of acts, where they differ."""


SAME = 0.62
"""How alike a message and a phrase of an assistant's own command must be to mean the same."""


def generic_acts(message: Message) -> Iterator[Candidate]:
    """Every act that makes sense here, likely or not."""
    core, words = message.core, message.words
    alike = acts.likeness(core, words)
    said = {name: acts.act_of(text, words) for name, text in _texts(message).items()}
    every = [acts.act_of(part, words) for part in parts(core, words)[:3]]
    reading = message.reading
    for name, command in acts.COMMANDS.items():
        if not makes_sense(message, command):
            continue
        signs = {
            "said": float(command in said.values()),
            "part": float(command in every),
            "every part": float(bool(every) and all(one == command for one in every)),
            "like": alike.get(name, 0.0),
            "likest": float(alike.get(name, 0.0) == max(alike.values(), default=0.0)),
            "read": logit(reading.acts[read]) if reading and (read := _READ.get(name, name)) in reading.acts else 0.0,
            **_own_signs(name, message),
        }
        command = resumes(message) if name == "resume" else command
        yield ready(name, _said(message, command, f"read as {name}"), signs)
    yield from _any_option(message, alike)


def _texts(message: Message) -> dict[str, str]:
    return {"fixed": message.fixed.text, "core": message.core, "squeezed": squeezed(message.core, message.words)}


def _said(message: Message, command: Command, why: str) -> list[Found]:
    return [Found(command, evidence=f"'{message.text}' {why}")]


def _own_signs(name: str, message: Message) -> dict[str, float]:
    """What speaks for one act alone."""
    core, words = message.core, message.words
    last = (parts(core, words) or [""])[-1]
    match name:
        case "cancel":
            return {
                "begins": float(acts.begins_with_cancel(core, words)),
                "ends": float(acts.begins_with_cancel(last, words)),
                "keeps": float(acts.keeps(core, words)),
                "undoing": float(message.context.active_flow in message.assistant.undoing),
            }
        case "resume":
            return {"begins": float(acts.begins_with_resume(core, words))}
        case "skip":
            declined = acts.declines(message.fixed.text, words) or acts.declines(core, words)
            return {
                "optional": float(message.optional),
                "declined": float(declined and message.optional),
                "withheld": float(acts.withholds(core, words)),
                "named": float(_named_asked(message)),
            }
        case "meaning":
            asked = message.context.asked
            about = asked is not None and corrections.asked_about(core, asked, message.assistant.cues, words)
            return {"about": float(about)}
    return {}


def _named_asked(message: Message) -> bool:
    """Whether the message names the very thing that was asked for."""
    asked = message.context.asked or ""
    if asked not in message.context.slots:
        return False
    called = corrections.called(asked, message.context.slots[asked], message.assistant.cues, message.words)
    return any(same_stem(word, other) for word in content(message.core) for other in called)


def makes_sense(message: Message, act: Command) -> bool:
    """Whether an act can be meant at this place of the conversation."""
    context = message.context
    if act.name not in context.commands:
        return False
    match act:
        case Skip():
            return context.asked is not None
        case Repeat():
            return context.task is not None or bool(context.history)
        case Explain():
            return context.task is not None
        case CancelFlow():
            return context.active_flow is not None or context.task is None
        case ResumeFlow():
            return bool(context.paused_flows)
        case _:
            return True


def resumes(message: Message) -> ResumeFlow:
    """Back to the flow that is named, of those left open."""
    paused = message.context.paused_flows
    ranked = message.assistant.scorer.ranked(message.core, paused, message.context.reading.language)
    return ResumeFlow(flow=ranked[0].flow if ranked else paused[-1])


def _any_option(message: Message, alike: dict[str, float]) -> Iterator[Candidate]:
    """'I don't mind', where one of the options takes everything."""
    asked = message.context.slots.get(message.context.asked or "")
    option = any_option(asked, message.words) if asked is not None and asked.type == "choice" else None
    if option is not None:
        command = SetSlot(slot=message.context.asked or "", value=option)
        yield ready("any", _said(message, command, "takes any of them"), {"like": alike.get("skip", 0.0)})


def own_command(message: Message) -> list[Found]:
    """A command of the assistant's own, by the phrases of its class; no sample of any could be learned from."""
    for kind in message.context.commands.values():
        if kind.phrases and not any(field.is_required() for field in kind.model_fields.values()):
            like, phrase = nearest(message.core, kind.phrases)
            if like >= SAME:
                return [Found(kind(), min(like, 1.0), f"'{message.text}' is like '{phrase}'")]
    return []


def and_a_person(message: Message) -> Iterator[Candidate]:
    """'Cancel this and put me through to somebody': what is open ends first."""
    person, reading = HumanHandoff(), message.reading
    if not message.context.active_flow or not makes_sense(message, person):
        return
    for left, right in cuts(message.core, message.words):
        if acts.begins_with_cancel(left, message.words):
            signs = {
                "said": float(acts.act_of(right, message.words) == person),
                "read": 0.0 if reading is None else logit(reading.acts["human"]),
            }
            found = [Found(CancelFlow(), evidence=f"'{left}' calls it off"), Found(person, evidence=f"'{right}'")]
            yield ready("cancel and person", found, signs)
