"""Short replies to an open question: yes to a confirmation, a choice on or off its list, and "give me a moment".

    python -m bench.understanding.replies            the shares, by language
    python -m bench.understanding.replies --misses   each miss too, with what was understood

The messages of `replies_data/` were written by hand from the assistants' YAML alone, without knowledge of the
understanding's rules.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from bench.understanding.run import HERE, ROOT, SPANISH, understood
from soni import load_config
from soni.core.commands import Acknowledge, AffirmConfirmation, ChitChat, CorrectSlot, SetSlot, StartFlow
from soni.core.values.phrase import fold
from soni.evaluation import Labelled, Place
from soni.evaluation.labelled import label_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from soni import SoniConfig
    from soni.core.commands import Command
    from soni.du.context import DialogueContext
    from soni.evaluation import Prediction

DATA = HERE / "replies_data"
LANGUAGES = ("en", "es")
DOMAINS: dict[str, Path] = {
    "banking": ROOT / "examples" / "banking",
    "restaurant": ROOT / "examples" / "restaurant",
    "gym": HERE / "gym",
    **{name: HERE / "spanish" / name for name in SPANISH},
}
WAIT = "wait"
"""The name of the command that "give me a moment" comes to; where there is none, nothing is understood as it."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A message, its label, and what was made of it."""

    label: Any
    prediction: Prediction

    @property
    def commands(self) -> tuple[Command, ...]:
        return self.prediction.understood.commands

    @property
    def context(self) -> DialogueContext:
        return self.prediction.context

    @property
    def told(self) -> str:
        """The message with the question before it and what was understood, on a line."""
        labelled = self.prediction.labelled
        commands = json.dumps([label_of(command) for command in self.commands], ensure_ascii=False, default=str)
        asked = labelled.place.history[-1]["bot"]
        meant = f", not {self.label}" if isinstance(self.label, str) else ""
        return f"    {labelled.message!r} to {asked!r}: {commands}{meant}"


@cache
def assistant(name: str) -> SoniConfig:
    """One of the assistants the replies were said to."""
    return load_config(DOMAINS[name] / "domain")


def replies(kind: str, language: str, label: str) -> list[Reply]:
    """The messages of a file in its order, understood; `label` is the field that says what they mean."""
    path = DATA / f"{kind}.{language}.jsonl"
    rows: list[dict[str, Any]] = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    found: dict[int, Prediction] = {}
    for name in sorted({row["assistant"] for row in rows}):
        config = assistant(name)
        places = [place for place, row in enumerate(rows) if row["assistant"] == name]
        said = [_labelled(rows[place], config) for place in places]
        found |= dict(zip(places, understood(config, said), strict=True))
    return [Reply(row[label], found[place]) for place, row in enumerate(rows)]


def _labelled(row: dict[str, Any], config: SoniConfig) -> Labelled:
    place = Place.model_validate(row["context"])
    assert place.flow in config.flows, f"no flow {place.flow}"
    assert {*place.slots, *filter(None, [place.asked])} <= set(config.slots), f"a slot of {row['context']}"
    return Labelled(row["message"], (), place, row["language"], row)


def affirmed(reply: Reply) -> bool:
    """Whether there is a yes among what was understood."""
    return any(isinstance(command, AffirmConfirmation) for command in reply.commands)


def only_affirmed(reply: Reply) -> bool:
    """Whether there is a yes, and nothing beside it that would do anything."""
    return affirmed(reply) and not any(_matters(command, reply.context) for command in reply.commands)


def _matters(command: Command, context: DialogueContext) -> bool:
    """Whether a command beside a yes changes anything: small talk, or a value that is there already, does not."""
    match command:
        case AffirmConfirmation() | Acknowledge() | ChitChat():
            return False
        case SetSlot(slot=slot, value=value) | CorrectSlot(slot=slot, value=value):
            return not _held(slot, value, context)
        case StartFlow(flow=flow, slots=slots):
            return flow != context.active_flow or not all(_held(slot, slots[slot], context) for slot in slots)
        case _:
            return True


