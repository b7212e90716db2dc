from __future__ import annotations

from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from soni.config.check import check
from soni.config.loader import load_config, read_config
from soni.config.models import (
    ActionStepConfig,
    BranchStepConfig,
    CallStepConfig,
    CollectStepConfig,
    ConfirmStepConfig,
    EndStepConfig,
    FlowConfig,
    HandoffStepConfig,
    LinkStepConfig,
    SayStepConfig,
    SetStepConfig,
    SlotConfig,
    SoniConfig,
    WhileStepConfig,
)
from soni.core.expression import Expression
from soni.core.template import Text
from soni.steps import Step

BY_VALUE = {"1": "end"}
IN_ORDER = [{"when": "n > 1", "then": "end"}, {"else": "end"}]
BANKING = Path(__file__).parents[2] / "examples/banking/domain"


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def loaded(text: str) -> SoniConfig:
    Path("bot.yaml").write_text(dedent(text), encoding="utf-8")
    return load_config("bot.yaml")


def folder(**files: str) -> SoniConfig:
    Path("bot").mkdir()
    for name, text in files.items():
        Path("bot", f"{name}.yaml").write_text(dedent(text), encoding="utf-8")
    return load_config("bot")


def steps_of(*steps: Any) -> list[Step]:
    return FlowConfig(steps=list(steps)).steps


def names_of(*steps: Any) -> list[str]:
    return [placed.step.step for placed in FlowConfig(steps=list(steps)).placed]


@pytest.mark.parametrize(
    ("short", "long", "kind"),
    [
        ({"say": "Hi"}, {"type": "say", "message": "Hi"}, SayStepConfig),
        ({"collect": "name"}, {"type": "collect", "slot": "name"}, CollectStepConfig),
        ({"confirm": "ok", "message": "Ok?"}, {"type": "confirm", "slot": "ok", "message": "Ok?"}, ConfirmStepConfig),
        ({"action": "pay", "retry": 2}, {"type": "action", "call": "pay", "retry": 2}, ActionStepConfig),
        ({"set": {"n": 1}}, {"type": "set", "slots": {"n": 1}}, SetStepConfig),
        ({"set": None, "compute": {"n": "n + 1"}}, {"type": "set", "compute": {"n": "n + 1"}}, SetStepConfig),
        ({"branch": "n", "cases": BY_VALUE}, {"type": "branch", "slot": "n", "cases": BY_VALUE}, BranchStepConfig),
        ({"branch": None, "cases": IN_ORDER}, {"type": "branch", "cases": IN_ORDER}, BranchStepConfig),
        ({"while": "n < 3", "do": ["end"]}, {"type": "while", "condition": "n < 3", "do": ["end"]}, WhileStepConfig),
        ({"call": "other"}, {"type": "call", "target": "other"}, CallStepConfig),
        ({"link": "other"}, {"type": "link", "target": "other"}, LinkStepConfig),
        ({"handoff": "angry"}, {"type": "handoff", "reason": "angry"}, HandoffStepConfig),
        ("handoff", {"type": "handoff"}, HandoffStepConfig),
        ("end", {"type": "end"}, EndStepConfig),
        ({"end": None}, {"type": "end"}, EndStepConfig),
    ],
)  # fmt: skip
def test_the_short_form_means_the_long_form(short: Any, long: Any, kind: type[Step]) -> None:
    assert steps_of(short) == steps_of(long)
    assert isinstance(steps_of(short)[0], kind)


def test_a_step_without_a_name_is_named_after_what_it_refers_to() -> None:
    steps = [{"collect": "name"}, {"action": "pay"}, {"call": "other"}, {"link": "other"}, {"say": "Hi"}, "end"]
    assert names_of(*steps) == ["collect_name", "action_pay", "call_other", "link_other", "say", "end"]


def test_a_reworded_text_or_condition_leaves_the_name_alone() -> None:
    assert names_of({"say": "Hello"}) == names_of({"say": "Hello there"}) == ["say"]
    assert names_of({"handoff": "angry"}, {"while": "more", "do": ["end"]}) == ["handoff", "while", "end"]


