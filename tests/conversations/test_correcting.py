"""Corrections within a flow: what changes is gone through again, everything else is left as it was."""

from __future__ import annotations

from typing import Any

import pytest

from soni import Actions
from soni.core.commands import (
    Acknowledge,
    AffirmConfirmation,
    CancelFlow,
    ClearSlot,
    Command,
    CorrectSlot,
    DenyConfirmation,
    SetSlot,
    Skip,
    StartFlow,
)
from soni.testing import Conversation
from tests.conftest import Assistant, Talk

CHANGED = "I have changed that."
BACK = "Back to where we were:"
DONE = "That has already been done, so I cannot change it any more."

TRIP = """
    slots:
      city: {type: text}
      days: {type: integer, validate: "days > 0", error: "At least one day."}
      meal: {type: text}
      note: {type: text}
      code: {type: text}
      tax: {type: integer, source: system}
      price: {type: integer, source: system}
      ok: {type: boolean}
      pin: {type: text}
      colour: {type: text}
    flows:
      book:
        steps:
          - {collect: city, message: "Where to?"}
          - {action: tax_of, map_outputs: {tax: tax}}
          - {step: welcome, type: say, message: "{city} is nice."}
          - {collect: days, message: "How long?"}
          - {collect: meal, message: "Which meal?", ask_always: true}
          - {step: promise, type: say, message: "{meal} for you."}
          - {collect: note, message: "Any note?", optional: true}
          - {collect: code, message: "A code?", optional: true}
          - {action: quote, map_outputs: {price: price}}
          - {step: dear, type: branch, cases: [{when: "price > 500", then: warn}, {else: review}]}
          - {step: warn, type: say, message: "That is dear."}
          - {step: review, type: confirm, slot: ok, message: "{days} days in {city}, {meal}, {note}, {price}?"}
          - {step: thanks, type: say, message: "A pin, then."}
          - {collect: pin, message: "PIN?"}
          - {action: book}
          - {step: booked, type: say, message: "Booked."}
      weather: {steps: [{say: "Sunny."}]}
      paint: {steps: [{collect: colour, message: "Colour?"}, {say: "{colour} it is."}]}
"""


