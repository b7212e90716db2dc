"""The desk: what a person needs who takes conversations over, and the tokens with which users talk."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Header, Request

from soni.server.access import LONGEST_TOKEN, VISITORS, sign
from soni.server.bodies import (
    HandoffOut,
    HandoffsOut,
    MessageName,
    MessageOut,
    PersonIn,
    TokenIn,
    TokenOut,
    TurnOut,
)
from soni.server.conversations import answer
from soni.server.problems import HttpProblem
from soni.server.service import Agent, Application, AtTheDesk, TheService, client_of, fresh_name

router = APIRouter(prefix="/v1")

_VISIT = LONGEST_TOKEN
_LARGEST_TOKEN = 6 * 1024
"""In characters: a browser sends it in one field of the head that opens a WebSocket, which has 8 KiB at most."""


def _nobody() -> bool:
    """Who speaks at the desk does not hear for the user: what is said comes to them when they listen or speak next."""
    return False


@router.get("/handoffs", tags=["desk"])
async def handoffs(caller: Agent, service: TheService) -> HandoffsOut:
    """The conversations that a person has, longest silent first; those with `waiting` want an answer."""
    prefix = caller.name_of("")
    waiting = await service.loop.handoffs(prefix=prefix)
    return HandoffsOut(
        conversations=[
            HandoffOut.model_validate({**one, "conversation": one["user_id"].removeprefix(prefix)}) for one in waiting
        ]
    )


@router.get("/conversations/{conversation}/handoff", tags=["desk"])
async def handoff(name: AtTheDesk, service: TheService) -> dict[str, Any]:
    """What the person who has this conversation is told, with all that was said."""
    packet = await service.loop.get_handoff(name)
    if packet is None:
        raise HttpProblem(404, "not-handed-over", "the assistant has this conversation, not a person")
    return {"conversation": name.partition("/")[2], **{key: packet[key] for key in packet if key != "user_id"}}


@router.post("/conversations/{conversation}/handoff/messages", tags=["desk"])
async def say(
    name: AtTheDesk,
    service: TheService,
    body: PersonIn,
    idempotency_key: Annotated[MessageName | None, Header()] = None,
) -> MessageOut:
    """Say something as the person who has the conversation."""
    message_id = body.message_id or idempotency_key or fresh_name()
    task = service.turns.begin(
        name, lambda: service.loop.say(name, body.text, message_id=message_id, is_awaited=_nobody)
    )
    return MessageOut.of(await service.turns.result(task, message_id))


@router.post("/conversations/{conversation}/handoff/return", tags=["desk"])
async def give_back(name: AtTheDesk, service: TheService) -> TurnOut:
    """Give the conversation back to the assistant, which says so and asks again what was open."""
    task = service.turns.begin(name, lambda: service.loop.return_to_assistant(name, is_awaited=_nobody))
    return answer(service, name, None, await service.turns.result(task))


@router.post("/tokens", tags=["access"])
async def token(caller: Application, service: TheService, body: TokenIn) -> TokenOut:
    """A token for one of the tenant's users, to be used by their browser or app instead of the key."""
    service.loop.check_slots(body.slots or ())
    secret = service.settings.secret_of(caller.tenant)
    signed = sign(secret, caller.tenant, body.conversation, seconds=body.expires_in, slots=body.slots)
    if len(signed) > _LARGEST_TOKEN:
        detail = f"the token would have {len(signed)} characters, and at most {_LARGEST_TOKEN} fit into a request"
        raise HttpProblem(422, "token-too-large", f"{detail}; give it fewer or shorter slots")
    return TokenOut(conversation=body.conversation, token=signed, expires_in=body.expires_in)


@router.post("/visitors", tags=["access"])
async def visitor(request: Request, service: TheService) -> TokenOut:
    """A conversation of one's own, for whoever opens the web page, where visitors are welcome."""
    settings = service.settings
    if settings.is_open:
        return TokenOut(conversation=fresh_name(), token=None)
    if not settings.visitors:
        raise HttpProblem(403, "no-visitors", "this assistant is for users whose application gives them a token")
    service.newcomers.count(client_of(request))
    name = fresh_name()
    return TokenOut(
        conversation=name,
        token=sign(settings.secret_of(VISITORS), VISITORS, name, seconds=_VISIT),
        expires_in=_VISIT,
    )
