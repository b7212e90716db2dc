"""make bench-understanding: every measure of understanding in one table, and as JSON beside it.

The folder with the public sets is the environment's SONI_DATA, or ../shared/data beside the checkout; other splits
of the same form are taken where they are (test before dev). Thresholds were chosen on the development data only.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import random
import time
from collections import defaultdict
from dataclasses import replace
from datetime import datetime
from functools import cache
from pathlib import Path
from statistics import mean, median
from typing import TYPE_CHECKING, Any

from bench.understanding.public import Dialogues, asked_for, few_shot, intents, lines, split
from soni import SoniConfig, load_config
from soni.core.commands import AffirmConfirmation, CancelFlow, CorrectSlot, DenyConfirmation, SetSlot
from soni.core.values import TYPES, Reading
from soni.du.local.cues import Cues
from soni.du.local.model import WEIGHTS, loaded
from soni.du.local.reading import CueReader
from soni.du.local.understanding import LocalUnderstanding
from soni.du.local.verdicts import verdict
from soni.evaluation import Labelled, Place, predict, read_labelled, scored
from soni.evaluation.scoring import Tally

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from soni.evaluation import Prediction

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
DATA = Path(os.environ.get("SONI_DATA", ROOT.parent / "shared" / "data"))
NOW = datetime(2026, 11, 15, 12)
SGD_NOW = datetime(2019, 3, 1, 12)
SEEDS = 3
TENS = 8
SPANISH = ("clinica", "telefonia", "viajes")


class Table:
    """The figures, printed as they come."""

    def __init__(self) -> None:
        self.figures: dict[str, dict[str, Any]] = {}

    def add(self, measure: str, value: float, wanted: float | None, unit: str = "", note: str = "") -> None:
        self.figures[measure] = {"value": round(value, 4), "at_least": wanted, "unit": unit, "note": note}
        bar = "" if wanted is None else f"{wanted:g}"
        print(f"{measure:<58} {value:>8.2f}{unit:<3} {bar:>7}  {note}", flush=True)


def understood(config: SoniConfig, labelled: Iterable[Labelled], now: datetime = NOW) -> list[Prediction]:
    """What the offline understanding makes of messages."""
    return asyncio.run(predict(LocalUnderstanding(config), labelled, config, now=now))


def by_service(items: list[tuple[str, Labelled]], config: Callable[[str], SoniConfig], most: int) -> list[Prediction]:
    """The same for messages of several assistants, at most so many in all."""
    grouped: dict[str, list[Labelled]] = defaultdict(list)
    for service, one in random.Random(1).sample(items, min(most, len(items))):
        grouped[service].append(one)
    return [one for service, some in grouped.items() for one in understood(config(service), some, SGD_NOW)]


def choice(config: SoniConfig, labelled: Iterable[Labelled]) -> float:
    """How often the right flow comes first, whether it is near enough to be started or not."""
    local = LocalUnderstanding(config)
    local.warm()
    right = [
        bool(ranked := local.ranked(one.message, one.context(config, now=SGD_NOW)))
        and ranked[0] == one.commands[0].flow  # type: ignore[attr-defined]  # every label here is a start
        for one in labelled
    ]
    return mean(right) * 100


def dialogues(table: Table, most: int) -> None:
    """SGD: flows, slots, yes and no."""
    data = Dialogues(DATA / "sgd")
    starts = list(data.starts())
    grouped: dict[str, list[Labelled]] = defaultdict(list)
    for service, one in starts:
        grouped[service].append(one)
    own = [(choice(data.services[service], some), len(some)) for service, some in grouped.items()]
    share = sum(right * count for right, count in own) / len(starts)
    table.add("SGD, flow chosen, own service", share, 94, "%", f"{len(starts)} turns")
    table.add("SGD, flow chosen, all intents", choice(data.all, [one for _, one in starts]), 90, "%")
    alone = choice(data.all, [one for _, one in data.starts(alone=True)])
    table.add("the same, by the message alone", alone, None, "%", "nothing known of what was said before")
    started = scored(by_service(starts, lambda service: data.services[service], most))
    table.add("SGD, flow started, own service", started.flows.recall * 100, None, "%", "the same, thresholds included")
    slots = scored(by_service(list(data.values()), lambda service: data.services[service], most))
    strict = f"strict {slots.slots.f1 * 100:.1f}"
    table.add("SGD, slots said, F1 lenient", slots.slots_lenient.f1 * 100, None, "%", strict)
    unseen = [one for one in data.values() if one[0] in data.unseen]
    slots = scored(by_service(unseen, lambda service: data.services[service], most))
    names = ", ".join(sorted(data.unseen))
    table.add("SGD, unseen services, slots, F1 strict", slots.slots.f1 * 100, 86, "%", names)
    table.add("SGD, unseen services, slots, F1 lenient", slots.slots_lenient.f1 * 100, 88, "%")
    guessed = [one for one in data.values(told=False) if one[0] in data.unseen]
    slots = scored(by_service(guessed, lambda service: data.services[service], most))
    table.add("the same, the flow not told, F1 lenient", slots.slots_lenient.f1 * 100, 86, "%")
    tally = Tally()
    for prediction in by_service(list(data.verdicts()), lambda service: data.services[service], most):
        _count_verdict(tally, prediction)
    table.add("SGD, yes or no, F1 with false alarms", tally.f1 * 100, 97, "%", f"recall {tally.recall * 100:.1f}")


def _count_verdict(tally: Tally, one: Prediction) -> None:
    """A yes, a no, or neither; to call a confirmation off or to give a new value for it is a no to it."""
    meant = one.labelled.commands[0].name if one.labelled.commands else None
    kinds = {type(command) for command in one.understood.commands}
    got = None
    if AffirmConfirmation in kinds:
        got = AffirmConfirmation.name
    elif DenyConfirmation in kinds or (meant is not None and kinds & {CancelFlow, CorrectSlot, SetSlot}):
        got = DenyConfirmation.name
    tally.right += meant is not None and meant == got
    tally.extra += got is not None and meant != got
    tally.missed += meant is not None and meant != got


def examples(table: Table, most: int) -> None:
    """CLINC150 and BANKING77 with five examples an intent, over several draws."""
    train = lines(DATA / "clinc150" / "train.jsonl.gz")
    held = lines(split(DATA / "clinc150", "test.jsonl.gz", "val.jsonl.gz"))
    inside = [row for row in held if row["intent"] != "oos"]
    outside = [row for row in [*held, *train] if row["intent"] == "oos"]
    chosen, aurocs = [], []
    for seed in range(SEEDS):
        config = intents(few_shot(train, 5, seed))
        some = random.Random(seed).sample(inside, min(most, len(inside)))
        chosen.append(choice(config, asked_for(some)))
        aurocs.append(scored(understood(config, asked_for([*some, *outside]))).out_of_scope_auroc or 0.0)
    table.add("CLINC150, 5 examples a flow", mean(chosen), 88, "%", f"{SEEDS} draws")
    table.add("CLINC150, out-of-scope AUROC", mean(aurocs), 0.90)
    rows = lines(split(DATA / "banking77", "test.jsonl.gz", "train.jsonl.gz"))
    pool = lines(DATA / "banking77" / "train.jsonl.gz")
    chosen = []
    for seed in range(SEEDS):
        shots = few_shot(pool, 5, seed)
        seen = {text for texts in shots.values() for text in texts}
        rest = [row for row in rows if row["text"] not in seen]
        chosen.append(choice(intents(shots), asked_for(random.Random(seed).sample(rest, min(most, len(rest))))))
    table.add("BANKING77, 5 examples a flow", mean(chosen), 82, "%", f"{SEEDS} draws")
    names: dict[str, list[str]] = {row["intent"]: [] for row in pool}
    some = random.Random(1).sample(rows, min(most, len(rows)))
    table.add("BANKING77, names only", choice(intents(names), asked_for(some)), 65, "%")
    table.add(
        "ten flows of CLINC150, out-of-scope AUROC", mean(_tens(train, inside, outside)), 0.95, "", f"{TENS} draws"
    )


def _tens(train: list[dict[str, Any]], inside: list[dict[str, Any]], outside: list[dict[str, Any]]) -> Iterator[float]:
    """Small assistants of ten flows each: what they are for against what nobody's are."""
    names = sorted({row["intent"] for row in inside})
    for seed in range(TENS):
        ten = set(random.Random(seed).sample(names, 10))
        config = intents(few_shot([row for row in train if row["intent"] in ten], 5, seed))
        said = [row for row in inside if row["intent"] in ten] + random.Random(seed).sample(outside, 100)
        yield scored(understood(config, asked_for(said))).out_of_scope_auroc or 0.0


