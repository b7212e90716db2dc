from __future__ import annotations

from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING, Protocol

import pytest

from soni.config.check import check
from soni.config.loader import locate, read_config

if TYPE_CHECKING:
    from soni.actions import Actions


class Problems(Protocol):
    def __call__(self, assistant: str | dict[str, str], actions: Actions | None = None) -> list[str]: ...


@pytest.fixture
def problems_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Problems:
    """The problems of an assistant, given as the text of bot.yaml or as the files of a folder."""
    monkeypatch.chdir(tmp_path)

    def problems(assistant: str | dict[str, str], actions: Actions | None = None) -> list[str]:
        path = Path("bot.yaml" if isinstance(assistant, str) else "bot")
        files = {path: assistant} if isinstance(assistant, str) else {path / name: t for name, t in assistant.items()}
        for file, text in files.items():
            file.parent.mkdir(exist_ok=True)
            file.write_text(dedent(text), encoding="utf-8")
        config, found = read_config(path)
        if config is not None and actions is not None:
            found = locate(check(config, actions), config._source)
        return [str(problem) for problem in found]

    return problems
