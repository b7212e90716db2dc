"""What there is to say about the open question: why it is asked, what it means, and how its options differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soni.config.models import CollectStepConfig
from soni.dm.orchestrator.handler import asking_frame

if TYPE_CHECKING:
    from soni.core.state import DialogueState, FlowContext
    from soni.runtime.context import RuntimeContext

_TOPICS: dict[str | None, tuple[str, ...]] = {
    "why": ("why", "description"),
    "where": ("description", "why"),
    "meaning": ("description", "options"),
    "difference": ("options",),
}
"""Where the answer to each topic stands; of `why` and `description`, the first that the author has written."""


def explanations(topic: str | None, state: DialogueState, context: RuntimeContext) -> list[str]:
    """The texts that answer a question about the open question; none if the author has written nothing."""
    frame = asking_frame(state)
    if frame is None or frame["asked"] is None:
        return []
    step = context.config.runnable[frame["flow_name"]].plan[frame["asked"]["step"]].step
    if not isinstance(step, CollectStepConfig):
        return []
    # Each is looked up only where the topic asks for it.
    sources = {
        "why": lambda: why_needed(step, frame, state, context),
        "description": lambda: _description(step, state, context),
        "options": lambda: _options(step.slot, state, context),
    }
    wanted = _TOPICS.get(topic, ("why", "description", "options"))
    texts = [text for source in wanted if (text := sources[source]())]
    return texts[:1] if topic in ("why", "where") else texts


def why_needed(
    step: CollectStepConfig, frame: FlowContext, state: DialogueState, context: RuntimeContext
) -> str | None:
    """Why the author asks this; None if they do not say."""
    if step.why is None:
        return None
    slots = context.loaded(context.flow_manager.get_slots(state, frame["flow_id"]))
    return context.render(step.why, state, key=f"{state['turn']}/why", slots=slots)


def _description(step: CollectStepConfig, state: DialogueState, context: RuntimeContext) -> str | None:
    slot = context.config.slots[step.slot]
    if slot.description is None or (step.message is None and slot.message is None):
        return None  # the description is the question itself, which is asked again anyway
    what = slot.called(step.slot, context.language(state), context.config.settings.language).strip().rstrip("?.")
    key = f"{state['turn']}/explanation"
    return context.phrase("explanation", state, key=key, what=what[:1].upper() + what[1:])


def _options(slot: str, state: DialogueState, context: RuntimeContext) -> str | None:
    """Each option with its description, a line each; None if no option has one."""
    options = context.config.slots[slot].options
    if not any(option.description for option in options.values()):
        return None
    language, default = context.language(state), context.config.settings.language
    lines = []
    for value, option in options.items():
        label = context.label(slot, value, state)
        about = option.description.choose(language, default, slot).source if option.description else ""
        lines.append(f"- {label}: {about}" if about else f"- {label}")
    return "\n".join(lines)
