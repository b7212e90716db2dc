# ruff: noqa: E501  # a message is one line, however long
from __future__ import annotations

from typing import TYPE_CHECKING

from inline_snapshot import snapshot

if TYPE_CHECKING:
    from tests.config.conftest import Problems


def test_an_unknown_key_is_told_wherever_it_stands(problems_of: Problems) -> None:
    assert problems_of("""\
        setings: {language: es}
        settings:
          langage: es
          persistence: {backnd: sqlite}
        texts:
          nothing_to_cancl: Nothing
          zzz: Nothing
        slots:
          size:
            type: choice
            options:
              big: {lable: Big}
          <<: {type: text}
        flows:
          hello:
            triger: {intents: [hello]}
            steps:
              - {say: Hello, wait_for_akc: true}
              - {step: bye, type: say, message: Bye, jump: end}
              - step: way
                type: branch
                cases: [{when: "true", than: bye}]
          bye:
            trigger: {intent: [bye]}
            steps:
              - while: "true"
                do:
                  - {say: Bye, colour: red}
        """) == snapshot(
        [
            "bot.yaml:1:1: there is no key 'setings' in the assistant. Did you mean 'settings'?",
            "bot.yaml:3:3: there is no key 'langage' in 'settings'. Did you mean 'language'?",
            "bot.yaml:4:17: there is no key 'backnd' in 'settings.persistence'. Did you mean 'backend'?",
            "bot.yaml:6:3: there is no key 'nothing_to_cancl' in 'texts'. Did you mean 'nothing_to_cancel'?",
            "bot.yaml:7:3: there is no key 'zzz' in 'texts'. There are action_failed, already_done, ask, assistant_changed, back, cancelled, change, changed, changed_to, chit_chat, clarify, declined, denied, done, error, explanation, failed_after_effect, failed_after_effect_alone, goodbye, greeting, handoff, help, invalid, needed, next, no, no_details, no_person, not_available, not_open, nothing_to_cancel, nothing_to_resume, offer_person, out_of_scope, outcome_unknown, queued, restarted, resume, stale_option, stopped, stuck, thanks, timed_out, too_deep, too_long_ago, too_many_attempts, trouble, wait, yes.",
            "bot.yaml:12:13: there is no key 'lable' in 'options.big' of slot 'size'. Did you mean 'label'?",
            "bot.yaml:13:3: slot '<<' needs a name of letters, digits and underscores.",
            "bot.yaml:16:5: there is no key 'triger' in flow 'hello'. Did you mean 'trigger'?",
            "bot.yaml:18:22: there is no key 'wait_for_akc' in flow 'hello', step 'say'. Did you mean 'wait_for_ack'?",
            "bot.yaml:19:46: there is no key 'jump' in flow 'hello', step 'bye'. Did you mean 'jump_to'?",
            "bot.yaml:22:32: there is no key 'than' in 'cases[0]' of flow 'hello', step 'way'. Did you mean 'then'?",
            "bot.yaml:24:15: there is no key 'intent' in 'trigger' of flow 'bye'. Did you mean 'intents'?",
            "bot.yaml:28:24: there is no key 'colour' in flow 'bye', step 'say'. There are if, jump_to, message, options, step, type, wait_for_ack.",
        ]
    )


def test_a_missing_field_is_told_at_the_step(problems_of: Problems) -> None:
    assert problems_of("""\
        slots:
          sure: {type: boolean}
        flows:
          hello:
            steps:
              - {step: ask, type: collect}
              - {step: greet, type: say}
              - confirm: sure
              - {step: way, type: branch}
              - type: action
              - say:
              - while: "true"
          bye:
            description: Nothing follows
        """) == snapshot(
        [
            "bot.yaml:6:9: flow 'hello', step 'ask' needs 'slot'.",
            "bot.yaml:7:9: flow 'hello', step 'greet' needs 'message'.",
            "bot.yaml:8:9: flow 'hello', step 'confirm_sure' needs 'message'.",
            "bot.yaml:9:9: flow 'hello', step 'way' needs 'cases'.",
            "bot.yaml:10:9: flow 'hello', step 'action' needs 'call'.",
            "bot.yaml:11:9: flow 'hello', step 'say' needs 'message'.",
            "bot.yaml:12:9: flow 'hello', step 'while' needs 'do'.",
            "bot.yaml:13:3: flow 'bye' needs 'steps'.",
        ]
    )


