"""What of a stored conversation still fits the assistant, which may have been edited since."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from soni.core.state import CONVERSATION, FlowContext
from soni.flow.memory import GONE, step_of

if TYPE_CHECKING:
    from soni.config.models import SoniConfig
    from soni.core.state import DialogueState, Memory
    from soni.flow.manager import FlowManager


def surviving(state: DialogueState, config: SoniConfig, manager: FlowManager) -> DialogueState:
    """The state without flows that stand at a step which is gone, and without values that no longer load.

    The very same object comes back when everything fits.
    """
    stack = state["flow_stack"]
    lost = {frame["flow_id"] for frame in stack if not _stands(frame, state, config)}
    gone = {other["flow_id"] for flow_id in lost for other in manager.chain_of(state, flow_id)}
    slots = {
        flow_id: {name: value for name, value in held.items() if _loads(name, value, config)}
        for flow_id, held in state["flow_slots"].items()
        if flow_id not in gone
    }
    if not gone and slots == state["flow_slots"]:
        return state
    kept = {flow_id: held for flow_id, held in slots.items() if held or flow_id != CONVERSATION}
    stack = [frame for frame in stack if frame["flow_id"] not in gone]
    roots = {frame["flow_id"] for frame in stack if not frame["path"]}
    chains = {root: chain for root, chain in state["chains"].items() if root in roots}
    return cast(
        "DialogueState", {**state, "flow_stack": stack, "flow_slots": kept, "chains": chains, "_pending_task": None}
    )


def _stands(frame: FlowContext, state: DialogueState, config: SoniConfig) -> bool:
    """Whether a flow can go on, and go back, as if nothing had happened."""
    if not FlowContext.__annotations__.keys() <= frame.keys():
        return False  # stored by a version that kept less
    flow = config.runnable.get(frame["flow_name"])
    if flow is None or frame["current_step"] not in flow.plan:
        return False
    if not frame["path"] and frame["flow_id"] not in state["chains"]:
        return False
    held = state["flow_slots"].get(frame["flow_id"], {})
    if not frame["path"]:
        chain = state["chains"][frame["flow_id"]]
        held = {**chain["given"], **held}
        if not _is_known(chain["memory"], config):
            return False
    return all(_loads(name, value, config) for name, value in held.items())


def _is_known(memory: Memory, config: SoniConfig) -> bool:
    """Whether what a flow knows, and those it called, still fits the steps and slots there are."""
    flow = config.runnable.get(memory["flow"])
    if flow is None:
        return False
    steps = [*memory["memo"], *memory["answers"], *memory["calls"]]
    for fact in memory["facts"].values():
        steps += [place for place in (fact["place"], fact["over"], *fact["answers"]) if place]
    facts = [(fact["slot"], fact["value"]) for fact in memory["facts"].values()]
    written = [(name, value) for entry in memory["memo"].values() for name, value in entry["writes"].items()]
    fits = all(_loads(name, value, config) for name, value in [*facts, *written] if value not in (None, GONE))
    steps_stand = all(step_of(place) in flow.plan for place in steps)
    return fits and steps_stand and all(_is_known(inner, config) for inner in memory["calls"].values())


def _loads(name: str, value: Any, config: SoniConfig) -> bool:
    if name not in config.slots:
        return False
    try:
        if config.slots[name].type == "choice":
            return value in config.slots[name].options
        config.slots[name].value_type.load(value)
    except (ValueError, TypeError, KeyError):
        return False
    return True
