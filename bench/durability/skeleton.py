"""The same conversation on LangGraph alone: a gate, understand, an orchestrator, a subgraph for the flow, its savers.

Nothing of ours is in it: no journal, no lock, no ledger, no outbox, no corrections, no languages. Each superstep is
checkpointed before the next (`durability="sync"`), which is what LangGraph offers for not losing anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

WINDOW = 20


class State(TypedDict):
    """What the skeleton keeps."""

    user_message: str
    messages: list[dict[str, str]]
    commands: list[dict[str, Any]]
    slots: dict[str, Any]
    cursor: str | None
    pending: dict[str, Any] | None
    response: list[str]


def _meaning(text: str) -> dict[str, Any]:
    return {
        "send money": {"type": "start"},
        "100": {"type": "set", "slot": "amount", "value": "100"},
        "Ana": {"type": "set", "slot": "recipient", "value": "Ana"},
        "yes": {"type": "affirm"},
    }[text]


async def _gate(state: State) -> dict[str, Any]:
    if state["pending"] is None:
        return {}
    return {"user_message": interrupt(state["pending"])}


async def _understand(state: State) -> dict[str, Any]:
    return {"commands": [_meaning(state["user_message"])]}


def _ask(name: str, slot: str, question: str, following: str) -> Any:
    async def node(state: State) -> Command[str]:
        if state["slots"].get(slot) is None:
            prompt = question.format(**state["slots"])
            return Command(update={"pending": {"slot": slot, "prompt": prompt}, "cursor": name}, goto=END)
        return Command(update={"cursor": following}, goto=following)

    return node


async def _pay(state: State) -> Command[str]:
    return Command(update={"slots": {**state["slots"], "reference": "T1"}, "cursor": "done"}, goto="done")


async def _done(state: State) -> Command[str]:
    said = f"Done. Reference {state['slots']['reference']}."
    return Command(update={"response": [*state["response"], said], "cursor": None}, goto=END)


def _flow() -> Any:
    graph: StateGraph[State, Any] = StateGraph(State)
    graph.add_node("ask_amount", _ask("ask_amount", "amount", "How much?", "ask_recipient"))
    graph.add_node("ask_recipient", _ask("ask_recipient", "recipient", "To whom?", "review"))
    graph.add_node("review", _ask("review", "confirmed", "Send {amount} to {recipient}?", "pay"))
    graph.add_node("pay", _pay)
    graph.add_node("done", _done)
    graph.add_conditional_edges(START, lambda state: state["cursor"], ["ask_amount", "ask_recipient", "review", "pay"])
    return graph.compile(checkpointer=False)


def skeleton(saver: BaseCheckpointSaver[Any]) -> Any:
    """The graph."""
    flow = _flow()

    async def orchestrator(state: State) -> dict[str, Any]:
        after: dict[str, Any] = {**state, "pending": None, "response": []}
        for command in state["commands"]:
            if command["type"] == "start":
                after["slots"], after["cursor"] = {}, "ask_amount"
            elif command["type"] == "set":
                after["slots"] = {**after["slots"], command["slot"]: command["value"]}
            else:
                after["slots"] = {**after["slots"], "confirmed": True}
        # The flow has no checkpoints of its own; told to wait for them, LangGraph would look for one.
        async for update in flow.astream(after, stream_mode="updates", durability="async"):
            for changes in update.values():
                after |= changes
        said = [*after["response"], *([after["pending"]["prompt"]] if after["pending"] else [])]
        lines = [{"role": "user", "text": state["user_message"]}, *({"role": "bot", "text": text} for text in said)]
        return {**after, "response": said, "messages": [*state["messages"], *lines][-WINDOW:]}

    graph: StateGraph[State, Any] = StateGraph(State)
    graph.add_node("gate", _gate)
    graph.add_node("understand", _understand)
    graph.add_node("orchestrator", orchestrator)
    graph.add_edge(START, "gate")
    graph.add_edge("gate", "understand")
    graph.add_edge("understand", "orchestrator")
    graph.add_conditional_edges("orchestrator", lambda state: "gate" if state["pending"] else END, ["gate", END])
    return graph.compile(checkpointer=saver)


async def say(graph: Any, thread: str, text: str) -> list[str]:
    """One turn: a conversation that waits is resumed, another begins."""
    config = {"configurable": {"thread_id": thread}}
    state = await graph.aget_state(config)
    if state.interrupts:
        entry: Any = Command(resume=text)
    else:
        empty: dict[str, Any] = {
            "messages": [],
            "slots": {},
            "cursor": None,
            "pending": None,
            "response": [],
            "commands": [],
        }
        entry = {**empty, **state.values, "user_message": text}
    after = await graph.ainvoke(entry, config, durability="sync")
    said: list[str] = after["response"]
    return said
