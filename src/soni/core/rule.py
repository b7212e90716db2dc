"""What `validate:` says: an expression over slots, or the name of a Python validator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Protocol

from pydantic import PlainSerializer, PlainValidator
from pydantic_core import PydanticCustomError

from soni.core.expression import Expression, ExpressionError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping


def _read(value: Any) -> Expression | str:
    if isinstance(value, Expression):
        return value
    if isinstance(value, str) and value.isidentifier():
        return value
    try:
        return Expression(value if isinstance(value, str) else str(value))
    except ExpressionError as error:
        raise PydanticCustomError("expression", "{reason}", {"reason": str(error)}) from None


def _written(rule: Any) -> Any:
    return rule.source if isinstance(rule, Expression) else rule


Rule = Annotated[Expression | str, PlainValidator(_read), PlainSerializer(_written)]
"""An expression, or the name of a Python validator."""


class KnownValidators(Protocol):
    """What the reading of rules needs to know of an assistant's Python side."""

    def validators(self) -> Collection[str]: ...
    def validator_slots(self, name: str) -> Mapping[str, bool]:
        """The slots a validator takes besides its value: whether each is required."""


def rule_slots(rule: Expression | str, own: str, known: KnownValidators | None) -> frozenset[str]:
    """The slots that a rule of a slot reads, that one included; of a validator that is not known, only that one."""
    if isinstance(rule, Expression):
        return rule.names | {own}
    named = known.validator_slots(rule) if known is not None and rule in known.validators() else ()
    return frozenset({own, *named})
