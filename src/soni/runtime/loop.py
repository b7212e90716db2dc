"""RuntimeLoop: an assistant that can be talked to."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakValueDictionary

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command as Resume

from soni.actions import Actions
from soni.compiler.subgraph import SubgraphBuilder
from soni.config.check import check
from soni.config.loader import locate
from soni.config.models import ActionStepConfig
from soni.core import commands
from soni.core.message_sink import Message
from soni.core.state import CONVERSATION, empty_state
from soni.dm.builder import build_orchestrator
from soni.dm.orchestrator.commands import handlers_by_command
from soni.du.configured import configured_understanding
from soni.errors import ConfigError, ConversationError, InvalidValue, did_you_mean
from soni.flow.delta import FlowDelta, merge_delta
from soni.flow.manager import FlowManager, FlowShape
from soni.runtime.context import RuntimeContext
from soni.runtime.survival import surviving
from soni.runtime.turn import Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import TracebackType

    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.types import StateSnapshot

    from soni.config.models import SoniConfig
    from soni.core.commands import Command
    from soni.core.message_sink import MessageSink
    from soni.core.pending_task import PendingTask
    from soni.core.state import DialogueState
    from soni.dm.orchestrator.commands import CommandHandler
    from soni.du.understanding import Understanding

logger = logging.getLogger(__name__)

MOST_CHARACTERS = 10_000
"""The longest message a turn takes."""


@dataclass(frozen=True, slots=True)
class TurnResult:
    """What came of one message."""

    turn: int
    messages: tuple[Message, ...]
    pending: PendingTask | None
    commands: tuple[Command, ...]
    trace: tuple[dict[str, Any], ...]
    error: str | None = None
    """Why the turn could not be finished; the conversation then stands where it stood before."""

    @property
    def text(self) -> str:
        """The texts of the messages, a line each."""
        return "\n".join(message.text for message in self.messages)


class RuntimeLoop:
    """Runs turns of many conversations over one assistant.

    Use it as an async context manager. A message that comes while a turn of the same conversation is
    running waits for it; different conversations do not wait for each other.
    """

    def __init__(
        self,
        config: SoniConfig,
        *,
        actions: Actions | None = None,
        checkpointer: BaseCheckpointSaver[Any] | None = None,
        understanding: Understanding | None = None,
        command_handlers: Iterable[CommandHandler[Any]] = (),
        clock: Callable[[], datetime] = datetime.now,
    ) -> None:
        self.config = config
        self._actions = actions or Actions()
        problems = [problem for problem in check(config, self._actions) if problem.severity == "error"]
        if problems:
            raise ConfigError(locate(problems, config._source))
        self._handlers = handlers_by_command(command_handlers)
        self._flow_manager = FlowManager(_shapes(config, self._actions), config.conversation_slots)
        self._checkpointer = checkpointer or InMemorySaver()
        self._understanding = understanding
        self._clock = clock
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        builder = SubgraphBuilder()
        self._subgraphs = {name: builder.compile(flow) for name, flow in config.flows.items()}
        self._graph = build_orchestrator(self._checkpointer)

    async def __aenter__(self) -> RuntimeLoop:
        if self._understanding is None:
            self._understanding = configured_understanding(self.config)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    async def process_message(self, text: str, *, user_id: str, sink: MessageSink | None = None) -> str:
        """Run a turn and return the texts of its messages, the question included, a line each."""
        return (await self.run_turn(text, user_id=user_id, sink=sink)).text

    async def run_turn(
        self,
        text: str,
        *,
        user_id: str,
        sink: MessageSink | None = None,
        payload: Mapping[str, str] | None = None,
        slots: Mapping[str, Any] | None = None,
    ) -> TurnResult:
        """Run a turn; `payload` is what a quick reply carries, `slots` are conversation-wide ones the host sets."""
        text = _readable(text)
        chosen = None if payload is None else _offered(payload)
        async with self._lock(user_id):
            snapshot = await self._last_finished(user_id)
            if snapshot is None:
                # The very first turn failed: there is nothing to go on from.
                await self._checkpointer.adelete_thread(user_id)
            stored = _state_in(snapshot)
            state = surviving(stored, self.config, self._flow_manager)
            turn = Turn(state["turn"] + 1, user_id=user_id, now=self._clock(), sink=sink)
            context = self._context(turn)
            flow_slots = await self._with_host_slots(state, slots or {}, context)
            answer = {"text": text, "payload": chosen, "turn": turn.number, "flow_slots": flow_slots}
            if len(state["flow_stack"]) < len(stored["flow_stack"]):
                said = context.phrase("assistant_changed", state, key=str(turn.number))
                await turn.deliver(Message(turn.message_id("changed"), "inform", said))
            start: RunnableConfig = snapshot.config if snapshot else _thread(user_id)
            if snapshot is not None and snapshot.interrupts and state is stored:
                entry: Any = Resume(resume=answer)
            else:
                entry = {**state, "flow_slots": flow_slots, "user_message": text, "payload": chosen}
            try:
                after = await self._graph.ainvoke(entry, start, context=context, durability="exit")
            except Exception as error:  # the one place that ends a failed turn: say so, keep the conversation
                logger.exception("turn %d failed", turn.number)
                apology = context.phrase("error", state, key=str(turn.number))
                await turn.deliver(Message(turn.message_id("failed"), "inform", apology))
                return TurnResult(turn.number, tuple(turn.messages), state["_pending_task"], (), (), error=repr(error))
            finally:
                turn.close()
            return TurnResult(
                turn=turn.number,
                messages=tuple(turn.messages),
                pending=after["_pending_task"],
                commands=tuple(commands.load(command) for command in after["commands"]),
                trace=tuple(after["trace"]),
            )

    async def get_state(self, user_id: str) -> DialogueState:
        """The conversation as it stands after its last finished turn."""
        return _state_in(await self._last_finished(user_id))

    async def reset(self, user_id: str) -> None:
        """Begin the conversation anew: flows and slots are forgotten."""
        async with self._lock(user_id):
            await self._checkpointer.adelete_thread(user_id)

    async def forget(self, user_id: str) -> None:
        """Erase everything that is stored about this user."""
        await self.reset(user_id)

    def _lock(self, user_id: str) -> asyncio.Lock:
        if not user_id:
            raise ConversationError("a conversation needs a user_id")
        lock = self._locks.get(user_id)
        if lock is None:
            lock = self._locks[user_id] = asyncio.Lock()
        return lock

    async def _last_finished(self, user_id: str) -> StateSnapshot | None:
        """The newest checkpoint that waits at the gate or has ended; a turn that failed leaves others behind."""
        snapshot: StateSnapshot | None = await self._graph.aget_state(_thread(user_id))
        while snapshot is not None and snapshot.next and not snapshot.interrupts:
            parent = snapshot.parent_config
            snapshot = None if parent is None else await self._graph.aget_state(parent)
        return snapshot

    async def _with_host_slots(
        self, state: DialogueState, slots: Mapping[str, Any], context: RuntimeContext
    ) -> dict[str, dict[str, Any]]:
        stored: dict[str, Any] = {}
        for name, value in slots.items():
            if name not in self.config.conversation_slots:
                hint = did_you_mean(name, self.config.conversation_slots) or "Give it 'scope: conversation'."
                raise ConversationError(f"'{name}' is not a conversation-wide slot. {hint}")
            try:
                given = {} if value is None else {name: value}
                stored |= {name: None, **await context.accept(state, given, flow_id=CONVERSATION)}
            except InvalidValue as error:
                raise ConversationError(str(error)) from None
        if not stored:
            return state["flow_slots"]
        return merge_delta(state, FlowDelta(flow_slots={CONVERSATION: stored}))["flow_slots"]

    def _context(self, turn: Turn) -> RuntimeContext:
        if self._understanding is None:
            raise ConversationError("open the loop first: async with RuntimeLoop(…) as loop")
        return RuntimeContext(
            config=self.config,
            flow_manager=self._flow_manager,
            actions=self._actions,
            understanding=self._understanding,
            subgraphs=self._subgraphs,
            command_handlers=self._handlers,
            turn=turn,
        )


def _shapes(config: SoniConfig, actions: Actions) -> dict[str, FlowShape]:
    """What the running flows are made of; what an action's signature names belongs to the flow that calls it."""
    shapes = {}
    for name, flow in config.flows.items():
        calls = [placed.step.call for placed in flow.placed if isinstance(placed.step, ActionStepConfig)]
        arguments = {slot for call in calls for slot in actions.parameters(call)} & set(config.slots)
        shapes[name] = FlowShape(flow.first_step, flow.slot_names | arguments)
    return shapes


def _readable(text: object) -> str:
    if not isinstance(text, str):
        raise ConversationError(f"a message is text, not {type(text).__name__}")
    if len(text) > MOST_CHARACTERS:
        raise ConversationError(f"the message has {len(text)} characters; at most {MOST_CHARACTERS} are taken")
    # Halves of characters cannot be stored anywhere.
    return text.encode("utf-8", "replace").decode()


def _offered(payload: object) -> dict[str, str]:
    if not isinstance(payload, Mapping):
        raise ConversationError(f"a payload is the map that a quick reply carries, not {type(payload).__name__}")
    return {_readable(key): _readable(value) for key, value in payload.items()}


def _thread(user_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": user_id}}


def _state_in(snapshot: StateSnapshot | None) -> DialogueState:
    return cast("DialogueState", {**empty_state(), **(snapshot.values if snapshot else {})})
