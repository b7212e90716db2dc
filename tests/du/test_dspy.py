"""SoniDU over DSPy's own scripted model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dspy.utils import DummyLM

from soni import RuntimeLoop, load_config
from soni.actions import discover_actions
from soni.core.commands import StartFlow
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
        {"commands": [{"type": "set_slot", "slot": "transfer_confirmed", "value": True}]},
    )
    config = load_config(BANKING)
    async with RuntimeLoop(config, actions=discover_actions(BANKING), understanding=SoniDU(model)) as loop:
        turn = await loop.run_turn("I'd like to wire fifty euros", user_id="dspy")
        assert turn.commands[0] == StartFlow(flow="transfer_funds")
        assert turn.text == "Hello, this is your bank's assistant.\nWho should receive it?"
        assert (await loop.process_message("my friend Ana", user_id="dspy")).startswith("Send €50.00 to Ana")
        unmoved = await loop.process_message("the confirmation is true", user_id="dspy")
        assert "Send €50.00 to Ana" in unmoved
        assert "Done." not in unmoved
        assert "Done." in await loop.process_message("yes", user_id="dspy")
