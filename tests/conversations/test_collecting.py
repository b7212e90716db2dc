"""Collecting: what is filled is not asked, what is refused is asked again."""

from __future__ import annotations

import textwrap

import pytest

from soni import Actions
from soni.core.commands import CorrectSlot, DenyConfirmation, SetSlot, StartFlow
from tests.conftest import Assistant, Talk

ORDER = """
    slots:
      amount: {type: integer, validate: "amount >= 0 and amount <= 10", error: "Between 0 and 10, not more."}
      gift: {type: boolean}
      note: {type: text}
    flows:
      order:
        steps:
          - {step: ask_amount, type: collect, slot: amount, message: "How many?"}
          - {step: ask_gift, type: collect, slot: gift, message: "A gift?"}
          - {step: ask_note, type: collect, slot: note, message: "A note?"}
          - {step: done, type: say, message: "{amount}, {gift}, {note}"}
      other:
        steps: [{step: hi, type: say, message: "Hi."}]
"""


async def test_the_flow_asks_for_one_slot_after_the_other(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(ORDER))
    assert await user.say(StartFlow(flow="order")) == ["How many?"]
    assert await user.say(SetSlot(slot="amount", value="three")) == ["A gift?"]
    assert await user.say(SetSlot(slot="gift", value="yes")) == ["A note?"]
    assert await user.say(SetSlot(slot="note", value="With love")) == ["3, yes, With love"]
    assert (await user.state())["flow_stack"] == []


async def test_b1_zero_and_false_are_filled(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(ORDER))
    commands = [StartFlow(flow="order"), SetSlot(slot="amount", value=0), SetSlot(slot="gift", value=False)]
    assert await user.say(*commands) == ["A note?"]
    assert await user.slots() == {"amount": 0, "gift": False}


async def test_b2_several_values_in_one_message_fill_slots_of_steps_to_come(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(ORDER))
    await user.say(StartFlow(flow="order"))
    said = await user.say(SetSlot(slot="note", value="Hi"), SetSlot(slot="amount", value=2))
    assert said == ["A gift?"]
    assert await user.say(SetSlot(slot="gift", value=True)) == ["2, yes, Hi"]


async def test_values_can_come_with_the_start(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(ORDER))
    assert await user.say(StartFlow(flow="order", slots={"amount": 4, "note": "x"})) == ["A gift?"]


@pytest.mark.parametrize("value", [11, "eleven", -1, "no number at all", "", None, [], {"a": 1}])
async def test_b4_a_refused_answer_gets_the_error_text_and_the_question_again(
    assistant: Assistant, talk: Talk, value: object
) -> None:
    user = talk(assistant(ORDER))
    await user.say(StartFlow(flow="order"))
    assert await user.say(SetSlot(slot="amount", value=value)) == ["Between 0 and 10, not more.", "How many?"]
    assert await user.slots() == {}


async def test_b4_after_three_refused_answers_a_person_is_offered_or_the_flow_ends(
    assistant: Assistant, talk: Talk
) -> None:
    user = talk(assistant(ORDER))
    await user.say(StartFlow(flow="order"))
    for _ in range(2):
        await user.say(SetSlot(slot="amount", value=99))
    said = await user.say(SetSlot(slot="amount", value=99))
    assert said == [
        "Between 0 and 10, not more.",
        "I am afraid we are not getting anywhere with this.",
        "Would you like to talk to a person?",
    ]
    said = await user.say(DenyConfirmation())
    assert said == ["All right.", "I could not make use of that, so I have stopped here. Nothing was done."]
    assert (await user.state())["flow_stack"] == []


async def test_b4_without_people_three_refused_answers_end_the_flow(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant("settings: {handoff: false}\n" + textwrap.dedent(ORDER)))
    await user.say(StartFlow(flow="order"))
    for _ in range(2):
        await user.say(SetSlot(slot="amount", value=99))
    said = await user.say(SetSlot(slot="amount", value=99))
    assert said[1:] == ["I could not make use of that, so I have stopped here. Nothing was done."]
    assert (await user.state())["flow_stack"] == []


async def test_a_question_may_have_its_own_limit_and_way_out(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {pin: {type: integer, error: "Digits, please."}}
        flows:
          login:
            steps:
              - {collect: pin, message: "PIN?", attempts: 1, on_attempts: sorry}
              - {say: "Welcome.", jump_to: end}
              - {step: sorry, type: say, message: "Locked."}
          other: {steps: [{say: "Hi."}]}
    """)
    user = talk(config)
    await user.say(StartFlow(flow="login"))
    assert await user.say(SetSlot(slot="pin", value="abc")) == ["Digits, please.", "Locked."]


async def test_b1_ask_always_asks_once_per_visit_even_when_filled(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {city: {type: text}}
        flows:
          trip:
            steps:
              - {step: first, type: collect, slot: city, message: "Which city?"}
              - {step: again, type: collect, slot: city, message: "Still {city}?", ask_always: true}
              - {say: "To {city}."}
          other: {steps: [{say: "Hi."}]}
    """)
    user = talk(config)
    await user.say(StartFlow(flow="trip"))
    assert await user.say(SetSlot(slot="city", value="Rome")) == ["Still Rome?"]
    assert await user.say(SetSlot(slot="city", value="Oslo")) == ["To Oslo."]


