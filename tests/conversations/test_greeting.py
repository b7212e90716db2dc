"""The two-turn greeting, as the first document about collecting wrote it."""

from __future__ import annotations

from langgraph.checkpoint.memory import MemorySaver

from soni.config.models import CollectStepConfig, FlowConfig, SayStepConfig, SoniConfig
from soni.runtime.loop import RuntimeLoop


async def test_collect_and_greet() -> None:
    config = SoniConfig(
        flows={
            "greet": FlowConfig(
                steps=[
                    CollectStepConfig(step="ask", slot="name", message="What is your name?"),
                    SayStepConfig(step="hello", message="Hello, {name}!"),
                ]
            )
        }
    )
    checkpointer = MemorySaver()

    async with RuntimeLoop(config, checkpointer=checkpointer) as runtime:
        response1 = await runtime.process_message("hi", user_id="test")
    assert "What is your name?" in response1

    async with RuntimeLoop(config, checkpointer=checkpointer) as runtime:
        response2 = await runtime.process_message("Alice", user_id="test")
    assert "Hello, Alice!" in response2
