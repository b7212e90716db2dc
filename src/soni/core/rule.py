"""What `validate:` says: an expression over slots, or the name of a Python validator."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import PlainSerializer, PlainValidator
from pydantic_core import PydanticCustomError

from soni.core.expression import Expression, ExpressionError


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
