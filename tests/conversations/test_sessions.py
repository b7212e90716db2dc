"""Where a conversation begins and ends: greetings, time-outs, restarts, forgetting."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from soni import RuntimeLoop
from soni.core.commands import (
    CancelFlow,
    ChitChat,
    HumanHandoff,
    OutOfScope,
    Repeat,
    Restart,
    SetSlot,
    StartFlow,
)
from soni.core.message_sink import BufferedMessageSink
from soni.errors import ConfigError, ConversationError
from soni.store import open_store
from soni.testing import Conversation
from tests.conftest import Assistant, Talk
from tests.conversations.hosts import new_loop

SORRY = "Sorry, I did not understand that, or it is not something I can help with."
CLOSED = "It has been a while, so I have closed what we had open. Nothing more was done."

GREETED = """
    settings: {start_flow: welcome}
    slots: {city: {type: text}, name: {type: text}}
    flows:
      welcome: {steps: [{say: "Welcome aboard."}]}
      book: {steps: [{collect: city, message: "Where to?"}, {say: "To {city}."}]}
      weather: {steps: [{say: "Sunny."}]}
"""

ASKING = GREETED.replace('[{say: "Welcome aboard."}]', '[{collect: name, message: "Your name?"}, {say: "Hi {name}."}]')


@pytest.mark.parametrize("commands", [[ChitChat(topic="greeting")], [OutOfScope()], []])
async def test_b50_the_first_message_is_greeted_once(assistant: Assistant, talk: Talk, commands: list[Any]) -> None:
    user = talk(assistant(GREETED))
    assert await user.say(*commands) == ["Welcome aboard."]
    assert await user.say(ChitChat(topic="greeting")) == ["Hello!"]
    assert await user.say(StartFlow(flow="weather")) == ["Sunny."]


async def test_b50_a_first_message_that_asks_for_something_is_served_after_the_greeting(
    assistant: Assistant, talk: Talk
) -> None:
    user = talk(assistant(GREETED))
    said = await user.say(ChitChat(topic="greeting"), StartFlow(flow="book"), SetSlot(slot="city", value="Rome"))
    assert said == ["Welcome aboard.", "To Rome."]


async def test_b50_thanks_in_the_first_message_are_answered_too(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(GREETED))
    assert sorted(await user.say(ChitChat(topic="thanks"))) == ["Welcome aboard.", "You are welcome."]


async def test_b50_the_host_can_open_the_conversation(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(GREETED))
    sink = BufferedMessageSink()
    async with new_loop(user) as loop:
        turn = await loop.start("test", sink=sink)
        assert turn.text == "Welcome aboard."
        assert [message.text for message in sink.messages] == ["Welcome aboard."]
        assert (await loop.start("test")).messages == ()
    async with new_loop(user) as loop:
        assert (await loop.start("test")).messages == ()
    assert await user.say(StartFlow(flow="weather")) == ["Sunny."]
    transcript = [line["text"] for line in (await user.state())["messages"]]
    assert transcript == ["Welcome aboard.", "…", "Sunny."]


async def test_b50_opening_a_conversation_that_is_open_returns_what_it_waits_for(
    assistant: Assistant, talk: Talk
) -> None:
    user = talk(assistant(GREETED))
    await user.say(StartFlow(flow="book"))
    async with new_loop(user) as loop:
        turn = await loop.start("test")
    assert turn.messages == ()
    assert turn.pending is not None
    assert turn.pending["prompt"] == "Where to?"
    assert await user.say(SetSlot(slot="city", value="Rome")) == ["To Rome."]


async def test_b50_opening_without_a_greeting_says_nothing(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(GREETED.replace("settings: {start_flow: welcome}", "")))
    async with new_loop(user) as loop:
        assert (await loop.start("test")).messages == ()
    assert await user.say(StartFlow(flow="weather")) == ["Sunny."]


async def test_b50_a_greeting_may_ask_something_and_what_was_wanted_follows(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(ASKING))
    assert await user.say(StartFlow(flow="book")) == ["Then I will take care of this: book.", "Your name?"]
    said = await user.say(SetSlot(slot="name", value="Ana"))
    assert said == ["Hi Ana.", "Now the next thing: book.", "Where to?"]
    assert await user.say(SetSlot(slot="city", value="Rome")) == ["To Rome."]


@pytest.mark.parametrize("opens", ["host", "user"])
async def test_b50_who_does_not_answer_the_greeting_is_served(assistant: Assistant, talk: Talk, opens: str) -> None:
    user = talk(assistant(ASKING))
    if opens == "host":
        async with new_loop(user) as loop:
            assert (await loop.start("test")).text == "Your name?"
    else:
        assert await user.say(ChitChat(topic="greeting")) == ["Your name?"]
    assert await user.say(StartFlow(flow="weather")) == ["Sunny."]
    assert (await user.state())["flow_stack"] == []
    assert await user.say(CancelFlow()) == ["There is nothing to cancel."]


async def test_b50_the_greeting_is_no_flow_that_people_can_ask_for(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(GREETED))
    await user.say(ChitChat(topic="greeting"))
    assert await user.say(StartFlow(flow="welcome")) == ["I cannot do that right now."]


async def test_b50_a_greeting_that_fails_does_not_end_the_conversation(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        settings: {start_flow: welcome}
        slots: {n: {type: integer, source: system}}
        flows:
          welcome: {steps: [{step: zero, type: set, slots: {n: 0}}, {set: {}, compute: {n: "1 // n"}}]}
          weather: {steps: [{say: "Sunny."}]}
          other: {steps: [{say: "Hi."}]}
    """)
    user = talk(config)
    wrong = "Sorry, something went wrong on my side. Please try again."
    assert await user.say(StartFlow(flow="weather")) == [wrong, "Sunny."]
    assert await user.say(StartFlow(flow="weather")) == ["Sunny."]


