"""Labelled messages: what was said, where in a conversation, and which commands it means."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from soni.core.commands import COMMANDS, Command, CorrectSlot, SetSlot, UnknownCommand, load
from soni.core.pending_task import collect, confirm, inform
from soni.du.context import SPOKEN, DialogueContext, fillable, visible
from soni.du.secrets import SecretFinder, recognisable
from soni.errors import SoniError, did_you_mean
from soni.steps.call import CallStepConfig
from soni.steps.collect import CollectStepConfig

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from soni.config.models import SoniConfig
    from soni.core.pending_task import PendingTask
    from soni.core.state import Spoken
    from soni.core.values import Reading


class BadLabel(SoniError):
    """A labelled message that cannot be read, with the place where it stands."""


class Place(BaseModel):
    """Where in a conversation a message was said."""

    model_config = ConfigDict(extra="forbid")

    flow: str | None = None
    paused: list[str] = []
    task: str | None = None
    asked: str | None = None
    slots: dict[str, Any] = {}
    history: list[dict[str, str]] = []
    now: datetime | None = None


class _Line(BaseModel):
    """A line of data; what predictions add to it is passed over."""

    model_config = ConfigDict(extra="forbid")

    message: str
    id: str | int | None = None
    note: str | None = None
    predicted: list[dict[str, Any]] | None = None
    exact: bool | None = None
    by: str | None = None
    language: str | None = None
    context: Place = Place()
    commands: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Labelled:
    """A message, what it was said in reply to, and the commands it means."""

    message: str
    commands: tuple[Command, ...]
    place: Place = field(default_factory=Place)
    language: str | None = None
    line: dict[str, Any] = field(default_factory=dict)
    """The line as it stands in the file, for the predictions to repeat."""

    def context(self, config: SoniConfig, *, now: datetime | None = None) -> DialogueContext:
        """What an understanding would be told in this place of a conversation."""
        place = self.place
        language = self.language if self.language in config.languages else config.settings.language
        clock = place.now or now or datetime.now()
        reading = config.reading(language or "en", clock)
        chain = _chain(place.flow, config)
        running = {name: config.flows[name] for name in (*place.paused, *chain)}
        free = {name: flow for name, flow in config.for_people.items() if flow.if_ is None or flow.if_.is_true({})}
        return DialogueContext(
            task=_task(place, config),
            active_flow=place.flow,
            chain=chain,
            paused_flows=tuple(place.paused),
            filled=visible(_values(place.slots, config, reading), config),
            flows={**free, **running},
            slot_names={name: flow.slot_names for name, flow in config.runnable.items()},
            slots=fillable(config),
            history=tuple(_spoken(place)),
            reading=reading,
            commands=SPOKEN,
            secrets=SecretFinder(recognisable({**free, **running}, config), reading),
        )


def read_labelled(path: Path, config: SoniConfig) -> list[Labelled]:
    """The labelled messages of a JSONL or YAML file; BadLabel says which line is wrong, and why."""
    return [_labelled(data, where, config) for where, data in _lines(path)]


def _lines(path: Path) -> Iterator[tuple[str, Any]]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise BadLabel(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise BadLabel(f"{path} is not text in UTF-8.") from None
    if path.suffix in (".yaml", ".yml"):
        try:
            data = yaml.safe_load(text)
        except yaml.YAMLError as error:
            raise BadLabel(f"{path} is not YAML: {error}") from None
        if not isinstance(data, list):
            raise BadLabel(f"{path} must be a list of labelled messages.")
        yield from ((f"{path}, entry {number}", entry) for number, entry in enumerate(data, 1))
        return
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            yield f"{path}:{number}", json.loads(line)
        except ValueError as error:
            raise BadLabel(f"{path}:{number} is not JSON: {error}. Write one object a line.") from None


def _labelled(data: Any, where: str, config: SoniConfig) -> Labelled:
    try:
        line = _Line.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        at = ".".join(str(part) for part in first["loc"])
        raise BadLabel(f"{where}: {at or 'the line'}: {first['msg']}.") from None
    _check_place(line.context, where, config)
    try:
        commands = tuple(command for label in line.commands for command in commands_of(label))
    except (UnknownCommand, TypeError, AttributeError) as error:
        raise BadLabel(f"{where}: {error}") from None
    for command in commands:
        for kind, name, known in _names(command, config):
            if name not in known:
                raise BadLabel(f"{where}: there is no {kind} '{name}'. {did_you_mean(name, known) or ''}".strip())
    return Labelled(line.message, commands, line.context, line.language, data)


def commands_of(label: dict[str, Any]) -> list[Command]:
    """The commands of `{"set_slot": {"amount": 300}}`, `{"start_flow": "transfer"}` or `{"skip": true}`."""
    if "type" in label:
        return [load(label)]
    made: list[Command] = []
    for name, said in label.items():
        kind = COMMANDS.get(name)
        if kind is None:
            raise UnknownCommand(f"there is no command '{name}'. {did_you_mean(name, COMMANDS) or ''}".strip())
        fields = list(kind.model_fields)
        if kind in (SetSlot, CorrectSlot) and isinstance(said, dict) and set(said) != {"slot", "value"}:
            made += [load({"type": name, "slot": slot, "value": value}) for slot, value in said.items()]
        elif isinstance(said, dict):
            made.append(load({"type": name, **said}))
        elif said is True or said is None or not fields:
            made.append(load({"type": name}))
        else:
            made.append(load({"type": name, fields[0]: said}))
    return made


def label_of(command: Command) -> dict[str, Any]:
    """A command the way labels write it."""
    fields = command.model_dump(mode="json", exclude_defaults=True)
    if isinstance(command, SetSlot | CorrectSlot):
        return {command.name: {command.slot: command.value}}
    if not fields:
        return {command.name: True}
    return {command.name: next(iter(fields.values())) if len(fields) == 1 else fields}


def _names(command: Command, config: SoniConfig) -> Iterator[tuple[str, str, Any]]:
    if isinstance(slot := getattr(command, "slot", None), str):
        yield "slot", slot, config.slots
    if isinstance(flow := getattr(command, "flow", None), str):
        yield "flow", flow, config.flows
    yield from (("flow", option, config.flows) for option in getattr(command, "options", ()))


def _check_place(place: Place, where: str, config: SoniConfig) -> None:
    flows = [name for name in (place.flow, *place.paused) if name is not None]
    slots = [*place.slots, *([place.asked] if place.asked else [])]
    for kind, names, known in (("flow", flows, config.flows), ("slot", slots, config.slots)):
        for name in names:
            if name not in known:
                raise BadLabel(f"{where}: there is no {kind} '{name}'. {did_you_mean(name, known) or ''}".strip())
    if place.task not in (None, "collect", "confirm", "inform"):
        raise BadLabel(f"{where}: a task is collect, confirm or inform, not '{place.task}'.")
    if place.task == "collect" and place.asked is None:
        raise BadLabel(f'{where}: a collect says which slot was asked for: "asked": "…".')


def _chain(flow: str | None, config: SoniConfig) -> tuple[str, ...]:
    """A flow after one that calls it, if people cannot start it themselves."""
    if flow is None:
        return ()
    callers = (
        name
        for name, other in config.flows.items()
        for placed in other.placed
        if isinstance(placed.step, CallStepConfig) and placed.step.target == flow and name != flow
    )
    alone = flow in config.for_people and config.flows[flow].if_ is None
    return (flow,) if alone else (*list(callers)[:1], flow)


def _task(place: Place, config: SoniConfig) -> PendingTask | None:
    said = [text for line in place.history for role, text in line.items() if role != "user"]
    prompt = said[-1] if said else ""
    if place.asked is not None:
        steps = [placed.step for placed in config.flows[place.flow].placed] if place.flow else []
        asks = [step for step in steps if isinstance(step, CollectStepConfig) and step.slot == place.asked]
        optional = bool(asks) and all(step.optional for step in asks)
        slot = config.slots[place.asked]
        return collect(
            prompt, place.asked, options=list(slot.options), metadata={"optional": True} if optional else None
        )
    if place.task == "confirm":
        return confirm(prompt)
    return inform(prompt, wait_for_ack=True) if place.task == "inform" else None


def _values(slots: dict[str, Any], config: SoniConfig, reading: Reading) -> dict[str, Any]:
    """What the slots hold; words that a type cannot read stay words."""
    values = {}
    for name, value in slots.items():
        try:
            values[name] = config.slots[name].value_type.coerce(value, reading)
        except ValueError:
            values[name] = value
    return {name: value for name, value in values.items() if value is not None}


def _spoken(place: Place) -> Iterator[Spoken]:
    for line in place.history:
        for role, text in line.items():
            yield {"role": "user" if role == "user" else "assistant", "text": text}
