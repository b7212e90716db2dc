"""Somebody who fills in forms and changes their mind, and who notices what they are asked or told twice."""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING, Any

from soni.config.models import CallStepConfig, CollectStepConfig
from soni.core.commands import (
    AffirmConfirmation,
    ClearSlot,
    Command,
    CorrectSlot,
    DenyConfirmation,
    SetSlot,
    Skip,
)
from soni.testing import Conversation
from tests.conversations.generated_forms import BY_NAME, actions_of, slot_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from soni import SoniConfig
    from soni.core.state import DialogueState, FlowContext, Passed

Key = tuple[tuple[str, str | None, tuple[tuple[str, int], ...], int], ...]
"""A step in its place: flow, step, rounds and which time, for every flow from the one the person started."""
Pick = tuple[int, str, int]
"""Which of the values said so far, what to do about it, and the new value."""

MOST_STORED = 100_000


def chains(state: DialogueState) -> list[list[FlowContext]]:
    """What the person started, each with the flows it called."""
    found: list[list[FlowContext]] = []
    for frame in state["flow_stack"]:
        if frame["entered_by"] == "call":
            found[-1].append(frame)
        else:
            found.append([frame])
    return found


def _prefix(frames: list[FlowContext]) -> Key:
    key: Key = ()
    for frame in frames:
        step, rounds = frame["current_step"], frame["rounds"]
        times = sum(passed["step"] == step and passed["rounds"] == rounds for passed in frame["trail"])
        key = (*key, (frame["flow_name"], step, tuple(sorted(rounds.items())), times))
    return key


def _keyed(flow: str, trail: list[Passed], prefix: Key) -> Iterator[tuple[Key, Passed]]:
    times: dict[Any, int] = {}
    for passed in trail:
        place = (passed["step"], tuple(sorted(passed["rounds"].items())))
        times[place] = times.get(place, -1) + 1
        yield (*prefix, (flow, *place, times[place])), passed


def _walk(flow: str, trail: list[Passed], prefix: Key) -> Iterator[tuple[Key, Passed]]:
    for key, passed in _keyed(flow, trail, prefix):
        yield key, passed
        if passed["inner"] is not None:
            yield from _walk(passed["inner"]["flow"], passed["inner"]["trail"], key)


def _everything_passed(state: DialogueState) -> dict[Key, Passed]:
    """What was passed, and then what lies ahead."""
    found: dict[Key, Passed] = {}
    for later in (False, True):
        for chain in chains(state):
            for n, frame in enumerate(chain):
                ahead = [passed for passed in frame["ahead"] if passed["inner"] or not passed["front"]]
                trail = [*frame["trail"], *(ahead if later else [])]
                found = dict(_walk(frame["flow_name"], trail, _prefix(chain[:n]))) | found
    return found