@pytest.mark.parametrize("commands", [[ChitChat(topic="greeting")], [OutOfScope()], [], [SetSlot(slot="x", value=1)]])
async def test_b50_the_only_flow_begins_with_any_message_after_the_greeting(
    assistant: Assistant, talk: Talk, commands: list[Any]
) -> None:
    config = assistant("""
        settings: {start_flow: welcome}
        slots: {city: {type: text}}
        flows:
          welcome: {steps: [{say: "Welcome aboard."}]}
          book: {steps: [{collect: city, message: "Where to?"}, {say: "To {city}."}]}
    """)
    user = talk(config)
    assert await user.say(*commands) == ["Welcome aboard.", "Where to?"]
    assert await user.say(SetSlot(slot="city", value="Rome")) == ["To Rome."]
    assert await user.say(OutOfScope()) == [SORRY], "once in a session"


async def test_b50_an_unknown_greeting_flow_is_told_where_it_is_written(assistant: Assistant) -> None:
    with pytest.raises(ConfigError, match=r"assistant\.yaml:\d+:\d+: 'start_flow' names the flow 'welcom'.*welcome"):
        assistant(GREETED.replace("{start_flow: welcome}", "{start_flow: welcom}"))


LATER = """
    settings: {session_timeout: 30m}
    slots:
      city: {type: text}
      name: {type: text, scope: conversation, persist: true}
      basket: {type: text, scope: conversation}
      size: {type: choice, options: [small, large]}
    flows:
      book: {steps: [{collect: city, message: "Where to?"}, {say: "To {city}, {name}, {basket}."}]}
      buy: {steps: [{collect: size, message: "Which size?"}, {say: "One {size}."}]}
      meet: {steps: [{collect: name, message: "Name?"}, {collect: basket, message: "Basket?"}, {say: "Hi {name}."}]}
"""


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 5, 4, 9)

    def __call__(self) -> datetime:
        return self.now

    def wait(self, **time: float) -> None:
        self.now += timedelta(**time)


async def test_b53_after_the_time_is_up_the_conversation_begins_anew(assistant: Assistant, talk: Talk) -> None:
    clock = Clock()
    user = talk(assistant(LATER), clock=clock)
    await user.say(StartFlow(flow="meet"), SetSlot(slot="name", value="Ana"), SetSlot(slot="basket", value="full"))
    await user.say(StartFlow(flow="book"))
    clock.wait(minutes=30)
    assert await user.say(Repeat()) == ["Where to?"]
    clock.wait(minutes=30, seconds=1)
    assert await user.say(StartFlow(flow="book", slots={"city": "Rome"})) == [CLOSED, "To Rome, Ana, —."]
    assert (await user.state())["flow_stack"] == []


async def test_b53_a_late_answer_is_not_taken_for_anything(assistant: Assistant, talk: Talk) -> None:
    clock = Clock()
    user = talk(assistant(LATER), clock=clock)
    await user.say(StartFlow(flow="book"))
    clock.wait(hours=1)
    said = await user.say(SetSlot(slot="city", value="Rome"))
    assert said[0] == CLOSED
    state = await user.state()
    assert state["flow_stack"] == []
    assert state["flow_slots"] == {}


async def test_b53_where_nothing_was_open_nothing_is_said_about_it(assistant: Assistant, talk: Talk) -> None:
    clock = Clock()
    user = talk(assistant(LATER), clock=clock)
    await user.say(StartFlow(flow="book", slots={"city": "Rome"}))
    clock.wait(days=1)
    assert await user.say(StartFlow(flow="book")) == ["Where to?"]


async def test_b53_buttons_of_an_earlier_session_are_dead(assistant: Assistant, talk: Talk) -> None:
    clock = Clock()
    user = talk(assistant(LATER), clock=clock)
    await user.say(StartFlow(flow="buy"))
    old = user.last
    clock.wait(hours=1)
    assert await user.choose("small") == [CLOSED, "That choice is no longer open."]
    await user.say(StartFlow(flow="buy"))
    user.last = old
    assert await user.choose("small") == ["That choice is no longer open.", "Which size?"]


