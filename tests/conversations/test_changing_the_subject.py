"""Digressions, cancelling, corrections."""

from __future__ import annotations

from soni import Actions
from soni.core.commands import (
    Acknowledge,
    AffirmConfirmation,
    CancelFlow,
    CorrectSlot,
    OutOfScope,
    SetSlot,
    StartFlow,
)
from tests.conftest import Assistant, Talk

TRAVEL = """
    slots:
      city: {type: text}
      days: {type: integer, validate: "days > 0", error: "At least one day."}
      price: {type: integer, source: system}
      ok: {type: boolean}
      colour: {type: text}
    flows:
      book:
        steps:
          - {step: ask_city, type: collect, slot: city, message: "Where to?"}
          - {step: ask_days, type: collect, slot: days, message: "How long?"}
          - {step: quote, type: action, call: quote, map_outputs: {price: price}}
          - {step: dear, type: branch, cases: [{when: "price > 500", then: warn}, {else: review}]}
          - {step: warn, type: say, message: "That is dear."}
          - {step: review, type: confirm, slot: ok, message: "{days} days in {city} for {price}?"}
          - {step: done, type: say, message: "Booked."}
      weather: {steps: [{say: "Sunny."}]}
      paint: {steps: [{collect: colour, message: "Colour?"}, {say: "{colour} it is."}]}
"""


def pricing() -> Actions:
    actions = Actions()

    @actions.register("quote", effect="pure")
    def quote(days: int) -> dict[str, int]:
        return {"price": days * 100}

    return actions


async def test_b30_another_flow_pauses_the_current_one_which_then_resumes(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRAVEL), pricing())
    await user.say(StartFlow(flow="book", slots={"city": "Rome"}))
    assert await user.say(StartFlow(flow="weather")) == ["Sunny.", "Back to where we were.", "How long?"]
    assert (await user.say(SetSlot(slot="days", value=3)))[-1] == "3 days in Rome for 300?"


