"""soni eval: an understanding on labelled messages, in figures."""

from __future__ import annotations

import asyncio
import json
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from soni.cli.check import examine, problem_line
from soni.du.configured import configured_understanding
from soni.errors import SoniError
from soni.evaluation import predict, read_labelled, scored
from soni.evaluation.labelled import label_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from soni.config.models import SoniConfig
    from soni.evaluation import Labelled, Prediction, Scores

KINDS = ("local", "llm", "cascade")
_MOST_CONFUSIONS = 8


def run_eval(
    config_path: Path,
    data: Sequence[Path],
    *,
    understanding: str | None,
    compare: str | None,
    predictions: Path | None,
    now: datetime | None,
    misses: int,
    as_json: bool,
    fail_under: float | None,
) -> int:
    """Read the labelled messages, run the understandings, print the figures; 1 if they are below the bar."""
    out, err = Console(soft_wrap=True, highlight=False), Console(stderr=True, soft_wrap=True, highlight=False)
    examined = examine(config_path, None)
    if examined.config is None or examined.errors:
        for problem in examined.errors:
            err.print(problem_line(problem))
        return 1
    config = examined.config
    first = understanding or config.settings.understanding
    try:
        labelled = [one for path in data for one in read_labelled(path, config)]
        if not labelled:
            err.print("There is no labelled message in the data.")
            return 1
        runs = {first: _run(first, labelled, config, now, err)}
        if compare in KINDS and compare is not None:
            runs[compare] = _run(compare, labelled, config, now, err)
    except SoniError as error:
        err.print(Text.assemble(("error: ", "red"), str(error)))
        return 1
    if predictions is not None:
        lines = [json.dumps(one.line, ensure_ascii=False, default=str) for one in runs[first]]
        predictions.write_text("\n".join(lines) + "\n", encoding="utf-8")
    figures = {kind: scored(run) for kind, run in runs.items()}
    report = {kind: scores.as_json() for kind, scores in figures.items()}
    if compare is not None and compare not in KINDS:
        try:
            report[compare] = _earlier(compare)
        except (OSError, ValueError, KeyError) as error:
            err.print(Text.assemble(("error: ", "red"), f"{compare} is no report of 'soni eval --json': {error}"))
            return 1
    if as_json:
        print(json.dumps(report if len(report) > 1 else report[first], ensure_ascii=False, indent=2))  # noqa: T201  # the output is for a program
    else:
        out.print(_table(report))
        _details(out, figures[first], misses)
    return int(fail_under is not None and figures[first].accuracy * 100 < fail_under)


def _run(
    kind: str, labelled: list[Labelled], config: SoniConfig, now: datetime | None, err: Console
) -> list[Prediction]:
    if kind != "local" and config.settings.llm is None:
        raise SoniError(f"'{kind}' needs a model: write 'llm: {{model: …}}' under settings.")
    reader = configured_understanding(config, kind)
    if hasattr(reader, "warm"):
        reader.warm()  # so that the first message does not pay for the others
    progress = Progress(console=err, transient=True) if err.is_terminal else None
    with progress or nullcontext():
        task = progress.add_task(kind, total=len(labelled)) if progress else None

        def done() -> None:
            if progress is not None and task is not None:
                progress.advance(task)

        return asyncio.run(predict(reader, labelled, config, now=now, done=done))


def _earlier(path: str) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
    _ = report["exact"], report["commands"]
    return report


def _table(report: dict[str, dict[str, Any]]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    for kind in report:
        table.add_column(kind, justify="right")
    runs = list(report.values())

    def row(name: str, *values: object) -> None:
        table.add_row(name, *(str(value) for value in values))

    row("messages", *(run["messages"] for run in runs))
    row("exactly right", *(_percent(run["exact"]) for run in runs))
    row("flow chosen", *(_percent(run["flow_accuracy"]) for run in runs))
    row("slots, F1", *(_percent(run["slot_f1"]) for run in runs))
    row("slots, F1 lenient", *(_percent(run["slot_f1_lenient"]) for run in runs))
    if any(run["out_of_scope_auroc"] is not None for run in runs):
        row(
            "out of scope, AUROC",
            *(run["out_of_scope_auroc"] if run["out_of_scope_auroc"] is not None else "–" for run in runs),
        )
    row("median / p99, ms", *(f"{run['latency_ms']['median']} / {run['latency_ms']['p99']}" for run in runs))
    row("model calls a message", *(run["model"]["calls_per_message"] for run in runs))
    row("tokens in / out", *(f"{run['model']['prompt_tokens']} / {run['model']['completion_tokens']}" for run in runs))
    if any(run.get("failed") for run in runs):
        row("not understood: failed", *(run.get("failed", 0) for run in runs))
    row("")
    for name in dict.fromkeys(name for run in runs for name in run["commands"]):
        tallies = [run["commands"].get(name) for run in runs]
        cells = [f"{_percent(tally['f1'])} of {tally['labelled']}" if tally else "–" for tally in tallies]
        row(f"{name}, F1", *cells)
    return table


def _percent(share: float) -> str:
    return f"{share * 100:.1f}"


def _details(out: Console, scores: Scores, misses: int) -> None:
    out.print("\nHow sure it was of a command, and how often that was right:")
    for low, high, count, right in scores.reliability:
        out.print(f"  {low:.2f} to {high:.2f}   {count:6d}   {right / count * 100:5.1f} %", markup=False)
    if scores.confusions:
        out.print("\nFlows taken for something else:")
        for meant, got, times in scores.confusions[:_MOST_CONFUSIONS]:
            out.print(f"  {meant} → {got}" + (f" ({times} times)" if times > 1 else ""), markup=False)
    if scores.misses and misses:
        out.print(f"\nThe first {min(misses, len(scores.misses))} of {len(scores.misses)} that are not right:")
        for miss in scores.misses[:misses]:
            meant = json.dumps(
                [label_of(command) for command in miss.labelled.commands], ensure_ascii=False, default=str
            )
            got = json.dumps(
                [label_of(command) for command in miss.understood.commands], ensure_ascii=False, default=str
            )
            out.print(f"  {miss.labelled.message}\n    means      {meant}\n    understood {got}", markup=False)
