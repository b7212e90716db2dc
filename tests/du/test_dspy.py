"""SoniDU over DSPy's own scripted model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dspy.utils import DummyLM

from soni import RuntimeLoop, load_config
from soni.actions import discover_actions
from soni.core.commands import COMMANDS, StartFlow
from soni.du import SoniDU

BANKING = Path(__file__).parents[2] / "examples" / "banking" / "domain"


def answers(*replies: dict[str, Any]) -> DummyLM:
    return DummyLM([{name: json.dumps(value) for name, value in reply.items()} for reply in replies])


async def test_a_model_drives_a_conversation_by_commands_alone() -> None:
    model = answers(
        {"commands": [{"type": "start_flow", "flow": "transfer_funds"}]},
        {"found": [{"slot": "amount", "value": "50 euros"}, {"slot": "made_up", "value": "x"}]},
        {"commands": [{"type": "set_slot", "slot": "recipient", "value": "Ana"}]},
        {"commands": [{"type": "set_slot", "slot": "transfer_confirmed", "value": True}]},
        {"commands": [{"type": "affirm_confirmation"}]},
    )
    config = load_config(BANKING)
    async with RuntimeLoop(config, actions=discover_actions(BANKING), understanding=SoniDU(model)) as loop:
        turn = await loop.run_turn("I'd like to wire fifty euros", user_id="dspy")
        assert turn.commands[0] == StartFlow(flow="transfer_funds")
        assert turn.text == "Hello, this is your bank's assistant.\nWho should receive it?"
        assert (await loop.process_message("my friend Ana", user_id="dspy")).startswith("Send €50.00 to Ana")
        assert (await loop.process_message("just do it", user_id="dspy")).startswith("Send €50.00 to Ana")
        assert "Done." in await loop.process_message("yes", user_id="dspy")


async def test_the_prompt_names_every_registered_command_and_the_flows() -> None:
    model = answers({"commands": [{"type": "out_of_scope"}]})
    async with RuntimeLoop(
        load_config(BANKING), actions=discover_actions(BANKING), understanding=SoniDU(model)
    ) as loop:
        await loop.process_message("what is the meaning of life?", user_id="dspy")
    prompt = str(model.history[-1]["messages"])
    assert all((name in prompt) == kind.spoken for name, kind in COMMANDS.items())
    assert "transfer_funds: Send money to another person" in prompt
    assert "security_check" not in prompt


async def test_a_secret_is_never_sent_to_the_model() -> None:
    model = answers({"commands": [{"type": "start_flow", "flow": "transfer_funds"}]}, {"found": []})
    config = load_config(BANKING)
    async with RuntimeLoop(config, actions=discover_actions(BANKING), understanding=SoniDU(model)) as loop:
        await loop.process_message("send money", user_id="secretive")
        calls = len(model.history)
        scripted = SoniDU(model)
        from soni.core.pending_task import collect
        from tests.contracts.test_understandings import context

        understood = await scripted.understand("123456", context(collect("Code?", "code"), config))
    assert understood.commands[0].dump() == {"type": "set_slot", "slot": "code", "value": "123456"}
    assert len(model.history) == calls