def test_a_key_that_is_nearly_the_missing_one_is_told_once(problems_of: Problems) -> None:
    assert problems_of("""\
        flows:
          hello:
            stepz:
              - say: Hello
          bye:
            steps:
              - {step: bye, type: say, mesage: Bye}
        """) == snapshot(
        [
            "bot.yaml:3:5: there is no key 'stepz' in flow 'hello'. Did you mean 'steps'?",
            "bot.yaml:7:32: there is no key 'mesage' in flow 'bye', step 'bye'. Did you mean 'message'?",
        ]
    )


def test_a_map_where_a_list_belongs_is_told(problems_of: Problems) -> None:
    assert problems_of("""\
        flows:
          hello:
            steps:
              say: Hello
          bye:
            trigger: [bye]
            steps:
              - {while: "true", do: {say: Bye}}
          more:
            trigger: {intents: more}
            steps: more
        """) == snapshot(
        [
            "bot.yaml:4:7: 'steps' of flow 'hello' must be a list, not a map.",
            "bot.yaml:6:14: 'trigger' of flow 'bye' must be a map with intents, not a list.",
            "bot.yaml:8:29: 'do' of flow 'bye', step 'while' must be a list, not a map.",
            "bot.yaml:10:24: 'trigger.intents' of flow 'more' must be a list, not 'more'.",
            "bot.yaml:11:12: 'steps' of flow 'more' must be a list, not 'more'.",
        ]
    )


def test_a_list_where_a_map_belongs_is_told(problems_of: Problems) -> None:
    assert problems_of("""\
        settings: []
        slots:
          - name
        flows:
          - hello
        texts: None
        """) == snapshot(
        [
            "bot.yaml:1:11: 'settings' must be a map. Write each on its own, as 'language: en'.",
            "bot.yaml:3:3: 'slots' must be a map. Write each on its own, as 'my_slot: …'.",
            "bot.yaml:5:3: 'flows' must be a map. Write each on its own, as 'my_flow: …'.",
            "bot.yaml:6:8: 'texts' must be a map. Write each on its own, as 'denied: …'.",
        ]
    )


def test_a_list_in_the_second_file_is_told_as_such(problems_of: Problems) -> None:
    assert problems_of(
        {"a.yaml": "flows: {hello: {steps: [{say: Hello}]}}\n", "b.yaml": "flows:\n  - bye\nslots: 3\n"}
    ) == snapshot(
        [
            "bot/b.yaml:2:3: 'flows' must be a map. Write each on its own, as 'my_flow: …'.",
            "bot/b.yaml:3:8: 'slots' must be a map. Write each on its own, as 'my_slot: …'.",
        ]
    )


