"""Every prediction on the development data, written to a file or compared with one.

While code that reads language is moved or made faster, nothing it reads may change. Freeze the predictions before,
compare after:

    python -m bench.understanding.frozen write before.json
    python -m bench.understanding.frozen compare before.json
"""

from __future__ import annotations

import argparse
import json
import random
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.understanding.public import Dialogues
from bench.understanding.run import DATA, HERE, NOW, ROOT, SGD_NOW, SPANISH, understood
from soni import load_config
from soni.evaluation import read_labelled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from soni import SoniConfig
    from soni.evaluation import Labelled

OF_A_SERVICE = 60
"""How many messages of each kind are taken of each public service."""


def parts() -> Iterator[tuple[str, SoniConfig, Iterable[Labelled], datetime]]:
    """Every development set with its assistant; the final parts are left alone."""
    for example in ("banking", "restaurant"):
        config = load_config(ROOT / "examples" / example / "domain")
        for path in sorted((HERE / "own").glob(f"{example}.*.dev*.jsonl")):
            yield path.stem, config, read_labelled(path, config), NOW
    for name in SPANISH:
        config = load_config(HERE / "spanish" / name / "domain")
        yield name, config, read_labelled(HERE / "spanish" / f"{name}.dev.jsonl", config), NOW
    config = load_config(HERE / "gym" / "domain")
    for language in ("en", "es"):
        yield f"gym.{language}", config, read_labelled(HERE / "gym" / f"gym.{language}.jsonl", config), NOW
    if not (DATA / "sgd").exists():
        return
    data = Dialogues(DATA / "sgd")
    for kind, items in (("starts", data.starts()), ("values", data.values()), ("verdicts", data.verdicts())):
        of_service: dict[str, list[Labelled]] = {}
        for service, one in items:
            of_service.setdefault(service, []).append(one)
        for service, some in of_service.items():
            drawn = random.Random(1).sample(some, min(OF_A_SERVICE, len(some)))
            yield f"sgd.{kind}.{service}", data.services[service], drawn, SGD_NOW


def _meant(command: dict[str, Any], config: SoniConfig, now: datetime) -> dict[str, Any]:
    """A command with its value as the slot would hold it: "for 3" and "3" are the same number of people."""
    slot = config.slots.get(command.get("slot", ""))
    if slot is not None and isinstance(command.get("value"), str):
        reading = config.reading(config.settings.language, now)
        with suppress(ValueError):
            return {**command, "value": slot.value_type.dump(slot.value_type.coerce(command["value"], reading))}
    return command


def predictions() -> dict[str, Any]:
    """What is understood of each message, by set and place."""
    found = {}
    for name, config, labelled, now in parts():
        predicted = understood(config, labelled, now)
        for place, one in enumerate(predicted):
            commands = [_meant(command.dump(), config, now) for command in one.understood.commands]
            found[f"{name}:{place}"] = {"message": one.labelled.message, "commands": commands}
        print(f"{name}: {len(predicted)} messages", flush=True)
    return found


def main() -> None:
    """Write or compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["write", "compare"])
    parser.add_argument("file", type=Path)
    chosen = parser.parse_args()
    now = json.loads(json.dumps(predictions(), ensure_ascii=False, default=str))
    if chosen.what == "write":
        chosen.file.write_text(json.dumps(now, ensure_ascii=False, indent=0), encoding="utf-8")
        return
    before = json.loads(chosen.file.read_text(encoding="utf-8"))
    different = [key for key in before if before[key] != now.get(key)]
    for key in different:
        print(f"{key}: {before[key]['message']}\n  before {before[key]['commands']}\n  now    {now[key]['commands']}")
    print(f"{len(different)} of {len(before)} messages are understood otherwise")


if __name__ == "__main__":
    main()
