"""An understanding may be anybody's code: whatever it answers, the conversation goes on."""

from __future__ import annotations

import asyncio
import itertools
from typing import TYPE_CHECKING, Any

import pytest

from soni.core.commands import ChitChat, Command, OutOfScope, SetSlot, StartFlow
from soni.du.understanding import MAX_COMMANDS, Found, UnderstandingFailed, Understood, Usage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from soni.du.context import DialogueContext
    from tests.conftest import Assistant, Talk

TRIP = """
    slots: {city: {type: text}, days: {type: integer}}
    flows:
      book: {steps: [{collect: city, message: "Where to?"}, {collect: days, message: "How long?"}, {say: "Booked."}]}
      weather: {steps: [{say: "Sunny."}]}
"""


class Answering:
    """An understanding that answers what it is given, or raises it."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    async def understand(self, message: str, context: DialogueContext) -> Understood:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer  # type: ignore[no-any-return]  # a malformed answer has no type


def rome(**fields: Any) -> Found:
    """A command that would be right, with something wrong about it."""
    return Found(**{"command": SetSlot(slot="city", value="Rome"), **fields})


def endless() -> Iterator[Command]:
    return (SetSlot(slot="city", value=number) for number in itertools.count())


def cyclic() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


MALFORMED: dict[str, Any] = {
    "none": None,
    "no Understood": "Rome",
    "a list of found": Understood([rome()], by="x"),  # type: ignore[arg-type]
    "a generator of found": Understood((Found(one) for one in endless()), by="x"),  # type: ignore[arg-type]
    "commands that are not wrapped": Understood((SetSlot(slot="city", value="Rome"),), by="x"),  # type: ignore[arg-type]
    "a command that is a dict": Understood((rome(command={"type": "cancel_flow"}),), by="x"),
    "a confidence in words": Understood((rome(confidence="high"),), by="x"),
    "a confidence that is not a number": Understood((rome(confidence=float("nan")),), by="x"),
    "a confidence above one": Understood((rome(confidence=7),), by="x"),
    "a confidence below zero": Understood((rome(confidence=-0.1),), by="x"),
    "a second reading that is no text": Understood((rome(runner_up=7),), by="x"),
    "a second confidence above one": Understood((rome(runner_up_confidence=7),), by="x"),
    "a confidence that is missing": Understood((rome(confidence=None),), by="x"),
    "evidence that is no text": Understood((rome(evidence=["Rome"]),), by="x"),
    "words that are no text": Understood((rome(words=object()),), by="x"),
    "words that cannot be stored": Understood((rome(words="\ud800"),), by="x"),
    "more evidence than anybody reads": Understood((rome(evidence="x" * 1_000_000),), by="x"),
    "a value that never ends": Understood((rome(command=SetSlot(slot="city", value=endless())),), by="x"),
    "a value that holds itself": Understood((rome(command=SetSlot(slot="city", value=cyclic())),), by="x"),
    "a value of a megabyte": Understood((rome(command=SetSlot(slot="city", value="x" * 1_000_000)),), by="x"),
    "an author that is no text": Understood((rome(),), by=3),  # type: ignore[arg-type]
    "a language that is an empty list": Understood((rome(),), by="x", language=[]),  # type: ignore[arg-type]
    "a language that is no text": Understood((rome(),), by="x", language=["en"]),  # type: ignore[arg-type]
    "no usage": Understood((rome(),), by="x", usage=None),  # type: ignore[arg-type]
    "usage that is a tuple": Understood((rome(),), by="x", usage=(1, 2)),  # type: ignore[arg-type]
    "usage in words": Understood((rome(),), by="x", usage=Usage(calls="many")),  # type: ignore[arg-type]
    "usage below zero": Understood((rome(),), by="x", usage=Usage(prompt_tokens=-1)),
    "usage beyond measure": Understood((rome(),), by="x", usage=Usage(completion_tokens=10**30)),
    "seconds that are not a number": Understood((rome(),), by="x", usage=Usage(seconds=float("nan"))),
    "seconds without end": Understood((rome(),), by="x", usage=Usage(seconds=float("inf"))),
    "an error with nonsense for its usage": UnderstandingFailed("down", "lots"),  # type: ignore[arg-type]
    "a cancellation that nobody asked for": asyncio.CancelledError(),
}


@pytest.mark.parametrize("answer", MALFORMED.values(), ids=MALFORMED)
async def test_b44_a_malformed_answer_falls_back_to_the_offline_reading(
    assistant: Assistant, talk: Talk, answer: Any
) -> None:
    understanding = Answering(Understood.of([StartFlow(flow="book")], by="x"))
    user = talk(assistant(TRIP), understanding=understanding)
    await user.say()
    understanding.answer = answer
    assert await user.say(text="Oslo") == ["How long?"]
    assert user.last is not None
    assert user.last.error is None
    assert user.last.explain.commands[0].by == "local, instead of one that failed"
    assert await user.slots() == {"city": "Oslo"}


async def test_a_turn_that_is_cancelled_while_it_is_understood_is_cancelled(assistant: Assistant, talk: Talk) -> None:
    reached = asyncio.Event()

    class Waiting:
        async def understand(self, message: str, context: DialogueContext) -> Understood:
            reached.set()
            await asyncio.Event().wait()
            raise AssertionError

    turn = asyncio.create_task(talk(assistant(TRIP), understanding=Waiting()).say())
    await reached.wait()
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn


@pytest.mark.parametrize("many", [1_000, None], ids=["a thousand", "without end"])
async def test_b44_of_very_many_commands_the_first_are_looked_at(
    assistant: Assistant, talk: Talk, many: int | None
) -> None:
    commands = itertools.chain([StartFlow(flow="book")], itertools.repeat(ChitChat(topic="thanks")))
    answer = Understood.of(itertools.islice(commands, many), by="x")
    user = talk(assistant(TRIP), understanding=Answering(answer))
    assert await user.say() == ["You are welcome.", "Where to?"]
    assert user.last is not None
    assert len(user.last.commands) == len(user.last.explain.commands) == MAX_COMMANDS
    dropped = [event for event in user.last.explain.events if event.event == "commands dropped"]
    assert [event.why for event in dropped] == [f"the answer holds more than {MAX_COMMANDS}; the rest is not looked at"]


async def test_as_many_commands_as_are_looked_at_drop_nothing(assistant: Assistant, talk: Talk) -> None:
    answer = Understood.of([OutOfScope()] * MAX_COMMANDS, by="x")
    user = talk(assistant(TRIP), understanding=Answering(answer))
    await user.say()
    assert user.last is not None
    assert "commands dropped" not in {event.event for event in user.last.explain.events}
