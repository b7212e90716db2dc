"""Rules that meet corrections: whoever says the value, under whichever name, in whichever flow."""

from __future__ import annotations

import pytest

from soni import ActionContext, Actions
from soni.core.commands import CancelFlow, ClearSlot, Command
from soni.testing import Conversation
from tests.conftest import Assistant, Talk
from tests.conversations.saying import (
    CHANGED,
    DONE,
    NEEDS_A_PERSON,
    PERSON,
    YES,
    correct,
    put,
    start,
    with_slots,
)

NUMBER = "type: integer"
SYSTEM = "type: integer, source: system"


@pytest.mark.parametrize("called", [False, True])
async def test_b56_a_last_step_that_breaks_a_rule_is_not_done_again(
    assistant: Assistant, talk: Talk, called: bool
) -> None:
    done: list[int] = []
    actions = Actions()

    @actions.register("book")
    def book(n: int) -> dict[str, int]:
        done.append(n)
        return {"limit": 10}

    flows = """
  inner: {steps: [{collect: n, message: "n?"}, {action: book, map_outputs: {limit: limit}}]}
  outer: {steps: [{call: inner}]}
"""
    rule = f'{NUMBER}, validate: "n <= limit", error: "Too many."'
    user = talk(assistant(with_slots("", flows, n=rule, limit=SYSTEM)), actions)
    assert await user.say(start("outer" if called else "inner")) == ["n?"]
    assert await user.say(put("n", 50)) == [NEEDS_A_PERSON]
    await user.say(put("n", 5))
    assert done == [50]


STEP_RULE = """
  inner: {steps: [{collect: n, message: "n?", validate: "n > 0", error: "Positive!"}]}
  f:
    steps:
      - {collect: x, message: "x?"}
      - {call: inner}
      - {confirm: ok, message: "Book {n}?"}
      - {action: book}
"""


async def test_b56_a_rule_of_a_called_question_holds_for_what_the_caller_is_told(
    assistant: Assistant, talk: Talk
) -> None:
    booked: list[int] = []
    actions = Actions()
    actions.register("book")(lambda n: booked.append(n))
    config = assistant(with_slots("x", STEP_RULE, n=NUMBER))
    user = talk(config, actions)
    await user.say(start("f", x="1"))
    assert await user.say(put("n", 1)) == ["Book 1?"]
    assert await user.say(correct("n", -5)) == ["Positive!", "Book 1?"]
    await user.say(YES)
    assert booked == [1]


async def test_b56_a_rule_of_a_called_question_holds_for_what_was_said_before_the_call(
    assistant: Assistant, talk: Talk
) -> None:
    actions = Actions()
    actions.register("book")(lambda n: None)
    user = talk(assistant(with_slots("x", STEP_RULE, n=NUMBER)), actions)
    await user.say(start("f"))
    await user.say(put("n", -5))
    assert await user.say(put("x", "1")) == ["Positive!", "n?"]


async def test_b56_a_rule_holds_for_a_value_that_is_corrected_under_the_name_of_a_called_flow(
    assistant: Assistant, talk: Talk
) -> None:
    flows = """
  inner: {steps: [{say: "To {to}."}, {collect: y, message: "y?"}]}
  f:
    steps:
      - {collect: dest, message: "dest?"}
      - {call: inner, inputs: {to: dest}}
      - {confirm: ok, message: "Go {dest}?"}
"""
    rule = f'{NUMBER}, validate: "dest > 0", error: "Positive!"'
    user = talk(assistant(with_slots("y", flows, dest=rule, to=NUMBER)))
    assert await user.say(start("f", dest=4)) == ["To 4.", "y?"]
    assert await user.say(correct("to", -3)) == ["Positive!", "y?"]
    assert await user.say(correct("to", 3)) == [CHANGED, "To 3.", "y?"]
    assert await user.say(put("y", "1")) == ["Go 3?"]


async def test_b56_a_rule_holds_for_a_returned_value_that_is_corrected_under_another_name(
    assistant: Assistant, talk: Talk
) -> None:
    flows = """
  inner: {steps: [{collect: qty, message: "qty?"}, {say: "{qty} of them."}]}
  f: {steps: [{call: inner, outputs: {qty: total}}, {confirm: ok, message: "Go {total}?"}]}
"""
    rule = f'{NUMBER}, validate: "qty > 0", error: "Positive!"'
    user = talk(assistant(with_slots("", flows, qty=rule, total=NUMBER)))
    await user.say(start("f"))
    assert await user.say(put("qty", 5)) == ["5 of them.", "Go 5?"]
    assert await user.say(correct("total", -3)) == ["Positive!", "Go 5?"]
    assert await user.say(correct("qty", 8)) == [CHANGED, "8 of them.", "Go 8?"]


