"""Fit confidence and look at thresholds on the development data.

    python -m bench.understanding.calibrate

Small assistants are drawn from BANKING77 and SGD, each with messages of its own flows, of others and of nobody's; what
people wrote to the examples and to the Spanish assistants, without the final parts, counts as much as those together.
The fit is a logistic regression from similarity, lead and what the reader says to "the first flow is the right one",
once for English and once for other languages; the printed weights are SURE_READ and SURE_READ_ABROAD in
du/local/flows.py, the tables show what the thresholds in du/local/message.py cost.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.understanding.public import Dialogues, intents, lines
from bench.understanding.run import DATA, HERE, NOW, ROOT, SGD_NOW, SPANISH
from soni import load_config
from soni.core.commands import OutOfScope, StartFlow
from soni.du.local.assistant import Assistant
from soni.du.local.flows import MOST_LEAD, logit
from soni.du.local.message import Message
from soni.evaluation import Labelled, read_labelled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from soni import SoniConfig

OWN = 8.0
"""What a message to our own assistants counts beside one to an assistant drawn from a public set."""
BESIDE = 0.1
"""What a message in English counts where the fit is for other languages."""
STRANGE = 0.4
"""What a message of another assistant counts: people say less to an assistant that it is not for."""


@dataclass(frozen=True, slots=True)
class Row:
    """What is known of one message."""

    similar: float
    lead: float
    read: float
    outside: float
    is_right: bool
    is_inside: bool
    weight: float
    language: str


def rows() -> Iterator[Row]:
    """What the scorer says about messages to many small assistants."""
    draw = random.Random(5)
    banking, clinc = lines(DATA / "banking77" / "train.jsonl.gz"), lines(DATA / "clinc150" / "val.jsonl.gz")
    by: dict[str, list[str]] = defaultdict(list)
    for row in banking:
        by[row["intent"]].append(row["text"])
    strange = [row["text"] for row in clinc]
    for number in range(24):
        size, shots = (4, 6, 10, 20)[number % 4], (0, 3, 8)[number % 3]
        chosen = draw.sample(sorted(by), size)
        examples = {intent: draw.sample(by[intent], shots) for intent in chosen}
        seen = {text for texts in examples.values() for text in texts}
        said: list[tuple[str, str | None]] = [
            (text, intent)
            for intent in chosen
            for text in draw.sample([text for text in by[intent] if text not in seen], max(2, 40 // size))
        ]
        others = draw.sample([name for name in sorted(by) if name not in chosen], 15)
        said += [(draw.choice(by[name]), None) for name in others] + [(text, None) for text in draw.sample(strange, 25)]
        names = {intent: re.sub(r"\W+", "_", intent).strip("_") for intent in chosen}
        yield from _scored(intents(examples), [(text, names.get(intent or "")) for text, intent in said])
    dialogues = Dialogues(DATA / "sgd")
    starts = list(dialogues.starts())
    for service, config in dialogues.services.items():
        if len(config.flows) < 2:
            continue
        own = [one for name, one in starts if name == service]
        foreign = [one for name, one in starts if name.split("_")[0] != service.split("_")[0]]
        said = [(one.message, one.commands[0].flow) for one in draw.sample(own, min(40, len(own)))]  # type: ignore[attr-defined]  # every label here is a start
        said += [(one.message, None) for one in draw.sample(foreign, 20)]
        yield from _scored(config, said)


def _scored(config: SoniConfig, said: list[tuple[str, str | None]]) -> Iterator[Row]:
    assistant = Assistant(config)
    for text, meant in said:
        weight = 1.0 if meant is not None else STRANGE
        yield from _row(Message(text, Labelled(text, ()).context(config, now=SGD_NOW), assistant), meant, weight)


def _row(message: Message, meant: str | None, weight: float) -> Iterator[Row]:
    ranked = message.ranked(message.core)
    if len(ranked) > 1 and ranked[0].read is not None:
        lead = min(ranked[0].value - ranked[1].value, MOST_LEAD)
        language = message.context.reading.language
        right = ranked[0].flow == meant
        read, outside = logit(ranked[0].read), logit(ranked[0].outside)
        yield Row(ranked[0].similar, lead, read, outside, right, meant is not None, weight, language)


def own_rows() -> Iterator[Row]:
    """The same for what people wrote to our own assistants, where nothing was asked."""
    sets = [(HERE / "spanish" / name / "domain", HERE / "spanish" / f"{name}.dev.jsonl") for name in SPANISH]
    sets += [
        (ROOT / "examples" / example / "domain", HERE / "own" / f"{example}.{language}.{part}.jsonl")
        for example in ("banking", "restaurant")
        for language in ("en", "es")
        for part in ("dev", "dev2", "dev3")
    ]
    for folder, data in sets:
        config = load_config(folder)
        assistant = Assistant(config)
        for one in read_labelled(data, config):
            starts = [command.flow for command in one.commands if isinstance(command, StartFlow)]
            if one.place.flow or len(starts) > 1 or not (starts or isinstance(one.commands[0], OutOfScope)):
                continue
            context = one.context(config, now=NOW)
            now = context.reading
            reading = replace(now, language=assistant.language.of(one.message, now.language) or now.language)
            message = Message(one.message, replace(context, reading=reading), assistant)
            yield from _row(message, starts[0] if starts else None, OWN)


def fit(seen: Any, right: Any, weight: Any) -> Any:
    """The weights of a logistic regression, by Newton's method."""
    weights = np.zeros(seen.shape[1])
    for _ in range(50):
        guess = 1 / (1 + np.exp(-seen @ weights))
        curve = (seen * (weight * guess * (1 - guess))[:, None]).T @ seen + 1e-3 * np.eye(len(weights))
        weights += np.linalg.solve(curve, seen.T @ (weight * (right - guess)))
    return weights


