# ruff: noqa: E501  # a message is one line, however long
from __future__ import annotations

from datetime import date, time
from typing import TYPE_CHECKING

import pytest
from inline_snapshot import snapshot

from soni.actions import ActionContext, Actions

if TYPE_CHECKING:
    from tests.config.conftest import Problems


def bank() -> Actions:
    actions = Actions()

    @actions.register(effect="pure")
    def read_balance(account: str) -> dict[str, str]:
        return {"balance": account}

    @actions.register()
    def pay(amount: str, note: str = "") -> None: ...

    @actions.validator()
    def six_digits(code: str) -> bool:
        return len(code) == 6

    @actions.validator()
    def within_hours(hour: time, day: date, context: ActionContext, party: int = 1) -> bool:
        return True

    return actions


def test_an_unknown_action_is_told(problems_of: Problems) -> None:
    text = """\
        flows:
          hello:
            steps:
              - action: read_balnce
              - {step: fly, type: action, call: fly_to_the_moon}
        """
    assert problems_of(text, bank()) == snapshot(
        [
            "bot.yaml:4:17: flow 'hello', step 'action_read_balnce' calls the action 'read_balnce', which is not registered. Did you mean 'read_balance'?",
            "bot.yaml:5:41: flow 'hello', step 'fly' calls the action 'fly_to_the_moon', which is not registered. Registered actions: pay, read_balance.",
        ]
    )
    assert problems_of(text, Actions()) == snapshot(
        [
            "bot.yaml:4:17: flow 'hello', step 'action_read_balnce' calls the action 'read_balnce', which is not registered. Registered actions: none.",
            "bot.yaml:5:41: flow 'hello', step 'fly' calls the action 'fly_to_the_moon', which is not registered. Registered actions: none.",
        ]
    )


def test_an_unknown_validator_is_told(problems_of: Problems) -> None:
    assert problems_of(
        """\
        slots:
          code: {type: text, validate: six_digit}
          pin: {type: text, validate: is_pin}
        flows:
          hello:
            steps:
              - collect: code
              - {collect: pin, validate: sixdigits}
        """,
        bank(),
    ) == snapshot(
        [
            "bot.yaml:2:32: slot 'code' names the validator 'six_digit', which does not exist. Did you mean 'six_digits'?",
            "bot.yaml:3:31: slot 'pin' names the validator 'is_pin', which does not exist. Register it with @actions.validator, or write an expression.",
            "bot.yaml:8:34: flow 'hello', step 'collect_pin' names the validator 'sixdigits', which does not exist. Did you mean 'six_digits'?",
        ]
    )


def test_a_parameter_of_a_validator_that_is_no_slot_is_told(problems_of: Problems) -> None:
    assert problems_of(
        """\
        slots:
          hour: {type: time, validate: within_hours}
          dya: {type: date}
          code: {type: text, validate: six_digits}
        flows:
          hello:
            steps:
              - collect: hour
              - collect: dya
              - collect: code
              - {collect: code, step: again, ask_always: true, validate: within_hours}
        """,
        bank(),
    ) == snapshot(
        [
            "bot.yaml:2:32: slot 'hour': the validator 'within_hours' takes 'day', which is not a slot. Did you mean 'dya'?",
            "bot.yaml:11:66: flow 'hello', step 'again': the validator 'within_hours' takes 'day', which is not a slot. Did you mean 'dya'?",
        ]
    )


def test_a_validator_without_slots_to_take_a_hint_from_is_told(problems_of: Problems) -> None:
    assert problems_of(
        """\
        slots:
          hour: {type: time, validate: within_hours}
        flows:
          hello:
            steps:
              - collect: hour
        """,
        bank(),
    ) == snapshot(
        [
            "bot.yaml:2:32: slot 'hour': the validator 'within_hours' takes 'day', which is not a slot. Its first parameter is the value, the others are slots; declare it, or give it a default."
        ]
    )


def test_a_validator_that_waits_for_what_nothing_sets_is_told(problems_of: Problems) -> None:
    assert problems_of(
        """\
        slots:
          hour: {type: time, validate: within_hours}
          other_hour: {type: time}
          day: {type: date}
        flows:
          hello:
            steps:
              - collect: hour
              - {collect: other_hour, validate: within_hours}
              - {say: "{hour}"}
          days:
            steps:
              - collect: day
              - {collect: other_hour, validate: within_hours}
        """,
        bank(),
    ) == snapshot(
        [
            "bot.yaml:2:32: slot 'hour': the validator 'within_hours' takes 'day', which nothing sets where 'hour' is asked for. Collect it, set it or pass it in, or give the parameter a default.",
            "bot.yaml:9:41: flow 'hello', step 'collect_other_hour': the validator 'within_hours' takes 'day', which nothing sets where 'other_hour' is asked for. Collect it, set it or pass it in, or give the parameter a default.",
        ]
    )