def own(table: Table) -> None:
    """Our own messages over the examples; the final third was never looked at."""
    wanted = {"en": 94, "es": 92}
    sets: dict[tuple[str, str], list[Path]] = {}
    for path in sorted((HERE / "own").glob("*.jsonl")):
        _, language, part, _ = path.name.split(".")
        sets.setdefault((language, part), []).append(path)
    for (language, part), paths in sorted(sets.items()):
        predictions = []
        for path in paths:
            config = load_config(ROOT / "examples" / path.name.partition(".")[0] / "domain")
            predictions += understood(config, read_labelled(path, config))
        scores = scored(predictions)
        note = f"{scores.messages} messages, slots F1 {scores.slots.f1 * 100:.1f}"
        bar = wanted.get(language) if part == "final" else None
        table.add(f"own, {language}, {part}, exactly right", scores.accuracy * 100, bar, "%", note)


def gym(table: Table) -> None:
    """A third assistant, written with its messages by somebody who had seen nothing of the others."""
    config = load_config(HERE / "gym" / "domain")
    for language in ("en", "es"):
        scores = scored(understood(config, read_labelled(HERE / "gym" / f"gym.{language}.jsonl", config)))
        note = f"{scores.messages} messages, slots F1 {scores.slots.f1 * 100:.1f}"
        table.add(f"gym, {language}, exactly right", scores.accuracy * 100, None, "%", note)