def test_a_value_of_the_wrong_kind_is_told_in_plain_words(problems_of: Problems) -> None:
    assert problems_of("""\
        version: 2
        settings:
          language: english
          currency: euros
          understanding: magic
          persistence: {backend: mysql}
          action_timeout: soon
          max_depth: 0
          max_steps: many
        slots:
          name: text
          size: {type: text, sensitive: maybe, source: nobody, scope: world, examples: big}
          age: {type: integer, description: [how old]}
        flows:
          hello: Hello
          bye:
            description: {en: Bye}
            steps:
              - {collect: name, attempts: three}
              - {collect: name, attempts: 0}
              - {action: pay, timeout: soon, retry: -1, map_outputs: [name]}
              - {action: pay, timeout: -5s}
              - {collect: name, ask_always: 7}
              - {say: Bye, jump_to: [end]}
              - {step: [x], type: say, message: Bye}
              - {set: name}
              - {while: "true", limit: 1.5, do: [{say: Bye}]}
              - {say: Bye, if: [name]}
        """) == snapshot(
        [
            "bot.yaml:1:10: 'version' must be '1', not 2.",
            "bot.yaml:3:13: 'english' is not the code of a language, such as en or es.",
            "bot.yaml:4:13: 'euros' is not the code of a currency, such as EUR or USD.",
            "bot.yaml:5:18: 'settings.understanding' must be 'local', 'llm' or 'cascade', not 'magic'.",
            "bot.yaml:6:26: 'settings.persistence.backend' must be 'memory', 'sqlite' or 'postgres', not 'mysql'.",
            "bot.yaml:7:19: this must be a span of time, such as 500ms, 5s, 2m or 1h30m.",
            "bot.yaml:8:14: 'settings.max_depth' must be 1 or more, not 0.",
            "bot.yaml:9:14: 'settings.max_steps' must be a whole number, not 'many'.",
            "bot.yaml:11:3: slot 'name' must be a map with aliases, depends_on, description, error, examples, items, label, message, options, pattern, persist, scope, sensitive, source, type, validate, not 'text'. Write {type: text}.",
            "bot.yaml:12:33: 'sensitive' of slot 'size' must be true or false, not 'maybe'.",
            "bot.yaml:12:48: 'source' of slot 'size' must be 'user' or 'system', not 'nobody'.",
            "bot.yaml:12:63: 'scope' of slot 'size' must be 'flow' or 'conversation', not 'world'.",
            "bot.yaml:12:80: 'examples' of slot 'size' must be a list, not 'big'.",
            "bot.yaml:15:3: flow 'hello' must be a map with description, if, priority, steps, trigger, not 'Hello'.",
            "bot.yaml:19:35: 'attempts' of flow 'bye', step 'collect_name' must be a whole number, not 'three'.",
            "bot.yaml:20:35: 'attempts' of flow 'bye', step 'collect_name_2' must be 1 or more, not 0.",
            "bot.yaml:21:32: this must be a span of time, such as 500ms, 5s, 2m or 1h30m.",
            "bot.yaml:21:45: 'retry' of flow 'bye', step 'action_pay' must be 0 or more, not -1.",
            "bot.yaml:21:62: 'map_outputs' of flow 'bye', step 'action_pay' must be a map, not a list.",
            "bot.yaml:22:32: this must be a span of time, such as 500ms, 5s, 2m or 1h30m.",
            "bot.yaml:23:37: 'ask_always' of flow 'bye', step 'collect_name_3' must be true or false, not 7.",
            "bot.yaml:24:29: 'jump_to' of flow 'bye', step 'say' must be a text, not a list.",
            "bot.yaml:25:16: 'step' of flow 'bye', step '7' must be a text, not a list.",
            "bot.yaml:26:15: 'slots' of flow 'bye', step 'set' must be a map, not 'name'.",
            "bot.yaml:27:32: 'limit' of flow 'bye', step 'while' must be a whole number, not 1.5.",
            'bot.yaml:28:24: an expression must be text, such as "amount > 100".',
        ]
    )


def test_a_step_without_a_type_is_told(problems_of: Problems) -> None:
    assert problems_of("""\
        flows:
          hello:
            steps:
              - step: greet
                message: Hello
              - colect: name
              - {say: Hello, set: {name: Ana}}
              - greet
              - say
              - null
              - {}
              - [say, Hello]
              - {step: a, type: syy, message: Hello}
              - {step: b, type: teleport}
              - {step: b, type: [say]}
              - {step: c, type: }
              - {say: Hello, message: Hi}
        """) == snapshot(
        [
            "bot.yaml:4:9: the step has no type: write 'type: …', or the type as a key, as in 'say: Hello'.",
            "bot.yaml:6:9: there is no step type 'colect'. Did you mean 'collect'?",
            "bot.yaml:7:27: a step has one type, and this has 'say' and 'set'.",
            "bot.yaml:8:9: a step is a map, such as {step: ask, type: collect, slot: name}.",
            "bot.yaml:9:9: flow 'hello', step 'say_2' needs 'message'.",
            "bot.yaml:10:9: a step is a map, such as {step: ask, type: collect, slot: name}.",
            "bot.yaml:11:9: the step has no type: write 'type: …', or the type as a key, as in 'say: Hello'.",
            "bot.yaml:12:9: a step is a map, such as {step: ask, type: collect, slot: name}.",
            "bot.yaml:13:25: there is no step type 'syy'. Did you mean 'say'?",
            "bot.yaml:14:25: there is no step type 'teleport'. There are action, branch, call, clarify, collect, confirm, end, handoff, link, say, set, while.",
            "bot.yaml:15:16: flow 'hello' has two steps named 'b'. Rename one.",
            "bot.yaml:15:25: there is no step type '['say']'. Did you mean 'say'?",
            "bot.yaml:16:9: the step has no type: write 'type: …', or the type as a key, as in 'say: Hello'.",
            "bot.yaml:17:31: 'message' is given twice: 'say: …' gives it already.",
        ]
    )


