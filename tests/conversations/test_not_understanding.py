"""When a message is no plain answer: values without a home, skipping, repeating, small talk, coming to nothing."""

from __future__ import annotations

from typing import Any

import pytest

from soni.core.commands import (
    AffirmConfirmation,
    ChitChat,
    Command,
    DenyConfirmation,
    Help,
    OutOfScope,
    Repeat,
    SetSlot,
    Skip,
    StartFlow,
)
from soni.testing import Conversation
from tests.conftest import Assistant, Talk

SORRY = "Sorry, I did not understand that, or it is not something I can help with."
LIST = "This is what I can do:\n- Book a trip\n- Tell the weather"

TRIP = """
    slots:
      city: {type: text}
      days: {type: integer, validate: "days > 0", error: "At least one day."}
      note: {type: text}
      colour: {type: text}
      size: {type: integer}
      price: {type: integer, source: system}
      ok: {type: boolean}
    flows:
      book:
        description: Book a trip
        steps:
          - {collect: city, message: "Where to?", why: "I need to know where the train goes."}
          - {collect: days, message: "How long?"}
          - {collect: note, message: "A note?", optional: true}
          - {confirm: ok, message: "{days} days in {city}, {note}?"}
          - {say: "Booked, {note}."}
      weather: {description: Tell the weather, steps: [{say: "Sunny."}]}
      paint:
        if: "false"
        steps:
          - {collect: colour, message: "Colour?"}
          - {collect: size, message: "Size?"}
          - {set: {price: 1}}
"""


async def standing(user: Conversation) -> tuple[Any, Any]:
    """Everything about the running flows."""
    state = await user.state()
    return state["flow_stack"], state["flow_slots"]


@pytest.mark.parametrize("slot", ["length", "size"])
async def test_b5_a_value_for_a_slot_nobody_has_answers_the_question_if_it_is_of_its_type(
    assistant: Assistant, talk: Talk, slot: str
) -> None:
    user = talk(assistant(TRIP))
    await user.say(StartFlow(flow="book", slots={"city": "Rome"}))
    assert await user.say(SetSlot(slot=slot, value=3)) == ["A note?"]
    assert await user.slots() == {"city": "Rome", "days": 3}


async def test_b5_words_for_a_slot_that_does_not_exist_answer_a_question_for_words(
    assistant: Assistant, talk: Talk
) -> None:
    user = talk(assistant(TRIP))
    await user.say(StartFlow(flow="book"))
    assert await user.say(SetSlot(slot="destination", value="Rome")) == ["How long?"]
    assert await user.slots() == {"city": "Rome"}


async def test_b5_a_value_taken_as_the_answer_is_validated_like_any_other(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRIP))
    await user.say(StartFlow(flow="book", slots={"city": "Rome"}))
    assert await user.say(SetSlot(slot="length", value=-3)) == ["At least one day.", "How long?"]


@pytest.mark.parametrize(
    "commands",
    [
        [SetSlot(slot="length", value=3), SetSlot(slot="nights", value=4)],
        [SetSlot(slot="length", value=3), SetSlot(slot="length", value=4)],
        [SetSlot(slot="length", value="long")],
        [SetSlot(slot="price", value=3)],
        [SetSlot(slot="ok", value=True)],
        [SetSlot(slot="_person_wanted", value=True)],
        [SetSlot(slot="_flow", value=3)],
    ],
)
async def test_b5_what_could_be_meant_otherwise_is_not_guessed(
    assistant: Assistant, talk: Talk, commands: list[Command]
) -> None:
    user = talk(assistant(TRIP))
    await user.say(StartFlow(flow="book", slots={"city": "Rome"}))
    assert await user.say(*commands) == ["How long?"]
    assert await user.slots() == {"city": "Rome"}


async def test_b5_words_for_a_slot_of_another_flow_are_not_guessed(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRIP))
    await user.say(StartFlow(flow="book"))
    assert await user.say(SetSlot(slot="colour", value="red")) == ["Where to?"]
    assert await user.slots() == {}


async def test_b5_a_value_beside_the_answer_does_not_replace_it(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRIP))
    await user.say(StartFlow(flow="book", slots={"city": "Rome"}))
    await user.say(SetSlot(slot="days", value=2), SetSlot(slot="size", value=9))
    assert (await user.slots())["days"] == 2


