"""Values from elsewhere in corrections: from the host, other flows, called flows, and secrets that are over."""

from __future__ import annotations

import json

import pytest

from soni import ActionContext, Actions
from soni.core.commands import Acknowledge, OutOfScope, Skip
from tests.conftest import Assistant, Talk
from tests.conversations.saying import CHANGED, YES, correct, put, start, with_slots

SECRETS = """
  login: {steps: [{collect: pin, message: "pin?"}, {action: login, map_outputs: {token: token}}, {say: "In."}]}
  called: {steps: [{call: login}, {collect: x, message: "x?"}, {say: "fin {x}."}]}
  looped:
    steps:
      - while: "not stop"
        do:
          - {collect: pin, message: "pin?"}
          - {action: login, map_outputs: {token: token}}
          - {collect: stop, message: "stop?"}
          - {step: forget, type: set, slots: {pin: null, token: null}}
      - {collect: x, message: "x?"}
      - {say: "fin {x}."}
"""


async def test_secrets_of_a_call_or_a_round_that_is_over_are_forgotten_and_the_flow_goes_on(
    assistant: Assistant, talk: Talk
) -> None:
    actions = Actions()
    actions.register("login", effect="idempotent")(lambda pin: {"token": f"token of {pin}"})
    hidden = "type: text, sensitive: true"
    config = assistant(with_slots("x", SECRETS, pin=hidden, token=f"{hidden}, source: system", stop="type: boolean"))
    user = talk(config, actions)
    await user.say(start("called"))
    assert await user.say(put("pin", "secret77")) == ["In.", "x?"]
    assert "secret77" not in json.dumps(await user.state(), default=str)
    assert await user.say(put("x", "1")) == ["fin 1."]
    await user.say(start("looped"))
    assert await user.say(put("pin", "secret77")) == ["stop?"]
    assert await user.say(put("stop", False)) == ["pin?"]
    assert "secret77" not in json.dumps(await user.state(), default=str)
    assert await user.say(put("pin", "other")) == ["stop?"]
    assert await user.say(put("stop", True)) == ["x?"]
    assert await user.say(put("x", "2")) == ["fin 2."]


HOSTED = """
  f:
    steps:
      - {collect: n, message: "n?"}
      - {collect: addr, message: "addr?"}
      - {confirm: ok, message: "{n} to {addr}?"}
      - {collect: x, message: "x?"}
      PAY
      - {collect: y, message: "y?"}
      - {say: "fin {n} {addr} {y}."}
  move: {steps: [{collect: addr, ask_always: true, message: "new addr?"}, {say: "Moved to {addr}."}]}
"""


def hosted(pay: str = "") -> str:
    return with_slots("n x y", HOSTED.replace("PAY", pay), addr="type: text, scope: conversation")


@pytest.fixture
def paid() -> list[tuple[str, str]]:
    return []


@pytest.fixture
def till(paid: list[tuple[str, str]]) -> Actions:
    actions = Actions()
    actions.register("pay")(lambda addr, n: paid.append((addr, n)))
    return actions


async def test_what_the_host_changed_is_not_taken_back_by_a_correction(
    assistant: Assistant, talk: Talk, till: Actions, paid: list[tuple[str, str]]
) -> None:
    user = talk(assistant(hosted("- {action: pay}")), till)
    for commands in (start("f", n="1"), put("addr", "A"), YES):
        await user.say(commands)
    assert await user.say(put("x", "1")) == ["y?"]
    await user.say(OutOfScope(), slots={"addr": "B"})
    assert await user.say(correct("x", "2")) == [CHANGED, "y?"], "the payment has not read it"
    assert (await user.slots())["addr"] == "B"
    assert await user.say(put("y", "1")) == ["fin 1 B 1."]
    assert paid == [("A", "1")]


async def test_an_answer_is_taken_beside_what_the_host_changes_after_the_payment(
    assistant: Assistant, talk: Talk, till: Actions, paid: list[tuple[str, str]]
) -> None:
    user = talk(assistant(hosted("- {action: pay}")), till)
    for commands in (start("f", n="1"), put("addr", "A"), YES, put("x", "1")):
        await user.say(commands)
    assert await user.say(put("y", "2"), slots={"addr": "B"}) == ["fin 1 B 2."]
    assert paid == [("A", "1")]


