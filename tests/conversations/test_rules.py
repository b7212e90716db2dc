"""Rules: they hold whatever is said, in whatever order, and whoever brings the values they are about."""

from __future__ import annotations

from typing import Any

import pytest

from soni import ActionContext, Actions, Refusal
from soni.core.commands import (
    AffirmConfirmation,
    CancelFlow,
    ClearSlot,
    Command,
    CorrectSlot,
    DenyConfirmation,
    Repeat,
    SetSlot,
    StartFlow,
)
from soni.testing import Conversation
from tests.conftest import Assistant, Talk

PERSON = "Would you like to talk to a person?"
DONE = "That has already been done, so I cannot change it any more."
YES = AffirmConfirmation()


def book(**slots: Any) -> StartFlow:
    """Ask for an appointment."""
    return StartFlow(flow="book", slots=slots)


def say(**slots: Any) -> list[Command]:
    """Say values."""
    return [SetSlot(slot=slot, value=value) for slot, value in slots.items()]


def correct(**slots: Any) -> list[Command]:
    """Say other values than before; None takes a value back."""
    return [CorrectSlot(slot=slot, value=value) for slot, value in slots.items()]


class Clinic:
    """A clinic that closes early on Saturdays, and remembers what was booked."""

    def __init__(self) -> None:
        self.booked: list[tuple[str, int]] = []
        self.asked: list[tuple[int, str]] = []
        self.actions = Actions()
        self.actions.register("closing_time", effect="pure")(self.closing_time)
        self.actions.register("reserve", effect="once")(self.reserve)
        self.actions.validator("in_time")(self.in_time)

    def closing_time(self, day: str) -> dict[str, int]:
        return {"closes": 14 if day == "sat" else 18}

    def reserve(self, day: str, hour: int) -> dict[str, str]:
        self.booked.append((day, hour))
        return {}

    def in_time(self, hour: int, day: str, context: ActionContext) -> bool:
        self.asked.append((hour, day))
        if day == "sun":
            raise ValueError("The clinic rests.")
        closes = self.closing_time(day)["closes"]
        if hour >= closes:
            reason = {"en": f"We close at {closes}.", "es": f"Cerramos a las {closes}."}
            raise Refusal(reason, options=["9", str(closes - 1)])
        return hour > 8


CLINIC = """
    slots:
      day: {type: text, label: the day}
      hour: {type: integer, label: the hour, validate: "hour < closes", error: "On {day} we close at {closes}."}
      closes: {type: integer, label: the closing time}
      note: {type: text}
      ok: {type: boolean}
    flows:
      book:
        steps:
          STEPS
          - {collect: note, message: "Any note?"}
          - {confirm: ok, message: "{day} at {hour}, {note}?"}
          - {action: reserve}
          - {say: "Booked."}
      address: {steps: [{say: "Main Street."}]}
"""
DAY = "- {collect: day, message: 'Which day?'}"
HOUR = "- {collect: hour, message: 'Which hour?'}"
SET = "- {step: early, type: set, compute: {closes: \"14 if day == 'sat' else 18\"}}"
LOOK = "- {action: closing_time, map_outputs: {closes: closes}}"
CALL = "- {call: closing}"
WAYS = {"an action": LOOK, "a set step": SET, "a called flow": CALL}
ORDERS = {"before the question": (DAY, "way", HOUR), "after the question": (HOUR, DAY, "way")}


def appointments(*steps: str, closing: str = SET, text: str = CLINIC) -> str:
    """The clinic's assistant with these steps before the note; `closing` is a step of the flow they may call."""
    called = f"\n      closing: {{steps: [{closing.removeprefix('- ')}]}}\n" if CALL in steps else ""
    return text.replace("STEPS", "\n          ".join(steps)).rstrip() + called


def told_by(way: str, order: str) -> str:
    """The assistant in which the closing time comes in this way, before or after the hour is asked for."""
    return appointments(*(WAYS[way] if step == "way" else step for step in ORDERS[order]))