class Agency:
    """Actions that remember what they were called with."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.actions = Actions()
        self.actions.register("tax_of", effect="pure")(self.tax_of)
        self.actions.register("quote", effect="idempotent")(self.quote)
        self.actions.register("book")(self.book)

    def tax_of(self, city: str) -> dict[str, int]:
        self.calls.append(("tax", city))
        return {"tax": len(city)}

    def quote(self, days: int, code: str | None = None) -> dict[str, int]:
        self.calls.append(("quote", days, code))
        return {"price": days * (50 if code else 100)}

    def book(self, city: str, days: int, price: int) -> None:
        self.calls.append(("book", city, days, price))

    def called(self) -> list[tuple[Any, ...]]:
        """What was called since this was last asked."""
        calls, self.calls = self.calls, []
        return calls


def steps(user: Conversation) -> list[str]:
    """The steps of the last turn; those that were passed over are in brackets."""
    assert user.last is not None
    assert user.last.error is None
    return [f"({ran.step})" if ran.passed_over else ran.step for ran in user.last.explain.steps]


async def at_review(user: Conversation) -> None:
    assert await user.say(StartFlow(flow="book", slots={"city": "Rome", "days": 3})) == ["Rome is nice.", "Which meal?"]
    assert await user.say(SetSlot(slot="meal", value="Fish")) == ["Fish for you.", "Any note?"]
    assert await user.say(Skip()) == ["A code?"]
    assert await user.say(Skip()) == ["3 days in Rome, Fish, —, 300?"]


async def test_b20_what_read_nothing_that_changed_is_passed_over(assistant: Assistant, talk: Talk) -> None:
    agency = Agency()
    user = talk(assistant(TRIP), agency.actions)
    await at_review(user)
    agency.called()
    assert await user.say(CorrectSlot(slot="days", value=4)) == [CHANGED, "4 days in Rome, Fish, —, 400?"]
    assert agency.called() == [("quote", 4, None)]
    assert steps(user) == [
        *("(collect_city)", "(action_tax_of)", "(welcome)", "(collect_days)"),
        *("(collect_meal)", "(promise)", "(collect_note)", "(collect_code)"),
        "action_quote",
        "dear",
        "review",
    ]
    said = await user.say(CorrectSlot(slot="city", value="Oslo"))
    assert said == [CHANGED, "Oslo is nice.", "4 days in Oslo, Fish, —, 400?"]
    assert agency.called() == [("tax", "Oslo")]
    assert "(action_quote)" in steps(user)
    stored = await user.slots()
    assert (stored["city"], stored["days"], stored["meal"], stored["tax"]) == ("Oslo", 4, "Fish", 4)
    assert "note" not in stored


async def test_b20_a_value_set_anew_is_a_correction_and_the_same_value_is_nothing(
    assistant: Assistant, talk: Talk
) -> None:
    agency = Agency()
    user = talk(assistant(TRIP), agency.actions)
    await at_review(user)
    agency.called()
    assert await user.say(SetSlot(slot="days", value=3)) == ["3 days in Rome, Fish, —, 300?"]
    assert await user.say(SetSlot(slot="days", value="3")) == ["3 days in Rome, Fish, —, 300?"]
    assert agency.called() == []
    assert await user.say(SetSlot(slot="meal", value="Soup")) == [
        CHANGED,
        "Soup for you.",
        "3 days in Rome, Soup, —, 300?",
    ]
    assert agency.called() == []


async def test_b20_a_value_said_twice_in_one_message_is_no_correction(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRIP), Agency().actions)
    said = await user.say(StartFlow(flow="book", slots={"city": "Rome"}), SetSlot(slot="city", value="Oslo"))
    assert said == ["Oslo is nice.", "How long?"]


async def test_b20_a_way_round_does_not_repeat_what_comes_after_it(assistant: Assistant, talk: Talk) -> None:
    agency = Agency()
    user = talk(assistant(TRIP), agency.actions)
    await at_review(user)
    assert await user.say(AffirmConfirmation()) == ["A pin, then.", "PIN?"]
    said = await user.say(CorrectSlot(slot="days", value=9))
    assert said == [CHANGED, "That is dear.", "9 days in Rome, Fish, —, 900?"]
    assert await user.say(AffirmConfirmation()) == ["PIN?"], "the pin was promised before"
    agency.called()
    assert await user.say(SetSlot(slot="pin", value="1")) == ["Booked."]
    assert agency.called() == [("book", "Rome", 9, 900)]


BRANCH = """
    slots:
      {slots}
      kind: {{type: text}}
      extra: {{type: text}}
      always: {{type: text}}
      maybe: {{type: text}}
    flows:
      form:
        steps:
          - {{collect: kind, message: "Kind?"}}
          - {{step: way, type: branch, slot: kind, cases: {{big: more, else: q0}}}}
          - {{step: more, type: collect, slot: extra, message: "Extra?"}}
          {questions}
          - {{collect: always, message: "Always?", ask_always: true}}
          - {{collect: maybe, message: "Maybe?", optional: true}}
          - {{step: last, type: collect, slot: last, message: "Last?"}}
          - {{say: "{{kind}} {{extra}} {{always}} {{maybe}} {{last}}."}}
      other: {{steps: [{{say: "Hi."}}]}}
