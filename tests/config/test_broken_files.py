# ruff: noqa: E501  # a message is one line, however long
from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from inline_snapshot import snapshot

from soni.config.loader import load_config, read_config
from soni.errors import ConfigError

if TYPE_CHECKING:
    from tests.config.conftest import Problems

HELLO = "flows:\n  hello:\n    steps:\n      - say: Hello\n"


def test_a_key_given_twice_is_told_with_the_line_of_the_first(problems_of: Problems) -> None:
    assert problems_of("""\
        flows:
          hello:
            description: Greet
            steps:
              - say: Hello
            description: Say hello
        """) == snapshot(["bot.yaml:6:5: 'description' is given twice; the first is in line 3. Remove one."])


def test_a_flow_given_twice_in_one_file_is_told(problems_of: Problems) -> None:
    assert problems_of("""\
        flows:
          hello:
            steps: [{say: Hello}]
          hello:
            steps: [{say: Hi}]
        """) == snapshot(["bot.yaml:4:3: 'hello' is given twice; the first is in line 2. Remove one."])


def test_a_tab_in_the_indentation_is_told(problems_of: Problems) -> None:
    assert problems_of("""\
        flows:
          hello:
        \tsteps:
        \t  - say: Hello
        """) == snapshot(["bot.yaml:3:1: there is a tab in the indentation. Indent with spaces."])


def test_a_text_with_a_colon_needs_quotes(problems_of: Problems) -> None:
    assert problems_of("""\
        flows:
          hello:
            steps:
              - say: Choose one: tea or coffee
        """) == snapshot(["bot.yaml:4:24: there is a ': ' too many here. Quote a text that has ': ' in it."])


def test_a_text_that_starts_with_a_brace_needs_quotes(problems_of: Problems) -> None:
    assert problems_of("""\
        slots:
          name: {type: text}
        flows:
          hello:
            steps:
              - collect: name
              - say: {name}, hello
        """) == snapshot(["bot.yaml:7:20: the value ends before ', hello'. Quote a text that begins with '{'."])


def test_a_text_that_is_only_a_field_needs_quotes(problems_of: Problems) -> None:
    assert problems_of("""\
        slots:
          name: {type: text}
        flows:
          hello:
            steps:
              - collect: name
              - say: {name}
        """) == snapshot(["bot.yaml:7:19: the text is empty; quote a text that begins with '{'."])


def test_an_unclosed_quote_is_told_where_it_opens(problems_of: Problems) -> None:
    assert problems_of("""\
        flows:
          hello:
            steps:
              - say: "Hello
              - say: Bye
        """) == snapshot(["bot.yaml:4:14: the quote that opens here is never closed. Close it."])


def test_an_unclosed_bracket_is_told_where_it_opens(problems_of: Problems) -> None:
    assert problems_of("""\
        flows:
          hello:
            trigger: {intents: [hello, hi}
            steps:
              - say: Hello
        """) == snapshot(["bot.yaml:3:34: a bracket or brace is not closed before here. Close it, or quote the text."])


def test_a_line_that_is_indented_too_little_is_told(problems_of: Problems) -> None:
    assert problems_of("""\
        flows:
          hello:
            steps:
              - say: Hello
           description: Greet
        """) == snapshot(
        ["bot.yaml:5:4: the indentation fits none of the lines above. Line it up with its neighbours."]
    )


def test_an_apostrophe_in_single_quotes_is_told(problems_of: Problems) -> None:
    assert problems_of("""\
        flows:
          hello:
            steps:
              - say: 'What's up?'
        """) == snapshot(
        ["bot.yaml:4:20: the value ends before 's up?''. Use the other kind of quotes around a text with quotes in it."]
    )


def test_a_percent_sign_or_an_at_sign_needs_quotes(problems_of: Problems) -> None:
    assert problems_of("""\
        flows:
          hello:
            steps:
              - say: @ana writes
        """) == snapshot(["bot.yaml:4:14: a text cannot begin with '@'. Quote the whole text."])


def test_a_backslash_in_double_quotes_is_told(problems_of: Problems) -> None:
    assert problems_of(r"""
        flows:
          hello:
            steps:
              - say: "C:\docs"
        """) == snapshot(["bot.yaml:5:17: '\\' begins an escape in double quotes. Write '\\\\', or use single quotes."])


