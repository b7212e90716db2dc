# ruff: noqa: E501  # a message is one line, however long
from __future__ import annotations

from datetime import time
from typing import TYPE_CHECKING

import pytest
from inline_snapshot import snapshot

from soni.actions import Actions

if TYPE_CHECKING:
    from tests.config.conftest import Problems


def clinic() -> Actions:
    actions = Actions()

    @actions.register(effect="pure")
    def read_hours() -> dict[str, time]:
        return {"closes": time(14)}

    @actions.register()
    def pay() -> None: ...

    @actions.validator()
    def open_then(hour: time, closes: time) -> bool:
        return hour < closes

    return actions


def test_a_rule_about_a_slot_that_nobody_asks_for_is_told_where_it_can_be_broken(problems_of: Problems) -> None:
    text = """\
        slots:
          low: {type: integer}
          high: {type: integer, validate: "high > low"}
          hour: {type: time, validate: open_then}
          closes: {type: time, source: system}
        flows:
          by_a_question:
            steps:
              - {step: start, type: set, slots: {high: 5}}
              - {collect: low}
              - {say: "{low} to {high}"}
          by_a_set:
            steps:
              - {step: both, type: set, slots: {high: 5}, compute: {low: "high - 1"}}
          by_an_action:
            steps:
              - {step: noon, type: set, slots: {hour: "12:00"}}
              - {action: read_hours, map_outputs: {closes: closes}}
          by_a_call:
            steps:
              - {step: start, type: set, slots: {high: 5}}
              - {call: ask_low}
              - {say: "{low} to {high}"}
          by_an_output:
            steps:
              - {step: start, type: set, slots: {high: 5}}
              - {call: ask_low, outputs: {low: low}}
          ask_low: {steps: [{collect: low}]}
          linked_from: {steps: [{collect: high}, {link: by_a_set}]}
        """
    assert problems_of(text, clinic()) == snapshot(
        [
            "bot.yaml:10:19: flow 'by_a_question', step 'collect_low' sets 'low', which the rule of 'high' reads, and nobody is asked for 'high' when that breaks the rule. Collect 'high' in the flow, or write the rule for a slot that is collected.",
            "bot.yaml:14:66: flow 'by_a_set', step 'both' sets 'low', which the rule of 'high' reads, and nobody is asked for 'high' when that breaks the rule. Collect 'high' in the flow, or write the rule for a slot that is collected.",
            "bot.yaml:18:52: flow 'by_an_action', step 'action_read_hours' sets 'closes', which the rule of 'hour' reads, and nobody is asked for 'hour' when that breaks the rule. Collect 'hour' in the flow, or write the rule for a slot that is collected.",
            "bot.yaml:22:16: flow 'by_a_call', step 'call_ask_low' sets 'low', which the rule of 'high' reads, and nobody is asked for 'high' when that breaks the rule. Collect 'high' in the flow, or write the rule for a slot that is collected.",
            "bot.yaml:27:40: flow 'by_an_output', step 'call_ask_low' sets 'low', which the rule of 'high' reads, and nobody is asked for 'high' when that breaks the rule. Collect 'high' in the flow, or write the rule for a slot that is collected.",
        ]
    )


def test_a_rule_may_be_broken_where_its_slot_is_asked_for(problems_of: Problems) -> None:
    assert (
        problems_of("""\
        slots:
          low: {type: integer}
          high: {type: integer, validate: "high > low"}
          least: {type: integer}
        flows:
          both: {steps: [{collect: low}, {collect: high}]}
          asked_in_a_call: {steps: [{call: ask_high}, {collect: low}, {say: "{low} to {high}"}]}
          asked_in_a_caller: {steps: [{collect: high}, {call: set_low}]}
          asked_beside: {steps: [{call: ask_high}, {call: set_low_too}, {say: "{high}"}]}
          ask_high: {steps: [{collect: high}]}
          set_low: {steps: [{set: {low: 3}}, {say: "{low} to {high}"}]}
          set_low_too: {steps: [{set: {low: 3}}, {say: "{low} to {high}"}]}
          only_reads: {steps: [{say: "{low} to {high}"}]}
          only_sets: {steps: [{set: {low: 3}}]}
          callers: {steps: [{collect: low}, {collect: high}, {call: only_reads}]}
          question: {steps: [{collect: least}, {collect: low, validate: "low > least"}, {set: {least: 1}, step: less}]}
        """)
        == []
    )


@pytest.mark.parametrize("emptied", [False, True])
def test_a_copy_between_two_questions_for_a_slot_is_a_warning(problems_of: Problems, *, emptied: bool) -> None:
    again = "{step: clear, type: set, slots: {n: null}}" if emptied else '{say: "Now the other."}'
    always = "" if emptied else ", ask_always: true"
    text = f"""\
        slots:
          n: {{type: integer}}
          first: {{type: integer}}
          sum: {{type: integer}}
        flows:
          add:
            steps:
              - {{collect: n, message: "First?"}}
              - {{step: keep, type: set, compute: {{first: n, n: "n + 1"}}}}
              - {again}
              - {{collect: n, message: "Second?", step: other{always}}}
              - {{step: sum, type: set, compute: {{sum: "first + n"}}}}
        """
    assert problems_of(text) == [
        "bot.yaml:9:50: warning: flow 'add', step 'keep' copies 'n' between two questions for it, and the copy is of the latest answer. Let the second question fill another slot."
    ]


BETWEEN = """\
        slots:
          n: {{type: integer}}
          first: {{type: integer}}
          sure: {{type: boolean}}
        flows:
          add:
            steps:
              - {{collect: n, message: "First?"}}
              - {{step: keep, type: set, compute: {{first: n}}}}
              - {between}
              - {{collect: n, message: "Second?", step: other, {question}}}
              - {{step: done, type: say, message: "{{n}}"}}
          inner: {{steps: [{{say: hi}}]}}
"""


@pytest.mark.parametrize(
    ("between", "question"),
    [
        ('{step: way, type: branch, cases: [{when: "n < 5", then: done}]}', "ask_always: true"),
        ('{confirm: sure, message: "{first}?", on_deny: done}', "ask_always: true"),
        ('{while: "n < 5", do: [{collect: sure}]}', "ask_always: true"),
        ("{confirm: sure, message: Pay?}\n              - {action: pay}", "ask_always: true"),
        ("{call: inner}", "ask_always: true"),
        ("{say: hi}", 'ask_always: true, if: "n < 5"'),
        ("{say: hi}", "ask_always: false"),
        ('{step: clear, type: set, slots: {n: null}, if: "n < 5"}', "ask_always: false"),
        ("{say: hi, jump_to: done}", "ask_always: true"),
    ],
)
def test_a_copy_is_no_warning_where_the_second_question_is_another_matter(
    problems_of: Problems, between: str, question: str
) -> None:
    told = problems_of(BETWEEN.format(between=between, question=question), clinic())
    assert [line for line in told if "copies" in line] == []


def test_a_copy_is_a_warning_though_a_pure_action_is_called(problems_of: Problems) -> None:
    text = BETWEEN.format(between="{action: read_hours}", question="ask_always: true")
    assert [line.partition(":9")[0] for line in problems_of(text, clinic())] == ["bot.yaml"]
    assert problems_of(text) == []