"""


def long_form() -> str:
    questions = "\n          ".join(f'- {{step: q{n}, type: collect, slot: s{n}, message: "Q{n}?"}}' for n in range(12))
    slots = "\n      ".join([*(f"s{n}: {{type: text}}" for n in range(12)), "last: {type: text}"])
    return BRANCH.format(slots=slots, questions=questions)


async def test_b20_a_branch_taken_many_steps_ago_is_decided_anew(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(long_form()))
    answers = {f"s{n}": f"v{n}" for n in range(12)}
    await user.say(StartFlow(flow="form", slots={"kind": "big", "extra": "x", **answers}))
    assert await user.say(SetSlot(slot="always", value="yes")) == ["Maybe?"]
    assert await user.say(Skip()) == ["Last?"]
    assert await user.say(CorrectSlot(slot="kind", value="small")) == [CHANGED, "Last?"]
    assert "more" not in steps(user)
    assert "(q11)" in steps(user)
    stored = await user.slots()
    assert {name: stored[name] for name in answers} == answers
    assert await user.say(SetSlot(slot="last", value="z")) == ["small x yes — z."]


async def test_b20_a_new_question_on_the_way_does_not_bring_old_ones_back(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(long_form()))
    answers = {f"s{n}": f"v{n}" for n in range(12)}
    await user.say(StartFlow(flow="form", slots={"kind": "small", **answers}))
    await user.say(SetSlot(slot="always", value="yes"))
    assert await user.say(Skip()) == ["Last?"]
    assert await user.say(CorrectSlot(slot="kind", value="big")) == [CHANGED, "Extra?"]
    assert await user.say(SetSlot(slot="extra", value="x")) == ["Last?"]
    assert await user.say(SetSlot(slot="last", value="z")) == ["big x yes — z."]


async def test_b21_a_value_taken_back_is_asked_for_and_the_rest_is_kept(assistant: Assistant, talk: Talk) -> None:
    agency = Agency()
    user = talk(assistant(TRIP), agency.actions)
    await at_review(user)
    agency.called()
    for command in (CorrectSlot(slot="meal"), ClearSlot(slot="meal")):
        assert await user.say(command) == ["Which meal?"]
        assert "meal" not in await user.slots()
        said = await user.say(SetSlot(slot="meal", value=f"{command.name}"))
        assert said == [f"{command.name} for you.", f"3 days in Rome, {command.name}, —, 300?"]
    assert agency.called() == []


async def test_b21_an_optional_value_taken_back_stays_empty(assistant: Assistant, talk: Talk) -> None:
    agency = Agency()
    user = talk(assistant(TRIP), agency.actions)
    await user.say(StartFlow(flow="book", slots={"city": "Rome", "days": 3, "note": "quiet", "code": "X"}))
    assert (await user.say(SetSlot(slot="meal", value="Fish")))[-1] == "3 days in Rome, Fish, quiet, 150?"
    agency.called()
    assert await user.say(ClearSlot(slot="note")) == [CHANGED, "3 days in Rome, Fish, —, 150?"]
    assert agency.called() == []
    assert await user.say(ClearSlot(slot="code")) == [CHANGED, "3 days in Rome, Fish, —, 300?"]
    assert agency.called() == [("quote", 3, None)]
    assert await user.say(CorrectSlot(slot="city", value="Oslo")) == [
        CHANGED,
        "Oslo is nice.",
        "3 days in Oslo, Fish, —, 300?",
    ]


async def test_b21_an_optional_value_to_be_changed_is_asked_for(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRIP), Agency().actions)
    await at_review(user)
    assert (await user.say(SetSlot(slot="note", value="late")))[-1] == "3 days in Rome, Fish, late, 300?"
    assert await user.say(CorrectSlot(slot="note")) == ["Any note?"], "to be changed is not to be left out"


async def test_b20_what_was_skipped_and_is_given_later_counts(assistant: Assistant, talk: Talk) -> None:
    agency = Agency()
    user = talk(assistant(TRIP), agency.actions)
    await at_review(user)
    assert (await user.say(SetSlot(slot="note", value="quiet")))[-1] == "3 days in Rome, Fish, quiet, 300?"
    said = await user.say(CorrectSlot(slot="days", value=4))
    assert said == [CHANGED, "4 days in Rome, Fish, quiet, 400?"]
    assert (await user.slots())["note"] == "quiet"


@pytest.mark.parametrize("command", [SetSlot(slot="code", value="X"), CorrectSlot(slot="code", value="X")])
async def test_b20_what_was_computed_without_a_value_is_computed_with_it(
    assistant: Assistant, talk: Talk, command: Command
) -> None:
    agency = Agency()
    user = talk(assistant(TRIP), agency.actions)
    await at_review(user)
    agency.called()
    assert (await user.say(command))[-1] == "3 days in Rome, Fish, —, 150?"
    assert agency.called() == [("quote", 3, "X")]


async def test_b23_two_corrections_and_a_new_value_in_one_message_all_count(assistant: Assistant, talk: Talk) -> None:
    agency = Agency()
    user = talk(assistant(TRIP), agency.actions)
    await user.say(StartFlow(flow="book", slots={"city": "Rome", "days": 3}))
    await user.say(SetSlot(slot="meal", value="Fish"))
    await user.say(Skip())
    agency.called()
    said = await user.say(
        CorrectSlot(slot="days", value=4), SetSlot(slot="code", value="X"), CorrectSlot(slot="city", value="Oslo")
    )
    assert said == [CHANGED, "Oslo is nice.", "4 days in Oslo, Fish, —, 200?"]
    assert agency.called() == [("tax", "Oslo"), ("quote", 4, "X")]
    said = await user.say(CorrectSlot(slot="meal", value="Soup"), CorrectSlot(slot="days", value=2))
    assert said == [CHANGED, "Soup for you.", "2 days in Oslo, Soup, —, 100?"]


async def test_b23_the_last_word_wins_and_a_bad_one_changes_nothing(assistant: Assistant, talk: Talk) -> None:
    agency = Agency()
    user = talk(assistant(TRIP), agency.actions)
    await at_review(user)
    agency.called()
    said = await user.say(CorrectSlot(slot="days", value=5), SetSlot(slot="days", value=2))
    assert said == [CHANGED, "2 days in Rome, Fish, —, 200?"]
    assert agency.called() == [("quote", 2, None)]
    said = await user.say(CorrectSlot(slot="days", value=-1), CorrectSlot(slot="meal", value="Soup"))
    assert said == ["At least one day.", CHANGED, "Soup for you.", "2 days in Rome, Soup, —, 200?"]
    for value in ([1], {"a": 1}, "soon", ""):
        assert (await user.say(CorrectSlot(slot="days", value=value)))[-1] == "2 days in Rome, Soup, —, 200?"
        assert (await user.slots())["days"] == 2
    assert agency.called() == []


async def test_b23_two_corrections_that_are_right_together_are_accepted(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots:
          low: {type: integer, validate: "low < high", error: "Too high."}
          high: {type: integer, validate: "high > low", error: "Too low."}
          ok: {type: boolean}
        flows:
          span: {steps: [{collect: low}, {collect: high}, {confirm: ok, message: "{low} to {high}?"}]}
          other: {steps: [{say: "Hi."}]}
    """)
    user = talk(config)
    assert await user.say(StartFlow(flow="span", slots={"low": 5, "high": 10})) == ["5 to 10?"]
    said = await user.say(CorrectSlot(slot="low", value=20), CorrectSlot(slot="high", value=30))
    assert said == [CHANGED, "20 to 30?"]