async def test_b5_no_value_confirms_anything(assistant: Assistant, talk: Talk) -> None:
    for slot in ("nonsense", "ok", "size", "_person_wanted"):
        user = talk(assistant(TRIP), user_id=slot)
        await user.say(StartFlow(flow="book", slots={"city": "Rome", "days": 3, "note": "x"}))
        assert await user.say(SetSlot(slot=slot, value=True), SetSlot(slot="days", value=3)) == ["3 days in Rome, x?"]


async def test_b7_an_optional_question_may_stay_empty(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRIP))
    await user.say(StartFlow(flow="book", slots={"city": "Rome", "days": 3}))
    assert await user.say(Skip()) == ["3 days in Rome, —?"]
    assert await user.say(AffirmConfirmation()) == ["Booked, —."]


async def test_b7_a_required_question_says_why_it_is_asked(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRIP))
    await user.say(StartFlow(flow="book"))
    assert await user.say(Skip()) == ["I need to know where the train goes.", "Where to?"]
    await user.say(SetSlot(slot="city", value="Rome"))
    assert await user.say(Skip()) == ["I cannot go on without that.", "How long?"]


async def test_b7_skipping_a_confirmation_confirms_nothing(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRIP))
    await user.say(StartFlow(flow="book", slots={"city": "Rome", "days": 3, "note": "x"}))
    for _ in range(4):
        assert await user.say(Skip()) == ["I cannot go on without that.", "3 days in Rome, x?"]
    assert await user.say(AffirmConfirmation()) == ["Booked, x."]


async def test_b7_skipping_where_nothing_is_asked_is_answered(assistant: Assistant, talk: Talk) -> None:
    assert await talk(assistant(TRIP)).say(Skip()) == [SORRY]


async def test_b7_a_skipped_question_is_not_asked_again_after_a_digression(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRIP))
    await user.say(StartFlow(flow="book", slots={"city": "Rome", "days": 3}))
    await user.say(Skip())
    assert await user.say(StartFlow(flow="weather")) == [
        "Sunny.",
        "Back to where we were: Book a trip.",
        "3 days in Rome, —?",
    ]


@pytest.mark.parametrize("given", [{}, {"city": "Rome"}, {"city": "Rome", "days": 3, "note": "x"}])
async def test_b8_repeat_says_the_question_again_and_changes_nothing(
    assistant: Assistant, talk: Talk, given: dict[str, Any]
) -> None:
    user = talk(assistant(TRIP))
    asked = await user.say(StartFlow(flow="book", slots=given))
    before = await standing(user)
    for _ in range(4):
        assert await user.say(Repeat()) == asked
    assert await standing(user) == before


async def test_b8_repeat_leaves_out_what_was_said_before_the_question(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRIP))
    await user.say(StartFlow(flow="book"))
    await user.say(StartFlow(flow="weather"))
    assert await user.say(Repeat()) == ["Where to?"]


async def test_b8_with_nothing_open_the_last_answer_is_repeated(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRIP))
    assert await user.say(Repeat()) == [SORRY], "nothing has been said that could be repeated"
    await user.say(StartFlow(flow="weather"))
    assert await user.say(Repeat()) == ["Sunny."]
    assert await user.say(Repeat()) == ["Sunny."]


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        (OutOfScope(), SORRY),
        (ChitChat(), "I am better at getting things done than at small talk."),
        (ChitChat(topic="jokes"), "I am better at getting things done than at small talk."),
        (ChitChat(topic="greeting"), "Hello!"),
        (ChitChat(topic="thanks"), "You are welcome."),
        (ChitChat(topic="goodbye"), "Goodbye!"),
        (Help(), LIST),
    ],
)
async def test_b41_b46_talk_is_answered_and_the_open_question_stays(
    assistant: Assistant, talk: Talk, command: Command, answer: str
) -> None:
    user = talk(assistant(TRIP))
    assert await user.say(command) == [answer]
    await user.say(StartFlow(flow="book"))
    before = await standing(user)
    assert await user.say(command) == [answer, "Where to?"]
    assert await standing(user) == before
    assert await user.say(SetSlot(slot="city", value="Rome")) == ["How long?"]


