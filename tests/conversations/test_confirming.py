"""Confirming: only the answer to this very question counts."""

from __future__ import annotations

import pytest

from soni import Actions, SoniConfig
from soni.core.commands import (
    AffirmConfirmation,
    Command,
    CorrectSlot,
    DenyConfirmation,
    OutOfScope,
    SetSlot,
    StartFlow,
)
from tests.conftest import Assistant, Talk

TRANSFER = """
    slots:
      amount: {type: money}
      ok: {type: boolean}
      reference: {type: text, source: system}
    flows:
      send:
        steps:
          - {step: ask, type: collect, slot: amount, message: "How much?"}
          - {step: review, type: confirm, slot: ok, message: "Send {amount}?"}
          - {step: pay, type: action, call: pay, map_outputs: {id: reference}}
          - {step: done, type: say, message: "Sent, {reference}."}
      balance:
        steps: [{step: tell, type: say, message: "You have plenty."}]
"""


class Bank:
    def __init__(self) -> None:
        self.paid: list[float] = []
        self.actions = Actions()
        self.actions.register("pay", effect="once")(self.pay)

    async def pay(self, amount: float) -> dict[str, str]:
        self.paid.append(amount)
        return {"id": f"T{len(self.paid)}"}


@pytest.fixture
def bank() -> Bank:
    return Bank()


@pytest.fixture
def config(assistant: Assistant) -> SoniConfig:
    return assistant(TRANSFER)


async def test_b10_yes_goes_on(config: SoniConfig, bank: Bank, talk: Talk) -> None:
    user = talk(config, bank.actions)
    assert await user.say(StartFlow(flow="send", slots={"amount": 100})) == ["Send €100.00?"]
    assert await user.say(AffirmConfirmation()) == ["Sent, T1."]
    assert bank.paid == [100]


async def test_b10_a_denied_confirmation_never_runs_the_action(config: SoniConfig, bank: Bank, talk: Talk) -> None:
    user = talk(config, bank.actions)
    await user.say(StartFlow(flow="send", slots={"amount": 100}))
    assert await user.say(DenyConfirmation()) == ["All right. Nothing was done."]
    assert bank.paid == []
    assert (await user.state())["flow_stack"] == []


ATTEMPTS: list[list[Command]] = [
    [SetSlot(slot="ok", value=True)],
    [CorrectSlot(slot="ok", value=True)],
    [StartFlow(flow="send", slots={"amount": 100, "ok": True})],
    [StartFlow(flow="send", slots={"amount": 100}), AffirmConfirmation()],
    [AffirmConfirmation()],
    [SetSlot(slot="amount", value=100), AffirmConfirmation()],
    [SetSlot(slot="amount", value=100), SetSlot(slot="ok", value=True), AffirmConfirmation()],
]


@pytest.mark.parametrize("commands", ATTEMPTS, ids=lambda commands: "+".join(c.name for c in commands))
async def test_b10_no_understanding_can_skip_a_confirmation(
    config: SoniConfig, bank: Bank, talk: Talk, commands: list[Command]
) -> None:
    """Whatever is understood before the question was asked, the question is asked."""
    user = talk(config, bank.actions)
    await user.say(StartFlow(flow="send"))
    await user.say(*commands)
    assert bank.paid == []
    await user.say(SetSlot(slot="amount", value=100))
    await user.say(SetSlot(slot="ok", value=True))
    assert bank.paid == []
    assert "ok" not in await user.slots()


@pytest.mark.parametrize("yes_first", [True, False])
async def test_b10_who_says_yes_and_no_has_not_said_yes(
    config: SoniConfig, bank: Bank, talk: Talk, yes_first: bool
) -> None:
    user = talk(config, bank.actions)
    await user.say(StartFlow(flow="send", slots={"amount": 100}))
    commands: list[Command] = [AffirmConfirmation(), DenyConfirmation()]
    await user.say(*(commands if yes_first else commands[::-1]))
    assert bank.paid == []


