"""The public sets as assistants and labelled messages, so that they go through the same code as anybody's data."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from soni import SoniConfig
from soni.core.commands import AffirmConfirmation, DenyConfirmation, OutOfScope, SetSlot, StartFlow
from soni.evaluation.labelled import Labelled, Place

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SAY = [{"step": "done", "type": "say", "message": "Done."}]


def lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a gzipped JSONL file."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def split(folder: Path, *names: str) -> Path:
    """The first of these files that the folder has: the evaluation may be run on another split."""
    for name in names:
        if (folder / name).exists():
            return folder / name
    raise SystemExit(f"{folder} has none of {', '.join(names)}")


# Intents with examples: CLINC150 and BANKING77


def intents(examples: dict[str, list[str]]) -> SoniConfig:
    """An assistant with a flow for each intent, known by its name and its examples."""
    flows = {
        _name(intent): {"description": intent.replace("_", " "), "trigger": {"intents": _escaped(texts)}, "steps": SAY}
        for intent, texts in examples.items()
    }
    return SoniConfig.model_validate({"flows": flows})


def _escaped(texts: list[str]) -> list[str]:
    return [text.replace("{", "(").replace("}", ")") for text in texts]


def few_shot(rows: list[dict[str, Any]], count: int, seed: int) -> dict[str, list[str]]:
    """Some examples of each intent."""
    by: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        if row["intent"] != "oos":
            by[row["intent"]].append(row["text"])
    draw = random.Random(seed)
    return {intent: draw.sample(sorted(texts), min(count, len(texts))) for intent, texts in sorted(by.items())}


def asked_for(rows: list[dict[str, Any]]) -> list[Labelled]:
    """Messages that start the flow of their intent, or nothing."""
    return [
        Labelled(row["text"], (OutOfScope() if row["intent"] == "oos" else StartFlow(flow=_name(row["intent"])),))
        for row in rows
    ]


def _name(intent: str) -> str:
    return re.sub(r"\W+", "_", intent).strip("_")


# Schema-guided dialogues


class Dialogues:
    """SGD: a service is an assistant, an intent a flow."""

    def __init__(self, folder: Path) -> None:
        self.turns = lines(split(folder, "test.jsonl.gz", "dev.jsonl.gz"))
        self.schema = json.loads(split(folder, "test_schema.json", "dev_schema.json").read_text(encoding="utf-8"))
        self.services = {service["service_name"]: _service([service]) for service in self.schema}
        self.all = _service(self.schema)
        self.unseen = {service["service_name"] for service in self.schema if not service.get("seen_in_train")}
        """Services of which no model of ours saw a turn."""

    def starts(self, *, alone: bool = False) -> Iterator[tuple[str, Labelled]]:
        """Turns in which the active intent changes: the service, and the message with the flow it starts.

        It stands where it was said, behind what ran and what the bot said last ('ok, book it'), unless taken alone.
        """
        for turn in self.turns:
            for frame in turn["frames"]:
                if frame["intent"] not in ("NONE", frame["intent_before"]):
                    place = Place() if alone else self._before(turn, frame)
                    yield frame["service"], Labelled(turn["user"], (StartFlow(flow=_flow(frame["intent"])),), place)

    def values(self, *, told: bool = True) -> Iterator[tuple[str, Labelled]]:
        """Turns in which slots are said; which intent they are about is told, or only which one was active before."""
        for turn in self.turns:
            for frame in turn["frames"]:
                if not frame["said_slots"] or frame["intent"] == "NONE":
                    continue
                meant = tuple(SetSlot(slot=slot, value=said[0]) for slot, said in frame["said_slots"].items())
                slots = self.services[frame["service"]].slots
                place = self._place(turn, frame, set(slots))
                if not told:
                    before = frame["intent_before"]
                    place = place.model_copy(update={"flow": None if before == "NONE" else _flow(before)})
                    place = place if place.flow else place.model_copy(update={"task": None, "asked": None})
                yield frame["service"], Labelled(turn["user"], meant, place)

    def verdicts(self) -> Iterator[tuple[str, Labelled]]:
        """Turns after a confirmation or an offer; choosing one of several offers is neither a yes nor a no."""
        for turn in self.turns:
            before = set(turn["system"]["acts"]) if turn["system"] else set()
            said = {act for frame in turn["frames"] for act in frame["acts"]}
            if not before & {"CONFIRM", "OFFER", "OFFER_INTENT"} or "SELECT" in said:
                continue
            meant: tuple[Any, ...] = ()
            if said & {"AFFIRM", "AFFIRM_INTENT"}:
                meant = (AffirmConfirmation(),)
            elif said & {"NEGATE", "NEGATE_INTENT"}:
                meant = (DenyConfirmation(),)
            frame = turn["frames"][0]
            yield frame["service"], Labelled(turn["user"], meant, self._place(turn, frame, set(), task="confirm"))

    def _before(self, turn: dict[str, Any], frame: dict[str, Any]) -> Place:
        """The place of a turn that begins something: nothing of what it begins is known."""
        flow, said = frame["intent_before"], turn["system"]["text"] if turn["system"] else ""
        return Place(flow=None if flow == "NONE" else _flow(flow), history=[{"bot": said}] if said else [])

    def _place(self, turn: dict[str, Any], frame: dict[str, Any], slots: set[str], task: str | None = None) -> Place:
        system = turn["system"] or {"text": "", "acts": [], "asked": []}
        asked = next((slot for slot in system["asked"] if slot in slots), None)
        if task is None and {"CONFIRM", "OFFER", "OFFER_INTENT"} & set(system["acts"]):
            task = "confirm"
        flow = frame["intent"] if frame["intent"] != "NONE" else frame["intent_before"]
        return Place(
            flow=None if flow == "NONE" else _flow(flow),
            task="collect" if asked else task,
            asked=asked,
            history=[{"bot": system["text"]}] if system["text"] else [],
        )


def _service(services: list[dict[str, Any]]) -> SoniConfig:
    flows: dict[str, Any] = {}
    slots: dict[str, Any] = {}
    for service in services:
        for slot in service["slots"]:
            slots.setdefault(slot["name"], _slot(slot))
        for intent in service["intents"]:
            asked = [slot["name"] for slot in service["slots"]]
            told = [{"step": f"ask_{slot}", "type": "collect", "slot": slot} for slot in asked]
            name = _flow(intent["name"])
            before = flows[name]["description"] if name in flows else []
            flows[name] = {"description": [*before, intent["description"]], "steps": told}
    return SoniConfig.model_validate({"slots": slots, "flows": flows})


def _flow(intent: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", intent).lower()


def _slot(slot: dict[str, Any]) -> dict[str, Any]:
    """The slot as an author would declare it: its type is what its name says it is."""
    name, words = slot["name"], set(slot["name"].split("_"))
    declared: dict[str, Any] = {"description": slot["description"]}
    values = slot["possible_values"]
    if slot["is_categorical"] and set(values) == {"True", "False"}:
        return {**declared, "type": "boolean"}
    if slot["is_categorical"] and all(value.isdigit() for value in values):
        return {**declared, "type": "integer"}
    if slot["is_categorical"]:
        return {**declared, "type": "choice", "options": values}
    if "date" in words or name.endswith(("check_in", "check_out", "dropoff_date")):
        return {**declared, "type": "date"}
    if "time" in words:
        return {**declared, "type": "time"}
    if words & {"price", "fare", "amount", "balance", "rent", "cost"}:
        return {**declared, "type": "money"}
    if words & {"number", "stay", "days", "count", "seats", "size"} and "phone" not in words:
        return {**declared, "type": "integer"}
    return {**declared, "type": "phone"} if "phone" in words else {**declared, "type": "text"}