async def test_b41_the_answers_are_the_authors_to_write(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        texts:
          out_of_scope: Trains only.
          greeting: Ahoy!
          help: "I can:\\n{_capabilities}"
        flows:
          book: {description: {en: Book a trip, es: Reservar un viaje}, steps: [{say: "Booked."}]}
          hush: {steps: [{say: "…"}]}
    """)
    user = talk(config)
    assert await user.say(OutOfScope()) == ["Trains only."]
    assert await user.say(ChitChat(topic="greeting")) == ["Ahoy!"]
    assert await user.say(Help()) == ["I can:\n- Book a trip"], "flows without a description are not told of"


async def test_b46_an_answer_together_with_thanks_is_an_answer(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRIP))
    await user.say(StartFlow(flow="book"))
    said = await user.say(ChitChat(topic="thanks"), SetSlot(slot="city", value="Rome"))
    assert said == ["You are welcome.", "How long?"]


async def test_b42_three_turns_that_come_to_nothing_lead_to_the_offer_of_a_person(
    assistant: Assistant, talk: Talk
) -> None:
    user = talk(assistant(TRIP))
    await user.say(StartFlow(flow="book"))
    assert await user.say(OutOfScope()) == [SORRY, "Where to?"]
    assert await user.say(SetSlot(slot="colour", value="red")) == ["Where to?"]
    assert await user.say() == [SORRY, "Would you like to talk to a person?"]
    assert await user.say(DenyConfirmation()) == [LIST, "Where to?"]
    assert await user.say(SetSlot(slot="city", value="Rome")) == ["How long?"]


async def test_b42_the_offer_can_be_answered_by_its_buttons(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant("settings: {fallback_after: 1}" + TRIP.replace("\n    ", "\n")))
    assert await user.say(OutOfScope()) == [SORRY, "Would you like to talk to a person?"]
    assert await user.choose("No") == [LIST]
    await user.say(OutOfScope())
    assert await user.choose("Yes") == ["A person will take it from here."]
    assert user.last is not None
    assert user.last.handoff is not None


async def test_b42_a_turn_that_comes_to_something_begins_the_count_anew(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRIP))
    await user.say(StartFlow(flow="book"))
    for answer in (SetSlot(slot="city", value="Rome"), SetSlot(slot="days", value=2), Help()):
        for _ in range(2):
            assert (await user.say(OutOfScope()))[0] == SORRY
        assert "Would you like to talk to a person?" not in await user.say(answer)
    assert await user.say(OutOfScope()) == [SORRY, "A note?"]


async def test_b42_without_people_it_lists_what_it_can_do(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant("settings: {handoff: false}" + TRIP.replace("\n    ", "\n")))
    await user.say(StartFlow(flow="book"))
    for _ in range(2):
        for _ in range(2):
            assert await user.say(OutOfScope()) == [SORRY, "Where to?"]
        assert await user.say(OutOfScope()) == [SORRY, LIST, "Where to?"]


async def test_b42_an_offer_that_is_not_answered_is_given_up(assistant: Assistant, talk: Talk) -> None:
    """Whatever comes that means nothing, the question below is asked again in the end, and nothing piles up."""
    user = talk(assistant("settings: {fallback_after: 1}" + TRIP.replace("\n    ", "\n")))
    await user.say(StartFlow(flow="book"))
    await user.say(OutOfScope())
    said = [await user.say(OutOfScope()) for _ in range(3)]
    assert said[:2] == [[SORRY, "Would you like to talk to a person?"]] * 2
    assert said[2] == [SORRY, LIST, "Where to?"]
    assert len((await user.state())["flow_stack"]) == 1
    assert await user.say(SetSlot(slot="city", value="Rome")) == ["How long?"]


async def test_b42_who_goes_on_while_a_person_is_offered_is_served(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant("settings: {fallback_after: 1}" + TRIP.replace("\n    ", "\n")))
    await user.say(StartFlow(flow="book"))
    await user.say(OutOfScope())
    assert await user.say(StartFlow(flow="weather")) == ["Sunny.", "Back to where we were: Book a trip.", "Where to?"]


async def test_b42_an_answer_that_comes_while_a_person_is_offered_is_progress(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant("settings: {fallback_after: 1}" + TRIP.replace("\n    ", "\n")))
    await user.say(StartFlow(flow="book"))
    await user.say(OutOfScope())
    assert await user.say(SetSlot(slot="city", value="Rome")) == ["How long?"]
