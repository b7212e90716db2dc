"""The one way a value gets into a slot, whatever its origin: coerce, validate, dump."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from soni.core.rule import rule_slots
from soni.core.verdict import Verdict
from soni.errors import InvalidValue

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from soni.config.models import SoniConfig
    from soni.core.rule import KnownValidators
    from soni.core.values import Reading


async def accept(
    values: Mapping[str, Any],
    *,
    config: SoniConfig,
    validators: KnownValidators,
    verdict: Callable[[str, str, Mapping[str, Any]], Awaitable[Verdict]],
    reading: Reading,
) -> dict[str, Any]:
    """The values as they are stored in the state; InvalidValue says why one of them cannot be.

    A rule that names other slots is not looked at here: the flow does, once they all have values.
    """
    loaded = {name: _coerced(name, value, config, reading) for name, value in values.items()}
    for name in loaded:
        rule = config.slots[name].validate_
        if rule is None or rule_slots(rule, name, validators) != {name}:
            continue
        said = await verdict(rule, name, loaded) if isinstance(rule, str) else Verdict(ok=rule.is_true(loaded))
        if not said.ok:
            written = rule if isinstance(rule, str) else rule.source
            raise InvalidValue(f"'{name}' is refused by: {written}", reason=said.reason, options=said.options)
    return {name: config.slots[name].value_type.dump(value) for name, value in loaded.items()}


def _coerced(name: str, value: Any, config: SoniConfig, reading: Reading) -> Any:
    slot = config.slots[name]
    try:
        coerced = slot.value_type.coerce(value, reading)
    except ValueError as error:
        raise InvalidValue(f"'{name}' cannot be that: {error}") from None
    if slot.pattern is not None and not slot.pattern.matches(coerced):
        raise InvalidValue(f"'{name}' is refused by its pattern: {slot.pattern.source}")
    return coerced


def loaded_slots(config: SoniConfig, stored: Mapping[str, Any]) -> dict[str, Any]:
    """Stored slots as the values that expressions, actions and texts see."""
    return {
        name: config.slots[name].value_type.load(value)
        for name, value in stored.items()
        if name in config.slots and value is not None
    }
