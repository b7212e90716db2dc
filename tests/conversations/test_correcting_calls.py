"""Corrections across calls: a called flow is gone through again with what it was told, and asks nothing twice."""

from __future__ import annotations

from typing import Any

import pytest

from soni import Actions
from soni.core.commands import AffirmConfirmation, ClearSlot, Command, CorrectSlot, SetSlot, Skip, StartFlow
from soni.testing import Conversation
from tests.conftest import Assistant, Talk

CHANGED = "I have changed that."
BACK = "Back to where we were:"

SLOTS = """
    slots:
      amount: {type: integer, validate: "amount > 0", error: "More than nothing."}
      total: {type: integer}
      sum: {type: integer}
      reason: {type: text}
      always: {type: text}
      maybe: {type: text}
      city: {type: text}
      note: {type: text}
      fee: {type: integer, source: system}
      rate: {type: integer, source: system}
      ok: {type: boolean}
      sure: {type: boolean}
      account: {type: text}
      source: {type: text}
      target: {type: text}
      colour: {type: text}
    flows:
      paint: {steps: [{collect: colour, message: "Colour?"}, {say: "{colour} it is."}]}
"""


def flows(text: str) -> str:
    return SLOTS + "\n".join(f"      {line}" for line in text.strip().splitlines()) + "\n"


INNER = """
inner:
  if: "false"
  steps:
    - {collect: amount, message: "How much?"}
    - {step: heard, type: say, message: "{amount}, I see."}
    - {collect: reason, message: "Why?"}
    - {collect: always, message: "Always?", ask_always: true}
    - {collect: maybe, message: "Maybe?", optional: true}
    - {step: pity, type: say, message: "Because of {reason}."}
    - {action: fee_of, map_outputs: {fee: fee}}
    - {action: rate_of, map_outputs: {rate: rate}}
    - {confirm: sure, message: "{amount} plus {fee} for {reason}, {always}, {maybe}, {rate}?"}
"""
OUTER = """
outer:
  steps:
    - {collect: city, message: "Where?"}
    - {step: do, type: call, target: inner}
    - {step: there, type: say, message: "{amount} goes to {city}."}
    - {collect: note, message: "Note?"}
    - {confirm: ok, message: "{amount} to {city}, fee {fee}, {note}?"}
    - {say: "Done."}
"""


