"""Expressions in YAML: parsed and checked once at load, evaluated safely over slots."""

from __future__ import annotations

import ast
import operator
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from pydantic_core import PydanticCustomError, core_schema
from simpleeval import DEFAULT_OPERATORS, EvalWithCompoundTypes, InvalidExpression

from soni.core.values.money import Money
from soni.errors import SoniError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pydantic import GetCoreSchemaHandler

MAX_LENGTH = 5_000
"""How many characters an expression may have."""
MAX_DEPTH = 100
"""How deeply an expression may be nested; each further operand of a chain of additions is one level more."""
MAX_SIZE = 100_000
"""How large a value may become that an expression computes: characters of a text, items of a list, bits of a number."""
_MAX_DIGITS = 30
_SHOWN = 80


def _size(value: object) -> int:
    """The size of a value as far as it matters: the parts of a list count until there are too many."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, int):
        return value.bit_length()
    if not isinstance(value, list | tuple):
        return 0
    size = len(value)
    for part in value:
        if size > MAX_SIZE:
            break
        size += _size(part)
    return size


def _checked(value: Any) -> Any:
    if _size(value) > MAX_SIZE:
        raise ValueError(f"the value becomes too large: a text may have {MAX_SIZE:,} characters, a list as many items")
    return value


def _bounded(compute: Callable[..., Any]) -> Callable[..., Any]:
    """The same computation, whose result may only be so large."""
    return lambda *values: _checked(compute(*values))


def _for_numbers(sign: str, compute: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """An operator that would repeat or format a text or a list, so that a short expression could fill the memory."""

    def run(left: Any, right: Any) -> Any:
        if isinstance(left, str | list | tuple) or isinstance(right, str | list | tuple):
            raise TypeError(f"'{sign}' is for numbers, money and durations")
        return _checked(compute(left, right))

    return run


def _rounded(number: Any, digits: int | None = None) -> Any:
    if digits is not None and abs(digits) > _MAX_DIGITS:
        raise ValueError(f"a number is rounded to at most {_MAX_DIGITS} digits")
    return round(number, digits)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "len": len,
    "lower": _bounded(lambda text: str(text).lower()),
    "max": max,
    "min": min,
    "round": _rounded,
    "upper": _bounded(lambda text: str(text).upper()),
}

_ALLOWED = (
    ast.Expression, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.UAdd, ast.BinOp, ast.Add, ast.Sub,
    ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In,
    ast.NotIn, ast.Is, ast.IsNot, ast.IfExp, ast.Name, ast.Load, ast.Constant, ast.List, ast.Tuple, ast.Call,
)  # fmt: skip
WORDS = {"true": True, "false": False, "null": None, "none": None}
"""Names that mean a value and not a slot."""


class ExpressionError(SoniError):
    """An expression that cannot be parsed, or that its values do not fit."""


def _ordered(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    """An unset slot is neither smaller nor larger than anything."""
    return lambda left, right: left is not None and right is not None and compare(left, right)


_OPERATORS = {
    **DEFAULT_OPERATORS,
    ast.Add: _bounded(operator.add),
    ast.Sub: _bounded(operator.sub),
    ast.Mult: _for_numbers("*", operator.mul),
    ast.Mod: _for_numbers("%", operator.mod),
    ast.Lt: _ordered(operator.lt),
    ast.LtE: _ordered(operator.le),
    ast.Gt: _ordered(operator.gt),
    ast.GtE: _ordered(operator.ge),
    ast.In: lambda left, right: right is not None and left in right,
    ast.NotIn: lambda left, right: right is None or left not in right,
}


class Expression:
    """A parsed expression; `names` are the slots it reads."""

    __slots__ = ("_tree", "names", "source")

    def __init__(self, source: str) -> None:
        self.source = source
        if len(source) > MAX_LENGTH:
            reason = f"it has {len(source):,} characters; at most {MAX_LENGTH:,} are read."
            raise ExpressionError(f"'{source[:_SHOWN]}…' is too long: {reason}")
        try:
            tree = ast.parse(source.strip(), mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise ExpressionError(f"'{source}' is not an expression: {_reason(source, error)}") from None
        if _is_deeper(tree, MAX_DEPTH):
            shown = source if len(source) <= _SHOWN else f"{source[:_SHOWN]}…"
            raise ExpressionError(
                f"'{shown}' is nested more than {MAX_DEPTH} levels deep. Compute it in several steps."
            )
        self._tree = tree.body
        self.names = frozenset(_names(source, tree))

    def evaluate(self, slots: Mapping[str, Any]) -> Any:
        """The value over these slots; a slot that is missing counts as None."""
        return self._evaluate(self._tree, slots)

    def holds(self, slots: Mapping[str, Any]) -> bool:
        """Whether the expression is true over these slots."""
        return bool(self.evaluate(slots))

    def is_true(self, slots: Mapping[str, Any]) -> bool:
        """The same, where values that do not fit together simply make it false."""
        try:
            return self.holds(slots)
        except ExpressionError:
            return False

    def misfit(self, samples: Mapping[str, Any]) -> str | None:
        """Why values of these kinds could not be used together in the expression, if they could not."""
        for node in reversed(list(ast.walk(self._tree))):  # the innermost part that is wrong comes first
            if isinstance(node, ast.Compare | ast.BinOp | ast.Call) and self._mixes(node, samples):
                parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
                values = [self._sample(part, samples) for part in parts if not _is_function(part, node)]
                kinds = " and ".join(dict.fromkeys(_kind(value) for value in values))
                return f"'{ast.unparse(node)}' does not work with {kinds}"
            if isinstance(node, ast.BinOp | ast.Call) and (reason := self._never_works(node)):
                return f"'{ast.unparse(node)}' cannot be evaluated: {reason}"
        return None

    def _never_works(self, node: ast.AST) -> str | None:
        """Why a part that reads no slot fails, if it does: it fails every time."""
        if any(isinstance(part, ast.Name) and part.id in self.names for part in ast.walk(node)):
            return None
        try:
            self._evaluate(node, {})
        except ExpressionError as error:
            return str(error.__cause__)
        return None

    def _mixes(self, node: ast.AST, samples: Mapping[str, Any]) -> bool:
        try:
            self._evaluate(node, samples)
        except ExpressionError as error:
            return isinstance(error.__cause__, TypeError)
        if isinstance(node, ast.Compare) and all(isinstance(op, ast.Eq | ast.NotEq) for op in node.ops):
            values = [self._sample(part, samples) for part in (node.left, *node.comparators)]
            texts = [isinstance(value, str) for value in values if value is not None]
            return any(texts) and not all(texts)  # no text ever equals a number or a date
        return False

    def _sample(self, node: ast.AST, samples: Mapping[str, Any]) -> Any:
        try:
            return self._evaluate(node, samples)
        except ExpressionError:
            return None

    def _evaluate(self, node: ast.AST, slots: Mapping[str, Any]) -> Any:
        names = {name: slots.get(name) for name in self.names} | WORDS
        try:
            evaluator = EvalWithCompoundTypes(_OPERATORS, dict(FUNCTIONS), names)
            return _checked(evaluator.eval(self.source, previously_parsed=node))
        except (InvalidExpression, TypeError, ValueError, ArithmeticError, RecursionError, MemoryError) as error:
            raise ExpressionError(f"'{self.source}' cannot be evaluated: {error}") from error

    def __repr__(self) -> str:
        return f"Expression({self.source!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Expression) and other.source == self.source

    def __hash__(self) -> int:
        return hash(self.source)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(
            cls._validate,
            serialization=core_schema.plain_serializer_function_ser_schema(lambda value: value.source),
        )

    @classmethod
    def _validate(cls, value: object) -> Expression:
        if isinstance(value, Expression):
            return value
        if isinstance(value, bool | int | float):
            value = str(value)
        if not isinstance(value, str):
            raise PydanticCustomError("expression", 'an expression must be text, such as "amount > 100".')
        try:
            return cls(value)
        except ExpressionError as error:
            raise PydanticCustomError("expression", "{reason}", {"reason": str(error)}) from None


def _is_deeper(tree: ast.AST, levels: int) -> bool:
    """Whether a tree has more levels than these; level by level, so that no depth exhausts the stack."""
    level: list[ast.AST] = [tree]
    for _ in range(levels + 1):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return bool(level)


def _names(source: str, tree: ast.AST) -> set[str]:
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    names: set[str] = set()
    for node in ast.walk(tree):
        if not isinstance(node, _ALLOWED):
            raise ExpressionError(f"'{source}' uses {_what(node)}, which expressions do not have.")
        if isinstance(node, ast.Constant) and not isinstance(node.value, str | int | float | None):
            raise ExpressionError(f"'{source}' holds {ast.unparse(node)}, a kind of value that no slot has.")
        if isinstance(node, ast.Call) and (node.keywords or not isinstance(node.func, ast.Name | ast.Attribute)):
            raise ExpressionError(f"'{source}' does not call a function by its name, with plain values.")
        if isinstance(node, ast.Name):
            if id(node) not in called:
                names.add(node.id)
            elif node.id not in FUNCTIONS:
                hint = did_you_mean(node.id, FUNCTIONS) or f"There are {', '.join(sorted(FUNCTIONS))}."
                raise ExpressionError(f"'{source}' calls '{node.id}', which expressions do not have. {hint}")
    return names - set(WORDS)


_OTHER_LANGUAGES = {"&&": "and", "||": "or", "=>": ">=", "=<": "<=", "<>": "!=", "===": "=="} | {
    f" {word.upper()} ": word for word in ("and", "or", "not", "in", "is")
}


def _reason(source: str, error: Exception) -> str:
    if not source.strip():
        return "it is empty."
    for wrong, right in _OTHER_LANGUAGES.items():
        if wrong in f" {source} ":
            return f"write '{right}' instead of '{wrong.strip()}'."
    if "=" in source.replace("==", "").replace("!=", "").replace("<=", "").replace(">=", ""):
        return "write '==' to compare."
    if "!" in source.replace("!=", ""):
        return "write 'not' instead of '!'."
    if not isinstance(error, SyntaxError):
        return "it is too long or too deeply nested."
    if error.msg != "invalid syntax":
        return f"{error.msg}."
    rest = source.strip()[error.offset - 1 :].strip() if error.offset else ""
    return f"it cannot be read from '{rest}' on." if rest else "its end is missing."


def _is_function(part: ast.expr, node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and part is node.func


def _kind(value: object) -> str:
    match value:
        case None:
            return "nothing"
        case str():
            return "a text"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case timedelta():
            return "a duration"
        case list():
            return "a list"
        case Money():
            return "money"
        case _:
            return f"a {type(value).__name__}"


def _what(node: ast.AST) -> str:
    match node:
        case ast.Attribute() if node.attr in FUNCTIONS:
            return f"'.{node.attr}' (write {node.attr}(…))"
        case ast.Attribute():
            return f"'.{node.attr}'"
        case ast.Pow():
            return "'**'"
        case ast.Dict() | ast.Set():
            return "braces"
        case ast.JoinedStr():
            return "a text with fields"
        case ast.Subscript():
            return "an index in brackets"
        case ast.Lambda() | ast.ListComp() | ast.DictComp() | ast.SetComp() | ast.GeneratorExp():
            return "a comprehension or a lambda"
        case _:
            return type(node).__name__.lower()
