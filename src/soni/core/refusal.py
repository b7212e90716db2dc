"""A refusal from inside a pydantic validator that says which part of the value is wrong."""

from collections.abc import Iterable

from pydantic import ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

Loc = tuple[str | int, ...]


def refusal(message: str, *loc: str | int, value: object = None) -> ValidationError:
    """An error to raise; `loc` is the way from the validated value to the part that is wrong."""
    return refusals([(loc, message)], value)


def refusals(faults: Iterable[tuple[Loc, str]], value: object = None) -> ValidationError:
    """The same for several parts at once."""
    details = [InitErrorDetails(type=_custom(message), loc=loc, input=value) for loc, message in faults]
    return ValidationError.from_exception_data("refusal", details)


def _custom(message: str) -> PydanticCustomError:
    return PydanticCustomError("refusal", "{reason}", {"reason": message})
