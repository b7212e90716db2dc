# ruff: noqa: E501  # a message is one line, however long
from __future__ import annotations

from typing import TYPE_CHECKING

from inline_snapshot import snapshot

from soni import load_config

if TYPE_CHECKING:
    from pathlib import Path

    from tests.config.conftest import Problems


def test_an_unknown_target_is_told_where_it_is_named(problems_of: Problems) -> None:
    assert problems_of("""\
        slots:
          name: {type: text}
          sure: {type: boolean}
        flows:
          hello:
            steps:
              - {step: ask, type: collect, slot: name, on_attempts: sory}
              - {step: review, type: confirm, slot: sure, message: "Sure?", on_deny: aks}
              - {step: pay, type: action, call: pay, on_error: sorry2, on_unknown: hand_off}
              - {step: way, type: branch, cases: [{when: sure, then: rewiew}, {else: nowhere}]}
              - {step: ways, type: branch, slot: name, cases: {Ana: ask, Bob: bob}}
              - {step: sorry, type: say, message: Sorry, jump_to: ends}
        """) == snapshot(
        [
            "bot.yaml:7:61: flow 'hello' goes to step 'sory', which it does not have. Did you mean 'sorry'?",
            "bot.yaml:8:78: flow 'hello' goes to step 'aks', which it does not have. Did you mean 'ask'?",
            "bot.yaml:9:56: flow 'hello' goes to step 'sorry2', which it does not have. Did you mean 'sorry'?",
            "bot.yaml:9:76: flow 'hello' goes to step 'hand_off', which it does not have. Did you mean 'handoff'?",
            "bot.yaml:10:62: flow 'hello' goes to step 'rewiew', which it does not have. Did you mean 'review'?",
            "bot.yaml:10:78: flow 'hello' goes to step 'nowhere', which it does not have.",
            "bot.yaml:11:71: flow 'hello' goes to step 'bob', which it does not have.",
            "bot.yaml:12:59: flow 'hello' goes to step 'ends', which it does not have. Did you mean 'end'?",
        ]
    )


def test_a_target_inside_a_loop_is_told_there(problems_of: Problems) -> None:
    assert problems_of("""\
        slots:
          more: {type: boolean}
        flows:
          hello:
            steps:
              - step: again
                type: while
                condition: "more is None or more"
                do:
                  - step: ask
                    type: collect
                    slot: more
                    on_attempts: sory
              - {step: sorry, type: say, message: Sorry}
        """) == snapshot(
        ["bot.yaml:13:26: flow 'hello' goes to step 'sory', which it does not have. Did you mean 'sorry'?"]
    )


def test_an_unknown_flow_is_told(problems_of: Problems) -> None:
    assert problems_of("""\
        flows:
          hello:
            steps:
              - {step: ask, type: call, target: by}
              - call: nowhere_at_all
              - link: bey
          bye:
            steps: [{say: Bye}]
        """) == snapshot(
        [
            "bot.yaml:4:41: flow 'hello', step 'ask' goes to flow 'by', which does not exist. Did you mean 'bye'?",
            "bot.yaml:5:15: flow 'hello', step 'call_nowhere_at_all' goes to flow 'nowhere_at_all', which does not exist.",
            "bot.yaml:6:15: flow 'hello', step 'link_bey' goes to flow 'bey', which does not exist. Did you mean 'bye'?",
        ]
    )


def test_a_call_that_maps_slots_the_other_flow_does_not_have_is_told(problems_of: Problems) -> None:
    assert problems_of("""\
        slots:
          code: {type: text}
          pin: {type: text}
        flows:
          hello:
            steps:
              - collect: code
              - {call: check, inputs: {pni: code}, outputs: {right: rihgt}}
          check:
            steps: [{collect: pin}]
        """) == snapshot(
        [
            "bot.yaml:8:37: flow 'hello', step 'call_check' maps 'pni', a slot that flow 'check' does not have. Did you mean 'pin'?",
            "bot.yaml:8:61: flow 'hello', step 'call_check' names the slot 'rihgt', which is not declared. Declare it under 'slots:'.",
            "bot.yaml:8:61: flow 'hello', step 'call_check' maps 'right', a slot that flow 'check' does not have.",
        ]
    )