def test_an_unknown_anchor_is_told(problems_of: Problems) -> None:
    assert problems_of("""\
        flows:
          hello:
            steps:
              - say: *greeting
        """) == snapshot(
        ["bot.yaml:4:14: '*' begins an alias, and nothing is anchored under its name. Quote the whole text."]
    )


def test_a_second_document_in_a_file_is_told(problems_of: Problems) -> None:
    assert problems_of(HELLO + "---\n" + HELLO) == snapshot(
        ["bot.yaml:5:1: '---' begins a second assistant here. Give each its own file, or remove it."]
    )


def test_a_control_character_is_told(problems_of: Problems) -> None:
    assert problems_of(HELLO + "      - say: 'ring \a'\n") == snapshot(
        ["bot.yaml:5:20: there is a control character here. Remove it."]
    )


def test_a_key_that_is_not_a_word_is_told(problems_of: Problems) -> None:
    assert problems_of("""\
        flows:
          hello:
            steps:
              - say: Hello
              - say:
                  {name}: Hello
        """) == snapshot(["bot.yaml:6:11: a key must be a word. Quote a text that begins with '{' or '['."])


def test_a_merge_key_is_told(problems_of: Problems) -> None:
    assert problems_of("""\
        slots:
          one: &one {type: money}
          two: {<<: *one, description: Two}
        flows:
          hello:
            steps:
              - collect: one
              - collect: two
        """) == snapshot(["bot.yaml:3:9: there is no key '<<' in slot 'two'. Maps are not merged; write the keys out."])


def test_an_alias_inside_itself_is_told(problems_of: Problems) -> None:
    assert problems_of("""\
        flows:
          hello:
            steps: &steps
              - say: Hello
              - while: "true"
                do: *steps
        """) == snapshot(
        ["bot.yaml:3:12: this holds an alias to itself, so it never ends. Write the value out instead."]
    )


def test_a_billion_laughs_are_refused_quickly(problems_of: Problems) -> None:
    lines = ["a0: &a0 [ha, ha]"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    told = problems_of("\n".join(lines))
    assert told == snapshot(
        [
            "bot.yaml:1:1: this file has more than 200,000 values, counting what its aliases repeat. Write it shorter, or in several files."
        ]
    )


def test_deep_nesting_is_refused(problems_of: Problems) -> None:
    assert problems_of("flows: " + "[" * 5000 + "]" * 5000) == snapshot(
        ["bot.yaml:1:67: this is nested more than 60 levels deep."]
    )


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "---\n", "\n\n"])
def test_a_file_without_content_has_no_flows(problems_of: Problems, text: str) -> None:
    assert problems_of(text) == ["bot.yaml:1:1: there are no flows. Declare at least one under 'flows:'."]


def test_a_file_of_text_is_told(problems_of: Problems) -> None:
    assert problems_of("Hello there") == snapshot(
        ["bot.yaml:1:1: a file of an assistant is a map. Begin with 'flows:', 'slots:' or so."]
    )


def test_a_file_with_a_list_is_told_in_its_own_name(problems_of: Problems) -> None:
    assert problems_of({"a.yaml": HELLO, "b.yaml": "- say: Hello\n"}) == snapshot(
        ["bot/b.yaml:1:1: a file of an assistant is a map. Begin with 'flows:', 'slots:' or so."]
    )


def test_a_file_that_is_not_utf8_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bot.yaml").write_bytes("flows:\n  hello:\n    steps:\n      - say: ¿Qué?\n".encode("latin-1"))
    assert [str(problem) for problem in read_config("bot.yaml")[1]] == snapshot(
        ["bot.yaml:4:14: the file is not UTF-8 text. Save it as UTF-8."]
    )


def test_a_folder_without_yaml_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bot").mkdir()
    assert [str(problem) for problem in read_config("bot")[1]] == snapshot(
        ["the folder 'bot' has no .yaml files. Name the folder that holds the assistant."]
    )


def test_a_path_that_does_not_exist_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("domain").mkdir()
    Path("domain/assistant.yaml").write_text(HELLO)
    with pytest.raises(ConfigError) as error:
        load_config("domian")
    assert str(error.value) == snapshot("there is no file or folder 'domian'. Did you mean 'domain'?")
    assert str(read_config("domain/asistant.yaml")[1][0]) == snapshot(
        "there is no file or folder 'domain/asistant.yaml'. Did you mean 'assistant.yaml'?"
    )
    assert str(read_config("nowhere/at/all")[1][0]) == snapshot("there is no file or folder 'nowhere/at/all'.")


