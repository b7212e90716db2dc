"""Labelled messages with all their candidates: what the choice is fitted on.

    python -m training.decide.samples OUT [--unread] [--only PART]

`--unread` reads without the trained reader, as messages in other languages are read.
"""

from __future__ import annotations

import argparse
import pickle
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bench.understanding import frozen
from bench.understanding.run import NOW, ROOT

from soni import load_config
from soni.core.readable_text import readable_text
from soni.du.local.assistant import Assistant
from soni.du.local.decide.candidates import candidates
from soni.du.local.decide.scorer import features, place
from soni.du.local.message import Message
from soni.du.local.understanding import MOST_READ
from soni.du.local.words import content
from soni.evaluation import read_labelled
from training.decide.costs import cost
from training.decide.sample import Sample

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from soni import SoniConfig
    from soni.evaluation import Labelled

HERE = Path(__file__).parent
CONFIGS = {
    "banking": ROOT / "examples" / "banking" / "domain",
    "restaurant": ROOT / "examples" / "restaurant" / "domain",
    "gym": ROOT / "bench" / "understanding" / "gym" / "domain",
}
"""Assistants whose messages lie here too; the others are here themselves."""


def parts() -> Iterator[tuple[str, SoniConfig, list[Labelled], datetime]]:
    """Every labelled development message there is, by set."""
    for name, config, labelled, now in frozen.parts():
        yield name, config, list(labelled)[:: 3 if name.startswith("sgd") else 1], now
    for path in sorted((HERE / "messages").glob("*.jsonl")):
        name = path.stem.split(".")[0]
        config = load_config(CONFIGS.get(name) or HERE / "assistants" / name / "domain")
        yield f"{path.stem}.decide", config, list(read_labelled(path, config)), NOW


def read(part: str, config: SoniConfig, labelled: list[Labelled], now: datetime, *, unread: bool) -> list[Sample]:
    """The samples of one set."""
    assistant = Assistant(config)
    assistant.warm()
    if unread:
        assistant.reader = None
    found = []
    for one in labelled:
        context = one.context(config, now=now)
        asked = context.slots.get(context.asked or "")
        text = readable_text(one.message).strip()
        if not content(text) or (asked is not None and asked.sensitive):
            continue
        language = assistant.language.of(text, context.reading.language)
        if language is not None:
            context = replace(context, reading=replace(context.reading, language=language))
        message = Message(text[:MOST_READ], context, assistant, whole=len(text) <= MOST_READ)
        where, some = place(message), [each for each in candidates(message) if each.found]
        costs = [cost(one.commands, [found.command for found in each.found], context, part=part) for each in some]
        given = tuple({name: value for name, value in features(each, where) if value} for each in some)
        found.append(Sample(part, one.message, tuple(each.kind for each in some), given, tuple(costs)))
    return found


def _read(wanted: str, unread: bool) -> list[Sample]:
    return next(
        read(part, config, labelled, now, unread=unread) for part, config, labelled, now in parts() if part == wanted
    )


def main() -> None:
    """Read every set and write its samples."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--unread", action="store_true")
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    began, names = time.time(), [part for part, *_ in parts()]
    numbers = [number for number, name in enumerate(names) if given.only in name]
    numbers = [number for number in numbers if not (given.unread and names[number].startswith("sgd"))]
    samples: list[Sample] = []
    with ProcessPoolExecutor(2) as pool:
        jobs = [pool.submit(_read, names[number], given.unread) for number in numbers]
        for job, number in zip(jobs, numbers, strict=True):
            samples += job.result()
            print(f"{names[number]}: {len(samples)} samples, {time.time() - began:.0f} s", flush=True)
    given.out.write_bytes(pickle.dumps(samples))


if __name__ == "__main__":
    main()