class Bank:
    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.actions = Actions()
        self.actions.register("fee_of", effect="pure")(self.fee_of)
        self.actions.register("rate_of", effect="pure")(self.rate_of)

    def fee_of(self, amount: int) -> dict[str, int]:
        self.calls.append(("fee", amount))
        return {"fee": amount // 10}

    def rate_of(self, reason: str) -> dict[str, int]:
        self.calls.append(("rate", reason))
        return {"rate": len(reason)}

    def called(self) -> list[tuple[Any, ...]]:
        calls, self.calls = self.calls, []
        return calls


async def through_inner(user: Conversation, *, sure: bool = True) -> list[str]:
    assert await user.say(StartFlow(flow="outer", slots={"city": "Rome"})) == ["How much?"]
    assert await user.say(SetSlot(slot="amount", value=100)) == ["100, I see.", "Why?"]
    assert await user.say(SetSlot(slot="reason", value="rent")) == ["Always?"]
    assert await user.say(SetSlot(slot="always", value="yes")) == ["Maybe?"]
    said = await user.say(Skip())
    assert said == ["Because of rent.", "100 plus 10 for rent, yes, —, 4?"]
    return await user.say(AffirmConfirmation()) if sure else said


async def test_b22_a_returned_value_is_corrected_in_the_flow_it_came_from(assistant: Assistant, talk: Talk) -> None:
    bank = Bank()
    user = talk(assistant(flows(OUTER + INNER)), bank.actions)
    assert await through_inner(user) == ["100 goes to Rome.", "Note?"]
    await user.say(SetSlot(slot="note", value="hi"))
    bank.called()
    said = await user.say(CorrectSlot(slot="amount", value=200))
    assert said == [CHANGED, "200, I see.", "200 plus 20 for rent, yes, —, 4?"]
    assert bank.called() == [("fee", 200)]
    assert await user.say(AffirmConfirmation()) == ["200 goes to Rome.", "200 to Rome, fee 20, hi?"]
    assert await user.say(AffirmConfirmation()) == ["Done."]
    assert bank.called() == []


async def test_b22_a_returned_value_taken_back_is_asked_for_where_it_came_from(
    assistant: Assistant, talk: Talk
) -> None:
    user = talk(assistant(flows(OUTER + INNER)), Bank().actions)
    await through_inner(user)
    assert await user.say(CorrectSlot(slot="amount")) == ["How much?"]
    said = await user.say(SetSlot(slot="amount", value=300))
    assert said == ["300, I see.", "300 plus 30 for rent, yes, —, 4?"]
    assert await user.say(AffirmConfirmation()) == ["300 goes to Rome.", "Note?"]


async def test_b22_an_unusable_new_value_leaves_the_call_alone(assistant: Assistant, talk: Talk) -> None:
    bank = Bank()
    user = talk(assistant(flows(OUTER + INNER)), bank.actions)
    await through_inner(user)
    bank.called()
    assert await user.say(CorrectSlot(slot="amount", value=-1)) == ["More than nothing.", "Note?"]
    assert await user.say(CorrectSlot(slot="amount", value=100)) == ["Note?"]
    assert bank.called() == []


async def test_b22_a_call_that_nothing_changes_for_is_passed_over(assistant: Assistant, talk: Talk) -> None:
    bank = Bank()
    user = talk(assistant(flows(OUTER + INNER)), bank.actions)
    await through_inner(user)
    bank.called()
    said = await user.say(CorrectSlot(slot="city", value="Oslo"))
    assert said == [CHANGED, "100 plus 10 for rent, yes, —, 4?"], "a yes covers what it does not show"
    assert bank.called() == []
    assert user.last is not None
    assert {ran.step: ran.passed_over for ran in user.last.explain.steps}["heard"]
    assert await user.say(AffirmConfirmation()) == ["100 goes to Oslo.", "Note?"]


async def test_b22_a_callers_value_is_corrected_while_the_called_flow_runs(assistant: Assistant, talk: Talk) -> None:
    bank = Bank()
    user = talk(assistant(flows(OUTER + INNER)), bank.actions)
    await through_inner(user, sure=False)
    bank.called()
    said = await user.say(CorrectSlot(slot="city", value="Oslo"))
    assert said == [CHANGED, "100 plus 10 for rent, yes, —, 4?"]
    assert bank.called() == []
    assert await user.say(AffirmConfirmation()) == ["100 goes to Oslo.", "Note?"]


RENAMED = """
outer:
  steps:
    - {collect: total, message: "Total?"}
    - {step: do, type: call, target: middle, inputs: {sum: total}, outputs: {sum: total, account: source}}
    - {step: again, type: call, target: pick, outputs: {account: target}}
    - {confirm: ok, message: "{total} from {source} to {target}, fee {fee}?"}
    - {say: "Done."}
middle:
  if: "false"
  steps:
    - {step: deep, type: call, target: deepest, inputs: {amount: sum}, outputs: {amount: sum}}
    - {step: told, type: say, message: "{sum} costs {fee}."}
    - {call: pick}
    - {step: from, type: say, message: "From {account}."}
deepest:
  if: "false"
  steps:
    - {collect: amount, message: "How much?"}
    - {collect: reason, message: "Why?"}
    - {action: fee_of, map_outputs: {fee: fee}}
    - {action: rate_of, map_outputs: {rate: rate}}
pick: {if: "false", steps: [{collect: account, message: "Which account?"}, {say: "Account {account}."}]}
"""


RETURNED = """
outer:
  steps:
    - {step: do, type: call, target: pick, outputs: {account: source}}
    - {confirm: ok, message: "From {source}?"}
pick: {if: "false", steps: [{collect: account, message: "Which account?"}, {say: "Account {account}."}]}
"""


async def test_b22_a_value_returned_under_another_name_is_corrected(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(flows(RETURNED)))
    assert await user.say(StartFlow(flow="outer")) == ["Which account?"]
    assert await user.say(SetSlot(slot="account", value="A")) == ["Account A.", "From A?"]
    assert await user.say(CorrectSlot(slot="source", value="B")) == [CHANGED, "Account B.", "From B?"]
    assert await user.say(CorrectSlot(slot="source")) == ["Which account?"]
    assert await user.say(SetSlot(slot="account", value="C")) == ["Account C.", "From C?"]


async def test_b22_values_under_other_names_reach_flows_three_calls_deep(assistant: Assistant, talk: Talk) -> None:
    bank = Bank()
    user = talk(assistant(flows(RENAMED)), bank.actions)
    assert await user.say(StartFlow(flow="outer", slots={"total": 100})) == ["Why?"]
    assert await user.say(SetSlot(slot="reason", value="rent")) == ["100 costs 10.", "Which account?"]
    assert await user.say(SetSlot(slot="account", value="A")) == ["Account A.", "From A.", "Which account?"]
    said = await user.say(SetSlot(slot="account", value="B"))
    assert said == ["Account B.", "100 from A to B, fee 10?"]
    bank.called()
    said = await user.say(CorrectSlot(slot="total", value=200))
    assert said == [CHANGED, "200 costs 20.", "200 from A to B, fee 20?"]
    assert bank.called() == [("fee", 200)]
    said = await user.say(CorrectSlot(slot="source", value="C"))
    assert said == [CHANGED, "Account C.", "From C.", "200 from C to B, fee 20?"]
    said = await user.say(CorrectSlot(slot="target", value="D"))
    assert said == [CHANGED, "Account D.", "200 from C to D, fee 20?"]
    said = await user.say(CorrectSlot(slot="target", value="B"), CorrectSlot(slot="source", value="A"))
    assert said == [CHANGED, "Account A.", "From A.", "Account B.", "200 from A to B, fee 20?"]
    assert bank.called() == []
    assert await user.say(CorrectSlot(slot="source")) == ["Which account?"]
    said = await user.say(SetSlot(slot="account", value="E"))
    assert said == ["Account E.", "From E.", "200 from E to B, fee 20?"]


async def test_b22_a_value_is_corrected_three_calls_deep_under_either_name(assistant: Assistant, talk: Talk) -> None:
    bank = Bank()
    user = talk(assistant(flows(RENAMED)), bank.actions)
    await user.say(StartFlow(flow="outer", slots={"total": 100}))
    assert await user.say(CorrectSlot(slot="amount", value=300)) == [CHANGED, "Why?"]
    assert await user.say(CorrectSlot(slot="total", value=400)) == [CHANGED, "Why?"]
    assert await user.say(SetSlot(slot="reason", value="rent")) == ["400 costs 40.", "Which account?"]
    assert await user.say(CorrectSlot(slot="sum", value=500)) == [CHANGED, "500 costs 50.", "Which account?"]
    assert bank.called() == [("fee", 400), ("rate", "rent"), ("fee", 500)]
    stored = (await user.state())["flow_slots"]
    assert [slots["total"] for slots in stored.values() if "total" in slots] == [500]


BOTH: list[list[Command]] = [
    [CorrectSlot(slot="city", value="Oslo"), CorrectSlot(slot="reason", value="food")],
    [CorrectSlot(slot="reason", value="food"), CorrectSlot(slot="city", value="Oslo")],
]


@pytest.mark.parametrize("commands", BOTH, ids=["caller first", "called first"])
async def test_b23_a_callers_value_and_one_of_the_called_flow_are_corrected_together(
    assistant: Assistant, talk: Talk, commands: list[Command]
) -> None:
    user = talk(assistant(flows(OUTER + INNER)), Bank().actions)
    await through_inner(user, sure=False)
    said = await user.say(*commands)
    assert said == [CHANGED, "Because of food.", "100 plus 10 for food, yes, —, 4?"]
    assert await user.say(AffirmConfirmation()) == ["100 goes to Oslo.", "Note?"]


ANSWERED: list[list[Command]] = [
    [CorrectSlot(slot="city", value="Oslo"), SetSlot(slot="reason", value="rent")],
    [SetSlot(slot="reason", value="rent"), CorrectSlot(slot="city", value="Oslo")],
]


@pytest.mark.parametrize("commands", ANSWERED, ids=["correct, answer", "answer, correct"])
async def test_b23_an_answer_in_a_called_flow_counts_beside_a_correction_of_its_caller(
    assistant: Assistant, talk: Talk, commands: list[Command]
) -> None:
    user = talk(assistant(flows(OUTER + INNER)), Bank().actions)
    await user.say(StartFlow(flow="outer", slots={"city": "Rome"}))
    assert await user.say(SetSlot(slot="amount", value=100)) == ["100, I see.", "Why?"]
    assert await user.say(*commands) == [CHANGED, "Always?"]


async def test_b30_a_paused_call_whose_caller_is_corrected_resumes_with_a_word(
    assistant: Assistant, talk: Talk
) -> None:
    user = talk(assistant(flows(OUTER + INNER)), Bank().actions)
    await user.say(StartFlow(flow="outer", slots={"city": "Rome"}))
    await user.say(SetSlot(slot="amount", value=100))
    assert await user.say(StartFlow(flow="paint")) == ["Colour?"]
    assert await user.say(CorrectSlot(slot="city", value="Oslo")) == [CHANGED, "Colour?"]
    assert await user.say(SetSlot(slot="colour", value="red")) == ["red it is.", f"{BACK} outer.", "Why?"]
    stored = (await user.state())["flow_slots"]
    assert [slots["city"] for slots in stored.values() if "city" in slots] == ["Oslo"]


async def test_b22_what_a_finished_call_did_not_return_cannot_be_corrected(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(flows(OUTER + INNER)), Bank().actions)
    await through_inner(user)
    said = await user.say(CorrectSlot(slot="reason", value="food"))
    assert CHANGED not in said
    assert said[-1] == "Note?"


OPTIONAL = """
outer: {steps: [{call: inner}, {confirm: ok, message: "{city}, {note}?"}, {say: "Done."}]}
inner:
  if: "false"
  steps: [{collect: city, message: "Where?"}, {collect: note, message: "Note?", optional: true}]
"""


async def test_b21_an_optional_value_from_a_call_taken_back_stays_empty(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(flows(OPTIONAL)))
    await user.say(StartFlow(flow="outer"))
    assert await user.say(SetSlot(slot="city", value="Rome"), SetSlot(slot="note", value="hi")) == ["Rome, hi?"]
    assert await user.say(ClearSlot(slot="note")) == [CHANGED, "Rome, —?"]
    assert await user.say(CorrectSlot(slot="city", value="Oslo")) == [CHANGED, "Oslo, —?"]


DOWN = """
outer: {steps: [{collect: city, message: "Where?"}, {collect: note, message: "Note?", optional: true}, {call: inner}]}
inner: {if: "false", steps: [{confirm: ok, message: "{city}, {note}?"}, {say: "Done."}]}
"""


async def test_b21_an_optional_value_given_to_a_call_taken_back_stays_empty(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(flows(DOWN)))
    assert await user.say(StartFlow(flow="outer", slots={"city": "Rome", "note": "hi"})) == ["Rome, hi?"]
    assert await user.say(ClearSlot(slot="note")) == [CHANGED, "Rome, —?"]


CHECKED = """
outer:
  steps:
    - {collect: city, message: "Where?"}
    - {step: way, type: branch, slot: city, cases: {Rome: tell, else: do}}
    - {step: tell, type: say, message: "Rome is far."}
    - {step: do, type: call, target: ask}
    - {collect: note, message: "Note?"}
    - {say: "{city} {note}."}
ask:
  if: "false"
  steps: [{collect: reason, message: "Why?"}, {collect: maybe, message: "Maybe?", optional: true}]
"""


async def test_b20_a_way_round_before_a_call_does_not_ask_the_call_again(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(flows(CHECKED)))
    await user.say(StartFlow(flow="outer", slots={"city": "Oslo"}))
    await user.say(SetSlot(slot="reason", value="fun"))
    assert await user.say(Skip()) == ["Note?"]
    assert await user.say(CorrectSlot(slot="city", value="Rome")) == [CHANGED, "Rome is far.", "Note?"]


SHARED = """
trip:
  steps:
    - {collect: note, message: "Name?"}
    - {collect: city, message: "Where?"}
    - {action: tax, map_outputs: {fee: fee}}
    - {confirm: ok, message: "{note} to {city}, fee {fee}?"}
    - {say: "Done."}
move:
  steps: [{collect: city, message: "Where now?", ask_always: true}, {collect: reason, message: "Why?"}, {say: "Moved."}]
"""


def shared() -> tuple[str, Actions]:
    actions = Actions()
    actions.register("tax", effect="pure")(lambda city: {"fee": len(city)})
    return flows(SHARED).replace("city: {type: text}", "city: {type: text, scope: conversation}"), actions


async def test_a_value_of_the_conversation_that_another_flow_changes_is_not_brought_back(
    assistant: Assistant, talk: Talk
) -> None:
    yaml, actions = shared()
    user = talk(assistant(yaml), actions)
    said = await user.say(StartFlow(flow="trip", slots={"note": "Ana", "city": "Rome"}))
    assert said == ["Ana to Rome, fee 4?"]
    await user.say(StartFlow(flow="move"))
    await user.say(SetSlot(slot="city", value="Helsinki"))
    await user.say(SetSlot(slot="reason", value="fun"))
    said = await user.say(CorrectSlot(slot="note", value="Bo"))
    assert said == [CHANGED, "Bo to Helsinki, fee 8?"]


async def test_b20_what_was_computed_from_a_value_of_the_conversation_is_computed_anew_when_it_is_corrected(
    assistant: Assistant, talk: Talk
) -> None:
    yaml, actions = shared()
    user = talk(assistant(yaml.replace(", ask_always: true}, {collect: reason", "}, {collect: reason")), actions)
    await user.say(StartFlow(flow="trip", slots={"note": "Ana", "city": "Rome"}))
    assert await user.say(StartFlow(flow="move")) == ["Why?"]
    assert await user.say(CorrectSlot(slot="city", value="Helsinki")) == [CHANGED, "Why?"]
    assert await user.say(SetSlot(slot="reason", value="fun")) == ["Moved.", f"{BACK} trip.", "Ana to Helsinki, fee 8?"]


PAID = """
outer: {steps: [{collect: amount, message: "How much?"}, {call: inner}, {say: "Done."}]}
inner:
  if: "false"
  steps:
    - {action: pay, on_correct: refund}
    - {collect: note, message: "Note?", jump_to: end}
    - {step: refund, type: say, message: "Ask the bank for {amount} back."}
"""


async def test_b25_a_called_flow_says_what_to_do_about_what_it_has_done(assistant: Assistant, talk: Talk) -> None:
    paid: list[int] = []
    actions = Actions()
    actions.register("pay")(lambda amount: paid.append(amount))
    user = talk(assistant(flows(PAID)), actions)
    assert await user.say(StartFlow(flow="outer", slots={"amount": 5})) == ["Note?"]
    said = await user.say(CorrectSlot(slot="amount", value=9))
    assert said[:2] == [
        "That has already been done, so I cannot change it any more.",
        "Ask the bank for 5 back.",
    ]
    assert paid == [5]