def test_a_flow_in_two_files_is_told_where_the_second_stands(problems_of: Problems) -> None:
    assert problems_of({"a.yaml": HELLO, "b.yaml": HELLO.replace("Hello", "Hi")}) == snapshot(
        ["bot/b.yaml:2:3: 'flows.hello' is declared at bot/a.yaml:2:3 already. Keep one of them."]
    )


def test_a_setting_in_two_files_is_told(problems_of: Problems) -> None:
    assert problems_of(
        {
            "a.yaml": "settings: {language: en}\n" + HELLO,
            "b.yaml": "settings:\n  language: es\n",
        }
    ) == snapshot(["bot/b.yaml:2:3: 'settings.language' is declared at bot/a.yaml:1:12 already. Keep one of them."])


def test_a_mistake_in_the_second_file_is_told_in_its_name(problems_of: Problems) -> None:
    assert problems_of(
        {
            "a.yaml": HELLO,
            "b.yaml": "flows:\n  bye:\n    stepz:\n      - say: Bye\n",
        }
    ) == snapshot(["bot/b.yaml:3:5: there is no key 'stepz' in flow 'bye'. Did you mean 'steps'?"])


def test_files_with_mistakes_tell_all_of_them_in_one_go(problems_of: Problems) -> None:
    assert problems_of(
        {
            "a.yaml": "flows:\n  hello:\n    steps:\n      - say: Hello {nmae}\n      - sey: Bye\n",
            "b.yaml": "slots:\n  name: {type: txt}\n  age: {type: integer, optons: [1]}\n",
            "d.yaml": "settings: {langauge: es}\ntexts: {denid: No}\nversion: 2\n",
            "e.yaml": "flows:\n  bye:\n    steps:\n      - {say: Bye, jump_to: ned}\n      - {call: helo}\n",
        }
    ) == snapshot(
        [
            "bot/a.yaml:4:14: flow 'hello', step 'say' shows the slot 'nmae', which is not declared. Did you mean 'name'?",
            "bot/a.yaml:5:9: there is no step type 'sey'. Did you mean 'set'?",
            "bot/b.yaml:2:16: there is no slot type 'txt'. Did you mean 'text'?",
            "bot/b.yaml:3:24: there is no key 'optons' in slot 'age'. Did you mean 'options'?",
            "bot/d.yaml:1:12: there is no key 'langauge' in 'settings'. Did you mean 'language'?",
            "bot/d.yaml:2:9: there is no key 'denid' in 'texts'. Did you mean 'denied'?",
            "bot/d.yaml:3:10: 'version' must be '1', not 2.",
            "bot/e.yaml:4:29: flow 'bye' goes to step 'ned', which it does not have. Did you mean 'end'?",
            "bot/e.yaml:5:16: flow 'bye', step 'call_helo' goes to flow 'helo', which does not exist. Did you mean 'hello'?",
        ]
    )


def test_what_may_stand_in_an_unreadable_file_is_not_called_missing(problems_of: Problems) -> None:
    assert problems_of(
        {
            "a.yaml": "flows:\n  hello:\n    steps:\n      - {say: 'Hello {name}', colour: red}\n      - link: bye\n",
            "b.yaml": "slots:\n\tname: {type: text}\n",
        }
    ) == snapshot(
        [
            "bot/a.yaml:4:31: there is no key 'colour' in flow 'hello', step 'say'. There are if, jump_to, message, options, step, type, wait_for_ack.",
            "bot/b.yaml:2:1: there is a tab in the indentation. Indent with spaces.",
        ]
    )


def test_what_depends_on_a_broken_slot_or_step_is_not_told_as_well(problems_of: Problems) -> None:
    assert problems_of("""\
        slots:
          amount: {type: mony}
          sure: {type: bolean}
        flows:
          pay:
            steps:
              - {collect: amount, atempts: 2}
              - {say: "{amount:code}", if: "amount > 5", jump_to: collect_amount}
              - {confirm: sure, message: "Sure?"}
              - {call: check, inputs: {code: amount}}
          check:
            steps:
              - {collect: code, attempts: none}
        """) == snapshot(
        [
            "bot.yaml:2:18: there is no slot type 'mony'. Did you mean 'money'?",
            "bot.yaml:3:16: there is no slot type 'bolean'. Did you mean 'boolean'?",
            "bot.yaml:7:27: there is no key 'atempts' in flow 'pay', step 'collect_amount'. Did you mean 'attempts'?",
            "bot.yaml:13:35: 'attempts' of flow 'check', step 'collect_code' must be a whole number, not 'none'.",
        ]
    )


