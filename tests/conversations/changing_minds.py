"""Somebody who fills in forms and changes their mind, and who notices what goes wrong."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field
from typing import Any

from soni.core.commands import (
    AffirmConfirmation,
    ClearSlot,
    Command,
    CorrectSlot,
    DenyConfirmation,
    Repeat,
    SetSlot,
    Skip,
    StartFlow,
)
from tests.conversations.form import MANY, Form
from tests.conversations.generated_forms import LAST, PAY
from tests.conversations.standing import Different, Done, Standing, Talk, check_rules, shown_in

Rounds = tuple[tuple[str, int], ...]
Callers = tuple[tuple[str, str, Rounds], ...]
Place = tuple[Any, ...]
"""Where something is said: the flows that wait for this one, the slot or confirmation, the rounds, and how many things
were done before. What is said for a question still to come is kept under EARLY and its slot."""
Pick = tuple[int, str, int]
"""Which of the values said so far, what to do about it, and the last digit of the new value."""

EARLY, LEFT = "early", "left out"
CHANGED = "I have changed that."
ALREADY_DONE = "That has already been done, so I cannot change it any more."
FOUND = 1000
"""What steps find or compute is smaller than what people say."""
MOST_TRIES = 6
MOST_STORED = 100_000
assert MANY > MOST_TRIES


class GivenUp(Exception):
    """Somebody did not find a value that fits."""


@dataclass
class Mind:
    """What somebody would answer, wherever they are asked."""

    answers: dict[Place, Any] = field(default_factory=dict)
    over: dict[str, int] = field(default_factory=dict)
    """What they say once the assistant has decided something else."""
    places: dict[Any, Place] = field(default_factory=dict)
    """For each question, where its answer is kept."""
    serial: int = FOUND

    @property
    def early(self) -> dict[str, int]:
        """What was said for questions still to come."""
        return {place[1]: value for place, value in self.answers.items() if place[0] == EARLY}


class Person:
    """Somebody who has an answer for every question in its place, gives each value once, and changes their mind."""

    def __init__(self, form: Form, taste: list[int], talk: Talk, mind: Mind | None = None) -> None:
        self.form, self.taste, self.talk = form, taste, talk
        self.fresh = mind is not None
        """Whether they know from the start what they want."""
        self.mind = mind or Mind()
        self.words = {value: place for place, value in self.mind.answers.items()}
        self.now = Standing([], "", "", "")
        self.log: list[str] = []
        self.tries = 0
        self.errors: list[str] = []
        self.refused = False
        self.corrected = self.refusals = 0
        self.how_it_ended = ""
        self.end = self.now
        """Where the conversation stood when the last yes was said."""
        self._last: dict[Place, str] = {}
        self._answered: set[Any] = set()
        self._changing: dict[Place, Any] = {}
        """What is said in this very turn for something else that was said before."""
        self._doubts: dict[Place, Any] = {}
        self._deeds: set[Any] = set()
        self._told: dict[str, str] = {}
        self._decided = {name for name, on in form.depends.items() if on[0] in "citpr"}
        self._decided |= {name for on in self._decided for name in form.dependents(on)}

    # Where we are

    def rounds(self, at: int) -> Rounds:
        flow, step, rounds, slots = self.now.frames[at]
        loops = self.form.around.get((flow, step), ())
        return tuple((loop.name, slots.get(loop.counter, 0) if loop.counter else rounds[loop.name]) for loop in loops)

    @property
    def callers(self) -> Callers:
        if self.now.flow == "aside":
            return (("aside", "", ()),)
        frames = self.now.frames[:-1]
        return tuple((flow, step, self.rounds(at)) for at, (flow, step, _, _) in enumerate(frames))

    @property
    def place(self) -> Place:
        return (self.callers, self.now.slot or self.now.step, self.rounds(-1), len(self.talk.done))

    @property
    def question(self) -> Any:
        return (self.callers, self.now.step, self.rounds(-1))

    # What to say

    def new(self, last_digit: int) -> int:
        self.mind.serial += 10
        return self.mind.serial + last_digit % 10

    def taste_for(self, place: Any) -> int:
        return self.taste[zlib.crc32(repr(place).encode()) % len(self.taste)]

    def answer(self) -> Command:
        """What they say to the open question."""
        place, answers = self.place, self.mind.answers
        if self.fresh:
            place = self._recalled(place)
        self.mind.places[self.question] = place
        if self.now.kind == "confirm":
            answers.setdefault(place, "yes" if self.now.step == LAST or self.taste_for(place) else "no")
            return AffirmConfirmation() if answers[place] == "yes" else DenyConfirmation()
        slot, step = self.now.slot, self.now.step
        self._doubts.pop(place, None)
        another = self._last.setdefault(place, step) != step and self.taste_for((place, step)) % 2 == 1
        if not self.fresh and (place not in answers or self.tries or another):
            self._last[place] = step
            leaves = slot[0] == "m" and self.now.frames and (self.rounds(-1)[-1][1] > 2)
            value = self.new(9 if leaves and not self.tries else self.taste_for(place) + self.tries)
            optional = self.form.nodes[self.now.flow, step].optional
            answers[place] = LEFT if optional and value % 3 == 0 else value
            self.words[value] = place
        value = answers[place]
        return Skip() if value == LEFT else SetSlot(slot=slot, value=value)

    def _recalled(self, place: Place) -> Place:
        """Where they have an answer for this, or something was not asked before that is asked now."""
        answers, mind = self.mind.answers, self.mind
        if self.now.slot in mind.over:
            answers[place] = mind.over[self.now.slot]  # said over what a step had found; now it finds nothing
        if place in answers:
            return place
        if self.question in mind.places and mind.places[self.question] in answers:
            return mind.places[self.question]  # it was answered when less had been done
        callers, slot, rounds, done = place
        outer = [(callers[:n], slot, callers[n][2]) for n in reversed(range(len(callers)))]
        for theirs in [(callers, slot, rounds), *outer]:
            for before in range(done, -1, -1):
                if (*theirs, before) in answers:  # said when less was done, or to a flow that calls this one
                    return (*theirs, before)
        if (EARLY, slot) in answers:  # said before something that it does not fit had changed
            return (EARLY, slot)
        raise Different(f"{self.now.prompt} is asked of somebody who says at once what was said in the end")

    def can_change(self) -> list[tuple[str, int]]:
        """What can be corrected, each slot with its value."""
        values = self.now.values
        return sorted(
            (s, v)
            for s, v in values.items()
            if s.split("_")[0] not in ("c", "i", "t", "y", "mark", "x") and s != self.now.slot
        )

    def word(self, value: int) -> int | None:
        """What was said for a value; a step may have rounded it."""
        return next((said for said in (value, value + 1) if said in self.words), None)

    def decides(self, slot: str) -> bool:
        """Whether a step may give this slot another value than a person says."""
        return any(name[0] == "p" for name in self.form.linked[slot])

    def at_home(self, slot: str) -> bool:
        """Whether the slot is the main flow's alone, and has one value in the whole conversation."""
        form = self.form
        return form.linked[slot] == {slot} and slot in form.slots["main"] and slot not in form.repeated

    def corrections(self, picks: list[Pick]) -> list[Command]:
        """Commands that change some of what was said, which is kept as what was meant from the start."""
        commands: list[Command] = []
        slots: set[str] = set()
        places: set[Place] = set()
        answers = self.mind.answers
        for which, how, last_digit in picks:
            can = [(slot, value) for slot, value in self.can_change() if slot not in slots]
            if not can:
                break
            slot, value = can[which % len(can)]
            slots.add(slot)
            decides = self.decides(slot)
            if decides and len(picks) > 1 and not self.at_home(slot):
                continue  # what a person says outright counts more than what an action finds in the same turn
            said, new = self.word(value), self.new(last_digit)
            kind = SetSlot if how == "set" else CorrectSlot if how == "correct" else None
            if said is None:
                if decides and self.at_home(slot) and kind and len(self.now.frames) == 1:
                    commands.append(kind(slot=slot, value=new))
                continue
            place = self.words[said]
            if answers.get(place) != said or place in places:
                continue
            places.add(place)
            if kind:
                answers[place] = new
                self.words[new] = place
                commands.append(kind(slot=slot, value=new))
            elif place[0] != EARLY:
                answers[place] = LEFT if how == "clear" and slot[0] == "o" else new
                self.words[new] = place
                commands.append(ClearSlot(slot=slot) if how == "clear" else CorrectSlot(slot=slot))
        return commands

    async def correct(self, picks: list[Pick], beside: int) -> None:
        """Change some of what was said, perhaps with an answer to what is open before it or after it."""
        before = dict(self.mind.answers)
        commands = self.corrections(picks)
        if not commands:
            return
        changed = {place for place, value in self.mind.answers.items() if before.get(place, value) != value}
        self._changing = {place: before[place] for place in changed}
        if beside and not (self.now.slot and self.decides(self.now.slot) and not self.at_home(self.now.slot)):
            answer = self.answer()
            if self.place in self.mind.answers:
                before[self.place] = self.mind.answers[self.place]
            commands = [answer, *commands] if beside == 1 else [*commands, answer]
        self.corrected += 1
        await self.say(*commands)
        if self.refused:
            self.refusals += 1
            self.mind.answers = before
        self._changing = {}

    async def say_early(self, which: int, last_digit: int) -> None:
        """Say something for a flow that is still to be called, or for a question still to come."""
        form, known = self.form, {self.now.slot, *self.now.values, *(place[1] for place in self.mind.answers)}
        slots = [s for s in sorted(form.asked_once - form.repeated - known) if s[0] == "a" and s not in form.depends]
        if self.now.flow != "main":
            slots = [s for s in slots if s in form.slots[self.now.flow]]
        if not slots:
            return
        slot, value = slots[which % len(slots)], self.new(last_digit)
        place = (EARLY, slot) if self.now.flow == "main" else (self.callers, slot, (), len(self.talk.done))
        self.mind.answers[place] = value
        self.words[value] = place
        await self.say(SetSlot(slot=slot, value=value))
        if self.refused:
            self.mind.answers.pop(place, None)

    # What comes of it

    async def start(self, slots: dict[str, int]) -> None:
        """Begin the form with what is told at once."""
        await self.say(StartFlow(flow="main", slots=slots))

    async def repeat(self) -> None:
        """Ask for the question again: nothing else may happen."""
        before = self.now
        said = await self.say(Repeat())
        if said != [before.prompt] or self.now != before:
            raise Different(f"after {before.prompt}, 'say that again' was answered with {said}")

    async def say(self, *commands: Command) -> list[str]:
        """Say something, and look at what comes of it."""
        before, done = self.now, len(self.talk.done)
        place = self.question if before.kind else None
        said = await self.talk.say(*commands)
        state = await self.talk.state()
        self.now = Standing.of(state)
        self.errors = [text[1:] for text in said if text.startswith("!")]
        self.refused = ALREADY_DONE in said
        self.tries = self.tries + 1 if self.errors or self.refused else 0
        self.log.append(f"  {', '.join(written(command) for command in commands)}\n      {' | '.join(said)}")
        if len(json.dumps(state)) > MOST_STORED:
            raise Different("the state has become very large")
        check_rules(self.form, self.now)
        self._check_deeds(before, place, self.talk.done[done:], commands)
        self._check_end(before, len(self.talk.done) > done, commands)
        self._check_refusal(before, commands)
        self._check_sayings(said)
        self._check_question(before, place, commands)
        if self.errors and not self.refused:
            self._doubts |= {place: old for place, old in self._changing.items() if self._names(place) & self._wrong()}
        self._drop_early(before)
        self._settle_doubts()
        return said

    def _wrong(self) -> set[str]:
        return {name for slot in self.errors for name in self.form.linked.get(slot, {slot})}

    def _names(self, place: Place) -> set[str]:
        return self.form.linked.get(place[1], {place[1]})

    def _settle_doubts(self) -> None:
        """A new value that a rule has refused leaves the old one, and that is known once one of them is seen."""
        seen = {self.word(value) for value in self.now.values.values()}
        for place, old in list(self._doubts.items()):
            if self.mind.answers.get(place) in seen:
                del self._doubts[place]
            elif old in seen:
                self.mind.answers[place] = self._doubts.pop(place)

    def _drop_early(self, before: Standing) -> None:
        """What was said early and is refused now is gone, unless something older stands in its place."""
        seen = {self.word(value) for value in self.now.values.values()}
        for slot in self._wrong() - {before.slot}:
            place = (EARLY, slot)
            if place in self.mind.answers and place not in self._doubts and self.mind.answers[place] not in seen:
                del self.mind.answers[place]

    def _check_deeds(self, before: Standing, place: Any, deeds: list[Done], commands: tuple[Command, ...]) -> None:
        if not deeds:
            return
        if len(deeds) > 1:
            raise Different(f"one yes, and several things are done: {deeds}")
        if before.kind != "confirm" or AffirmConfirmation() not in commands:
            raise Different(f"done without a yes: {deeds}")
        shown = shown_in(before.prompt)
        for name, value in deeds[0][1]:
            if shown.get(name) != value:
                raise Different(f"done with {name}={value}, which was not confirmed: {before.prompt}")
        if self.errors and not self.refused and len(commands) > 1:
            raise Different("done with a yes that came with a change which was refused")
        if (place, deeds[0][0]) in self._deeds:
            raise Different(f"done twice: {deeds[0]}")
        self._deeds.add((place, deeds[0][0]))

    def _check_end(self, before: Standing, acted: bool, commands: tuple[Command, ...]) -> None:
        if self.now.frames:
            return
        self.end = before
        if self.talk.done and self.talk.done[-1][0] == f"main_{PAY}":
            self.how_it_ended = "done"
        elif DenyConfirmation() in commands and before.kind == "confirm":
            self.how_it_ended = "denied"
        elif acted:
            self.how_it_ended = "for a person"  # what was done breaks a rule on what it was done with
        else:
            raise Different("the form has ended early")

    def _check_refusal(self, before: Standing, commands: tuple[Command, ...]) -> None:
        changes = all(isinstance(command, CorrectSlot | ClearSlot) for command in commands)
        if self.refused and changes and self.now != before:
            raise Different("a refused correction has changed something")

    def _check_sayings(self, said: list[str]) -> None:
        """What was told once is not told again, unless something in it has changed."""
        for text in said:
            flow, _, rest = text.partition(".")
            at = (flow, rest.partition(":")[0])
            if (
                flow == "main"
                and at in self.form.nodes
                and self.form.nodes[at].kind == "say"
                and not self.form.around[at]
            ):
                if self._told.get(at[1]) == text:
                    raise Different(f"told again: {text}")
                self._told[at[1]] = text

    def _check_question(self, before: Standing, place: Any, commands: tuple[Command, ...]) -> None:
        """What was answered and not taken back is not asked again."""
        gone = self._wrong() | self._decided
        for command in commands:
            match command:
                case Skip():
                    self._answered.add((place, before.slot))
                case SetSlot(slot=slot) | CorrectSlot(slot=slot) | ClearSlot(slot=slot):
                    if slot == before.slot:
                        self._answered.add((place, slot))
                    gone |= {name for same in self.form.linked.get(slot, {slot}) for name in self.form.dependents(same)}
                    gone |= self.form.linked.get(slot, {slot}) if getattr(command, "value", None) is None else set()
        self._answered = {(at, slot) for at, slot in self._answered if slot not in gone}
        if self.now.kind != "collect" or self.now.flow == "aside":
            return
        here = (self.question, self.now.slot)
        if self.refused:
            self._answered.discard(here)
        if here in self._answered and self.now.slot[0] in "abolwms":
            raise Different(f"answered, and asked again: {self.now.prompt}")


def written(command: Command) -> str:
    """A command as it would be written in a test."""
    data = command.dump()
    return f"{type(command).__name__}({', '.join(f'{k}={v!r}' for k, v in data.items() if k != 'type')})"
