"""The parts of the offline understanding: spelling, pieces, verdicts, clauses, flows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from soni import SoniConfig
from soni.core.values import Reading
from soni.du.local.clauses import cuts, without_courtesies
from soni.du.local.encoder import Encoder, Vectors, encoder, vector
from soni.du.local.flows import FlowScorer, confidence
from soni.du.local.names import without_relation
from soni.du.local.spelling import OwnWords, Spelling, one_slip, without_false_friends
from soni.du.local.verdicts import verdict
from soni.du.local.words import fold, same_stem
from soni.languages import language
from soni.languages.kinds import Means

EN = Reading("en", datetime(2026, 11, 15, 12), languages=("en", "es"))
ES = Reading("es", datetime(2026, 11, 15, 12), languages=("en", "es"))


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("tranfer 40", "transfer 40"),
        ("my ballance", "my balance"),
        ("la trasnferencia", "la transferencia"),
        ("Tranfer", "Tranfer"),  # a name, perhaps
        ("form a line", "form a line"),  # words of their own
        ("x@balanc.com", "x@balanc.com"),
        ("bal", "bal"),
    ],
)
def test_slips_are_put_right_and_words_are_left_alone(written: str, read: str) -> None:
    spelling = Spelling(["transfer", "balance", "transferencia", "from", "bale"], EN.words)
    repaired = spelling.repaired(OwnWords(written))
    assert repaired.text == read
    assert repaired.as_written(repaired.text) == written


@pytest.mark.parametrize(
    ("one", "other", "near"),
    [("card", "crad", True), ("card", "cards", True), ("card", "car", True), ("card", "cord", True),
     ("card", "cradle", False), ("abcd", "badc", False), ("same", "same", True)],
)  # fmt: skip
def test_a_slip_is_one_letter_or_two_swapped(one: str, other: str, near: bool) -> None:
    assert one_slip(one, other) is near
    assert one_slip(other, one) is near


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("person", "persons", True), ("robada", "robado", True), ("estrella", "estrellas", True), ("day", "days", True),
     ("cat", "car", False), ("saldo", "salon", False), ("people", "person", False)],
)  # fmt: skip
def test_forms_of_a_word_are_the_same_word(one: str, other: str, same: bool) -> None:
    assert same_stem(one, other) is same


@given(st.text(max_size=60))
def test_any_text_has_a_vector_of_length_one(text: str) -> None:
    vector = encoder().encode([text])[0]
    assert vector.shape == (896,)
    assert np.isfinite(vector).all()
    assert abs(float(np.linalg.norm(vector)) - 1) < 0.01


def test_a_vector_does_not_depend_on_what_is_encoded_beside_it() -> None:
    texts = [
        "send money",
        "I would like to book a table for four people on Friday evening, please",
        "¿qué saldo tengo?",
    ]
    together = encoder().encode(texts)
    apart = np.concatenate([encoder().encode([text]) for text in texts])
    assert np.allclose(together, apart, atol=1e-4)


def test_a_message_is_encoded_once_in_whatever_language_it_is_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[str] = []
    plain = Encoder.encode

    def counted(self: Encoder, texts: Sequence[str]) -> Vectors:
        encoded.extend(texts)
        return plain(self, texts)

    monkeypatch.setattr(Encoder, "encode", counted)
    text = "a sentence that nobody has asked about"
    english = vector(text, "en")
    assert np.array_equal(vector(text), english)
    assert not np.array_equal(vector(text, "es"), english)
    assert encoded == [text]


@given(st.text(max_size=40))
def test_folding_keeps_every_letter_in_its_place(text: str) -> None:
    folded = fold(text)
    assert len(folded) == len(text)
    assert fold(folded) == folded
    assert fold("Ñandú, l’Été ﬁn") == "nandu, l'ete ﬁn"


@pytest.mark.parametrize(
    ("text", "reading", "answer"),
    [
        ("yes", EN, True), ("Yes, thanks. What's their phone number?", EN, True), ("yep that works for me", EN, True),
        ("sí, claro", ES, True), ("perfecto, adelante", ES, True), ("venga", ES, True), ("it sounds great", EN, True),
        ("Yes I would like that very much indeed", EN, None), ("no", EN, False), ("no thanks", EN, False),
        ("Not just yet.", EN, False), ("todavía no", ES, False), ("mejor no", ES, False),
        ("I don't want it", EN, False),
        ("yes but no", EN, None), ("maybe", EN, None), ("on the bus", EN, None), ("yes?", EN, None), ("no?", EN, False),
        ("sí, pero a María", ES, None), ("ok wait", EN, None), ("yes if it is free", EN, None), ("", EN, None),
    ],
)  # fmt: skip
def test_verdicts(text: str, reading: Reading, answer: bool | None) -> None:
    said = verdict(text, reading)
    assert (said.yes if said else None) is answer


def test_what_comes_after_a_yes_is_kept() -> None:
    said = verdict("yes, and then pay my bill", EN)
    assert said is not None
    assert (said.yes, said.rest, said.asks) == (True, "pay my bill", False)
    assert verdict("ok what is the fee?", EN) is None
    asks = verdict("Yes. What is my balance?", EN)
    assert asks is not None
    assert asks.asks


@pytest.mark.parametrize(
    ("said", "name"),
    [("mi sobrina Yamila", "Yamila"), ("my sister", "my sister"), ("Ana", "Ana"), ("the Smith family", "Smith family"),
     ("", "")],
)  # fmt: skip
def test_a_name_behind_what_somebody_is(said: str, name: str) -> None:
    assert without_relation(said, EN.words) == name


def test_clauses() -> None:
    assert cuts("show my balance and then send 50 to Omar", EN.words)[0] == ("show my balance", "send 50 to Omar")
    assert cuts("hello", EN.words) == []
    assert without_courtesies("oh wait, could you pay it please", EN.words) == "could you pay it"
    assert without_courtesies("please", EN.words) == "please"


def flows(**phrases: list[str]) -> SoniConfig:
    steps = [{"step": "s", "type": "say", "message": "x"}]
    return SoniConfig.model_validate(
        {"flows": {name: {"trigger": {"intents": said}, "steps": steps} for name, said in phrases.items()}}
    )


def test_flows_are_ranked_and_trusted_by_their_phrases() -> None:
    config = flows(
        feed=["feed the cat", "give the cat some food"],
        walk=["take the dog out", "walk the dog"],
        wash=["wash the car"],
    )
    scorer = FlowScorer(config.flows, config.slots)
    near = scorer.ranked("the cat is hungry, give it something to eat", list(config.flows))
    assert near[0].flow == "feed"
    assert confidence(near) > 0.5
    far = scorer.ranked("what is the capital of Peru", list(config.flows))
    assert confidence(far) < 0.3
    assert scorer.ranked("walk the dog", list(config.flows))[0].similar == 1.0
    assert [score.flow for score in scorer.ranked("walk the dog", ["feed"])] == ["feed"]
    assert scorer.ranked("?!", list(config.flows)) == []


def test_one_flow_or_none_is_no_reason_to_fail() -> None:
    one = flows(only=["do the thing"])
    assert FlowScorer(one.flows, one.slots).ranked("do the thing now", ["only"])[0].flow == "only"
    assert FlowScorer({}, {}).ranked("anything", []) == []


def test_words_that_another_language_has_are_read_as_others_and_kept_as_written() -> None:
    portuguese = replace(
        language("es"), spelling=replace(language("es").spelling, false_friends=Means(no="num", dos="de"))
    )
    said = without_false_friends("No Porto, na Rua dos Anjos, no, num 3o andar", portuguese)
    assert said.text == "num Porto, na Rua de Anjos, no, num 3o andar"
    assert said.as_written(said.text) == "No Porto, na Rua dos Anjos, no, num 3o andar"
    assert said.as_written("Rua de Anjos") == "Rua dos Anjos"
    assert said.as_written("3o andar") == "3o andar"
    assert without_false_friends("no", portuguese).text == "no"