def test_names_are_unique_and_leave_written_ones_alone() -> None:
    steps = [{"say": "a"}, {"say": "b"}, {"step": "say_2", "type": "say", "message": "c"}, {"say": "d"}]
    assert names_of(*steps) == ["say", "say_3", "say_2", "say_4"]


def test_steps_inside_loops_share_the_names_of_the_flow() -> None:
    inner = {"while": "b", "do": [{"say": "x"}, {"step": "say_2", "type": "say", "message": "y"}]}
    assert names_of({"say": "a"}, {"while": "a", "do": [{"say": "b"}, inner]}, {"say": "c"}) == [
        "say", "while", "say_3", "while_2", "say_4", "say_2", "say_5",
    ]  # fmt: skip


def test_naming_a_flow_twice_changes_nothing() -> None:
    flow = FlowConfig(steps=[{"say": "a"}, {"while": "a", "do": [{"say": "b"}]}])
    assert FlowConfig(steps=flow.steps).steps == flow.steps


def test_a_step_knows_what_follows_it_inside_and_after_a_loop() -> None:
    flow = FlowConfig(steps=[{"while": "a", "do": [{"say": "x"}, {"collect": "n"}]}, {"action": "pay"}])
    assert {name: (placed.next, placed.loops) for name, placed in flow.plan.items()} == {
        "while": ("action_pay", ()),
        "say": ("collect_n", ("while",)),
        "collect_n": ("while", ("while",)),
        "action_pay": (None, ()),
        "handoff": (None, ()),
    }


def test_a_folder_is_one_assistant_in_the_order_of_its_file_names() -> None:
    config = folder(
        b="flows: {two: {steps: [{say: Two}]}}\nslots: {b: {type: text}}",
        a="version: '1'\nflows: {one: {steps: [{say: One}]}}\nsettings: {language: es}",
        c="version: '1'\nslots: {a: {type: money}}\nsettings: {currency: USD}\ntexts: {denied: Fine}",
        d="# nothing yet",
    )
    assert list(config.flows) == ["one", "two"]
    assert list(config.own_slots) == ["b", "a"]
    assert (config.settings.language, config.settings.currency) == ("es", "USD")
    assert config.texts.denied == Text.of("Fine")


def test_only_yaml_files_of_the_folder_itself_are_read() -> None:
    Path("bot/more").mkdir(parents=True)
    Path("bot/a.yml").write_text("flows: {one: {steps: [{say: One}]}}")
    Path("bot/notes.txt").write_text("\t: :")
    Path("bot/more/b.yaml").write_text("\t: :")
    assert list(load_config("bot").flows) == ["one"]


def test_the_same_declaration_in_two_files_is_no_contradiction() -> None:
    slot = "slots: {name: {type: text}}\n"
    config = folder(a=slot + "flows: {one: {steps: [{collect: name}]}}", b=slot)
    assert list(config.own_slots) == ["name"]


def test_the_banking_example_has_no_problems() -> None:
    config, problems = read_config(BANKING)
    assert problems == []
    assert config is not None
    assert config.languages == {"en", "es", "pt"}


def test_a_text_is_a_string_a_list_of_variations_or_a_map_by_language() -> None:
    texts = ["Hi", ["Hi", "Hello"], {"en": "Hi", "es": ["Hola", "Buenas"]}]
    assert [step.texts["message"] for step in steps_of(*({"say": text} for text in texts))] == [
        Text.of(text) for text in texts
    ]


def test_the_languages_are_those_of_the_settings_and_of_every_text() -> None:
    config = loaded("""\
        settings: {language: en}
        slots:
          name: {type: text, message: {fr: "Nom ?"}, error: {de: Nein}}
        flows:
          hello:
            steps:
              - {collect: name, message: {pt: "Nome?"}}
              - {say: {es: Hola, en: Hello}}
              - {say: For all}
        """)
    assert config.languages == {"en", "fr", "de", "pt", "es"}


