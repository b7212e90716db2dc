"""Every static check of an assistant: what can be known wrong before anybody talks to it."""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, date, datetime, time, timedelta
from keyword import iskeyword
from typing import TYPE_CHECKING, Any, Protocol

from soni.config.events import built_in_slots
from soni.config.offered import language_warnings
from soni.config.paths import (
    endless_transfers,
    field_path,
    fields_of,
    late_copies,
    reachability,
    unconfirmed_effects,
    unset_reads,
)
from soni.config.rules import Rules, ruled_slots, rules_of, unknown_parameters
from soni.config.texts import MAY_SHOW, shipped
from soni.core.expression import WORDS, Expression
from soni.core.rule import KnownValidators
from soni.core.template import CASES, Field, Text
from soni.core.values.money import Money
from soni.errors import Problem, did_you_mean
from soni.steps import RESERVED, Step
from soni.steps.action import ActionStepConfig
from soni.steps.branch import BranchStepConfig
from soni.steps.call import CallStepConfig
from soni.steps.clarify import ClarifyStepConfig
from soni.steps.collect import CollectStepConfig
from soni.steps.confirm import ConfirmStepConfig
from soni.steps.set import SetStepConfig

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from soni.config.models import FlowConfig, Placed, SlotConfig, SoniConfig

Path = tuple[str | int, ...]

_SAMPLES: dict[str, Any] = {
    "integer": 1,
    "number": 1.0,
    "money": Money("1.00", "EUR"),
    "boolean": True,
    "date": date(2026, 1, 1),
    "time": time(12),
    "datetime": datetime(2026, 1, 1),
    "duration": timedelta(hours=1),
    "list": ["x"],
}


class KnownActions(KnownValidators, Protocol):
    """What the checks need to know of an assistant's Python side."""

    def names(self) -> Collection[str]: ...
    def parameters(self, action: str) -> Mapping[str, bool]:
        """The slots an action takes: whether each is required."""

    def effect(self, action: str) -> str: ...


def check(config: SoniConfig, actions: KnownActions | None = None) -> list[Problem]:
    """All problems and warnings; what depends on Python is looked at only when `actions` are given."""
    problems = [*_slots(config, actions), *_texts(config), *_triggers(config), *_events(config)]
    problems += endless_transfers(config)
    problems += language_warnings(config)
    for name, flow in config.flows.items():
        problems += _flow(config, name, flow, actions)
    # A slot or flow that could not be read may be what sets or asks for the others.
    problems += Rules(config, actions).problems() if not config._damaged else []
    return problems


# Slots, texts and triggers


def _slots(config: SoniConfig, actions: KnownActions | None) -> Iterator[Problem]:
    for name in built_in_slots():
        if config.slots[name] is not built_in_slots()[name]:
            yield Problem(f"slot '{name}' belongs to the assistant itself.", ("slots", name), "Choose another name.")
    for name, slot in config.own_slots.items():
        path: Path = ("slots", name)
        if slot.persist and slot.scope != "conversation":
            message = f"slot '{name}' is to outlast a session, and belongs to a flow."
            yield Problem(message, (*path, "persist"), "Give it 'scope: conversation'.")
        for index, other in enumerate(slot.depends_on):
            if other not in config.own_slots or other == name:
                hint = did_you_mean(other, set(config.own_slots) - {name})
                message = f"slot '{name}' depends on '{other}', which is no other slot."
                yield Problem(message, (*path, "depends_on", index), hint)
        if not name.isidentifier():
            yield Problem(f"slot '{name}' needs a name of letters, digits and underscores.", path)
        elif iskeyword(name) or name in WORDS:
            yield Problem(f"slot '{name}' cannot have that name: it means something in expressions.", path)
        if slot.message:
            yield from _text(config, slot.message, (*path, "message"), f"slot '{name}'")
        if slot.error:
            yield from _text(config, slot.error, (*path, "error"), f"slot '{name}'")
        yield from _validation(config, slot.validate_, (*path, "validate"), f"slot '{name}'", actions)
        yield from _unrecognised_secret(name, slot)
        for index, example in enumerate(slot.examples):
            yield from _value(config, name, example, (*path, "examples", index), "as an example")


def _unrecognised_secret(name: str, slot: SlotConfig) -> Iterator[Problem]:
    if slot.sensitive and slot.type == "text" and slot.pattern is None and slot.source == "user":
        message = f"slot '{name}' is a secret that cannot be recognised when somebody tells it before it is asked for."
        hint = "Give it a 'pattern', such as '[0-9]{6}'."
        yield Problem(message, ("slots", name, "sensitive"), hint, "warning")