@pytest.fixture
def clinic() -> Clinic:
    return Clinic()


async def at_review(user: Conversation, **slots: Any) -> None:
    """Say everything at once."""
    said = await user.say(book(note="a cold", **slots))
    assert said == [f"{slots['day']} at {slots['hour']}, a cold?"]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("way", WAYS)
async def test_b56_a_rule_holds_whoever_brings_what_it_reads(
    assistant: Assistant, talk: Talk, clinic: Clinic, way: str, order: str
) -> None:
    user = talk(assistant(told_by(way, order)), clinic.actions)
    assert await user.say(book(hour=16, note="a cold")) == ["Which day?"]
    assert await user.say(*say(day="sat")) == ["On sat we close at 14.", "Which hour?"]
    assert await user.say(*say(hour=15)) == ["On sat we close at 14.", "Which hour?"]
    assert await user.say(*say(hour=13)) == ["sat at 13, a cold?"]
    assert await user.say(YES) == ["Booked."]
    assert clinic.booked == [("sat", 13)]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("way", WAYS)
async def test_b56_a_correction_that_breaks_a_rule_makes_its_slot_void(
    assistant: Assistant, talk: Talk, clinic: Clinic, way: str, order: str
) -> None:
    user = talk(assistant(told_by(way, order)), clinic.actions)
    await at_review(user, day="fri", hour=16)
    said = await user.say(YES, *correct(day="sat"))
    assert said == ["I have changed the day to sat.", "On sat we close at 14.", "Which hour?"]
    assert await user.say(YES) == ["Which hour?"]
    assert await user.say(*say(hour=13)) == ["sat at 13, a cold?"]
    assert await user.say(*correct(day="fri")) == ["I have changed the day to fri.", "fri at 13, a cold?"]
    assert await user.say(YES) == ["Booked."]
    assert clinic.booked == [("fri", 13)]


async def test_b56_a_rule_holds_for_what_a_called_flow_is_told(
    assistant: Assistant, talk: Talk, clinic: Clinic
) -> None:
    user = talk(
        assistant(appointments(DAY, HOUR, CALL, closing="{collect: closes, message: 'When do they close?'}")),
        clinic.actions,
    )
    assert await user.say(book(day="sat", hour=16)) == ["When do they close?"]
    assert await user.say(*say(closes=14)) == ["On sat we close at 14.", "Which hour?"]
    assert await user.say(*say(hour=13)) == ["Any note?"]
    assert await user.say(*correct(closes=12)) == [
        "I have changed the closing time to 12.",
        "On sat we close at 12.",
        "Which hour?",
    ]
    assert (await user.say(*correct(closes=18), *say(hour=17)))[-1] == "Any note?"
    assert (await user.slots())["closes"] == 18


@pytest.mark.parametrize("purpose", ["{collect: purpose, message: 'What for?'}", "{call: ask_purpose}"])
async def test_b56_a_rule_holds_for_what_the_host_says(assistant: Assistant, talk: Talk, purpose: str) -> None:
    config = assistant(f"""
        slots:
          limit: {{type: integer, scope: conversation}}
          amount: {{type: integer, validate: "amount <= limit", error: "At most {{limit}}."}}
          purpose: {{type: text}}
          ok: {{type: boolean}}
        flows:
          pay:
            steps:
              - {{collect: amount, message: "How much?"}}
              - {purpose}
              - {{confirm: ok, message: "{{amount}}?"}}
              - {{say: "Paid {{amount}}."}}
          ask_purpose: {{steps: [{{collect: purpose, message: 'What for?'}}]}}
    """)
    user = talk(config)
    assert await user.say(StartFlow(flow="pay", slots={"amount": 80}), slots={"limit": 100}) == ["What for?"]
    assert await user.say(Repeat(), slots={"limit": 70}) == ["At most 70.", "How much?"]
    assert await user.say(*say(amount=60)) == ["What for?"]
    assert await user.say(*say(purpose="rent"), slots={"limit": 50}) == ["At most 50.", "How much?"]
    assert await user.say(*say(amount=40)) == ["40?"]
    assert await user.say(YES, slots={"limit": 30}) == ["At most 30.", "How much?"]
    assert await user.say(*say(amount=30)) == ["30?"]
    assert await user.say(YES) == ["Paid 30."]


