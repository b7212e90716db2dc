"""Tokens: with them users talk, each in one conversation, for a while."""

from __future__ import annotations

import base64
import time
from pathlib import Path

import jwt
import pytest

from soni.server import Keys, ServerSettings, new_key, sign, tenant_secret
from soni.server.access import verified
from soni.server.limits import Rate
from tests.server.bank import SECRET, Bank, bearer, signed
from tests.server.site import served

DAY = 86_400


async def test_a_user_talks_with_a_token_and_does_not_look_behind(bank: Bank) -> None:
    body = {"conversation": "ana", "expires_in": 60, "slots": {"logged_in": True}}
    made = await bank.site.client.post("/v1/tokens", json=body, headers=bank.bank)
    ana = bearer(made.json()["token"])
    assert [message["text"] for message in (await bank.say("vault", ana)).json()["messages"]] == ["Open."]
    assert (await bank.get("conversations/ana/transcript", ana)).status_code == 200
    assert (await bank.site.client.post("/v1/conversations/ana/reset", headers=ana)).status_code == 204
    for path in ("conversations/ana/state", "conversations/ana/explain", "conversations/ana/handoff", "handoffs"):
        refused = await bank.get(path, ana)
        assert (refused.status_code, refused.json()["type"]) == (403, "urn:soni:problem:needs-a-key")
    assert (await bank.site.client.delete("/v1/conversations/ana", headers=ana)).status_code == 403
    assert (await bank.site.client.post("/v1/tokens", json=body, headers=ana)).status_code == 403
    assert (await bank.site.client.get("/metrics", headers=ana)).status_code == 403
    # Another conversation of the same tenant, and slots by the user's own word.
    assert (await bank.say("send", ana, "luis")).json()["type"] == "urn:soni:problem:another-conversation"
    assert (await bank.get("conversations/luis/events", ana)).status_code == 403
    assert (await bank.say("vault", ana, slots={"logged_in": False})).status_code == 403


async def test_a_token_with_a_slot_that_cannot_be_set_is_not_given_out(bank: Bank) -> None:
    for slots, said in (({"loged_in": True}, "Did you mean 'logged_in'?"), ({"amount": 1}, "scope: conversation")):
        refused = await bank.site.client.post(
            "/v1/tokens", json={"conversation": "ana", "slots": slots}, headers=bank.bank
        )
        assert refused.status_code == 422
        assert said in refused.json()["detail"]


async def test_a_token_is_good_for_a_while_and_from_its_tenant_alone(bank: Bank) -> None:
    bank.site.service.guesses = Rate(10_000)

    async def status(token: str) -> int:
        return (await bank.say("send", bearer(token))).status_code

    secret = tenant_secret(SECRET, "bank")
    assert await status(signed("bank", "ana", seconds=60)) == 200
    assert await status(signed("bank", "ana", seconds=-60)) == 401
    assert await status(sign("another secret of thirty-two characters!", "bank", "ana", seconds=60)) == 401
    # Neither another tenant's secret nor the server's own signs for the bank.
    assert await status(sign(tenant_secret(SECRET, "shop"), "bank", "ana", seconds=60)) == 401
    assert await status(sign(SECRET, "bank", "ana", seconds=60)) == 401
    claims = {"aud": "soni", "tenant": "bank", "sub": "ana", "exp": int(time.time()) + 60}
    assert await status(jwt.encode(claims, secret, algorithm="HS256")) == 200
    for wrong in (
        {**claims, "aud": "another"},
        {**claims, "tenant": "Bank/x"},
        {**claims, "tenant": 7},
        {**claims, "sub": "a/b"},
        {**claims, "slots": ["logged_in"]},
        {name: claims[name] for name in claims if name != "exp"},
        {name: claims[name] for name in claims if name != "tenant"},
    ):
        assert await status(jwt.encode(wrong, secret, algorithm="HS256")) == 401, wrong
    assert await status(jwt.encode(claims, None, algorithm="none")) == 401
    with pytest.warns(jwt.InsecureKeyLengthWarning):
        other = jwt.encode(claims, secret, algorithm="HS384")
    assert await status(other) == 401


async def test_a_token_runs_out_at_a_time_within_thirty_days(bank: Bank) -> None:
    bank.site.service.guesses = Rate(10_000)
    now = int(time.time())

    async def status(expires: object) -> int:
        claims = {"aud": "soni", "tenant": "bank", "sub": "ana", "exp": expires}
        who = bearer(jwt.encode(claims, tenant_secret(SECRET, "bank"), algorithm="HS256"))
        async with bank.site.client.stream("GET", "/v1/conversations/ana/events", headers=who) as response:
            return response.status_code

    for good in (now + 60, now + 60.5, now + 30 * DAY - 60):
        assert await status(good) == 200, good
    for bad in (str(now + 60), now + 31 * DAY, 10**400, float(10**300), True, None, [now + 60], float("inf")):
        assert await status(bad) == 401, bad


def test_a_tenant_is_known_by_its_keys_or_where_it_needs_none() -> None:
    keys = Keys([new_key("bank")[1], new_key("shop", "agent")[1]])
    for settings, known in (
        (ServerSettings(keys=keys), {"bank", "shop"}),
        (ServerSettings(keys=keys, visitors=True), {"bank", "shop", "visitors"}),
        (ServerSettings(), {"local"}),
    ):
        assert {tenant for tenant in ("bank", "shop", "visitors", "local", "") if settings.knows(tenant)} == known


async def test_a_token_is_good_while_its_tenant_is_known(bank: Bank) -> None:
    async def status(tenant: str) -> int:
        return (await bank.get("models", bearer(signed(tenant, "ana", seconds=60)))).status_code

    assert [await status(tenant) for tenant in ("shop", "visitors", "gone", "local")] == [200, 200, 401, 401]


async def test_without_keys_a_token_is_good_for_its_local_user_alone(tmp_path: Path) -> None:
    async with served(tmp_path, secret=SECRET) as site:
        who = bearer(signed("local", "ana", seconds=60))
        assert (await site.client.get("/v1/handoffs", headers=who)).status_code == 403
        made = (await site.client.post("/v1/tokens", json={"conversation": "ana"})).json()["token"]
        assert (await site.client.get("/v1/handoffs", headers=bearer(made))).status_code == 403
        # Any other credential is not looked at.
        other = bearer(signed("bank", "ana", seconds=60))
        assert (await site.client.get("/v1/handoffs", headers=other)).status_code == 200


def test_a_token_of_nested_brackets_is_none() -> None:
    part = base64.urlsafe_b64encode(b"[" * 20_000).decode()
    for token in (f"{part}.{part}.{part}", f"e30.{part}.{part}"):
        assert verified(token, lambda tenant: SECRET) is None


@pytest.mark.parametrize("seconds", ["60", True, 0, -1, 1.5, 31 * DAY, 10**400, None])
async def test_a_token_is_asked_for_with_a_number_of_seconds(bank: Bank, seconds: object) -> None:
    body = {"conversation": "ana", "expires_in": seconds}
    assert (await bank.site.client.post("/v1/tokens", json=body, headers=bank.bank)).status_code == 422


async def test_a_token_that_no_request_could_carry_is_not_given_out(bank: Bank) -> None:
    body = {"conversation": "ana", "slots": {"logged_in": "x" * 20_000}}
    refused = await bank.site.client.post("/v1/tokens", json=body, headers=bank.bank)
    assert (refused.status_code, refused.json()["type"]) == (422, "urn:soni:problem:token-too-large")
