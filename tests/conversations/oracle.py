"""Whether a conversation with corrections ends where a fresh one ends that is told the final values."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Protocol

from soni.core.commands import CorrectSlot, StartFlow
from tests.conversations.changing_minds import FOUND, MOST_TRIES, GivenUp, Mind, Person, Pick
from tests.conversations.form import Form
from tests.conversations.generated_forms import LAST, Choices, written_form
from tests.conversations.standing import Different, Talk

MOST_TURNS = 60


class Assistant(Protocol):
    """What people talk to."""

    def somebody_new(self) -> Talk:
        """A new conversation."""


@dataclass(frozen=True)
class Event:
    """Something that happens on the way."""

    turn: int
    kind: str
    """correct, early, aside or repeat."""
    picks: list[Pick]
    beside: int
    """Whether the open question is answered, too: 1 before the corrections, 2 after them."""


@dataclass(frozen=True)
class Example:
    """A form, what somebody likes, and what happens on the way."""

    form: Form
    taste: list[int]
    events: list[Event]

    def __repr__(self) -> str:
        return f"\n{self.form}\ntaste {self.taste}\n" + "\n".join(map(str, self.events))


def example(choices: Choices, most: int = 3) -> Example:
    """Any form, and any changes of mind."""
    form = written_form(choices, most)
    taste = [choices.below(10) for _ in range(7)]
    events = [_event(choices) for _ in range(1 + choices.below(3))]
    return Example(form, taste, sorted(events, key=lambda event: event.turn))


def _event(choices: Choices) -> Event:
    kinds = ["correct", "correct", "correct", "correct", "correct", "early", "early", "aside", "repeat"]
    kind = kinds[choices.below(len(kinds))]
    turn, beside = choices.below(12), [0, 0, 1, 2][choices.below(4)]
    ways = ["correct", "set", "clear", "empty"]
    picks = [
        (choices.below(12), ways[choices.below(4)], choices.below(10)) for _ in range([1, 1, 2, 3][choices.below(4)])
    ]
    return Event(turn, kind, picks, beside)


async def converse(person: Person, events: list[Event], told: dict[str, int]) -> None:
    """Answer until the form has ended; things happen on the way, or before the last yes."""
    await person.start(told)
    coming = list(events)
    for turn in range(MOST_TURNS):
        if person.how_it_ended:
            return
        aside = person.now.flow == "aside"
        if coming and not aside and (coming[0].turn <= turn or person.now.step == LAST):
            await _happen(person, coming.pop(0))
        elif over := _overruled(person):
            await person.say(CorrectSlot(slot=over, value=person.mind.over[over]))
        else:
            await _answer(person)
    if person.fresh:
        raise Different("told at once what was said in the end, the form does not come to its end")
    raise GivenUp


async def _happen(person: Person, event: Event) -> None:
    match event.kind:
        case "correct":
            await person.correct(event.picks, event.beside)
        case "early":
            await person.say_early(event.picks[0][0], event.picks[0][2])
        case "aside":
            await person.say(StartFlow(flow="aside"))
        case _:
            await person.repeat()


def _overruled(person: Person) -> str | None:
    """Something that a step has decided, and that this person wants otherwise."""
    main = person.now.main
    return next((slot for slot in person.mind.over if main.get(slot, FOUND) < FOUND), None)


async def _answer(person: Person) -> None:
    if person.tries > MOST_TRIES:
        raise GivenUp
    before = person.now
    await person.say(person.answer())
    if person.fresh and (before.slot in person.errors or (person.refused and person.now == before)):
        raise Different("the final values are refused when they are told at once")


async def ends_alike(example: Example, assistant: Assistant, count: Counter[str] | None = None) -> None:
    """Different, with the conversations, unless it ends where a fresh one does."""
    count = Counter() if count is None else count
    people: dict[str, Person] = {}
    try:
        await _compare(example, assistant, people, count)
    except Different as difference:
        logs = [f"{name}:\n" + "\n".join(person.log) for name, person in people.items()]
        raise Different("\n".join([str(difference), repr(example), *logs])) from None
    finally:
        for person in people.values():
            count["turns"] += len(person.log)


async def _compare(example: Example, assistant: Assistant, people: dict[str, Person], count: Counter[str]) -> None:
    form, taste = example.form, example.taste
    one = people["with corrections"] = Person(form, taste, assistant.somebody_new())
    try:
        await converse(one, example.events, {})
    except GivenUp:
        count["given up"] += 1
        return
    finally:
        count["corrections"] += one.corrected
        count["refused"] += one.refusals
    if one.how_it_ended == "for a person":
        count["for a person"] += 1
        return
    count["compared"] += 1
    done_before = len(one.talk.done) - (one.how_it_ended == "done")
    count["with something done on the way"] += done_before > 0
    early = one.mind.early
    final = _known(one.end.main, early)
    told = {
        slot: value for slot, value in early.items() if slot not in form.slots["main"] or _is_in(value, one.end.main)
    }

    async def another(name: str, told: dict[str, int]) -> None:
        over = {slot: value for slot, value in final.items() if slot[0] == "p" and value >= FOUND}
        over = {slot: value for slot, value in over.items() if slot not in form.repeated and slot in form.slots["main"]}
        mind = Mind(dict(one.mind.answers), over, dict(one.mind.places))
        two = people[name] = Person(form, taste, assistant.somebody_new(), mind)
        await converse(two, [], told)
        _same("ended", one.how_it_ended, two.how_it_ended)
        _same("done", one.talk.done, two.talk.done)
        if one.how_it_ended == "done":
            _same("slots", final, _known(two.end.main, early))
            _same("confirmation", one.end.prompt, two.end.prompt)

    await another("fresh", told)
    if not done_before:
        there = set(final.values())
        answers = one.mind.answers.items()
        at_once = {place[1]: value for place, value in answers if _is_free(place) and value in there}
        if len(at_once) > 1:
            await another("fresh, told in the first message", at_once | told)


def _is_free(place: Any) -> bool:
    """Whether something can be told before anything is asked: it is the main flow's, and outside of loops."""
    return place[0] == () and place[2] == () and place[1][0] in "asg"


def _is_in(value: int, slots: dict[str, Any]) -> bool:
    return any(value - 1 <= other <= value for other in slots.values() if type(other) is int and other >= FOUND)


def _known(slots: dict[str, Any], early: dict[str, int]) -> dict[str, Any]:
    return {slot: value for slot, value in slots.items() if slot not in early}


def _same(what: str, one: object, two: object) -> None:
    if one != two:
        raise Different(f"{what}: {one}; fresh: {two}")
