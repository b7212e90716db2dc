"""What happens once: never twice, and never with other values than those that were confirmed."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import pytest

from soni import Actions
from soni.core.commands import AffirmConfirmation, Command, CorrectSlot, SetSlot, StartFlow
from soni.core.values.money import Money
from tests.conftest import Assistant, Talk

SLOTS = """
    slots:
      amount: {type: integer, SCOPE}
      total: {type: integer}
      fee: {type: integer, source: system}
      note: {type: text}
      pin: {type: text}
      stars: {type: integer}
      n: {type: integer, source: system}
      ok: {type: boolean}
      ref: {type: text, source: system}
    flows:
      other: {steps: [{say: "Hi."}]}
"""
PAY = "{action: pay, map_outputs: {id: ref}}"


class Till:
    def __init__(self, gives: Any = None) -> None:
        self.paid: list[dict[str, Any]] = []
        self.gives = gives
        self.actions = Actions()
        self.actions.register("pay")(self.pay)
        self.actions.register("fee_of", effect="pure")(lambda amount: {"fee": amount // 10})

    def pay(self, amount: int | None = None, total: int | None = None, note: str | None = None, fee: int = 0) -> Any:
        self.paid.append({"amount": amount, "total": total, "note": note, "fee": fee})
        return {"id": "T1"} if self.gives is None else self.gives


def assistant_yaml(flows: str, scope: str = "scope: flow") -> str:
    indented = "\n".join(f"      {line}" for line in flows.strip().splitlines())
    return SLOTS.replace("SCOPE", scope) + indented + "\n"


@dataclass
class WithLock:
    id: str
    lock: Any


@dataclass
class WithMoney:
    id: Money


class Trap(dict[str, str]):
    def __getitem__(self, key: str) -> str:
        raise RuntimeError("boom")


@pytest.mark.parametrize(
    "gives",
    ["OK", 5, {"other": 1}, {"id": []}, Trap(id="x"), WithLock([], threading.Lock()), WithMoney(Money(1, "EUR"))],  # type: ignore[arg-type]  # on purpose
    ids=["text", "number", "no id", "no text", "trap", "lock", "money"],
)
async def test_a_payment_whose_result_cannot_be_used_is_not_made_again(
    assistant: Assistant, talk: Talk, gives: Any
) -> None:
    till = Till(gives)
    flows = f"""
send:
  steps:
    - {{collect: amount, message: "How much?"}}
    - {{confirm: ok, message: "Send {{amount}}?"}}
    - {PAY[:-1]}, on_error: sorry}}
    - {{step: done, type: say, message: "Sent {{ref}}.", jump_to: end}}
    - {{step: sorry, type: say, message: "Nothing was sent."}}
"""
    user = talk(assistant(assistant_yaml(flows)), till.actions)
    await user.say(StartFlow(flow="send", slots={"amount": 5}))
    said = await user.say(AffirmConfirmation())
    assert user.last is not None
    assert user.last.error is None
    assert "Nothing was sent." not in said
    assert said[-1] == "A person will take it from here."
    await user.say(AffirmConfirmation())
    assert len(till.paid) == 1


async def test_what_a_linked_flow_follows_on_counts_as_done(assistant: Assistant, talk: Talk) -> None:
    till = Till()
    flows = f"""
order: {{steps: [{{collect: amount, message: "How much?"}}, {{call: payment}}, {{say: "Done."}}]}}
payment: {{if: "false", steps: [{{confirm: ok, message: "Pay {{amount}}?"}}, {PAY}, {{link: survey}}]}}
survey: {{steps: [{{collect: stars, message: "Stars for {{amount}}?"}}]}}
"""
    user = talk(assistant(assistant_yaml(flows)), till.actions)
    await user.say(StartFlow(flow="order", slots={"amount": 100}))
    assert await user.say(AffirmConfirmation()) == ["Stars for 100?"]
    said = await user.say(CorrectSlot(slot="amount", value=900))
    assert said[0].startswith("That has already been done")
    assert len(till.paid) == 1


async def test_a_long_way_since_does_not_make_it_undone(assistant: Assistant, talk: Talk) -> None:
    till = Till()
    flows = f"""
