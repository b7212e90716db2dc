"""The reader's training, small: data to samples, a few steps on a CPU, export, and what was exported at work."""

from __future__ import annotations

import functools
import gzip
import json
import os
import random
import shutil
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from training.reader.dialogues import Dialogues, mended
from training.reader.gloss import Gloss
from training.reader.intents import Intents, IntentSet
from training.reader.mixture import Mixture, labelled, pack
from training.reader.noise import as_written, chatty
from training.reader.samples import ANY, UNKNOWN, VALUE
from training.reader.values import made_up, value
from training.reader.weights import known_words
from training.reader.written import HERE, MOST_SLOTS, Domains, _shown

from soni.du.local.packing import ROLES, TYPE_WORDS, FlowText, Packer, SlotText, batch, sees
from soni.du.local.pieces import Vocabulary
from soni.du.local.words import content

if TYPE_CHECKING:
    from collections.abc import Iterator


@functools.cache
def domains() -> Domains:
    """The assistants that the reader is trained on; reading them takes seconds."""
    return Domains()


TOOLS = "make training-tools"
pytestmark = pytest.mark.long


def needs(module: str) -> Any:
    """A module for training alone; where it is missing the test is skipped, but not in CI."""
    if os.environ.get("CI") == "true":
        return __import__(module)
    return pytest.importorskip(module, reason=f"{module} is needed: run '{TOOLS}'")


# Data


def _turn(dialogue: str, number: int, user: str, *, bot: str = "", **frame: Any) -> dict[str, Any]:
    plain = {"s": "Trains_1", "ai": "FindTrain", "pi": "NONE", "a": [], "sp": [], "ask": [], "cf": [], "off": []}
    return {"d": dialogue, "k": number, "y": bot, "u": user, "v": ["Trains_1"], "ya": [], "f": [{**plain, **frame}]}


