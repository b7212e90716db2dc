"""Validating: the author's Python judges a value, and the person is told why it is refused."""

from __future__ import annotations

from datetime import date, time

import pytest

from soni import ActionContext, Actions, Refusal
from soni.core.commands import CorrectSlot, SetSlot, StartFlow
from tests.conftest import Assistant, Talk

TABLE = """
    slots:
      guests: {type: integer}
      hour: {type: time, validate: opens, error: {en: "We are closed then.", es: "Está cerrado."}}
    flows:
      book:
        steps:
          - {collect: hour, message: {en: "When?", es: "¿Cuándo?"}}
          - {collect: guests, message: {en: "How many?", es: "¿Cuántos?"}}
          - {say: {en: "At {hour}.", es: "A las {hour}."}}
      other: {steps: [{say: "Hi."}]}
"""


def opening(error: Exception | None) -> Actions:
    """Closed at 15:00, with these words."""
    actions = Actions()

    @actions.validator("opens")
    async def opens(hour: time, context: ActionContext) -> bool:
        if hour == time(15) and error is not None:
            raise error
        return hour != time(15) and context.user_id == "test"

    return actions


@pytest.mark.parametrize(
    ("error", "english", "spanish"),
    [
        (None, "We are closed then.", "Está cerrado."),
        (ValueError(), "We are closed then.", "Está cerrado."),
        (KeyError("15:00"), "We are closed then.", "Está cerrado."),
        (Refusal(options=["16:00"]), "We are closed then.", "Está cerrado."),
        (ValueError("We rest {hour}."), "We rest {hour}.", "We rest {hour}."),
        (Refusal("{}"), "{}", "{}"),
        (Refusal({"en": "From four.", "es": "Desde las cuatro."}), "From four.", "Desde las cuatro."),
        (Refusal({"fr": "Fermé."}), "Fermé.", "Fermé."),
    ],
)
async def test_b4_who_is_refused_is_told_why(
    assistant: Assistant, talk: Talk, error: Exception | None, english: str, spanish: str
) -> None:
    user = talk(assistant(TABLE), opening(error))
    await user.say(StartFlow(flow="book"), language="en")
    assert await user.say(SetSlot(slot="hour", value="15:00"), language="en") == [english, "When?"]
    assert await user.say(SetSlot(slot="hour", value="15:00"), language="es") == [spanish, "¿Cuándo?"]
    assert await user.say(SetSlot(slot="hour", value="16:00"), language="es") == ["¿Cuántos?"]


async def test_a_correction_is_refused_with_the_reason_too(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TABLE), opening(ValueError("The kitchen rests.")))
    await user.say(StartFlow(flow="book", slots={"hour": "16:00"}))
    assert await user.say(CorrectSlot(slot="hour", value="15:00")) == ["The kitchen rests.", "How many?"]
    assert (await user.slots())["hour"] == "16:00:00"


async def test_a_reason_never_shows_a_secret(
    assistant: Assistant, talk: Talk, caplog: pytest.LogCaptureFixture
) -> None:
    config = assistant("""
        slots: {pin: {type: text, sensitive: true, pattern: "[0-9a-z]{1,200}", validate: six_digits}}
        flows:
          login: {steps: [{collect: pin, message: "PIN?"}, {say: "In."}]}
          other: {steps: [{say: "Hi."}]}
    """)
    actions = Actions()

    @actions.validator("six_digits")
    def six_digits(pin: str) -> bool:
        if len(pin) > 100:
            raise Refusal({"en": "x" * 990 + pin})
        return int(pin) > 99_999  # what int says of anything else holds the value

    user = talk(config, actions)
    await user.say(StartFlow(flow="login"))
    assert await user.say(SetSlot(slot="pin", value="12ab34")) == [
        "invalid literal for int() with base 10: '•••'",
        "PIN?",
    ]
    said = await user.say(SetSlot(slot="pin", value="7k" * 100))
    assert "7k" not in said[0]
    assert user.last is not None
    assert "12ab34" not in caplog.text + str(user.last.trace)


async def test_a_validator_that_tells_something_refuses(assistant: Assistant, talk: Talk) -> None:
    actions = Actions()

    @actions.validator("opens")
    async def opens(hour: time, context: ActionContext) -> bool:
        await context.inform("Let me look.")
        return True

    user = talk(assistant(TABLE), actions)
    await user.say(StartFlow(flow="book"))
    assert await user.say(SetSlot(slot="hour", value="16:00")) == ["We are closed then.", "When?"]


@pytest.mark.parametrize(
    ("slot", "question"),
    [
        ("validate: 'high > low', error: Too low.", ""),
        ("error: Too low.", ", validate: 'high > low'"),
    ],
)
async def test_what_a_rule_reads_is_passed_into_the_flow_that_asks(
    assistant: Assistant, talk: Talk, slot: str, question: str
) -> None:
    config = assistant(f"""
        slots:
          low: {{type: integer}}
          high: {{type: integer, {slot}}}
        flows:
          range: {{steps: [{{collect: low, message: "From?"}}, {{call: ask_high}}, {{say: "{{low}} to {{high}}"}}]}}
          ask_high: {{steps: [{{collect: high, message: "To?"{question}}}]}}
    """)
    user = talk(config)
    assert await user.say(StartFlow(flow="range", slots={"low": 50})) == ["To?"]
    assert await user.say(SetSlot(slot="high", value=20)) == ["Too low.", "To?"]
    assert await user.say(SetSlot(slot="high", value=60)) == ["50 to 60"]


async def test_a_validator_that_takes_other_slots_waits_for_them(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {day: {type: date}, hour: {type: time, validate: within_hours}}
        flows:
          book: {steps: [{collect: hour, message: "When?"}, {collect: day, message: "Which day?"}]}
          other: {steps: [{say: "Hi."}]}
    """)
    asked = []
    actions = Actions()

    @actions.validator("within_hours")
    def within_hours(hour: time, day: date) -> bool:
        asked.append(day)
        return False

    user = talk(config, actions)
    await user.say(StartFlow(flow="book"))
    assert await user.say(SetSlot(slot="hour", value="16:00")) == ["Which day?"]
    assert asked == []


async def test_what_a_validator_takes_is_passed_into_the_flow_that_asks(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {day: {type: date}, hour: {type: time, validate: within_hours}}
        flows:
          book: {steps: [{collect: day, message: "Which day?"}, {call: ask_hour}]}
          ask_hour: {steps: [{collect: hour, message: "When?"}]}
    """)
    actions = Actions()

    @actions.validator("within_hours")
    def within_hours(hour: time, day: date) -> bool:
        return True

    user = talk(config, actions)
    assert await user.say(StartFlow(flow="book", slots={"day": "2026-05-04"})) == ["When?"]
    assert await user.slots() == {"day": "2026-05-04"}
    assert (await user.state())["flow_stack"][-1]["flow_name"] == "ask_hour"
