"""Who is asking: API keys of tenants, and signed tokens of their users.

A key is random and long, so a plain hash of it is safe to keep; the key itself is shown once and kept nowhere.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import jwt

from soni.errors import ConfigError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

TENANT = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")
CONVERSATION = r"^[A-Za-z0-9._~:@+-]{1,200}$"
"""What a conversation may be called: what needs no quoting in an address."""
NAMING = "a conversation is named with up to 200 of a-z, A-Z, 0-9 and . _ ~ : @ + -"
LOCAL = "local"
"""The tenant of whoever is on the same machine, where no keys are asked for."""
LONGEST_TOKEN = 30 * 86_400
_LINE = re.compile(rf"({TENANT.pattern}):sha256:([0-9a-f]{{64}})")
_AUDIENCE = "soni"
_LEEWAY = 10.0
"""How many seconds clocks may differ between whoever signs a token and us."""


class Keys:
    """The keys that are good, by their hashes."""

    def __init__(self, lines: Iterable[str] = ()) -> None:
        self._tenants: dict[str, str] = {}
        for number, line in enumerate(lines, 1):
            entry = line.partition("#")[0].strip()
            if not entry:
                continue
            found = _LINE.fullmatch(entry)
            if found is None:  # it may be the key itself: do not show it
                message = f"entry {number} of the API keys is not TENANT:sha256:HASH."
                hint = "'soni key TENANT' makes a key and the entry to keep; a key itself is not kept."
                raise ConfigError([Problem(message, ("server", "keys"), hint)])
            self._tenants[found[2]] = found[1]

    def tenant(self, key: str) -> str | None:
        """Whose key it is."""
        return self._tenants.get(_hashed(key))

    def __len__(self) -> int:
        return len(self._tenants)


@dataclass(frozen=True, slots=True)
class Caller:
    """Whoever made a request, and what it may see: its tenant's conversations, or one of them."""

    tenant: str
    conversation: str | None = None
    """The only one, for a user with a token; None for whoever has a key."""
    slots: Mapping[str, Any] = field(default_factory=dict)
    """What the token says about the user."""
    expires: float | None = None
    """When the token runs out."""

    @property
    def is_user(self) -> bool:
        """Whether it is one user, who may talk but not look behind."""
        return self.conversation is not None

    @property
    def seconds_left(self) -> float | None:
        """For how long a stream may stay open."""
        return None if self.expires is None else max(self.expires + _LEEWAY - time.time(), 0.0)

    def name_of(self, conversation: str) -> str:
        """The conversation as the store knows it; no tenant can name another's."""
        return f"{self.tenant}/{conversation}"


def new_key(tenant: str) -> tuple[str, str]:
    """A new key, and the line to keep of it."""
    if not TENANT.fullmatch(tenant):
        message = f"'{tenant}' cannot be the name of a tenant."
        hint = "Up to 40 small letters, digits, dots, dashes and underscores."
        raise ConfigError([Problem(message, ("server", "keys"), hint)])
    key = f"soni_{secrets.token_urlsafe(32)}"
    return key, f"{tenant}:sha256:{_hashed(key)}"


def sign(secret: str, tenant: str, conversation: str, *, seconds: float, slots: Mapping[str, Any] | None = None) -> str:
    """A token with which a user may talk in one conversation for a while."""
    now = time.time()
    claims = {"aud": _AUDIENCE, "tenant": tenant, "sub": conversation, "iat": int(now), "exp": int(now + seconds)}
    return jwt.encode({**claims, **({"slots": dict(slots)} if slots else {})}, secret, algorithm="HS256")


def verified(secret: str, token: str) -> Caller | None:
    """The user whose token it is; None if it is not good, or not any more."""
    required = ["aud", "exp", "sub", "tenant"]
    try:
        claims = jwt.decode(
            token, secret, algorithms=["HS256"], audience=_AUDIENCE, options={"require": required}, leeway=_LEEWAY
        )
    except jwt.PyJWTError:
        return None
    tenant, conversation, slots = claims["tenant"], claims["sub"], claims.get("slots", {})
    sound = isinstance(tenant, str) and TENANT.fullmatch(tenant) and re.fullmatch(CONVERSATION, conversation)
    return Caller(tenant, conversation, slots, claims["exp"]) if sound and isinstance(slots, dict) else None


def _hashed(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()