def spanish(table: Table) -> None:
    """Hand-written Spanish over three assistants that no model of ours saw; the final part is not looked at."""
    for part in ("dev", "final"):
        predictions, chosen = [], []
        for name in SPANISH:
            config = load_config(HERE / "spanish" / name / "domain")
            labelled = read_labelled(HERE / "spanish" / f"{name}.{part}.jsonl", config)
            predictions += understood(config, labelled)
            starts = [one for one in labelled if one.commands[0].name == "start_flow" and one.place.flow is None]
            chosen += [choice(config, [one]) for one in starts]
        scores = scored(predictions)
        is_final = part == "final"
        note = f"{scores.messages} messages, exactly right {scores.accuracy * 100:.1f}"
        lenient = scores.slots_lenient.f1 * 100
        table.add(f"Spanish, {part}, slots, F1 lenient", lenient, 85 if is_final else None, "%", note)
        table.add(f"Spanish, {part}, flow among ten", mean(chosen), 93 if is_final else None, "%")


def grammar(table: Table) -> None:
    """Values inside sentences: the first run of words that the reader takes for one."""
    for language, rows in value_rows().items():
        right = [wanted == read for wanted, read in (value_of(row, language) for row in rows)]
        bar = 97 if language in ("en", "es") else None
        table.add(f"value grammar, {language}", mean(right) * 100, bar, "%", f"{len(rows)} sentences")


