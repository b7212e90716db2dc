# ruff: noqa: E501  # a message is one line, however long
from __future__ import annotations

from typing import TYPE_CHECKING

from inline_snapshot import snapshot

if TYPE_CHECKING:
    from tests.config.conftest import Problems


def test_an_unknown_key_is_told_wherever_it_stands(problems_of: Problems) -> None:
    assert (
        problems_of("""\
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
        """)
        == snapshot()
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
            "bot.yaml:6:9: a step of flow 'hello' needs 'slot'.",
            "bot.yaml:7:9: a step of flow 'hello' needs 'message'.",
            "bot.yaml:8:9: a step of flow 'hello' needs 'message'.",
            "bot.yaml:9:9: a step of flow 'hello' needs 'cases'.",
            "bot.yaml:10:9: a step of flow 'hello' needs 'call'.",
            "bot.yaml:12:9: a step of flow 'hello' needs 'do'.",
            "bot.yaml:14:5: flow 'bye' needs 'steps'.",
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
            "bot.yaml:3:5: flow 'hello' needs 'steps'.",
            "bot.yaml:3:5: there is no key 'stepz' in flow 'hello'. Did you mean 'steps'?",
            "bot.yaml:7:9: a step of flow 'bye' needs 'message'.",
            "bot.yaml:7:32: there is no key 'mesage' in a step of flow 'bye'. Did you mean 'message'?",
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
            "bot.yaml:4:7: 'steps' in flow 'hello': input should be a valid list.",
            "bot.yaml:6:14: 'trigger' in flow 'bye': input should be a valid dictionary or instance of TriggerConfig.",
            "bot.yaml:8:29: 'do' in a step of flow 'bye': input should be a valid list.",
            "bot.yaml:10:24: 'intents' in flow 'more' (it is 'more'): input should be a valid list.",
            "bot.yaml:11:12: 'steps' in flow 'more' (it is 'more'): input should be a valid list.",
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
            "bot.yaml:1:11: 'settings' in the assistant: input should be a valid dictionary or instance of Settings.",
            "bot.yaml:3:3: 'slots' in the assistant: input should be a valid dictionary.",
            "bot.yaml:5:3: 'flows' in the assistant: input should be a valid dictionary.",
            "bot.yaml:6:8: 'texts' in the assistant (it is 'None'): input should be a valid dictionary or instance of Texts.",
        ]
    )


def test_a_list_in_the_second_file_is_told_as_such(problems_of: Problems) -> None:
    assert problems_of(
        {"a.yaml": "flows: {hello: {steps: [{say: Hello}]}}\n", "b.yaml": "flows:\n  - bye\nslots: 3\n"}
    ) == snapshot(
        [
            "bot/b.yaml:1:1: 'flows' is declared in more than one file. Keep one of them.",
            "bot/b.yaml:3:8: 'slots' in the assistant (it is '3'): input should be a valid dictionary.",
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
            "bot.yaml:1:10: 'version' in the assistant (it is '2'): input should be '1'.",
            "bot.yaml:3:13: 'language' in 'settings' (it is 'english'): string should match pattern '^[a-z]{2,3}$'.",
            "bot.yaml:4:13: 'currency' in 'settings' (it is 'euros'): string should match pattern '^[A-Z]{3}$'.",
            "bot.yaml:5:18: 'understanding' in 'settings' (it is 'magic'): input should be 'local'.",
            "bot.yaml:6:26: 'backend' in 'settings.persistence' (it is 'mysql'): input should be 'memory' or 'sqlite'.",
            "bot.yaml:7:19: write a span of time such as 500ms, 5s, 2m or 1h30m.",
            "bot.yaml:8:14: 'max_depth' in 'settings' (it is '0'): input should be greater than or equal to 1.",
            "bot.yaml:9:14: 'max_steps' in 'settings' (it is 'many'): input should be a valid integer, unable to parse string as an integer.",
            "bot.yaml:11:9: 'name' in 'slots' (it is 'text'): input should be a valid dictionary or instance of SlotConfig.",
            "bot.yaml:12:33: 'sensitive' in slot 'size' (it is 'maybe'): input should be a valid boolean, unable to interpret input.",
            "bot.yaml:12:48: 'source' in slot 'size' (it is 'nobody'): input should be 'user' or 'system'.",
            "bot.yaml:12:63: 'scope' in slot 'size' (it is 'world'): input should be 'flow' or 'conversation'.",
            "bot.yaml:12:80: 'examples' in slot 'size' (it is 'big'): input should be a valid list.",
            "bot.yaml:13:37: 'description' in slot 'age': input should be a valid string.",
            "bot.yaml:15:10: 'hello' in 'flows' (it is 'Hello'): input should be a valid dictionary or instance of FlowConfig.",
            "bot.yaml:17:18: 'description' in flow 'bye': input should be a valid string.",
            "bot.yaml:19:35: 'attempts' in a step of flow 'bye' (it is 'three'): input should be a valid integer, unable to parse string as an integer.",
            "bot.yaml:20:35: 'attempts' in a step of flow 'bye' (it is '0'): input should be greater than or equal to 1.",
            "bot.yaml:21:32: write a span of time such as 500ms, 5s, 2m or 1h30m.",
            "bot.yaml:21:45: 'retry' in a step of flow 'bye' (it is '-1'): input should be greater than or equal to 0.",
            "bot.yaml:21:62: 'map_outputs' in a step of flow 'bye': input should be a valid dictionary.",
            "bot.yaml:22:32: write a span of time such as 500ms, 5s, 2m or 1h30m.",
            "bot.yaml:23:37: 'ask_always' in a step of flow 'bye' (it is '7'): input should be a valid boolean, unable to interpret input.",
            "bot.yaml:24:29: 'jump_to' in a step of flow 'bye': input should be a valid string.",
            "bot.yaml:25:16: 'step' in a step of flow 'bye': input should be a valid string.",
            "bot.yaml:26:9: 'slots' in a step of flow 'bye' (it is 'name'): input should be a valid dictionary.",
            "bot.yaml:27:32: 'limit' in a step of flow 'bye' (it is '1.5'): input should be a valid integer, unable to parse string as an integer.",
            'bot.yaml:28:24: an expression must be text, such as "amount > 100"',
        ]
    )