def _value(config: SoniConfig, slot: str, value: object, path: Path, how: str) -> Iterator[Problem]:
    reading = config.reading(config.settings.language, datetime.now(UTC).replace(tzinfo=None))
    pattern = config.slots[slot].pattern
    try:
        coerced = config.slots[slot].value_type.coerce(value, reading)
    except ValueError as error:
        message = f"slot '{slot}' is of type {config.slots[slot].type} and cannot have '{value}' {how}: {error}."
        yield Problem(message, path)
        return
    if pattern is not None and not pattern.matches(coerced):
        yield Problem(f"slot '{slot}' cannot have '{value}' {how}: it does not match the pattern.", path)


def _validation(
    config: SoniConfig, rule: Expression | str | None, path: Path, where: str, actions: KnownActions | None
) -> Iterator[Problem]:
    if isinstance(rule, Expression):
        yield from _expression(config, rule, path, where)
    elif rule is not None and actions is not None and rule not in actions.validators():
        hint = (
            did_you_mean(rule, actions.validators()) or "Register it with @actions.validator, or write an expression."
        )
        yield Problem(f"{where} names the validator '{rule}', which does not exist.", path, hint)
    elif rule is not None and actions is not None:
        yield from unknown_parameters(config, rule, path, where, actions)


def _expression(config: SoniConfig, expression: Expression, path: Path, where: str) -> Iterator[Problem]:
    unknown = sorted(expression.names - set(config.slots))
    for name in unknown:
        yield _unknown_slot(config, name, path, f"{where} reads")
    if not unknown and not any(("slots", name) in config._damaged for name in expression.names):
        samples = {name: _SAMPLES.get(config.slots[name].type, "x") for name in expression.names}
        if reason := expression.misfit(samples):
            yield Problem(f"{where}: {reason}.", path, "Check what kinds of values it is given.")


def _text(config: SoniConfig, text: Text, path: Path, where: str) -> Iterator[Problem]:
    for inner, field in fields_of(text):
        if field.slot not in config.slots:
            yield _unknown_slot(config, field.slot, (*path, *inner), f"{where} shows")
            continue
        formats = {*config.slots[field.slot].value_type.formats, *CASES}
        if field.format not in (None, *formats) and ("slots", field.slot) not in config._damaged:
            hint = did_you_mean(str(field.format), formats) or f"There are {', '.join(sorted(formats))}."
            kind = config.slots[field.slot].type
            message = f"{where} shows '{field.slot}' in the format '{field.format}', which {kind} does not have."
            yield Problem(message, (*path, *inner), hint)


def _unknown_slot(config: SoniConfig, name: str, path: Path, what: str) -> Problem:
    hint = did_you_mean(name, config.slots) or "Declare it under 'slots:'."
    return Problem(f"{what} the slot '{name}', which is not declared.", path, hint)


def _texts(config: SoniConfig) -> Iterator[Problem]:
    for name in config.texts.model_fields_set:
        given: Text = getattr(config.texts, name)
        allowed = {field.slot for field in shipped()[name].fields} | MAY_SHOW.get(name, set())
        for inner, field in fields_of(given):
            if field.slot not in allowed:
                hint = f"It can show {', '.join(sorted(allowed))}." if allowed else "It can show no slots."
                message = f"the text '{name}' shows '{field.slot}', which it does not have."
                yield Problem(message, ("texts", name, *inner), hint)


def _triggers(config: SoniConfig) -> Iterator[Problem]:
    seen: dict[str, tuple[str, str]] = {}
    for name, flow in config.flows.items():
        if not name.isidentifier():
            yield Problem(f"flow '{name}' needs a name of letters, digits and underscores.", ("flows", name))
        elif name.startswith("_"):
            yield Problem(f"flow '{name}' begins with an underscore, as the assistant's own do.", ("flows", name))
        for said in flow.trigger.phrases:
            template, path = said.template, ("flows", name, "trigger", "intents", *said.path)
            for field in (piece for piece in template.pieces if isinstance(piece, Field)):
                if field.slot not in config.slots:
                    yield _unknown_slot(config, field.slot, path, f"flow '{name}' has a phrase with")
            words = _folded("".join(piece if isinstance(piece, str) else "{}" for piece in template.pieces))
            other, phrase = seen.setdefault(words, (name, template.source))
            if other != name:
                by = "" if phrase == template.source else f" by '{phrase}'"
                message = f"flow '{name}' is triggered by '{template.source}', and so is flow '{other}'{by}."
                yield Problem(message, path, "Keep the phrase in one of them.")
        if flow.if_:
            yield from _expression(config, flow.if_, ("flows", name, "if"), f"flow '{name}'")
            for slot in sorted(flow.if_.names & set(config.slots) - config.conversation_slots):
                message = f"the guard of flow '{name}' reads '{slot}', which has no value before the flow has begun."
                yield Problem(message, ("flows", name, "if"), "Give the slot 'scope: conversation'.")