order: {{steps: [{{collect: amount, message: "How much?"}}, {{call: payment}}, {{say: "Done."}}]}}
payment:
  if: "false"
  steps:
    - {{confirm: ok, message: "Pay {{amount}}?"}}
    - {PAY}
    - set: {{n: 0}}
    - {{while: "n < 110", limit: 200, do: [{{set: {{}}, compute: {{n: "n + 1"}}}}]}}
    - {{collect: stars, message: "Stars?"}}
"""
    user = talk(assistant(assistant_yaml(flows)), till.actions)
    await user.say(StartFlow(flow="order", slots={"amount": 100}))
    assert await user.say(AffirmConfirmation()) == ["Stars?"]
    assert (await user.say(CorrectSlot(slot="amount", value=900)))[0].startswith("That has already been done")
    assert len(till.paid) == 1


async def test_a_value_that_another_flow_changes_after_the_yes_is_confirmed_anew(
    assistant: Assistant, talk: Talk
) -> None:
    till = Till()
    flows = f"""
send:
  steps:
    - {{collect: amount, message: "How much?"}}
    - {{confirm: ok, message: "Send {{amount}}?"}}
    - {{collect: pin, message: "PIN?"}}
    - {PAY}
    - {{say: "Sent {{amount}}."}}
convert: {{steps: [{{collect: amount, message: "Which amount?", ask_always: true}}, {{say: "OK."}}]}}
"""
    user = talk(assistant(assistant_yaml(flows, "scope: conversation")), till.actions)
    await user.say(StartFlow(flow="send", slots={"amount": 100}))
    assert await user.say(AffirmConfirmation()) == ["PIN?"]
    assert await user.say(StartFlow(flow="convert")) == ["Which amount?"]
    await user.say(SetSlot(slot="amount", value=900))
    assert await user.say(SetSlot(slot="pin", value="1")) == ["Send 900?"]
    assert till.paid == []
    assert await user.say(AffirmConfirmation()) == ["Sent 900."]


async def test_a_value_shown_as_empty_and_filled_after_the_yes_is_confirmed_anew(
    assistant: Assistant, talk: Talk
) -> None:
    till = Till()
    flows = f"""
send:
  trigger: {{intents: ["send {{amount}} for {{note}}"]}}
  steps:
    - {{confirm: ok, message: "Send {{amount}}, note {{note}}?"}}
    - {{collect: pin, message: "PIN?"}}
    - {PAY}
    - {{say: "Sent."}}
"""
    user = talk(assistant(assistant_yaml(flows)), till.actions)
    assert await user.say(StartFlow(flow="send", slots={"amount": 100})) == ["Send 100, note —?"]
    await user.say(AffirmConfirmation())
    await user.say(SetSlot(slot="note", value="evil"))
    assert await user.say(SetSlot(slot="pin", value="1")) == ["Send 100, note evil?"]
    assert till.paid == []


async def test_what_was_confirmed_and_changed_is_confirmed_anew_where_it_is_done(
    assistant: Assistant, talk: Talk
) -> None:
    """The first payment is not done again, and the second not without another yes."""
    till = Till()
    flows = f"""
send:
  trigger: {{intents: ["send {{amount}} for {{note}}"]}}
  steps:
    - {{confirm: ok, message: "Send {{amount}}, note {{note}}?"}}
    - {PAY}
    - {{collect: pin, message: "PIN for the second half?"}}
    - {{step: again, type: action, call: pay, map_outputs: {{id: ref}}}}
    - {{say: "Sent."}}
"""
    user = talk(assistant(assistant_yaml(flows)), till.actions)
    await user.say(StartFlow(flow="send", slots={"amount": 100}))
    assert await user.say(AffirmConfirmation()) == ["PIN for the second half?"]
    said = await user.say(SetSlot(slot="note", value="evil"), SetSlot(slot="pin", value="1"))
    assert said == ["Send 100, note evil?"]
    assert len(till.paid) == 1
    assert await user.say(AffirmConfirmation()) == ["Sent."]
    assert len(till.paid) == 2


async def test_a_confirmation_asked_anew_takes_back_what_was_computed_since(assistant: Assistant, talk: Talk) -> None:
    till = Till()
    flows = f"""
send:
  trigger: {{intents: ["send {{amount}} for {{note}}"]}}
  steps:
    - set: {{n: 1}}
    - {{confirm: ok, message: "Send {{amount}}, note {{note}}?"}}
    - set: {{}}
      compute: {{n: "n + 1"}}
    - {{collect: pin, message: "PIN?"}}
    - {PAY}
    - {{say: "Sent {{n}}."}}
