"""Fits the weights of the choice.

    python -m training.decide.fit SAMPLES… [--out src/soni/du/local/weights/decide.json]

A sample counts by the likelihood of its cheapest candidates and by what the others cost, times how likely they are.
Small weights are taken to be none. `--judge` fits on all assistants but some, and looks at those, in turn.
"""

from __future__ import annotations

import argparse
import json
import pickle
import random
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from training.decide.sample import Sample

STEPS = 300
SPARSE = 0.7
"""How much a weight must be worth to be kept."""
PACE = 0.05
"""How far a step goes; the features of a candidate move together, so a full step would go too far."""
SPREAD = 0.002
"""How much large weights are held back."""
AT_RISK = 0.3
"""How much the costs count beside the likelihood."""
FEWEST = 4
"""In how many samples a feature must be for it to have a weight."""
PARTS = {"sgd": 0.5, "tested": 6.0}
"""How much samples of a set count, by a part of its name, where not once: tests are what must hold."""
WITHOUT_READER = 0.4
"""How much messages count that were read without the trained reader though it knows their language."""


@dataclass
class Table:
    """Samples as arrays: a row a candidate."""

    names: list[str]
    columns: Any
    values: Any
    of_row: Any
    """The row of each value."""
    rows: Any
    """The first row of each sample."""
    owner: Any
    costs: Any
    weight: Any


def table(samples: Sequence[Sample], names: list[str]) -> Table:
    """The arrays of samples, for these features."""
    index = {name: number for number, name in enumerate(names)}
    columns, values, of_row, owner, costs, first = [], [], [], [], [], []
    row = 0
    for number, sample in enumerate(samples):
        first.append(row)
        for given, price in zip(sample.features, sample.costs, strict=True):
            known = [(index[name], value) for name, value in given.items() if name in index]
            columns += [column for column, _ in known]
            values += [value for _, value in known]
            of_row += [row] * len(known)
            owner.append(number)
            costs.append(price)
            row += 1
    weight = [worth(sample) for sample in samples]
    arrays = [np.array(column) for column in (of_row, first, owner, costs, weight)]
    return Table(names, np.array(columns), np.array(values, np.float32), *arrays)


def worth(sample: Sample) -> float:
    """How much a sample counts."""
    if "nothing~" in sample.features[-1] and ".pt" not in sample.part:
        return WITHOUT_READER
    return next((by for name, by in PARTS.items() if name in sample.part), 1.0)


def likely(scores: Any, data: Table) -> Any:
    """The likelihood of each row within its sample."""
    top = np.maximum.reduceat(scores, data.rows)
    raised = np.exp(scores - top[data.owner])
    return raised / np.add.reduceat(raised, data.rows)[data.owner]


def fit(data: Table, begin: Any = None, *, steps: int = STEPS, sparse: float = SPARSE) -> Any:
    """The weights by accelerated steps down the gradient, small ones taken to be none."""
    cheapest = np.minimum.reduceat(data.costs, data.rows)[data.owner]
    right = (data.costs <= cheapest + 1e-9).astype(float)
    extra = np.minimum(data.costs - cheapest, 30.0)
    count = data.weight[data.owner] * np.where(cheapest > 0, 0.5, 1.0)
    size = len(data.names)
    now = np.zeros(size) if begin is None else begin
    before = now
    squares = np.bincount(data.columns, (data.values**2) * count[data.of_row], size)
    pace = 6.0 / np.maximum(squares, 1.0)
    for step in range(steps):
        ahead = now + step / (step + 3) * (now - before)
        scores = np.bincount(data.of_row, ahead[data.columns] * data.values, len(data.owner))
        chance = likely(scores, data)
        of_right = np.add.reduceat(chance * right, data.rows)[data.owner]
        slope = chance - chance * right / np.maximum(of_right, 1e-9)
        risk = np.add.reduceat(chance * extra, data.rows)[data.owner]
        slope = (slope + AT_RISK * chance * (extra - risk)) * count
        held_back = SPREAD * ahead * len(data.rows) / 10
        slope_of = held_back + np.bincount(data.columns, data.values * slope[data.of_row], size)
        before, now = now, ahead - PACE * pace * slope_of
        now = np.sign(now) * np.maximum(np.abs(now) - PACE * pace * sparse, 0.0)
    return now


