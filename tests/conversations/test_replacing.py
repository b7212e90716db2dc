"""One thing instead of another, in one message: 'rather than call it off, could we put it off?'"""

from __future__ import annotations

import pytest

from soni.core.commands import (
    AffirmConfirmation,
    CancelFlow,
    Command,
    CorrectSlot,
    DenyConfirmation,
    SetSlot,
    StartFlow,
)
from soni.testing import Conversation
from tests.conftest import Assistant, Talk

STOPPED = "All right, I have stopped that."

VISIT = """
    slots:
      day: {type: text, label: the day}
      name: {type: text}
      off: {type: boolean}
      moved: {type: boolean}
    flows:
      call_off:
        description: Call off a visit
        steps:
          - {collect: name, message: "Whose visit?"}
          - {collect: day, message: "On which day?"}
          - {confirm: off, message: "Call off {name} on {day}?"}
          - {say: "Called off."}
      put_off:
        description: Put off a visit
        steps:
          - {collect: day, message: "To which day?"}
          - {confirm: moved, message: "Move it to {day}?"}
          - {say: "Moved."}
      hours: {description: Tell the hours, steps: [{say: "Nine to five."}]}
      greet: {description: Say hello, steps: [{collect: name, message: "Who is there?"}, {say: "Hello."}]}
"""


async def stack(user: Conversation) -> list[str]:
    return [frame["flow_name"] for frame in (await user.state())["flow_stack"]]


INSTEAD: list[list[Command]] = [
    [CancelFlow(flow="call_off"), StartFlow(flow="put_off")],
    [StartFlow(flow="put_off"), CancelFlow(flow="call_off")],
]


@pytest.mark.parametrize("commands", INSTEAD)
@pytest.mark.parametrize("given", [{}, {"name": "Ana"}, {"name": "Ana", "day": "Friday"}])
async def test_b58_b34_what_is_replaced_does_not_come_back(
    assistant: Assistant, talk: Talk, given: dict[str, str], commands: list[Command]
) -> None:
    user = talk(assistant(VISIT))
    await user.say(StartFlow(flow="call_off", slots=given))
    assert await user.say(*commands) == [STOPPED, "To which day?"]
    assert await stack(user) == ["put_off"]
    assert await user.say(SetSlot(slot="day", value="Monday")) == ["Move it to Monday?"]
    assert await user.say(AffirmConfirmation()) == ["Moved."]


@pytest.mark.parametrize(
    "commands",
    [
        [*INSTEAD[0], SetSlot(slot="day", value="Monday")],
        [*INSTEAD[1], SetSlot(slot="day", value="Monday")],
        [SetSlot(slot="day", value="Monday"), *INSTEAD[0]],
        [SetSlot(slot="day", value="Monday"), *INSTEAD[1]],
        [CorrectSlot(slot="day", value="Monday"), *INSTEAD[0]],
        [INSTEAD[0][0], SetSlot(slot="day", value="Monday"), INSTEAD[0][1]],
        [INSTEAD[1][0], SetSlot(slot="day", value="Monday"), INSTEAD[1][1]],
        [CancelFlow(flow="call_off"), StartFlow(flow="put_off", slots={"day": "Monday"})],
        [StartFlow(flow="put_off", slots={"day": "Monday"}), CancelFlow(flow="call_off")],
        [DenyConfirmation(), CancelFlow(flow="call_off"), StartFlow(flow="put_off", slots={"day": "Monday"})],
    ],
)
async def test_b58_a_value_of_the_message_belongs_to_what_takes_the_place(
    assistant: Assistant, talk: Talk, commands: list[Command]
) -> None:
    user = talk(assistant(VISIT))
    await user.say(StartFlow(flow="call_off", slots={"name": "Ana", "day": "Friday"}))
    assert await user.say(*commands) == [STOPPED, "Move it to Monday?"]
    assert await stack(user) == ["put_off"]


async def test_b58_only_the_named_flow_is_replaced(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(VISIT))
    await user.say(StartFlow(flow="greet"))
    await user.say(StartFlow(flow="call_off"))
    assert await user.say(*INSTEAD[0]) == [STOPPED, "To which day?"]
    assert await stack(user) == ["greet", "put_off"]
    await user.say(SetSlot(slot="day", value="Monday"))
    said = await user.say(AffirmConfirmation())
    assert said == ["Moved.", "Back to where we were: Say hello.", "Who is there?"]


@pytest.mark.parametrize("commands", INSTEAD)
async def test_b58_b34_a_paused_flow_is_replaced_from_within_another(
    assistant: Assistant, talk: Talk, commands: list[Command]
) -> None:
    user = talk(assistant(VISIT))
    await user.say(StartFlow(flow="call_off"))
    await user.say(StartFlow(flow="greet"))
    assert await user.say(*commands) == [STOPPED, "To which day?"]
    assert await stack(user) == ["greet", "put_off"]


async def test_b34_a_paused_flow_is_cancelled_and_the_open_question_stays(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(VISIT))
    await user.say(StartFlow(flow="call_off", slots={"name": "Ana"}))
    await user.say(StartFlow(flow="put_off"))
    assert await user.say(CancelFlow(flow="call_off")) == [STOPPED, "To which day?"]
    await user.say(SetSlot(slot="day", value="Monday"))
    assert await user.say(AffirmConfirmation()) == ["Moved."]


async def test_b34_an_answer_beside_the_cancelling_of_a_paused_flow_counts(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(VISIT))
    await user.say(StartFlow(flow="call_off", slots={"name": "Ana"}))
    await user.say(StartFlow(flow="put_off"))
    said = await user.say(SetSlot(slot="day", value="Monday"), CancelFlow(flow="call_off"))
    assert said == [STOPPED, "Move it to Monday?"]
    assert await user.say(AffirmConfirmation(), CancelFlow(flow="call_off")) == ["We have not begun that.", "Moved."]


async def test_b58_what_is_replaced_by_something_short_does_not_come_back(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(VISIT))
    await user.say(StartFlow(flow="call_off"))
    assert await user.say(CancelFlow(flow="call_off"), StartFlow(flow="hours")) == [STOPPED, "Nine to five."]
    await user.say(StartFlow(flow="call_off"))
    assert await user.say(StartFlow(flow="hours"), CancelFlow(flow="call_off")) == [STOPPED, "Nine to five."]
    assert await stack(user) == []


async def test_b58_an_unnamed_cancel_before_a_start_means_what_runs(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(VISIT))
    await user.say(StartFlow(flow="call_off"))
    assert await user.say(CancelFlow(), StartFlow(flow="put_off")) == [STOPPED, "To which day?"]
    assert await stack(user) == ["put_off"]
