"""orchestrator_node: commands change the flows, the flows run until they ask or end."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from soni.core import commands
from soni.core.message_sink import Message
from soni.core.state import WINDOW, DialogueState, Spoken
from soni.dm.orchestrator.command_processor import CommandProcessor
from soni.dm.orchestrator.executor import SubgraphExecutor
from soni.dm.orchestrator.task_handler import PendingTaskHandler, TaskAction
from soni.dm.privacy import found_secrets, is_private, masked
from soni.du.context import MASK
from soni.flow.delta import merge_delta
from soni.runtime.context import RuntimeContext


async def orchestrator_node(state: DialogueState, runtime: Runtime[RuntimeContext]) -> dict[str, Any]:
    """Apply the turn's commands, then run flows until one waits for the person or none is left."""
    context = runtime.context
    tasks, executor = PendingTaskHandler(context.turn), SubgraphExecutor(context)
    processor = CommandProcessor(context, executor, tasks)
    understood = [commands.load(command, context.commands) for command in state["commands"]]
    ready = await processor.process(understood, state)

    after, waiting, answered = ready, None, len(context.turn.messages)
    async for after in executor.execute(ready, processor.words, processor.offers):
        task = after["_pending_task"]
        if task is not None:
            # After anything else that was said, even a question that is known is asked again.
            is_quiet = processor.is_patient and len(context.turn.messages) == answered
            result = await tasks.handle(task, known=state["_pending_task"] if is_quiet else None)
            if result.action is TaskAction.INTERRUPT:
                waiting = result.task
    after = merge_delta(after, context.flow_manager.forget_answers(after))
    given = state["commands"]
    secrets = await found_secrets(state["user_message"], state, given, context.config, now=context.turn.now)
    private = context.turn.is_private or is_private(state["_pending_task"], given, context.config, secrets)
    text = MASK if private else secrets.masked(state["user_message"] or "")
    return {
        **after,
        "opened": True,
        "last_at": context.turn.at,
        "user_message": text,
        "payload": None,
        "commands": [masked(command) for command in given] if private else secrets.hidden(given),
        "trace": secrets.hidden(after["trace"]),
        "messages": _window(state["messages"], text, context.turn.messages),
        "response": "\n".join(message.text for message in context.turn.messages),
        "turn": context.turn.number,
        "_pending_task": waiting,
    }


def _window(before: list[Spoken], text: str, answers: list[Message]) -> list[Spoken]:
    """The last messages of both sides."""
    said: list[Spoken] = [{"role": "assistant", "text": message.text} for message in answers]
    heard: list[Spoken] = [{"role": "user", "text": text}] if text else []
    return [*before, *heard, *said][-WINDOW:]
