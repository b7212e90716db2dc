"""Talking over HTTP: messages as JSON or as events, and what is known of a conversation."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Header, Query, Request, Response

from soni.core.message_sink import Message, MessageSink
from soni.runtime.result import TurnResult
from soni.runtime.session import described
from soni.server.access import Caller
from soni.server.bodies import LineOut, MessageIn, MessageName, MessageOut, PendingOut, StartIn, TranscriptOut, TurnOut
from soni.server.problems import HttpProblem, problem_of
from soni.server.service import (
    Anybody,
    Heard,
    Inspected,
    Managed,
    Service,
    TalkedIn,
    Talker,
    TheService,
    check_known,
    fresh_name,
)
from soni.server.streams import BEAT, EventStream, event
from soni.server.turns import Waiting, outcome, too_long

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

router = APIRouter(prefix="/v1/conversations/{conversation}", tags=["conversations"])

_STREAM: dict[str, Any] = {"content": {"text/event-stream": {}}}


class QueueSink(MessageSink):
    """Puts what happens in a turn where its stream takes it from; None is the end."""

    def __init__(self) -> None:
        self.happened: asyncio.Queue[Message | str | None] = asyncio.Queue()

    async def send(self, message: Message) -> None:
        self.happened.put_nowait(message)

    async def accepted(self) -> None:
        self.happened.put_nowait("accepted")


def turn_of(
    service: Service,
    name: str,
    caller: Caller,
    body: MessageIn,
    message_id: str,
    sink: MessageSink | None,
    waiting: Waiting,
) -> asyncio.Task[TurnResult]:
    """Begin the turn of a message, in the name of whoever sent it."""
    slots = slots_of(caller, body.slots)
    service.messages.count(name)
    return service.turns.begin(
        name,
        lambda: service.loop.run_turn(
            body.text,
            user_id=name,
            sink=sink,
            message_id=message_id,
            payload=body.payload,
            slots=slots,
            seen=body.seen,
            is_awaited=lambda: waiting.is_there,
        ),
    )


def slots_of(caller: Caller, given: dict[str, Any] | None) -> dict[str, Any]:
    """What the host says about the user; a user's own word does not count."""
    if given and caller.is_user:
        raise HttpProblem(403, "needs-a-key", "only an API key can set slots; a token carries its own")
    return {**caller.slots, **(given or {})}


def answer(service: Service, name: str, message_id: str | None, result: TurnResult) -> TurnOut:
    """What came of a turn, for whoever asked."""
    return TurnOut.of(name, message_id, result, service.loop.config)


@router.post("/messages", responses={200: _STREAM})
async def post_message(
    name: TalkedIn,
    caller: Talker,
    service: TheService,
    request: Request,
    body: MessageIn,
    idempotency_key: Annotated[MessageName | None, Header()] = None,
) -> TurnOut:
    """Say something. The answer is JSON, or, with `Accept: text/event-stream`, each message as it comes.

    Send a `message_id` (or an Idempotency-Key header) and the request can be repeated safely, also after it was cut
    off: the message is processed once. A stream has the events `accepted`, `message`, and `done` or `error`.
    """
    message_id = body.message_id or idempotency_key or fresh_name()
    waiting = Waiting()
    sink = QueueSink() if accepts_events(request) else None
    task = turn_of(service, name, caller, body, message_id, sink, waiting)
    if sink is None:
        return answer(service, name, message_id, await service.turns.result(task, message_id, waiting))
    first = await first_of(service, sink, task, message_id, waiting)
    events = _as_events(service, name, message_id, sink, task, first)
    return EventStream(events, waiting=waiting)  # type: ignore[return-value]  # FastAPI takes a response as it is


async def first_of(
    service: Service, sink: QueueSink, task: asyncio.Task[TurnResult], message_id: str, waiting: Waiting
) -> Message | str | None:
    """The first thing that happens; if it is a failure, it is raised while there is still a status to tell it with."""
    task.add_done_callback(lambda _: sink.happened.put_nowait(None))
    limit = service.settings.turn_limit
    try:
        async with asyncio.timeout(limit):
            first = await sink.happened.get()
    except TimeoutError:
        waiting.is_there = False
        raise too_long(limit, message_id) from None
    if first is None:
        outcome(task, message_id)
    return first


async def happening(service: Service, sink: QueueSink, first: Message | str | None) -> AsyncGenerator[Message | str]:
    """What happens until the turn has ended, with a sign of life in silence."""
    one = first
    while one is not None:
        yield one
        try:
            async with asyncio.timeout(service.settings.beat):
                one = await sink.happened.get()
        except TimeoutError:
            one = "beat"