ANSWERS: list[tuple[list[Command], list[str]]] = [
    ([CorrectSlot(slot="city", value="Oslo"), SetSlot(slot="meal", value="Soup")], ["Soup for you.", "Any note?"]),
    ([SetSlot(slot="meal", value="Soup"), CorrectSlot(slot="city", value="Oslo")], ["Soup for you.", "Any note?"]),
    ([SetSlot(slot="meal", value="Fish"), CorrectSlot(slot="city", value="Oslo")], ["Fish for you.", "Any note?"]),
]


@pytest.mark.parametrize(("commands", "after"), ANSWERS, ids=["correct, answer", "answer, correct", "same answer"])
async def test_an_answer_counts_beside_a_correction_even_if_it_must_be_asked(
    assistant: Assistant, talk: Talk, commands: list[Command], after: list[str]
) -> None:
    user = talk(assistant(TRIP), Agency().actions)
    said = await user.say(StartFlow(flow="book", slots={"city": "Rome", "days": 3, "meal": "Fish"}))
    assert said == ["Rome is nice.", "Which meal?"]
    assert await user.say(*commands) == [CHANGED, "Oslo is nice.", *after]


@pytest.mark.parametrize("skip_first", [True, False])
async def test_leaving_a_question_out_counts_beside_a_correction(
    assistant: Assistant, talk: Talk, skip_first: bool
) -> None:
    user = talk(assistant(TRIP), Agency().actions)
    await user.say(StartFlow(flow="book", slots={"city": "Rome", "days": 3}))
    assert (await user.say(SetSlot(slot="meal", value="Fish")))[-1] == "Any note?"
    correction = CorrectSlot(slot="city", value="Oslo")
    commands: list[Command] = [Skip(), correction] if skip_first else [correction, Skip()]
    assert await user.say(*commands) == [CHANGED, "Oslo is nice.", "A code?"]