def report(name: str, data: list[Row]) -> None:
    """Print the fit, how well it is calibrated, and what each threshold keeps and lets in."""
    seen = np.array([(row.similar, row.lead, row.read, row.outside, 1.0) for row in data])
    right, inside = (np.array([getattr(row, key) for row in data]) for key in ("is_right", "is_inside"))
    weight = np.array([row.weight for row in data])
    weights = fit(seen, right.astype(float), weight)
    sure = 1 / (1 + np.exp(-seen @ weights))
    fitted = np.round(weights, 2).tolist()
    print(f"\n{name}: {len(data)} messages; similarity, lead, flow read, outside read, base: {fitted}")
    print("confidence   messages   right")
    for low in np.arange(0, 1, 0.1):
        some = (sure >= low) & (sure < low + 0.1)
        if some.any():
            share = np.average(right[some], weights=weight[some]) * 100
            print(f"{low:.1f} to {low + 0.1:.1f}   {some.sum():8d}   {share:4.0f} %")
    print("threshold    right ones kept    out of scope let in    (of our own)")
    own = np.array([row.weight >= OWN for row in data])
    for bar in (0.2, 0.3, 0.4, 0.5, 0.6, 0.7):
        shares = [(sure[chosen] >= bar).mean() * 100 for chosen in (right, ~inside, right & own, ~inside & own)]
        print(
            f"{bar:.1f}          {shares[0]:13.1f} %    {shares[1]:17.1f} %    {shares[2]:.1f} % and {shares[3]:.1f} %"
        )


def main() -> None:
    """Fit for English and for other languages."""
    data = [*rows(), *own_rows()]
    report("English", [row for row in data if row.language == "en"])
    # There are few messages in other languages: the English ones count a little too.
    beside = [row if row.language != "en" else replace(row, weight=BESIDE * row.weight) for row in data]
    report("other languages", beside)


if __name__ == "__main__":
    main()
