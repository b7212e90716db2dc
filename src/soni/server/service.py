"""Service: one assistant as it is served, and the way from a request to it."""

from __future__ import annotations

import asyncio
import logging
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Depends, Path, Security
from fastapi.security import HTTPBearer
from starlette.requests import HTTPConnection

from soni.server.access import CONVERSATION, LOCAL, Caller, verified
from soni.server.limits import Open, Rate
from soni.server.problems import HttpProblem
from soni.server.settings import ServerSettings
from soni.server.turns import Turns

if TYPE_CHECKING:
    from soni.runtime.loop import RuntimeLoop
    from soni.server.metrics import Metrics

logger = logging.getLogger(__name__)

_MOST_STREAMS = 8
_GUESSES = 30


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
            tenant = self.settings.keys.tenant(credential)
            known = Caller(tenant) if tenant is not None else verified(self.settings.signing, credential)
            if known is not None:
                return known
        if self.settings.is_open:
            return Caller(LOCAL)
        headers = {"WWW-Authenticate": "Bearer"}
        if credential is None:
            detail = "send an API key or a user's token: 'Authorization: Bearer …'"
            raise HttpProblem(401, "no-credential", detail, headers=headers)
        self.guesses.count(client_of(connection))
        raise HttpProblem(401, "bad-credential", "this key or token is not good, or not any more", headers=headers)


def client_of(connection: HTTPConnection) -> str:
    """The address a request comes from."""
    return connection.client.host if connection.client else "unknown"


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


async def _key_holder(caller: Annotated[Caller, Depends(_anybody)]) -> Caller:
    if caller.is_user:
        raise HttpProblem(403, "needs-a-key", "a user's token is not good for this; it takes an API key")
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


async def _mine(conversation: ConversationId, caller: Annotated[Caller, Depends(_anybody)]) -> str:
    return own(caller, conversation)


async def _theirs(conversation: ConversationId, caller: Annotated[Caller, Depends(_key_holder)]) -> str:
    return own(caller, conversation)


async def _known(name: Annotated[str, Depends(_theirs)], service: Annotated[Service, Depends(_service)]) -> str:
    await check_known(service, name)
    return name


async def check_known(service: Service, name: str) -> None:
    """HttpProblem 404 if there is no such conversation."""
    if not await service.loop.is_known(name):
        detail = f"there is no conversation '{name.partition('/')[2]}'"
        raise HttpProblem(404, "no-such-conversation", detail)


TheService = Annotated[Service, Depends(_service)]
Anybody = Annotated[Caller, Depends(_anybody)]
KeyHolder = Annotated[Caller, Depends(_key_holder)]
Mine = Annotated[str, Depends(_mine)]
"""The name of a conversation that the caller may talk in."""
Theirs = Annotated[str, Depends(_theirs)]
"""The name of a conversation that the caller, who has a key, may look into."""
Known = Annotated[str, Depends(_known)]
"""The same, of one that exists."""


def fresh_name() -> str:
    """A name that nobody can guess."""
    return uuid.uuid4().hex
