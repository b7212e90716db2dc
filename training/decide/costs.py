"""What a mistake costs: the table that the choice is fitted with."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from soni.core.commands import CancelFlow, CorrectSlot, DenyConfirmation
from soni.evaluation.scoring import meanings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from soni.core.commands import Command
    from soni.du.context import DialogueContext

WRONG = {
    "affirm_confirmation": 30.0,  # pays, books, deletes: what nobody wanted is done
    "slot": 4.0,  # a wrong value, which an action may be done with
    "restart": 4.0,
    "cancel_flow": 3.0,  # what was said so far is lost
    "start": 2.0,
    "human_handoff": 2.0,
    "deny_confirmation": 2.0,
    "resume": 1.5,
    "skip": 1.5,
}
"""The cost of a command that is not meant, by what it comes to."""
OTHER = 1.0
"""The cost of any other: a needless question, a word too many."""
MISSED = 1.0
"""The cost of a command that is meant and not there."""


LABELLED = {
    "sgd.starts": frozenset(["start", "resume", "clarify", "out_of_scope"]),
    "sgd.values": frozenset(["slot"]),
    "sgd.verdicts": frozenset(["affirm_confirmation", "deny_confirmation"]),
}
"""What the labels of some sets are about; of anything else in a message they say nothing."""


def cost(
    expected: Sequence[Command], predicted: Sequence[Command], context: DialogueContext, *, part: str = ""
) -> float:
    """What it costs to take a message for some commands; nothing if they are what is meant."""
    about = LABELLED.get(".".join(part.split(".")[:2]))
    if part.startswith("sgd.verdicts") and any(isinstance(one, CorrectSlot | CancelFlow) for one in predicted):
        predicted = [*predicted, DenyConfirmation()]  # a new value is labelled as a no there
    wanted, given = _counted(expected, context), _counted(predicted, context)
    if about is not None:
        wanted, given = (Counter({m: 1 for m in some if m[0] in about}) for some in (wanted, given))
    if ("help",) in wanted:  # what explains a question helps with it
        given = Counter({("help",) if meaning[0] == "explain" else meaning: n for meaning, n in given.items()})
    wrong = sum(WRONG.get(str(meaning[0]), OTHER) * n for meaning, n in (given - wanted).items())
    return wrong + MISSED * sum((wanted - given).values())


def _counted(commands: Sequence[Command], context: DialogueContext) -> Counter[tuple[object, ...]]:
    return Counter((meaning[0], *(repr(part) for part in meaning[1:])) for meaning in meanings(commands, context))