class Person:
    """Somebody who has an answer for every question in its place, and changes their mind."""

    def __init__(self, config: SoniConfig, taste: list[int]) -> None:
        self.config = config
        self.taste = taste
        self.user = Conversation(config, actions=actions_of(config))
        self.answers: dict[Key | str, Any] = {}
        self.taken_back: set[Key | str] = set()
        self.names = {name: slot_names(flow) for name, flow in config.flows.items()}

    def step(self, flow: str, step: str | None) -> Any:
        return self.config.flows[flow].plan[step or ""].step

    def choice(self, key: Key, slot: str, *, optional: bool) -> Any:
        kind = slot.rsplit("_", 1)[-1][0]
        value = self.taste[zlib.crc32(repr(slot if slot in BY_NAME else key).encode()) % len(self.taste)]
        if kind in "yw":
            return value != 3 if kind == "y" else value % 2 == 0
        if kind == "m" and key[-1][3] >= 2:
            return 0
        return None if optional and value == 2 else value

    def answer(self, state: DialogueState) -> Command:
        frame = state["flow_stack"][-1]
        step = self.step(frame["flow_name"], frame["current_step"])
        key = _prefix(chains(state)[-1])
        place = step.slot if step.slot in BY_NAME else key
        if place not in self.answers:
            self.answers[place] = self.choice(key, step.slot, optional=getattr(step, "optional", False))
        value = self.answers[place]
        if not isinstance(step, CollectStepConfig):
            return AffirmConfirmation() if value else DenyConfirmation()
        return Skip() if value is None else SetSlot(slot=step.slot, value=value)

    def origin(self, state: DialogueState, slot: str) -> tuple[Key, CollectStepConfig] | None:
        """The question that the present value of a slot answers."""
        frames = [(chain, n) for chain in reversed(chains(state)) for n in reversed(range(len(chain)))]
        chain, last = next((at for at in frames if slot in self.names[at[0][at[1]]["flow_name"]]), ([], -1))
        for n in range(last, -1, -1):
            found = self._origin(chain[n]["flow_name"], chain[n]["trail"], _prefix(chain[:n]), slot)
            if found is not None or n == 0:
                return found
            caller = chain[n - 1]
            slot = self.step(caller["flow_name"], caller["current_step"]).inputs.get(slot, slot)
            if slot not in self.names[caller["flow_name"]]:
                return None
        return None

    def _origin(self, flow: str, trail: list[Passed], prefix: Key, slot: str) -> tuple[Key, CollectStepConfig] | None:
        for key, passed in reversed(list(_keyed(flow, trail, prefix))):
            step = self.step(flow, passed["step"])
            if isinstance(step, CollectStepConfig) and step.slot == slot:
                return key, step
            inner = passed["inner"]
            if inner is not None and isinstance(step, CallStepConfig):
                theirs = {ours: name for name, ours in step.outputs.items()}.get(slot, slot)
                if theirs in self.names[inner["flow"]] and (
                    found := self._origin(inner["flow"], inner["trail"], key, theirs)
                ):
                    return found
        return None

    def value(self, state: DialogueState, slot: str) -> Any:
        owners = [f["flow_id"] for f in state["flow_stack"] if slot in self.names[f["flow_name"]]]
        owner = "_conversation" if slot == "g" else owners[-1]
        return state["flow_slots"].get(owner, {}).get(slot)

    def corrections(self, state: DialogueState, picks: list[Pick]) -> list[Command]:
        """Commands that change some of what was said, which is remembered as what was meant from the start."""
        commands: list[Command] = []
        task = state["_pending_task"]
        open_slot = task["slot"] if task is not None and task["type"] == "collect" else None
        changed: set[Key | str] = set()
        for which, how, number in picks:
            said = []
            for slot in sorted(set(self.config.slots) - {open_slot}):
                origin = self.origin(state, slot)
                place = None if origin is None else origin[1].slot if origin[1].slot in BY_NAME else origin[0]
                known = origin is not None and place in self.answers and place not in changed
                if origin and place and known and self.value(state, slot) == self.answers[place]:
                    said.append((slot, place, origin[1]))
            if not said:
                continue
            slot, place, step = said[which % len(said)]
            value: Any = number % 2 == 0 if step.slot.rsplit("_", 1)[-1][0] == "w" else number
            if len(picks) > 1 and how in ("set", "correct") and step.slot.rsplit("_", 1)[-1][0] == "p":
                continue  # what a person says outright counts more than what an action finds in the same turn
            changed.add(place)
            if how in ("set", "correct"):
                commands.append((SetSlot if how == "set" else CorrectSlot)(slot=slot, value=value))
            elif self.answers[place] is None:
                continue
            else:
                self.taken_back.add(place)
                commands.append(ClearSlot(slot=slot) if how == "clear" else CorrectSlot(slot=slot))
            self.answers[place] = None if how == "clear" and step.optional else value
        return commands

    async def say(self, *commands: Command) -> DialogueState:
        before = await self.user.state()
        await self.user.say(*commands)
        state = await self.user.state()
        assert self.user.last is not None
        assert self.user.last.error is None
        assert len(json.dumps(state)) < MOST_STORED
        assert state["flow_stack"], "the form has ended early"
        if before["flow_stack"]:
            passed = _everything_passed(before)
            self.check_questions(before, state, passed)
            self.check_sayings(state, passed)
        return state

    def check_questions(self, before: DialogueState, state: DialogueState, passed: dict[Key, Passed]) -> None:
        key = _prefix(chains(state)[-1])
        step = self.step(key[-1][0], key[-1][1])
        found_by_an_action = step.slot.rsplit("_", 1)[-1][0] == "p"
        if not isinstance(step, CollectStepConfig) or step.if_ is not None or found_by_an_action:
            return
        open_before = key == _prefix(chains(before)[-1])
        answered = key in passed and passed[key]["visit"] > 0 and not {key, step.slot} & self.taken_back
        assert open_before or not answered, f"{step.slot} was answered, and is asked for again"

    def check_sayings(self, state: DialogueState, passed: dict[Key, Passed]) -> None:
        assert self.user.last is not None
        new: list[tuple[str, str | None]] = []
        for key, entry in _everything_passed(state).items():
            if key not in passed or passed[key]["reads"] != entry["reads"]:
                new.append(key[-1][:2])
        steps = [ran for ran in self.user.last.explain.steps if ran.type == "say" and ran.flow != "aside"]
        ran = [(r.flow, r.step) for r in steps if not r.passed_over and not (r.why or "").startswith("skipped")]
        for said in set(ran):
            assert ran.count(said) <= new.count(said), f"{said} is said again though nothing in it has changed"