async def test_b53_b50_a_new_session_is_greeted_again(assistant: Assistant, talk: Talk) -> None:
    clock = Clock()
    config = assistant(GREETED.replace("{start_flow: welcome}", "{start_flow: welcome, session_timeout: 1h}"))
    user = talk(config, clock=clock)
    await user.say(StartFlow(flow="book"))
    clock.wait(hours=2)
    async with new_loop(user) as loop:
        assert (await loop.start("test")).text == f"{CLOSED}\nWelcome aboard."
    clock.wait(hours=2)
    assert await user.say(StartFlow(flow="weather")) == ["Welcome aboard.", "Sunny."]


async def test_b53_b42_what_came_to_nothing_last_week_does_not_count(assistant: Assistant, talk: Talk) -> None:
    clock = Clock()
    user = talk(assistant(LATER), clock=clock)
    for _ in range(2):
        await user.say(OutOfScope())
    clock.wait(days=7)
    assert await user.say(OutOfScope()) == [SORRY]


async def test_b53_a_conversation_can_last_for_ever(assistant: Assistant, talk: Talk) -> None:
    clock = Clock()
    user = talk(assistant(LATER.replace("30m", "null")), clock=clock)
    await user.say(StartFlow(flow="book"))
    clock.wait(days=1000)
    assert await user.say(Repeat()) == ["Where to?"]


async def test_b54_restart_forgets_flows_and_slots_and_greets(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(LATER.replace("{session_timeout: 30m}", "{start_flow: welcome}") + GREETED.splitlines()[4]))
    assert await user.say(StartFlow(flow="meet"), SetSlot(slot="name", value="Ana")) == ["Welcome aboard.", "Basket?"]
    await user.say(StartFlow(flow="book"))
    assert await user.say(Restart()) == ["All right, let us begin anew.", "Welcome aboard."]
    state = await user.state()
    assert (state["flow_stack"], state["flow_slots"]) == ([], {})
    assert await user.say(StartFlow(flow="book", slots={"city": "Rome"})) == ["To Rome, —, —."]


async def test_b54_restart_and_a_wish_in_one_message_do_both(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(LATER))
    await user.say(StartFlow(flow="buy"))
    assert await user.say(Restart(), StartFlow(flow="book")) == ["All right, let us begin anew.", "Where to?"]
    assert len((await user.state())["flow_stack"]) == 1


async def test_b54_reset_begins_anew_for_the_host(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(GREETED))
    await user.say(StartFlow(flow="book"))
    old = await user.state()
    async with new_loop(user) as loop:
        await loop.reset("test")
        state = await loop.get_state("test")
        assert (state["flow_stack"], state["flow_slots"], state["messages"]) == ([], {}, [])
        assert state["turn"] == old["turn"], "ids and buttons of before are never good again"
    assert await user.say(StartFlow(flow="book")) == ["Welcome aboard.", "Where to?"]


async def test_b54_b43_reset_takes_the_conversation_from_a_person(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(GREETED))
    await user.say(HumanHandoff())
    async with new_loop(user) as loop:
        await loop.reset("test")
        with pytest.raises(ConversationError, match="no person"):
            await loop.say("test", "Hello?")
    assert await user.say(StartFlow(flow="weather")) == ["Welcome aboard.", "Sunny."]


async def test_b54_forget_leaves_nothing_of_the_user_in_the_store(assistant: Assistant, tmp_path: Path) -> None:
    path = tmp_path / "c.db"
    config = assistant(LATER)
    async with open_store(f"sqlite:{path}") as store:
        for name in ("anaconda", "benjamin"):
            user = Conversation(config, store=store, user_id=name)
            await user.say(StartFlow(flow="meet"), SetSlot(slot="name", value=f"Name-{name}"), text=f"I am {name}")
            await user.say(HumanHandoff(reason=f"{name} wants it"), text=f"Says-{name}")
            await user.say(text=f"More-{name}")
            async with new_loop(user) as loop:
                await loop.say(name, f"Person-{name}")
                await loop.return_to_assistant(name)
        async with RuntimeLoop(config, store=store) as loop:
            await loop.forget("anaconda")
            assert (await loop.get_state("anaconda"))["turn"] == 0
            assert str(await loop.explain("anaconda")) == "Nothing has been said yet."
            await loop.forget("nobody")
    dump = _dumped(path)
    assert "anaconda" not in dump
    assert b"anaconda".hex().upper() not in dump
    assert "benjamin" in dump
    assert b"benjamin".hex().upper() in dump, "or this test looks in the wrong place"


def _dumped(path: Path) -> str:
    with closing(sqlite3.connect(path)) as database:
        return "\n".join(database.iterdump())
