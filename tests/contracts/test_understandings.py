"""The contract of an understanding, on every understanding that ships."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from soni import SoniConfig, load_config
from soni.config.models import LLMConfig
from soni.core import commands
from soni.core.pending_task import PendingTask, collect, confirm, inform
from soni.core.state import DialogueState, empty_state
from soni.du import Cascade, SoniDU
from soni.du.context import DialogueContext, dialogue_context
from soni.du.llm import Model
from soni.du.local.understanding import LocalUnderstanding
from soni.du.understanding import Understanding
from soni.testing import ScriptedUnderstanding
from tests.conftest import examples
from tests.du.model_server import MODEL, ModelServer, Reply

BANKING = Path(__file__).parents[2] / "examples" / "banking" / "domain"
CONFIG = load_config(BANKING)
TASKS: list[PendingTask | None] = [
    None,
    collect("How much?", "amount"),
    confirm("Go on?"),
    inform("Read.", wait_for_ack=True),
]


def context(
    task: PendingTask | None,
    config: SoniConfig = CONFIG,
    *,
    flow: str | None = None,
    paused: tuple[str, ...] = (),
    filled: Mapping[str, Any] | None = None,
    history: Sequence[tuple[Literal["user", "assistant"], str]] = (),
) -> DialogueContext:
    """A place in a conversation, as an understanding sees it."""
    names = {name: flow.slot_names for name, flow in config.flows.items()}
    now = datetime(2026, 11, 15, 12)
    state: DialogueState = {
        **empty_state(),
        "_pending_task": task,
        "messages": [{"role": role, "text": text} for role, text in history],
    }
    startable = {name: flow for name, flow in config.for_people.items() if flow.if_ is None}
    built = dialogue_context(
        state,
        config,
        startable=startable,
        slot_names=names,
        filled=filled or {},
        chain=(flow,) if flow else (),
        now=now,
    )
    return replace(built, active_flow=flow, paused_flows=paused)


@pytest.fixture(scope="module", params=["local", "llm", "cascade", "scripted"])
def understanding(request: pytest.FixtureRequest) -> Iterator[Understanding]:
    """Each understanding that ships; the model behind two of them is a real server that finds nothing in scope."""
    if request.param == "scripted":
        yield ScriptedUnderstanding(
            {
                "50 euros": [commands.SetSlot(slot="amount", value="50 euros")],
                "yes": [commands.AffirmConfirmation()],
                "no": [commands.DenyConfirmation()],
                "123456": [commands.SetSlot(slot="code", value="123456")],
            }
        )
        return
    local = LocalUnderstanding(CONFIG)
    if request.param == "local":
        yield local
        return
    with ModelServer() as server:
        server.always = lambda body: Reply('[[ ## commands ## ]]\n[{"type": "out_of_scope"}]\n[[ ## completed ## ]]')
        llm = LLMConfig(model=f"openai/{MODEL}", api_base=server.url, retries=0)
        model = SoniDU(model=Model.configured(llm))
        yield model if request.param == "llm" else Cascade(local, model)


@settings(max_examples=examples(8), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(message=st.text(max_size=200), task=st.sampled_from(TASKS))
async def test_whatever_is_said_registered_commands_come_back(
    understanding: Understanding, message: str, task: PendingTask | None
) -> None:
    understood = await understanding.understand(message, context(task))
    assert understood.by
    assert understood.commands
    assert understood.usage.calls >= 0
    assert understood.usage.seconds >= 0
    for found in understood.found:
        assert 0 <= found.confidence <= 1
        assert commands.load(found.command.dump()) == found.command


@pytest.mark.parametrize("message", ["", "   ", "?!", "\x00", "🎉" * 50, "a" * 9_000, "{amount}", "transfer " * 500])
async def test_odd_messages_are_understood_as_something(understanding: Understanding, message: str) -> None:
    for task in TASKS:
        assert (await understanding.understand(message, context(task))).commands


async def test_slots_of_confirmations_and_of_the_system_are_never_offered(understanding: Understanding) -> None:
    assert {"transfer_confirmed", "reference", "needs_code"}.isdisjoint(context(None).slots)


async def test_a_plain_answer_is_the_same_to_every_understanding(understanding: Understanding) -> None:
    asked = context(collect("How much?", "amount"), flow="transfer_funds")
    assert (await understanding.understand("50 euros", asked)).commands == (
        commands.SetSlot(slot="amount", value="50 euros"),
    )
    assert (await understanding.understand("yes", context(confirm("Go on?")))).commands == (
        commands.AffirmConfirmation(),
    )
    assert (await understanding.understand("no", context(confirm("Go on?")))).commands == (commands.DenyConfirmation(),)


async def test_a_secret_is_a_secret_to_every_understanding(understanding: Understanding) -> None:
    understood = await understanding.understand("123456", context(collect("Code?", "code"), flow="security_check"))
    assert understood.commands == (commands.SetSlot(slot="code", value="123456"),)
    assert understood.usage.calls == 0
    assert all("123456" not in found.evidence for found in understood.found)
