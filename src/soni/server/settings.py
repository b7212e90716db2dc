"""ServerSettings: where an assistant is served, to whom, and how much of it."""

from __future__ import annotations

import ipaddress
import re
import secrets
from dataclasses import dataclass, field

from soni.errors import ConfigError, Problem
from soni.server.access import LOCAL, VISITORS, Keys, check_secret, tenant_secret

_ORIGIN = re.compile(r"https?://[^/?#\s]+")


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """What belongs to a place where an assistant runs, and not to the assistant."""

    host: str = "127.0.0.1"
    port: int = 8000
    keys: Keys = field(default_factory=Keys)
    """Who may use it. Without any, only this machine may, and may do everything."""
    secret: str | None = field(default=None, repr=False)
    """What the secrets of tenants are derived from; the same in every replica. Without it, one is made up at start."""
    origins: tuple[str, ...] = ()
    """The web sites that may talk to it from a browser, besides its own; * for all."""
    visitors: bool = False
    """Whether anybody who opens the web page may talk, each in a conversation of their own."""
    turns: int = 32
    """How many turns may run at once."""
    waiting: int = 1000
    """How many may wait for one of these."""
    rate: int = 60
    """How many messages a conversation may send in a minute."""
    largest_body: int = 1024 * 1024
    """In bytes: some clients send the whole history along with each message."""
    turn_limit: float = 60.0
    """How many seconds a request waits for its turn; the turn goes on all the same."""
    grace: float = 30.0
    """How many seconds turns have to end when the server is asked to stop."""
    beat: float = 15.0
    """How many seconds of silence pass in a stream before a sign of life."""

    def __post_init__(self) -> None:
        if not self.keys and not self.is_loopback:
            raise _unusable(
                f"'{self.host}' can be reached from elsewhere, and there are no keys.",
                "Make one with 'soni key TENANT' and put its line into SONI_API_KEYS, or serve on 127.0.0.1.",
            )
        if self.secret is not None:
            check_secret(self.secret)
        if not self.keys and "*" in self.origins:
            raise _unusable(
                "every web site could use a server without keys.",
                "Name the sites (--origin https://www.example.com), or make keys with 'soni key TENANT'.",
            )
        for origin in self.origins:
            if origin != "*" and not _ORIGIN.fullmatch(origin):
                raise _unusable(
                    f"'{origin}' is no origin of a web page.", "Write, for example, https://www.example.com"
                )

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return is_loopback(self.host)

    @property
    def is_open(self) -> bool:
        """Whether whoever reaches it may do everything."""
        return not self.keys

    def knows(self, tenant: str) -> bool:
        """Whether there is such a tenant: it has a key, or is that of visitors or of this machine, if they may talk."""
        welcome = (VISITORS if self.visitors else None, LOCAL if self.is_open else None)
        return tenant in welcome or tenant in self.keys.tenants

    def secret_of(self, tenant: str) -> str:
        """What tokens of the tenant's users are signed with; without a secret, for as long as this process lives."""
        return tenant_secret(self.secret or _MADE_UP, tenant)


def _unusable(message: str, hint: str) -> ConfigError:
    return ConfigError([Problem(message, ("server",), hint)])


_MADE_UP = secrets.token_urlsafe(48)


def is_loopback(host: str) -> bool:
    """Whether a name or an address is this machine's own."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
