# ruff: noqa: E501  # a message is one line, however long
from __future__ import annotations

from datetime import time
from typing import TYPE_CHECKING

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
