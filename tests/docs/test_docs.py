"""The documents tell the truth: their code runs, their YAML loads, their transcript is what happens."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from soni.config.loader import read_config
from soni.config.slots import SlotConfig
from soni.core.values import TYPES
from soni.steps import STEPS
from tests.warm import soni_command

ROOT = Path(__file__).parents[2]
DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
BLOCKS = [
    pytest.param(match.group(1), match.group(2), id=f"{document.name}-{number}-{match.group(1) or 'text'}")
    for document in sorted(DOCUMENTS)
    for number, match in enumerate(re.finditer(r"^```(\w*)\n(.*?)^```", document.read_text(), re.MULTILINE | re.DOTALL))
]


def blocks(language: str) -> list[Any]:
    return [block for block in BLOCKS if block.values[0] == language]


SERVED = "http://127.0.0.1:8000"


@pytest.fixture
def served(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The banking assistant's address, for blocks that talk to it."""
    if SERVED not in request.getfixturevalue("code"):
        yield SERVED
        return
    command: list[str | Path] = [
        soni_command(),
        "serve",
        "-c",
        "examples/banking/domain",
        "--port",
        "0",
        "--store",
        f"sqlite:{tmp_path}/c.db",
    ]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().split(" is at ")[1].split()[0]
        process.terminate()


@pytest.mark.parametrize(("language", "code"), blocks("python"))
def test_python_runs(language: str, code: str, served: str) -> None:
    code = code.replace(SERVED, served)
    subprocess.run([soni_command(), "-c", code], cwd=ROOT, check=True, capture_output=True, timeout=60)


@pytest.mark.parametrize(("language", "code"), blocks("yaml"))
def test_yaml_loads(language: str, code: str, tmp_path: Path) -> None:
    file = tmp_path / "assistant.yaml"
    file.write_text(code, encoding="utf-8")
    config, problems = read_config(file)
    assert [str(problem) for problem in problems] == []
    assert config is not None


@pytest.mark.parametrize(("language", "code"), blocks("sh"))
def test_commands_exist_and_work(language: str, code: str, served: str) -> None:
    targets = (ROOT / "Makefile").read_text()
    for line in filter(None, (line.split("#")[0].strip() for line in code.splitlines())):
        program, *arguments = (word for word in line.split() if not word.startswith("BANK_"))
        if program == "make":
            assert f"\n{arguments[0]}:" in targets
        elif program == "curl":
            curl(line.replace(SERVED, served))
        elif program == "pkill":
            # Tried by tests/cli/test_durable.py, on a chat of its own.
            assert line == 'pkill -9 -f "soni chat --config examples/banking"'
            assert "soni chat --config" in targets
        else:
            assert program == ".venv/bin/soni"
            subprocess.run(
                [soni_command(), *arguments],
                cwd=ROOT,
                check=True,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=60,
            )


def curl(line: str) -> None:
    """Do what curl would do."""
    method, headers, body, url = "GET", {}, None, ""
    words = iter(shlex.split(line)[1:])
    for word in words:
        match word:
            case "-N":
                continue
            case "-X":
                method = next(words)
            case "-H":
                name, _, value = next(words).partition(": ")
                headers[name] = value
            case "-d":
                body = next(words)
            case _:
                url = word
    response = httpx.request(method, url, headers=headers, content=body, timeout=60)
    assert response.status_code == 200, (line, response.text)
    assert "event: error" not in response.text


TRANSCRIPTS = [block for block in blocks("") if "README" in str(block.id) and str(block.values[1]).startswith("> ")]


@pytest.mark.parametrize(("language", "transcript"), TRANSCRIPTS)
def test_the_transcripts_in_the_readme_are_what_happens(language: str, transcript: str) -> None:
    said = "".join(f"{line[2:]}\n" for line in transcript.splitlines() if line.startswith("> "))
    done = subprocess.run(
        [soni_command(), "chat", "--config", "examples/banking/domain"],
        cwd=ROOT, input=said, capture_output=True, text=True, check=True, timeout=60, encoding="utf-8",
    )  # fmt: skip
    assert transcript in done.stdout


def test_the_readme_shows_conversations() -> None:
    assert len(TRANSCRIPTS) == 2


def dialogues() -> list[Any]:
    """Each conversation in the language page, with the assistant that stands before it."""
    found, yaml = [], ""
    for block in BLOCKS:
        if str(block.id).startswith("language.md"):
            language, text = (str(value) for value in block.values)
            yaml = text if language == "yaml" else yaml
            if text.startswith("> "):
                found.append(pytest.param(yaml, text, id=text.splitlines()[0][2:]))
    return found


@pytest.mark.parametrize(("yaml", "dialogue"), dialogues())
def test_the_conversations_in_the_language_page_are_what_happens(yaml: str, dialogue: str, tmp_path: Path) -> None:
    (tmp_path / "assistant.yaml").write_text(yaml, encoding="utf-8")
    said = "".join(f"{line[2:]}\n" for line in dialogue.splitlines() if line.startswith("> "))
    done = subprocess.run(
        [soni_command(), "chat", "--config", tmp_path],
        cwd=ROOT, input=said, capture_output=True, text=True, check=True, timeout=60, encoding="utf-8",
    )  # fmt: skip
    assert dialogue in done.stdout


def test_the_language_page_shows_conversations() -> None:
    assert len(dialogues()) == 3


def test_the_language_page_names_every_kind() -> None:
    page = (ROOT / "docs" / "language.md").read_text()
    for word in STEPS:
        assert f"| `{word}` |" in page
    for word in TYPES:
        assert re.search(rf"\b{word}\b", page)
    for name, field in SlotConfig.model_fields.items():
        assert re.search(rf"^\| `{field.alias or name}\b", page, re.MULTILINE), name
    for step in STEPS.values():
        for name, field in step.model_fields.items():
            if name not in ("step", "type"):
                assert re.search(rf"`?\b{field.alias or name}\b", page), name


def test_links_between_documents_lead_somewhere() -> None:
    for document in DOCUMENTS:
        for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text()):
            assert (document.parent / target).exists(), f"{document.name} → {target}"
