"""soni serve and soni key, as a person starts them."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from soni.cli.main import app
from soni.server.access import Caller, Keys, Role, sign, tenant_secret, verified
from tests.cli.test_chat import BANKING, ROOT, soni
from tests.warm import SONI, soni_command


@contextmanager
def serving(
    folder: Path, *options: str, command: str | None = None, **environment: str
) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A server as a process, and its address; it is stopped as Ctrl-C does."""
    process = subprocess.Popen(
        [command or soni_command(), "serve", "-c", BANKING, "--port", "0", *options],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    try:
        assert " is at http://" in line, line + process.communicate()[1]
        yield line.split(" is at ")[1].split()[0], process
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)


def test_an_assistant_is_served_and_kept_in_a_file(tmp_path: Path) -> None:
    """Without a word about where: a server should not forget."""
    with serving(tmp_path, command=str(SONI)) as (url, process):
        answer = httpx.post(f"{url}/v1/conversations/ana/messages", json={"text": "send 20 euros to Ana"}, timeout=60)
        assert "Send €20.00 to Ana" in answer.json()["messages"][-1]["text"]
        process.send_signal(signal.SIGINT)
        told, log = process.communicate(timeout=60)
        assert (process.returncode, told) == (0, "Stopped; what was accepted is done.\n")
        assert '"event": "turn"' in log
    assert (tmp_path / ".soni" / "conversations.db").exists()
    with serving(tmp_path) as (url, _):
        state = httpx.get(f"{url}/v1/conversations/ana/state", timeout=60).json()
        assert state["waiting_for"] == "confirm"


def test_a_key_is_shown_once_and_its_line_is_what_the_server_keeps(tmp_path: Path) -> None:
    shown = soni("key", "shop").splitlines()
    key, line = shown[1].strip(), shown[3].strip()
    assert Keys([line]).caller(key) == Caller("shop", Role.TENANT)
    assert key not in line
    file = tmp_path / "keys.txt"
    file.write_text(f"# the shop's\n{line}\n", encoding="utf-8")
    secret = "a secret of at least thirty-two characters"
    for options, environment in ((["--keys", str(file)], {}), ([], {"SONI_API_KEYS": f"{line},"})):
        with serving(tmp_path, *options, **environment, SONI_SECRET=secret) as (url, _):
            assert httpx.get(f"{url}/v1/models").status_code == 401
            assert httpx.get(f"{url}/v1/models", headers={"Authorization": f"Bearer {key}"}).status_code == 200


def key_command(*arguments: str, **environment: str | None) -> tuple[int, list[str]]:
    """The exit status of soni key, and what it prints."""
    done = CliRunner().invoke(app, ["key", *arguments], env={"SONI_SECRET": None, **environment})
    return done.exit_code, done.output.splitlines()


def test_a_key_is_made_for_a_role() -> None:
    for role in ("tenant", "agent", "operator"):
        status, shown = key_command("shop", "--role", role)
        assert status == 0
        assert Keys([shown[3].strip()]).caller(shown[1].strip()) == Caller("shop", Role(role))
    status, shown = key_command("shop", "--role", "agnet")
    assert status == 1
    assert "Did you mean 'agent'? The roles are tenant, agent, operator." in " ".join(shown)


def test_a_tenant_is_told_the_secret_that_signs_its_own_tokens() -> None:
    secret = "a secret of at least thirty-two characters"
    shown = [key_command(tenant, SONI_SECRET=secret)[1] for tenant in ("shop", "shop", "bank")]
    shop, again, bank = (lines[5].strip() for lines in shown)
    assert shop == again != bank
    assert secret not in str(shown)
    token = sign(shop, "shop", "ana", seconds=60)
    user = verified(token, lambda tenant: tenant_secret(secret, tenant))
    assert user is not None
    assert (user.tenant, user.conversation) == ("shop", "ana")
    assert shop not in str(key_command("shop", "--role", "agent", SONI_SECRET=secret)[1])
    assert "With SONI_SECRET set" in key_command("shop")[1][4]
    assert key_command("shop", SONI_SECRET="short")[0] == 1


