"""RuntimeLoop: an assistant that can be talked to."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakValueDictionary

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command as Resume

from soni.actions import Actions
from soni.compiler.subgraph import SubgraphBuilder
from soni.config.check import check
from soni.config.loader import locate
from soni.core import commands
from soni.core.commands import Command, ReturnToAssistant, StartSession
from soni.core.message_sink import Message
from soni.core.state import CONVERSATION, empty_state
from soni.dm.builder import build_orchestrator
from soni.dm.orchestrator.commands import handlers_by_command
from soni.du.configured import configured_understanding, offline_understanding
from soni.errors import ConfigError, ConversationError, InvalidValue, did_you_mean
from soni.flow.delta import FlowDelta, merge_delta
from soni.flow.manager import FlowManager
from soni.runtime.border import offered, readable
from soni.runtime.context import RuntimeContext
from soni.runtime.explanation import Explanation
from soni.runtime.result import TurnResult
from soni.runtime.session import begun_anew, is_over, packet, with_line
from soni.runtime.shapes import flow_shapes
from soni.runtime.survival import surviving
from soni.runtime.turn import Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from types import TracebackType

    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.types import StateSnapshot

    from soni.config.models import SoniConfig
    from soni.core.message_sink import MessageSink
    from soni.core.state import DialogueState, Spoken
    from soni.dm.orchestrator.commands import CommandHandler
    from soni.du.understanding import Understanding

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Conversation:
    """A conversation as a turn finds it."""

    user_id: str
    snapshot: StateSnapshot | None
    stored: DialogueState
    state: DialogueState
    now: datetime
    commands: tuple[Command, ...]
    """What the host says before the message."""
    apology: str | None
    """The text that tells why something is gone."""


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
        person: MessageSink | None = None,
        clock: Callable[[], datetime] = datetime.now,
    ) -> None:
        self.config = config
        self._actions = actions or Actions()
        problems = [problem for problem in check(config, self._actions) if problem.severity == "error"]
        if problems:
            raise ConfigError(locate(problems, config._source))
        self._handlers = handlers_by_command([*self._actions.command_handlers, *command_handlers])
        self._flow_manager = FlowManager(flow_shapes(config, self._actions), config.conversation_slots)
        self._checkpointer = checkpointer or InMemorySaver()
        self._understanding = understanding
        self._offline = cache(lambda: offline_understanding(config))
        self._person = person
        self._clock = clock
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        builder = SubgraphBuilder()
        self._subgraphs = {name: builder.compile(flow) for name, flow in config.runnable.items()}
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
        text = readable(text)
        chosen = None if payload is None else offered(payload)
        async with self._lock(user_id):
            conversation = await self._conversation(user_id)
            if conversation.state["person"] is not None:
                return await self._passed_on(text, conversation, slots or {})
            return await self._turn(conversation, text=text, payload=chosen, slots=slots or {}, sink=sink)

    async def start(
        self, user_id: str, *, sink: MessageSink | None = None, slots: Mapping[str, Any] | None = None
    ) -> TurnResult:
        """Open a conversation before anything is said: a new one begins with its greeting flow, if it has one.

        `slots` are for that flow; like those of every turn, they have to be known.
        """
        async with self._lock(user_id):
            conversation = await self._conversation(user_id)
            if not conversation.commands:
                state = conversation.state
                await self._with_host_slots(state, slots or {}, self._context(self._new_turn(conversation, sink)))
                return TurnResult(state["turn"], (), state["_pending_task"], (), (), handoff=packet(user_id, state))
            return await self._turn(conversation, text=None, payload=None, slots=slots or {}, sink=sink)

    async def say(self, user_id: str, text: str, *, sink: MessageSink | None = None) -> Message:
        """Speak as the person who has the conversation; `sink` is where the user hears it."""
        text = readable(text)
        async with self._lock(user_id):
            conversation = await self._conversation(user_id)
            _in_persons_hands(conversation)
            turn = self._new_turn(conversation, sink)
            message = Message(turn.message_id("person"), "person", text)
            await self._noted(conversation, turn, {"role": "person", "text": text}, "said by a person")
            await turn.deliver(message)
            return message

    async def return_to_assistant(self, user_id: str, *, sink: MessageSink | None = None) -> TurnResult:
        """Give the conversation back: the assistant says so, and asks again what was open."""
        async with self._lock(user_id):
            conversation = await self._conversation(user_id)
            _in_persons_hands(conversation)
            given_back = replace(
                conversation,
                state=cast("DialogueState", {**conversation.state, "person": None}),
                commands=(ReturnToAssistant(),),
            )
            return await self._turn(given_back, text=None, payload=None, slots={}, sink=sink)

    async def get_handoff(self, user_id: str) -> dict[str, Any] | None:
        """What the person who has this conversation is told, with all that was said; None if nobody has it."""
        return packet(user_id, await self.get_state(user_id))

    async def get_state(self, user_id: str) -> DialogueState:
        """The conversation as it stands after its last finished turn."""
        return _state_in(await self._last_finished(user_id))

    async def explain(self, user_id: str) -> Explanation:
        """Why the last finished turn went as it did."""
        return Explanation.of((await self.get_state(user_id))["trace"])

    async def reset(self, user_id: str) -> None:
        """Begin the conversation anew: flows and slots are forgotten."""
        async with self._lock(user_id):
            fresh = begun_anew(await self.get_state(user_id), self.config, keep=False)
            await self._checkpointer.adelete_thread(user_id)
            await self._graph.aupdate_state(_thread(user_id), {**fresh, "language": None}, as_node="orchestrator")

    async def forget(self, user_id: str) -> None:
        """Erase everything that is stored about this user."""
        async with self._lock(user_id):
            await self._checkpointer.adelete_thread(user_id)

    async def _conversation(self, user_id: str) -> _Conversation:
        """The conversation as the next turn finds it: what no longer fits is gone, a session that is over has ended."""
        snapshot = await self._last_finished(user_id)
        if snapshot is None:
            # The very first turn failed: there is nothing to go on from.
            await self._checkpointer.adelete_thread(user_id)
        stored = _state_in(snapshot)
        now = self._clock()
        state = surviving(stored, self.config, self._flow_manager)
        apology = "assistant_changed" if len(state["flow_stack"]) < len(stored["flow_stack"]) else None
        if is_over(state, self.config, now):
            apology = "timed_out" if state["flow_stack"] else None
            state = begun_anew(state, self.config, keep=True)
        greets = not state["opened"] and self.config.settings.start_flow is not None
        commands = (StartSession(),) if greets else ()
        return _Conversation(user_id, snapshot, stored, state, now, commands, apology)

    def _new_turn(self, conversation: _Conversation, sink: MessageSink | None) -> Turn:
        number = conversation.state["turn"] + 1
        user_id, now = conversation.user_id, conversation.now
        return Turn(number, user_id=user_id, now=now, sink=sink, commands=conversation.commands)

    async def _turn(
        self,
        conversation: _Conversation,
        *,
        text: str | None,
        payload: dict[str, str] | None,
        slots: Mapping[str, Any],
        sink: MessageSink | None,
    ) -> TurnResult:
        """One turn through the graph, from where the conversation stands."""
        state, snapshot = conversation.state, conversation.snapshot
        turn = self._new_turn(conversation, sink)
        context = self._context(turn)
        flow_slots = await self._with_host_slots(state, slots, context)
        if conversation.apology is not None:
            said = context.phrase(conversation.apology, state, key=str(turn.number))
            await turn.deliver(Message(turn.message_id(conversation.apology), "inform", said))
        start: RunnableConfig = snapshot.config if snapshot else _thread(conversation.user_id)
        if snapshot is not None and snapshot.interrupts and state is conversation.stored:
            answer = {"text": text, "payload": payload, "turn": turn.number, "flow_slots": flow_slots}
            entry: Any = Resume(resume=answer)
        else:
            entry = {**state, "flow_slots": flow_slots, "user_message": text, "payload": payload}
        try:
            after = await self._graph.ainvoke(entry, start, context=context, durability="exit")
        except Exception as error:  # the one place that ends a failed turn: say so, keep the conversation
            logger.exception("turn %d failed", turn.number)
            apology = context.phrase("error", state, key=str(turn.number))
            await turn.deliver(Message(turn.message_id("failed"), "inform", apology))
            return TurnResult(turn.number, tuple(turn.messages), state["_pending_task"], (), (), error=repr(error))
        finally:
            turn.close()
        meant = [commands.shown(command, context.commands) for command in after["commands"]]
        handoff = packet(conversation.user_id, cast("DialogueState", after))
        if handoff is not None:
            await self._relay(Message(turn.message_id("handoff"), "handoff", handoff["reason"] or "", data=handoff))
        return TurnResult(
            turn=turn.number,
            messages=tuple(turn.messages),
            pending=after["_pending_task"],
            commands=tuple(command for command in meant if command.spoken),
            trace=tuple(after["trace"]),
            usage=turn.usage,
            handoff=handoff,
        )

    async def _passed_on(self, text: str, conversation: _Conversation, slots: Mapping[str, Any]) -> TurnResult:
        """While a person has the conversation, messages are kept and go to them; no flow runs."""
        turn = self._new_turn(conversation, None)
        flow_slots = await self._with_host_slots(conversation.state, slots, self._context(turn))
        line: Spoken = {"role": "user", "text": text}
        after = await self._noted(conversation, turn, line, "passed on to a person", flow_slots=flow_slots)
        heard = Message(turn.message_id("user"), "user", text, data={"user_id": conversation.user_id})
        await self._relay(heard)
        return TurnResult(turn.number, (), None, (), (), handoff=packet(conversation.user_id, after))

    async def _relay(self, message: Message) -> None:
        if self._person is None:
            return
        try:
            await self._person.send(message)
        except (Exception, asyncio.CancelledError):  # the conversation holds what was said; the turn goes on
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            logger.warning("what was said could not be passed on to a person", exc_info=True)

    async def _noted(
        self, conversation: _Conversation, turn: Turn, line: Spoken, event: str, **more: Any
    ) -> DialogueState:
        """Keep a line of the conversation without running the graph."""
        state = conversation.state
        changes = {
            "messages": with_line(state, line),
            "turn": turn.number,
            "last_at": turn.now.timestamp(),
            "commands": [],
            "trace": [{"event": event}],
            **more,
        }
        start = conversation.snapshot.config if conversation.snapshot else _thread(conversation.user_id)
        after = {**state, **changes}
        await self._graph.aupdate_state(start, after, as_node="orchestrator")
        return cast("DialogueState", after)

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
            offline=self._offline,
            subgraphs=self._subgraphs,
            command_handlers=self._handlers,
            turn=turn,
        )


def _thread(user_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": user_id}}


def _state_in(snapshot: StateSnapshot | None) -> DialogueState:
    return cast("DialogueState", {**empty_state(), **(snapshot.values if snapshot else {})})


def _in_persons_hands(conversation: _Conversation) -> None:
    if conversation.state["person"] is None:
        raise ConversationError(f"no person has the conversation of '{conversation.user_id}'; the assistant has it")