async def test_b20_terms_that_were_seen_are_shown_again_when_they_change(assistant: Assistant, talk: Talk) -> None:
    flow = """
  f:
    steps:
      - {collect: k, message: "k?"}
      - {say: "Terms {k}.", wait_for_ack: true}
      - {collect: n, message: "n?"}
      - {confirm: ok, message: "{k} {n}?"}
"""
    user = talk(assistant(with_slots("k n", flow)))
    assert await user.say(start("f", k="a")) == ["Terms a."]
    assert await user.say(Acknowledge()) == ["n?"]
    assert await user.say(put("n", "1")) == ["a 1?"]
    assert await user.say(correct("n", "2")) == [CHANGED, "a 2?"]
    assert await user.say(correct("k", "c")) == [CHANGED, "Terms c."]
    assert await user.say(Acknowledge()) == ["c 2?"]


async def test_b21_a_value_taken_back_does_not_bring_up_one_from_before(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(hosted()))
    await user.say(start("f", n="1"))
    assert await user.say(put("addr", "A")) == ["1 to A?"]
    await user.say(start("move"))
    assert (await user.say(put("addr", "B")))[-1] == "1 to B?"
    assert await user.say(correct("addr", "D")) == [CHANGED, "1 to D?"]
    assert await user.say(correct("addr")) == ["addr?"]


async def test_what_the_host_takes_away_is_asked_for(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(hosted()))
    for commands in (start("f", n="1"), put("addr", "A"), YES):
        await user.say(commands)
    assert await user.say(put("x", "1"), slots={"addr": None}) == ["addr?"]


async def test_each_visit_of_an_event_flow_has_a_key_of_its_own(assistant: Assistant, talk: Talk) -> None:
    keys: list[str] = []
    actions = Actions()

    @actions.register("ticket")
    def ticket(context: ActionContext) -> None:
        keys.append(context.idempotency_key)

    flows = """
  f: {steps: [{collect: m, message: "m?"}, {collect: n, message: "n?", attempts: 1}, {say: "fin {n}."}]}
  helpme: {steps: [{action: ticket}, {collect: t, message: "Describe it."}, {say: "Thanks."}]}
events: {offer_person: helpme}
"""
    rule = 'type: integer, validate: "n < m", error: "Less!"'
    user = talk(assistant(with_slots("t", flows, n=rule, m="type: integer")), actions)
    assert await user.say(start("f", m=5)) == ["n?"]
    for value in (9, 8, 7):
        assert (await user.say(put("n", value)))[-1] == "Describe it."
    assert len(set(keys)) == len(keys) == 3


async def test_b20_what_was_left_out_in_a_call_and_given_later_counts_from_there(
    assistant: Assistant, talk: Talk
) -> None:
    booked: list[tuple[str, int, int | None]] = []
    actions = Actions()

    @actions.register("quote", effect="pure")
    def quote(n: int | None = None) -> dict[str, int]:
        return {"price": 100 - (n or 0)}

    @actions.register("book")
    def book(k: str, price: int, n: int | None = None) -> None:
        booked.append((k, price, n))

    flows = """
  inner: {steps: [{collect: n, message: "coupon?", optional: true}, {say: "Coupon {n}."}]}
  f:
    steps:
      - {collect: k, message: "k?"}
      - {call: inner}
      - {action: quote, map_outputs: {price: price}}
      - {confirm: ok, message: "{k} for {price}?"}
      - {action: book}
"""
    user = talk(assistant(with_slots("k", flows, n="type: integer", price="type: integer, source: system")), actions)
    await user.say(start("f", k="a"))
    assert await user.say(Skip()) == ["Coupon —.", "a for 100?"]
    assert (await user.say(correct("n", 30)))[-2:] == ["Coupon 30.", "a for 70?"]
    await user.say(YES)
    assert booked == [("a", 70, 30)]