async def _as_events(
    service: Service,
    name: str,
    message_id: str,
    sink: QueueSink,
    task: asyncio.Task[TurnResult],
    first: Message | str | None,
) -> AsyncGenerator[str]:
    async for one in happening(service, sink, first):
        if isinstance(one, Message):
            yield message_event(one)
        elif one == "accepted":
            yield event("accepted", {"message_id": message_id})
        else:
            yield BEAT
    try:
        yield event("done", answer(service, name, message_id, outcome(task, message_id)).model_dump())
    except Exception as error:  # whatever it was, the client is told
        yield event("error", {**problem_of(error).to_json(), "message_id": message_id})


def message_event(message: Message) -> str:
    """A message as an event; its id is where a stream can be taken up again."""
    return event("message", MessageOut.of(message).model_dump(), message.id)


def accepts_events(request: Request) -> bool:
    """Whether the client wants a stream."""
    return "text/event-stream" in request.headers.get("accept", "").lower()


@router.post("/start")
async def start(name: TalkedIn, caller: Talker, service: TheService, body: StartIn | None = None) -> TurnOut:
    """Open a conversation before anything is said: a new one begins with the assistant's greeting."""
    slots = slots_of(caller, body.slots if body else None)
    service.messages.count(name)
    language = body.language if body else None
    task = service.turns.begin(name, lambda: service.loop.start(name, slots=slots, language=language))
    return answer(service, name, None, await service.turns.result(task))


@router.get("/events", responses={200: _STREAM}, response_class=EventStream, response_model=None)
async def events(
    name: Heard,
    caller: Anybody,
    service: TheService,
    after: Annotated[
        str | None, Query(max_length=1000, description="As Last-Event-ID, for whoever cannot send it.")
    ] = None,
    last_event_id: Annotated[str | None, Header()] = None,
) -> Response:
    """Everything the assistant says from now on, or after the message `Last-Event-ID`, as Server-Sent Events.

    Each `message` event carries the message's id. Without an id, everything that is kept comes first. A comment is
    sent in silence. The event `forgotten` ends the stream of a user who was forgotten. Any replica will do.
    """
    service.reads.count(name)
    header = None if last_event_id is None else last_event_id.encode("latin-1", "replace").decode("utf-8", "replace")
    followed = _followed(service, name, header or after or None)
    place = service.streams.one(name)
    return EventStream(followed, until=service.closing, place=place, seconds=caller.seconds_left)


async def _followed(service: Service, name: str, after: str | None) -> AsyncGenerator[str]:
    yield "retry: 1000\n\n"
    async with aclosing(service.loop.follow(name, after=after, beat=service.settings.beat)) as messages:
        async for message in messages:
            yield BEAT if message is None else message_event(message)
    yield event("forgotten", {})


@router.get("/transcript")
async def transcript(name: Heard, service: TheService) -> TranscriptOut:
    """What was said in the newest turns, by all sides; secrets are masked."""
    service.reads.count(name)
    await check_known(service, name)
    running = await service.loop.is_running(name)  # asked first: if nothing runs, nothing is missing from the lines
    lines = [LineOut.of(line) for line in await service.loop.lines(name)]
    state = await service.loop.get_state(name)
    return TranscriptOut(
        conversation=name.partition("/")[2],
        lines=lines,
        pending=PendingOut.of(state["_pending_task"], service.loop.config),
        with_person=state["person"] is not None,
        running=running,
    )


@router.get("/state")
async def state(name: Inspected, service: TheService) -> dict[str, Any]:
    """Where the conversation stands: flows, their steps and slots, what is waited for. Takes an API key."""
    return described(await service.loop.get_state(name), service.loop.config)


@router.get("/explain")
async def explain(
    name: Inspected,
    service: TheService,
    turn: Annotated[int | None, Query(ge=1, le=2**31 - 1, description="The last one, if left out.")] = None,
) -> dict[str, Any]:
    """Why a turn went as it did: what was understood, by whom, which steps ran and why. Takes an API key."""
    return (await service.loop.explain(name, turn)).to_json()


@router.post("/reset", status_code=204)
async def reset(name: TalkedIn, service: TheService) -> None:
    """Begin anew: flows and slots are forgotten, the transcript stays."""
    service.messages.count(name)
    await check_known(service, name)
    await service.turns.result(service.turns.begin(name, lambda: service.loop.reset(name)))


@router.delete("", status_code=204)
async def forget(name: Managed, service: TheService) -> None:
    """Erase everything that is stored about the user. Takes the tenant's or the operator's API key."""
    await service.turns.result(service.turns.begin(name, lambda: service.loop.forget(name)))