def test_two_steps_of_one_name_are_told_with_the_line_of_the_first(problems_of: Problems) -> None:
    assert problems_of("""\
        flows:
          hello:
            steps:
              - {step: greet, type: say, message: Hello}
              - {step: greet, type: say, message: Hi}
              - step: again
                type: while
                condition: "true"
                do:
                  - {step: greet, type: say, message: Hey}
        """) == snapshot(
        [
            "bot.yaml:5:16: flow 'hello' has two steps named 'greet'. Rename one.",
            "bot.yaml:10:20: flow 'hello' has two steps named 'greet'. Rename one.",
        ]
    )


def test_a_reserved_name_cannot_name_a_step(problems_of: Problems) -> None:
    assert problems_of("""\
        flows:
          hello:
            steps:
              - {step: end, type: say, message: Hello}
              - {step: handoff, type: say, message: Hello}
              - {step: a-b, type: say, message: Hello}
              - {step: "", type: say, message: Hello}
        """) == snapshot(
        [
            "bot.yaml:4:16: 'end' is where every flow can go and cannot name a step. Rename it.",
            "bot.yaml:5:16: 'handoff' is where every flow can go and cannot name a step. Rename it.",
            "bot.yaml:6:16: step 'a-b' needs a name of letters, digits and underscores.",
            "bot.yaml:7:16: step '' needs a name of letters, digits and underscores.",
        ]
    )


def test_a_step_nothing_leads_to_is_told(problems_of: Problems) -> None:
    assert problems_of("""\
        flows:
          hello:
            steps:
              - {step: greet, type: say, message: Hello, jump_to: bye}
              - {step: lost, type: say, message: Nobody hears this}
              - {step: lost_too, type: say, message: Nor this}
              - {step: bye, type: say, message: Bye}
              - end
              - {say: Too late}
        """) == snapshot(
        [
            "bot.yaml:5:9: flow 'hello' never comes to step 'lost'. Remove it, or let a step go to it.",
            "bot.yaml:6:9: flow 'hello' never comes to step 'lost_too'. Remove it, or let a step go to it.",
            "bot.yaml:9:9: flow 'hello' never comes to step 'say'. Remove it, or let a step go to it.",
        ]
    )


def test_a_slot_shown_before_anything_sets_it_is_told(problems_of: Problems) -> None:
    assert problems_of("""\
        slots:
          name: {type: text}
          total: {type: money, source: system}
          late: {type: text, source: system}
        flows:
          hello:
            steps:
              - {say: "Hello {name}"}
              - collect: name
              - {say: "Big", if: "total > 5"}
              - step: way
                type: branch
                cases: [{when: "total > 5", then: bye}]
              - {action: find_total, map_outputs: {sum: total}}
              - {step: bye, type: say, message: {en: Bye, es: "Adiós, {name}"}}
              - {set: {}, compute: {name: late}}
        """) == snapshot(
        [
            "bot.yaml:8:15: flow 'hello', step 'say' shows 'name', which nothing has set by then. Collect it, set it or map it before, or make it a conversation slot.",
            "bot.yaml:10:26: flow 'hello', step 'say_2' reads 'total', which nothing has set by then. Collect it, set it or map it before, or make it a conversation slot.",
            "bot.yaml:13:24: flow 'hello', step 'way' reads 'total', which nothing has set by then. Collect it, set it or map it before, or make it a conversation slot.",
            "bot.yaml:16:35: flow 'hello', step 'set' reads 'late', which nothing has set by then. Collect it, set it or map it before, or make it a conversation slot.",
        ]
    )


def test_a_branch_over_a_slot_nothing_sets_is_told(problems_of: Problems) -> None:
    assert problems_of("""\
        slots:
          kind: {type: text, source: system}
          pin: {type: text}
        flows:
          hello:
            steps:
              - {step: ways, type: branch, slot: kind, cases: {a: end}}
              - {call: check, inputs: {pin: kind}}
          check:
            steps: [{collect: pin}]
        """) == snapshot(
        [
            "bot.yaml:7:42: flow 'hello', step 'ways' reads 'kind', which nothing has set by then. Collect it, set it or map it before, or make it a conversation slot.",
            "bot.yaml:8:37: flow 'hello', step 'call_check' reads 'kind', which nothing has set by then. Collect it, set it or map it before, or make it a conversation slot.",
        ]
    )


