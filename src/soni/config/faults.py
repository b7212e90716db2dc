"""What pydantic found wrong with an assistant's tree, in the words of somebody who writes one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from soni.config.events import Events
from soni.config.models import FlowConfig, PersistenceConfig, Settings, SlotConfig, SoniConfig, TriggerConfig
from soni.config.slots import ChoiceOption
from soni.config.texts import Texts
from soni.core.values import TYPES
from soni.errors import Problem, did_you_mean, dotted
from soni.steps import STEPS
from soni.steps.branch import Case

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic_core import ErrorDetails

    from soni.source import SourceMap

Loc = tuple[str | int, ...]

_KINDS = {
    "dict": "a map",
    "model": "a map",
    "list": "a list",
    "string": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
}


def told(details: list[ErrorDetails], tree: dict[str, Any], source: SourceMap) -> Iterator[Problem]:
    """The problems that these errors are; a misspelt key is not told again as a missing one."""
    unknown = [detail["loc"] for detail in details if detail["type"] == "extra_forbidden"]
    for detail in details:
        *around, last = detail["loc"]
        beside = [str(loc[-1]) for loc in unknown if list(loc[:-1]) == around]
        if detail["type"] != "missing" or not any(did_you_mean(word, [str(last)]) for word in beside):
            yield _problem(detail, tree, source)


def _problem(detail: ErrorDetails, tree: dict[str, Any], source: SourceMap) -> Problem:
    loc = detail["loc"]
    context = detail.get("ctx", {})
    near: str | None = None
    match detail["type"]:
        case "extra_forbidden":
            known = _known_keys(tree, loc[:-1])
            message = f"there is no key '{loc[-1]}' in {_where(tree, loc[:-1])}."
            return Problem(message, loc, _hint(str(loc[-1]), known), place=source.place(loc, key=True))
        case "missing":
            return Problem(f"{_where(tree, loc[:-1])} needs '{loc[-1]}'.", loc[:-1])
        case "literal_error":
            wanted = str(context["expected"])
            near = did_you_mean(str(detail["input"]), re.findall(r"'([^']*)'", wanted))
        case "greater_than_equal":
            wanted = f"{context['ge']} or more"
        case "greater_than":
            wanted = f"more than {context['gt']}"
        case "too_short":
            return Problem(f"{_where(tree, loc)} is empty.", loc, "Give it at least one.")
        case kind if (word := _KINDS.get(kind.split("_")[0])) is not None:
            keys = _known_keys(tree, loc) if word == "a map" else []
            wanted = f"{word} with {', '.join(sorted(keys))}" if keys else word
        case _:
            return Problem(detail["msg"], loc)
    value = detail["input"]
    if value is None:
        return Problem(f"{_where(tree, loc)} is empty; it must be {wanted}.", loc)
    hint = f"Write {{type: {value}}}." if loc[:-1] == ("slots",) and isinstance(value, str) and value in TYPES else near
    return Problem(f"{_where(tree, loc)} must be {wanted}, not {_shown(value)}.", loc, hint)


def _hint(word: str, known: list[str]) -> str | None:
    if word == "<<":
        return "Maps are not merged; write the keys out."
    return did_you_mean(word, known) or (f"There are {', '.join(sorted(known))}." if known else None)


def _shown(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case dict():
            return "a map"
        case list():
            return "a list"
        case _:
            return repr(value)


def _where(tree: dict[str, Any], loc: Loc) -> str:
    """The thing that a place belongs to: `'attempts' of flow 'pay', step 'ask'`."""
    owner, size = "the assistant", 0
    node: Any = tree
    for index, part in enumerate(loc):
        node = _inside(node, part)
        around = loc[index - 1] if index else None
        if index == 1 and around in ("slots", "flows"):
            owner, size = f"{str(around)[:-1]} '{part}'", 2
        elif around in ("steps", "do") and isinstance(part, int) and loc[0] == "flows":
            name = _inside(node, "step")
            owner, size = f"flow '{loc[1]}', step '{name if isinstance(name, str) else part + 1}'", index + 1
    if loc == loc[:size]:
        return owner
    return f"'{dotted(loc[size:])}'" + (f" of {owner}" if size else "")


def _known_keys(tree: dict[str, Any], loc: Loc) -> list[str]:
    match loc:
        case ():
            return _keys(SoniConfig)
        case ("settings",):
            return _keys(Settings)
        case ("settings", "persistence"):
            return _keys(PersistenceConfig)
        case ("events",):
            return _keys(Events)
        case ("texts",):
            return _keys(Texts)
        case ("slots", _):
            return _keys(SlotConfig)
        case ("slots", _, "options", _):
            return _keys(ChoiceOption)
        case ("flows", _):
            return _keys(FlowConfig)
        case ("flows", _, "trigger"):
            return _keys(TriggerConfig)
        case (*_, "cases", int()):
            return _keys(Case)
        case (*_, "steps" | "do", int()):
            return _step_keys(tree, loc)
        case _:
            return []


def _step_keys(tree: Any, loc: Loc) -> list[str]:
    for part in loc:
        tree = _inside(tree, part)
    word = _inside(tree, "type") or next((key for key in tree if key in STEPS), "")
    return _keys(STEPS[word]) if word in STEPS else []


def _inside(node: Any, part: str | int) -> Any:
    if isinstance(node, dict):
        return node.get(part)
    return node[part] if isinstance(node, list) and isinstance(part, int) and part < len(node) else None


def _keys(model: Any) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]