async def test_b56_the_old_value_stands_if_a_rule_refuses_the_new_one(
    assistant: Assistant, talk: Talk, clinic: Clinic
) -> None:
    user = talk(assistant(appointments(DAY, LOOK, HOUR)), clinic.actions)
    await at_review(user, day="sat", hour=12)
    refused = ["On sat we close at 14.", "sat at 12, a cold?"]
    assert await user.say(*correct(hour=16)) == refused
    assert await user.say(YES, *correct(hour=16)) == refused
    assert await user.say(*say(hour=16)) == refused
    assert clinic.booked == []
    assert await user.say(YES) == ["Booked."]
    assert clinic.booked == [("sat", 12)]


async def test_b56_what_does_not_hold_is_not_said_to_be_changed(
    assistant: Assistant, talk: Talk, clinic: Clinic
) -> None:
    welcome = "- {step: welcome, type: say, message: '{day}, then.'}"
    user = talk(assistant(appointments(DAY, welcome, LOOK, HOUR)), clinic.actions)
    assert await user.say(book(day="fri", hour=12, note="a cold")) == ["fri, then.", "fri at 12, a cold?"]
    assert await user.say(*correct(day="sat", hour=16)) == [
        "I have changed the day to sat.",
        "On sat we close at 14.",
        "sat, then.",
        "sat at 12, a cold?",
    ]


async def test_b56_a_slot_whose_old_value_does_not_hold_either_is_asked_for(
    assistant: Assistant, talk: Talk, clinic: Clinic
) -> None:
    user = talk(assistant(appointments(DAY, LOOK, HOUR)), clinic.actions)
    await at_review(user, day="fri", hour=16)
    changed = "I have changed the day to sat."
    assert await user.say(*correct(hour=15, day="sat")) == [changed, "On sat we close at 14.", "Which hour?"]
    assert await user.say(*say(hour=10)) == ["sat at 10, a cold?"]


async def test_b56_the_old_value_of_a_flow_that_pauses_stands_too(
    assistant: Assistant, talk: Talk, clinic: Clinic
) -> None:
    user = talk(assistant(appointments(DAY, LOOK, HOUR)), clinic.actions)
    await at_review(user, day="sat", hour=12)
    said = await user.say(*correct(hour=16), StartFlow(flow="address"))
    assert said[-3:] == ["Back to where we were: book.", "On sat we close at 14.", "sat at 12, a cold?"]
    assert await user.say(YES) == ["Booked."]
    assert clinic.booked == [("sat", 12)]


async def test_b56_an_error_shows_what_the_flow_that_asks_does_not_need(
    assistant: Assistant, talk: Talk, clinic: Clinic
) -> None:
    config = assistant(appointments(DAY, LOOK, CALL, closing=HOUR))
    user = talk(config, clinic.actions)
    assert await user.say(book(day="sat")) == ["Which hour?"]
    assert await user.say(*say(hour=16)) == ["On sat we close at 14.", "Which hour?"]


@pytest.mark.parametrize("take_back", [CorrectSlot(slot="hour"), ClearSlot(slot="hour")])
async def test_b56_a_refused_value_that_is_taken_back_is_asked_for(
    assistant: Assistant, talk: Talk, clinic: Clinic, take_back: Command
) -> None:
    user = talk(assistant(appointments(DAY, LOOK, HOUR)), clinic.actions)
    await at_review(user, day="sat", hour=12)
    assert (await user.say(*correct(hour=16), take_back))[-1] == "Which hour?"
    assert await user.say(*say(hour=13)) == ["sat at 13, a cold?"]