async def test_b56_an_error_is_said_once_though_something_is_done_after_it(assistant: Assistant, talk: Talk) -> None:
    done: list[str] = []
    actions = Actions()
    actions.register("do")(lambda: done.append("do"))
    actions.register("look", effect="pure")(lambda: {"limit": 3})
    flows = """
  f:
    steps:
      - {collect: b, message: "b?"}
      - {collect: a, message: "a?"}
      - {collect: c, message: "c?"}
      - {action: do}
      - {collect: x, message: "x?"}
      - {action: look, map_outputs: {limit: limit}}
      - {say: "{a} {x}."}
"""
    rules = {
        "a": f'{NUMBER}, validate: "a < b", error: "a is too big."',
        "x": f'{NUMBER}, validate: "x < limit", error: "x is too big."',
    }
    user = talk(assistant(with_slots("", flows, b=NUMBER, c=NUMBER, limit=SYSTEM, **rules)), actions)
    assert await user.say(start("f", a=1, b=5)) == ["c?"]
    said = await user.say(correct("a", 9), put("c", 1), put("x", 7))
    assert said == ["a is too big.", "x is too big.", "x?"]
    assert await user.say(put("x", 1)) == ["1 1."]
    assert done == ["do"]


async def test_b56_progress_of_a_change_that_is_tried_twice_is_told_at_most_once(
    assistant: Assistant, talk: Talk
) -> None:
    actions = Actions()

    @actions.register("check", effect="idempotent")
    async def check(day: str, context: ActionContext) -> dict[str, int]:
        await context.inform("One moment.")
        return {"limit": 14 if day == "sat" else 18}

    flows = """
  f:
    steps:
      - {collect: day, message: "day?"}
      - {collect: hour, message: "hour?"}
      - {action: check, map_outputs: {limit: limit}}
      - {confirm: ok, message: "{day} {hour}?"}
"""
    rule = f'{NUMBER}, validate: "hour < limit", error: "Closed then."'
    user = talk(assistant(with_slots("day", flows, hour=rule, limit=SYSTEM)), actions)
    assert await user.say(start("f", day="mon", hour=10)) == ["One moment.", "mon 10?"]
    said = await user.say(correct("day", "sat"), correct("hour", 16))
    assert said.count("One moment.") <= 1
    assert [text for text in said if text != "One moment."] == [CHANGED, "Closed then.", "sat 10?"]


CLINIC = """
  f:
    steps:
      - {collect: day, message: "Day?"}
      - {action: closing, map_outputs: {closes: closes}}
      - {collect: hour, message: "Hour?"}
      - {confirm: ok, message: "{day} at {hour}?"}
      - {action: book}
      - {collect: more, message: "More?"}
  o: {steps: [{say: "Hi."}]}
  ask: {steps: [{collect: n, message: "n?"}]}
"""


class Clinic:
    """A clinic that closes early on Saturdays, and remembers what was booked."""

    def __init__(self) -> None:
        self.booked: list[tuple[str, int]] = []
        self.actions = Actions()
        self.actions.register("closing", effect="pure")(lambda day: {"closes": 14 if day == "sat" else 18})
        self.actions.register("book")(lambda day, hour: self.booked.append((day, hour)))


def clinic_yaml(flows: str = CLINIC) -> str:
    return with_slots(
        "more n",
        flows,
        day="type: text, label: the day",
        hour=f'{NUMBER}, label: the hour, validate: "hour < closes", error: "We close at {{closes}} on {{day}}."',
        closes=SYSTEM,
    )


@pytest.fixture
def clinic() -> Clinic:
    return Clinic()


@pytest.fixture
def user(assistant: Assistant, talk: Talk, clinic: Clinic) -> Conversation:
    return talk(assistant(clinic_yaml()), clinic.actions)


async def test_b56_an_error_shows_the_values_that_broke_the_rule(user: Conversation) -> None:
    assert await user.say(start("f", hour=16)) == ["Day?"]
    assert await user.say(put("day", "sat")) == ["We close at 14 on sat.", "Hour?"]
    assert await user.say(put("hour", 10)) == ["sat at 10?"]


async def test_b56_what_has_changed_is_told_before_the_error_it_leads_to(user: Conversation) -> None:
    assert await user.say(start("f", day="fri", hour=16)) == ["fri at 16?"]
    said = await user.say(YES, correct("day", "sat"))
    assert said == ["I have changed the day to sat.", "We close at 14 on sat.", "Hour?"]


