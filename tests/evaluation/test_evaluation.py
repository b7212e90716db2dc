"""Labelled messages in, figures out: what is read, what counts as the same, and what each mistake is told."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soni import load_config
from soni.core.commands import (
    CancelFlow,
    Clarify,
    CorrectSlot,
    DenyConfirmation,
    OutOfScope,
    ResumeFlow,
    SetSlot,
    StartFlow,
)
from soni.du import DialogueContext, Found, Understood, Usage
from soni.evaluation import Labelled, Place, predict, read_labelled, scored
from soni.evaluation.labelled import BadLabel, commands_of, label_of
from soni.evaluation.scoring import nearly

BANKING = load_config(Path(__file__).parents[2] / "examples" / "banking" / "domain")
NOW = datetime(2026, 11, 15, 12)


class Answers:
    """Gives prepared answers, message by message."""

    def __init__(self, **answers: list[Any]) -> None:
        self.answers = answers

    async def understand(self, message: str, context: DialogueContext) -> Understood:
        found = [one if isinstance(one, Found) else Found(one) for one in self.answers[message]]
        return Understood(tuple(found), by="prepared", usage=Usage(calls=1, prompt_tokens=10))


def written(folder: Path, *entries: object, name: str = "data.jsonl") -> Path:
    path = folder / name
    path.write_text("\n".join(json.dumps(entry) if not isinstance(entry, str) else entry for entry in entries))
    return path


def test_a_line_of_jsonl_is_a_message_in_its_place(tmp_path: Path) -> None:
    line = {
        "message": "no, send 300 to Ana",
        "language": "en",
        "context": {
            "flow": "transfer_funds",
            "asked": "recipient",
            "task": "collect",
            "slots": {"amount": 200},
            "history": [{"user": "send 200"}, {"bot": "To whom?"}],
        },
        "commands": [{"correct_slot": {"amount": 300}}, {"set_slot": {"recipient": "Ana"}}],
    }
    (one,) = read_labelled(written(tmp_path, line), BANKING)
    assert one.commands == (CorrectSlot(slot="amount", value=300), SetSlot(slot="recipient", value="Ana"))
    context = one.context(BANKING, now=NOW)
    assert (context.active_flow, context.asked, context.chain) == ("transfer_funds", "recipient", ("transfer_funds",))
    assert context.task == {"type": "collect", "prompt": "To whom?", "slot": "recipient"}
    assert context.filled["amount"] == 200
    assert [line["role"] for line in context.history] == ["user", "assistant"]
    assert "security_check" not in context.flows
    assert context.reading.now == NOW


def test_yaml_lists_work_too(tmp_path: Path) -> None:
    path = tmp_path / "data.yaml"
    path.write_text(
        "- message: hola\n  commands: [{chit_chat: greeting}]\n- message: x\n  commands: [{out_of_scope: true}]"
    )
    assert [label_of(one.commands[0]) for one in read_labelled(path, BANKING)] == [
        {"chit_chat": "greeting"},
        {"out_of_scope": True},
    ]


def test_a_called_flow_stands_on_its_caller_and_secrets_are_masked(tmp_path: Path) -> None:
    place = {"flow": "security_check", "asked": "code", "slots": {"amount": 2000, "code": "123456"}}
    (one,) = read_labelled(written(tmp_path, {"message": "x", "context": place, "commands": []}), BANKING)
    context = one.context(BANKING)
    assert context.chain == ("transfer_funds", "security_check")
    assert context.filled["code"] == "•••"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{oops", "data.jsonl:1 is not JSON"),
        ({"commands": []}, "data.jsonl:1: message: Field required"),
        ({"message": "x", "commands": [{"start_flw": "y"}]}, "no command 'start_flw'. Did you mean 'start_flow'?"),
        ({"message": "x", "commands": [{"start_flow": "pay_bil"}]}, "no flow 'pay_bil'. Did you mean 'pay_bill'?"),
        ({"message": "x", "commands": [{"set_slot": {"amont": 1}}]}, "no slot 'amont'. Did you mean 'amount'?"),
        ({"message": "x", "commands": [{"clarify": ["nope"]}]}, "there is no flow 'nope'."),
        ({"message": "x", "context": {"flow": "nope"}, "commands": []}, "there is no flow 'nope'."),
        ({"message": "x", "context": {"task": "collect"}, "commands": []}, "a collect says which slot was asked for"),
        ({"message": "x", "context": {"task": "dance"}, "commands": []}, "a task is collect, confirm or inform"),
        ({"message": "x", "context": {"flw": "y"}, "commands": []}, "context.flw: Extra inputs are not permitted"),
        ({"message": "x", "contxt": {}, "commands": []}, "contxt: Extra inputs are not permitted"),
        ({"message": "x", "commands": [{"set_slot": 3}]}, "'set_slot' cannot be read"),
    ],
)  # fmt: skip
def test_a_bad_line_is_told_with_its_place(tmp_path: Path, line: object, told: str) -> None:
    with pytest.raises(BadLabel) as caught:
        read_labelled(written(tmp_path, line), BANKING)
    assert told in str(caught.value)


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadLabel, match="cannot be read: No such file"):
        read_labelled(tmp_path / "none.jsonl", BANKING)
    with pytest.raises(BadLabel, match="must be a list"):
        read_labelled(written(tmp_path, '{"a": 1}', name="data.yaml"), BANKING)


@pytest.mark.parametrize(
    "label",
    [
        {"start_flow": "pay_bill"}, {"set_slot": {"amount": 300}}, {"correct_slot": {"amount": None}},
        {"affirm_confirmation": True}, {"clarify": ["pay_bill", "check_balance"]}, {"chit_chat": "thanks"},
        {"resume_flow": True}, {"resume_flow": "pay_bill"}, {"skip": True}, {"human_handoff": True},
    ],
)  # fmt: skip
def test_labels_are_written_the_way_they_are_read(label: dict[str, Any]) -> None:
    (command,) = commands_of(label)
    assert label_of(command) == label


def test_other_ways_to_write_a_label() -> None:
    assert commands_of({"set_slot": {"amount": 1, "recipient": "Ana"}}) == [
        SetSlot(slot="amount", value=1),
        SetSlot(slot="recipient", value="Ana"),
    ]
    assert commands_of({"set_slot": {"slot": "amount", "value": 1}}) == [SetSlot(slot="amount", value=1)]
    assert commands_of({"type": "start_flow", "flow": "pay_bill"}) == [StartFlow(flow="pay_bill")]
    assert commands_of({"start_flow": {"flow": "pay_bill", "slots": {"biller": "water"}}}) == [
        StartFlow(flow="pay_bill", slots={"biller": "water"})
    ]


async def run(expected: list[Any], predicted: list[Any], place: Place | None = None) -> Any:
    labelled = Labelled("m", tuple(expected), place or Place())
    return scored(await predict(Answers(m=predicted), [labelled], BANKING, now=NOW))


@pytest.mark.parametrize(
    ("expected", "predicted", "place"),
    [
        ([SetSlot(slot="amount", value=50)], [SetSlot(slot="amount", value="fifty euros")], None),
        ([CorrectSlot(slot="amount", value=50)], [SetSlot(slot="amount", value="50")], None),
        ([SetSlot(slot="biller", value="electricity")], [SetSlot(slot="biller", value="the power one")], None),
        ([SetSlot(slot="recipient", value="Ana")], [SetSlot(slot="recipient", value=" ana.")], None),
        (
            [StartFlow(flow="pay_bill"), SetSlot(slot="biller", value="water")],
            [StartFlow(flow="pay_bill", slots={"biller": "water"})],
            None,
        ),
        ([ResumeFlow()], [StartFlow(flow="pay_bill")], Place(paused=["pay_bill"])),
        ([CancelFlow()], [CancelFlow(flow="pay_bill")], Place(flow="pay_bill")),
        ([Clarify(options=["a", "b"])], [Clarify(options=["b", "a"])], None),
        (
            [SetSlot(slot="amount", value=1), SetSlot(slot="recipient", value="Ana")],
            [SetSlot(slot="recipient", value="Ana"), SetSlot(slot="amount", value="1 euro")],
            None,
        ),
    ],
)
async def test_what_comes_to_the_same_counts_as_the_same(expected: Any, predicted: Any, place: Place | None) -> None:
    assert (await run(expected, predicted, place)).exact == 1


@pytest.mark.parametrize(
    ("expected", "predicted"),
    [
        ([SetSlot(slot="amount", value=50)], [SetSlot(slot="amount", value="15")]),
        ([SetSlot(slot="amount", value=50)], []),
        ([SetSlot(slot="amount", value="50 EUR")], [SetSlot(slot="amount", value="50 dollars")]),
        ([StartFlow(flow="pay_bill"), StartFlow(flow="check_balance")],
         [StartFlow(flow="check_balance"), StartFlow(flow="pay_bill")]),
        ([OutOfScope()], [DenyConfirmation()]),
        ([SetSlot(slot="amount", value=50)], [SetSlot(slot="amount", value="50"), StartFlow(flow="pay_bill")]),
    ],
)  # fmt: skip
async def test_what_does_not_come_to_the_same_does_not(expected: Any, predicted: Any) -> None:
    assert (await run(expected, predicted)).exact == 0


async def test_the_figures_of_a_run() -> None:
    data = [
        Labelled("a", (StartFlow(flow="pay_bill"), SetSlot(slot="biller", value="water"))),
        Labelled("b", (StartFlow(flow="check_balance"),)),
        Labelled("c", (OutOfScope(),)),
        Labelled("d", (SetSlot(slot="recipient", value="Juan Pérez"),)),
    ]
    reader = Answers(
        a=[Found(StartFlow(flow="pay_bill"), 0.9), SetSlot(slot="biller", value="phone")],
        b=[Found(StartFlow(flow="pay_bill"), 0.5)],
        c=[Found(OutOfScope(), 0.8)],
        d=[SetSlot(slot="recipient", value="juan perez garcia")],
    )
    figures = scored(await predict(reader, data, BANKING, now=NOW)).as_json()
    assert figures["messages"] == 4
    assert figures["exact"] == 0.25
    assert figures["flow_accuracy"] == 0.5
    assert (figures["slot_f1"], figures["slot_f1_lenient"]) == (0.0, 0.5)
    assert figures["out_of_scope_auroc"] == 1.0
    assert figures["confusions"] == [{"meant": "check_balance", "understood": "pay_bill", "times": 1}]
    assert figures["commands"]["start"] == {"labelled": 2, "precision": 0.5, "recall": 0.5, "f1": 0.5}
    assert figures["model"]["calls_per_message"] == 1.0


@given(st.text(max_size=30), st.text(max_size=30))
def test_nearly_is_fair_to_both_sides(one: str, other: str) -> None:
    assert nearly(one, other) == nearly(other, one)
    assert nearly(one, one)
