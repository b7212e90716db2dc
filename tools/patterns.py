"""Check that no regular expression of the package may take more than linear time; part of `make check`.

Every pattern that code under src/soni compiles is looked at: those of all modules, and those that are built while the
examples, and an assistant in each language that none of them offers, are loaded and read for.
A pattern that is only ever matched from the beginning of a text (`NAME.match`,
`NAME.fullmatch`) is judged as such, any other as one that is tried at every place.
"""

from __future__ import annotations

import ast
import asyncio
import hashlib
import importlib
import pkgutil
import re
import sys
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from soni.core.linear import super_linear
from soni.core.pattern_automaton import Use

if TYPE_CHECKING:
    from soni import Actions, SoniConfig

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "soni"
QUICK = Path(sys.prefix) / "quick-patterns.txt"
"""Marks of the patterns that were found quick before; the largest take a minute each."""
_compile = re._compile  # type: ignore[attr-defined]  # what every function of the module compiles with
compiled: dict[tuple[str, int], tuple[Path, int]] = {}
USES: tuple[Use, ...] = get_args(Use)
SAID = (
    "send 20 euros to Ana, no wait, 25",
    "change the amount to 60",
    "yes, but on Friday at 9",
    "mejor a María, no a Ana",
)


def noting(pattern: Any, flags: int) -> Any:
    """Compile a pattern, and note where the package asked for it."""
    made = _compile(pattern, flags)
    frame = sys._getframe(2)
    path = Path(frame.f_code.co_filename)
    if isinstance(made.pattern, str) and SOURCE in path.parents:
        compiled.setdefault((made.pattern, made.flags), (path, frame.f_lineno))
    return made


def load_everything() -> None:
    """Import every module, and read messages for the examples, so that what is built at run time is there, too."""
    soni = importlib.import_module("soni")
    for module in pkgutil.walk_packages(soni.__path__, "soni."):
        importlib.import_module(module.name)
    from soni import Actions, RuntimeLoop, load_config
    from soni.actions.discovery import discover_actions
    from soni.languages import known_languages

    async def talk(config: SoniConfig, actions: Actions) -> None:
        async with RuntimeLoop(config, actions=actions) as loop:
            for text in SAID:
                await loop.process_message(text, user_id="ana")

    offered = set[str]()
    for folder in sorted((ROOT / "examples").glob("*/domain")):
        config = load_config(folder)
        offered |= config.languages
        asyncio.run(talk(config, discover_actions(folder)))
    for code in sorted(known_languages() - offered):
        asyncio.run(talk(_assistant_in(code), Actions()))


def _assistant_in(code: str) -> SoniConfig:
    """An assistant in one language, with a slot of each type."""
    from soni import SoniConfig
    from soni.core.values import TYPES

    slots = {f"a_{kind}": {"type": kind} for kind in TYPES if kind not in ("choice", "list")}
    steps = [{"step": name, "type": "collect", "slot": name} for name in slots]
    confirmed = {"step": "sure", "type": "confirm", "slot": "confirmed", "message": "?"}
    flow = {"description": SAID[0], "trigger": {"intents": ["send money"]}, "steps": [*steps, confirmed]}
    slots["confirmed"] = {"type": "boolean"}
    return SoniConfig.model_validate({"settings": {"language": code}, "slots": slots, "flows": {"send": flow}})