async def test_b11_no_then_another_value_then_yes(assistant: Assistant, talk: Talk) -> None:
    agency = Agency()
    user = talk(assistant(TRIP), agency.actions)
    await at_review(user)
    said = await user.say(DenyConfirmation(), CorrectSlot(slot="days", value=4))
    assert said == [CHANGED, "4 days in Rome, Fish, —, 400?"]
    said = await user.say(AffirmConfirmation(), CorrectSlot(slot="meal", value="Soup"))
    assert said == [CHANGED, "Soup for you.", "4 days in Rome, Soup, —, 400?"]
    assert await user.say(AffirmConfirmation()) == ["A pin, then.", "PIN?"]
    agency.called()
    assert await user.say(SetSlot(slot="pin", value="1")) == ["Booked."]
    assert agency.called() == [("book", "Rome", 4, 400)]


@pytest.mark.parametrize("answer", [AffirmConfirmation(), DenyConfirmation()])
async def test_b11_an_answer_with_a_change_that_cannot_be_made_is_no_answer_yet(
    assistant: Assistant, talk: Talk, answer: Command
) -> None:
    user = talk(assistant(TRIP), Agency().actions)
    await at_review(user)
    said = await user.say(answer, CorrectSlot(slot="days", value=-2))
    assert said == ["At least one day.", "3 days in Rome, Fish, —, 300?"]


async def test_b12_a_correction_after_the_yes_asks_for_another(assistant: Assistant, talk: Talk) -> None:
    agency = Agency()
    user = talk(assistant(TRIP), agency.actions)
    await at_review(user)
    await user.say(AffirmConfirmation())
    said = await user.say(CorrectSlot(slot="meal", value="Soup"), SetSlot(slot="pin", value="1"))
    assert said == [CHANGED, "Soup for you.", "3 days in Rome, Soup, —, 300?"]
    assert not [call for call in agency.called() if call[0] == "book"]
    assert await user.say(AffirmConfirmation()) == ["Booked."]


async def test_cancel_during_a_confirmation_leaves_nothing_behind(assistant: Assistant, talk: Talk) -> None:
    agency = Agency()
    user = talk(assistant(TRIP), agency.actions)
    await user.say(StartFlow(flow="paint"))
    await at_review(user)
    assert await user.say(CancelFlow()) == ["All right, I have stopped that.", f"{BACK} paint.", "Colour?"]
    assert (await user.say(CorrectSlot(slot="days", value=4)))[-1] == "Colour?"
    assert (await user.say(AffirmConfirmation()))[-1] == "Colour?"
    assert list((await user.state())["flow_slots"]) == [(await user.state())["flow_stack"][0]["flow_id"]]
    assert await user.say(StartFlow(flow="book")) == ["Where to?"]


async def test_b22_what_has_ended_cannot_be_corrected(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRIP), Agency().actions)
    await user.say(StartFlow(flow="paint"))
    assert await user.say(SetSlot(slot="colour", value="red")) == ["red it is."]
    assert CHANGED not in await user.say(CorrectSlot(slot="colour", value="blue"))
    assert user.last is not None
    assert user.last.error is None
    assert (await user.state())["flow_slots"] == {}


async def test_a_paused_flow_is_corrected_and_goes_on_from_there(assistant: Assistant, talk: Talk) -> None:
    agency = Agency()
    user = talk(assistant(TRIP), agency.actions)
    await at_review(user)
    assert await user.say(StartFlow(flow="paint")) == ["Colour?"]
    agency.called()
    assert await user.say(CorrectSlot(slot="days", value=4)) == [CHANGED, "Colour?"]
    assert agency.called() == []
    assert await user.say(SetSlot(slot="colour", value="red")) == [
        "red it is.",
        f"{BACK} book.",
        "4 days in Rome, Fish, —, 400?",
    ]
    assert agency.called() == [("quote", 4, None)]
    said = await user.say(CorrectSlot(slot="days", value=2), StartFlow(flow="weather"))
    assert said == [CHANGED, "Sunny.", f"{BACK} book.", "2 days in Rome, Fish, —, 200?"]


