"""B43: a person takes the conversation over, speaks in it, and gives it back."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any

import pytest

from soni import Actions
from soni.core.commands import (
    AffirmConfirmation,
    CancelFlow,
    DenyConfirmation,
    HumanHandoff,
    OutOfScope,
    Repeat,
    SetSlot,
    StartFlow,
)
from soni.core.message_sink import BufferedMessageSink, Message, MessageSink
from soni.errors import ConversationError
from soni.testing import Conversation
from tests.conftest import Assistant, Talk
from tests.conversations.hosts import new_loop

HANDED = "A person will take it from here."
BACK = "You are talking to the assistant again."

SHOP = """
    slots:
      item: {type: text}
      pin: {type: text, sensitive: true}
      size: {type: choice, options: [small, large]}
      ok: {type: boolean}
    flows:
      buy:
        description: Buy something
        steps:
          - {collect: item, message: "What?"}
          - {collect: pin, message: "PIN?"}
          - {collect: size, message: "Which size?"}
          - {confirm: ok, message: "Buy {item}?"}
          - {say: "Bought."}
      complain:
        steps: [{collect: item, message: "About what?"}, {handoff: a complaint, message: "Let me get somebody."}]
      weather: {steps: [{say: "Sunny."}]}
"""


class Desk(BufferedMessageSink):
    """Where a person sits."""

    @property
    def heard(self) -> list[tuple[str, str]]:
        return [(message.kind, message.text) for message in self.messages]


async def handed_over(user: Conversation) -> dict[str, Any]:
    assert user.last is not None
    assert user.last.handoff is not None
    assert json.loads(json.dumps(user.last.handoff)) == user.last.handoff
    return user.last.handoff


async def test_b43_the_wish_for_a_person_is_fulfilled_with_all_they_need(assistant: Assistant, talk: Talk) -> None:
    desk = Desk()
    user = talk(assistant(SHOP), person=desk, user_id="ana")
    await user.say(StartFlow(flow="buy"), text="buy")
    await user.say(SetSlot(slot="item", value="a hat"), text="a hat")
    await user.say(SetSlot(slot="pin", value="1234"), text="1234")
    assert await user.say(HumanHandoff(reason="hats"), text="a person, please") == [HANDED]
    packet = await handed_over(user)
    assert packet == {
        "user_id": "ana",
        "language": None,
        "reason": "hats",
        "flow": "buy",
        "slots": {"item": "a hat", "pin": "•••"},
        "turn": 4,
        "transcript": [
            {"role": "user", "text": "buy"},
            {"role": "assistant", "text": "What?"},
            {"role": "user", "text": "a hat"},
            {"role": "assistant", "text": "PIN?"},
            {"role": "user", "text": "•••"},
            {"role": "assistant", "text": "Which size?"},
            {"role": "user", "text": "a person, please"},
            {"role": "assistant", "text": HANDED},
        ],
    }
    assert desk.heard == [("handoff", "hats")]
    assert desk.messages[0].data == packet
    assert user.last is not None
    assert [(m.kind, m.data) for m in user.last.messages] == [("handoff", {"reason": "hats"})]
    assert user.last.pending is None


async def test_b43_a_step_hands_over_and_ends_its_flow(assistant: Assistant, talk: Talk) -> None:
    desk = Desk()
    user = talk(assistant(SHOP), person=desk)
    await user.say(StartFlow(flow="complain"))
    assert await user.say(SetSlot(slot="item", value="hats")) == ["Let me get somebody."]
    packet = await handed_over(user)
    assert (packet["reason"], packet["flow"], packet["slots"]) == ("a complaint", "complain", {"item": "hats"})
    assert desk.heard == [("handoff", "a complaint")]
    async with new_loop(user) as loop:
        assert (await loop.return_to_assistant("test")).text == BACK
    assert (await user.state())["flow_stack"] == []
    assert await user.say(StartFlow(flow="weather")) == ["Sunny."]


async def test_b43_the_fallback_hands_over_what_it_was_about(assistant: Assistant, talk: Talk) -> None:
    desk = Desk()
    user = talk(assistant("settings: {fallback_after: 1}" + SHOP.replace("\n    ", "\n")), person=desk)
    await user.say(StartFlow(flow="buy", slots={"item": "a hat"}))
    await user.say(OutOfScope())
    assert await user.say(AffirmConfirmation()) == [HANDED]
    packet = await handed_over(user)
    assert (packet["flow"], packet["slots"]) == ("buy", {"item": "a hat"})
    async with new_loop(user) as loop:
        assert (await loop.return_to_assistant("test")).text == f"{BACK}\nPIN?"


async def test_b43_the_reason_of_a_fallback_is_what_led_to_it(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant("settings: {fallback_after: 1}" + SHOP.replace("\n    ", "\n")))
    await user.say(OutOfScope())
    await user.say(AffirmConfirmation())
    assert (await handed_over(user))["reason"] == "1 turns came to nothing"


async def test_b43_while_a_person_has_it_messages_are_passed_on_and_nothing_runs(
    assistant: Assistant, talk: Talk
) -> None:
    desk = Desk()
    user = talk(assistant(SHOP), person=desk)
    await user.say(StartFlow(flow="buy"))
    await user.say(HumanHandoff())
    before = await user.state()
    for command in (StartFlow(flow="weather"), CancelFlow(), SetSlot(slot="item", value="x"), Repeat(), HumanHandoff()):
        assert await user.say(command, text=command.name) == []
        packet = await handed_over(user)
        assert packet["transcript"][-1] == {"role": "user", "text": command.name}
    after = await user.state()
    assert after["flow_stack"] == before["flow_stack"]
    assert after["flow_slots"] == before["flow_slots"]
    assert desk.heard[1:] == [("user", c) for c in ("start_flow", "cancel_flow", "set_slot", "repeat", "human_handoff")]
    assert desk.messages[1].data == {"user_id": "test"}
    assert len({message.id for message in desk.messages}) == len(desk.messages)


async def test_b43_the_person_speaks_and_gives_the_conversation_back(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(SHOP), person=Desk())
    await user.say(StartFlow(flow="buy"))
    await user.say(HumanHandoff(), text="a person")
    async with new_loop(user) as loop:
        phone = BufferedMessageSink()
        message = await loop.say("test", "Hello, Eva here.", sink=phone)
        assert (message.kind, message.text) == ("person", "Hello, Eva here.")
        assert phone.messages == [message]
        await user.say(text="hi Eva")
    async with new_loop(user) as loop:
        await loop.say("test", "Bye.")
        packet = await loop.get_handoff("test")
        assert packet is not None
        assert packet["transcript"][-3:] == [
            {"role": "person", "text": "Hello, Eva here."},
            {"role": "user", "text": "hi Eva"},
            {"role": "person", "text": "Bye."},
        ]
        turn = await loop.return_to_assistant("test", sink=phone)
        assert [m.text for m in turn.messages] == [BACK, "What?"]
        assert [m.text for m in phone.messages[1:]] == [BACK, "What?"]
        assert turn.handoff is None
        assert turn.error is None
        assert await loop.get_handoff("test") is None
    assert await user.say(SetSlot(slot="item", value="a hat")) == ["PIN?"]


async def test_b43_nobody_speaks_for_an_assistant_that_has_the_conversation(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(SHOP))
    async with new_loop(user) as loop:
        for again in (False, True):
            with pytest.raises(ConversationError, match="no person has the conversation of 'test'"):
                await loop.say("test", "Hello.")
            with pytest.raises(ConversationError, match="no person has the conversation of 'test'"):
                await loop.return_to_assistant("test")
            assert again or await user.say(StartFlow(flow="buy")) == ["What?"]
        await user.say(HumanHandoff())
        await loop.return_to_assistant("test")
        with pytest.raises(ConversationError, match="the assistant has it"):
            await loop.return_to_assistant("test")
    assert await user.say(Repeat()) == ["What?"]


class Unplugged(MessageSink):
    """A desk whose telephone is dead."""

    async def send(self, message: Message) -> None:
        raise ConnectionError


async def test_b43_a_dead_line_to_the_person_loses_nothing(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(SHOP), person=Unplugged())
    await user.say(StartFlow(flow="buy"))
    assert await user.say(HumanHandoff(), text="a person") == [HANDED]
    assert await user.say(text="hello?") == []
    assert user.last is not None
    assert user.last.error is None
    async with new_loop(user) as loop:
        await loop.say("test", "Here.", sink=Unplugged())
        packet = await loop.get_handoff("test")
        assert packet is not None
        assert [line["text"] for line in packet["transcript"][-4:]] == ["a person", HANDED, "hello?", "Here."]
        assert (await loop.return_to_assistant("test", sink=Unplugged())).text == f"{BACK}\nWhat?"


async def test_b43_old_buttons_do_nothing_while_and_after_a_person_had_it(assistant: Assistant, talk: Talk) -> None:
    desk = Desk()
    user = talk(assistant(SHOP), person=desk)
    await user.say(StartFlow(flow="buy", slots={"item": "a hat", "pin": "1234", "size": "small"}))
    question = user.last
    await user.say(HumanHandoff())
    user.last = question
    assert await user.choose("Yes") == []
    assert desk.heard[-1] == ("user", "Yes")
    async with new_loop(user) as loop:
        user.last = await loop.return_to_assistant("test")
    assert user.last.text == f"{BACK}\nBuy a hat?"
    assert await user.choose("Yes") == ["Bought."]


async def test_b43_a_yes_in_the_same_breath_is_not_kept_for_later(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(SHOP))
    await user.say(StartFlow(flow="buy", slots={"item": "a hat", "pin": "1234", "size": "small"}))
    assert await user.say(AffirmConfirmation(), HumanHandoff()) == [HANDED]
    async with new_loop(user) as loop:
        assert (await loop.return_to_assistant("test")).text == f"{BACK}\nBuy a hat?"


async def test_b43_what_was_paused_comes_back_when_the_person_is_done(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(SHOP))
    await user.say(StartFlow(flow="buy"))
    await user.say(StartFlow(flow="complain", slots={"item": "hats"}))
    async with new_loop(user) as loop:
        assert (await loop.return_to_assistant("test")).text == f"{BACK}\nBack to where we were: Buy something.\nWhat?"
    assert await user.say(SetSlot(slot="item", value="a hat")) == ["PIN?"]


async def test_b43_a_pin_said_to_a_question_that_a_person_interrupted_is_kept_from_the_transcript(
    assistant: Assistant, talk: Talk
) -> None:
    desk = Desk()
    user = talk(assistant(SHOP), person=desk)
    await user.say(StartFlow(flow="buy", slots={"item": "a hat"}))
    assert await user.say(SetSlot(slot="pin", value="quiz"), HumanHandoff(), text="quiz, a person") == [HANDED]
    assert "quiz" not in str(await handed_over(user))
    assert "quiz" not in str(desk.messages)


async def test_b43_without_people_it_says_so_and_goes_on(assistant: Assistant, talk: Talk) -> None:
    desk = Desk()
    user = talk(assistant("settings: {handoff: false}" + SHOP.replace("\n    ", "\n")), person=desk)
    nobody = "I am afraid there is nobody I can pass you on to."
    await user.say(StartFlow(flow="buy"))
    assert await user.say(HumanHandoff()) == [nobody, "What?"]
    assert user.last is not None
    assert user.last.handoff is None
    await user.say(CancelFlow())
    await user.say(StartFlow(flow="complain", slots={"item": "x"}))
    assert user.last.handoff is None
    assert await user.say(StartFlow(flow="weather")) == ["Sunny."]
    assert desk.messages == []


async def test_b43_a_step_that_finds_nobody_does_not_tell_the_host_otherwise(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        settings: {handoff: false}
        flows:
          desk: {steps: [{handoff: help}]}
          other: {steps: [{say: "Hi."}]}
    """)
    user = talk(config)
    assert await user.say(StartFlow(flow="desk")) == ["I am afraid there is nobody I can pass you on to."]
    assert user.last is not None
    assert [message.kind for message in user.last.messages] == ["inform"]