def judged(weights: Any, data: Table, samples: Sequence[Sample]) -> list[tuple[Sample, int, float]]:
    """The chosen candidate of each sample and how likely it was."""
    scores = np.bincount(data.of_row, weights[data.columns] * data.values, len(data.owner))
    chance = likely(scores, data)
    ends = [*data.rows[1:], len(data.owner)]
    found = []
    for sample, first, last in zip(samples, data.rows, ends, strict=True):
        best = int(np.argmax(chance[first:last]))
        found.append((sample, best, float(chance[first + best])))
    return found


def report(found: Sequence[tuple[Sample, int, float]], *, misses: str = "") -> None:
    """Exactness by set, wrong yeses, and how far likelihoods can be trusted."""
    by_part: dict[str, list[tuple[Sample, int, float]]] = defaultdict(list)
    for one in found:
        name = one[0].part
        by_part[".".join(name.split(".")[:2]) + (".decide" if "decide" in name else "")].append(one)
    for part, some in sorted(by_part.items()):
        right = np.mean([sample.costs[best] == 0 for sample, best, _ in some])
        able = np.mean([min(sample.costs) == 0 for sample, *_ in some])
        yes = sum(sample.costs[best] >= 30 for sample, best, _ in some)
        print(f"{part:26} {len(some):5}  right {right:6.1%}  of {able:6.1%}  wrong yes {yes}")
    for low in np.arange(0, 1, 0.1):
        some = [one for one in found if low <= one[2] < low + 0.1 + 1e-9]
        if some:
            right = np.mean([sample.costs[best] == 0 for sample, best, _ in some])
            print(f"  likelihood {low:.1f} to {low + 0.1:.1f}: {len(some):5} samples, right {right:.1%}")
    if misses:
        for sample, best, chance in found:
            if misses in sample.part and sample.costs[best] > 0:
                cheap = int(np.argmin(sample.costs))
                taken, wanted = sample.kinds[best], sample.kinds[cheap]
                print(f"{sample.part} | {sample.message} | {taken} {chance:.2f} | {wanted} {sample.costs[cheap]}")


def main() -> None:
    """Fit and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("samples", nargs="+", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--from", dest="begin", type=Path, help="weights to go on from")
    parser.add_argument("--judge", action="store_true")
    parser.add_argument("--misses", default="")
    parser.add_argument("--sparse", type=float, default=SPARSE)
    given = parser.parse_args()
    samples: list[Sample] = []
    for path in given.samples:
        samples += pickle.loads(path.read_bytes())  # noqa: S301  # written by training.decide.samples
    count: dict[str, int] = defaultdict(int)
    for sample in samples:
        for name in {name for row in sample.features for name in row}:
            count[name] += 1
    names = sorted(name for name, times in count.items() if times >= FEWEST)
    if given.judge:
        groups = sorted({sample.group for sample in samples})
        random.Random(1).shuffle(groups)
        found: list[tuple[Sample, int, float]] = []
        for fold in range(4):
            held = set(groups[fold::4])
            train = table([one for one in samples if one.group not in held], names)
            rest = [one for one in samples if one.group in held]
            found += judged(fit(train, sparse=given.sparse), table(rest, names), rest)
        report(found, misses=given.misses)
        return
    data = table(samples, names)
    known = json.loads(given.begin.read_text(encoding="utf-8"))["weights"] if given.begin else {}
    fitted = fit(data, np.array([known.get(name, 0.0) for name in names]), sparse=given.sparse)
    report(judged(fitted, data, samples), misses=given.misses)
    kept = {name: round(float(value), 3) for name, value in zip(names, fitted, strict=True) if abs(value) >= 0.005}
    print(f"{len(kept)} weights of {len(names)}")
    if given.out:
        given.out.write_text(json.dumps({"weights": kept}, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