async def test_a_digression_from_a_digression_comes_back_step_by_step(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRIP), Agency().actions)
    await at_review(user)
    await user.say(StartFlow(flow="paint"))
    assert await user.say(StartFlow(flow="weather")) == ["Sunny.", f"{BACK} paint.", "Colour?"]
    said = await user.say(CorrectSlot(slot="meal", value="Soup"), SetSlot(slot="colour", value="red"))
    assert said == [CHANGED, "red it is.", f"{BACK} book.", "Soup for you.", "3 days in Rome, Soup, —, 300?"]


PAY = """
    slots: {amount: {type: integer}, to: {type: text}, ok: {type: boolean}, stars: {type: integer}}
    flows:
      pay:
        steps:
          - {collect: amount, message: "How much?"}
          - {collect: to, message: "Who to?"}
          - {confirm: ok, message: "Pay {amount} to {to}?"}
          - {action: pay, ON_CORRECT}
          - {step: paid, type: say, message: "Paid."}
          - {collect: stars, message: "Stars?"}
          - {say: "{stars} stars.", jump_to: end}
          REFUND
      other: {steps: [{say: "Hi?", wait_for_ack: true}]}
"""


async def test_b25_a_flow_says_what_to_do_about_what_was_done(assistant: Assistant, talk: Talk) -> None:
    paid: list[int] = []
    actions = Actions()
    actions.register("pay")(lambda amount: paid.append(amount))
    refund = '- {step: refund, type: say, message: "Ask the bank for {amount} back."}'
    user = talk(assistant(PAY.replace("ON_CORRECT", "on_correct: refund").replace("REFUND", refund)), actions)
    await user.say(StartFlow(flow="pay", slots={"amount": 5, "to": "Ana"}))
    assert await user.say(AffirmConfirmation()) == ["Paid.", "Stars?"]
    assert await user.say(SetSlot(slot="amount", value=9)) == [DONE, "Ask the bank for 5 back."]
    assert paid == [5]
    assert (await user.state())["flow_stack"] == []


async def test_b25_what_a_paused_flow_has_done_waits_until_it_resumes(assistant: Assistant, talk: Talk) -> None:
    paid: list[int] = []
    actions = Actions()
    actions.register("pay")(lambda amount: paid.append(amount))
    refund = '- {step: refund, type: say, message: "Ask the bank for {amount} back."}'
    user = talk(assistant(PAY.replace("ON_CORRECT", "on_correct: refund").replace("REFUND", refund)), actions)
    await user.say(StartFlow(flow="pay", slots={"amount": 5, "to": "Ana"}))
    await user.say(AffirmConfirmation())
    assert await user.say(StartFlow(flow="other")) == ["Hi?"]
    assert await user.say(CorrectSlot(slot="amount", value=9)) == [DONE, "Hi?"]
    assert await user.say(Acknowledge()) == [f"{BACK} pay.", "Ask the bank for 5 back."]
    assert paid == [5]


@pytest.mark.parametrize("wants_one", [True, False])
async def test_b25_a_person_is_offered_where_the_flow_does_not_say(
    assistant: Assistant, talk: Talk, wants_one: bool
) -> None:
    paid: list[int] = []
    actions = Actions()
    actions.register("pay")(lambda amount: paid.append(amount))
    user = talk(assistant(PAY.replace(", ON_CORRECT", "").replace("REFUND", "")), actions)
    await user.say(StartFlow(flow="pay", slots={"amount": 5, "to": "Ana"}))
    await user.say(AffirmConfirmation())
    said = await user.say(CorrectSlot(slot="to", value="Bo"), CorrectSlot(slot="amount", value=9))
    assert said == [DONE, "Would you like to talk to a person?"]
    assert paid == [5]
    said = await user.say(AffirmConfirmation() if wants_one else DenyConfirmation())
    assert user.last is not None
    if wants_one:
        assert said == ["A person will take it from here."]
        assert user.last.handoff is not None
        assert user.last.handoff["slots"]["amount"] == 5
        return
    assert said == ["All right.", "Stars?"]
    assert user.last.handoff is None
    assert await user.say(SetSlot(slot="stars", value=3)) == ["3 stars."]
    assert paid == [5]