@cache
def value_rows() -> dict[str, list[dict[str, Any]]]:
    """The sentences with a value each, by language; the file says which language that is."""
    paths = sorted((HERE / "values").glob("*.jsonl"))
    return {path.stem: [json.loads(line) for line in path.read_text("utf-8").splitlines()] for path in paths}


def value_of(row: dict[str, Any], language: str) -> tuple[Any, Any]:
    """The value of a sentence, and what is read by a reader that knows only that one of this type was asked for."""
    config = SoniConfig.model_validate(
        {
            "slots": {"value": {"type": row["type"]}},
            "flows": {"ask": {"steps": [{"step": "ask", "type": "collect", "slot": "value"}]}},
        }
    )
    kind = TYPES[row["type"]]()
    context = Labelled(row["message"], (), Place(flow="ask", task="collect", asked="value")).context(config, now=NOW)
    context = replace(context, reading=Reading(language, NOW, "EUR", "ES", tuple(value_rows())))
    try:
        wanted = kind.dump(kind.coerce(row["value"], context.reading))
    except ValueError:
        return row["value"], None  # months and years are no durations here: they differ in length
    if row["type"] == "boolean":
        said = verdict(row["message"], context.reading)
        return wanted, None if said is None else said.yes
    words = context.reading.words
    reader = CueReader(Cues(config.flows, config.slots, words), words)
    spans = reader.read(row["message"], {"value": config.slots["value"]}, context, asked="value")
    return wanted, kind.dump(kind.parse(spans[0].words, context.reading)) if spans else None


def latency(table: Table) -> None:
    """Fifty flows, one message at a time."""
    train = lines(DATA / "clinc150" / "train.jsonl.gz")
    shots = dict(list(few_shot(train, 5, 0).items())[:50])
    config = intents(shots)
    local = LocalUnderstanding(config)
    began = time.perf_counter()
    local.warm()
    table.add("local, start-up with 50 flows", (time.perf_counter() - began) * 1000, None, "ms")
    began = time.perf_counter()
    loaded(WEIGHTS)
    table.add("local, loading the model", (time.perf_counter() - began) * 1000, 1000, "ms", "at most")
    held = lines(split(DATA / "clinc150", "test.jsonl.gz", "val.jsonl.gz"))
    rows = [row for row in held if row["intent"] in shots][:300]
    predictions = asyncio.run(predict(local, asked_for(rows), config, now=NOW))
    times = sorted(one.seconds * 1000 for one in predictions)
    table.add("local, median a message, 50 flows", median(times), 40, "ms", "at most")
    table.add("local, p99 a message, 50 flows", times[int(len(times) * 0.99)], 80, "ms", "at most")


def cascade(table: Table) -> None:
    """How often a cascade would ask a model in the banking conversations."""
    from bench.understanding.conversations import asked_share

    share, turns = asyncio.run(asked_share())
    table.add("cascade, model calls a turn, banking", share, 0.3, "", f"at most; {turns} turns")


def main() -> None:
    """Run all measures, or those named on the command line."""
    most = int(os.environ.get("SONI_BENCH_MOST", "1500"))
    table = Table()
    parts: dict[str, Callable[[], None]] = {
        "grammar": lambda: grammar(table),
        "own": lambda: own(table),
        "gym": lambda: gym(table),
        "spanish": lambda: spanish(table),
        "cascade": lambda: cascade(table),
        "latency": lambda: latency(table),
        "examples": lambda: examples(table, most),
        "dialogues": lambda: dialogues(table, most),
    }
    parser = argparse.ArgumentParser(prog="bench.understanding.run", description=main.__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=f"one of {', '.join(parts)}; all, if none is named")
    wanted = parser.parse_args().parts or list(parts)
    if unknown := set(wanted) - set(parts):
        parser.error(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(parts)}")
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    print(f"{'measure':<58} {'value':>8}    {'wanted':>7}")
    for name in wanted:
        parts[name]()
    out = HERE / "results.json"
    out.write_text(json.dumps(table.figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
