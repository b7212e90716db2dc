"""soni doctor: what is installed, and whether the trained reader is whole."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from soni.cli import doctor
from soni.cli.main import app
from soni.du.local import model

if TYPE_CHECKING:
    from pathlib import Path


def test_a_whole_installation_is_told_so() -> None:
    told = CliRunner().invoke(app, ["doctor"])
    assert told.exit_code == 0
    assert "reader.onnx" in told.output
    assert "as shipped" in told.output
    assert "CC BY-SA 4.0" in told.output
    assert "'send 20 euros to Ana' as 'send money'" in told.output


def test_an_extra_that_is_missing_comes_with_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_EXTRAS", {"llm": "no_such_module", "telemetry": "no.such.module"})
    told = CliRunner().invoke(app, ["doctor"]).output
    assert "pip install 'soni[llm]'" in told
    assert "pip install 'soni[telemetry]'" in told


def test_weights_that_were_changed_are_told_and_end_with_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "weights"
    shutil.copytree(model.WEIGHTS, folder)
    (folder / "words.txt").write_text("other\n", encoding="utf-8")
    monkeypatch.setattr(doctor, "WEIGHTS", folder)
    told = CliRunner().invoke(app, ["doctor"])
    assert told.exit_code == 1
    assert "words.txt is not the file that was shipped; install soni again." in told.output.replace("\n", " ")
