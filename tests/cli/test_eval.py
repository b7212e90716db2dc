"""soni eval as it is typed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.test_chat import BANKING, soni
from tests.warm import soni_command

LINES = [
    {"message": "what's my balance?", "commands": [{"start_flow": "check_balance"}]},
    {
        "message": "no, 300",
        "context": {"flow": "transfer_funds", "task": "confirm", "slots": {"amount": 200, "recipient": "Ana"}},
        "commands": [{"correct_slot": {"amount": 300}}],
    },
    {"message": "sing me a song", "commands": [{"start_flow": "pay_bill"}]},
]


def data(folder: Path) -> str:
    path = folder / "data.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in LINES))
    return str(path)


def test_it_prints_a_table_and_what_was_not_right(tmp_path: Path) -> None:
    shown = soni("eval", "--config", BANKING, "--data", data(tmp_path))
    assert shown.splitlines()[1].split() == ["messages", "3"]
    assert "exactly right" in shown
    assert "66.7" in shown
    assert "pay_bill → out_of_scope" in shown
    assert "The first 1 of 1 that are not right:\n  sing me a song\n" in shown


def test_it_prints_json_and_writes_predictions(tmp_path: Path) -> None:
    out = tmp_path / "predicted.jsonl"
    shown = soni("eval", "-c", BANKING, "-d", data(tmp_path), "--json", "--predictions", str(out))
    assert json.loads(shown)["exact"] == 0.6667
    first, second, _ = [json.loads(line) for line in out.read_text().splitlines()]
    assert first["message"] == "what's my balance?"
    assert first["predicted"][0]["start_flow"] == "check_balance"
    assert first["predicted"][0]["confidence"] > 0.99
    change = second["predicted"][0]
    assert 0.5 < change.pop("confidence") < 1
    assert change == {"correct_slot": {"amount": "300"}, "from": "300", "evidence": "by its type"}
    assert (first["exact"], second["exact"]) == (True, True)


def test_two_runs_side_by_side(tmp_path: Path) -> None:
    report = tmp_path / "before.json"
    report.write_text(soni("eval", "-c", BANKING, "-d", data(tmp_path), "--json"))
    shown = soni("eval", "-c", BANKING, "-d", data(tmp_path), "--compare", str(report))
    (row,) = [line for line in shown.splitlines() if line.startswith("exactly right")]
    assert row.split() == ["exactly", "right", "66.7", "66.7"]


def test_a_bar_that_is_not_reached_fails(tmp_path: Path) -> None:
    soni("eval", "-c", BANKING, "-d", data(tmp_path), "--fail-under", "60")
    soni("eval", "-c", BANKING, "-d", data(tmp_path), "--fail-under", "90", status=1)


@pytest.mark.parametrize("command", [["chat", "-c"], ["eval", "-d", "none.jsonl", "-c"]])
def test_a_model_without_dspy_is_told_in_one_line(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "bot.yaml").write_text(
        "settings: {understanding: cascade, llm: {model: openai/x}}\nflows: {hi: {steps: [{say: Hello}]}}\n"
    )
    (tmp_path / "none.jsonl").write_text('{"message": "x", "commands": [{"out_of_scope": true}]}')
    hidden = f"import sys; sys.modules['dspy'] = None; sys.argv = ['soni', *{[*command, str(tmp_path / 'bot.yaml')]!r}]"
    done = subprocess.run(
        [sys.executable, "-c", f"{hidden}; from soni.cli.main import main; main()"],
        cwd=tmp_path, capture_output=True, text=True, check=False, input="hi\n",
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    assert done.returncode == 1
    assert "needs DSPy. Install it with: pip install 'soni[llm]'" in done.stderr + done.stdout


def refused(status: int, *arguments: str) -> str:
    command = [soni_command(), "eval", "-c", BANKING, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert (done.returncode, done.stdout) == (status, "")
    return " ".join(done.stderr.replace("│", " ").split())


def test_mistakes_are_told_without_a_traceback(tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"message": "x", "commands": [{"start_flow": "pay_bil"}]}')
    assert "bad.jsonl:1: there is no flow 'pay_bil'. Did you mean 'pay_bill'?" in refused(1, "-d", str(bad))
    good = data(tmp_path)
    assert "'llm' needs a model" in refused(1, "-d", good, "--understanding", "llm")
    assert "there is no understanding 'magic'" in refused(2, "-d", good, "--understanding", "magic")
    assert "is no report" in refused(1, "-d", good, "--compare", str(bad))
    empty = tmp_path / "empty.jsonl"
    empty.write_text("")
    assert "There is no labelled message in the data." in refused(1, "-d", str(empty))
