"""build_orchestrator: gate, understand, orchestrator, and back to the gate while something is open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from langgraph.graph import END, START, StateGraph

from soni.core.state import DialogueState
from soni.dm.nodes.human_input_gate import human_input_gate
from soni.dm.nodes.orchestrator import orchestrator_node
from soni.dm.nodes.understand import understand
from soni.dm.routing import route_after_orchestrator
from soni.runtime.context import RuntimeContext

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.graph.state import CompiledStateGraph


def build_orchestrator(
    checkpointer: BaseCheckpointSaver[Any] | None = None,
) -> CompiledStateGraph[DialogueState, RuntimeContext, DialogueState, DialogueState]:
    """The graph of one message; what it works with comes in each turn as its context."""
    graph = StateGraph(DialogueState, context_schema=RuntimeContext)
    graph.add_node("human_input_gate", human_input_gate)
    graph.add_node("understand", understand)
    graph.add_node("orchestrator", orchestrator_node)
    graph.add_edge(START, "human_input_gate")
    graph.add_edge("human_input_gate", "understand")
    graph.add_edge("understand", "orchestrator")
    graph.add_conditional_edges(
        "orchestrator", route_after_orchestrator, {"pending_task": "human_input_gate", "end": END}
    )
    return graph.compile(checkpointer=checkpointer)
