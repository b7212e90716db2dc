"""Where the graph goes after the orchestrator."""

from __future__ import annotations

from typing import Literal

from soni.core.state import DialogueState


async def route_after_orchestrator(state: DialogueState) -> Literal["pending_task", "end"]:
    """Back to the gate while something waits for the person, else to the end."""
    return "pending_task" if state.get("_pending_task") else "end"