HOURS = """\
        slots:
          hour: {type: time, validate: within_hours}
          day: {type: date}
          when: {type: date}
"""


@pytest.mark.parametrize(
    "flows",
    [
        "hello: {steps: [{collect: day}, {collect: hour}]}",
        "hello: {steps: [{collect: hour}, {collect: day}]}",
        "hello: {steps: [{collect: hour}]}\n          days: {steps: [{collect: day}, {call: hello}]}",
        "hello: {steps: [{collect: hour}, {call: days}]}\n          days: {steps: [{collect: day}]}",
        "hello: {steps: [{collect: hour}]}\n          x: {steps: [{collect: when}, {call: hello, inputs: {day: when}}]}",
        "hello: {trigger: {intents: ['on {day}']}, steps: [{collect: hour}]}",
        "hello: {steps: [{say: hi}]}",
        "hello: {steps: [{collect: hour}]}\n          both: {steps: [{collect: day}, {collect: hour}]}",
    ],
)
def test_a_validator_may_wait_for_what_a_way_sets(problems_of: Problems, flows: str) -> None:
    assistant = f"{HOURS}        flows:\n          {flows}\n"
    assert problems_of(assistant, bank()) == []
    assert problems_of(assistant) == []


def test_a_parameter_that_is_no_slot_is_told(problems_of: Problems) -> None:
    assert problems_of(
        """\
        slots:
          acount: {type: text}
        flows:
          hello:
            steps:
              - collect: acount
              - action: read_balance
        """,
        bank(),
    ) == snapshot(
        [
            "bot.yaml:7:17: flow 'hello', step 'action_read_balance': the action 'read_balance' takes 'account', which is not a slot. Did you mean 'acount'?"
        ]
    )


def test_a_parameter_that_nothing_has_set_may_be_meant_to_be_empty(problems_of: Problems) -> None:
    assert problems_of(
        """\
        slots:
          account: {type: text}
        flows:
          hello:
            steps:
              - action: read_balance
        """,
        bank(),
    ) == snapshot([])


def test_an_action_that_happens_once_is_not_retried(problems_of: Problems) -> None:
    assert problems_of(
        """\
        slots:
          amount: {type: money}
          sure: {type: boolean}
        flows:
          hello:
            steps:
              - collect: amount
              - {confirm: sure, message: "Pay {amount}?"}
              - {action: pay, retry: 2}
        """,
        bank(),
    ) == snapshot(
        [
            "bot.yaml:9:30: flow 'hello', step 'action_pay' retries 'pay', whose effect is 'once': it could happen twice. Declare it idempotent or pure if it is, or take 'retry' off."
        ]
    )


def test_an_action_that_happens_once_without_a_confirmation_is_a_warning(problems_of: Problems) -> None:
    assert problems_of(
        """\
        slots:
          amount: {type: money}
          sure: {type: boolean}
        flows:
          asked:
            steps:
              - collect: amount
              - {confirm: sure, message: "Pay {amount}?"}
              - action: pay
          unasked:
            steps:
              - collect: amount
              - action: pay
          by_the_back_door:
            steps:
              - collect: amount
              - {step: way, type: branch, cases: [{when: "amount < 5", then: pay_it}]}
              - {confirm: sure, message: "Pay {amount}?"}
              - {step: pay_it, type: action, call: pay}
          denied:
            steps:
              - collect: amount
              - {confirm: sure, message: "Pay {amount}?", on_deny: pay_it}
              - {step: pay_it, type: action, call: pay}
        """,
        bank(),
    ) == snapshot(
        [
            "bot.yaml:13:17: warning: flow 'unasked' can come to 'action_pay' without a confirmation, and 'pay' happens once. Put a confirm before it, or declare it pure or idempotent if it is.",
            "bot.yaml:19:44: warning: flow 'by_the_back_door' can come to 'pay_it' without a confirmation, and 'pay' happens once. Put a confirm before it, or declare it pure or idempotent if it is.",
            "bot.yaml:24:44: warning: flow 'denied' can come to 'pay_it' without a confirmation, and 'pay' happens once. Put a confirm before it, or declare it pure or idempotent if it is.",
        ]
    )
