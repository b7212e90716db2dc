"""Service: one assistant as it is served, and the way from a request to it."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Depends, Path, Security
from fastapi.security import HTTPBearer
from starlette.requests import HTTPConnection

from soni.server.access import CONVERSATION, LOCAL, Caller, Role, verified
from soni.server.limits import Open, Rate, Recent
from soni.server.problems import HttpProblem
from soni.server.settings import ServerSettings
from soni.server.turns import Turns

if TYPE_CHECKING:
    from soni.runtime.loop import RuntimeLoop
    from soni.server.metrics import Metrics

logger = logging.getLogger(__name__)

_MOST_STREAMS = 8
_GUESSES = 30
_LOOK_EVERY = 1.0
_CLIENT_BITS = 64
"""How much of an IPv6 address is its network: whoever has one address of it has all."""


@dataclass(slots=True)
class Service:
    """What the routes share."""

    loop: RuntimeLoop
    settings: ServerSettings
    metrics: Metrics
    turns: Turns
    is_warm: bool = False
    """Whether the understanding has been loaded."""
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    streams: Open = field(default_factory=lambda: Open(_MOST_STREAMS, "streams open"))
    database: Recent = field(default_factory=lambda: Recent(_LOOK_EVERY))
    """Whether conversations can be kept; each look writes, and whoever reaches the server may ask."""
    messages: Rate = field(init=False)
    reads: Rate = field(init=False)
    newcomers: Rate = field(init=False)
    guesses: Rate = field(init=False)

    def __post_init__(self) -> None:
        self.messages = Rate(self.settings.rate)
        self.reads = Rate(self.settings.rate * 5)
        self.newcomers = Rate(_GUESSES)
        self.guesses = Rate(_GUESSES)

    def caller(self, connection: HTTPConnection, credential: str | None) -> Caller:
        """Whose request it is; HttpProblem 401 if nobody's we know."""
        if credential is not None:
            known = self.settings.keys.caller(credential) or verified(credential, self.settings.secret_of)
            if known is not None and self.settings.knows(known.tenant):
                return known
        if self.settings.is_open:
            return Caller(LOCAL, Role.OPERATOR)
        headers = {"WWW-Authenticate": "Bearer"}
        if credential is None:
            detail = "send an API key or a user's token: 'Authorization: Bearer …'"
            raise HttpProblem(401, "no-credential", detail, headers=headers)
        self.guesses.count(client_of(connection))
        raise HttpProblem(401, "bad-credential", "this key or token is not good, or not any more", headers=headers)


def client_of(connection: HTTPConnection) -> str:
    """The address a request comes from; of IPv6 its network, since a client has all addresses of one."""
    host = connection.client.host if connection.client else "unknown"
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address):
        mapped = address.ipv4_mapped
        return str(mapped or ipaddress.IPv6Network((int(address), _CLIENT_BITS), strict=False))
    return host


def service_of(connection: HTTPConnection) -> Service:
    """The assistant that is served."""
    service: Service = connection.app.state.service
    return service


# Dependencies are coroutines, also where they await nothing: FastAPI runs the others in threads.
async def _service(connection: HTTPConnection) -> Service:
    return service_of(connection)


def bearer(connection: HTTPConnection) -> str | None:
    """The key or the token that a request carries in its header."""
    kind, _, credential = connection.headers.get("authorization", "").partition(" ")
    return credential.strip() or None if kind.lower() == "bearer" else None


async def _anybody(
    connection: HTTPConnection,
    service: Annotated[Service, Depends(_service)],
    _: Annotated[Any, Security(HTTPBearer(auto_error=False, description="An API key, or a user's token."))],
) -> Caller:
    return service.caller(connection, bearer(connection))


def check_role(caller: Caller, *roles: Role) -> None:
    """HttpProblem 403 if the caller has no key, or one with another role."""
    if caller.role is None:
        raise HttpProblem(403, "needs-a-key", "a user's token is not good for this; it takes an API key")
    if caller.role not in roles:
        wanted = " or ".join(f"'{role}'" for role in roles)
        detail = (
            f"this takes an API key with the role {wanted}, and this key has the role '{caller.role}'; "
            f"'soni key {caller.tenant} --role {roles[0]}' makes one"
        )
        raise HttpProblem(403, "wrong-role", detail)


