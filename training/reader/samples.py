"""What a training sample is, whatever it comes from, and how flows and slots are told in it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from soni.du.local.packing import SLOT, SlotText

if TYPE_CHECKING:
    from random import Random

    from soni.du.local.packing import FlowText

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def written_in(path: Path) -> Any:
    """What a YAML file of this folder holds, read the fast way where there is one."""
    return yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER)  # noqa: S506  # both are safe loaders


WORDING: dict[str, Any] = written_in(Path(__file__).with_name("wording.yaml"))
"""How the words of samples are changed."""
NONE, VALUE, ANY = 0, 1, 2
"""What a message says about a slot: nothing, a value, that any will do."""
_COUNTS = ("integer", "number")
UNKNOWN = -100
"""A label that is not known and teaches nothing."""


@dataclass(slots=True)
class SlotLabel:
    """What a message says about one slot."""

    status: int = NONE
    span: tuple[int, int] | None = None
    option: int | None = None


@dataclass(slots=True)
class Sample:
    """A message in its place, and what should be read out of it."""

    message: str
    bot: str
    task: str | None
    flows: list[FlowText]
    flow: int
    """The number of the flow that it starts, -1 for none, UNKNOWN."""
    slots: list[SlotText] = field(default_factory=list)
    labels: list[SlotLabel] = field(default_factory=list)
    acts: frozenset[str] = frozenset()
    unknown_acts: frozenset[str] = frozenset()
    soft: list[float] | None = None
    """How like each flow is to the message, by a teacher, where nobody labelled it."""


@dataclass(slots=True)
class FlowSchema:
    """A flow that messages may start, in the words of its author."""

    key: str
    domain: str
    texts: dict[str, list[tuple[str, str]]]
    """By language: names with descriptions."""
    slots: list[str] = field(default_factory=list)
    examples: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    """By language: where a phrase comes from, and the phrase."""

    def told(self, draw: Random, language: str, without: str = "") -> str:
        """The flow as an author might tell it: its name, what it does, a phrase that people say."""
        texts = self.texts.get(language) or next(iter(self.texts.values()))
        name, description = texts[0] if draw.random() < 0.4 else draw.choice(texts)
        way = draw.random()
        example = self._example(draw, language, without) if way > 0.7 else ""
        if way < 0.1:
            return name
        if way < 0.16:
            return description
        if example and way > 0.9:
            return example
        if example and way > 0.86:
            return f"{name}: {example}"
        return f"{name}: {description}; {example}" if example else f"{name}: {description}"

    def requests(self) -> list[str]:
        """What people say for the flow, with its names and descriptions."""
        return [
            *(text for pair in self.texts["en"] for text in pair),
            *(text for _, text in self.examples.get("en", [])),
        ]

    def _example(self, draw: Random, language: str, without: str) -> str:
        """Up to three phrases; the message's own is none of them."""
        examples = self.examples.get(language, [])
        some = draw.sample(examples, min(draw.choice([1, 1, 2, 3]), len(examples)))
        return "; ".join(text for source, text in some if source != without)


@dataclass(slots=True)
class SlotSchema:
    """A slot in the words of its author."""

    name: str
    kind: str
    texts: dict[str, list[tuple[str, str]]]
    options: list[str] = field(default_factory=list)
    """What the options are known by to the labels."""
    option_texts: dict[str, list[str]] = field(default_factory=dict)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def told(
        self, draw: Random, language: str, *, kept: str | None = None, state: int = SLOT
    ) -> tuple[SlotText, list[str]]:
        """The slot as an author might tell it, and the options that it was told with, in their order."""
        texts = self.texts.get(language) or next(iter(self.texts.values()))
        name, description = texts[0] if draw.random() < 0.4 else draw.choice(texts)
        way = draw.random()
        words = name if way < 0.12 else description if way < 0.2 else f"{name}: {description}"
        examples = self.examples.get(language)
        if examples and draw.random() < 0.2:
            words += f" ({', '.join(draw.sample(examples, min(2, len(examples))))})"
        chosen = list(range(len(self.options)))
        if len(chosen) > 10:
            chosen = draw.sample(chosen, 10)
            if kept in self.options and self.options.index(kept or "") not in chosen:
                chosen[0] = self.options.index(kept or "")
        draw.shuffle(chosen)
        written = self.option_texts.get(language) or next(iter(self.option_texts.values()), [])
        kind = draw.choice(_COUNTS) if self.kind in _COUNTS else self.kind  # authors take either
        kind = kind if draw.random() < 0.8 or self.options else "text"
        slot = SlotText(words, kind, state, tuple(written[number] for number in chosen))
        return slot, [self.options[number] for number in chosen]


def spaced(name: str) -> str:
    """A name as words: FindRestaurants, number_of_seats."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", " ", name).lower().strip()


def kind_of(name: str, options: list[str]) -> str:
    """The type that an author would give to a slot of this name and these values."""
    words = set(name.split("_"))
    if set(options) == {"True", "False"}:
        return "boolean"
    if options and all(option.isdigit() for option in options):
        return "integer"
    if options:
        return "choice"
    if "date" in words or name.endswith(("check_in", "check_out")):
        return "date"
    if "time" in words:
        return "time"
    if words & {"price", "fare", "amount", "balance", "rent", "cost"}:
        return "money"
    if words & {"number", "stay", "days", "count", "seats", "size"} and "phone" not in words:
        return "integer"
    return "phone" if "phone" in words else "text"