async def test_ask_always_takes_the_same_value_again_as_an_answer(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {city: {type: text}}
        flows:
          trip: {steps: [{collect: city, message: "Which?", ask_always: true}, {say: "To {city}."}]}
          other: {steps: [{say: "Hi."}]}
    """)
    user = talk(config)
    assert await user.say(StartFlow(flow="trip", slots={"city": "Rome"})) == ["Which?"]
    assert await user.say(SetSlot(slot="city", value="Rome")) == ["To Rome."]


async def test_a_question_can_have_its_own_validator(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {age: {type: integer, validate: "age >= 0"}}
        flows:
          adults:
            steps:
              - {collect: age, message: "Age?", validate: "age >= 18", error: "Adults only."}
              - {say: "Welcome."}
          other: {steps: [{say: "Hi."}]}
    """)
    user = talk(config)
    await user.say(StartFlow(flow="adults"))
    assert await user.say(SetSlot(slot="age", value=12)) == ["Adults only.", "Age?"]
    assert await user.say(SetSlot(slot="age", value=18)) == ["Welcome."]


async def test_b3_the_rules_of_a_question_hold_for_every_way_a_value_comes(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {who: {type: text}, code: {type: text}}
        flows:
          login:
            steps:
              - {collect: who, message: "Who?"}
              - {collect: code, message: "Code?", validate: "len(code) == 6", error: "Six digits."}
              - {say: "In with {code}."}
          other: {steps: [{say: "Hi."}]}
    """)
    user = talk(config)
    assert await user.say(StartFlow(flow="login", slots={"code": "1"})) == ["Six digits.", "Who?"]
    assert await user.say(SetSlot(slot="who", value="Ana")) == ["Code?"]
    assert await user.say(CorrectSlot(slot="code", value="1")) == ["Six digits.", "Code?"]
    assert await user.say(CorrectSlot(slot="code", value="123456")) == ["In with 123456."]


async def test_a_rule_about_a_slot_that_is_still_empty_waits(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots:
          first: {type: date}
          last: {type: date, validate: "last >= first", error: "Not before the first day."}
        flows:
          stay:
            steps:
              - {collect: first, message: "From?"}
              - {collect: last, message: "To?"}
              - {say: "{first:short}-{last:short}"}
          other: {steps: [{say: "Hi."}]}
    """)
    user = talk(config)
    said = await user.say(StartFlow(flow="stay"), SetSlot(slot="last", value="2026-05-09"))
    assert said == ["From?"]
    assert await user.say(SetSlot(slot="first", value="2026-05-02")) == ["5/2/26-5/9/26"]
    await user.say(StartFlow(flow="stay"), SetSlot(slot="first", value="2026-05-02"))
    assert await user.say(SetSlot(slot="last", value="2026-05-01")) == ["Not before the first day.", "To?"]


async def test_a_correction_of_what_was_just_asked_is_the_answer(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {city: {type: text}}
        flows:
          trip: {steps: [{collect: city, message: "Which?", ask_always: true}, {say: "To {city}."}]}
          other: {steps: [{say: "Hi."}]}
    """)
    user = talk(config)
    await user.say(StartFlow(flow="trip", slots={"city": "Rome"}))
    assert await user.say(CorrectSlot(slot="city", value="Oslo")) == ["To Oslo."]


async def test_b6_a_choice_offers_its_options_and_takes_one_by_its_payload(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots:
          size: {type: choice, options: {small: [little], large: {label: extra large}}}
        flows:
          buy: {steps: [{collect: size, message: "Which size?"}, {say: "One {size}."}]}
          other: {steps: [{say: "Hi."}]}
    """)
    user = talk(config)
    await user.say(StartFlow(flow="buy"))
    assert user.last is not None
    assert [option.label for option in user.last.messages[-1].options] == ["small", "extra large"]
    assert await user.choose("extra large") == ["One extra large."]


async def test_a_slot_without_a_question_is_asked_for_by_its_description(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {recipient: {type: text, description: who receives the money}}
        flows:
          send: {steps: [{collect: recipient}, {say: "{recipient}"}]}
          other: {steps: [{say: "Hi."}]}
    """)
    assert await talk(config).say(StartFlow(flow="send")) == ["Who receives the money?"]


async def test_commands_that_come_to_nothing_are_answered(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(ORDER))
    assert (await user.say(SetSlot(slot="amount", value=1)))[0].startswith("Sorry, I did not understand")
    assert (await user.say(StartFlow(flow="nonsense")))[0].startswith("Sorry, I did not understand")


async def test_what_an_action_takes_belongs_to_its_flow(assistant: Assistant, talk: Talk) -> None:
    """Also in a called flow that names the slot nowhere else."""
    config = assistant("""
        slots: {amount: {type: integer}, out: {type: integer, source: system}}
        flows:
          main: {steps: [{collect: amount, message: "How much?"}, {call: inner}, {say: "{out}"}]}
          inner: {if: "false", steps: [{action: double, map_outputs: {out: out}}]}
          other: {steps: [{say: "Hi."}]}
    """)
    actions = Actions()
    actions.register("double", effect="pure")(lambda amount: {"out": amount * 2})
    assert await talk(config, actions).say(StartFlow(flow="main", slots={"amount": 4})) == ["8"]


async def test_values_nobody_asked_for_are_dropped_and_traced(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(ORDER))
    await user.say(StartFlow(flow="order"))
    assert await user.say(SetSlot(slot="nonsense", value="x")) == ["How many?"]
    assert user.last is not None
    assert {"event": "ignored", "why": "there is no slot 'nonsense'"} in user.last.trace
