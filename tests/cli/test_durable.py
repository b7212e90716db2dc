"""Chats that are killed, and looking after what is stored, as a person does it at a terminal."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from bench.postgres import postgres

from tests.cli.test_chat import BANKING, ROOT, soni
from tests.warm import SONI, soni_command


def cut_off(store: str, books: Path, *lines: str, after: str, booked: bool = False) -> None:
    """Chat until the assistant has said something, and the bank has written something if that is asked for; kill -9."""
    process = subprocess.Popen(
        [
            str(SONI) if store.startswith("sqlite:") and booked else soni_command(),
            "chat",
            "-c",
            BANKING,
            "--store",
            store,
        ],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1", "BANK_BOOKS": str(books), "BANK_SECONDS": "600"},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("".join(f"{line}\n" for line in lines))
    process.stdin.flush()
    for line in process.stdout:
        if after in line:
            break
    while booked and not books.exists():
        os.sched_yield()
    process.kill()
    process.communicate()


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_g3_and_g5_a_chat_killed_in_the_middle_of_a_transfer_goes_on_where_it_stood(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the README invites people to try."""
    store = f"sqlite:{tmp_path}/chat.db" if kind == "sqlite" else postgres().new_database()
    books = tmp_path / "bank.json"
    cut_off(store, books, "send 20 euros to Ana", "yes", after="Sending…", booked=True)
    monkeypatch.setenv("BANK_BOOKS", str(books))
    shown = soni("chat", "-c", BANKING, "--store", store, typed="how much do I have?\n")
    assert (
        "The last chat was cut off in the middle of a turn, which has now been finished:\n"
        "Sending…\n"
        "Done. Ana receives €20.00. Your reference is T0004.\n"
    ) in shown
    assert "Your checking account has €2,325.67" in shown, "the money has moved once"
    assert "0 finished, 0 still being worked on." in soni("recover", "-c", BANKING, "--store", store)


@pytest.mark.parametrize(("there", "here"), [("Asia/Tokyo", "America/New_York"), ("America/New_York", "Asia/Tokyo")])
def test_g5_a_turn_is_finished_in_another_time_zone_as_it_was_begun(
    tmp_path: Path, there: str, here: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The session of a bank ends after half an hour; hours between two clocks are none of it."""
    store, books = f"sqlite:{tmp_path}/chat.db", tmp_path / "bank.json"
    monkeypatch.setenv("TZ", there)
    cut_off(store, books, "send 20 euros to Ana", "yes", after="Sending…", booked=True)
    monkeypatch.setenv("TZ", here)
    monkeypatch.setenv("BANK_BOOKS", str(books))
    shown = soni("chat", "-c", BANKING, "--store", store, typed="how much do I have?\n")
    assert "Done. Ana receives €20.00. Your reference is T0004.\n" in shown
    assert "Your checking account has €2,325.67" in shown


def test_a_chat_killed_before_an_answer_stands_at_its_question(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path}/chat.db"
    cut_off(store, tmp_path / "bank.json", "send 20 euros to Ana", after="Send €20.00")
    shown = soni("chat", "-c", BANKING, "--store", store, typed="no\n")
    assert "Send €20.00 to Ana (ES91 2100 0418 4502 0005 1332)?\n  1. Yes\n  2. No\n> no\n" in shown


def test_an_operator_finishes_forgets_and_prunes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, books = f"sqlite:{tmp_path}/chat.db", tmp_path / "bank.json"
    cut_off(store, books, "send 20 euros to Ana", "yes", after="Sending…")
    monkeypatch.setenv("BANK_BOOKS", str(books))
    monkeypatch.setenv("SONI_STORE", store)
    monkeypatch.setenv("SONI_CONFIG", BANKING)
    assert soni("recover") == "you: turn 3 finished.\n1 finished, 0 still being worked on.\n"
    assert "0 conversations and 0 turns of others deleted." in soni("prune", "--older-than", "90d")
    assert "there is no store" in soni("forget", "you", "--store", f"sqlite:{tmp_path}/typo.db", status=1)
    assert not (tmp_path / "typo.db").exists()
    assert soni("forget", "you") == "Everything about 'you' is gone.\n"
    assert soni("forget", "you") == "Nothing is kept of 'you'.\n"
    assert "'soon' is not a span of time. Write, for example, 90d or 12h." in soni(
        "prune", "--older-than", "soon", status=1
    )
    assert "nothing says how long turns are kept. Write --older-than 90d" in soni("prune", status=1)


def test_looking_after_an_assistant_that_keeps_nothing_says_so() -> None:
    for command in (["recover"], ["forget", "ana"], ["prune", "--older-than", "1d"]):
        shown = soni(*command, "-c", BANKING, status=1)
        assert "keeps conversations in memory, which is gone with the process. Name the store" in shown


def test_two_chats_on_one_store_share_the_conversation_and_the_bank(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SONI_STORE", f"sqlite:{tmp_path}/chat.db")
    monkeypatch.setenv("BANK_BOOKS", str(tmp_path / "bank.json"))
    for name in ("ann", "bob", "ann"):
        soni("chat", "-c", BANKING, "--user", name, typed="send 20 euros to Ana\nyes\n")
    shown = soni("chat", "-c", BANKING, "--user", "ann")
    assert "Welcome back. The last words were:\n" in shown
    assert "Done. Ana receives €20.00. Your reference is T0005." in shown
    assert '"checking":"2305.67"' in (tmp_path / "bank.json").read_text()
    assert '"checking":"2325.67"' in (tmp_path / "bank.json").read_text()


@pytest.mark.parametrize(
    "wrong", ["postgresql://u:se%zzcret@localhost/x", "postgresql://u:p@[bad/x", "folder", "locked"]
)
def test_a_store_that_cannot_be_opened_is_told_without_a_traceback_and_without_its_password(
    tmp_path: Path, wrong: str
) -> None:
    (tmp_path / "folder").mkdir()
    address = wrong if wrong.startswith("postgres") else f"sqlite:{tmp_path}/{wrong}"
    if wrong == "locked":
        address = "sqlite:/proc/version"
    shown = soni("chat", "-c", BANKING, "--store", address, status=1)
    assert "cannot be" in shown
    assert "cret" not in shown


def test_a_postgres_by_setting_takes_its_address_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.yaml").write_text(
        "settings: {persistence: {backend: postgres, url_env: SHOP_DB}}\n"
        "flows: {buy: {steps: [{collect: n, message: How many?}, {say: '{n}.'}]}, other: {steps: [{say: Hi.}]}}\n"
        "slots: {n: {type: integer}}\n"
    )
    shown = soni("chat", "-c", "a.yaml", cwd=tmp_path, status=1)
    assert "'SHOP_DB' is not set. Set it: SHOP_DB=postgresql://USER@HOST/DATABASE" in shown
    monkeypatch.setenv("SHOP_DB", postgres().new_database())
    assert "How many?" in soni("chat", "-c", "a.yaml", typed="buy\n", cwd=tmp_path)
    assert "> 3\n3.\n" in soni("chat", "-c", "a.yaml", typed="3\n", cwd=tmp_path)
