"""The trained reader: pieces of words, packing, the model, its values among those of the rules, and life without it."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import shutil
import sys
import threading
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from soni import SoniConfig
from soni.core.commands import CorrectSlot, SetSlot, StartFlow
from soni.du.local import encoder as encoders
from soni.du.local import flows as scoring
from soni.du.local import model as models
from soni.du.local.packing import (
    ACTS,
    FLOW_ACTIVE,
    MOST_SAID,
    ROLES,
    SAID,
    SEEN,
    SLOT_ASKED,
    WORDS,
    FlowText,
    Packer,
    SlotText,
    batch,
    sees,
)
from soni.du.local.pieces import BEGIN, END, UNKNOWN, Vocabulary, vocabulary
from soni.du.local.understanding import LocalUnderstanding
from soni.evaluation import Labelled, Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from soni.core.commands import Command

NOW = datetime(2026, 11, 15, 12)
FLOWS = [
    FlowText("send money: Transfer money to somebody"),
    FlowText("balance: Tell what is in the account", FLOW_ACTIVE),
]
SLOTS = [
    SlotText("amount: How much to send", "money"),
    SlotText("recipient: Who receives the money", state=SLOT_ASKED),
    SlotText("account: From which account", "choice", options=("savings", "current account")),
]
PARCELS = SoniConfig.model_validate(
    {
        "slots": {
            "tracking": {"type": "text", "description": "The number of the parcel"},
            "when": {"type": "date", "description": "The day on which it should come"},
            "floor": {"type": "integer", "description": "On which floor to deliver"},
            "size": {"type": "choice", "options": ["small", "large"], "description": "How big the parcel is"},
            "insured": {"type": "boolean", "description": "Whether the parcel should be insured"},
            "street": {"type": "text", "description": "The street to which the parcel goes"},
        },
        "flows": {
            "track_parcel": {
                "description": "Find out where a parcel is",
                "steps": [{"step": "ask", "type": "collect", "slot": "tracking"}],
            },
            "send_parcel": {
                "description": "Have a parcel picked up and sent",
                "steps": [
                    {"step": name, "type": "collect", "slot": name}
                    for name in ("street", "when", "floor", "size", "insured")
                ],
            },
        },
    }
)
LOCAL = LocalUnderstanding(PARCELS)


def understood(message: str, **place: object) -> list[Command]:
    context = Labelled(message, (), Place(**place)).context(PARCELS, now=NOW)
    return list(asyncio.run(LOCAL.understand(message, context)).commands)


# Pieces


@given(st.text(max_size=80))
def test_every_piece_stands_where_it_says(text: str) -> None:
    pieces = vocabulary().pieces(text)
    assert all(0 <= piece.start < piece.end <= len(text) for piece in pieces)
    assert all(one.end <= other.start for one, other in pairwise(pieces))
    assert all(0 <= piece.number < len(vocabulary()) for piece in pieces)


def test_case_and_accents_make_no_difference() -> None:
    plain = [piece.number for piece in vocabulary().pieces("transferencia a jose")]
    assert [piece.number for piece in vocabulary().pieces("TRANSFERENCIA a José")] == plain


def test_a_word_is_cut_into_the_longest_pieces_that_are_known() -> None:
    known = Vocabulary(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "pay", "##ment", "##s", "€", "p"])
    assert known.pieces("Payments €") == [(4, 0, 3), (5, 3, 7), (6, 7, 8), (7, 9, 10)]
    assert known.pieces("xyz") == [(UNKNOWN, 0, 3)]
    assert known.pieces("p" * 200) == [(UNKNOWN, 0, 200)]
    assert "pay" in known
    assert known["pay"] == 4


# Packing


def test_a_message_is_packed_with_all_it_may_be_about() -> None:
    packed = Packer(vocabulary()).pack("send 20 to Ana", "To whom?", "collect", FLOWS, SLOTS)
    sizes = {len(column) for column in (packed.ids, packed.places, packed.roles, packed.kinds, packed.elements)}
    assert len(sizes) == 1
    assert (packed.ids[0], packed.ids[len(packed.pieces) + 1]) == (BEGIN, END)
    assert [packed.roles[mark] for mark in packed.flow_marks][1] == FLOW_ACTIVE
    assert [packed.roles[mark] for mark in packed.slot_marks][1] == SLOT_ASKED
    assert packed.option_slots == [2, 2]
    assert max(packed.roles) < ROLES


def test_a_mark_sees_its_own_words_and_those_of_no_other() -> None:
    packed = Packer(vocabulary()).pack("send 20 to Ana", "", None, FLOWS, SLOTS)
    arrays = batch([packed])
    seen = sees(arrays["kinds"], arrays["elements"], arrays["parents"])[0]
    kinds, elements = arrays["kinds"][0], arrays["elements"][0]
    mark = packed.flow_marks[0]
    words = kinds == WORDS
    assert np.array_equal(seen[mark] & words, words & (elements == elements[mark]))
    assert seen[mark][kinds == SEEN].all()
    assert seen[:, kinds == SAID].all()
    option = packed.option_marks[0]
    owner = elements[packed.slot_marks[2]]
    assert np.array_equal(seen[option] & words, words & ((elements == elements[option]) | (elements == owner)))
    assert seen[0].all()


def test_a_long_message_is_cut_and_a_shorter_one_padded() -> None:
    packer = Packer(vocabulary())
    long, short = packer.pack("word " * 300, "", None, FLOWS, []), packer.pack("", "", None, [], [])
    assert len(long.pieces) == MOST_SAID
    arrays = batch([long, short])
    assert arrays["ids"].shape[0] == 2
    assert (arrays["kinds"][1][len(short.ids) :] == 0).all()
    assert arrays["flow_marks"][1].tolist() == [-1, -1]


# The model


@pytest.fixture(scope="module")
def network() -> models.Model:
    return models.loaded(models.WEIGHTS)


def test_the_shipped_weights_are_small_enough_and_whole() -> None:
    assert models.checked(models.WEIGHTS).stat().st_size <= 30e6
    assert sum(path.stat().st_size for path in models.WEIGHTS.iterdir()) <= 30e6
    assert "CC BY-SA 4.0" in (models.WEIGHTS / "README.md").read_text(encoding="utf-8")
    assert "Attribution-ShareAlike 4.0" in (models.WEIGHTS / "LICENSE").read_text(encoding="utf-8")


def test_scores_do_not_depend_on_order_nor_on_who_is_read_beside(network: models.Model) -> None:
    packer = Packer(vocabulary())
    message = packer.pack("send 20 euros to Ana", "To whom?", "collect", FLOWS, SLOTS)
    turned = packer.pack("send 20 euros to Ana", "To whom?", "collect", FLOWS[::-1], SLOTS[::-1])
    other = packer.pack("what is my balance? " * 8, "", None, FLOWS, [])
    alone, beside = network.read(message), network.read_all([other, message])[1]
    again = network.read(turned)
    # Eight bits are scaled by what is read together, so that equal is not to the last digit.
    assert np.allclose(_likely(alone), _likely(beside), atol=0.05)
    assert np.allclose(_likely(alone), _likely(again, turned=True), atol=0.05)
    assert np.allclose(alone.statuses, again.statuses[::-1], atol=1)
    assert alone.flows[0] > alone.flows[1]
    assert alone.acts.shape == (len(ACTS),)


def _likely(scores: models.Scores, *, turned: bool = False) -> Any:
    """How likely each flow is, and that it is none."""
    raised = np.exp(np.append(scores.flows[::-1] if turned else scores.flows, scores.none))
    return raised / raised.sum()


def test_messages_that_wait_are_read_together(network: models.Model, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = Packer(vocabulary()).pack("send 20 euros to Ana", "", None, FLOWS, SLOTS)
    sizes: list[int] = []
    gate, begun = threading.Event(), threading.Event()
    read_all = network.read_all

    def watched(group: list[object]) -> list[models.Scores]:
        sizes.append(len(group))
        begun.set()
        gate.wait(30)
        return read_all(group)  # type: ignore[arg-type]  # packed messages

    monkeypatch.setattr(network, "read_all", watched)
    threads = [threading.Thread(target=network.read, args=(packed,)) for _ in range(6)]
    threads[0].start()
    begun.wait(30)
    for thread in threads[1:]:
        thread.start()
    while len(network._waiting) < 5:
        pass
    gate.set()
    for thread in threads:
        thread.join(30)
    assert sizes == [1, 5]


def test_what_goes_wrong_in_a_group_is_told_to_each_of_it(
    network: models.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(group: list[object]) -> list[models.Scores]:
        raise MemoryError("no more")

    monkeypatch.setattr(network, "read_all", broken)
    with pytest.raises(MemoryError, match="no more"):
        network.read(Packer(vocabulary()).pack("hello", "", None, FLOWS, []))
    assert not network._waiting


# Values and flows


def test_a_request_is_read_with_its_values_by_an_assistant_never_seen() -> None:
    found = understood("please send a large parcel to Elm Avenue on friday")
    assert found[0] == StartFlow(flow="send_parcel")
    values = {one.slot: one.value for one in found[1:] if isinstance(one, SetSlot)}
    assert values["street"] == "Elm Avenue"
    assert values["size"] == "large"
    assert values["when"] in ("friday", "on friday")


def test_the_answer_is_read_out_of_a_sentence() -> None:
    place = {"flow": "send_parcel", "task": "collect", "asked": "street"}
    found = understood("well, it should go to Baker Street please", history=[{"bot": "To which street?"}], **place)
    assert found == [SetSlot(slot="street", value="Baker Street")]


def test_a_yes_or_no_that_was_asked_for_comes_from_what_is_said() -> None:
    place = {"flow": "send_parcel", "task": "collect", "asked": "insured", "history": [{"bot": "Should I insure it?"}]}
    assert understood("i don't think that will be needed", **place) == [SetSlot(slot="insured", value=False)]


def test_a_number_replaces_another_only_where_something_is_taken_back() -> None:
    place = {"flow": "send_parcel", "task": "collect", "asked": "street", "slots": {"floor": 2, "size": "small"}}
    assert CorrectSlot(slot="floor", value="3") in understood("sorry, I meant floor 3", **place)
    assert understood("3", **place) != [CorrectSlot(slot="floor", value="3")]


def test_a_slot_with_more_options_than_can_be_shown_is_still_read() -> None:
    many: dict[str, dict[str, str]] = {f"model {number}": {} for number in range(1, 40)}
    config = SoniConfig.model_validate(
        {
            "slots": {"phone": {"type": "choice", "options": many, "description": "Which phone to buy"}},
            "flows": {
                "buy": {"description": "Buy a phone", "steps": [{"step": "a", "type": "collect", "slot": "phone"}]}
            },
        }
    )
    message = "I would like to buy the model 27"
    context = Labelled(message, ()).context(config, now=NOW)
    found = asyncio.run(LocalUnderstanding(config).understand(message, context)).commands
    assert SetSlot(slot="phone", value="model 27") in found


@pytest.mark.parametrize("message", ["put me down for spin on tuesday at 7:15pm", "ponme en spinning el martes"])
def test_an_option_that_one_flow_alone_has_says_which_flow_is_meant(message: str) -> None:
    """The reader hears little of a flow whose slots it is not told of, so the right ones have to be picked first."""
    config = SoniConfig.model_validate(
        {
            "slots": {
                "court": {"type": "choice", "options": {"tennis": {}, "padel": {}, "squash": {}}},
                "kind": {
                    "type": "choice",
                    "description": "The class",
                    "options": {"yoga": {}, "spinning": {"synonyms": ["spin"]}, "zumba": {}},
                },
                "day": {"type": "date"},
                "hour": {"type": "time"},
            },
            "flows": {
                "book_court": {
                    "description": {"en": "Book a court", "es": "Reservar una pista"},
                    "trigger": {
                        "intents": ["I want to play {court} {day}", "put me down for a court", "una pista el {day}"]
                    },
                    "steps": [{"collect": "court"}, {"collect": "day"}, {"collect": "hour"}],
                },
                "book_class": {
                    "description": {"en": "Book a place in a class", "es": "Reservar plaza en una clase"},
                    "trigger": {"intents": ["sign me up for {kind}", "apúntame a {kind}"]},
                    "steps": [{"collect": "kind"}, {"collect": "day"}, {"collect": "hour"}],
                },
                "opening_hours": {
                    "description": {"en": "When we are open", "es": "Horario"},
                    "steps": [{"say": "Always."}],
                },
            },
        }
    )
    context = Labelled(message, ()).context(config, now=NOW)
    found = asyncio.run(LocalUnderstanding(config).understand(message, context)).commands
    assert found[0] == StartFlow(flow="book_class")
    assert SetSlot(slot="kind", value="spinning") in found


# Without it


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package whose weights lie in a folder of the test's."""
    folder = tmp_path / "weights"
    shutil.copytree(models.WEIGHTS, folder)
    monkeypatch.setattr(models, "WEIGHTS", folder)
    _forget()
    yield folder
    monkeypatch.undo()
    _forget()


