"""SoniDU: a message and its conversation turned into commands by a language model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import dspy
from dspy.utils.exceptions import AdapterParseError

from soni.core.commands import (
    CancelFlow,
    Clarify,
    Command,
    CorrectSlot,
    ResumeFlow,
    SetSlot,
    StartFlow,
    UnknownCommand,
    load,
)
from soni.du.context import SPOKEN
from soni.du.llm.model import Model, ModelFailed
from soni.du.llm.signatures import commands_signature, conversation
from soni.du.llm.slot_extractor import SlotExtractor
from soni.du.shortcuts import shortcut
from soni.du.understanding import MAX_COMMANDS, Found, Understood, Usage
from soni.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from soni.config.models import FlowConfig
    from soni.du.context import DialogueContext
    from soni.du.local.flows import FlowScorer

MOST_FLOWS = 12
"""How many flows a prompt names, the likeliest ones; the running and the paused ones come on top."""
_SHORTEST_WITH_VALUES = 3
_MAX_READ_FOR = 2
"""For how many flows that a message starts their values are asked for, a call each."""


class SoniDU(dspy.Module):  # type: ignore[misc]  # DSPy is published without types
    """An Understanding over any model DSPy can reach; the commands it may give come from the registry.

    One call for a message, a second one where a flow starts and its slots may have been named, and one more where an
    answer cannot be used and is asked for again.
    """

    def __init__(self, lm: Any = None, *, model: Model | None = None, most_flows: int = MOST_FLOWS) -> None:
        super().__init__()
        self._model = model or Model(lm)
        self._most_flows = most_flows
        self._scorer: tuple[frozenset[str], FlowScorer] | None = None
        self.commands: Any = dspy.Predict(commands_signature(tuple(SPOKEN.values())))
        self.slots = SlotExtractor(self._model)

    async def understand(self, message: str, context: DialogueContext) -> Understood:
        sure = shortcut(message, context)
        if sure is not None:
            return sure
        message = context.secrets.masked(message)  # what nobody asked for, no model has to know
        inputs = conversation(message, context, self._scoped(message, context))
        commands, usage = await self._commands(inputs, context)
        given = {command.slot for command in commands if isinstance(command, SetSlot)}
        starts = {command.flow: command for command in commands if isinstance(command, StartFlow)}
        for start in list(starts.values())[:_MAX_READ_FOR]:
            wanted = {name: slot for name, slot in context.slots_of(start.flow).items() if name not in given}
            wanted = {name: slot for name, slot in wanted.items() if name not in start.slots and not slot.sensitive}
            if wanted and len(message.split()) >= _SHORTEST_WITH_VALUES:
                values, more = await self._values(message, wanted, context)
                commands += values
                usage += more
        return Understood(tuple(Found(command, 0.9, "the model's reading") for command in commands), "llm", usage=usage)

    async def _commands(self, inputs: dict[str, Any], context: DialogueContext) -> tuple[list[Command], Usage]:
        """The model's commands; an answer that cannot be used is asked for once more, with the reason."""
        kinds = tuple(context.commands.values())
        spent = Usage()
        answer, problem = "", ""
        for again in (False, True):
            more = {"first_answer": answer, "problem": problem} if again else {}
            try:
                prediction, usage = await self._model.ask(
                    self.commands, signature=commands_signature(kinds, again=again), **inputs, **more
                )
            except AdapterParseError as error:
                spent += getattr(error, "usage", Usage(calls=1))
                answer, problem = error.lm_response, "it is not in the form that was asked for"
                continue
            except ModelFailed as error:
                raise ModelFailed(str(error), spent + error.usage) from error
            spent += usage
            commands = _registered(prediction.commands, context)
            problem = "; ".join(_problems(commands, context)) or ("there is no command in it" if not commands else "")
            if not problem:
                return commands, spent
            answer = str([command.dump() for command in commands])
        raise ModelFailed(f"the model's answer could not be used, also when asked again: {problem}", spent)

    async def _values(
        self, message: str, wanted: Mapping[str, Any], context: DialogueContext
    ) -> tuple[list[SetSlot], Usage]:
        """The values of a flow that starts; without them it simply asks."""
        try:
            return await self.slots.extract(message, wanted, context.reading.language)
        except AdapterParseError as error:
            return [], getattr(error, "usage", Usage(calls=1))

    def _scoped(self, message: str, context: DialogueContext) -> dict[str, FlowConfig]:
        """The flows worth naming, the likeliest by similarity: a prompt does not grow with their number."""
        if len(context.flows) <= self._most_flows:
            return dict(context.flows)
        names = frozenset(context.flows)
        if self._scorer is None or not names <= self._scorer[0]:
            from soni.du.local.flows import FlowScorer  # the encoder is loaded only where there are many flows

            self._scorer = names, FlowScorer(context.flows, context.slots)
        likely = [score.flow for score in self._scorer[1].ranked(message, names)[: self._most_flows]]
        running = [name for name in (context.active_flow, *context.paused_flows) if name in context.flows]
        return {name: context.flows[name] for name in dict.fromkeys([*likely, *running]) if name is not None}


def _registered(predicted: list[Any], context: DialogueContext) -> list[Command]:
    commands = []
    for command in predicted[: MAX_COMMANDS + 1]:
        try:
            commands.append(load(command.model_dump(), context.commands))
        except UnknownCommand:
            continue
    return commands


def _problems(commands: list[Command], context: DialogueContext) -> list[str]:
    """What a model made up: flows and slots that this assistant does not have."""
    found = []
    for command in commands:
        named: list[tuple[str, str, Iterable[str]]]
        match command:
            case StartFlow(flow=flow) | CancelFlow(flow=str(flow)):
                named = [("flow", flow, context.flows)]
            case ResumeFlow(flow=flow) if flow is not None:
                named = [("paused flow", flow, context.paused_flows)]
            case Clarify(options=options):
                named = [("flow", option, context.flows) for option in options]
            case SetSlot(slot=slot) | CorrectSlot(slot=slot):
                named = [("slot", slot, context.slots)]
            case _:
                named = []
        for kind, name, known in named:
            if name not in known:
                found.append(f"there is no {kind} '{name}'. {did_you_mean(name, known) or ''}".strip())
    return found
