"""What the flow manager needs to know of an assistant's flows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soni.config.models import ActionStepConfig, CollectStepConfig
from soni.flow.manager import FlowShape
from soni.flow.trail import Question

if TYPE_CHECKING:
    from soni.actions import Actions
    from soni.config.models import SoniConfig


def flow_shapes(config: SoniConfig, actions: Actions) -> dict[str, FlowShape]:
    """What the running flows are made of; what an action's signature names belongs to the flow that calls it."""
    shapes = {}
    for name, flow in config.runnable.items():
        steps = [placed.step for placed in flow.placed]
        calls = [step.call for step in steps if isinstance(step, ActionStepConfig)]
        arguments = {slot for call in calls for slot in actions.parameters(call)} & set(config.slots)
        questions = {
            placed.step.step: Question(placed.step.slot, placed.loops, placed.step.ask_always)
            for placed in flow.placed
            if isinstance(placed.step, CollectStepConfig) and config.may_keep(placed.step.slot)
        }
        shapes[name] = FlowShape(flow.first_step, flow.slot_names | arguments, questions)
    return shapes