async def test_b43_b53_time_does_not_run_while_a_person_has_it(assistant: Assistant, talk: Talk) -> None:
    now = [datetime(2026, 5, 4, 9)]
    config = assistant("settings: {session_timeout: 1h}" + SHOP.replace("\n    ", "\n"))
    user = talk(config, clock=lambda: now[0])
    await user.say(StartFlow(flow="buy"))
    await user.say(HumanHandoff())
    now[0] += timedelta(days=2)
    assert await user.say(text="anybody?") == []
    now[0] += timedelta(days=2)
    async with new_loop(user) as loop:
        assert (await loop.return_to_assistant("test")).text == f"{BACK}\nWhat?"
    now[0] += timedelta(minutes=59)
    assert await user.say(SetSlot(slot="item", value="a hat")) == ["PIN?"]


async def test_b43_starting_or_greeting_does_not_disturb_a_person(assistant: Assistant, talk: Talk) -> None:
    config = assistant("settings: {start_flow: weather}" + SHOP.replace("\n    ", "\n"))
    user = talk(config)
    assert await user.say(HumanHandoff()) == ["Sunny.", HANDED]
    async with new_loop(user) as loop:
        turn = await loop.start("test")
        assert turn.messages == ()
        assert await loop.get_handoff("test") is not None


