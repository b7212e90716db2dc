"""Fit confidence and look at thresholds on the development data: small assistants drawn from CLINC150 and SGD.

    python -m bench.understanding.calibrate

Each drawn assistant has a few flows; messages of its own flows are mixed with messages of others and with queries that
are out of scope. The fit is a logistic regression from similarity and lead to "the first flow is the right one"; the
printed weights are SURE in du/local/flows.py, the tables show what the thresholds in du/local/message.py cost.
"""

from __future__ import annotations

import random
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.understanding.public import Dialogues, few_shot, intents, lines
from bench.understanding.run import DATA
from soni.du.local.flows import FlowScorer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from soni import SoniConfig

Row = tuple[float, float, bool, bool]
"""Similarity, lead, whether the first flow is right, whether any is."""
_MOST_LEAD = 0.3


def rows() -> Iterator[Row]:
    """What the scorer says about messages to many small assistants."""
    draw = random.Random(5)
    train, held = lines(DATA / "clinc150" / "train.jsonl.gz"), lines(DATA / "clinc150" / "val.jsonl.gz")
    by: dict[str, list[str]] = defaultdict(list)
    for row in held:
        by[row["intent"]].append(row["text"])
    names = sorted(intent for intent in by if intent != "oos")
    for number in range(24):
        size, shots = (4, 6, 10, 20)[number % 4], (3, 5, 8)[number % 3]
        chosen = draw.sample(names, size)
        pool = [row for row in train if row["intent"] in chosen]
        said: list[tuple[str, str | None]] = [
            (text, intent) for intent in chosen for text in draw.sample(by[intent], max(2, 40 // size))
        ]
        others = draw.sample([name for name in names if name not in chosen], 25)
        said += [(text, None) for text in draw.sample(by["oos"], 15)] + [
            (draw.choice(by[name]), None) for name in others
        ]
        yield from _scored(intents(few_shot(pool, shots, number)), said)
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
    scorer = FlowScorer(config.flows, config.slots)
    for text, meant in said:
        ranked = scorer.ranked(text, list(config.flows))
        if len(ranked) > 1:
            lead = min(ranked[0].value - ranked[1].value, _MOST_LEAD)
            yield ranked[0].similar, lead, ranked[0].flow == meant, meant is not None


def fit(seen: Any, right: Any) -> Any:
    """The weights of a logistic regression, by Newton's method."""
    weights = np.zeros(seen.shape[1])
    for _ in range(50):
        guess = 1 / (1 + np.exp(-seen @ weights))
        curve = (seen * (guess * (1 - guess))[:, None]).T @ seen + 1e-4 * np.eye(len(weights))
        weights += np.linalg.solve(curve, seen.T @ (right - guess))
    return weights


def main() -> None:
    """Print the fit, how well it is calibrated, and what each threshold keeps and lets in."""
    data = list(rows())
    seen = np.array([(similar, lead, 1.0) for similar, lead, _, _ in data])
    right = np.array([float(is_right) for _, _, is_right, _ in data])
    inside = np.array([is_inside for _, _, _, is_inside in data])
    weights = fit(seen, right)
    sure = 1 / (1 + np.exp(-seen @ weights))
    print(f"{len(data)} messages; similarity, lead, base: {np.round(weights, 2)}")
    print("confidence   messages   right")
    for low in np.arange(0, 1, 0.1):
        some = (sure >= low) & (sure < low + 0.1)
        if some.any():
            print(f"{low:.1f} to {low + 0.1:.1f}   {some.sum():8d}   {right[some].mean() * 100:4.0f} %")
    print("threshold    right ones kept    out of scope let in")
    for bar in (0.2, 0.3, 0.4, 0.5, 0.6, 0.7):
        kept, let_in = (sure[right == 1] >= bar).mean(), (sure[~inside] >= bar).mean()
        print(f"{bar:.1f}          {kept * 100:13.1f} %    {let_in * 100:17.1f} %")


if __name__ == "__main__":
    main()
