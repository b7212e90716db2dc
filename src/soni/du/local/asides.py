"""What a message does besides answering: yes and no, help, repeat, back to something, call it off."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from soni.core.commands import (
    AffirmConfirmation,
    CancelFlow,
    ChitChat,
    Command,
    DenyConfirmation,
    Help,
    HumanHandoff,
    Repeat,
    Restart,
    ResumeFlow,
    SetSlot,
    Skip,
)
from soni.du.local import acts, corrections
from soni.du.local.choosing import HEARD, INTERRUPT, RATHER_VAGUE, SURELY
from soni.du.local.clauses import cuts, parts, without_courtesies
from soni.du.local.flows import nearest
from soni.du.local.lead_ins import asks_back
from soni.du.local.merging import SAID
from soni.du.local.message import FREE
from soni.du.local.options import any_option
from soni.du.local.reading import parses
from soni.du.local.words import content, fold, same_stem, squeezed
from soni.du.understanding import Found
from soni.languages import any_of, built

if TYPE_CHECKING:
    from soni.config.models import SlotConfig
    from soni.du.local.message import Message
    from soni.languages import Language

ACTED = 0.6
"""How sure the trained reader must be of an act."""
_READ_ACTS: dict[str, Command] = {
    "thank": ChitChat(topic="thanks"),
    "bye": ChitChat(topic="goodbye"),
    "greet": ChitChat(topic="greeting"),
    "cancel": CancelFlow(),
    "help": Help(),
    "repeat": Repeat(),
    "human": HumanHandoff(),
    "skip": Skip(),
    "resume": ResumeFlow(),
    "restart": Restart(),
}
TOLD_OFF = 0.9
"""The same where any words are an answer."""
PLAINLY = 0.985
"""The same where whatever a person wants to tell is one."""
_FEWEST_WORDS = 2
_INSTEAD = ("skip", "repeat", "help", "cancel", "restart")
_CALLED = ("cancel", "restart")
_TALK = ("thank", "bye", "greet")
_LIKE_TALK = 0.45
"""How like a phrase of small talk the message must be, besides."""
SAME = 0.62
"""How alike a message and a phrase must be to mean the same act."""
_SAME_AS_TEXT = 0.8
_MOST_PARTS = 3
_LONGEST = 12


@built
def _negation(words: Language) -> re.Pattern[str]:
    return re.compile(rf"\b{any_of(words.acts.negations)}\b")


def agreed(message: Message) -> list[Found] | None:
    """A plain yes or no to a confirmation, before anything else can be read into it."""
    if not message.context.task or message.context.task["type"] != "confirm":
        return None
    said = message.verdict(message.text)
    if message.context.active_flow in message.assistant.undoing and acts.keeps(message.text, message.words):
        return [Found(DenyConfirmation(), 1.0, f"'{message.text}' keeps it")]
    if said is not None and not said.yes and isinstance(acts.act_of(last_said(message), message.words), HumanHandoff):
        return [Found(HumanHandoff(), 0.9, f"'{message.text}' asks for a person first")]
    if said is None or said.rest:
        return None
    answer = AffirmConfirmation() if said.yes else DenyConfirmation()
    return [Found(answer, 1.0, f"'{message.text}' says {'yes' if said.yes else 'no'}")]


def last_said(message: Message) -> str:
    """What is said last; nothing where there are no words."""
    return (parts(message.core, message.words) or [""])[-1]


def resumed(message: Message) -> list[Found] | None:
    """'Back to the transfer', when that is what was left open."""
    paused = message.context.paused_flows
    if not paused or not acts.begins_with_resume(message.core, message.words):
        return None
    ranked = message.assistant.scorer.ranked(message.core, paused, message.context.reading.language)
    flow = ranked[0].flow if ranked else paused[-1]
    return [Found(ResumeFlow(flow=flow), 0.9, f"'{message.text}' goes back to it")]


def said_to_any(message: Message) -> list[Found] | None:
    """One of the things people say to any assistant, or to this one; the name of an option is an answer first."""
    if answered(message):
        return None
    asked = message.context.slots.get(message.context.asked or "")
    if asked is not None and asked.type not in FREE and parses(message.core, asked, message.context):
        return None
    if asked is not None and message.optional and asked.type != "boolean" and _declines(message):
        return [Found(Skip(), evidence=message.text)]
    if asked is not None and message.optional and acts.act_of(message.core, message.words) == ChitChat(topic="goodbye"):
        return [Found(Skip(), evidence=message.text)]  # 'nothing else'
    sentences = [part for part in re.split(r"[.?!]\s", message.fixed.text) if part.strip()][:2]
    for text in dict.fromkeys(
        (message.fixed.text, message.core, *sentences[:1], squeezed(message.core, message.words))
    ):
        act = acts.act_of(text, message.words)
        if isinstance(act, ChitChat) and text == sentences[0] and len(sentences) > 1:
            continue  # a greeting, and then something else
        named = isinstance(act, Help) and not message.context.task and message.trust(message.core) >= SURELY
        if act is not None and _makes_sense(message, act) and not named:  # 'menu?' in a restaurant
            return and_a_person(message) or [Found(act, evidence=f"'{message.text}' said to any assistant")]
    if (own := _own_command(message) or _in_a_part(message, asked)) is not None:
        return [own]
    if message.reading is not None:
        return None  # what it takes the message for is asked later
    if asked is not None and asked.type in FREE:
        return _plainly_skipped(message)
    rival = max((score.similar for score in message.ranked(message.core)[:1]), default=0.0)
    for text in dict.fromkeys(
        (message.core, *(without_courtesies(part, message.words) for part in sentences if len(sentences) > 1))
    ):
        if not 2 <= len(content(text)) <= _LONGEST:
            continue
        near, similar, phrase = acts.act_near(text, message.words)
        aside = isinstance(near, ChitChat) and len(sentences) > 1
        if similar >= SAME and similar > rival + 0.05 and _makes_sense(message, near) and not aside:
            return [Found(near, similar, f"like '{phrase}'")]
    return None


def _declines(message: Message) -> bool:
    if acts.declines(message.fixed.text, message.words) or acts.declines(message.core, message.words):
        return True
    told = message.context.slots[message.context.asked or ""].type in FREE
    return not told and (acts.withholds(message.core, message.words) or _withholds(message))


def read_as_act(message: Message) -> list[Found] | None:
    """What the trained reader takes the message for, if that is one of the things people say to any assistant."""
    reading = message.reading
    if reading is None:
        return None
    value = reading.values.get(message.context.asked or "")
    likely = {name: reading.acts.get(name, 0.0) for name in _READ_ACTS}
    if value is not None:
        likely["skip"] = max(likely["skip"], value.any)
    asked = message.context.slots.get(message.context.asked or "")
    if asked is not None and message.optional and asked.type != "boolean":
        likely["skip"] = max(likely["skip"], reading.acts["negate"])  # 'I don't need any receipt'
    doing = {name: value for name, value in likely.items() if name not in _TALK}
    name = max(doing, key=lambda one: doing[one])
    if doing[name] < ACTED:
        name = max(likely, key=lambda one: likely[one])
    if name == "cancel" and message.context.paused_flows and likely["resume"] >= SAID:
        name = "resume"  # 'hold on, let's finish the other thing first'
    sure, act = likely[name], _READ_ACTS[name]
    every = parts(message.core, message.words)
    ends = [acts.act_of(part, message.words) for part in every[:1] + every[-1:]]
    if name in _TALK and act not in ends and acts.act_near(message.core, message.words)[1] < _LIKE_TALK:
        return None
    if sure < ACTED or not _makes_sense(message, act) or message.says_value():
        return None
    if name in (*_TALK, "skip") and message.answers():
        return None
    tells = asked is not None and asked.type in FREE and message.context.asked not in message.assistant.cues.names
    if len(content(message.core)) < _FEWEST_WORDS and name not in _TALK:
        return None
    if asked is not None and asked.type in FREE and (sure < TOLD_OFF or name not in _INSTEAD):
        return None  # words are an answer there
    is_plain = sure >= PLAINLY and (value is None or value.said < 1 - TOLD_OFF) and name == "cancel"
    is_plain = is_plain and not acts.begins_with_cancel(message.core, message.words)  # 'forget the dessert'
    skips = name == "skip" and message.optional and (value is None or value.said < SAID)
    near, similar, _ = acts.act_near(message.core, message.words)
    is_like = near.name == act.name and (name != "skip" or similar >= SAME)
    skips = skips and (sure >= PLAINLY or is_like)
    if tells and not (skips or is_plain) and (name in _CALLED or not is_like):
        return None  # whatever a person wants to tell is one, too
    is_verdict = max(reading.acts["affirm"], reading.acts["negate"]) >= SAID
    is_choice = asked is not None and asked.type == "boolean"
    if is_verdict and (is_choice or (message.context.task and message.context.task["type"] == "confirm")):
        return None
    ranked = message.ranked(message.core)
    flow_sure = message.sure(ranked)
    requested = reading.acts["start"] >= HEARD
    if name == "cancel" and flow_sure >= INTERRUPT and ranked[0].flow in message.assistant.undoing and requested:
        return None  # another booking is to be called off
    if flow_sure > min(max(sure, INTERRUPT), SURELY):
        return None
    if (
        name == "skip"
        and asked is not None
        and asked.type == "choice"
        and (option := any_option(asked, message.words)) is not None
    ):
        return [Found(SetSlot(slot=message.context.asked or "", value=option), sure, "whatever it is")]
    if name in _INSTEAD and _names_a_change(message):
        return None  # 'wrong amount, sorry'
    if name == "cancel" and asked is not None and asked.type == "choice" and message.answers():
        return None  # where to sit, and why
    if name == "skip" and not message.optional and asked is not None and sure < PLAINLY:
        return None  # 'me la mangaron' answers what happened
    if name == "cancel" and message.context.task and message.context.task["type"] == "confirm":
        if sure < TOLD_OFF or (asks_back(message.core, message.words) and flow_sure >= INTERRUPT):
            return None
        act = DenyConfirmation()  # 'not before I have spoken to her': no word of it calls anything off
    return [Found(act, sure, f"read as {name}")]


def _names_a_change(message: Message) -> bool:
    filled, cues = message.filled(), message.assistant.cues
    changes = corrections.named_changes(message.fixed.text, message.words)
    return any(corrections.named(change.what, filled, cues, message.words) is not None for change in changes)


def _withholds(message: Message) -> bool:
    """Whether the very thing that was asked for is what the words do not want."""
    asked, words = message.context.asked or "", content(message.core)
    named = corrections.called(asked, message.context.slots[asked], message.assistant.cues, message.words)
    negated = (
        len(words) <= RATHER_VAGUE
        and "?" not in message.core
        and _negation(message.words).search(fold(message.core)) is not None
    )
    meant = any(same_stem(word, other) for word in words for other in named)
    return negated and meant and not message.answers()


def _plainly_skipped(message: Message) -> list[Found] | None:
    """Where any words are an answer, only something much like an act of its own is one."""
    if len(content(message.core)) < 2:
        return None
    near, similar, phrase = acts.act_near(message.core, message.words)
    named = message.context.asked in message.assistant.cues.names
    enough = SAME if named and isinstance(near, Skip | Repeat) else _SAME_AS_TEXT
    plain = isinstance(near, Skip | Repeat | Help) or (named and not isinstance(near, ChitChat))
    if similar >= enough and _makes_sense(message, near) and plain:
        return [Found(near, similar, f"like '{phrase}'")]
    return None


def answered(message: Message) -> bool:
    """Whether a confirmation is open and the message begins with a yes or a no."""
    task = message.context.task
    if task is None or task["type"] != "confirm":
        return False
    return message.verdict(message.text) is not None


def _makes_sense(message: Message, act: Command) -> bool:
    if act.name not in message.context.commands:
        return False
    match act:
        case Skip():
            return message.context.asked is not None
        case Repeat():
            return message.context.task is not None or bool(message.context.history)
        case CancelFlow():
            return message.context.active_flow is not None or message.context.task is None
        case ResumeFlow():
            return bool(message.context.paused_flows)
        case _:
            return True


def _in_a_part(message: Message, asked: SlotConfig | None) -> Found | None:
    """'I mixed everything up, let's begin again', 'what even is an IBAN': in other words, but all that is asked for."""
    if asked is not None and corrections.asked_about(
        message.core, message.context.asked or "", message.assistant.cues, message.words
    ):
        return Found(Help(), 0.9, f"'{message.text}' asks what that is")
    tells = asked is not None and asked.type in FREE and message.context.asked not in message.assistant.cues.names
    requests = message.reading is None or message.reading.acts["start"] >= SAID
    said = {part: acts.act_of(part, message.words) for part in parts(message.core, message.words)}
    if tells or not 1 < len(said) <= _MOST_PARTS or (requests and not all(said.values())):
        return None
    for part, act in said.items():
        if isinstance(act, Restart | Repeat | HumanHandoff) and _makes_sense(message, act):
            return Found(act, 0.9, f"'{part}' said to any assistant")
    return None


def _own_command(message: Message) -> Found | None:
    """A command of the assistant's own, by the phrases its class has."""
    for kind in message.context.commands.values():
        if kind.phrases and not any(field.is_required() for field in kind.model_fields.values()):
            value, phrase = nearest(message.core, kind.phrases)
            if value >= SAME:
                return Found(kind(), min(value, 1.0), phrase)
    return None


def and_a_person(message: Message) -> list[Found] | None:
    """'Cancel this and put me through to somebody': what is open ends first."""
    person, reading = HumanHandoff(), message.reading
    heard = reading is not None and reading.acts["human"] >= TOLD_OFF
    for left, right in (
        cuts(message.core, message.words) if message.context.active_flow and _makes_sense(message, person) else []
    ):
        if acts.begins_with_cancel(left, message.words) and (heard or acts.act_of(right, message.words) == person):
            off = Found(CancelFlow(), 0.9, f"'{left}' calls it off")
            return [off, Found(person, evidence=f"'{right}' asks for one")]
    return None