def _turns() -> Iterator[dict[str, Any]]:
    for number, city in enumerate(("Leeds", "York", "Bath", "Hull", "Ely", "Crewe")):
        start = [["INFORM_INTENT", "intent", ["FindTrain"], ["FindTrain"]], ["INFORM", "city", [city], [city]]]
        said = f"find a train to {city}"
        yield _turn(str(number), 0, said, a=start, sp=[["city", 16, 16 + len(city)]])
        seats = [["INFORM", "seats", ["2"], ["2"]], ["INFORM", "class", ["dontcare"], ["dontcare"]]]
        yield _turn(
            str(number), 2, "two seats, any class", bot="How many seats?", pi="FindTrain", ask=["seats"], a=seats
        )
        yield _turn(
            str(number), 4, "yes please", bot="Shall I book?", pi="FindTrain", a=[["AFFIRM", "", [], []]], ai="NONE"
        )


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Training data of the right form, of a size for tests."""
    folder = tmp_path_factory.mktemp("data")

    def zipped(name: str, text: str) -> None:
        with gzip.open(folder / name, "wt", encoding="utf-8") as file:
            file.write(text)

    def texts(name: str) -> list[list[str]]:
        return [[name, f"The {name}"], [f"the_{name}", f"Which {name}"]]

    slots = {
        "city": {"cat": False, "opts": [], "txt": texts("city")},
        "seats": {"cat": True, "opts": ["1", "2", "3"], "txt": texts("seats")},
        "class": {"cat": True, "opts": ["first", "second"], "txt": texts("class")},
        "pets": {"cat": True, "opts": ["True", "False"], "txt": texts("pets")},
    }
    found = {"req": ["city"], "opt": ["seats", "class", "pets"], "txt": [["FindTrain", "Find a train"]] * 2}
    service = {
        "slots": slots,
        "intents": {"FindTrain": found, "BookTrain": {**found, "txt": [["BookTrain", "Book it"]] * 2}},
    }
    other = {"slots": slots, "intents": {"PlaySong": {**found, "txt": [["PlaySong", "Play a song"]] * 2}}}
    (folder / "schemas.json").write_text(json.dumps({"train": {"Trains_1": service, "Music_1": other}}))
    (folder / "schema_es.json").write_text(json.dumps({"Find a train": "Encontrar un tren", "city": "ciudad"}))
    zipped("train.jsonl.gz", "\n".join(json.dumps(turn) for turn in _turns()))
    spanish = _turn(
        "0", 0, "quiero un tren a Leeds", a=[["INFORM", "city", ["Leeds"], ["Leeds"]]], sp=[["city", 17, 22]]
    )
    zipped("train_es.jsonl.gz", json.dumps(spanish))
    requests = [["play a song", "play music"], ["put some jazz on", "play music"], ["what time is it", "tell time"]] * 3
    requests += [["turn the light on", "light on"], ["turn the light off", "light off"]] * 3
    zipped("intents.json.gz", json.dumps({"one": requests, "two": requests, "three": requests}))
    zipped("pool.json.gz", json.dumps({"txt": ["hello there", "what a day", "send it"], "lab": ["greet", "send"]}))
    (folder / "words.json").write_text(json.dumps(["train", "song", "light", "time"]))
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{one}" for one in letters)]
    words += sorted({*TYPE_WORDS.values(), "train", "song", "find", "tren"} - set(words))
    ids = [[number] for number in range(len(words))]
    ids[words.index("tren")] = [words.index("train")]
    (folder / "old_ids.json").write_text(json.dumps(ids))
    vocabulary = {word: number for number, word in enumerate(words)}
    for name in ("tok_en.json", "tok_es.json"):
        (folder / name).write_text(json.dumps({"model": {"vocab": vocabulary}}))
    return folder


@pytest.fixture(scope="session")
def dialogues(data: Path) -> Dialogues:
    return Dialogues(data)


def test_turns_know_what_was_said_before(dialogues: Dialogues) -> None:
    first, second, third = dialogues.turns[:3]
    assert (first.starts, first.informed, first.filled) == (True, {"city": "Leeds"}, frozenset())
    assert (second.task, second.filled, second.informed["class"]) == ("collect", frozenset({"city"}), "dontcare")
    assert third.acts == {"affirm"}
    assert dialogues.translations() == [("quiero un tren a Leeds", "find a train to Leeds")]


def test_a_turn_becomes_a_sample_whose_labels_point_at_its_words(dialogues: Dialogues) -> None:
    draw = random.Random(0)
    for turn in dialogues.turns * 20:
        sample = dialogues.sample(draw, turn, list(dialogues.flows.values()))
        assert len(sample.slots) == len(sample.labels)
        assert sample.flow in (-1, UNKNOWN) or 0 <= sample.flow < len(sample.flows)
        for slot, label in zip(sample.slots, sample.labels, strict=True):
            if label.status == VALUE and label.option is None:
                assert label.span is not None
                said = turn.message[slice(*label.span)]
                assert said in ("Leeds", "York", "Bath", "Hull", "Ely", "Crewe", "two")
            if label.status == VALUE and label.option is not None:
                assert slot.options[label.option] == "2"
            assert label.status != ANY or "any class" in turn.message


def test_a_machines_spanish_is_mended_and_values_stay_in_their_place() -> None:
    text, spans = mended("Valle, da las gracias a Valle por la alocución", [["city", 24, 29]])
    assert text == "vale, gracias Valle por la dirección"
    assert [(name, text[start:end]) for name, start, end in spans] == [("city", "Valle")]


@pytest.mark.parametrize("language", ["en", "es"])
def test_every_written_sentence_can_be_said(language: str) -> None:
    draw = random.Random(1)
    for domain in domains().domains:
        for flow in domain.flows:
            for template in domain.starts(flow, language):
                written = domain.write(template, draw, language)
                assert "{" not in written.text
                assert all(written.text[start:end].strip() for start, end in written.spans.values())
        for kind in ("confirms", "corrections", "cancels", "asides", "beyond"):
            assert domain.said(kind, language)
            for template in domain.said(kind, language):
                assert "{" not in domain.write(template, draw, language).text
        for name, slot in domain.slots.items():
            assert len(domain.implied(name, language)) == (len(slot.options) if slot.kind == "choice" else 0)
            assert all(domain.implied(name, language))
        for text, flows in domain.unclear(language):
            assert text
            assert 2 <= len(set(flows)) <= 3
            assert set(flows) <= set(domain.flows)


def test_nothing_that_the_final_parts_ask_for_is_learned() -> None:
    """A few words such as 'thanks' are the same everywhere; a sentence is not."""
    tests = Path(__file__).parents[2] / "bench" / "understanding"
    held = {
        " ".join(words)
        for path in [*tests.glob("own/*.final.jsonl"), *tests.glob("spanish/*.final.jsonl")]
        for line in path.read_text(encoding="utf-8").splitlines()
        if len(words := content(json.loads(line)["message"])) > 3
    }
    assert len(held) > 200
    written = HERE.glob("acts/*.yaml"), HERE.glob("domains/*.yaml"), HERE.glob("intents/*.yaml")
    for path in (path for paths in written for path in paths):
        for line in path.read_text(encoding="utf-8").splitlines():
            assert " ".join(content(line.strip(" -"))) not in held


def test_a_request_that_fits_several_flows_is_shared_among_them() -> None:
    draw = random.Random(7)
    samples = [domains().sample(draw, [], "es") for _ in range(400)]
    shared = [sample for sample in samples if sample.soft is not None]
    assert shared
    for sample in shared:
        assert sample.flow == UNKNOWN
        assert sum(sample.soft or []) == pytest.approx(1)


def test_an_option_that_is_only_meant_is_the_value() -> None:
    draw, hints = random.Random(8), 0
    for _ in range(1500):
        sample = domains().sample(draw, [], draw.choice(["en", "es"]))
        for slot, label in zip(sample.slots, sample.labels, strict=True):
            if label.option is not None and slot.options[label.option].lower() not in sample.message.lower():
                hints += 1
    assert hints > 50


def test_a_written_sample_is_whole() -> None:
    draw = random.Random(2)
    for _ in range(2000):
        sample = domains().sample(draw, domains().flows[:5], draw.choice(["en", "es"]))
        assert sample.message.strip()
        assert not sample.acts & sample.unknown_acts
        for slot, label in zip(sample.slots, sample.labels, strict=True):
            if label.option is not None:
                assert label.option < len(slot.options)
            elif label.status == VALUE:
                assert label.span is not None
                assert sample.message[slice(*label.span)].strip()


def test_noise_leaves_every_letter_in_its_place() -> None:
    draw = random.Random(3)
    for _ in range(500):
        text = "Hola, ¿me mandas 12.50 a ana@mail.net?"
        assert len(as_written(text, draw)) == len(text)
    assert "{amount}" in chatty("quiero que mandes {amount} por favor", "es", draw)


@pytest.mark.parametrize(
    "kind", ["date", "time", "datetime", "money", "integer", "duration", "person", "city", "email"]
)
def test_values_are_words_in_both_languages(kind: str) -> None:
    draw = random.Random(4)
    said = {value(kind, draw, language) for language in ("en", "es") for _ in range(100)}
    assert len(said) > 15
    assert all("{" not in one and one.strip() == one for one in said)
    assert made_up(draw, "en")


def test_a_gloss_says_english_in_spanish_words(data: Path) -> None:
    gloss = Gloss(data)
    glossed = {gloss.of("find the train, please", random.Random(seed)) for seed in range(20)}
    assert any(text.endswith(("por favor", "porfa")) for text in glossed)
    assert any("tren" in text for text in glossed)
    assert gloss.of("xyzzy", random.Random(0)) == "xyzzy"


def test_the_slots_that_are_told_do_not_give_the_flow_away() -> None:
    domain = next(one for one in domains().domains if one.name == "bowling")
    flow, *others = domain.flows
    own = set(domain.flows[flow].slots)
    draw = random.Random(3)
    told = [set(_shown(draw, domain, flow, None, None)) for _ in range(300)]
    assert 100 < sum(one == own for one in told) < 250
    assert sum(not one for one in told) > 5
    assert sum(bool(own) and not own <= one for one in told) > 20
    asked = next(iter(domain.flows[others[0]].slots))
    for _ in range(50):
        shown = _shown(draw, domain, flow, others[0], asked)
        assert asked in shown
        assert len(shown) == len(set(shown)) <= MOST_SLOTS


def test_a_request_is_told_with_the_flows_it_is_most_like(dialogues: Dialogues) -> None:
    dialogues.place(_letters)
    turn = next(one for one in dialogues.starts if one.service == "Trains_1")
    draw, seen, foreign = random.Random(1), 0, 0
    for _ in range(200):
        sample = dialogues.sample(draw, turn, [])
        seen += any("song" in flow.words.lower() for flow in sample.flows)
        foreign += bool(sample.slots) and all(label.status == UNKNOWN for label in sample.labels)
    assert seen > 50
    assert 0 < foreign < seen / 2


# Intent sets


@pytest.fixture(scope="session")
def intents(data: Path) -> Intents:
    return Intents(data / "intents.json.gz", _letters, Gloss(data))


def _letters(texts: list[str]) -> Any:
    """Vectors of texts that are alike where their letters are."""
    counts = np.array([[text.lower().count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts])
    return counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1e-9)


def test_every_written_intent_is_told_by_phrases_of_its_own(intents: Intents) -> None:
    assert {one.language for one in intents.written} == {"en", "es"}
    for one in intents.written:
        assert len(one.intents) >= 20, one.name
        assert all(len(texts) >= 8 for texts in one.intents.values()), one.name
        texts = [text.casefold() for text, _ in one.rows]
        assert {text for text in texts if texts.count(text) > 1} == set(), one.name


def test_the_nearest_intents_come_first_and_of_each_the_nearest_phrases() -> None:
    one = IntentSet(
        "post",
        "en",
        {
            "track parcel": ["where is my parcel", "track my parcel", "has it been sent"],
            "late parcel": ["my parcel is late"],
            "opening hours": ["when do you open"],
        },
    )
    one.place(_letters)
    assert one.ranked(3, {"track parcel": [1, 2], "late parcel": [], "opening hours": [4]}) == [
        ("late parcel", []),
        ("track parcel", ["track my parcel", "has it been sent"]),
        ("opening hours", ["when do you open"]),
    ]


def test_an_intent_sample_tells_its_own_intent_and_never_the_message_itself(intents: Intents) -> None:
    by = {text: (label, one) for one in intents.written for text, label in one.rows}
    draw, seen = random.Random(3), 0
    for _ in range(600):
        sample = intents.sample(draw, ["Which one?"])
        told = [flow.words for flow in sample.flows]
        if sample.message not in by:
            continue  # of a public set, or with a slip in it
        label, one = by[sample.message]
        assert sample.message not in told
        if sample.flow == -1:
            assert label not in told
        elif sample.flow >= 0 and told[sample.flow] in one.intents:
            assert told[sample.flow] == label
            seen += 1
    assert seen > 50


# Batches


@pytest.fixture(scope="session")
def mixture(dialogues: Dialogues, intents: Intents) -> Mixture:
    return Mixture(dialogues, domains(), intents, None)


def _packer(data: Path) -> Packer:
    return Packer(Vocabulary(known_words(data)))


def test_a_batch_depends_on_the_seed_and_its_number_alone(data: Path, mixture: Mixture) -> None:
    one, again = (list(islice(mixture.batches(_packer(data), 4, 7), 4)) for _ in range(2))
    other = next(mixture.batches(_packer(data), 4, 8))
    for first, second in zip(one, again, strict=True):
        assert all(np.array_equal(first[name], second[name]) for name in first)
    assert one[0]["ids"].shape != other["ids"].shape or not np.array_equal(one[0]["ids"], other["ids"])


def test_labels_of_a_batch_point_at_pieces(data: Path, mixture: Mixture) -> None:
    packer, draw = _packer(data), random.Random(5)
    samples = [mixture.sample(draw) for _ in range(200)]
    packed = [pack(packer, one) for one in samples]
    arrays = labelled(packed, samples)
    assert (arrays["flow"] <= arrays["flow_marks"].shape[1]).all()
    for number, (one, sample) in enumerate(zip(packed, samples, strict=True)):
        for place, label in enumerate(sample.labels):
            first, last = arrays["first"][number, place], arrays["last"][number, place]
            if label.span is not None and label.option is None and first >= 0:
                assert 1 <= first <= last <= len(one.pieces)
                assert one.pieces[first - 1].start < label.span[1]
                assert one.pieces[last - 1].end > label.span[0]


# Training and export


@pytest.fixture
def some_written(tmp_path: Path) -> Path:
    """A few of the domains and intent sets, and all acts."""
    for path in ("acts/en.yaml", "acts/es.yaml", "domains/bowling.yaml", "domains/vet.yaml", "intents/airline.yaml"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        shutil.copy(HERE / path, tmp_path / path)
    return tmp_path


@pytest.mark.long
@pytest.mark.timeout(400)  # it trains: under a minute alone, several times that beside other work
def test_a_small_reader_learns_is_exported_and_reads(data: Path, tmp_path: Path, some_written: Path) -> None:
    torch = needs("torch")
    needs("onnx")
    from training.reader.export import build, export
    from training.reader.model import Reader, Size
    from training.reader.recover import recover
    from training.reader.train import Settings, train
    from training.reader.weights import join, save, whole_weights

    from soni.du.local.model import Model

    torch.set_num_threads(1)
    lines: list[str] = []
    settings = Settings(data, steps=60, batch=16, rate=2e-3, sentences=8, workers=0, width=64, layers=2)
    trained = train(settings, lines.append, some_written)
    assert np.mean(trained.losses[-10:]) < 0.8 * np.mean(trained.losses[:10])
    assert trained.facts["steps"] == 60
    assert "trained 60 steps" in lines[-1]

    save(trained.model, tmp_path, "small", trained.kept)
    onward = train(replace(settings, steps=4, rate=1e-5, earlier=tmp_path / "small"), lines.append, some_written)
    assert np.mean(onward.losses) < 0.8 * np.mean(trained.losses[:10])
    weights = whole_weights(join(tmp_path, "small"), {}, [])
    export(weights, tmp_path / "reader.onnx", heads=2)
    packer = _packer(data)
    flows = [FlowText("find train: Find a train"), FlowText("play song")]
    slots = [SlotText("city: The city"), SlotText("class", "choice", options=("first", "second"))]
    packed = [packer.pack(text, "", None, flows, slots) for text in ("find a train to Leeds", "play it")]
    arrays = batch(packed)
    tensors = {name: torch.as_tensor(array) for name, array in arrays.items()}
    names = ("kinds", "elements", "parents")
    assert np.array_equal(sees(*(tensors[name] for name in names)), sees(*(arrays[name] for name in names)))

    again = Reader(Size(len(packer._vocabulary), 64, 2, 2))
    again.load_state_dict({name: torch.as_tensor(array).float() for name, array in weights.items()})
    with torch.no_grad():
        there = again.eval()(tensors)
    import onnx

    whole = tmp_path / "whole.onnx"
    onnx.save(build(weights, 2), whole)
    for path, near in ((whole, 0.1), (tmp_path / "reader.onnx", 0.5)):
        here = Model(path).read_all(packed)
        for number, scores in enumerate(here):
            assert np.allclose(scores.flows, there.flows[number, :2].numpy(), atol=near)
            assert np.allclose(scores.acts, there.acts[number].numpy(), atol=near)
            said = len(packed[number].pieces)
            assert np.allclose(scores.firsts, there.firsts[number, :, 1 : said + 1].numpy(), atol=near)
            assert np.allclose(scores.statuses, there.statuses[number].numpy(), atol=near)
    assert again.roles.weight.shape[0] == ROLES

    back = recover(tmp_path / "reader.onnx", Size(len(packer._vocabulary), 64, 2, 2))
    assert set(back) == set(weights) - {"places.weight"}
    for name, array in back.items():
        assert np.allclose(array, weights[name], atol=0.02 * np.abs(weights[name]).max() + 1e-6), name


def test_the_model_card_is_made_of_the_facts_and_the_figures() -> None:
    from training.reader.card import card

    from soni.du.local.model import WEIGHTS

    facts = json.loads((WEIGHTS / "reader.json").read_text(encoding="utf-8"))
    slots = {"value": 90.123, "at_least": 86, "unit": "%", "note": "8 services"}
    told = card(facts, {"SGD, slots": slots, "start": {**slots, "at_least": None}}, 27_200_000)
    assert "| SGD, slots | 90.1 % | 86 | 8 services |" in told
    assert "| start | 90.1 % |  | 8 services |" in told
    assert f"{facts['steps']:,} steps" in told
    assert "27.2 MB" in told
    assert (WEIGHTS / "README.md").read_text(encoding="utf-8").startswith(told.split("\n\n## Figures")[0][:400])
    told = card({**facts, "written_requests": {"banco": 450, "railway": 1000}}, {}, 27_200_000)
    assert (
        "| the same: `training/reader/intents`, sets of many near intents | 1,450 requests | Apache-2.0 |\n\n" in told
    )