async def test_b10_each_confirmation_needs_its_own_yes(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {first: {type: boolean}, second: {type: boolean}}
        flows:
          twice:
            steps:
              - {confirm: first, message: "One?"}
              - {confirm: second, message: "Two?"}
              - {say: "Both."}
          other: {steps: [{say: "Hi."}]}
    """)
    user = talk(config)
    assert await user.say(StartFlow(flow="twice")) == ["One?"]
    assert await user.say(AffirmConfirmation(), AffirmConfirmation()) == ["Two?"]
    assert await user.say(AffirmConfirmation()) == ["Both."]


async def test_b10_a_denial_can_go_elsewhere(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {sure: {type: boolean}}
        flows:
          leave:
            steps:
              - {confirm: sure, message: "Sure?", on_deny: stay}
              - {say: "Bye.", jump_to: end}
              - {step: stay, type: say, message: "Good: {sure}."}
          other: {steps: [{say: "Hi."}]}
    """)
    user = talk(config)
    await user.say(StartFlow(flow="leave"))
    assert await user.say(DenyConfirmation()) == ["Good: no."]


async def test_b11_a_changed_value_is_confirmed_anew(config: SoniConfig, bank: Bank, talk: Talk) -> None:
    user = talk(config, bank.actions)
    await user.say(StartFlow(flow="send", slots={"amount": 100}))
    said = await user.say(DenyConfirmation(), CorrectSlot(slot="amount", value=200))
    assert said[-1] == "Send €200.00?"
    assert await user.say(AffirmConfirmation()) == ["Sent, T1."]
    assert bank.paid == [200]


@pytest.mark.parametrize("yes_first", [True, False])
async def test_b12_a_yes_is_good_only_for_what_was_shown(
    config: SoniConfig, bank: Bank, talk: Talk, yes_first: bool
) -> None:
    user = talk(config, bank.actions)
    await user.say(StartFlow(flow="send", slots={"amount": 100}))
    commands: list[Command] = [AffirmConfirmation(), CorrectSlot(slot="amount", value=900)]
    said = await user.say(*(commands if yes_first else commands[::-1]))
    assert said[-1] == "Send €900.00?"
    assert bank.paid == []


RATED = """
    slots:
      amount: {type: money}
      rate: {type: number, source: system, scope: conversation}
      ok: {type: boolean}
      reference: {type: text, source: system}
    flows:
      send:
        trigger: {intents: ["send {amount}"]}
        steps:
          - {step: review, type: confirm, slot: ok, message: "Send {amount} at {rate}?"}
          - {step: pay, type: action, call: pay, map_outputs: {id: reference}}
          - {step: done, type: say, message: "Sent, {reference}."}
      other: {steps: [{say: "Hi."}]}
"""


@pytest.mark.parametrize("yes_first", [True, False])
async def test_b12_a_slot_that_no_step_had_asked_for_voids_the_yes_too(
    assistant: Assistant, bank: Bank, talk: Talk, yes_first: bool
) -> None:
    user = talk(assistant(RATED), bank.actions)
    await user.say(StartFlow(flow="send", slots={"amount": 100}), slots={"rate": 1.5})
    commands: list[Command] = [AffirmConfirmation(), SetSlot(slot="amount", value=900)]
    said = await user.say(*(commands if yes_first else commands[::-1]))
    assert said[-1] == "Send €900.00 at 1.5?"
    assert bank.paid == []


async def test_b12_a_value_the_host_changes_meanwhile_voids_the_yes(
    assistant: Assistant, bank: Bank, talk: Talk
) -> None:
    user = talk(assistant(RATED), bank.actions)
    await user.say(StartFlow(flow="send", slots={"amount": 100}), slots={"rate": 1.5})
    assert await user.say(AffirmConfirmation(), slots={"rate": 9}) == ["Send €100.00 at 9?"]
    assert bank.paid == []
    assert await user.say(AffirmConfirmation(), slots={"rate": 9}) == ["Sent, T1."]


async def test_b13_an_unclear_answer_is_asked_again_and_then_counts_as_no(
    config: SoniConfig, bank: Bank, talk: Talk
) -> None:
    user = talk(config, bank.actions)
    await user.say(StartFlow(flow="send", slots={"amount": 100}))
    for _ in range(2):
        assert (await user.say(OutOfScope()))[-1] == "Send €100.00?"
    assert (await user.say(OutOfScope()))[-1] == "All right. Nothing was done."
    assert bank.paid == []


