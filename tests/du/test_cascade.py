"""The cascade: offline first, the model only where that is unsure, and never for what leaves no doubt."""

from __future__ import annotations

import pytest

from soni.config.models import LLMConfig
from soni.core.commands import AffirmConfirmation, Clarify, OutOfScope, SetSlot, StartFlow
from soni.core.pending_task import collect, confirm
from soni.du import Cascade, DialogueContext, Found, Understood, Usage
from soni.du.configured import configured_understanding
from soni.du.local.understanding import LocalUnderstanding
from tests.contracts.test_understandings import CONFIG, context


class Counted:
    """An understanding that gives what it was made with, and counts."""

    def __init__(self, *found: Found, error: Exception | None = None) -> None:
        self.found, self.error, self.asked = found, error, 0

    async def understand(self, message: str, context: DialogueContext) -> Understood:
        self.asked += 1
        if self.error is not None:
            raise self.error
        return Understood(self.found, by="counted", usage=Usage(calls=1, prompt_tokens=100, seconds=0.5))


SURE = Found(StartFlow(flow="check_balance"), 0.95)
MODEL = Found(StartFlow(flow="transfer_funds"), 0.9)


async def test_a_sure_reading_costs_nothing() -> None:
    model = Counted(MODEL)
    understood = await Cascade(Counted(SURE), model).understand("what do I own", context(None))
    assert (understood.commands, understood.by, model.asked) == ((SURE.command,), "cascade: counted", 0)


@pytest.mark.parametrize(
    "unsure",
    [Found(StartFlow(flow="pay_bill"), 0.4), Found(OutOfScope(), 0.9), Found(Clarify(options=["pay_bill"]), 0.9)],
)
async def test_the_model_is_asked_where_the_first_is_unsure(unsure: Found) -> None:
    cascade = Cascade(Counted(unsure), Counted(MODEL))
    understood = await cascade.understand("put that thing through", context(None))
    assert (understood.commands, understood.by) == ((MODEL.command,), "cascade: counted")
    assert (understood.usage.calls, understood.usage.prompt_tokens) == (2, 200)
    assert (cascade.messages, cascade.asked) == (1, 1)


async def test_a_model_that_fails_leaves_what_was_understood_without_it() -> None:
    unsure = Found(StartFlow(flow="pay_bill"), 0.4)
    understood = await Cascade(Counted(unsure), Counted(error=ConnectionError("down"))).understand("x y", context(None))
    assert understood.commands == (unsure.command,)
    assert understood.by == "cascade: counted, the model failed"


@pytest.mark.parametrize(
    ("message", "task", "command"),
    [
        ("sí, adelante", confirm("¿Sigo?"), AffirmConfirmation()),
        ("50", collect("How much?", "amount"), SetSlot(slot="amount", value="50")),
        ("credit", collect("Which card?", "card"), SetSlot(slot="card", value="credit")),
        ("000000", collect("Code?", "code"), SetSlot(slot="code", value="000000")),
    ],
)
async def test_what_leaves_no_doubt_asks_nobody(message: str, task: object, command: object) -> None:
    first, model = Counted(SURE), Counted(MODEL)
    understood = await Cascade(first, model).understand(message, context(task))  # type: ignore[arg-type]  # a task
    assert understood.commands == (command,)
    assert (first.asked, model.asked, understood.by) == (0, 0, "shortcut")


@pytest.mark.parametrize(
    ("message", "task"),
    [
        ("yes?", confirm("Go on?")),
        ("sure?", confirm("Go on?")),
        ("50?", collect("How much?", "amount")),
        ("no la he perdido", collect("What happened?", "block_reason")),
    ],
)
async def test_what_leaves_a_doubt_is_no_shortcut(message: str, task: object) -> None:
    first = Counted(SURE)
    await Cascade(first, Counted(MODEL)).understand(message, context(task))  # type: ignore[arg-type]  # a task
    assert first.asked == 1


async def test_an_answer_in_any_words_is_not_worth_a_call() -> None:
    model = Counted(MODEL)
    cascade = Cascade(LocalUnderstanding(CONFIG), model)
    asked = context(collect("Where and when?", "incident"), flow="block_card", filled={"card": "debit"})
    understood = await cascade.understand("on the bus, yesterday", asked)
    assert understood.commands == (SetSlot(slot="incident", value="on the bus, yesterday"),)
    assert model.asked == 0


def test_settings_build_the_cascade() -> None:
    pytest.importorskip("dspy")
    told = {"understanding": "cascade", "llm": LLMConfig(model="openai/x")}
    config = CONFIG.model_copy(update={"settings": CONFIG.settings.model_copy(update=told)})
    assert isinstance(configured_understanding(config), Cascade)
    assert isinstance(configured_understanding(config, "local"), LocalUnderstanding)