def _events(config: SoniConfig) -> Iterator[Problem]:
    start = config.settings.start_flow
    named = [(("events", event), flow) for event, flow in config.events.named().items()]
    for path, flow in [*named, *([(("settings", "start_flow"), start)] if start else [])]:
        if flow not in config.flows:
            hint = did_you_mean(flow, config.flows)
            yield Problem(f"'{path[1]}' names the flow '{flow}', which does not exist.", path, hint)
    asks = config.flows.get(config.events.clarification or "")
    if asks is not None and not any(isinstance(placed.step, ClarifyStepConfig) for placed in asks.placed):
        message = f"flow '{config.events.clarification}' is for clarifications, and never asks which flow is meant."
        yield Problem(message, ("events", "clarification"), "Give it a step such as 'clarify: Which one?'.", "warning")


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.casefold())
    return " ".join(re.sub(r"[^\w{} ]", " ", "".join(c for c in plain if not unicodedata.combining(c))).split())


# Flows


def _flow(config: SoniConfig, name: str, flow: FlowConfig, actions: KnownActions | None) -> list[Problem]:
    root: Path = ("flows", name)
    problems: list[Problem] = []
    first: dict[str, Placed] = {}
    for placed in flow.placed:
        step = placed.step
        path = (*root, *placed.path)
        if step.step in first:
            problems.append(
                Problem(f"flow '{name}' has two steps named '{step.step}'.", (*path, "step"), "Rename one.")
            )
        elif step.step in RESERVED and step.type != step.step:
            message = f"'{step.step}' is where every flow can go and cannot name a step."
            problems.append(Problem(message, (*path, "step"), "Rename it."))
        elif not step.step.isidentifier() and root not in config._damaged:
            message = f"step '{step.step}' needs a name of letters, digits and underscores."
            problems.append(Problem(message, (*path, "step")))
        first.setdefault(step.step, placed)
        problems += _step(config, name, flow, step, path, actions)
    if not problems and root not in config._damaged:
        problems += reachability(config, name, flow)
        # A slot or flow that could not be read may be what sets the others.
        problems += unset_reads(config, name, flow) if not config._damaged else []
        problems += late_copies(name, flow, actions)
        if actions is not None:
            problems += unconfirmed_effects(name, flow, actions)
    return problems


def _step(
    config: SoniConfig, name: str, flow: FlowConfig, step: Step, path: Path, actions: KnownActions | None
) -> Iterator[Problem]:
    where = f"flow '{name}', step '{step.step}'"
    for field, target in ({**step.targets, "jump_to": step.jump_to} if step.jump_to else step.targets).items():
        if target not in flow.plan and target not in RESERVED:
            hint = did_you_mean(target, [*flow.plan, *RESERVED])
            yield Problem(
                f"flow '{name}' goes to step '{target}', which it does not have.", (*path, *field_path(field)), hint
            )
    for field, expression in ({"if": step.if_, **step.expressions} if step.if_ else step.expressions).items():
        yield from _expression(config, expression, (*path, *field_path(field)), where)
    for field, text in step.texts.items():
        yield from _text(config, text, (*path, *field_path(field)), where)
    for field, slot in {**step.reads, **step.sets}.items():
        if slot not in config.slots:
            yield _unknown_slot(config, slot, (*path, *field_path(field)), f"{where} names")
        elif field in step.sets and slot in config.confirm_slots and not isinstance(step, ConfirmStepConfig):
            message = f"{where} writes '{slot}', which belongs to a confirm step."
            yield Problem(
                message, (*path, *field_path(field)), "Only the answer to its question may write it; use another slot."
            )
    if step.flow is not None and step.flow not in config.flows:
        hint = did_you_mean(step.flow, config.flows)
        yield Problem(f"{where} goes to flow '{step.flow}', which does not exist.", (*path, "target"), hint)
    match step:
        case ConfirmStepConfig() if _kind(config, step.slot) not in ("boolean", None):
            message = f"{where} confirms into '{step.slot}', which is not boolean."
            yield Problem(message, (*path, "slot"), "Give the slot 'type: boolean'.")
        case ConfirmStepConfig() if step.slot in config.conversation_slots:
            message = f"{where} confirms into '{step.slot}', which outlives the question."
            yield Problem(message, (*path, "slot"), "Take 'scope: conversation' off the slot.")
        case CollectStepConfig() if step.slot in config.slots and config.slots[step.slot].source == "system":
            message = f"{where} asks for '{step.slot}', which people cannot fill."
            yield Problem(message, (*path, "slot"), "Take 'source: system' off the slot.")
        case CallStepConfig() if step.target in config.flows and ("flows", step.target) not in config._damaged:
            yield from _mapped(config, step, path, where, actions)
        case SetStepConfig():
            yield from _assigned(config, step, path, where)
        case BranchStepConfig() if step.slot is not None and _kind(config, step.slot) == "choice":
            yield from _cases(step, list(config.slots[step.slot].options), path, where)
    yield from _validation(config, getattr(step, "validate_", None), (*path, "validate"), where, actions)
    if isinstance(step, ActionStepConfig) and actions is not None:
        yield from _action(config, step, path, where, actions)