def told(path: str | Path) -> list[str]:
    return [str(problem) for problem in read_config(path)[1]]


def test_a_file_that_is_too_large_is_told_with_its_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bot.yaml").write_text(HELLO + "# " + "x" * 5_000_000)
    assert told("bot.yaml") == snapshot(
        [
            "bot.yaml:1:1: the file has 5,000,048 bytes; at most 5,000,000 are read. Write the assistant in several files of one folder."
        ]
    )


def test_files_that_are_too_large_together_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bot").mkdir()
    for number in range(5):
        Path(f"bot/{number}.yaml").write_text("# " + "x" * 4_500_000)
    assert told("bot") == snapshot(
        [
            "bot/4.yaml:1:1: the files of the assistant up to this one have 22,500,010 bytes; at most 20,000,000 are read. Write it shorter."
        ]
    )


def test_too_many_files_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bot").mkdir()
    for number in range(1_001):
        Path(f"bot/{number}.yaml").touch()
    assert told("bot") == snapshot(
        [
            "the folder 'bot' has 1,001 .yaml files; at most 1,000 are read. Write several flows in a file, or name another folder."
        ]
    )


def test_a_long_text_that_is_repeated_by_aliases_is_refused(problems_of: Problems) -> None:
    lines = [f"a: &a {'x' * 50_000}", f"b: [{', '.join(['*a'] * 1_000)}]"]
    assert problems_of("\n".join(lines)) == snapshot(
        [
            "bot.yaml:1:1: this file has more than 5,000,000 characters, counting what its aliases repeat. Write it shorter, or in several files."
        ]
    )


def test_a_long_key_that_is_repeated_by_aliases_is_refused(problems_of: Problems) -> None:
    lines = [f"a: &a {{? {'x' * 50_000} : 1}}", f"b: [{', '.join(['*a'] * 1_000)}]"]
    assert problems_of("\n".join(lines)) == snapshot(
        [
            "bot.yaml:1:1: this file has more than 5,000,000 characters, counting what its aliases repeat. Write it shorter, or in several files."
        ]
    )


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/tty", "a pipe"])
def test_a_device_or_a_pipe_is_refused_and_not_waited_for(tmp_path: Path, device: str) -> None:
    if device == "a pipe":
        device = str(tmp_path / "pipe.yaml")
        os.mkfifo(device)
    (problem,) = told(device)
    assert problem.startswith(f"{device}:1:1: ")
    assert "a pipe or a device" in problem or "cannot be read" in problem


def test_what_is_no_file_in_a_folder_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bot").mkdir()
    Path("bot/a.yaml").write_text(HELLO)
    os.mkfifo("bot/b.yaml")
    Path("bot/c.yaml").symlink_to("nowhere.yaml")
    Path("bot/d.yaml").mkdir()
    Path("bot/.#a.yaml").symlink_to("the lock of an editor")
    assert told("bot") == snapshot(
        [
            "bot/b.yaml:1:1: this is not a file but a folder, a pipe or a device. Name a YAML file, or the folder that holds the assistant.",
            "bot/c.yaml:1:1: the file cannot be read: No such file or directory.",
            "bot/d.yaml:1:1: the file cannot be read: Is a directory.",
        ]
    )


def test_a_path_that_no_file_can_have_is_told() -> None:
    assert told("a" * 5_000)[0].endswith("cannot be read: File name too long.")
    assert told("a\0b") == ["there is no file or folder 'a\0b'."]


@pytest.mark.parametrize("before", ["", "é: "])
def test_a_file_that_is_not_utf8_behind_a_mark_of_it_is_told(tmp_path: Path, before: str) -> None:
    file = tmp_path / "bot.yaml"
    file.write_bytes(b"\xef\xbb\xbf" + before.encode() + b"\xc3\xa9\xff")
    assert told(file) == [f"{file}:1:{len(before) + 2}: the file is not UTF-8 text. Save it as UTF-8."]