def test_words_that_yaml_would_turn_into_something_else_stay_text() -> None:
    config = loaded("""\
        slots:
          answer: {type: choice, options: {yes: [on, y], no: [off, n]}}
          start: {type: text, examples: [12:30, 2026-01-01, 007, 1_000, 0x1F, "true"]}
        flows:
          hello:
            trigger: {intents: [on, no, 12:30]}
            steps:
              - collect: answer
              - {collect: start, options: [12:30, 1, 2.5]}
              - {branch: answer, cases: {yes: end, no: end}}
        """)
    assert list(config.own_slots["answer"].options) == ["yes", "no"]
    assert config.own_slots["answer"].options["yes"].synonyms == ["on", "y"]
    assert config.own_slots["start"].examples == ["12:30", "2026-01-01", "007", "1_000", "0x1F", "true"]
    assert config.flows["hello"].trigger.intents == ["on", "no", "12:30"]
    collect = config.flows["hello"].steps[1]
    assert isinstance(collect, CollectStepConfig)
    assert [option.sources for option in collect.options] == [["12:30"], ["1"], ["2.5"]]


def test_set_gives_numbers_truth_and_nothing_as_such() -> None:
    config = loaded("""\
        slots:
          n: {type: integer, source: system}
          x: {type: number, source: system}
          ok: {type: boolean, source: system}
          word: {type: text, source: system}
        flows:
          hello:
            steps:
              - set: {n: 3, x: -1.5e2, ok: true, word: "3"}
              - set: {n: null, x: ~, ok: , word: "null"}
        """)
    assert [step.slots for step in config.flows["hello"].steps if isinstance(step, SetStepConfig)] == [
        {"n": 3, "x": -150.0, "ok": True, "word": "3"},
        {"n": None, "x": None, "ok": None, "word": "null"},
    ]


def test_an_anchor_repeats_a_value() -> None:
    config = loaded("""\
        slots:
          one: &money {type: money, description: How much}
          two: *money
        flows:
          hello: {steps: [{collect: one}, {collect: two}]}
        """)
    assert config.own_slots["one"] == config.own_slots["two"]


def test_a_byte_order_mark_and_windows_line_ends_do_no_harm() -> None:
    Path("bot.yaml").write_bytes(b"\xef\xbb\xbfflows:\r\n  hello:\r\n    steps:\r\n      - say: Hello\r\n")
    assert list(load_config("bot.yaml").flows) == ["hello"]


def test_version_one_may_be_written_as_a_number() -> None:
    assert loaded("version: 1\nflows: {hello: {steps: [{say: Hello}]}}").version == "1"


def test_validate_is_a_validator_if_it_is_a_name_and_an_expression_otherwise() -> None:
    assert SlotConfig().validate_ is None
    assert SlotConfig.model_validate({"validate": "six_digits"}).validate_ == "six_digits"
    assert SlotConfig.model_validate({"validate": "amount > 5"}).validate_ == Expression("amount > 5")


def test_an_assistant_made_in_python_need_not_declare_its_slots() -> None:
    config = SoniConfig(
        flows={"hello": {"steps": [{"collect": "name"}, {"confirm": "sure", "message": "Are you {name}?"}, "end"]}}
    )
    assert {name: slot.type for name, slot in config.own_slots.items()} == {"name": "text", "sure": "boolean"}
    assert check(config) == []


def test_problems_of_an_assistant_made_in_python_are_told_by_path() -> None:
    config = SoniConfig(flows={"hello": {"steps": [{"say": "Hello {name}"}]}})
    assert [str(problem) for problem in check(config)] == [
        "flows.hello.steps[0].message[0]: flow 'hello', step 'say' shows 'name', which nothing has set by then. "
        "Collect it, set it or map it before, or make it a conversation slot."
    ]


def test_a_bare_end_ends_the_flow_wherever_it_stands() -> None:
    config = loaded("""\
        slots: {name: {type: text}}
        flows:
          hello:
            steps:
              - collect: name
              - branch:
                cases: [{when: "name == 'Ana'", then: greet}]
              - end
              - {step: greet, type: say, message: Hello Ana}
              - end
        """)
    assert [step.step for step in config.flows["hello"].steps] == ["collect_name", "branch", "end", "greet", "end_2"]


def test_division_by_a_slot_is_no_problem_though_a_sample_value_would_be_zero() -> None:
    config = loaded("""\
        slots: {n: {type: integer}, m: {type: integer}}
        flows:
          hello: {steps: [{collect: n}, {collect: m}, {say: Big, if: "n / (m - 1) > 2"}]}
        """)
    assert list(config.own_slots) == ["n", "m"]
