"""What a model is asked: typed signatures made from the command registry, and the conversation in words."""

from __future__ import annotations

from functools import cache, reduce
from operator import or_
from typing import TYPE_CHECKING, Any, Literal

import dspy
from pydantic import BaseModel, create_model

from soni.core.values.money import Money

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from soni.config.models import FlowConfig, SlotConfig
    from soni.core.commands import Command
    from soni.du.context import DialogueContext

_INSTRUCTIONS = (
    "Read what the user wants from a task-oriented assistant. Give the commands the message means, in spoken order. "
    "Use only the flows and slots listed. Copy values from the user's words. An answer to the open question sets its "
    "slot; a new value for a known slot corrects it. A yes or a no answers a confirmation only if one is open. "
    "If nothing fits, the message is out of scope."
)
_PHRASES_SHOWN = 2


class SlotValue(BaseModel):
    """A slot and the user's words for its value."""

    slot: str
    value: str


@cache
def commands_signature(commands: tuple[type[Command], ...], *, again: bool = False) -> Any:
    """The question for commands; `again` shows the model what was wrong with its first answer."""
    kinds = [_typed(kind.name, kind) for kind in commands]
    fields: dict[str, Any] = {
        "message": (str, dspy.InputField(desc="what the user just said")),
        "open_question": (str, dspy.InputField(desc="what the assistant has asked, if anything")),
        "open_slot": (str, dspy.InputField(desc="the slot that question fills; 'confirmation' for a yes or no")),
        "active_flow": (str, dspy.InputField(desc="the flow that is running")),
        "paused_flows": (list[str], dspy.InputField(desc="flows that were left open and can be resumed")),
        "known": (list[str], dspy.InputField(desc="slots that have a value")),
        "flows": (list[str], dspy.InputField(desc="flows that can be started")),
        "slots": (list[str], dspy.InputField(desc="slots of the running flow")),
        "history": (list[str], dspy.InputField(desc="the last messages of both sides")),
        "today": (str, dspy.InputField(desc="the day on which this is said")),
        "language": (str, dspy.InputField(desc="the language of the conversation")),
    }
    if again:
        fields["first_answer"] = (str, dspy.InputField(desc="an answer of yours that cannot be used"))
        fields["problem"] = (str, dspy.InputField(desc="what is wrong with it; put it right"))
    fields["commands"] = (list[reduce(or_, kinds)], dspy.OutputField(desc="what the message means"))  # type: ignore[misc]  # a union made at run time
    return dspy.Signature(fields, _INSTRUCTIONS)


def slots_signature() -> Any:
    """The question for the values of a flow that was just started."""
    return dspy.Signature(
        {
            "message": (str, dspy.InputField(desc="what the user said")),
            "slots": (list[str], dspy.InputField(desc="the slots whose values may have been said")),
            "found": (list[SlotValue], dspy.OutputField(desc="only values that the message holds")),
        },
        "Copy the values of these slots out of the user's message. Leave out what was not said.",
    )


def _typed(name: str, kind: type[Command]) -> Any:
    """The command with its name as a field, so that a model's answer tells which one it is."""
    return create_model(kind.__name__, __base__=kind, __doc__=kind.__doc__, type=(Literal[name], ...))  # type: ignore[arg-type]  # the name is known at run time only


def conversation(message: str, context: DialogueContext, flows: Mapping[str, FlowConfig]) -> dict[str, Any]:
    """The inputs for one message: what an understanding may see, in words."""
    task = context.task
    return {
        "message": message,
        "open_question": task["prompt"] if task else "",
        "open_slot": context.asked or ("confirmation" if task and task["type"] == "confirm" else ""),
        "active_flow": context.active_flow or "",
        "paused_flows": list(context.paused_flows),
        "known": [f"{name} = {shown(value)}" for name, value in context.filled.items() if name in context.slots],
        "flows": [_flow(name, flow, context.reading.language) for name, flow in flows.items()],
        "slots": slot_lines(context.slots_of(*context.chain, context.active_flow), context.reading.language),
        "history": [f"{line['role']}: {line['text']}" for line in context.history],
        "today": context.reading.now.strftime("%A %Y-%m-%d"),
        "language": context.reading.language,
    }


def slot_lines(slots: Mapping[str, SlotConfig], language: str) -> list[str]:
    """Slots in words: name, type, what it is for, its options."""
    return [
        f"{name} ({slot.type}): {slot.called(name, language, 'en')}"
        + (f"; one of {', '.join(slot.options)}" if slot.options else "")
        for name, slot in slots.items()
    ]


def _flow(name: str, flow: FlowConfig, language: str) -> str:
    phrases = _some(flow.trigger.said_in(language, "en"))
    said = f"; for example: {', '.join(repr(phrase) for phrase in phrases)}" if phrases else ""
    return f"{name}: {flow.label(name, language, 'en')}{said}"


def _some(phrases: Iterable[str]) -> list[str]:
    return list(phrases)[:_PHRASES_SHOWN]


def shown(value: Any) -> str:
    """A slot's value in words."""
    return f"{value.amount} {value.currency}" if isinstance(value, Money) else str(value)