async def test_b51_a_button_answers_only_its_own_question(config: SoniConfig, bank: Bank, talk: Talk) -> None:
    user = talk(config, bank.actions)
    await user.say(StartFlow(flow="send", slots={"amount": 100}))
    assert user.last is not None
    old_yes = user.last.messages[-1].options[0].payload
    await user.say(CorrectSlot(slot="amount", value=900))
    said = await user._turn("Yes", payload=old_yes)
    assert said == ["That choice is no longer open.", "Send €900.00?"]
    assert bank.paid == []
    said = await user._turn("Yes", payload={"task": "made up", "option": "yes"})
    assert bank.paid == []
    assert await user.choose("Yes") == ["Sent, T1."]
    assert bank.paid == [900]


async def test_a_yes_does_not_outlive_its_turn(assistant: Assistant, bank: Bank, talk: Talk) -> None:
    """'Yes, and change my colour first': when the colour is done, the payment is asked about again."""
    colour = 'paint: {steps: [{collect: colour, message: "Colour?"}, {say: "{colour}."}]}'
    text = TRANSFER.replace("      balance:", f"      {colour}\n      balance:").replace(
        "      ok: {type: boolean}", "      ok: {type: boolean}\n      colour: {type: text}"
    )
    user = talk(assistant(text), bank.actions)
    await user.say(StartFlow(flow="send", slots={"amount": 100}))
    assert await user.say(StartFlow(flow="paint"), AffirmConfirmation()) == ["Colour?"]
    said = await user.say(SetSlot(slot="colour", value="red"))
    assert said == ["red.", "Back to where we were: send.", "Send €100.00?"]
    assert bank.paid == []


async def test_a_yes_goes_on_before_what_else_is_asked_for(config: SoniConfig, bank: Bank, talk: Talk) -> None:
    user = talk(config, bank.actions)
    await user.say(StartFlow(flow="send", slots={"amount": 100}))
    assert await user.say(AffirmConfirmation(), StartFlow(flow="balance")) == ["Sent, T1.", "You have plenty."]


async def test_b51_a_button_is_good_for_one_person_and_one_text(config: SoniConfig, bank: Bank, talk: Talk) -> None:
    ana, bob = talk(config, bank.actions, user_id="ana"), talk(config, bank.actions, user_id="bob")
    await ana.say(StartFlow(flow="send", slots={"amount": 100}))
    assert ana.last is not None
    yes = ana.last.messages[-1].options[0].payload
    await bob.say(StartFlow(flow="send", slots={"amount": 100}))
    await bob._turn("Yes", payload=yes)
    await ana._loop.reset("ana")
    await ana.say(StartFlow(flow="send", slots={"amount": 700}))
    assert (await ana._turn("Yes", payload=yes))[0] == "That choice is no longer open."
    assert bank.paid == []


async def test_nothing_was_done_is_said_only_when_it_is_true(assistant: Assistant, bank: Bank, talk: Talk) -> None:
    config = assistant("""
        slots:
          amount: {type: integer}
          ok: {type: boolean}
          tip: {type: boolean}
          reference: {type: text, source: system}
        flows:
          pay:
            steps:
              - {collect: amount, message: "How much?"}
              - {confirm: ok, message: "Pay {amount}?"}
              - {action: pay, map_outputs: {id: reference}}
              - {confirm: tip, message: "A tip?"}
          other: {steps: [{say: "Hi."}]}
    """)
    user = talk(config, bank.actions)
    await user.say(StartFlow(flow="pay", slots={"amount": 5}))
    assert await user.say(AffirmConfirmation()) == ["A tip?"]
    assert await user.say(DenyConfirmation()) == ["All right, I leave it at that."]


async def test_a_digression_at_a_confirmation_comes_back_to_it(config: SoniConfig, bank: Bank, talk: Talk) -> None:
    user = talk(config, bank.actions)
    await user.say(StartFlow(flow="send", slots={"amount": 100}))
    said = await user.say(StartFlow(flow="balance"))
    assert said == ["You have plenty.", "Back to where we were: send.", "Send €100.00?"]
    assert await user.say(AffirmConfirmation()) == ["Sent, T1."]
