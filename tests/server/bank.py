"""A server with two tenants, their keys, and tokens of their users."""

from __future__ import annotations

from dataclasses import dataclass

import httpx

from soni.server import sign, tenant_secret
from tests.server.site import Site

SECRET = "a secret of many more than the thirty-two characters that are needed"


@dataclass
class Bank:
    """A server with two tenants."""

    site: Site
    shop: dict[str, str]
    bank: dict[str, str]
    shop_agent: dict[str, str]
    agent: dict[str, str]
    operator: dict[str, str]
    """Of the bank, like the agent."""

    async def get(self, path: str, who: dict[str, str]) -> httpx.Response:
        return await self.site.client.get(f"/v1/{path}", headers=who)

    async def say(self, text: str, who: dict[str, str], conversation: str = "ana", **more: object) -> httpx.Response:
        path = f"/v1/conversations/{conversation}/messages"
        return await self.site.client.post(path, json={"text": text, **more}, headers=who)


def bearer(credential: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {credential}"}


def signed(tenant: str, conversation: str, *, seconds: float) -> str:
    """A token as the tenant's own server makes it."""
    return sign(tenant_secret(SECRET, tenant), tenant, conversation, seconds=seconds)
