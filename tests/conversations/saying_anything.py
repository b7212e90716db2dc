"""Somebody who says anything at all: no turn fails, no rule is broken, and nothing is done without a yes to it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from soni.core.commands import (
    Acknowledge,
    AffirmConfirmation,
    CancelFlow,
    ChitChat,
    ClearSlot,
    Command,
    CorrectSlot,
    DenyConfirmation,
    Help,
    HumanHandoff,
    OutOfScope,
    Repeat,
    Restart,
    ResumeFlow,
    SetSlot,
    Skip,
    StartFlow,
)
from tests.conversations.changing_minds import MOST_STORED, written
from tests.conversations.form import Form
from tests.conversations.generated_forms import Choices, written_form
from tests.conversations.oracle import Assistant
from tests.conversations.standing import Different, Done, Standing, check_rules, shown_in

T = TypeVar("T")

ODD: list[Any] = [None, "", "x", True, False, -1, 3.5, [], [1], {"a": 1}, 10**15]
"""Values that no form asks for."""
PLAIN: list[Command] = [
    AffirmConfirmation(),
    AffirmConfirmation(),
    DenyConfirmation(),
    Skip(),
    Repeat(),
    CancelFlow(),
    Acknowledge(),
    OutOfScope(),
    ChitChat(),
    Help(),
    ResumeFlow(),
    HumanHandoff(),
    Restart(),
]
MOST_TURNS = 14


@dataclass(frozen=True)
class Script:
    """A form, and for each turn whether the open question gets a good answer, and what else is said with it."""

    form: Form
    turns: list[tuple[int | None, list[Command]]]

    def __repr__(self) -> str:
        return f"\n{self.form}"


def script(choices: Choices) -> Script:
    """Any form, and anything said."""
    form = written_form(choices)
    slots = [*form.data["slots"], "nonsense"]
    turns = []
    for _ in range(4 + choices.below(MOST_TURNS - 3)):
        good = choices.below(100) if choices.below(5) else None
        turns.append((good, [_anything(choices, slots) for _ in range([0, 0, 1, 1, 2, 3][choices.below(6)])]))
    return Script(form, turns)


def _one_of(choices: Choices, options: Sequence[T]) -> T:
    return options[choices.below(len(options))]


def _anything(choices: Choices, slots: list[str]) -> Command:
    def value() -> Any:
        return choices.below(100) if choices.below(6) else _one_of(choices, ODD)

    slot = _one_of(choices, slots)
    match choices.below(8):
        case 0 | 1:
            return SetSlot(slot=slot, value=value())
        case 2 | 3:
            return CorrectSlot(slot=slot, value=value())
        case 4:
            return ClearSlot(slot=slot)
        case 5:
            told = {_one_of(choices, slots): value() for _ in range(choices.below(3))}
            return StartFlow(flow=_one_of(choices, ["main", "mid", "deep", "aside", "nonsense"]), slots=told)
        case _:
            return _one_of(choices, PLAIN)


async def is_safe(script: Script, assistant: Assistant, count: Counter[str] | None = None) -> None:
    """Different, with the conversation, unless all went well."""
    count = Counter() if count is None else count
    log: list[str] = []
    try:
        await _converse(script, assistant, log, count)
    except Different as difference:
        raise Different("\n".join([str(difference), repr(script), *log])) from None
    finally:
        count["turns"] += len(log)


async def _converse(script: Script, assistant: Assistant, log: list[str], count: Counter[str]) -> None:
    talk = assistant.somebody_new()
    now = Standing([], "", "", "")
    consent = Consent()
    for good, said in script.turns:
        commands = said if good is None else [_good_answer(now, good), *said]
        done = len(talk.done)
        consent.hear(now, commands)
        heard = await talk.say(*commands)
        log.append(f"  {', '.join(map(written, commands))}\n      {' | '.join(heard)}")
        state = await talk.state()
        now = Standing.of(state)
        for deed in talk.done[done:]:
            consent.use(deed)
            count["done"] += 1
        consent.show(now)
        check_rules(script.form, now)
        if any("{" in text for text in heard):
            raise Different("a text was not filled in")
        if len(json.dumps(state)) > MOST_STORED:
            raise Different("the state has become very large")
        if (now.kind == "") != (now.frames == []) and state["person"] is None:
            raise Different("a flow is open, and nothing is asked" if now.frames else "something is asked by no flow")


def _good_answer(now: Standing, value: int) -> Command:
    """What a person would say to get on."""
    match now.kind:
        case "collect":
            return SetSlot(slot=now.slot, value=value)
        case "confirm":
            return AffirmConfirmation() if value % 10 else DenyConfirmation()
        case "inform":
            return Acknowledge()
        case _:
            return StartFlow(flow="main")


class Consent:
    """What was shown in confirmations, and said yes to since."""

    def __init__(self) -> None:
        self._shown: dict[str, str] = {}
        self._given: set[str] = set()

    def hear(self, now: Standing, commands: list[Command]) -> None:
        """A yes is one to the confirmation that is open."""
        if now.kind == "confirm" and AffirmConfirmation() in commands:
            self._given.add(now.prompt)

    def show(self, now: Standing) -> None:
        """What is shown anew needs a new yes."""
        if now.kind == "confirm":
            self._shown[now.prompt.partition(":")[0]] = now.prompt
            self._given.discard(now.prompt)

    def use(self, deed: Done) -> None:
        """One yes is good for one deed, and that with what was shown last."""
        for prompt in self._shown.values():
            if prompt in self._given and shown_in(prompt) == dict(deed[1]):
                self._given.discard(prompt)
                return
        raise Different(f"done without a yes to it: {deed}; a yes was given to {sorted(self._given)}")