async def test_b31_digressions_nest_up_to_a_limit(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        settings: {max_depth: 2}
        slots: {a: {type: text}, b: {type: text}, c: {type: text}}
        flows:
          one: {steps: [{collect: a, message: "A?"}]}
          two: {steps: [{collect: b, message: "B?"}]}
          three: {steps: [{collect: c, message: "C?"}]}
    """)
    user = talk(config)
    await user.say(StartFlow(flow="one"))
    assert await user.say(StartFlow(flow="two")) == ["B?"]
    said = await user.say(StartFlow(flow="three"))
    assert said == ["We have a lot open already. Let us finish something first.", "B?"]
    assert await user.say(SetSlot(slot="b", value="x")) == ["Back to where we were.", "A?"]


async def test_b32_starting_the_active_flow_updates_it(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRAVEL), pricing())
    await user.say(StartFlow(flow="book"))
    assert await user.say(StartFlow(flow="book", slots={"city": "Oslo"})) == ["How long?"]
    assert len((await user.state())["flow_stack"]) == 1


async def test_b32_a_paused_flow_is_brought_back(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRAVEL), pricing())
    await user.say(StartFlow(flow="book"))
    await user.say(StartFlow(flow="paint"))
    assert (await user.say(StartFlow(flow="book")))[-1] == "Where to?"
    assert [frame["flow_name"] for frame in (await user.state())["flow_stack"]] == ["paint", "book"]


async def test_b33_two_starts_in_one_message_run_in_spoken_order(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRAVEL), pricing())
    assert await user.say(StartFlow(flow="weather"), StartFlow(flow="paint")) == ["Sunny.", "Colour?"]
    said = await user.say(StartFlow(flow="book"), SetSlot(slot="city", value="Rome"), StartFlow(flow="weather"))
    assert said == ["How long?"]
    said = await user.say(SetSlot(slot="days", value=1))
    assert said == ["1 days in Rome for 100?"]
    said = await user.say(AffirmConfirmation())
    assert said == ["Booked.", "Sunny.", "Back to where we were.", "Colour?"]


async def test_b34_cancel_ends_the_flow_and_resumes_what_it_interrupted(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRAVEL), pricing())
    await user.say(StartFlow(flow="book"))
    await user.say(StartFlow(flow="paint"))
    said = await user.say(CancelFlow())
    assert said == ["All right, I have stopped that.", "Back to where we were.", "Where to?"]
    assert await user.say(CancelFlow()) == ["All right, I have stopped that."]
    assert await user.say(CancelFlow()) == ["There is nothing to cancel."]


async def test_b34_cancel_and_start_in_one_message_do_both(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRAVEL), pricing())
    await user.say(StartFlow(flow="book"))
    assert await user.say(CancelFlow(), StartFlow(flow="paint")) == ["All right, I have stopped that.", "Colour?"]


async def test_b41_out_of_scope_repeats_the_open_question(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRAVEL), pricing())
    await user.say(StartFlow(flow="book"))
    said = await user.say(OutOfScope())
    assert said[1:] == ["Where to?"]
    assert await user.say() == said, "a message that means nothing is answered, too"


async def test_b20_a_correction_goes_back_to_the_first_step_that_read_the_old_value(
    assistant: Assistant, talk: Talk
) -> None:
    user = talk(assistant(TRAVEL), pricing())
    await user.say(StartFlow(flow="book", slots={"city": "Rome", "days": 3}))
    said = await user.say(CorrectSlot(slot="days", value=9))
    assert said == ["I have changed that.", "That is dear.", "9 days in Rome for 900?"]
    said = await user.say(SetSlot(slot="days", value=2))
    assert said == ["I have changed that.", "2 days in Rome for 200?"]
    assert await user.say(AffirmConfirmation()) == ["Booked."]


async def test_b20_the_same_value_again_is_nothing(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRAVEL), pricing())
    await user.say(StartFlow(flow="book", slots={"city": "Rome", "days": 3}))
    assert await user.say(CorrectSlot(slot="days", value=3)) == ["3 days in Rome for 300?"]


async def test_b21_a_correction_without_a_value_asks_again(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRAVEL), pricing())
    await user.say(StartFlow(flow="book", slots={"city": "Rome", "days": 3}))
    assert (await user.say(CorrectSlot(slot="city")))[-1] == "Where to?"
    assert await user.say(SetSlot(slot="city", value="Oslo")) == ["3 days in Oslo for 300?"]


async def test_b23_an_invalid_correction_keeps_the_old_value_and_says_so(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRAVEL), pricing())
    await user.say(StartFlow(flow="book", slots={"city": "Rome", "days": 3}))
    assert await user.say(CorrectSlot(slot="days", value=-2)) == ["At least one day.", "3 days in Rome for 300?"]


async def test_b25_what_a_once_action_has_done_is_neither_repeated_nor_undone(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {amount: {type: integer}, ok: {type: boolean}, stars: {type: integer}}
        flows:
          pay:
            steps:
              - {collect: amount, message: "How much?"}
              - {confirm: ok, message: "Pay {amount}?"}
              - {action: pay}
              - {collect: stars, message: "How was it?"}
              - {say: "Thanks."}
          other: {steps: [{say: "Hi."}]}
    """)
    paid: list[int] = []
    actions = Actions()
    actions.register("pay")(lambda amount: paid.append(amount))
    user = talk(config, actions)
    await user.say(StartFlow(flow="pay", slots={"amount": 5}))
    assert await user.say(AffirmConfirmation()) == ["How was it?"]
    said = await user.say(CorrectSlot(slot="amount", value=9))
    assert said == ["That has already been done, so I cannot change it any more.", "How was it?"]
    assert (await user.slots())["amount"] == 5
    assert paid == [5]


async def test_a_value_for_a_paused_flow_reaches_it(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRAVEL), pricing())
    await user.say(StartFlow(flow="book"))
    await user.say(StartFlow(flow="paint"))
    assert await user.say(SetSlot(slot="city", value="Rome")) == ["Colour?"]
    assert await user.say(SetSlot(slot="colour", value="red")) == ["red it is.", "Back to where we were.", "How long?"]


async def test_a_say_that_waits_goes_on_when_it_is_acknowledged(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        flows:
          terms:
            steps:
              - {say: "Fees apply.", wait_for_ack: true, options: ["Got it"]}
              - {say: "Thanks."}
          other: {steps: [{say: "Hi."}]}
    """)
    user = talk(config)
    assert await user.say(StartFlow(flow="terms")) == ["Fees apply."]
    assert (await user.say(OutOfScope()))[-1] == "Fees apply."
    assert await user.say(Acknowledge()) == ["Thanks."]
    await user.say(StartFlow(flow="terms"))
    assert await user.choose("Got it") == ["Thanks."]