async def test_b56_a_void_slot_counts_as_an_attempt(assistant: Assistant, talk: Talk, clinic: Clinic) -> None:
    user = talk(assistant(appointments(DAY, LOOK, HOUR)), clinic.actions)
    await at_review(user, day="fri", hour=16)
    await user.say(*correct(day="sat"))
    assert await user.say(*say(hour=15)) == ["On sat we close at 14.", "Which hour?"]
    assert (await user.say(*say(hour=17)))[-1] == PERSON
    assert await user.say(*say(hour=13)) == ["sat at 13, a cold?"]


async def test_b56_two_rules_that_fight_end_in_the_attempts(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        settings: {handoff: false}
        slots:
          low: {type: integer, validate: "low > high", error: "Above {high}."}
          high: {type: integer, validate: "high > low", error: "Above {low}."}
        flows:
          range:
            steps:
              - {collect: low, message: "From?"}
              - {collect: high, message: "To?"}
              - {say: "From {low} to {high}."}
          other: {steps: [{say: "Hi."}]}
    """)
    user = talk(config)
    await user.say(StartFlow(flow="range"))
    said = [await user.say(SetSlot(slot=slot, value=5)) for slot in ("low", "high", "low", "low")]
    assert said == [
        ["To?"],
        ["Above 5.", "From?"],
        ["Above 5.", "From?"],
        ["Above 5.", "I could not make use of that, so I have stopped here. Nothing was done."],
    ]


async def test_b56_the_first_of_several_broken_rules_is_told(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots:
          start: {type: integer, validate: "start < end", error: "Begin before {end}."}
          end: {type: integer}
          pause: {type: integer, validate: "pause > start and pause < end", error: "Pause between {start} and {end}."}
        flows:
          plan:
            steps:
              - {collect: start, message: "Start?"}
              - {collect: pause, message: "Pause?"}
              - {collect: end, message: "End?"}
              - {say: "{start}, {pause}, {end}."}
          other: {steps: [{say: "Hi."}]}
    """)
    user = talk(config)
    assert await user.say(StartFlow(flow="plan", slots={"start": 9, "pause": 12})) == ["End?"]
    assert await user.say(*say(end=8)) == ["Begin before 8.", "Start?"]
    assert await user.say(*say(start=6)) == ["Pause between 6 and 8.", "Pause?"]
    assert await user.say(*say(pause=7)) == ["6, 7, 8."]


async def test_b56_a_rule_of_a_question_holds_in_its_flow(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots:
          low: {type: integer, label: the lowest price}
          high: {type: integer, error: "Too low."}
          ok: {type: boolean}
        flows:
          range:
            steps:
              - {collect: low, message: "From?"}
              - {collect: high, message: "To?", validate: "high > low", error: "More than {low}, please."}
              - {confirm: ok, message: "From {low} to {high}?"}
          free:
            steps:
              - {collect: low, message: "One?"}
              - {collect: high, message: "Another?"}
              - {say: "{low} and {high}."}
    """)
    user = talk(config)
    assert await user.say(StartFlow(flow="range", slots={"high": 20})) == ["From?"]
    assert await user.say(*say(low=50)) == ["More than 50, please.", "To?"]
    assert await user.say(*say(high=60)) == ["From 50 to 60?"]
    assert await user.say(*correct(low=70)) == [
        "I have changed the lowest price to 70.",
        "More than 70, please.",
        "To?",
    ]
    assert await user.say(StartFlow(flow="free", slots={"low": 9, "high": 1})) == [
        "9 and 1.",
        "Back to where we were: range.",
        "To?",
    ]


async def test_b56_a_rule_holds_under_the_names_of_a_called_flow(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots:
          low: {type: integer, label: the lowest price}
          high: {type: integer}
          floor: {type: integer}
          top: {type: integer, label: the highest price, validate: "top > floor", error: "Above {floor}."}
          colour: {type: text}
        flows:
          range:
            steps:
              - {collect: low, message: "From?"}
              - {step: ask, type: call, target: ask_top, inputs: {floor: low}, outputs: {top: high}}
              - {say: "From {low} to {high}, {colour}."}
          ask_top:
            steps:
              - {collect: top, message: "To?"}
              - {collect: colour, message: "Colour?"}
    """)
    user = talk(config)
    assert await user.say(StartFlow(flow="range", slots={"top": 3})) == ["From?"]
    assert await user.say(*say(low=5)) == ["Above 5.", "To?"]
    assert await user.say(*say(top=8)) == ["Colour?"]
    assert await user.say(*correct(low=9)) == ["I have changed the lowest price to 9.", "Above 9.", "To?"]
    assert await user.say(*say(top=12)) == ["Colour?"]
    assert await user.say(*correct(top=1)) == ["Above 9.", "Colour?"]
    assert await user.say(*say(colour="red")) == ["From 9 to 12, red."]