def _forget() -> None:
    models.model.cache_clear()
    encoders.encoder.cache_clear()
    encoders._vector.cache_clear()
    encoders._abroad.cache_clear()
    scoring._fitted.cache_clear()
    scoring._vectors.cache_clear()
    from soni.du.local import acts

    acts._embedded.cache_clear()


def _says(config: SoniConfig, message: str) -> list[Command]:
    context = Labelled(message, ()).context(config, now=NOW)
    return list(asyncio.run(LocalUnderstanding(config).understand(message, context)).commands)


def test_without_weights_it_understands_by_rules_and_says_so_once(
    elsewhere: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (elsewhere / "reader.onnx").unlink()
    with caplog.at_level(logging.WARNING):
        assert _says(PARCELS, "where is my parcel?")[0] == StartFlow(flow="track_parcel")
        assert _says(PARCELS, "send a parcel")[0] == StartFlow(flow="send_parcel")
    told = [record.message for record in caplog.records if "trained reader" in record.message]
    assert len(told) == 1
    assert "reader.onnx" in told[0]


def test_weights_that_are_not_what_was_shipped_are_not_run(elsewhere: Path) -> None:
    with (elsewhere / "reader.onnx").open("r+b") as file:
        file.seek(1000)
        file.write(b"\x00\x01")
    with pytest.raises(models.Unavailable, match=r"reader\.onnx is not the file that was shipped"):
        models.checked(elsewhere)
    assert models.model() is None


def test_weights_without_their_hash_are_missing(elsewhere: Path) -> None:
    (elsewhere / "reader.sha256").unlink()
    with pytest.raises(models.Unavailable, match=r"there is no .*reader\.sha256"):
        models.checked(elsewhere)


def test_without_onnxruntime_it_understands_by_rules(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert _says(PARCELS, "where is my parcel?")[0] == StartFlow(flow="track_parcel")
    assert "needs onnxruntime" in caplog.text


def test_the_hash_file_names_every_file_that_is_loaded() -> None:
    lines = [line.split() for line in (models.WEIGHTS / "reader.sha256").read_text(encoding="utf-8").splitlines()]
    told = {name: digest for digest, name in lines}
    assert told.keys() == {"reader.onnx", "words.txt"}
    for name, digest in told.items():
        assert hashlib.sha256((models.WEIGHTS / name).read_bytes()).hexdigest() == digest


@pytest.mark.parametrize(
    "said", ["sure looks like fraud", "ok hang on", "yes, that was a mistake", "sí, vamos a cancelarlo"]
)
def test_the_reader_never_says_yes_to_a_confirmation(said: str) -> None:
    place = {"flow": "send_parcel", "task": "confirm", "history": [{"bot": "Shall I go ahead?"}]}
    assert "affirm_confirmation" not in [command.name for command in understood(said, **place)]