def refused(*arguments: str, **environment: str) -> str:
    """What a command says that cannot be done; without a traceback, with status 1."""
    done = subprocess.run(
        [soni_command(), *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=60,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    return done.stdout + done.stderr


def test_a_mistake_is_told_in_words(tmp_path: Path) -> None:
    serve = ("serve", "-c", BANKING, "--store", f"sqlite:{tmp_path}/c.db")
    assert "there are no keys" in refused(*serve, "--host", "0.0.0.0")  # noqa: S104  # it must not be served on
    assert "soni key TENANT" in refused(*serve, "--host", "192.0.2.1")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert "cannot be served on" in refused(*serve, "--port", str(taken.getsockname()[1]))
    assert "cannot be served on" in refused(*serve, "--port", "99999")
    assert "entry 1" in refused(*serve, SONI_API_KEYS="soni_the_key_itself")
    assert "soni_the_key_itself" not in refused(*serve, SONI_API_KEYS="soni_the_key_itself")
    assert "cannot be read" in refused(*serve, "--keys", str(tmp_path / "nothing"))
    assert "at least 32" in refused(*serve, SONI_SECRET="short")
    assert "is no origin" in refused(*serve, "--origin", "example.com")
    assert "cannot be the name of a tenant" in refused("key", "A/B")
    nowhere = "postgresql://nobody:hunter2@127.0.0.1:1/none"
    told = refused("serve", "-c", BANKING, "--store", nowhere)
    assert "Is the address right" in told
    assert "hunter2" not in told
    assert "no file or folder" in refused("serve", "-c", str(tmp_path / "nothing"))


@pytest.mark.parametrize("missing", ["fastapi", "uvicorn", "jwt", "prometheus_client"])
def test_without_the_extra_it_says_what_to_install(missing: str) -> None:
    script = f"import sys; sys.modules[{missing!r}] = None; from soni.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", script, "serve", "-c", BANKING], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert "pip install 'soni[server]'" in done.stdout
    assert "Traceback" not in done.stderr


def test_traces_without_their_extra_say_what_to_install() -> None:
    hidden = "import sys; sys.modules['opentelemetry.exporter.otlp.proto.http.trace_exporter'] = None; "
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"{hidden}from soni.cli.main import main; main()",
            "serve",
            "-c",
            BANKING,
            "--port",
            "0",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"},
    )
    assert done.returncode == 1
    assert "pip install 'soni[telemetry]'" in done.stdout


def test_a_second_ctrl_c_does_not_wait_for_a_turn(tmp_path: Path) -> None:
    """The turn is finished at the next start."""
    books = {"BANK_BOOKS": str(tmp_path / "books.json"), "BANK_SECONDS": "600"}
    with serving(tmp_path, **books) as (url, process):
        messages = f"{url}/v1/conversations/ana/messages"
        httpx.post(messages, json={"text": "send 20 euros to Ana"}, timeout=60)
        headers = {"Accept": "text/event-stream"}
        with httpx.stream("POST", messages, json={"text": "yes", "message_id": "m"}, headers=headers) as response:
            lines = response.iter_lines()
            while "Sending" not in next(lines):
                continue
            process.send_signal(signal.SIGINT)
            while httpx.get(f"{url}/ready").json()["checks"]["serving"] != "stopping":
                continue
            process.send_signal(signal.SIGINT)
            assert any("stopping" in line for line in lines)
        told, _ = process.communicate(timeout=25)  # it would have waited 30 seconds for the turn
        assert told == (
            "Stopping: 1 turn is running; Ctrl-C again leaves them to the next start.\n"
            "Stopped; 1 left to whoever starts next.\n"
        )
    with serving(tmp_path, **{**books, "BANK_SECONDS": "0"}) as (url, _):
        answer = httpx.post(f"{url}/v1/conversations/ana/messages", json={"text": "yes", "message_id": "m"}, timeout=60)
        assert answer.json()["messages"][-1]["text"].startswith("Done.")