def test_an_endless_loop_is_told_at_its_first_step(problems_of: Problems) -> None:
    assert problems_of("""\
        flows:
          hello:
            steps:
              - {say: Hello}
              - {step: tick, type: say, message: Tick}
              - {step: tock, type: say, message: Tock, jump_to: tick}
          mirror:
            steps:
              - {step: self, type: say, message: Me, jump_to: self}
        """) == snapshot(
        [
            "bot.yaml:5:9: flow 'hello' goes round from step 'tick' without ever asking anything or ending. Let a step of the loop ask, change its condition, or go out of it.",
            "bot.yaml:9:9: flow 'mirror' goes round from step 'self' without ever asking anything or ending. Let a step of the loop ask, change its condition, or go out of it.",
        ]
    )


def test_a_while_that_never_asks_nor_changes_its_condition_is_told(problems_of: Problems) -> None:
    assert problems_of("""\
        slots:
          n: {type: integer, source: system, scope: conversation}
        flows:
          hello:
            steps:
              - {step: again, type: while, condition: "n < 3", do: [{say: Hello}]}
              - {step: ever, type: while, condition: "true", do: [{say: Hello}]}
              - {step: fine, type: while, condition: "n < 3", do: [{set: {}, compute: {n: "n + 1"}}]}
        """) == snapshot(
        [
            "bot.yaml:6:9: flow 'hello' goes round from step 'again' without ever asking anything or ending. Let a step of the loop ask, change its condition, or go out of it.",
            "bot.yaml:7:9: flow 'hello' goes round from step 'ever' without ever asking anything or ending. Let a step of the loop ask, change its condition, or go out of it.",
        ]
    )


def test_flows_that_link_in_a_circle_are_told(problems_of: Problems) -> None:
    assert problems_of("""\
        flows:
          ping:
            steps:
              - {say: Ping}
              - link: pong
          pong:
            steps:
              - {say: Pong}
              - link: ping
        """) == snapshot(
        [
            "bot.yaml:5:15: flow 'ping' comes back to itself through 'pong' without asking anything. Let a flow of the circle ask, or end it."
        ]
    )


def test_a_flow_that_calls_itself_is_told(problems_of: Problems) -> None:
    assert problems_of("""\
        flows:
          hello:
            steps:
              - call: hello
          a:
            steps:
              - call: b
          b:
            steps:
              - call: c
          c:
            steps:
              - call: b
        """) == snapshot(
        [
            "bot.yaml:4:15: flow 'hello' comes back to itself without asking anything. Let a flow of the circle ask, or end it.",
            "bot.yaml:10:15: flow 'b' comes back to itself through 'c' without asking anything. Let a flow of the circle ask, or end it.",
        ]
    )


def test_flows_with_the_same_phrase_are_told(problems_of: Problems) -> None:
    assert problems_of("""\
        slots:
          name: {type: text}
          city: {type: text}
        flows:
          hello:
            trigger: {intents: [Hello!, "greet {name}", "hello"]}
            steps: [{collect: name}, {collect: city}]
          bye:
            trigger:
              intents:
                - bye
                - "  héllo"
                - Greet {city}
            steps: [{collect: city}]
        """) == snapshot(
        [
            "bot.yaml:12:11: flow 'bye' is triggered by '  héllo', and so is flow 'hello' by 'Hello!'. Keep the phrase in one of them.",
            "bot.yaml:13:11: flow 'bye' is triggered by 'Greet {city}', and so is flow 'hello' by 'greet {name}'. Keep the phrase in one of them.",
        ]
    )