def _held(slot: str, value: Any, context: DialogueContext) -> bool:
    """Whether a slot has this very value."""
    if slot not in context.slots or slot not in context.filled:
        return False
    try:
        read: Any = context.slots[slot].value_type.coerce(value, context.reading)
    except ValueError:
        return False
    held = context.filled[slot]
    return fold(read) == fold(held) if isinstance(read, str) and isinstance(held, str) else bool(read == held)


def chosen(reply: Reply) -> str | None:
    """The option that the asked slot would be given in the end; a value that is no option is refused."""
    asked = reply.context.asked
    assert asked is not None, f"nothing was asked before {reply.prediction.labelled.message!r}"
    options = [option for slot, value in _values(reply.commands) if slot == asked and (option := _option(reply, value))]
    return options[-1] if options else None


def _values(commands: Sequence[Command]) -> Iterator[tuple[str, Any]]:
    for command in commands:
        match command:
            case SetSlot(slot=slot, value=value) | CorrectSlot(slot=slot, value=value):
                yield slot, value
            case StartFlow(slots=slots):
                yield from slots.items()


def _option(reply: Reply, value: Any) -> str | None:
    asked = reply.context.asked
    assert asked is not None
    try:
        return str(reply.context.slots[asked].value_type.coerce(value, reply.context.reading))
    except ValueError:
        return None


def waits(reply: Reply) -> bool:
    """Whether it was understood that the person needs a moment."""
    return any(command.name == WAIT for command in reply.commands)


def share(title: str, some: Sequence[Reply], is_right: Callable[[Reply], bool], *, misses: bool) -> None:
    """Print how many replies were taken rightly, and perhaps those that were not."""
    wrong = [reply for reply in some if not is_right(reply)]
    right = len(some) - len(wrong)
    print(f"  {title:<54} {right / len(some) * 100:6.1f}%  {right} of {len(some)}", flush=True)
    if misses:
        for reply in wrong:
            print(reply.told)


def confirmations(language: str, *, misses: bool) -> None:
    """Yeses that are taken for one, and what is none and is taken for one: of these there must be none."""
    said = replies("confirmations", language, "yes")
    share("a yes, taken for one and nothing else", [one for one in said if one.label], only_affirmed, misses=misses)
    others = [one for one in said if not one.label]
    wrong = [one for one in others if affirmed(one)]
    print(f"  {'not a yes, taken for one (must be 0)':<54} {len(wrong):6}   of {len(others)}", flush=True)
    for one in wrong:
        print(one.told)


def choices(language: str, *, misses: bool) -> None:
    """Choices that are not on the list, and those that are, said by what they mean."""
    said = replies("choices", language, "option")
    share("not on the list, and no option set", [one for one in said if not one.label], _is_none, misses=misses)
    share("on the list by meaning, the right option set", [one for one in said if one.label], _is_it, misses=misses)


def _is_none(reply: Reply) -> bool:
    return chosen(reply) is None


def _is_it(reply: Reply) -> bool:
    return bool(chosen(reply) == reply.label)


def hesitation(language: str, *, misses: bool) -> None:
    """People who need a moment, and those who only sound like it."""
    said = replies("hesitation", language, "wait")
    share("a moment asked for, understood as wait", [one for one in said if one.label], waits, misses=misses)
    others = [one for one in said if not one.label]
    share("only sounds like it, not understood as wait", others, lambda one: not waits(one), misses=misses)


def main() -> None:
    """Print the shares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--misses", action="store_true", help="list each miss with what was understood")
    misses: bool = parser.parse_args().misses
    for language in LANGUAGES:
        print(language)
        for part in (confirmations, choices, hesitation):
            part(language, misses=misses)


if __name__ == "__main__":
    main()
