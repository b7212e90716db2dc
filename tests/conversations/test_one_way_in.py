"""Every value goes into its slot one way, and to the flow it was said for."""

from __future__ import annotations

import pytest

from soni import ConfigError
from soni.core.commands import CorrectSlot, SetSlot, StartFlow
from tests.conftest import Assistant, Talk

CALLING = """
    slots: {k: {type: integer}, n: {type: integer, validate: "n > 10"}, word: {type: text}}
    flows:
      a: {steps: [{collect: k, message: "K?"}, {call: b, inputs: {n: k}}, {say: "Back."}]}
      b: {steps: [{collect: n, message: "N?"}, {say: "{n} it is."}]}
"""


async def test_b3_what_a_call_gives_has_to_be_good_for_the_slot_it_goes_into(assistant: Assistant, talk: Talk) -> None:
    config = assistant(CALLING)
    assert await talk(config).say(StartFlow(flow="a", slots={"k": 20})) == ["20 it is.", "Back."]
    user = talk(config, user_id="other")
    said = await user.say(StartFlow(flow="a", slots={"k": 3}))
    assert said == ["Sorry, something went wrong on my side. Please try again."]
    assert user.last is not None
    assert "'n' is refused by: n > 10" in str(user.last.explain)


def test_b3_slots_of_different_types_are_not_mapped(assistant: Assistant) -> None:
    with pytest.raises(ConfigError, match="maps 'k' of type integer to 'word' of type text"):
        assistant(CALLING.replace("inputs: {n: k}", "inputs: {word: k}").replace("{n} it is", "{word} it is"))


TWO = """
    slots: {limit: {type: money}, amount: {type: money}, open: {type: boolean, source: system, scope: conversation}}
    flows:
      cap: {steps: [{collect: limit, message: "Limit?"}, {say: "Limit {limit}."}]}
      pay: {if: "open", steps: [{collect: amount, message: "Amount?"}, {say: "Paid {amount}."}]}
"""


async def test_b30_a_value_said_before_the_start_it_is_for_reaches_it(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TWO))
    assert await user.say(StartFlow(flow="cap"), slots={"open": True}) == ["Limit?"]
    said = await user.say(SetSlot(slot="amount", value=500), StartFlow(flow="pay"))
    assert said == ["Paid €500.00.", "Back to where we were: cap.", "Limit?"]


async def test_b5_a_value_for_a_flow_that_cannot_start_is_no_answer(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TWO))
    await user.say(StartFlow(flow="cap"))
    said = await user.say(StartFlow(flow="pay"), SetSlot(slot="amount", value=500))
    assert said == ["I cannot do that right now.", "Limit?"]
    assert await user.say(SetSlot(slot="amount", value=500)) == ["Limit €500.00."], "on its own, it is"


DEPENDS = """
    slots: {who: {type: text}, account: {type: text, depends_on: [who]}, sure: {type: boolean}, n: {type: integer}}
    flows:
      pay:
        steps:
          - {collect: who, message: "Whom?"}
          - {collect: n, message: "How much?"}
          - {collect: account, message: "Account?"}
          - {confirm: sure, message: "{n} to {who} ({account})?"}
      other: {steps: [{say: "Hi."}]}
"""


async def test_b20_a_value_that_depends_on_a_corrected_one_is_asked_for_again(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(DEPENDS))
    await user.say(StartFlow(flow="pay", slots={"who": "Bo", "n": 5, "account": "111"}))
    assert await user.say(CorrectSlot(slot="n", value=6)) == ["I have changed that.", "6 to Bo (111)?"]
    assert await user.say(CorrectSlot(slot="who", value="Al")) == ["I have changed that.", "Account?"]
    assert await user.say(SetSlot(slot="account", value="222")) == ["6 to Al (222)?"]
    said = await user.say(CorrectSlot(slot="who", value="Cy"), SetSlot(slot="account", value="333"))
    assert said == ["I have changed that.", "6 to Cy (333)?"]


def test_what_a_slot_depends_on_has_to_be_there(assistant: Assistant) -> None:
    with pytest.raises(
        ConfigError, match=r"slot 'account' depends on 'wo', which is no other slot\. Did you mean 'who'"
    ):
        assistant(DEPENDS.replace("depends_on: [who]", "depends_on: [wo]"))