async def test_b56_a_rule_holds_in_each_round_of_a_loop(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots:
          left: {type: integer, source: system}
          take: {type: integer, label: the number, validate: "take <= left", error: "Only {left} are left."}
          more: {type: boolean}
        flows:
          shop:
            steps:
              - {step: stock, type: set, slots: {left: 10}}
              - step: again
                type: while
                condition: "more is None or more"
                do:
                  - {collect: take, message: "How many?"}
                  - {step: less, type: set, compute: {left: "left - take"}}
                  - {collect: more, message: "More?"}
              - {say: "{left} left."}
          other: {steps: [{say: "Hi."}]}
    """)
    user = talk(config)
    await user.say(StartFlow(flow="shop"))
    assert await user.say(*say(take=4)) == ["More?"]
    assert await user.say(*say(more=True)) == ["How many?"]
    assert await user.say(*say(take=7)) == ["Only 6 are left.", "How many?"]


DEPOSIT = CLINIC.replace('{say: "Booked."}', '{collect: phone, message: "Your number?"}').replace(
    "ok: {", "phone: {type: text}\n      ok: {"
)


async def test_b56_a_rule_over_what_was_done_refuses_the_change(
    assistant: Assistant, talk: Talk, clinic: Clinic
) -> None:
    user = talk(assistant(appointments(DAY, LOOK, HOUR, text=DEPOSIT)), clinic.actions)
    await at_review(user, day="fri", hour=16)
    assert await user.say(YES) == ["Your number?"]
    assert await user.say(*correct(day="sat")) == [DONE, PERSON]
    assert await user.say(DenyConfirmation()) == ["All right.", "Your number?"]
    assert await user.say(*correct(hour=20)) == ["On fri we close at 18.", "Your number?"]
    assert await user.say(*correct(day="sat", hour=12)) == [DONE, PERSON]
    assert (await user.say(DenyConfirmation()))[-1] == "Your number?"
    assert clinic.booked == [("fri", 16)]


async def test_b56_a_rule_that_is_broken_by_what_was_just_done_needs_a_person(
    assistant: Assistant, talk: Talk, clinic: Clinic
) -> None:
    @clinic.actions.register("close", effect="once")
    def close() -> dict[str, int]:
        return {"closes": 9}

    close_now = "- {action: close, map_outputs: {closes: closes}}"
    user = talk(assistant(appointments(DAY, LOOK, HOUR, close_now)), clinic.actions)
    said = await user.say(book(day="fri", hour=16))
    assert "That was done, but something went wrong afterwards. A person will look into it." in said
    assert user.last is not None
    assert user.last.handoff is not None
    assert clinic.booked == []


ASKED = """
    slots:
      day: {type: text, label: {en: the day, es: el día}}
      hour: {type: integer, label: {en: the hour, es: la hora}, validate: in_time, error: "Not so early."}
      note: {type: text}
      ok: {type: boolean}
    flows:
      book:
        steps:
          - {collect: day, message: {en: "Which day?", es: "¿Qué día?"}}
          - {collect: hour, message: {en: "Which hour?", es: "¿A qué hora?"}}
          - {collect: note, message: {en: "Any note?", es: "¿Alguna nota?"}}
          - {confirm: ok, message: "{day}, {hour}, {note}?"}
          - {action: reserve}
      address: {steps: [{say: "Main Street."}]}
"""


async def test_b56_a_validator_is_asked_about_other_slots_and_gives_its_reasons(
    assistant: Assistant, talk: Talk, clinic: Clinic
) -> None:
    user = talk(assistant(ASKED), clinic.actions)
    assert await user.say(book(hour=16), language="en") == ["Which day?"]
    assert await user.say(*say(day="sat"), language="en") == ["We close at 14.", "Which hour?"]
    assert await user.say(*say(hour=20), language="es") == ["Cerramos a las 14.", "¿A qué hora?"]
    assert await user.say(*say(hour=13), language="es") == ["¿Alguna nota?"]
    assert await user.say(*correct(hour=7), language="en") == ["Not so early.", "Any note?"]
    assert await user.say(*correct(day="sun"), language="en") == [
        "I have changed the day to sun.",
        "The clinic rests.",
        "Which hour?",
    ]
    assert await user.say(*correct(day="fri"), *say(hour=17), language="es") == [
        "He cambiado el día a fri.",
        "¿Alguna nota?",
    ]
    assert await user.say(*correct(day="sat"), language="es") == [
        "He cambiado el día a sat.",
        "Cerramos a las 14.",
        "¿A qué hora?",
    ]


@pytest.mark.parametrize("begin", [[book(day="sat", hour=16)], [book(day="fri", hour=16), *correct(day="sat")]])
async def test_b56_what_a_validator_offers_can_be_chosen(
    assistant: Assistant, talk: Talk, clinic: Clinic, begin: list[Command]
) -> None:
    user = talk(assistant(ASKED), clinic.actions)
    for command in begin:
        await user.say(command)
    assert user.last is not None
    assert [option.label for option in user.last.messages[-1].options] == ["9", "13"]
    assert await user.choose("13") == ["Any note?"]
    assert await user.say(*say(note="a cold")) == ["sat, 13, a cold?"]
    assert [option.label for option in user.last.messages[-1].options] == ["Yes", "No"]
    assert await user.choose("Yes") == ["All right."]
    assert clinic.booked == [("sat", 13)]


async def test_b56_a_validator_is_asked_once_for_the_same_values(
    assistant: Assistant, talk: Talk, clinic: Clinic
) -> None:
    user = talk(assistant(ASKED), clinic.actions)
    await user.say(book(day="fri", hour=16))
    await user.say(StartFlow(flow="address"))
    await user.say(*say(note="a cold"))
    await user.say(*correct(note="a cough"))
    assert clinic.asked == [(16, "fri")]
    assert (await user.say(*correct(day="mon")))[-1] == "mon, 16, a cough?"
    assert clinic.asked == [(16, "fri"), (16, "mon")]
    assert await user.say(YES) == ["All right."]
    assert clinic.asked == [(16, "fri"), (16, "mon")]
    assert clinic.booked == [("mon", 16)]


async def test_b56_a_validator_does_not_wait_for_what_has_a_default(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots:
          age: {type: integer, validate: old_enough, error: "Too young."}
          member: {type: boolean, label: the membership}
          ok: {type: boolean}
        flows:
          join:
            steps:
              - {collect: age, message: "How old?"}
              - {collect: member, message: "A member?", optional: true}
              - {confirm: ok, message: "{age}?"}
          other: {steps: [{say: "Hi."}]}
    """)
    actions = Actions()

    @actions.validator("old_enough")
    def old_enough(age: int, member: bool = False) -> bool:
        return age >= (16 if member else 18)

    user = talk(config, actions)
    assert await user.say(StartFlow(flow="join", slots={"age": 17})) == ["Too young.", "How old?"]
    assert await user.say(*say(age=17, member=True)) == ["17?"]
    assert await user.say(*correct(member=False)) == [
        "I have changed the membership to no.",
        "Too young.",
        "How old?",
    ]