LOOKUP = """
    slots:
      name: {type: text}
      city: {type: text}
      phone: {type: text}
      size: {type: integer}
      ok: {type: boolean}
    flows:
      ring:
        steps:
          - {collect: city, message: "Which city?"}
          - {collect: name, message: "Who?"}
          - {action: look_up, map_outputs: {phone: phone}}
          - {collect: phone, message: "Which number?"}
          - {step: size, type: set, slots: {size: 1}}
          - {confirm: ok, message: "Ring {name} in {city} on {phone}, {size} times?"}
          - {say: "Ringing {phone}."}
      other: {steps: [{say: "Hi."}]}
"""


def phone_book() -> tuple[Actions, list[str]]:
    looked_up: list[str] = []
    actions = Actions()

    @actions.register("look_up", effect="pure")
    def look_up(name: str) -> dict[str, str | None]:
        looked_up.append(name)
        return {"phone": {"Ana": "111", "Bo": "222"}.get(name)}

    return actions, looked_up


async def test_b20_what_an_action_empties_is_asked_for(assistant: Assistant, talk: Talk) -> None:
    actions, looked_up = phone_book()
    user = talk(assistant(LOOKUP), actions)
    said = await user.say(StartFlow(flow="ring", slots={"city": "Rome", "name": "Ana"}))
    assert said == ["Ring Ana in Rome on 111, 1 times?"]
    assert await user.say(CorrectSlot(slot="name", value="Cy")) == [CHANGED, "Which number?"]
    assert await user.say(SetSlot(slot="phone", value="333")) == ["Ring Cy in Rome on 333, 1 times?"]
    assert await user.say(CorrectSlot(slot="city", value="Oslo")) == [CHANGED, "Ring Cy in Oslo on 333, 1 times?"]
    assert await user.say(CorrectSlot(slot="name", value="Bo")) == [CHANGED, "Ring Bo in Oslo on 222, 1 times?"]
    assert looked_up == ["Ana", "Cy", "Bo"]


async def test_b20_a_computed_value_that_was_corrected_survives_another_correction(
    assistant: Assistant, talk: Talk
) -> None:
    actions, looked_up = phone_book()
    user = talk(assistant(LOOKUP), actions)
    await user.say(StartFlow(flow="ring", slots={"city": "Rome", "name": "Ana"}))
    assert await user.say(CorrectSlot(slot="phone", value="999")) == [CHANGED, "Ring Ana in Rome on 999, 1 times?"]
    assert await user.say(CorrectSlot(slot="city", value="Oslo")) == [CHANGED, "Ring Ana in Oslo on 999, 1 times?"]
    assert await user.say(CorrectSlot(slot="name", value="Bo")) == [CHANGED, "Ring Bo in Oslo on 222, 1 times?"]
    assert looked_up == ["Ana", "Bo"]


@pytest.mark.parametrize("city_first", [True, False])
async def test_b23_a_computed_value_and_an_earlier_one_are_corrected_in_one_message(
    assistant: Assistant, talk: Talk, city_first: bool
) -> None:
    user = talk(assistant(LOOKUP), phone_book()[0])
    await user.say(StartFlow(flow="ring", slots={"city": "Rome", "name": "Ana"}))
    commands: list[Command] = [CorrectSlot(slot="city", value="Oslo"), CorrectSlot(slot="phone", value="999")]
    said = await user.say(*(commands if city_first else reversed(commands)))
    assert said == [CHANGED, "Ring Ana in Oslo on 999, 1 times?"]


async def test_b20_a_value_the_flow_had_set_itself_is_kept_once_a_person_changed_it(
    assistant: Assistant, talk: Talk
) -> None:
    user = talk(assistant(LOOKUP), phone_book()[0])
    await user.say(StartFlow(flow="ring", slots={"city": "Rome", "name": "Ana"}))
    assert await user.say(SetSlot(slot="size", value=3)) == [CHANGED, "Ring Ana in Rome on 111, 3 times?"]
    assert await user.say(CorrectSlot(slot="city", value="Oslo")) == [CHANGED, "Ring Ana in Oslo on 111, 3 times?"]