def test_a_branch_needs_cases_that_say_when_and_where(problems_of: Problems) -> None:
    assert problems_of("""\
        slots:
          size: {type: choice, options: [big, small]}
        flows:
          hello:
            steps:
              - {collect: size}
              - {step: a, type: branch, cases: {big: end}}
              - {step: b, type: branch, cases: []}
              - {step: c, type: branch, cases: [{when: "size == 'big'"}]}
              - {step: d, type: branch, cases: [{else: end, then: a}]}
              - {step: e, type: branch, cases: [{when: "size == 'big'", is: big, then: a}]}
              - {step: f, type: branch, cases: end}
              - {step: g, type: branch, cases: [{is: big, then: a}]}
              - {step: h, type: branch, cases: [{else: a}, {when: "size == 'big'", then: a}]}
              - {step: i, type: branch, slot: size, cases: {big: [a]}}
              - {step: j, type: branch, slot: size, cases: {bgi: a}}
        """) == snapshot(
        [
            "bot.yaml:7:40: cases by value need 'slot: …' to say whose value.",
            'bot.yaml:8:40: a branch needs cases, such as [{when: "amount > 5", then: review}, {else: end}].',
            "bot.yaml:9:41: a case needs 'when' (or 'is') and 'then', or only 'else'.",
            "bot.yaml:10:41: 'else' stands alone in its case.",
            "bot.yaml:11:41: a case needs 'when' (or 'is') and 'then', or only 'else'.",
            'bot.yaml:12:40: a branch needs cases, such as [{when: "amount > 5", then: review}, {else: end}].',
            "bot.yaml:13:40: cases by value need 'slot: …' to say whose value.",
            "bot.yaml:14:41: 'else' must be the last case; those after it are never looked at.",
            "bot.yaml:15:58: 'cases.big' of flow 'hello', step 'i' must be a text, not a list.",
            "bot.yaml:16:58: flow 'hello', step 'j' has a case for 'bgi', which 'size' can never be. Did you mean 'big'?",
        ]
    )


def test_a_flow_needs_a_step(problems_of: Problems) -> None:
    assert problems_of("""\
        flows:
          hello: {steps: []}
          bye: {steps: }
          more:
        """) == snapshot(
        [
            "bot.yaml:2:18: 'steps' of flow 'hello' is empty. Give it at least one.",
            "bot.yaml:3:16: 'steps' of flow 'bye' is empty; it must be a list.",
            "bot.yaml:4:3: flow 'more' is empty; it must be a map with description, if, priority, steps, trigger.",
        ]
    )


def test_no_flows_at_all_is_told_beside_the_other_problems(problems_of: Problems) -> None:
    assert problems_of("""\
        slots:
          size: {type: chioce}
        """) == snapshot(
        [
            "bot.yaml:1:1: there are no flows. Declare at least one under 'flows:'.",
            "bot.yaml:2:16: there is no slot type 'chioce'. Did you mean 'choice'?",
        ]
    )
    assert problems_of("flows:\n") == snapshot(
        ["bot.yaml:1:1: there are no flows. Declare at least one under 'flows:'."]
    )
    assert problems_of("flows: {}\n") == snapshot(
        ["bot.yaml:1:1: there are no flows. Declare at least one under 'flows:'."]
    )
