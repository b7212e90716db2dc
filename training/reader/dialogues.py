"""Samples out of the schema-guided dialogues, in English and, machine-translated and cleaned, in Spanish."""

from __future__ import annotations

import gzip
import json
import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from soni.du.local.packing import FLOW, FLOW_ACTIVE, SLOT, SLOT_ASKED, SLOT_FILLED, FlowText
from training.reader.noise import as_written
from training.reader.samples import (
    ANY,
    UNKNOWN,
    VALUE,
    WORDING,
    FlowSchema,
    Sample,
    SlotLabel,
    SlotSchema,
    kind_of,
    spaced,
)
from training.reader.values import NUMBERS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from random import Random

    from soni.du.local.packing import Array, SlotText

_ACTS = {
    "AFFIRM": "affirm",
    "AFFIRM_INTENT": "affirm",
    "NEGATE": "negate",
    "NEGATE_INTENT": "negate",
    "INFORM": "inform",
    "INFORM_INTENT": "start",
    "REQUEST": "request",
    "REQUEST_ALTS": "alternatives",
    "SELECT": "select",
    "THANK_YOU": "thank",
    "GOODBYE": "bye",
}
_CONFIRMING = {"CONFIRM", "OFFER", "OFFER_INTENT"}
MOST_SLOTS = 14
_NEAREST = 16
_ELSEWHERE, _WITHOUT = 0.7, 0.08
"""How often the slots of the flow are told that a request seems to be for and is not, and how often none with any
request: if they were always those of the right one, they alone would tell it."""

_MENDED = [(re.compile(pattern, re.IGNORECASE), better) for pattern, better in WORDING["mended"]]


def mended(text: str, spans: list[list[Any]]) -> tuple[str, list[list[Any]]]:
    """A machine's Spanish with its usual slips put right; the values stay where they are in it."""
    marks: list[str] = []
    cut = text
    for _, start, end in sorted(spans, key=lambda span: -span[1]):
        marks.append(text[start:end])
        cut = f"{cut[:start]}\x00{chr(0xE000 + len(marks) - 1)}{cut[end:]}"
    for pattern, better in _MENDED:
        cut = pattern.sub(better, cut)
    moved: dict[int, tuple[int, int]] = {}
    out = ""
    pieces = re.split("\x00(.)", cut)
    for place, piece in enumerate(pieces):
        if place % 2:
            number = ord(piece) - 0xE000
            moved[number] = (len(out), len(out) + len(marks[number]))
            out += marks[number]
        else:
            out += piece
    order = sorted(spans, key=lambda span: -span[1])
    return out, [[order[number][0], *moved[number]] for number in sorted(moved)]


@dataclass(slots=True)
class Turn:
    """One user's turn about one service."""

    dialogue: str
    number: int
    language: str
    bot: str
    task: str | None
    message: str
    service: str
    intent: str
    """The flow that runs after the turn."""
    before: str
    acts: frozenset[str]
    starts: bool
    agrees: bool
    informed: dict[str, str]
    spans: dict[str, tuple[int, int]]
    asked: frozenset[str]
    filled: frozenset[str]


