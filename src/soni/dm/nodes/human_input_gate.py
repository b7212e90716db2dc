"""human_input_gate: the only place where a conversation waits for a person."""

from __future__ import annotations

from typing import Any

from langgraph.types import interrupt

from soni.core.state import DialogueState


async def human_input_gate(state: DialogueState) -> dict[str, Any]:
    """Wait for the answer to the open task, if there is one; a new message is already in the state."""
    if state["_pending_task"] is None:
        return {}
    answer = interrupt(state["_pending_task"])
    heard = {"user_message": answer["text"], "payload": answer["payload"], "flow_slots": answer["flow_slots"]}
    return {**answer["carried"], **heard}