def test_a_confirmation_belongs_to_its_own_boolean_slot(problems_of: Problems) -> None:
    assert problems_of("""\
        slots:
          name: {type: text}
          sure: {type: boolean}
          sent: {type: boolean, source: system}
        flows:
          hello:
            steps:
              - {confirm: name, message: "Really?"}
              - {confirm: sure, message: "Sure?"}
              - {set: {sure: true}}
              - {action: guess, map_outputs: {sure: sure}}
              - {collect: sure}
              - {confirm: srue, message: "Sure?"}
        """) == snapshot(
        [
            "bot.yaml:8:19: flow 'hello', step 'confirm_name' confirms into 'name', which is not boolean. Give the slot 'type: boolean'.",
            "bot.yaml:10:22: flow 'hello', step 'set' writes 'sure', which belongs to a confirm step. Only the answer to its question may write it; use another slot.",
            "bot.yaml:11:45: flow 'hello', step 'action_guess' writes 'sure', which belongs to a confirm step. Only the answer to its question may write it; use another slot.",
            "bot.yaml:12:19: flow 'hello', step 'collect_sure' writes 'sure', which belongs to a confirm step. Only the answer to its question may write it; use another slot.",
            "bot.yaml:13:19: flow 'hello', step 'confirm_srue' names the slot 'srue', which is not declared. Did you mean 'sure'?",
        ]
    )


def test_a_system_slot_cannot_be_asked_for(problems_of: Problems) -> None:
    assert problems_of("""\
        slots:
          total: {type: money, source: system}
        flows:
          hello:
            steps:
              - collect: total
              - {step: ask, type: collect, slot: totl}
        """) == snapshot(
        [
            "bot.yaml:6:18: flow 'hello', step 'collect_total' asks for 'total', which people cannot fill. Take 'source: system' off the slot.",
            "bot.yaml:7:42: flow 'hello', step 'ask' names the slot 'totl', which is not declared. Did you mean 'total'?",
        ]
    )


def test_a_guard_can_only_read_the_conversation(problems_of: Problems) -> None:
    assert problems_of("""\
        slots:
          name: {type: text}
          logged_in: {type: boolean, source: system, scope: conversation}
        flows:
          hello:
            if: "logged_in and name == 'Ana'"
            steps: [{collect: name}]
          bye:
            if: "loged_in"
            steps: [{say: Bye}]
        """) == snapshot(
        [
            "bot.yaml:6:9: the guard of flow 'hello' reads 'name', which has no value before the flow has begun. Give the slot 'scope: conversation'.",
            "bot.yaml:9:9: flow 'bye' reads the slot 'loged_in', which is not declared. Did you mean 'logged_in'?",
        ]
    )


def test_set_gives_a_slot_a_value_of_its_type(problems_of: Problems) -> None:
    assert problems_of("""\
        slots:
          n: {type: integer, source: system}
          size: {type: choice, options: [big, small]}
        flows:
          hello:
            steps:
              - {set: {n: many, size: bgi, m: 1}}
              - {set: {n: 3, size: small}}
              - {set: {n: }}
              - {set: }
        """) == snapshot(
        [
            "bot.yaml:7:19: slot 'n' is of type integer and cannot have 'many' as its value: not a number.",
            "bot.yaml:7:31: slot 'size' is of type choice and cannot have 'bgi' as its value: none of the options.",
            "bot.yaml:7:39: flow 'hello', step 'set' names the slot 'm', which is not declared. Declare it under 'slots:'.",
            "bot.yaml:10:9: flow 'hello', step 'set_4' sets nothing. Give it 'slots:' or 'compute:'.",
        ]
    )


def test_a_priority_that_does_not_exist_is_told_with_what_may_be_meant(problems_of: Problems) -> None:
    assert problems_of("""\
        flows:
          stolen: {priority: urgnt, steps: [{say: "Blocked."}]}
          hello: {priority: 1, steps: [{say: "Hello."}]}
          bye: {priority: normal, steps: [{say: "Bye."}]}
        """) == snapshot(
        [
            "bot.yaml:2:22: 'priority' of flow 'stolen' must be 'normal' or 'urgent', not 'urgnt'. Did you mean 'urgent'?",
            "bot.yaml:3:21: 'priority' of flow 'hello' must be 'normal' or 'urgent', not 1.",
        ]
    )


def test_a_flow_is_urgent_only_if_it_says_so(tmp_path: Path) -> None:
    file = tmp_path / "bot.yaml"
    file.write_text("flows: {stolen: {priority: urgent, steps: [{say: A}]}, hello: {steps: [{say: B}]}}")
    flows = load_config(file).flows
    assert [flows[name].priority for name in ("stolen", "hello")] == ["urgent", "normal"]