def test_a_step_without_a_type_is_told(problems_of: Problems) -> None:
    assert (
        problems_of("""\
        flows:
          hello:
            steps:
              - step: greet
                message: Hello
              - colect: name
              - {say: Hello, set: {name: Ana}}
              - greet
              - say
              - 
              - {}
              - [say, Hello]
              - {step: a, type: syy, message: Hello}
              - {step: b, type: teleport}
              - {step: b, type: [say]}
              - {step: c, type: }
              - {say: Hello, message: Hi}
        """)
        == snapshot()
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
            "bot.yaml:7:9: cases by value need 'slot: …' to say whose value.",
            "bot.yaml:9:40: a case needs 'when' (or 'is') and 'then', or only 'else'.",
            "bot.yaml:9:40: 'dict[str,str]' in a step of flow 'hello': input should be a valid dictionary.",
            "bot.yaml:10:40: 'else' stands alone in its case.",
            "bot.yaml:10:40: 'dict[str,str]' in a step of flow 'hello': input should be a valid dictionary.",
            "bot.yaml:11:40: a case needs 'when' (or 'is') and 'then', or only 'else'.",
            "bot.yaml:11:40: 'dict[str,str]' in a step of flow 'hello': input should be a valid dictionary.",
            "bot.yaml:12:40: 'list[function-after[_one_way(), Case]]' in a step of flow 'hello' (it is 'end'): input should be a valid list.",
            "bot.yaml:12:40: 'dict[str,str]' in a step of flow 'hello' (it is 'end'): input should be a valid dictionary.",
            "bot.yaml:15:52: 'list[function-after[_one_way(), Case]]' in a step of flow 'hello': input should be a valid list.",
            "bot.yaml:15:52: 'big' in a step of flow 'hello': input should be a valid string.",
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
            "bot.yaml:2:18: 'steps' in flow 'hello': value should have at least 1 item after validation, not 0.",
            "bot.yaml:3:16: 'steps' in flow 'bye' (it is ''): input should be a valid list.",
            "bot.yaml:4:8: 'more' in 'flows' (it is ''): input should be a valid dictionary or instance of FlowConfig.",
        ]
    )


def test_no_flows_at_all_is_told_beside_the_other_problems(problems_of: Problems) -> None:
    assert problems_of("""\
        slots:
          size: {type: chioce}
        """) == snapshot(["bot.yaml:1:1: there are no flows. Declare at least one under 'flows:'."])
    assert problems_of("flows:\n") == snapshot(
        ["bot.yaml:1:7: 'flows' in the assistant (it is ''): input should be a valid dictionary."]
    )
    assert problems_of("flows: {}\n") == snapshot([])