class Uses(ast.NodeVisitor):
    """Which methods are called on what name, and which name is given to what is compiled in a line."""

    def __init__(self) -> None:
        self.methods: dict[object, set[str]] = defaultdict(set)
        self.names: dict[tuple[Path, int], str] = {}
        self.path = SOURCE
        self.naming = ""

    def of(self, place: tuple[Path, int]) -> list[Use]:
        """How the pattern that is compiled in a line is used; as a search where that is not seen."""
        methods = self.methods.get(self._key(self.names.get(place, ""), place[0]), {""})
        seen: list[Use] = [use for use in USES if use in methods]
        return seen if methods <= set(USES) else ["search", *(use for use in seen if use != "search")]

    def _key(self, name: str, path: Path) -> object:
        """A private name belongs to its file, and so does an attribute."""
        return (path, name) if name.startswith(("_", ".")) else name

    def visit_Call(self, node: ast.Call) -> None:
        """A method of a pattern is called."""
        match node.func:
            case ast.Attribute(attr=method, value=ast.Name(id=name)):
                self.methods[self._key(name, self.path)].add(method)
            case ast.Attribute(attr=method, value=ast.Attribute(attr=name)):
                self.methods[self._key(name, self.path)].add(method)
                self.methods[self.path, f".{name}"].add(method)
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        """A pattern handed on is used in a way that is not seen."""
        if isinstance(node.ctx, ast.Load):
            self.methods[self._key(node.id, self.path)].add("")

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """A method that is called was seen with its call; an attribute handed on is used in a way that is not seen."""
        if f".{node.attr}" != self.naming:
            self.methods[self.path, f".{node.attr}"].add("")
        if not isinstance(node.value, ast.Name | ast.Attribute):
            self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        """A pattern gets its name."""
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call()):
                self._name(name, node.value)
            case ast.Assign(targets=[ast.Attribute(attr=name)], value=ast.Call()):
                self.naming = f".{name}"  # the words that it is made of may have the same name
                self._name(self.naming, node.value)
        self.visit(node.value)
        self.naming = ""

    def visit_keyword(self, node: ast.keyword) -> None:
        """A pattern becomes the field of a dataclass."""
        if isinstance(node.value, ast.Call):
            self.naming = f".{node.arg}"
            self._name(self.naming, node.value)
        self.visit(node.value)
        self.naming = ""

    def _name(self, name: str, value: ast.expr) -> None:
        for line in range(value.lineno, (value.end_lineno or value.lineno) + 1):
            self.names.setdefault((self.path, line), name)


def slow_text(asked: tuple[str, int, list[Use]]) -> str | None:
    """What a text has to repeat for a pattern to be slow in one of its uses; None if it is quick in all of them."""
    pattern, flags, uses = asked
    return next(filter(None, (super_linear(pattern, flags, use=use) for use in uses)), None)


def mark(asked: tuple[str, int, list[Use]]) -> str:
    """A mark of a pattern with its uses, and of what judges them."""
    judges = [SOURCE / "core" / name for name in ("linear.py", "pattern_automaton.py", "pattern_characters.py")]
    told = repr((asked, sys.version, [path.read_text(encoding="utf-8") for path in judges]))
    return hashlib.blake2b(told.encode(), digest_size=16).hexdigest()


def main() -> None:
    """Print what may be slow, each where it stands, and fail if there is any."""
    re.purge()
    re._compile = noting  # type: ignore[attr-defined]
    load_everything()
    re._compile = _compile  # type: ignore[attr-defined]
    uses = Uses()
    for uses.path in SOURCE.rglob("*.py"):
        uses.visit(ast.parse(uses.path.read_text(encoding="utf-8")))
    patterns = sorted(compiled.items(), key=lambda item: item[1])
    asked = {(pattern, flags): (pattern, flags, uses.of(place)) for (pattern, flags), place in patterns}
    judged = set(QUICK.read_text().split()) if QUICK.exists() else set()
    new = sorted((key for key, one in asked.items() if mark(one) not in judged), key=lambda key: -len(key[0]))
    with ProcessPoolExecutor() as pool:
        found = dict(zip(new, pool.map(slow_text, (asked[key] for key in new)), strict=True))
    QUICK.write_text("\n".join(mark(one) for key, one in asked.items() if found.get(key) is None))
    slow = [(key[0], place, text) for key, place in patterns if (text := found.get(key)) is not None]
    for pattern, place, text in slow:
        where = f"{place[0].relative_to(ROOT)}:{place[1]}"
        print(f"{where}: a text with many {text!r} takes this pattern more than linear time:\n  {pattern}")
    if slow:
        sys.exit(f"{len(slow)} of {len(compiled)} patterns may take more than linear time")


if __name__ == "__main__":
    main()
