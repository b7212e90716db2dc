"""What of a stored conversation still fits the assistant, which may have been edited since."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from soni.core.state import CONVERSATION, FlowContext

if TYPE_CHECKING:
    from soni.config.models import SoniConfig
    from soni.core.state import DialogueState, Passed
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
    return cast("DialogueState", {**state, "flow_stack": stack, "flow_slots": kept, "_pending_task": None})


def _stands(frame: FlowContext, state: DialogueState, config: SoniConfig) -> bool:
    """Whether a flow can go on, and go back, as if nothing had happened."""
    if not FlowContext.__annotations__.keys() <= frame.keys():
        return False  # stored by a version that kept less
    flow = config.runnable.get(frame["flow_name"])
    if flow is None or frame["current_step"] not in flow.plan:
        return False
    held = [*state["flow_slots"].get(frame["flow_id"], {}).items()]
    gone_over = [*frame["trail"], *frame["ahead"]]
    if not all(_inner_stands(passed, config) for passed in gone_over):
        return False
    for passed in gone_over:
        overruled = [(name, value) for name, (value, _) in passed["overruled"].items()]
        entries = (*passed["wrote"].items(), *passed["left"].items(), *overruled)
        held += [entry for entry in entries if entry[1] is not None]
    known = all(passed["step"] in flow.plan for passed in gone_over)
    return known and all(_loads(name, value, config) for name, value in held)


def _inner_stands(passed: Passed, config: SoniConfig) -> bool:
    """Whether a called flow, as it was gone through, is still there to be gone through again."""
    inner = passed["inner"]
    if inner is None:
        return True
    flow = config.runnable.get(inner["flow"])
    return flow is not None and all(
        entry["step"] in flow.plan
        and all(_loads(name, value, config) for name, value in entry["left"].items() if value is not None)
        and _inner_stands(entry, config)
        for entry in inner["trail"]
    )


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