ORDER = """
    slots:
      item: {type: text, label: the item}
      words: {type: text, label: the text}
      signed: {type: text, label: the name}
      colour: {type: text}
    flows:
      order:
        steps:
          - {collect: item, message: "What?"}
          - {call: card}
          - {say: "{item} it is."}
      card:
        steps:
          - {collect: words, message: "Which text?"}
          - {call: sign}
          - {say: "“{words}”, {signed}."}
      sign:
        steps:
          - {collect: signed, message: "From whom?"}
          - {collect: colour, message: "Which colour?"}
      address: {steps: [{say: "Main Street."}]}
"""


async def test_b57_a_value_said_early_waits_for_the_flow_that_is_called(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(ORDER))
    order = StartFlow(flow="order", slots={"item": "Roses", "words": "Thanks", "signed": "Eve"})
    assert await user.say(order) == ["Which colour?"]
    assert await user.say(*say(colour="red")) == ["“Thanks”, Eve.", "Roses it is."]


async def test_b57_it_waits_through_questions_and_other_subjects(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(ORDER))
    assert await user.say(StartFlow(flow="order"), *say(signed="Eve")) == ["What?"]
    assert await user.say(*say(signed="Ann", colour="red")) == ["I have changed the name to Ann.", "What?"]
    assert await user.say(StartFlow(flow="address")) == ["Main Street.", "Back to where we were: order.", "What?"]
    assert await user.say(*say(item="Roses")) == ["Which text?"]
    assert await user.say(*say(words="Thanks")) == ["“Thanks”, Ann.", "Roses it is."]