def _kind(config: SoniConfig, slot: str) -> str | None:
    """The type of a slot; None if it is not known."""
    known = slot in config.slots and ("slots", slot) not in config._damaged
    return config.slots[slot].type if known else None


def _mapped(
    config: SoniConfig, step: CallStepConfig, path: Path, where: str, actions: KnownActions | None
) -> Iterator[Problem]:
    target = config.flows[step.target]
    known = target.slot_names | ruled_slots(config, target, actions)
    if actions is None and any(
        isinstance(rule, str) for placed in target.placed for rule in rules_of(config, placed.step)
    ):
        known |= set(config.slots)  # a validator may read any of them
    for field, mapping in (("inputs", step.inputs), ("outputs", step.outputs)):
        for theirs, ours in mapping.items():
            kinds = (_kind(config, theirs), _kind(config, ours))
            if theirs not in known:
                message = f"{where} maps '{theirs}', a slot that flow '{step.target}' does not have."
                yield Problem(message, (*path, field, theirs), did_you_mean(theirs, known))
            elif None not in kinds and kinds[0] != kinds[1]:
                message = f"{where} maps '{ours}' of type {kinds[1]} to '{theirs}' of type {kinds[0]}."
                yield Problem(message, (*path, field, theirs), "Map slots of one type.")


def _assigned(config: SoniConfig, step: SetStepConfig, path: Path, where: str) -> Iterator[Problem]:
    if not step.sets:
        yield Problem(f"{where} sets nothing.", path, "Give it 'slots:' or 'compute:'.")
    for slot, value in step.slots.items():
        if slot in config.slots and value is not None:
            yield from _value(config, slot, value, (*path, "slots", slot), "as its value")


def _cases(step: BranchStepConfig, options: list[str], path: Path, where: str) -> Iterator[Problem]:
    for index, case in enumerate(step.ways):
        if "is_" in case.model_fields_set and str(case.is_) not in options:
            inner = (str(case.is_),) if isinstance(step.cases, dict) else (index, "is")
            hint = did_you_mean(str(case.is_), options) or f"It can be {', '.join(options)}."
            message = f"{where} has a case for '{case.is_}', which '{step.slot}' can never be."
            yield Problem(message, (*path, "cases", *inner), hint)


def _action(
    config: SoniConfig, step: ActionStepConfig, path: Path, where: str, actions: KnownActions
) -> Iterator[Problem]:
    if step.call not in actions.names():
        known = ", ".join(sorted(actions.names())) or "none"
        hint = did_you_mean(step.call, actions.names()) or f"Registered actions: {known}."
        yield Problem(f"{where} calls the action '{step.call}', which is not registered.", (*path, "call"), hint)
        return
    for parameter, required in actions.parameters(step.call).items():
        if parameter not in config.slots and required:
            hint = (
                did_you_mean(parameter, config.slots)
                or "Arguments are slots; declare it, or give the parameter a default."
            )
            yield Problem(
                f"{where}: the action '{step.call}' takes '{parameter}', which is not a slot.", (*path, "call"), hint
            )
    if step.retry and actions.effect(step.call) == "once":
        hint = "Declare it idempotent or pure if it is, or take 'retry' off."
        yield Problem(
            f"{where} retries '{step.call}', whose effect is 'once': it could happen twice.", (*path, "retry"), hint
        )
