"""soni chat and soni check as a person runs them: real processes, a real terminal."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pexpect
import pytest

from tests.warm import SONI, soni_command

ROOT = Path(__file__).parents[2]
BANKING = str(ROOT / "examples" / "banking" / "domain")


def soni(*arguments: str, typed: str = "", cwd: Path = ROOT, status: int = 0) -> str:
    done = subprocess.run(
        [soni_command(), *arguments], cwd=cwd, input=typed, capture_output=True, text=True, timeout=90,
        encoding="utf-8", env={**os.environ, "PYTHONUTF8": "1"}, check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stdout + done.stderr
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


def chat(*lines: str, config: str = BANKING) -> str:
    return soni("chat", "--config", config, typed="".join(f"{line}\n" for line in lines))


def test_a_transfer_in_spanish_asks_waits_confirms_and_is_done() -> None:
    shown = chat("Quiero hacer una transferencia", "100 euros", "Ana", "sí", "¿qué saldo tengo?")
    assert "¿Cuánto quieres enviar?" in shown
    assert "¿A quién se lo envío?" in shown
    assert "¿Envío 100,00 € a Ana" in shown
    assert "Hecho. Ana recibirá 100,00 €." in shown
    assert "2.245,67 €" in shown


def test_no_at_the_confirmation_does_nothing() -> None:
    shown = chat("I want to make a transfer", "100 euros", "Ana", "no", "what's my balance?")
    assert "Send €100.00 to Ana" in shown
    assert "All right. Nothing was done." in shown
    assert "€2,345.67" in shown
    assert "Done." not in shown


def test_quick_replies_are_chosen_by_number() -> None:
    shown = chat("block my card", "2", "1", "skip", "1")
    assert "  1. debit card\n  2. credit card\n" in shown
    assert "Block your credit card (lost) for good?" in shown
    assert "Your credit card is blocked." in shown


def test_slash_commands_show_and_restart() -> None:
    shown = chat(
        "/why", "send 20 euros to Ana", "/state", "/why", "/restart", "/state", "/nonsense", "/quit", "send money"
    )
    assert "understood start_session(): given by the host (host, 1.00)\nwelcome.hello (say) → ends\n" in shown
    state = json.loads(shown[shown.index("{") : shown.index("\n}\n") + 2])
    assert state["waiting_for"] == "confirm"
    assert state["flows"][0]["slots"]["amount"] == {"amount": "20.00", "currency": "EUR"}
    assert "understood start_flow(flow='transfer_funds')" in shown
    assert "transfer_funds.review (confirm): asked → waits" in shown
    assert "The conversation begins anew." in shown
    assert '"flows": []' in shown
    assert "There is no command /nonsense." in shown
    assert "How much would you like to send?" not in shown


def test_secrets_are_masked_in_what_the_chat_explains() -> None:
    shown = chat("send 1500 euros to Ana", "654321", "/why", "/state")
    assert "654321" not in shown
    assert "> •••" in shown


@pytest.mark.parametrize("typed", ["", "\n\n", "²\n", "9" * 5000 + "\n", "   \n", "\x00\x01\n", "[bold]hi[/bold]\n"])
def test_odd_input_does_no_harm(typed: str) -> None:
    shown = soni("chat", "--config", BANKING, typed=typed)
    assert "You can say, for example:" in shown


def test_bytes_that_are_not_text_do_no_harm() -> None:
    done = subprocess.run(
        [SONI, "chat", "-c", BANKING], cwd=ROOT, input=b"\xff\xfe\xc3\n", capture_output=True, timeout=90
    )
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr


def test_a_conversation_kept_in_sqlite_goes_on_in_the_next_chat(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(
        "settings: {persistence: {backend: sqlite, path: kept/c.db}}\n"
        "slots: {size: {type: choice, options: [small, large]}, n: {type: integer}}\n"
        "flows: {buy: {steps: [{collect: n, message: How many?}, {collect: size, message: Which size?},"
        " {say: '{n} {size}.'}]}, other: {steps: [{say: Hi.}]}}\n"
    )
    assert "How many?" in soni("chat", "-c", "a.yaml", typed="buy\n", cwd=tmp_path)
    shown = soni("chat", "-c", "a.yaml", typed="3\n", cwd=tmp_path)
    assert "Welcome back" in shown
    assert "Which size?\n  1. small" in shown
    shown = soni("chat", "-c", "a.yaml", typed="2\n", cwd=tmp_path)
    assert shown.endswith("> 2\n3 large.\n")
    assert "Welcome back" not in soni("chat", "-c", "a.yaml", "--user", "somebody else", cwd=tmp_path)


def test_a_broken_assistant_is_told_what_is_wrong_and_where(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("flows:\n  a:\n    steps:\n      - {say: Hi, jump_to: edn}\n")
    shown = soni("chat", "-c", str(tmp_path), status=1)
    assert "a.yaml:4:28: error: flow 'a' goes to step 'edn', which it does not have. Did you mean 'end'?" in shown


def test_chat_without_an_assistant_says_what_to_do(tmp_path: Path) -> None:
    assert "soni chat --config examples/banking/domain" in soni("chat", cwd=tmp_path, status=1)
    assert "there is no file or folder" in soni("chat", "-c", "nowhere", cwd=tmp_path, status=1)
    assert f"Did you mean '{Path('examples/banking/domain')}'?" in soni("check", "examples/banking", status=1)


def test_a_file_that_is_no_database_is_told_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(
        "settings: {persistence: {backend: sqlite, path: notes.txt}}\nflows: {a: {steps: [{say: Hi}]}}\n"
    )
    (tmp_path / "notes.txt").write_text("shopping list\n" * 100)
    shown = soni("chat", "-c", "a.yaml", cwd=tmp_path, status=1)
    assert "conversations cannot be kept in 'notes.txt'" in shown
    assert (tmp_path / "notes.txt").read_text().startswith("shopping list")


def test_what_an_action_raises_is_shown_to_its_author_with_secrets_masked(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(
        "slots: {pin: {type: text, sensitive: true}}\n"
        "flows: {a: {steps: [{collect: pin, message: PIN?}, {action: work}]}, b: {steps: [{say: Hi}]}}\n"
    )
    (tmp_path / "handlers.py").write_text(
        "from soni import Actions\nactions = Actions()\n"
        "@actions.register(effect='pure')\ndef work(pin):\n    raise ValueError(f'no such account {pin}')\n"
    )
    shown = soni("chat", "-c", "a.yaml", typed="a\nhunter2\n/why\n/help\n", cwd=tmp_path)
    assert "ValueError: no such account •••" in shown
    assert "handlers.py:5)" in shown
    assert "hunter2" not in shown
    assert "a.action_work (action): action 'work' raised ValueError" in shown
    assert shown.count("/restart begins anew") == 2


def test_python_that_cannot_be_imported_is_told_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("flows: {a: {steps: [{say: Hi}]}}\n")
    (tmp_path / "handlers.py").write_text("from soni import Actions\n\nimport does_not_exist\n")
    shown = soni("check", str(tmp_path), status=1)
    assert "handlers.py:3:1" in shown
    assert "does_not_exist" in shown
    (tmp_path / "handlers.py").write_text("def broken(:\n")
    assert "handlers.py:1:" in soni("chat", "-c", str(tmp_path), status=1)


def test_check_lists_problems_and_sets_the_status(tmp_path: Path) -> None:
    assert "7 flows, 22 slots, no problems" in soni("check", BANKING)
    (tmp_path / "a.yaml").write_text("flows:\n  a:\n    steps:\n      - action: pay\n      - {say: '{x}'}\n")
    shown = soni("check", str(tmp_path), status=1)
    assert "a.yaml:4:17: error: flow 'a', step 'action_pay' calls the action 'pay', which is not registered." in shown
    assert "a.yaml:5:15: error:" in shown
    assert "2 problems, 0 warnings." in shown
    (tmp_path / "more.py").write_text(
        "from soni import Actions\nactions = Actions()\n@actions.register('pay')\ndef pay(): ...\n"
    )
    (tmp_path / "a.yaml").write_text("flows:\n  a:\n    steps:\n      - action: pay\n")
    shown = soni("check", str(tmp_path), "--module", str(tmp_path / "more.py"))
    assert "a.yaml:4:17: warning: flow 'a' can come to 'action_pay' without a confirmation" in shown
    assert "no problems, 1 warning." in shown


def test_help_teaches() -> None:
    assert "check" in soni("--help")
    assert "Example: soni chat --config" in " ".join(soni("chat", "--help").split())
    assert soni("--version").startswith("soni 0.")


def test_a_terminal_gets_a_prompt_with_history_and_control_d_leaves(tmp_path: Path) -> None:
    env = {**os.environ, "HOME": str(tmp_path), "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"}
    screen = pexpect.spawn(
        str(SONI), ["chat", "-c", BANKING], env=env, encoding="utf-8", timeout=60, dimensions=(40, 160)
    )
    for typed, shown in (
        ("", "/quit leaves"),
        ("send money\r", "How much would you like to send"),
        ("never mind\r", "I have stopped that"),
        ("\x1b[A\x1b[A\r", "How much would you like to send"),
    ):
        screen.send(typed)
        screen.expect(shown)
        screen.expect(">")
    for typed, shown in (
        ("1500\r", "Who should receive"),
        ("Ana\r", "6-digit code"),
        ("654321\r", "Without the right code"),
    ):
        screen.send(typed)
        screen.expect(shown)
        assert "654321" not in screen.before
        screen.expect(">")
    screen.sendcontrol("d")
    screen.expect(pexpect.EOF)
    screen.close()
    assert screen.exitstatus == 0
    history = (tmp_path / ".soni" / "history").read_text()
    assert "send money" in history
    assert "654321" not in history


HANDLERS = """
from soni import Actions
from soni.core.commands import Command
from soni.core.pending_task import inform
from soni.dm.orchestrator.commands import CommandHandler
from soni.flow.delta import FlowDelta

actions = Actions()


class OpeningHours(Command):
    phrases = ("when are you open?",)


class OpeningHoursHandler(CommandHandler[OpeningHours]):
    command = OpeningHours

    async def handle(self, command, state, context):
        return FlowDelta(tasks=(inform("From nine to five."),))


actions.command(OpeningHoursHandler())
"""


def test_a_command_of_the_assistants_own_is_found_beside_it(tmp_path: Path) -> None:
    (tmp_path / "bot.yaml").write_text("flows: {a: {steps: [{say: A.}]}, b: {steps: [{say: B.}]}}")
    (tmp_path / "handlers.py").write_text(HANDLERS)
    assert "From nine to five." in chat("When are you open?", config=str(tmp_path))


def test_a_person_can_be_played() -> None:
    shown = chat("send 20 euros", "I want to talk to a person", "hello?", "/person I am Eve.", "/return", "/return")
    assert "A person will take it from here.\nA person has the conversation now" in shown
    assert "> hello?\n(to the person)\n" in shown
    assert "I am Eve.\n" in shown
    assert "You are talking to the assistant again.\nWho should receive it?\n" in shown
    assert "no person has the conversation of 'you'; the assistant has it" in shown