def check_may_talk(caller: Caller) -> None:
    """HttpProblem 403 for the desk: it does not speak as the user."""
    if not caller.is_user:
        check_role(caller, Role.TENANT, Role.OPERATOR)


async def _talker(caller: Annotated[Caller, Depends(_anybody)]) -> Caller:
    check_may_talk(caller)
    return caller


async def _key_holder(caller: Annotated[Caller, Depends(_anybody)]) -> Caller:
    check_role(caller, *Role)
    return caller


async def _application(caller: Annotated[Caller, Depends(_anybody)]) -> Caller:
    check_role(caller, Role.TENANT, Role.OPERATOR)
    return caller


async def _agent(caller: Annotated[Caller, Depends(_anybody)]) -> Caller:
    check_role(caller, Role.AGENT, Role.OPERATOR)
    return caller


async def _operator(caller: Annotated[Caller, Depends(_anybody)]) -> Caller:
    check_role(caller, Role.OPERATOR)
    return caller


def own(caller: Caller, conversation: str) -> str:
    """The conversation as the store knows it, if it is the caller's."""
    if caller.conversation not in (None, conversation):
        raise HttpProblem(403, "another-conversation", "this token is good for another conversation")
    return caller.name_of(conversation)


ConversationId = Annotated[
    str,
    Path(pattern=CONVERSATION, description="The conversation: whatever the tenant calls its user.", examples=["ana"]),
]


async def _talked_in(conversation: ConversationId, caller: Annotated[Caller, Depends(_talker)]) -> str:
    return own(caller, conversation)


async def _heard(conversation: ConversationId, caller: Annotated[Caller, Depends(_anybody)]) -> str:
    return own(caller, conversation)


async def _managed(conversation: ConversationId, caller: Annotated[Caller, Depends(_application)]) -> str:
    return own(caller, conversation)


async def _inspected(
    conversation: ConversationId,
    caller: Annotated[Caller, Depends(_key_holder)],
    service: Annotated[Service, Depends(_service)],
) -> str:
    return await _known(service, own(caller, conversation))


async def _at_the_desk(
    conversation: ConversationId,
    caller: Annotated[Caller, Depends(_agent)],
    service: Annotated[Service, Depends(_service)],
) -> str:
    return await _known(service, own(caller, conversation))


async def _known(service: Service, name: str) -> str:
    await check_known(service, name)
    return name


async def check_known(service: Service, name: str) -> None:
    """HttpProblem 404 if there is no such conversation."""
    if not await service.loop.is_known(name):
        detail = f"there is no conversation '{name.partition('/')[2]}'"
        raise HttpProblem(404, "no-such-conversation", detail)


TheService = Annotated[Service, Depends(_service)]
Anybody = Annotated[Caller, Depends(_anybody)]
Talker = Annotated[Caller, Depends(_talker)]
"""A user, or the tenant's application, which talks for its users."""
Application = Annotated[Caller, Depends(_application)]
Agent = Annotated[Caller, Depends(_agent)]
Operator = Annotated[Caller, Depends(_operator)]
TalkedIn = Annotated[str, Depends(_talked_in)]
"""The name of a conversation that the caller may talk in."""
Heard = Annotated[str, Depends(_heard)]
"""The name of a conversation that the caller may read."""
Managed = Annotated[str, Depends(_managed)]
"""The name of a conversation that the caller, the tenant's application, may erase."""
Inspected = Annotated[str, Depends(_inspected)]
"""The name of a conversation that exists, and that the caller, who has a key, may look into."""
AtTheDesk = Annotated[str, Depends(_at_the_desk)]
"""The name of a conversation that exists, and that the caller, an agent, may take part in."""


def fresh_name() -> str:
    """A name that nobody can guess."""
    return uuid.uuid4().hex