class Dialogues:
    """A split of SGD as flows, slots and turns."""

    def __init__(self, folder: Path, split: str = "train", *, spanish: bool = True) -> None:
        schemas = json.loads((folder / "schemas.json").read_text(encoding="utf-8"))[split]
        translated = json.loads((folder / "schema_es.json").read_text(encoding="utf-8"))
        self._spanish = {source: mended(text, [])[0] for source, text in translated.items()}
        self.flows: dict[str, FlowSchema] = {}
        self.slots: dict[str, dict[str, SlotSchema]] = {}
        for service, schema in schemas.items():
            self.slots[service] = {name: self._slot(name, slot) for name, slot in schema["slots"].items()}
            for intent, told in schema["intents"].items():
                key = f"{service}/{intent}"
                slots = list(dict.fromkeys([*told["req"], *told["opt"]]))
                self.flows[key] = FlowSchema(key, service.split("_")[0], self._texts(told["txt"]), slots)
        self.turns = self._turns(folder / f"{split}.jsonl.gz", "en")
        self.spanish = self._turns(folder / f"{split}_es.jsonl.gz", "es") if spanish and split == "train" else []
        for turn in self.turns:
            if turn.starts and turn.intent != "NONE":
                examples = self.flows[f"{turn.service}/{turn.intent}"].examples.setdefault("en", [])
                examples.append((turn.dialogue, turn.message))
        self.starts = [turn for turn in self.turns if turn.starts]
        self._near: dict[str, list[str]] = {}

    def place(self, encode: Callable[[list[str]], Array]) -> None:
        """Find for each request the flows that it is most like: those are what the product chooses among."""
        keys = list(self.flows)
        told = [flow.texts["en"][0] for flow in self.flows.values()]
        flows = encode([f"{name}: {description}" for name, description in told]).astype(np.float32)
        asked = list({turn.message for turn in [*self.turns, *self.spanish] if turn.starts})
        for start in range(0, len(asked), 1000):
            some = asked[start : start + 1000]
            order = np.argsort(-(encode(some).astype(np.float32) @ flows.T), axis=1)[:, :_NEAREST]
            self._near |= {text: [keys[one] for one in row] for text, row in zip(some, order.tolist(), strict=True)}

    def translations(self) -> list[tuple[str, str]]:
        """Spanish messages with the English ones that they were translated from."""
        english = {(turn.dialogue, turn.number): turn.message for turn in self.turns}
        return [
            (turn.message, english[turn.dialogue, turn.number])
            for turn in self.spanish
            if (turn.dialogue, turn.number) in english
        ]

    def _texts(self, told: list[list[str]]) -> dict[str, list[tuple[str, str]]]:
        english = [(spaced(name), description) for name, description in told]
        return {"en": english, "es": [(self._in_spanish(name), self._in_spanish(text)) for name, text in english]}

    def _in_spanish(self, text: str) -> str:
        return self._spanish.get(text, text)

    def _slot(self, name: str, slot: dict[str, Any]) -> SlotSchema:
        options = [option for option in slot["opts"] if option != "dontcare"] if slot["cat"] else []
        texts = [{"True": "yes", "False": "no"}.get(option, option.replace("_", " ")) for option in options]
        spanish = [{"yes": "sí", "no": "no"}.get(text, self._in_spanish(text)) for text in texts]
        return SlotSchema(name, kind_of(name, options), self._texts(slot["txt"]), options, {"en": texts, "es": spanish})

    def _turns(self, path: Path, language: str) -> list[Turn]:
        turns: list[Turn] = []
        filled: dict[tuple[str, str], set[str]] = defaultdict(set)
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for line in file:
                row = json.loads(line)
                frames = row["f"]
                for frame in frames:
                    has = frozenset(filled[row["d"], frame["s"]])
                    turn = self._turn(row, frame, has, language)
                    if frame is max(frames, key=lambda one: len(one["a"])):
                        turns.append(turn)
                    filled[row["d"], frame["s"]].update(turn.informed)
        return turns

    def _turn(self, row: dict[str, Any], frame: dict[str, Any], filled: frozenset[str], language: str) -> Turn:
        said = [action for one in row["f"] for action in one["a"]]
        message, bot, spans = row["u"], row["y"], frame["sp"]
        if language == "es":
            message, spans = mended(message, spans)
            bot, _ = mended(bot, [])
        asked, kinds = frozenset(frame["ask"]), set(row["ya"])
        return Turn(
            dialogue=row["d"],
            number=row["k"],
            language=language,
            bot=bot,
            task="confirm" if kinds & _CONFIRMING else "collect" if asked else None,
            message=message,
            service=frame["s"],
            intent=frame["ai"],
            before=frame["pi"],
            acts=frozenset(_ACTS[action[0]] for action in said if action[0] in _ACTS),
            starts=any(action[0] == "INFORM_INTENT" for action in frame["a"]),
            agrees=any(action[0] == "AFFIRM_INTENT" for action in frame["a"]),
            informed={
                action[1]: "dontcare" if action[2][:1] == ["dontcare"] else (action[3] or action[2] or [""])[0]
                for action in frame["a"]
                if action[0] == "INFORM"
            },
            spans={slot: (start, end) for slot, start, end in spans},
            asked=asked,
            filled=filled | frozenset(frame["cf"]),
        )

    def sample(self, draw: Random, turn: Turn, others: list[FlowSchema]) -> Sample:
        """A turn with its own service's flows and some of others; sometimes with the right flow taken away."""
        tongue = turn.language if draw.random() < 0.6 else "en"
        own = [flow for key, flow in self.flows.items() if key.startswith(f"{turn.service}/")]
        wanted = f"{turn.service}/{turn.intent}"
        message, acts, informed, spans = turn.message, set(turn.acts), dict(turn.informed), dict(turn.spans)
        domain = turn.service.split("_")[0]
        near = [self.flows[key] for key in self._near.get(turn.message, [])]
        if near and draw.random() < 0.6:
            others = list({flow.key: flow for flow in [*near[: draw.choice([3, 6, 10])], *others]}.values())
        others = [flow for flow in others if flow.domain != domain]
        is_dropped = turn.starts and draw.random() < 0.1
        is_strange = not is_dropped and turn.language == "en" and draw.random() < 0.04
        if is_strange:
            strange = draw.choice(self.starts)
            away = strange.service.split("_")[0]
            others = [flow for flow in others if flow.domain != away]
            is_strange = away != domain
            if is_strange:
                message, acts, informed, spans = strange.message, {"outside"}, {}, {}
        if is_dropped:
            acts = (acts - {"start"}) | {"outside"}
        candidates = [*([] if is_dropped else own), *others]
        draw.shuffle(candidates)
        active = f"{turn.service}/{turn.before}" if turn.before != "NONE" and draw.random() < 0.85 else ""
        flows = [
            FlowText(flow.told(draw, tongue, turn.dialogue), FLOW_ACTIVE if flow.key == active else FLOW)
            for flow in candidates
        ]
        keys = [flow.key for flow in candidates]
        if turn.starts and not is_strange:
            flow = keys.index(wanted) if wanted in keys else -1
        else:
            flow = UNKNOWN if turn.agrees and not is_strange else -1
        if informed.keys() & turn.filled:
            acts.add("correct")
        if "dontcare" in informed.values():
            acts.add("skip")
        first = self._first(near, keys, wanted) if turn.starts and not active and not turn.asked else wanted
        way = draw.random()
        if first != wanted and way < _ELSEWHERE:
            slots, labels = self._foreign(draw, first, tongue)
        elif turn.starts and not turn.asked and way > 1 - _WITHOUT:
            slots, labels = [], []
        else:
            slots, labels = self._slots(draw, turn, tongue, message, {} if is_dropped else informed, spans)
        return Sample(
            message=as_written(message, draw),
            bot=turn.bot if draw.random() < 0.95 else "",
            task=turn.task if draw.random() < 0.9 else None,
            flows=flows,
            flow=flow,
            slots=slots,
            labels=labels,
            acts=frozenset(acts),
            unknown_acts=frozenset({"greet", "resume", "chat"} - acts),
        )

    def _first(self, near: list[FlowSchema], keys: list[str], wanted: str) -> str:
        """The flow that a request seems to be for by its words, if it is of another service; else the right one."""
        key = next((flow.key for flow in near if flow.key in keys), wanted)
        return wanted if key.split("/")[0] == wanted.split("/")[0] else key

    def _foreign(self, draw: Random, key: str, language: str) -> tuple[list[SlotText], list[SlotLabel]]:
        """The slots of a flow that is not asked for; whether the message has values for them nobody said."""
        declared = self.slots[key.split("/")[0]]
        names = draw.sample(self.flows[key].slots, min(MOST_SLOTS, len(self.flows[key].slots)))
        return [declared[name].told(draw, language)[0] for name in names], [SlotLabel(UNKNOWN) for _ in names]

    def _slots(
        self,
        draw: Random,
        turn: Turn,
        language: str,
        message: str,
        informed: dict[str, str],
        spans: dict[str, tuple[int, int]],
    ) -> tuple[list[SlotText], list[SlotLabel]]:
        declared = self.slots[turn.service]
        intent = next((one for one in (turn.intent, turn.before) if one != "NONE"), None)
        names = list(self.flows[f"{turn.service}/{intent}"].slots) if intent else list(declared)
        if draw.random() < 0.25:
            names = list(declared)
        draw.shuffle(names)
        names = names[:MOST_SLOTS]
        if len(names) > 2 and draw.random() < 0.1:
            names.pop()
        tells_asked, tells_filled = draw.random() < 0.75, draw.random() < 0.75
        slots, labels = [], []
        for name in names:
            is_asked, is_filled = tells_asked and name in turn.asked, tells_filled and name in turn.filled
            state = SLOT_ASKED if is_asked else SLOT_FILLED if is_filled else SLOT
            value = informed.get(name)
            schema, span = declared[name], spans.get(name)
            in_words = _words_for(value, message, turn.language) if value and value != "dontcare" else None
            if (
                schema.options
                and schema.kind != "boolean"
                and (draw.random() < (0.7 if schema.kind == "integer" else 0.2))
            ):
                if value and in_words is None and value != "dontcare":
                    pass
                else:
                    schema, span = (
                        SlotSchema(schema.name, schema.kind if schema.kind == "integer" else "text", schema.texts),
                        in_words,
                    )
            slot, options = schema.told(draw, language, kept=value, state=state)
            slots.append(slot)
            labels.append(_label(value, options, span))
        return slots, labels


def _label(value: str | None, options: list[str], span: tuple[int, int] | None) -> SlotLabel:
    if value is None:
        return SlotLabel()
    if value == "dontcare":
        return SlotLabel(ANY)
    if options:
        return SlotLabel(VALUE, option=options.index(value)) if value in options else SlotLabel(UNKNOWN)
    return SlotLabel(VALUE, span=span) if span else SlotLabel(UNKNOWN)


def _words_for(value: str, message: str, language: str) -> tuple[int, int] | None:
    """Where a value stands in a message that has no span for it: '2', 'two', 'Psychologist'."""
    ways = [value.replace("_", " ")]
    if value.isdigit() and int(value) < len(NUMBERS[language]):
        ways.append(NUMBERS[language][int(value)])
    for way in ways:
        found = list(re.finditer(rf"\b{re.escape(way)}\b", message, re.IGNORECASE))
        if len(found) == 1:
            return found[0].span()
    return None
