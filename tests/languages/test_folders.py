"""The folders of languages: complete, or refused with the places of what is wrong."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from typer.testing import CliRunner

from soni.cli.main import app
from soni.core.values import Reading
from soni.core.values.numerals import number_in
from soni.errors import ConfigError
from soni.languages import FOLDER, Language, known_languages, language, languages, problems, shown_in, shown_texts

CODES = sorted(known_languages())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(FOLDER / "en", tmp_path / "xx")
    return tmp_path / "xx"


def _change(path: Path, old: str, new: str) -> int:
    """Change a file once; the line that was changed."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return text[: text.index(old)].count("\n") + 1


def _told(folder: Path) -> list[str]:
    return [str(problem).removeprefix(f"{folder}/") for problem in problems(folder)]


@pytest.mark.parametrize("code", CODES)
def test_a_shipped_language_is_complete(code: str) -> None:
    assert list(problems(FOLDER / code)) == []
    assert Language.load(FOLDER / code).codes == (code,)


def test_a_copy_of_english_is_a_language(folder: Path) -> None:
    assert _told(folder) == []
    assert Language.load(folder).numbers == language("en").numbers


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("numbers", "units:", "unts:", "there is no entry 'unts'. Did you mean 'units'?"),
        ("numbers", "one: 1", "one: uno", "'units': this must be a whole number."),
        ("money", "half_a_coin: [", "half_a_coin: [[two], ", "'half_a_coin': this must be a word or a phrase."),
        ("calendar", "of_day: {}", "of_day: []", "'of_day': this must be a map of words to words."),
        ("calendar", "december: 12", "december: 13", "'months': this must be a number from 1 to 12."),
        ("calendar", "tonight: night", "tonight: evening", "'evening' must be one of am, pm, night, any."),
        ("money", "EUR: [euro", "EURO: [euro", "'EURO' is no code of a currency such as EUR."),
        ("answers", "letters: {y: yes", "letters: {y: yep", "'yep' must be one of yes, no."),
        ("answers", "- '{verb} away'", "- '{vreb} away'", "nothing is put in for {vreb}; there is {verb} here."),
        ("courtesies", "closings: [", "closings: ['', ", "'closings': this must be a word or a phrase."),
        ("corrections", "(?P<x>[a-z]+) for", "([a-z]+) for", "'what_is': this needs a group (?P<x>…)."),
        ("calendar", "tonight: [", "tonight: ['(for', ", "'tonight': this is no regular expression: "),
        ("texts", "changed_to: I have changed {_changes}.", "changed_to: Done.", "'changed_to' shows nothing, and in"),
        ("texts", "greeting: Hello!", "greting: Hello!", "there is no text 'greting'. Did you mean 'greeting'?"),
        ("page", "ready: Online", "ready: ''", "'ready' must be a text, or a list of texts."),
        ("chat", "commands:", "commands: }", "there is no value here."),
    ],
)
def test_what_is_wrong_is_told_with_its_place(folder: Path, file: str, old: str, new: str, said: str) -> None:
    line = _change(folder / f"{file}.yaml", old, new)
    told = _told(folder)
    assert any(one.startswith(f"{file}.yaml:{line}:") and said in one for one in told), told


def test_an_empty_file_is_told_by_its_name(folder: Path) -> None:
    (folder / "money.yaml").write_text("# nothing\n")
    (folder / "texts.yaml").write_text("")
    assert _told(folder) == [
        "money.yaml:1:1: the file must be a map with the entries of en/money.yaml.",
        "texts.yaml:1:1: the file must be a map with the texts of en/texts.yaml.",
    ]


@pytest.mark.parametrize(
    ("phrase", "number"),
    [
        ("dix-sept", 17),
        ("dix sept", 17),
        ("quatre-vingt-dix-sept", 97),
        ("two hundred quatre vingt", 280),
        ("two dix", None),
    ],
)
def test_a_number_may_be_written_as_several_words(folder: Path, phrase: str, number: int | None) -> None:
    _change(folder / "numbers.yaml", "teens: {", "teens: {dix-sept: 17, quatre-vingt-dix-sept: 97, ")
    _change(folder / "numbers.yaml", "tens: {", "tens: {quatre-vingt: 80, ")
    words = Language.load(folder)
    reading = SimpleNamespace(words=words, own=words, language="xx")
    assert number_in(phrase, cast("Reading", reading)) == number


def test_all_that_is_missing_is_told_at_once(folder: Path) -> None:
    _change(folder / "numbers.yaml", "units:", "unts:")
    (folder / "acts.yaml").unlink()
    (folder / "page.yaml").write_text("[]")
    with pytest.raises(ConfigError) as error:
        Language.load(folder)
    told = str(error.value)
    assert "'units' is missing; it is a map of words to whole numbers. In English: " in told
    assert "acts.yaml" in told
    assert "the file must be a map with the texts of en/page.yaml." in told


def test_the_command_says_what_is_wrong(folder: Path) -> None:
    run = CliRunner().invoke
    whole = run(app, ["languages", "es", str(folder)])
    assert (whole.exit_code, whole.output) == (0, "es: complete.\nxx: complete.\n")
    line = _change(folder / "money.yaml", "half_a_coin:", "half_coin:")
    broken = run(app, ["languages", str(folder)])
    assert broken.exit_code == 1
    assert f"money.yaml:{line}:" in broken.output
    assert "xx: 2 problems." in broken.output
    unknown = run(app, ["languages", "ess"])
    assert unknown.exit_code == 1
    assert "there is no language or folder 'ess'. Did you mean 'es'?" in unknown.output


def test_several_languages_are_read_as_one() -> None:
    both = languages(("es", "en"))
    assert both.codes == ("en", "es")
    assert {"one", "uno"} <= set(both.numbers.units)
    assert languages(("en", "es")).numbers == both.numbers
    assert languages(("en", "xx")) is language("en")


def test_a_language_without_a_folder_is_english_or_another_that_is_offered() -> None:
    assert language("xx") is language("en")
    assert shown_in("chat", "xx") == shown_texts("chat")["en"]
    assert shown_in("chat", "xx", "es") == shown_texts("chat")["es"]
