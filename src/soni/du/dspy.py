"""Understanding by a language model through DSPy: SoniDU reads commands, SlotExtractor the values of a new flow."""

from __future__ import annotations

from functools import cache, reduce
from operator import or_
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, create_model

from soni.core.commands import Command, SetSlot, StartFlow, UnknownCommand, load
from soni.du.context import SPOKEN
from soni.du.understanding import Found, Understood

try:
    import dspy
except ModuleNotFoundError:
    raise ModuleNotFoundError("SoniDU needs DSPy. Install it with: pip install 'soni[llm]'", name="dspy") from None

if TYPE_CHECKING:
    from collections.abc import Mapping

    from soni.config.models import SlotConfig
    from soni.du.context import DialogueContext

_INSTRUCTIONS = (
    "Read what the user wants from a task-oriented assistant. Give the commands the message means, in spoken order. "
    "Use only the flows and slots listed; copy values from the user's words; an answer to the open question sets its "
    "slot; if nothing fits, the message is out of scope."
)


class SlotValue(BaseModel):
    """A slot and the user's words for its value."""

    slot: str
    value: str


class SoniDU(dspy.Module):  # type: ignore[misc]  # DSPy is published without types
    """An Understanding over any model DSPy can reach; the commands it may give come from the registry."""

    def __init__(self, lm: Any = None) -> None:
        super().__init__()
        self.lm = lm
        self.commands = dspy.Predict(_commands_signature(tuple(SPOKEN.values())))
        self.slots = SlotExtractor()

    async def understand(self, message: str, context: DialogueContext) -> Understood:
        asked = context.slots.get(context.asked or "")
        if context.asked is not None and asked is not None and asked.sensitive:
            # A secret is not for a model to see.
            return Understood.of([SetSlot(slot=context.asked, value=message)], by="llm")
        with dspy.context(lm=self.lm or dspy.settings.lm):
            prediction = await self.commands.acall(
                signature=_commands_signature(tuple(context.commands.values())),
                message=message,
                open_question=context.task["prompt"] if context.task else "",
                open_slot=context.asked or "",
                active_flow=context.active_flow or "",
                flows=_flows(context),
                slots=_slots(context.slots_of(context.active_flow)),
                history=[f"{line['role']}: {line['text']}" for line in context.history],
            )
            commands = _registered(prediction.commands, context.commands)
            started = [command for command in commands if isinstance(command, StartFlow)]
            given = {command.slot for command in commands if isinstance(command, SetSlot)}
            for start in started:
                wanted = {name: slot for name, slot in context.slots_of(start.flow).items() if name not in given}
                commands += await self.slots.extract(message, wanted) if wanted else []
        return Understood(tuple(Found(command) for command in commands), by="llm")


class SlotExtractor(dspy.Module):  # type: ignore[misc]  # DSPy is published without types
    """Finds the values of a flow's slots in the message that starts it."""

    def __init__(self) -> None:
        super().__init__()
        self.read = dspy.Predict(
            dspy.Signature(
                {
                    "message": (str, dspy.InputField(desc="what the user said")),
                    "slots": (list[str], dspy.InputField(desc="the slots whose values may have been said")),
                    "found": (list[SlotValue], dspy.OutputField(desc="only values that the message holds")),
                },
                "Copy the values of these slots out of the user's message. Leave out what was not said.",
            )
        )

    async def extract(self, message: str, slots: dict[str, SlotConfig]) -> list[SetSlot]:
        """The values that the message holds, for slots that may be asked of a model."""
        open_slots = {name: slot for name, slot in slots.items() if not slot.sensitive}
        prediction = await self.read.acall(message=message, slots=_slots(open_slots))
        return [SetSlot(slot=v.slot, value=v.value) for v in prediction.found if v.slot in open_slots]


@cache
def _commands_signature(commands: tuple[type[Command], ...]) -> Any:
    kinds = [_typed(kind.name, kind) for kind in commands]
    return dspy.Signature(
        {
            "message": (str, dspy.InputField(desc="what the user just said")),
            "open_question": (str, dspy.InputField(desc="what the assistant has asked, if anything")),
            "open_slot": (str, dspy.InputField(desc="the slot that question fills")),
            "active_flow": (str, dspy.InputField(desc="the flow that is running")),
            "flows": (list[str], dspy.InputField(desc="flows that can be started")),
            "slots": (list[str], dspy.InputField(desc="slots of the running flow")),
            "history": (list[str], dspy.InputField(desc="the last messages of both sides")),
            "commands": (list[reduce(or_, kinds)], dspy.OutputField(desc="what the message means")),  # type: ignore[misc]  # a union made at run time
        },
        _INSTRUCTIONS,
    )


def _typed(name: str, kind: type[Command]) -> Any:
    """The command with its name as a field, so that a model's answer tells which one it is."""
    return create_model(kind.__name__, __base__=kind, __doc__=kind.__doc__, type=(Literal[name], ...))  # type: ignore[arg-type]  # the name is known at run time only


def _registered(predicted: list[Any], known: Mapping[str, type[Command]]) -> list[Command]:
    commands = []
    for command in predicted:
        try:
            commands.append(load(command.model_dump(), known))
        except UnknownCommand:
            continue
    return commands


def _flows(context: DialogueContext) -> list[str]:
    language = context.reading.language
    return [f"{name}: {flow.label(name, language, 'en')}" for name, flow in context.flows.items()]


def _slots(slots: dict[str, SlotConfig]) -> list[str]:
    return [
        f"{name} ({slot.type}): {slot.description or name.replace('_', ' ')}"
        + (f"; one of {', '.join(slot.options)}" if slot.options else "")
        for name, slot in slots.items()
    ]