async def test_b25_a_change_that_cannot_be_made_any_more_says_no_error(user: Conversation, clinic: Clinic) -> None:
    await user.say(start("f", day="fri", hour=16))
    assert await user.say(YES) == ["More?"]
    assert await user.say(correct("day", "sat")) == [DONE, PERSON]
    assert clinic.booked == [("fri", 16)]


async def test_b23_the_last_word_wins_also_if_it_is_the_value_from_before(user: Conversation) -> None:
    await user.say(start("f", day="fri", hour=16))
    assert await user.say(correct("day", "sat"), correct("day", "fri")) == ["fri at 16?"]
    assert (await user.slots())["day"] == "fri"


@pytest.mark.parametrize("take_back", [correct("day"), ClearSlot(slot="day")])
async def test_b23_the_last_word_wins_also_if_it_takes_the_value_back(user: Conversation, take_back: Command) -> None:
    await user.say(start("f", day="fri", hour=16))
    assert await user.say(correct("day", "sat"), take_back) == ["Day?"]
    assert "day" not in await user.slots()


async def test_a_cancelled_flow_does_not_say_what_was_changed_in_it(user: Conversation) -> None:
    await user.say(start("f", day="fri", hour=10))
    said = await user.say(correct("hour", 16), correct("day", "sat"), CancelFlow())
    assert said == ["All right, I have stopped that."]


async def test_b56_a_change_that_is_refused_when_its_flow_resumes_leaves_the_old_value(user: Conversation) -> None:
    await user.say(start("f", day="fri", hour=10))
    said = await user.say(correct("hour", 20), start("o"))
    assert said[-4:] == ["Hi.", "Back to where we were: f.", "We close at 18 on fri.", "fri at 10?"]
    assert (await user.slots())["hour"] == 10


async def test_b56_a_change_of_a_paused_flow_that_its_rule_refuses_leaves_the_old_value(user: Conversation) -> None:
    await user.say(start("f", day="fri", hour=10))
    assert await user.say(start("ask")) == ["n?"]
    await user.say(correct("hour", 20))
    assert (await user.say(put("n", "1")))[-1] == "fri at 10?"


async def test_b56_an_error_in_a_called_flow_shows_the_callers_values(
    assistant: Assistant, talk: Talk, clinic: Clinic
) -> None:
    flows = CLINIC.replace('- {collect: hour, message: "Hour?"}', "- {call: ask_hour}")
    flows += '  ask_hour: {steps: [{collect: hour, message: "Hour?"}]}\n'
    user = talk(assistant(clinic_yaml(flows)), clinic.actions)
    assert await user.say(start("f", day="fri")) == ["Hour?"]
    assert await user.say(put("hour", 20)) == ["We close at 18 on fri.", "Hour?"]


async def test_b56_no_error_is_said_after_the_conversation_was_given_to_a_person(
    assistant: Assistant, talk: Talk, clinic: Clinic
) -> None:
    clinic.actions.register("close")(lambda: {"closes": 9})
    close = "- {action: close, map_outputs: {closes: closes}}\n      - {confirm"
    user = talk(assistant(clinic_yaml(CLINIC.replace("- {confirm", close))), clinic.actions)
    assert (await user.say(start("f", day="fri", hour=16)))[-1] == NEEDS_A_PERSON
    assert clinic.booked == []


ORDER = """
  order: {steps: [{collect: item, message: "Item?"}, {call: card}, {say: "{item} ordered."}]}
  card: {steps: [{collect: card_text, message: "Text?"}, {call: sign}]}
  sign: {steps: [{collect: signed, message: "Signed?"}, {say: "From {signed}."}]}
"""


async def test_b57_a_word_that_waits_for_a_call_can_be_taken_back(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(with_slots("item card_text signed", ORDER)))
    await user.say(start("order"))
    assert (await user.say(put("signed", "Eve")))[-1] == "Item?"
    assert (await user.say(correct("signed")))[-1] == "Item?"
    assert await user.say(put("item", "Rose")) == ["Text?"]
    assert await user.say(put("card_text", "Hi")) == ["Signed?"]
    assert await user.say(put("signed", "Max")) == ["From Max.", "Rose ordered."]


async def test_b57_another_word_for_one_that_waits_for_a_call_counts(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(with_slots("item card_text signed", ORDER)))
    await user.say(start("order"))
    await user.say(put("signed", "Eve"))
    assert await user.say(put("signed", "Eva")) == [CHANGED, "Item?"]
    await user.say(put("item", "Rose"))
    assert await user.say(put("card_text", "Hi")) == ["From Eva.", "Rose ordered."]
