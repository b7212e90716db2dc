"""The one way a value gets into a slot, whatever its origin: coerce, validate, dump."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from soni.config.slots import rule_of
from soni.core.expression import Expression
from soni.errors import InvalidValue

if TYPE_CHECKING:
    from collections.abc import Mapping

    from soni.actions import Actions
    from soni.config.models import SoniConfig
    from soni.core.values import Reading


async def accept(
    slot_name: str,
    value: Any,
    *,
    config: SoniConfig,
    actions: Actions,
    reading: Reading,
    slots: Mapping[str, Any],
    rules: tuple[str | None, ...] = (),
) -> Any:
    """The value as it is stored in the state; InvalidValue says why it cannot be."""
    slot = config.slots[slot_name]
    try:
        loaded = slot.value_type.coerce(value, reading)
    except ValueError as error:
        raise InvalidValue(f"'{slot_name}' cannot be that: {error}") from None
    for validate in (slot.validate_, *rules):
        rule = rule_of(validate)
        if isinstance(rule, Expression):
            valid = rule.is_true({**slots, slot_name: loaded})
        else:
            valid = rule is None or await actions.is_valid(rule, loaded)
        if not valid:
            raise InvalidValue(f"'{slot_name}' is refused by: {validate}")
    return slot.value_type.dump(loaded)


def loaded_slots(config: SoniConfig, stored: Mapping[str, Any]) -> dict[str, Any]:
    """Stored slots as the values that expressions, actions and texts see."""
    return {
        name: config.slots[name].value_type.load(value)
        for name, value in stored.items()
        if name in config.slots and value is not None
    }
