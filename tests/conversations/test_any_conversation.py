"""Any commands, in any order, against any flows: what must hold after every turn holds."""

from __future__ import annotations

import asyncio
import json
from datetime import datetime, timedelta
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from soni import RuntimeLoop, SoniConfig
from soni.core.commands import (
    Acknowledge,
    AffirmConfirmation,
    CancelFlow,
    ChitChat,
    Clarify,
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
from soni.core.pending_task import PendingTask, requires_input
from soni.core.state import CONVERSATION, DialogueState
from soni.runtime.result import TurnResult
from soni.store.sqlite import SqliteStore
from soni.testing import ScriptedUnderstanding
from tests.conftest import examples
from tests.conversations.generated_flows import FLOWS, SLOTS, assistants, doing

USER = "anybody"
slots = st.sampled_from([*SLOTS, "nonsense"])
values: st.SearchStrategy[object] = st.sampled_from(
    [None, 1, 20, 60, 95, 500, "ten", "Ana", "x y", "", "red", "blue", True, False, [], {"a": 1}, -1.5]
)
flows = st.sampled_from([*FLOWS, "nonsense"])
commands: st.SearchStrategy[Command] = st.one_of(
    st.builds(StartFlow, flow=flows),
    st.builds(StartFlow, flow=flows, slots=st.dictionaries(slots, values, max_size=3)),
    st.builds(SetSlot, slot=slots, value=values),
    st.builds(CorrectSlot, slot=slots, value=values),
    st.builds(ClearSlot, slot=slots),
    st.builds(Clarify, options=st.lists(flows, max_size=3)),
    st.builds(ResumeFlow, flow=st.none() | flows),
    st.sampled_from([AffirmConfirmation(), AffirmConfirmation(), DenyConfirmation(), CancelFlow(), Skip(), Repeat()]),
    st.sampled_from([Acknowledge(), OutOfScope(), Help(), ChitChat(topic="thanks"), HumanHandoff(), Restart()]),
)
GOOD: dict[str, object] = {"n": 20, "word": "Ana", "colour": "red", "more": False, "mood": "Fine"}
"""Answers that get on; `more` ends a loop."""


class AnyConversation(RuleBasedStateMachine):
    """One person, one assistant, and everything that can happen between them."""

    def __init__(self) -> None:
        super().__init__()
        self.events = asyncio.Runner()
        self.store = SqliteStore()
        self.now = datetime(2026, 1, 1, 9)
        self.said = ScriptedUnderstanding()
        self.done: list[str] = []
        self.agreed: set[str] = set()
        self.last: TurnResult | None = None
        self.loop: RuntimeLoop

    @initialize(config=assistants())
    def begin(self, config: SoniConfig) -> None:
        self.config = config
        self.new_loop()

    @rule()
    def new_loop(self) -> None:
        """As after a restart of the process."""
        actions = doing(self.done)
        self.loop = RuntimeLoop(
            self.config, actions=actions, store=self.store, understanding=self.said, clock=lambda: self.now
        )

    @rule(helps=st.booleans(), others=st.lists(commands, max_size=3), first=st.booleans())
    def speak(self, helps: bool, others: list[Command], first: bool) -> None:
        answer = [self.helpful()] if helps else []
        self.turn(*(*answer, *others) if first else (*others, *answer))

    @rule()
    def help_along(self) -> None:
        self.turn(self.helpful())

    @rule(number=st.integers(0, 3), stale=st.booleans())
    def choose(self, number: int, stale: bool) -> None:
        options = self.last.messages[-1].options if self.last and self.last.messages else ()
        if number < len(options):
            payload = {**options[number].payload, **({"task": "old"} if stale else {})}
            self.turn(payload=payload)

    @rule(member=st.none() | st.booleans())
    def the_host_sets(self, member: bool | None) -> None:
        self.turn(Repeat(), slots={"member": member})

    @rule(minutes=st.sampled_from([1, 15]))
    def time_passes(self, minutes: int) -> None:
        self.now += timedelta(minutes=minutes)

    @rule()
    @precondition(lambda self: self.state["person"] is not None)
    def a_person_speaks_and_gives_back(self) -> None:
        self.run(self.loop.say(USER, "Let me see."))
        self.check(None, self.run(self.loop.return_to_assistant(USER)), [])

    @property
    def state(self) -> DialogueState:
        state: DialogueState = self.run(self.loop.get_state(USER))
        return state

    def run(self, coroutine: Any) -> Any:
        return self.events.run(coroutine)

    def helpful(self) -> Command:
        """What somebody says who wants to get on."""
        match self.state["_pending_task"]:
            case {"type": "collect", "slot": "_flow", "values": [flow, *_]}:
                return StartFlow(flow=str(flow))
            case {"type": "collect", "slot": slot}:
                return SetSlot(slot=str(slot), value=GOOD[str(slot)])
            case {"type": "confirm", "id": task} if "_person" not in str(task):
                offers = str(task).startswith("_")
                return DenyConfirmation() if offers else AffirmConfirmation()
            case {"type": "inform"}:
                return Acknowledge()
            case _:
                return StartFlow(flow="one")

    def turn(self, *spoken: Command, **arguments: Any) -> None:
        before = self.state
        self.said.add("…", *spoken)
        result = self.run(self.loop.run_turn("…", user_id=USER, **arguments))
        open_task = None if result.turn != before["turn"] + 1 else before["_pending_task"]
        agrees = AffirmConfirmation() in spoken or "payload" in arguments
        if open_task is not None and open_task["type"] == "confirm" and agrees:
            self.agreed.add(open_task["prompt"])
        self.check(before, result, list(spoken))

    def check(self, before: DialogueState | None, result: TurnResult, spoken: list[Command]) -> None:
        self.last = result
        assert result.error is None
        state = self.state
        task: PendingTask | None = state["_pending_task"]
        idle = not state["flow_stack"] or state["person"] is not None
        assert (task is None) == idle, "exactly one open task, or idle"
        if task is not None:
            assert requires_input(task)
            assert result.messages[-1].text == task["prompt"], "the last word is the open question"
        if before is not None and before["person"] is not None:
            assert result.messages == (), "while a person has the conversation, the assistant is silent"
        else:
            assert result.messages, "nobody is left without an answer"
        assert all("{" not in message.text for message in result.messages)
        ids = [frame["flow_id"] for frame in state["flow_stack"]]
        assert len(ids) == len(set(ids))
        assert set(state["flow_slots"]) - {CONVERSATION} == set(ids), "slots of finished flows are gone"
        started = [frame for frame in state["flow_stack"] if frame["entered_by"] not in ("call", "event")]
        assert len(started) <= self.config.settings.max_depth
        assert len(state["flow_stack"]) <= 3 * self.config.settings.max_depth + 3
        assert set(self.done) <= self.agreed, "an effect happens only as it was agreed to"
        json.dumps(state)

    def teardown(self) -> None:
        with self.events:
            if hasattr(self, "config"):
                self.come_to_an_end()

    def come_to_an_end(self) -> None:
        """Whatever is open comes to its end, for somebody who answers."""
        for _ in range(150):
            state = self.state
            if state["person"] is not None:
                self.a_person_speaks_and_gives_back()
            elif state["_pending_task"] is None:
                break
            else:
                self.turn(self.helpful())
        assert self.state["flow_stack"] == [], "every paused flow resumes or is cancelled"
        assert set(self.state["flow_slots"]) <= {CONVERSATION}


AnyConversation.TestCase.settings = settings(
    max_examples=examples(8), stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
)
TestAnyConversation = AnyConversation.TestCase


def test_a_helpful_person_gets_things_done() -> None:
    """Or the test above would never see an effect."""
    machine = AnyConversation()
    machine.begin(
        SoniConfig(
            slots=dict(SLOTS),
            flows={
                "one": {
                    "steps": [
                        {"collect": "n"},
                        {"collect": "word"},
                        {"confirm": "sure", "message": "Do {n} {word}?"},
                        {"action": "act"},
                        {"call": "two"},
                    ]
                },
                "two": {"steps": [{"collect": "colour"}, {"say": "Bye."}]},
                "three": {"steps": [{"say": "Hi."}]},
            },
        )
    )
    for _ in range(5):
        machine.help_along()
    machine.teardown()
    assert machine.done == ["Do 20 Ana?"]