"""
    user = talk(assistant(assistant_yaml(flows)), till.actions)
    await user.say(StartFlow(flow="send", slots={"amount": 100}))
    await user.say(AffirmConfirmation())
    said = await user.say(SetSlot(slot="note", value="evil"), SetSlot(slot="pin", value="1"))
    assert said == ["Send 100, note evil?"]
    assert await user.say(AffirmConfirmation()) == ["Sent 2."]


async def test_what_steps_compute_after_the_yes_does_not_ask_again(assistant: Assistant, talk: Talk) -> None:
    till = Till()
    flows = f"""
send:
  steps:
    - {{collect: amount, message: "How much?"}}
    - set: {{note: draft}}
    - {{confirm: ok, message: "Send {{amount}} ({{note}})?"}}
    - set: {{note: final}}
    - {PAY}
    - {{say: "Sent ({{note}})."}}
"""
    user = talk(assistant(assistant_yaml(flows)), till.actions)
    await user.say(StartFlow(flow="send", slots={"amount": 100}))
    assert await user.say(AffirmConfirmation()) == ["Sent (final)."]


async def test_b22_a_correction_runs_called_checks_again(assistant: Assistant, talk: Talk) -> None:
    till = Till()
    flows = f"""
send:
  steps:
    - {{call: ask_amount}}
    - {{call: check}}
    - {{confirm: ok, message: "Send {{amount}}, fee {{fee}}?"}}
    - {PAY}
ask_amount: {{if: "false", steps: [{{collect: amount, message: "How much?"}}]}}
check: {{if: "false", steps: [{{action: fee_of, map_outputs: {{fee: fee}}}}]}}
"""
    user = talk(assistant(assistant_yaml(flows)), till.actions)
    await user.say(StartFlow(flow="send"))
    assert await user.say(SetSlot(slot="amount", value=100)) == ["Send 100, fee 10?"]
    assert (await user.say(CorrectSlot(slot="amount", value=5000)))[-1] == "Send 5,000, fee 500?"


async def test_b22_a_correction_under_the_callers_name_reaches_the_called_flow(
    assistant: Assistant, talk: Talk
) -> None:
    till = Till()
    flows = f"""
send:
  trigger: {{intents: ["send {{amount}}"]}}
  steps: [{{step: do, type: call, target: payment, inputs: {{total: amount}}}}]
payment: {{if: "false", steps: [{{confirm: ok, message: "Pay {{total}}?"}}, {PAY}]}}
"""
    user = talk(assistant(assistant_yaml(flows)), till.actions)
    assert await user.say(StartFlow(flow="send", slots={"amount": 100})) == ["Pay 100?"]
    assert await user.say(CorrectSlot(slot="amount", value=900)) == ["I have changed that.", "Pay 900?"]
    await user.say(AffirmConfirmation())
    assert [payment["total"] for payment in till.paid] == [900]


async def test_an_action_that_takes_everything_runs_again_after_a_correction(assistant: Assistant, talk: Talk) -> None:
    till = Till()
    till.actions.register("fee_of_all", effect="pure")(lambda **slots: {"fee": slots["amount"] // 10})
    flows = """
send:
  trigger: {intents: ["send {amount}"]}
  steps:
    - {action: fee_of_all, map_outputs: {fee: fee}}
    - {confirm: ok, message: "Send {amount}, fee {fee}?"}
"""
    user = talk(assistant(assistant_yaml(flows)), till.actions)
    assert await user.say(StartFlow(flow="send", slots={"amount": 100})) == ["Send 100, fee 10?"]
    assert (await user.say(CorrectSlot(slot="amount", value=500)))[-1] == "Send 500, fee 50?"


BIG: list[Command] = [SetSlot(slot="nonsense", value=2**70), SetSlot(slot="amount", value=-(2**70))]


@pytest.mark.parametrize("command", BIG, ids=["nonsense", "amount"])
async def test_numbers_no_one_can_store_are_not_understood(assistant: Assistant, talk: Talk, command: Command) -> None:
    user = talk(assistant(assistant_yaml('send: {steps: [{collect: amount, message: "How much?"}]}')))
    await user.say(StartFlow(flow="send"))
    assert (await user.say(command))[-1] == "How much?"
    assert user.last is not None
    assert user.last.error is None