async def test_b43_several_wishes_with_the_one_for_a_person_are_served_afterwards(
    assistant: Assistant, talk: Talk
) -> None:
    user = talk(assistant(SHOP))
    assert await user.say(HumanHandoff(), StartFlow(flow="weather")) == [HANDED]
    async with new_loop(user) as loop:
        assert (await loop.return_to_assistant("test")).text == f"{BACK}\nSunny."


async def test_b43_one_persons_handoff_is_nobody_elses(assistant: Assistant, talk: Talk) -> None:
    config = assistant(SHOP)
    ana, ben = talk(config, user_id="ana"), talk(config, user_id="ben")
    await ana.say(HumanHandoff())
    assert await ben.say(StartFlow(flow="weather")) == ["Sunny."]


async def test_b43_b25_a_person_that_is_offered_hears_of_what_was_done(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {amount: {type: integer}, stars: {type: integer}}
        flows:
          pay:
            steps: [{collect: amount, message: "How much?"}, {action: pay}, {collect: stars, message: "How was it?"}]
          other: {steps: [{say: "Hi."}]}
    """)
    actions = Actions()
    actions.register("pay")(lambda amount: None)
    user = talk(config, actions)
    await user.say(StartFlow(flow="pay", slots={"amount": 5}))
    await user.say(SetSlot(slot="amount", value=6))
    assert await user.say(AffirmConfirmation()) == [HANDED]
    packet = await handed_over(user)
    assert (packet["flow"], packet["slots"]) == ("pay", {"amount": 5})
    async with new_loop(user) as loop:
        assert (await loop.return_to_assistant("test")).text == f"{BACK}\nHow was it?"


async def test_b43_b4_after_refused_answers_a_no_and_a_cancel_both_end_the_offer(
    assistant: Assistant, talk: Talk
) -> None:
    config = assistant("""
        slots: {days: {type: integer, error: "A number."}}
        flows:
          book: {steps: [{collect: days, message: "Days?", attempts: 1}, {say: "{days}."}]}
          other: {steps: [{say: "Hi."}]}
    """)
    for answer in (DenyConfirmation(), CancelFlow()):
        user = talk(config, user_id=answer.name)
        await user.say(StartFlow(flow="book"))
        assert (await user.say(SetSlot(slot="days", value="x")))[-1] == "Would you like to talk to a person?"
        assert (await user.say(answer))[0].startswith("All right")
        assert (await user.state())["flow_stack"] == []
