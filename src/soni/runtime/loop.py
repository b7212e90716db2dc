"""RuntimeLoop: an assistant that can be talked to."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from soni.actions import Actions
from soni.compiler.compiled_flows import CompiledFlows
from soni.config.check import check
from soni.config.loader import locate
from soni.dm.builder import build_orchestrator
from soni.dm.orchestrator.commands import handlers_by_command
from soni.du.configured import configured_understanding, offline_understanding
from soni.du.secrets import is_same
from soni.errors import ConfigError, ConversationBusy, MessageReused, NotHandedOver, StoreUnavailable
from soni.flow.manager import FlowManager
from soni.runtime.border import named, offered, readable
from soni.runtime.ledger import Diverged
from soni.runtime.report import TurnReport
from soni.runtime.rules import Rules
from soni.runtime.running import TurnRunner
from soni.runtime.shapes import world_of
from soni.runtime.stored import StoredConversations
from soni.runtime.sweeper import Sweeper
from soni.runtime.turn import Delivery
from soni.store import history
from soni.store.journal import Journal
from soni.store.records import Request, TurnRecord
from soni.store.sqlite import SqliteStore
from soni.telemetry import failed, span

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping
    from types import TracebackType

    from langgraph.checkpoint.base import BaseCheckpointSaver

    from soni.config.models import SoniConfig
    from soni.core.message_sink import Message, MessageSink
    from soni.core.pending_task import PendingTask
    from soni.dm.orchestrator.commands import CommandHandler
    from soni.du.understanding import Understanding
    from soni.runtime.result import TurnResult
    from soni.store import Store
    from soni.store.records import Kind

logger = logging.getLogger(__name__)

_orchestrator = cache(build_orchestrator)
"""The graph of one message, which is the same for every assistant."""
MOST_ATTEMPTS = 3
"""How often a turn is tried before it is given up."""


class RuntimeLoop(StoredConversations):
    """Runs turns of many conversations over one assistant.

    Use it as an async context manager. Conversations are kept in `store`, in memory if none is given; `checkpointer`
    is LangGraph's own, with the journal in memory. A message that comes while a turn of the same conversation is
    running, here or in another process on the same store, waits for it for up to `wait` seconds; different
    conversations do not wait for each other. A connection to the store that is lost in a turn is looked for again for
    `reconnect` seconds, or as long as `wait`. While the loop is open, turns that a process which is gone has left
    unfinished are finished, at once and every `recover_every` seconds, or only when asked for if that is None.
    `observe` is told of every turn that has ended.
    """

    def __init__(
        self,
        config: SoniConfig,
        *,
        actions: Actions | None = None,
        store: Store | None = None,
        checkpointer: BaseCheckpointSaver[Any] | None = None,
        understanding: Understanding | None = None,
        command_handlers: Iterable[CommandHandler[Any]] = (),
        person: MessageSink | None = None,
        clock: Callable[[], datetime] = datetime.now,
        wait: float = 30.0,
        reconnect: float | None = None,
        recover_every: float | None = 15.0,
        observe: Callable[[TurnReport], None] | None = None,
    ) -> None:
        if store is not None and checkpointer is not None:
            raise ValueError("a store has checkpoints of its own: give a store or a checkpointer, not both")
        actions = actions or Actions()
        problems = [problem for problem in check(config, actions) if problem.severity == "error"]
        if problems:
            raise ConfigError(locate(problems, config._source))
        super().__init__(store or SqliteStore(checkpointer=checkpointer), config)
        self._turns = TurnRunner(
            config=config,
            actions=actions,
            flow_manager=FlowManager(world_of(config, actions)),
            subgraphs=CompiledFlows(config.runnable),
            command_handlers=handlers_by_command([*actions.command_handlers, *command_handlers]),
            rules=Rules(config, actions),
            graph=_orchestrator(),
            offline=cache(lambda: offline_understanding(config)),
            person=person,
            understanding=understanding,
        )
        self._clock = clock
        self._wait = wait
        self._reconnect = wait if reconnect is None else reconnect
        self._recover_every = recover_every
        self._observe = observe
        self._sweeper = Sweeper(self.interrupted, self.recover)

    async def __aenter__(self) -> RuntimeLoop:
        if self._turns.understanding is None:
            self._turns.understanding = configured_understanding(self.config)
        if self._store.shared and self._recover_every is not None:
            self._sweeper.start(self._recover_every)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._sweeper.stop(self._wait)

    @property
    def has_recovered(self) -> bool:
        """Whether what others left unfinished has been looked after, if there could be any."""
        return self._sweeper.has_looked or not self._store.shared or self._recover_every is None

    async def process_message(
        self, text: str, *, user_id: str, sink: MessageSink | None = None, message_id: str | None = None
    ) -> str:
        """Run a turn and return the texts of its messages, the question included, a line each."""
        return (await self.run_turn(text, user_id=user_id, sink=sink, message_id=message_id)).text

    async def run_turn(
        self,
        text: str,
        *,
        user_id: str,
        sink: MessageSink | None = None,
        message_id: str | None = None,
        payload: Mapping[str, str] | None = None,
        slots: Mapping[str, Any] | None = None,
        seen: str | None = None,
        is_awaited: Callable[[], bool] | None = None,
    ) -> TurnResult:
        """Run a turn; a message that comes again under the same `message_id` gets the answer it got.

        `payload` is what a quick reply carries, `slots` are conversation-wide ones the host sets. `seen` is the id of
        the last message on this person's screen, where there may be several: a yes does not answer a confirmation
        that came after it. `is_awaited` is asked at the end whether anybody is still there to hear the answer; what
        nobody heard comes again with the next one.
        """
        chosen = None if payload is None else offered(payload)
        name = None if message_id is None else named(message_id)
        return await self._turn(
            user_id,
            "message",
            text=readable(text),
            payload=chosen,
            slots=slots,
            message_id=name,
            sink=sink,
            seen=seen,
            is_awaited=is_awaited,
        )

    async def start(
        self,
        user_id: str,
        *,
        sink: MessageSink | None = None,
        slots: Mapping[str, Any] | None = None,
        language: str | None = None,
    ) -> TurnResult:
        """Open a conversation before anything is said: a new one begins with its greeting flow, if it has one.

        `slots` are for that flow; like those of every turn, they have to be known. `language` is what the person is
        thought to speak, such as `es` or `es-MX`; if the assistant does not, it begins in its own.
        """
        return await self._turn(user_id, "start", slots=slots, sink=sink, language=language)

    def check_slots(self, names: Iterable[str]) -> None:
        """ConversationError if a host cannot set one of these slots."""
        for name in names:
            self._turns.check_host_slot(name)

    async def say(
        self,
        user_id: str,
        text: str,
        *,
        sink: MessageSink | None = None,
        message_id: str | None = None,
        is_awaited: Callable[[], bool] | None = None,
    ) -> Message:
        """Speak as the person who has the conversation; `sink` is where the user hears it."""
        name = None if message_id is None else named(message_id)
        said = await self._turn(user_id, "say", text=readable(text), message_id=name, sink=sink, is_awaited=is_awaited)
        return said.messages[-1]

    async def return_to_assistant(
        self, user_id: str, *, sink: MessageSink | None = None, is_awaited: Callable[[], bool] | None = None
    ) -> TurnResult:
        """Give the conversation back: the assistant says so, and asks again what was open."""
        return await self._turn(user_id, "return", sink=sink, is_awaited=is_awaited)

    async def reset(self, user_id: str) -> None:
        """Begin the conversation anew: flows and slots are forgotten."""
        async with self._journal(user_id) as journal:
            await journal.load()
            await self._finish_interrupted(journal)
            await self._turns.anew(journal, self._clock().timestamp())

    async def forget(self, user_id: str) -> None:
        """Erase everything that is stored about this user."""
        async with self._store.hold(user_id, wait=self._wait) as held:
            await held.erase()

    async def recover(self, user_id: str, *, force: bool = False) -> TurnResult | None:
        """Finish the turn of this user that was left unfinished, if there is one; ConversationBusy if it is running.

        With `force` it is taken from a process that does not answer any more, where the store can do that.
        """
        try:
            async with self._journal(user_id, wait=0.0) as journal:
                await journal.load()
                return await self._finish_interrupted(journal)
        except ConversationBusy:
            if not force or not await self._store.force(user_id):
                raise
        return await self.recover(user_id)

    async def recover_all(self) -> list[str]:
        """Finish every turn that nobody is going to finish; whose they were."""
        return await self._sweeper.finish_all()

    def _spoken(self, language: str | None) -> str | None:
        spoken = (language or "").lower().replace("_", "-").partition("-")[0]
        return spoken if spoken in self.config.languages else None

    @asynccontextmanager
    async def _journal(self, user_id: str, wait: float | None = None) -> AsyncIterator[Journal]:
        async with self._store.hold(user_id, wait=self._wait if wait is None else wait) as held:
            yield Journal(held)

    async def _turn(
        self,
        user_id: str,
        kind: Kind,
        *,
        sink: MessageSink | None,
        text: str | None = None,
        payload: dict[str, str] | None = None,
        slots: Mapping[str, Any] | None = None,
        message_id: str | None = None,
        seen: str | None = None,
        is_awaited: Callable[[], bool] | None = None,
        language: str | None = None,
    ) -> TurnResult:
        """Accept a turn and run it; if the connection to the store is lost, go on with another."""
        now = self._clock()
        name = message_id or uuid.uuid4().hex
        request = Request(kind, name, now, now.timestamp(), text, payload, language=self._spoken(language))
        delivery = Delivery(sink, is_awaited or (lambda: True))
        clock, pause = asyncio.get_running_loop().time, 0.05
        deadline: float | None = None
        before: Journal | None = None
        while True:
            try:
                async with self._journal(user_id) as journal:
                    await journal.load(request.message_id)
                    journal.remember(before)
                    before = journal
                    return await self._accepted(journal, request, slots or {}, seen, delivery)
            except StoreUnavailable as error:
                deadline = deadline or clock() + self._reconnect
                if not error.lost or clock() + pause > deadline:
                    raise
            await asyncio.sleep(pause)
            pause = min(pause * 2, 1.0)

    async def _accepted(
        self, journal: Journal, request: Request, slots: Mapping[str, Any], seen: str | None, delivery: Delivery
    ) -> TurnResult:
        if await self._finish_interrupted(journal) is not None:
            await journal.load(request.message_id)
        # What was said when nobody was there to hear it comes first.
        unheard = await journal.unheard(seen)
        for message in unheard:
            await delivery.send(message)
        recovered = tuple(unheard)
        if journal.known is not None:
            return await self._stored(journal, journal.known, request, recovered, delivery)
        found = await self._turns.stand(journal, request.at)
        number = max(found.state["turn"], journal.turn) + 1
        record = TurnRecord(number, request, self.config.fingerprint, None, 1, "open", None)
        given = await self._turns.host_slots(found, slots, record, journal)
        if request.kind in ("say", "return") and found.state["person"] is None:
            raise NotHandedOver(f"no person has the conversation of '{found.user_id}'; the assistant has it")
        if request.kind == "start" and not found.commands:
            state = found.state
            kept = {"pending": state["_pending_task"], "person": state["person"], "language": state["language"]}
            opened = await self._turns.answer(journal, state["turn"], [], kept)
            await journal.hear()
            return replace(opened, recovered=recovered)
        missed = _is_among(found.state["_pending_task"], unheard)
        record = await journal.claim(replace(request, slots=given, unheard=missed), number, self.config.fingerprint)
        await delivery.accepted()
        return replace(await self._finished(journal, record, delivery), recovered=recovered)

    async def _finish_interrupted(self, journal: Journal) -> TurnResult | None:
        """Finish the turn that was begun and not ended, with what was written down of it."""
        record, delivery = journal.unfinished, Delivery(None, lambda: False)
        if record is None:
            return None
        if record.attempts < MOST_ATTEMPTS:
            return await self._finished(journal, await journal.again(record), delivery)
        found = await self._turns.stand(journal, record.request.at)
        return await self._observed(journal, record, self._turns.closed(record, journal, found, delivery, None))

    async def _finished(self, journal: Journal, record: TurnRecord, delivery: Delivery) -> TurnResult:
        return await self._observed(journal, record, self._attempted(journal, record, delivery))

    async def _observed(
        self, journal: Journal, record: TurnRecord, work: Coroutine[Any, Any, TurnResult]
    ) -> TurnResult:
        """Do the work of a turn, and tell whoever wants to know."""
        began, kind, name = time.perf_counter(), record.request.kind, self.config.settings.name
        recovered = journal.unfinished is not None
        about = {"gen_ai.operation.name": "invoke_agent", "gen_ai.provider.name": "soni", "gen_ai.agent.name": name}
        with span(
            f"invoke_agent {name}", {**about, "gen_ai.conversation.id": journal.conversation, "soni.kind": kind}
        ) as current:
            result = await work
            current.set_attribute("soni.turn", result.turn)
            current.set_attribute("soni.recovered", recovered)
            current.set_attribute("gen_ai.usage.input_tokens", result.usage.prompt_tokens)
            current.set_attribute("gen_ai.usage.output_tokens", result.usage.completion_tokens)
            if result.error is not None:
                failed(current, "TurnFailed")
        if self._observe is not None:
            spent = journal.held.spent
            seconds = time.perf_counter() - began + spent.get("waiting", 0.0)
            report = TurnReport(journal.conversation, kind, result, record.attempts, recovered, seconds, spent)
            try:
                self._observe(report)
            except Exception:  # the turn has ended, and its answer is worth more than a figure
                logger.exception("turn %d could not be reported", result.turn)
        return result

    async def _attempted(self, journal: Journal, record: TurnRecord, delivery: Delivery) -> TurnResult:
        while True:
            found = await self._turns.stand(journal, record.request.at)
            try:
                return await self._turns.run(record, journal, found, delivery)
            except StoreUnavailable:
                raise
            except Diverged as error:
                return await self._turns.closed(record, journal, found, delivery, error)
            except Exception as error:  # the one place that ends a failed turn: say so, keep the conversation
                if not journal.is_open:
                    raise  # it has ended; only telling of it failed, and it must not be run again
                if record.attempts >= MOST_ATTEMPTS:
                    return await self._turns.closed(record, journal, found, delivery, error)
                logger.warning("turn %d failed (%s) and is tried again", record.turn, type(error).__name__)
            record = await journal.again(record)

    async def _stored(
        self,
        journal: Journal,
        known: TurnRecord,
        request: Request,
        recovered: tuple[Message, ...],
        delivery: Delivery,
    ) -> TurnResult:
        """The answer that a message got when it came first."""
        if known.request.kind != request.kind or not is_same(known.request.text, request.text):
            raise MessageReused(f"message '{request.message_id}' has been taken before, with another text")
        said = await history.messages_of(journal.held, journal.conversation, known.turn, known.turn)
        messages = [message for _, message in said]
        for message in messages:
            await delivery.send(message)
        await journal.hear()
        answer = await self._turns.answer(journal, known.turn, messages, known.result or {})
        return replace(answer, recovered=tuple(message for message in recovered if message not in messages))


def _is_among(task: PendingTask | None, messages: list[Message]) -> bool:
    """Whether the message that put a task before the person is one of these."""
    if task is None:
        return False
    return any(message.kind == task["type"] and message.text == task["prompt"] for message in messages)