async def test_b57_it_can_be_corrected_where_it_is_used(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(ORDER))
    await user.say(StartFlow(flow="order", slots={"signed": "Eve", "words": "Thanks"}))
    assert await user.say(*say(item="Roses")) == ["Which colour?"]
    assert await user.say(*correct(signed="Ann")) == ["I have changed the name to Ann.", "Which colour?"]
    assert await user.say(*correct(item="Tulips")) == ["I have changed the item to Tulips.", "Which colour?"]
    assert await user.say(*say(colour="red")) == ["“Thanks”, Ann.", "Tulips it is."]


async def test_b57_it_goes_with_the_flow_it_was_said_for(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(ORDER))
    await user.say(StartFlow(flow="order", slots={"signed": "Eve"}))
    await user.say(CancelFlow())
    assert await user.say(StartFlow(flow="order", slots={"item": "Roses", "words": "Thanks"})) == ["From whom?"]


async def test_b57_it_is_for_the_first_of_two_calls(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots:
          name: {type: text}
          first: {type: text}
          second: {type: text}
        flows:
          pair:
            steps:
              - {step: one, type: call, target: ask, outputs: {name: first}}
              - {step: two, type: call, target: ask, outputs: {name: second}}
              - {say: "{first} and {second}."}
          ask: {steps: [{collect: name, message: "Who?"}]}
    """)
    user = talk(config)
    assert await user.say(StartFlow(flow="pair", slots={"name": "Ann"})) == ["Who?"]
    assert await user.say(*say(name="Bob")) == ["Ann and Bob."]


async def test_b57_a_rule_holds_for_a_value_that_waited(assistant: Assistant, talk: Talk, clinic: Clinic) -> None:
    config = assistant("""
        slots:
          day: {type: text, label: the day}
          hour: {type: integer, label: the hour, validate: in_time}
        flows:
          book: {steps: [{collect: day, message: "Which day?"}, {call: ask_hour}, {say: "{day} at {hour}."}]}
          ask_hour: {steps: [{collect: hour, message: "Which hour?"}]}
    """)
    user = talk(config, clinic.actions)
    assert await user.say(book(hour=16)) == ["Which day?"]
    assert await user.say(*say(day="sat")) == ["We close at 14.", "Which hour?"]
    assert await user.say(*say(hour=13)) == ["sat at 13."]


@pytest.mark.parametrize("take_back", [CorrectSlot(slot="signed"), ClearSlot(slot="signed")])
async def test_b57_it_can_be_taken_back(assistant: Assistant, talk: Talk, take_back: Command) -> None:
    user = talk(assistant(ORDER))
    await user.say(StartFlow(flow="order", slots={"signed": "Eve", "words": "Thanks"}))
    assert await user.say(take_back) == ["What?"]
    assert await user.say(*say(item="Roses")) == ["From whom?"]


NAMED = """
    slots:
      day:
        type: choice
        label: {en: the day, es: el día}
        options:
          fri: {label: {en: Friday, es: viernes}}
          sat: {label: {en: Saturday, es: sábado}}
      hour: {type: integer, label: {en: the hour, es: la hora}}
      note: {type: text}
      pin: {type: text, label: {en: the PIN, es: el PIN}, sensitive: true, pattern: "[0-9]{4}"}
      ok: {type: boolean}
    flows:
      book:
        steps:
          - {collect: day}
          - {collect: hour}
          - {collect: note}
          - {collect: pin}
          - {confirm: ok, message: {en: "Book it?", es: "¿Lo reservo?"}}
      other: {steps: [{say: "Hi."}]}
"""


@pytest.mark.parametrize(
    ("language", "changes", "told"),
    [
        ("en", {"day": "fri", "hour": 10}, "I have changed the day to Friday and the hour to 10."),
        ("es", {"day": "fri", "hour": 10}, "He cambiado el día a viernes y la hora a 10."),
        ("en", {"hour": 10}, "I have changed the hour to 10."),
        ("en", {"pin": "4321", "day": "fri"}, "I have changed the PIN to ••• and the day to Friday."),
        ("en", {"note": "a cough"}, "I have changed that."),
        ("es", {"note": "tos", "hour": 10}, "Lo he cambiado."),
        ("en", {"day": "sat", "hour": 10}, "I have changed the hour to 10."),
    ],
)  # fmt: skip
async def test_b20_what_has_changed_is_told_by_its_name(
    assistant: Assistant, talk: Talk, language: str, changes: dict[str, Any], told: str
) -> None:
    user = talk(assistant(NAMED))
    await user.say(book(day="sat", hour=9, note="a cold", pin="1234"), language=language)
    assert await user.say(*correct(**changes)) == [told, {"en": "Book it?", "es": "¿Lo reservo?"}[language]]


async def test_b20_the_author_can_say_it_otherwise(assistant: Assistant, talk: Talk) -> None:
    config = assistant(
        "    texts: {changed_to: 'Noted: {_changes}.', change: '{_slot} is {_value}', changed: 'Noted.'}\n" + NAMED
    )
    user = talk(config)
    await user.say(book(day="sat", hour=9, note="a cold", pin="1234"))
    assert await user.say(*correct(day="fri", hour=10)) == ["Noted: the day is Friday and the hour is 10.", "Book it?"]
    assert await user.say(*correct(note="a cough")) == ["Noted.", "Book it?"]


@pytest.mark.parametrize(
    ("last", "told"),
    [
        (CorrectSlot(slot="day", value="sat"), ["Book it?"]),
        (SetSlot(slot="day", value="sat"), ["Book it?"]),
        (CorrectSlot(slot="day"), ["Day?"]),
        (CancelFlow(), ["All right, I have stopped that."]),
    ],
)
async def test_b23_what_was_thought_better_of_is_not_said_to_be_changed(
    assistant: Assistant, talk: Talk, last: Command, told: list[str]
) -> None:
    user = talk(assistant(NAMED))
    await user.say(book(day="sat", hour=9, note="a cold", pin="1234"))
    assert await user.say(*correct(day="fri"), last) == told
