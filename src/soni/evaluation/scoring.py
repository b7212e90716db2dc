"""Predicted commands against labelled ones: exact messages, per command, slots, flows, and what it all cost."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import pairwise
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any

from soni.core.commands import (
    CancelFlow,
    ChitChat,
    Clarify,
    Command,
    CorrectSlot,
    HumanHandoff,
    OutOfScope,
    ResumeFlow,
    SetSlot,
    StartFlow,
)
from soni.core.readable_text import readable_text
from soni.core.values.phrase import fold
from soni.du.understanding import Understood, Usage, spent
from soni.errors import SoniError
from soni.evaluation.labelled import label_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime

    from soni.config.models import SoniConfig
    from soni.du.context import DialogueContext
    from soni.du.understanding import Found, Understanding
    from soni.evaluation.labelled import Labelled

Meaning = tuple[Any, ...]
"""What a command comes to: commands of the same meaning do the same."""

NEARLY = 0.8
"""How alike two values must be for a lenient count."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """A labelled message and what was made of it."""

    labelled: Labelled
    context: DialogueContext
    understood: Understood
    seconds: float

    @property
    def expected(self) -> tuple[Meaning, ...]:
        return meanings(self.labelled.commands, self.context)

    @property
    def predicted(self) -> tuple[Meaning, ...]:
        return meanings(self.understood.commands, self.context)

    @property
    def exact(self) -> bool:
        """Whether the commands come to the same: the values in any order, the rest in spoken order."""
        expected, predicted = _ordered(self.expected), _ordered(self.predicted)
        return expected == predicted or expected == _ordered(as_help(self.predicted, self.expected))

    @property
    def line(self) -> dict[str, Any]:
        """The labelled line with what was understood, as predictions are written."""
        predicted = [
            {
                **label_of(found.command),
                "from": found.words or self.labelled.message,
                "confidence": round(found.confidence, 3),
                "evidence": found.evidence,
            }
            for found in self.understood.found
        ]
        return {**self.labelled.line, "predicted": predicted, "exact": self.exact, "by": self.understood.by}


async def predict(
    understanding: Understanding,
    labelled: Iterable[Labelled],
    config: SoniConfig,
    *,
    now: datetime | None = None,
    done: Callable[[], None] = lambda: None,
) -> list[Prediction]:
    """Have an understanding read labelled messages, one after the other."""
    predictions = []
    for one in labelled:
        context = one.context(config, now=now)
        began = time.perf_counter()
        try:
            understood = await understanding.understand(readable_text(one.message), context)
        except SoniError as error:
            understood = Understood((), by=f"failed: {error}", usage=spent(error))
        predictions.append(Prediction(one, context, understood, time.perf_counter() - began))
        done()
    return predictions


def meanings(commands: Sequence[Command], context: DialogueContext) -> tuple[Meaning, ...]:
    """What commands come to, so that two ways of saying the same count as the same."""
    found: list[Meaning] = []
    for command in commands:
        match command:
            case SetSlot(slot=slot, value=value) | CorrectSlot(slot=slot, value=value):
                found.append(("slot", slot, _canonical(slot, value, context)))
            case StartFlow(flow=flow, slots=slots):
                found.append(("resume" if flow in context.paused_flows else "start", flow))
                found += [("slot", slot, _canonical(slot, value, context)) for slot, value in slots.items()]
            case ResumeFlow(flow=flow):
                found.append(("resume", flow or next(iter(context.paused_flows[::-1]), None)))
            case CancelFlow(flow=flow):
                found.append(("cancel_flow", None if flow in context.chain else flow))
            case Clarify(options=options):
                found.append(("clarify", frozenset(options)))
            case ChitChat(topic=topic):
                found.append(("chit_chat", topic))
            case HumanHandoff():
                found.append(("human_handoff",))  # why is for people to read
            case _:
                found.append((command.name, *command.model_dump(mode="json").values()))
    return tuple(found)


def as_help(predicted: Sequence[Meaning], expected: Sequence[Meaning]) -> tuple[Meaning, ...]:
    """What was understood, an explanation counted as help where the label asks for that and says no more."""
    if ("help",) not in expected:
        return tuple(predicted)
    return tuple(("help",) if meaning[0] == "explain" else meaning for meaning in predicted)


def _canonical(slot: str, value: Any, context: DialogueContext) -> Any:
    declared = context.slots.get(slot)
    if value is None or declared is None:
        return value
    kind = declared.value_type
    try:
        read = kind.dump(kind.coerce(value, context.reading))
    except ValueError:
        try:
            read = kind.dump(kind.parse(str(value), context.reading))
        except ValueError:
            read = value
    return fold(read) if isinstance(read, str) else _frozen(read)


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple(sorted((key, _frozen(item)) for key, item in value.items()))
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value


def _ordered(found: tuple[Meaning, ...]) -> tuple[Any, ...]:
    slots = frozenset(one for one in found if one[0] == "slot")
    return tuple(one for one in found if one[0] != "slot"), slots


def nearly(one: Any, other: Any) -> bool:
    """Whether two values are the same but for a few letters or words more or less."""
    if one == other:
        return True
    if not isinstance(one, str) or not isinstance(other, str) or not one or not other:
        return False
    few, many = sorted((set(one.split()), set(other.split())), key=len)
    return few <= many or SequenceMatcher(a=one, b=other, autojunk=False).ratio() >= NEARLY


@dataclass(slots=True)
class Tally:
    """Right, wrongly found and missed."""

    right: int = 0
    extra: int = 0
    missed: int = 0

    @property
    def precision(self) -> float:
        return self.right / (self.right + self.extra) if self.right + self.extra else 0.0

    @property
    def recall(self) -> float:
        return self.right / (self.right + self.missed) if self.right + self.missed else 0.0

    @property
    def f1(self) -> float:
        return 2 * self.right / (2 * self.right + self.extra + self.missed) if self.right else 0.0

    @property
    def labelled(self) -> int:
        return self.right + self.missed


@dataclass(slots=True)
class Scores:
    """What a run of predictions comes to."""

    messages: int
    exact: int
    commands: dict[str, Tally]
    """By the kind of command."""
    slots: Tally
    slots_lenient: Tally
    flows: Tally
    """Messages that start something, by whether the right flows were started."""
    confusions: list[tuple[str, str, int]]
    """Flow meant, what was understood, how often."""
    median_ms: float
    p99_ms: float
    usage: Usage
    failed: int
    """Messages that could not be read at all."""
    out_of_scope_auroc: float | None
    """How well confidence tells what the assistant is for from what it is not for."""
    reliability: list[tuple[float, float, int, int]] = field(default_factory=list)
    """Confidence from and to, how many commands had it, and how many of those were right."""
    misses: list[Prediction] = field(default_factory=list)

    @property
    def accuracy(self) -> float:
        return self.exact / self.messages if self.messages else 0.0

    def as_json(self) -> dict[str, Any]:
        """The figures for another program."""
        return {
            "messages": self.messages,
            "exact": round(self.accuracy, 4),
            "commands": {
                name: {
                    "labelled": tally.labelled,
                    "precision": round(tally.precision, 4),
                    "recall": round(tally.recall, 4),
                    "f1": round(tally.f1, 4),
                }
                for name, tally in self.commands.items()
            },
            "slot_f1": round(self.slots.f1, 4),
            "slot_f1_lenient": round(self.slots_lenient.f1, 4),
            "flow_accuracy": round(self.flows.recall, 4),
            "out_of_scope_auroc": None if self.out_of_scope_auroc is None else round(self.out_of_scope_auroc, 4),
            "reliability": [
                {"from": low, "to": high, "commands": count, "right": right}
                for low, high, count, right in self.reliability
            ],
            "failed": self.failed,
            "confusions": [{"meant": meant, "understood": got, "times": n} for meant, got, n in self.confusions],
            "latency_ms": {"median": round(self.median_ms, 2), "p99": round(self.p99_ms, 2)},
            "model": {
                "calls": self.usage.calls,
                "calls_per_message": round(self.usage.calls / self.messages, 4) if self.messages else 0.0,
                "prompt_tokens": self.usage.prompt_tokens,
                "completion_tokens": self.usage.completion_tokens,
            },
        }


def scored(predictions: Sequence[Prediction]) -> Scores:
    """Count what was right."""
    commands: dict[str, Tally] = {}
    slots, lenient, flows = Tally(), Tally(), Tally()
    confusions: Counter[tuple[str, str]] = Counter()
    for prediction in predictions:
        expected, predicted = prediction.expected, prediction.predicted
        for name in dict.fromkeys(one[0] for one in (*expected, *predicted)):
            _count(commands.setdefault(name, Tally()), _of(expected, name), _of(predicted, name), _exactly)
        _count(slots, _of(expected, "slot"), _of(predicted, "slot"), _exactly)
        _count(lenient, _of(expected, "slot"), _of(predicted, "slot"), _leniently)
        meant = tuple(one[1] for one in expected if one[0] == "start")
        if meant:
            got = tuple(one[1] for one in predicted if one[0] == "start")
            flows.right += meant == got
            flows.missed += meant != got
            if meant != got:
                instead = " + ".join(got) or " + ".join(str(one[0]) for one in predicted) or "nothing"
                confusions[" + ".join(meant), instead] += 1
    times = [prediction.seconds * 1000 for prediction in predictions] or [0.0]
    usages = [prediction.understood.usage for prediction in predictions]
    return Scores(
        messages=len(predictions),
        exact=sum(prediction.exact for prediction in predictions),
        commands=dict(sorted(commands.items(), key=lambda item: -item[1].labelled)),
        slots=slots,
        slots_lenient=lenient,
        flows=flows,
        confusions=[(*pair, times_) for pair, times_ in confusions.most_common()],
        median_ms=median(times),
        p99_ms=quantiles(times, n=100)[98] if len(times) > 1 else times[0],
        usage=sum(usages, Usage()),
        failed=sum(prediction.understood.by.startswith("failed") for prediction in predictions),
        out_of_scope_auroc=_auroc(predictions),
        reliability=_reliability(predictions),
        misses=[prediction for prediction in predictions if not prediction.exact],
    )


def _of(found: Iterable[Meaning], name: str) -> list[Meaning]:
    return [one for one in found if one[0] == name]


def _exactly(one: Meaning, other: Meaning) -> bool:
    return one == other


def _leniently(one: Meaning, other: Meaning) -> bool:
    return one[1] == other[1] and nearly(one[2], other[2])


def _count(
    tally: Tally, expected: list[Meaning], predicted: list[Meaning], same: Callable[[Meaning, Meaning], bool]
) -> None:
    left = list(predicted)
    for meant in expected:
        hit = next((one for one in left if same(meant, one)), None)
        if hit is None:
            tally.missed += 1
        else:
            left.remove(hit)
            tally.right += 1
    tally.extra += len(left)


_BINS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)


def _reliability(predictions: Sequence[Prediction]) -> list[tuple[float, float, int, int]]:
    """How often commands of some confidence are right: what is said with 0.9 should be right nine times in ten."""
    seen = [(found.confidence, is_right) for one in predictions for found, is_right in _judged(one)]
    bins = []
    for low, high in pairwise(_BINS):
        some = [is_right for sure, is_right in seen if low <= sure < high or (sure == high == 1.0)]
        if some:
            bins.append((low, high, len(some), sum(some)))
    return bins


def _judged(prediction: Prediction) -> Iterator[tuple[Found, bool]]:
    """What was found, each with whether it was meant."""
    expected = prediction.expected
    for found in prediction.understood.found:
        yield found, all(one in expected for one in meanings((found.command,), prediction.context))


def _auroc(predictions: Sequence[Prediction]) -> float | None:
    """How often something in scope is trusted more than something out of scope, over all pairs."""
    inside, outside = [], []
    for prediction in predictions:
        if any(isinstance(command, OutOfScope) for command in prediction.labelled.commands):
            outside.append(trust(prediction.understood))
        elif any(isinstance(command, StartFlow) for command in prediction.labelled.commands):
            inside.append(trust(prediction.understood))
    if not inside or not outside:
        return None
    ranked = sorted([(value, True) for value in inside] + [(value, False) for value in outside])
    return _rank_sum(ranked, len(inside), len(outside))


def _rank_sum(ranked: list[tuple[float, bool]], inside: int, outside: int) -> float:
    total, first = 0.0, 0
    while first < len(ranked):
        last = first
        while last + 1 < len(ranked) and ranked[last + 1][0] == ranked[first][0]:
            last += 1
        rank = (first + last) / 2 + 1  # equal values share their rank
        total += rank * sum(is_inside for _, is_inside in ranked[first : last + 1])
        first = last + 1
    return (total - inside * (inside + 1) / 2) / (inside * outside)


def trust(understood: Understood) -> float:
    """How sure it is that the message asks for something this assistant does."""
    starts = [found.confidence for found in understood.found if isinstance(found.command, StartFlow | Clarify)]
    if starts:
        return max(starts)
    outs = [1 - found.confidence for found in understood.found if isinstance(found.command, OutOfScope)]
    return outs[0] if outs else 0.5
