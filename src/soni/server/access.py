"""Who is asking: API keys of tenants, each with a role, and signed tokens of their users.

A key is random and long, so a plain hash of it is safe to keep; the key itself is shown once and kept nowhere.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets
import time
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import jwt

from soni.errors import ConfigError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

TENANT = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")
CONVERSATION = r"^[A-Za-z0-9._~:@+-]{1,200}$"
"""What a conversation may be called: what needs no quoting in an address."""
NAMING = "a conversation is named with up to 200 of a-z, A-Z, 0-9 and . _ ~ : @ + -"
LOCAL = "local"
"""The tenant of whoever is on the same machine, where no keys are asked for."""
VISITORS = "visitors"
"""The tenant of those who come through the web page, where keys are asked for."""
LONGEST_TOKEN = 30 * 86_400
SHORTEST_SECRET = 32
_LINE = re.compile(rf"({TENANT.pattern}):(?:([a-z]{{1,20}}):)?sha256:([0-9a-f]{{64}})")
_AUDIENCE = "soni"
_LEEWAY = 10.0
"""How many seconds clocks may differ between whoever signs a token and us."""
_LABEL = b"soni: the secret that signs the tokens of the tenant "
"""What sets a tenant's secret apart from anything else that might be derived from the server's."""


class Role(StrEnum):
    """What a key is for."""

    TENANT = "tenant"
    """The tenant's own application: it talks for its users, gives them tokens, and erases them."""
    AGENT = "agent"
    """The desk: it reads conversations, and speaks in those that a person has."""
    OPERATOR = "operator"
    """Whoever runs the server: all that the others may, and the metrics."""

    @classmethod
    def of(cls, name: str, where: str) -> Role:
        """The role of this name; ConfigError if there is none."""
        if name in list(cls):
            return cls(name)
        near = get_close_matches(name, list(cls), 1)
        hint = f"Did you mean '{near[0]}'? " if near else ""
        message = f"{where} has the role '{name}', and there is no such role."
        raise _bad_key(message, f"{hint}The roles are {', '.join(cls)}.")


@dataclass(frozen=True, slots=True)
class Caller:
    """Whoever made a request, and what it may see: its tenant's conversations, or one of them."""

    tenant: str
    role: Role | None
    """What the key is for; None for a user with a token."""
    conversation: str | None = None
    """The only one, for a user with a token; None for whoever has a key."""
    slots: Mapping[str, Any] = field(default_factory=dict)
    """What the token says about the user."""
    expires: float | None = None
    """When the token runs out."""

    @property
    def is_user(self) -> bool:
        """Whether it is one user, who may talk but not look behind."""
        return self.role is None

    @property
    def seconds_left(self) -> float | None:
        """For how long a stream may stay open."""
        return None if self.expires is None else max(self.expires + _LEEWAY - time.time(), 0.0)

    def name_of(self, conversation: str) -> str:
        """The conversation as the store knows it; no tenant can name another's."""
        return f"{self.tenant}/{conversation}"


class Keys:
    """The keys that are good, by their hashes."""

    def __init__(self, lines: Iterable[str] = ()) -> None:
        self._callers: dict[str, Caller] = {}
        for number, line in enumerate(lines, 1):
            entry = line.partition("#")[0].strip()
            if entry:
                self._add(entry, f"entry {number} of the API keys")

    def _add(self, entry: str, where: str) -> None:
        found = _LINE.fullmatch(entry)
        if found is None:  # it may be the key itself: do not show it
            hint = "'soni key TENANT' makes a key and the entry to keep; a key itself is not kept."
            raise _bad_key(f"{where} is not TENANT:ROLE:sha256:HASH.", hint)
        tenant, role, hashed = found.groups()
        caller = Caller(tenant, Role.TENANT if role is None else Role.of(role, where))
        if self._callers.setdefault(hashed, caller) != caller:
            message = f"{where} holds the same key as an earlier entry, with another tenant or another role."
            raise _bad_key(message, "Make a key for each: 'soni key TENANT --role ROLE'.")

    def caller(self, key: str) -> Caller | None:
        """Whose key it is."""
        return self._callers.get(_hashed(key))

    @property
    def tenants(self) -> frozenset[str]:
        """Who has a key."""
        return frozenset(caller.tenant for caller in self._callers.values())

    def __len__(self) -> int:
        return len(self._callers)


def new_key(tenant: str, role: str = Role.TENANT) -> tuple[str, str]:
    """A new key, and the line to keep of it."""
    if not TENANT.fullmatch(tenant):
        hint = "Up to 40 small letters, digits, dots, dashes and underscores."
        raise _bad_key(f"'{tenant}' cannot be the name of a tenant.", hint)
    key = f"soni_{secrets.token_urlsafe(32)}"
    return key, f"{tenant}:{Role.of(role, 'the new key')}:sha256:{_hashed(key)}"


def check_secret(secret: str) -> str:
    """The server's secret, if it is long enough; ConfigError if not."""
    if len(secret) < SHORTEST_SECRET:
        message = f"SONI_SECRET has {len(secret)} characters; at least {SHORTEST_SECRET} are needed."
        hint = "Make one: python3 -c 'import secrets; print(secrets.token_urlsafe(48))'"
        raise ConfigError([Problem(message, ("server",), hint)])
    return secret


def tenant_secret(secret: str, tenant: str) -> str:
    """What the tokens of one tenant are signed with, derived from the server's secret.

    Whoever has it can sign for this tenant, and learns nothing of the secrets of others.
    """
    derived = hmac.digest(secret.encode("utf-8", "surrogateescape"), _LABEL + tenant.encode(), "sha256")
    return base64.urlsafe_b64encode(derived).rstrip(b"=").decode()


def sign(secret: str, tenant: str, conversation: str, *, seconds: float, slots: Mapping[str, Any] | None = None) -> str:
    """A token with which a user may talk in one conversation for a while; `secret` is the tenant's."""
    now = time.time()
    claims = {"aud": _AUDIENCE, "tenant": tenant, "sub": conversation, "iat": int(now), "exp": int(now + seconds)}
    return jwt.encode({**claims, **({"slots": dict(slots)} if slots else {})}, secret, algorithm="HS256")


def verified(token: str, secret_of: Callable[[str], str]) -> Caller | None:
    """The user whose token it is; None if it is not good, or not any more. `secret_of` gives a tenant's secret."""
    try:
        tenant = jwt.decode(token, options={"verify_signature": False}).get("tenant")
        if not isinstance(tenant, str) or not TENANT.fullmatch(tenant):
            return None
        claims = jwt.decode(
            token,
            secret_of(tenant),
            algorithms=["HS256"],
            audience=_AUDIENCE,
            options={"require": ["aud", "exp", "sub"]},
            leeway=_LEEWAY,
        )
    except (jwt.PyJWTError, RecursionError):  # the latter for JSON that is nested without end
        return None
    conversation, expires, slots = claims["sub"], claims["exp"], claims.get("slots", {})
    if not _is_soon(expires) or not re.fullmatch(CONVERSATION, conversation) or not isinstance(slots, dict):
        return None
    return Caller(tenant, None, conversation, slots, expires)


def _is_soon(expires: object) -> bool:
    """Whether a token runs out within the time that a token may be good for; text and truth values are no times."""
    if isinstance(expires, bool) or not isinstance(expires, int | float):
        return False
    return expires <= time.time() + LONGEST_TOKEN + _LEEWAY


def _hashed(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()


def _bad_key(message: str, hint: str) -> ConfigError:
    return ConfigError([Problem(message, ("server", "keys"), hint)])
