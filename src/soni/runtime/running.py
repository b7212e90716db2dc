"""TurnRunner: runs a turn that was accepted, from where the conversation stands to its end in the journal."""

from __future__ import annotations

import copy
import logging
import traceback
from dataclasses import astuple, dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from langgraph.types import Command as Resume

from soni.core.commands import Command, ReturnToAssistant
from soni.core.message_sink import Message
from soni.core.state import CONVERSATION
from soni.dm.privacy import found_secrets, is_private
from soni.du.context import MASK
from soni.errors import ConversationError, InvalidValue, did_you_mean
from soni.flow.delta import FlowDelta, merge_delta
from soni.runtime.context import RuntimeContext
from soni.runtime.result import TurnResult
from soni.runtime.session import begun_anew, packet, transcript, with_line
from soni.runtime.standing import Standing, standing, unasked
from soni.runtime.turn import Delivery, Turn
from soni.store.store import thread

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from soni.actions import Actions
    from soni.config.models import SoniConfig
    from soni.core.message_sink import MessageSink
    from soni.core.state import DialogueState, Spoken
    from soni.du.understanding import Understanding
    from soni.flow.manager import FlowManager
    from soni.runtime.rules import Rules
    from soni.store.journal import Journal
    from soni.store.records import Status, TurnRecord

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class TurnRunner:
    """What is the same for every turn of an assistant, and how a turn runs on it."""

    config: SoniConfig
    actions: Actions
    flow_manager: FlowManager
    subgraphs: Mapping[str, Any]
    command_handlers: Mapping[type[Command], Any]
    rules: Rules
    graph: Any
    offline: Callable[[], Understanding]
    person: MessageSink | None
    understanding: Understanding | None = None

    async def stand(self, journal: Journal, at: float) -> Standing:
        """The conversation as a turn at this time finds it."""
        user_id = journal.conversation
        checkpoint = await journal.held.saver.aget_tuple(thread(user_id, journal.checkpoint_id))
        return standing(
            user_id,
            checkpoint,
            config=self.config,
            manager=self.flow_manager,
            at=at,
            fingerprint=journal.fingerprint,
        )

    async def host_slots(
        self, found: Standing, slots: Mapping[str, Any], record: TurnRecord, journal: Journal
    ) -> dict[str, Any]:
        """The host's slots as they are stored; ConversationError if they cannot be."""
        context = self._context(Turn(record, journal, Delivery(None)))
        stored: dict[str, Any] = {}
        for name, value in slots.items():
            self.check_host_slot(name)
            try:
                given = {} if value is None else {name: value}
                stored |= {name: None, **await context.accept(found.state, given)}
            except InvalidValue as error:
                raise ConversationError(str(error)) from None
        return stored

    def check_host_slot(self, name: str) -> None:
        """ConversationError if a host cannot set the slot."""
        known = self.config.conversation_slots
        if name in known:
            return
        if name in self.config.slots:
            raise ConversationError(f"'{name}' is not a conversation-wide slot. Give it 'scope: conversation'.")
        there_are = f"There are {', '.join(sorted(known))}." if known else "This assistant has none."
        raise ConversationError(
            f"there is no conversation-wide slot '{name}'. {did_you_mean(name, known) or there_are}"
        )

    async def run(self, record: TurnRecord, journal: Journal, found: Standing, delivery: Delivery) -> TurnResult:
        """One attempt at the turn; whatever it raises, the conversation stands where it stood."""
        request = record.request
        given_back = request.kind == "return"
        said_first = (ReturnToAssistant(),) if given_back else found.commands
        if request.unheard and not _answers(request.payload, found):
            found = unasked(found)
        if request.language is not None and found.state["language"] is None:
            state = cast("DialogueState", {**found.state, "language": request.language})
            found = replace(found, state=state, is_stored=False)
        turn = Turn(record, journal, delivery, commands=said_first, notes=found.notes, is_private=found.is_private)
        if request.kind == "say":
            return await self._said(found, turn, journal, request.text or "")
        if found.state["person"] is not None and not given_back:
            return await self._passed_on(found, turn, journal, request.text or "", request.slots)
        if given_back:
            state = cast("DialogueState", {**found.state, "person": None})
            found = replace(found, state=state, is_stored=False)
        return await self._through_the_graph(found, turn, journal, record)

    async def _through_the_graph(self, found: Standing, turn: Turn, journal: Journal, record: TurnRecord) -> TurnResult:
        state, request, context = found.state, record.request, self._context(turn)
        slots = _with_slots(state, request.slots)
        if found.apology is not None:
            said = context.phrase(found.apology, state, key=str(turn.number))
            await turn.deliver(Message(turn.message_id(found.apology), "inform", said))
        if state["_pending_task"] is not None and found.is_stored:
            answer = {"text": request.text, "payload": request.payload, "flow_slots": slots, "carried": found.carried}
            entry: Any = Resume(resume=answer)
        else:
            entry = {**state, "flow_slots": slots, "user_message": request.text, "payload": request.payload}
        try:
            after = await self._bound(journal).ainvoke(entry, found.start, context=context, durability="exit")
        finally:
            turn.close()
        turn.ledger.check()
        known = context.commands
        return await self._ended(
            journal,
            turn,
            cast("DialogueState", after),
            text=after["user_message"] if request.text is not None else None,
            pending=after["_pending_task"],
            commands=[command for command in after["commands"] if known[command["type"]].spoken],
            trace=after["trace"],
        )

    async def _said(self, found: Standing, turn: Turn, journal: Journal, text: str) -> TurnResult:
        """What a person says instead of the assistant."""
        after = await self._noted(found, turn, journal, {"role": "person", "text": text}, "said by a person")
        await turn.deliver(Message(turn.message_id("person"), "person", text))
        return await self._ended(journal, turn, after, text=text, relay=False, trace=after["trace"])

    async def _passed_on(
        self, found: Standing, turn: Turn, journal: Journal, text: str, slots: dict[str, Any]
    ) -> TurnResult:
        """While a person has the conversation, messages are kept and go to them; no flow runs."""
        held = _with_slots(found.state, slots)
        text = (await found_secrets(text, found.state, [], self.config, now=turn.now)).masked(text)
        line: Spoken = {"role": "user", "text": text}
        after = await self._noted(found, turn, journal, line, "passed on to a person", flow_slots=held)
        result = await self._ended(journal, turn, after, text=text, relay=False, trace=after["trace"])
        await self._pass_on(Message(turn.message_id("user"), "user", text, data={"user_id": found.user_id}))
        return result

    async def _ended(
        self,
        journal: Journal,
        turn: Turn,
        after: DialogueState,
        *,
        text: str | None,
        relay: bool = True,
        **told: Any,
    ) -> TurnResult:
        """The end of a turn: checkpoint, journal, answer."""
        about = {"usage": astuple(turn.usage), "person": after["person"], "language": after["language"]}
        result = {**told, **about}
        await self._finish("done", journal, turn, text, after["commands"], result)
        answer = await self.answer(journal, turn.number, turn.messages, result)
        if relay:
            await self._hand_over(answer, turn)
        return answer

    async def _finish(
        self,
        status: Status,
        journal: Journal,
        turn: Turn,
        text: str | None,
        commands: list[dict[str, Any]],
        result: dict[str, Any],
    ) -> None:
        secrets = {name for name, slot in self.config.slots.items() if slot.sensitive}
        effects = {}
        for effect in journal.effects.values():
            held = (effect.result or {}).get("slots", {})
            if secrets & held.keys():
                shown = {slot: MASK if slot in secrets else value for slot, value in held.items()}
                effects[effect.key] = {"slots": shown}
        await journal.finish(
            status,
            text=text,
            commands=commands,
            result=result,
            effects=effects,
            checkpoint=journal.held.saver.taken(),
            fingerprint=self.config.fingerprint,
            heard=turn.is_heard,
        )

    async def _hand_over(self, answer: TurnResult, turn: Turn) -> None:
        if answer.handoff is not None:
            reason = answer.handoff["reason"] or ""
            await self._pass_on(Message(turn.message_id("handoff"), "handoff", reason, data=answer.handoff))

    async def answer(
        self, journal: Journal, number: int, messages: list[Message], result: dict[str, Any]
    ) -> TurnResult:
        """A turn's result, from what the journal keeps of it."""
        handoff = None
        if result.get("person"):
            lines = await transcript(journal.held, journal.conversation)
            handoff = packet(journal.conversation, result["language"], result["person"], lines)
        known = {kind.name: kind for kind in self.command_handlers}
        return TurnResult.of(number, messages, result, known, handoff)

    async def closed(
        self, record: TurnRecord, journal: Journal, found: Standing, delivery: Delivery, error: BaseException | None
    ) -> TurnResult:
        """Give a turn up: say so, and stay where the conversation stood.

        Where the turn may have done something that cannot be taken back, its flows are closed as well, so that
        nobody is asked to confirm it again, and a person is told if there is one.
        """
        journal.held.saver.taken()
        journal.unsay()
        turn = Turn(record, journal, delivery)
        state, context = found.state, self._context(turn)
        done = [effect for effect in journal.effects.values() if effect.status != "failed" and effect.kind != "pure"]
        person = None
        if done:
            # What can be done again without harm matters less than what cannot.
            grave = [effect for effect in done if effect.kind == "once"] or done
            unknown = any(effect.status in ("begun", "unknown") for effect in grave)
            alone = "" if self.config.settings.handoff else "_alone"
            phrase = "outcome_unknown" if unknown else f"failed_after_effect{alone}"
            person = context.handoff(state, f"a turn failed after '{grave[0].action}' was begun")
            after = {**begun_anew(state, self.config, keep=True), "opened": True, "person": person}
            after["messages"], after["turn"] = state["messages"], record.turn
            # No flow may get a name again under which something was done.
            after["flow_count"] = max(
                [state["flow_count"], *(_flow_number(effect.key) for effect in journal.effects.values())]
            )
            await self._bound(journal).aupdate_state(found.start, after, as_node="orchestrator")
        else:
            phrase = "error"
        said = context.phrase(phrase, state, key=str(turn.number))
        await turn.deliver(Message(turn.message_id("failed"), "inform", said))
        meant = (record.understood or {}).get("update", {}).get("commands", [])
        text = record.request.text
        secrets = await found_secrets(text, state, meant, self.config, now=turn.now)
        private = found.is_private or is_private(state["_pending_task"], meant, self.config, secrets)
        failure = "the process stopped each time" if error is None else secrets.masked(repr(error))
        for held in state["flow_slots"].values():
            for name, value in context.loaded(held).items():
                failure = failure.replace(str(value), MASK) if self.config.slots[name].sensitive else failure
        result = {
            "pending": None if done else state["_pending_task"],
            "error": type(error).__name__ if private and error else failure,
            "person": person,
            "language": state["language"],
        }
        # Without what was raised, which may hold values: only where.
        frames = "" if error is None else "".join(traceback.format_tb(error.__traceback__))
        logger.error(
            "turn %d is given up after %d attempts: %s\n%s", turn.number, record.attempts, result["error"], frames
        )
        shown = MASK if private else None if text is None else secrets.masked(text)
        await self._finish("failed", journal, turn, shown, [], result)
        answer = await self.answer(journal, turn.number, journal.said(""), result)
        await self._hand_over(answer, turn)
        return answer

    async def anew(self, journal: Journal, at: float) -> None:
        """Begin the conversation anew."""
        found = await self.stand(journal, at)
        fresh = {**begun_anew(found.state, self.config, keep=False), "language": None}
        await self._bound(journal).aupdate_state(thread(found.user_id), fresh, as_node="orchestrator")
        put = journal.held.saver.taken()
        assert put is not None, "an update puts a checkpoint"  # noqa: S101
        await journal.move(put, self.config.fingerprint, at)

    async def _noted(
        self, found: Standing, turn: Turn, journal: Journal, line: Spoken, event: str, **more: Any
    ) -> DialogueState:
        """Keep a line of the conversation without running the graph."""
        after = {
            **found.state,
            "messages": with_line(found.state, line),
            "turn": turn.number,
            "last_at": turn.at,
            "commands": [],
            "trace": [{"event": event}],
            **more,
        }
        await self._bound(journal).aupdate_state(found.start, after, as_node="orchestrator")
        return cast("DialogueState", after)

    def _bound(self, journal: Journal) -> Any:
        """The graph, on the checkpoints of one held conversation."""
        bound = copy.copy(self.graph)
        bound.checkpointer = journal.held.saver
        return bound

    async def _pass_on(self, message: Message) -> None:
        """Tell the person who has the conversation; it holds what was said, also if they cannot be reached."""
        await Delivery(self.person).send(message)

    def _context(self, turn: Turn) -> RuntimeContext:
        if self.understanding is None:
            raise ConversationError("open the loop first: async with RuntimeLoop(…) as loop")
        return RuntimeContext(
            config=self.config,
            flow_manager=self.flow_manager,
            actions=self.actions,
            understanding=self.understanding,
            offline=self.offline,
            subgraphs=self.subgraphs,
            command_handlers=self.command_handlers,
            rules=self.rules,
            turn=turn,
        )


def _answers(payload: dict[str, str] | None, found: Standing) -> bool:
    """Whether a button of the very question was pressed, which somebody must have seen."""
    task = found.state["_pending_task"]
    return payload is not None and task is not None and payload.get("task") == task.get("token")


def _flow_number(key: str) -> int:
    """The number in the name of a flow, from the key of a visit of one of its steps."""
    number = key.partition("/")[0].partition(">")[0].rpartition("#")[2]
    return int(number) if number.isdigit() else 0


def _with_slots(state: DialogueState, slots: dict[str, Any]) -> dict[str, dict[str, Any]]:
    if not slots:
        return state["flow_slots"]
    return merge_delta(state, FlowDelta(flow_slots={CONVERSATION: slots}))["flow_slots"]
