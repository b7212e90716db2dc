"""Who may talk, and to whom."""

from __future__ import annotations

import base64
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
from starlette.requests import HTTPConnection
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Subprotocol

from soni.errors import ConfigError
from soni.server import Keys, Role, ServerSettings, new_key, sign, tenant_secret
from soni.server.access import verified
from soni.server.limits import Rate
from soni.server.problems import HttpProblem
from soni.server.service import client_of
from tests.server.site import Site, served

SECRET = "a secret of many more than the thirty-two characters that are needed"
DAY = 86_400


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


@pytest.fixture
async def bank(tmp_path: Path) -> AsyncIterator[Bank]:
    wanted = [("shop", "tenant"), ("bank", "tenant"), ("shop", "agent"), ("bank", "agent"), ("bank", "operator")]
    made = [new_key(tenant, role) for tenant, role in wanted]
    keys = Keys([f"{made[0][1]}  # the shop's", "", "# the bank's", *(line for _, line in made[1:])])
    async with served(tmp_path, keys=keys, secret=SECRET, visitors=True) as site:
        yield Bank(site, *(bearer(key) for key, _ in made))


async def test_without_a_key_nobody_gets_in(bank: Bank) -> None:
    paths = ("conversations/ana/transcript", "conversations/ana/events", "handoffs", "models")
    for headers in ({}, bearer("wrong"), {"Authorization": "Basic Og=="}, {"Authorization": "Bearer"}):
        for path in paths:
            response = await bank.get(path, headers)
            assert response.status_code == 401, path
            assert response.headers["www-authenticate"] == "Bearer"
            assert response.headers["content-type"] == "application/problem+json"
        assert (await bank.say("send", headers)).status_code == 401
    assert (await bank.site.client.get("/metrics")).status_code == 401
    for path in ("/health", "/ready", "/", "/soni.js", "/openapi.json"):
        assert (await bank.site.client.get(path)).status_code == 200


async def test_g8_tenants_do_not_see_each_other(bank: Bank) -> None:
    assert (await bank.say("card", bank.bank)).status_code == 200
    assert (await bank.say("a person, please", bank.bank, "bea")).status_code == 200
    for path in ("state", "transcript", "explain"):
        for conversation in ("ana", "bea"):
            assert (await bank.get(f"conversations/{conversation}/{path}", bank.shop)).status_code == 404
    assert (await bank.get("conversations/bea/handoff", bank.shop_agent)).status_code == 404
    assert (await bank.get("handoffs", bank.shop_agent)).json() == {"conversations": []}
    assert len((await bank.get("handoffs", bank.agent)).json()["conversations"]) == 1
    # The same name is another conversation.
    assert (await bank.say("send", bank.shop)).json()["turn"] == 1
    assert (await bank.site.client.delete("/v1/conversations/ana", headers=bank.shop)).status_code == 204
    assert (await bank.get("conversations/ana/state", bank.bank)).json()["waiting_for"] == "pin"
    # Nor can a name be made up that reaches across.
    for name in ("..%2Fbank%2Fana", "../bank/ana", "%2e%2e/bank/ana"):
        assert (await bank.get(f"conversations/{name}/state", bank.shop)).status_code in (404, 422)


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


CHAT = {"model": "soni", "user": "ana", "messages": [{"role": "user", "content": "hello?"}]}
ANA = "/v1/conversations/ana"
REQUESTS: dict[str, list[tuple[str, str, dict[str, Any] | None]]] = {
    "talk": [
        ("POST", f"{ANA}/messages", {"text": "hello?"}),
        ("POST", f"{ANA}/start", None),
        ("POST", "/v1/chat/completions", CHAT),
    ],
    "read": [("GET", f"{ANA}/transcript", None), ("GET", f"{ANA}/events", None)],
    "inspect": [("GET", f"{ANA}/state", None), ("GET", f"{ANA}/explain", None)],
    "manage": [("POST", "/v1/tokens", {"conversation": "ana"}), ("DELETE", "/v1/conversations/nobody", None)],
    "desk": [
        ("GET", "/v1/handoffs", None),
        ("GET", f"{ANA}/handoff", None),
        ("POST", f"{ANA}/handoff/messages", {"text": "This is Marta."}),
    ],
    "metrics": [("GET", "/metrics", None)],
}


async def test_a_key_is_good_for_what_its_role_is_for(bank: Bank) -> None:
    """Each row of the table in docs/server.md."""
    await bank.say("a person, please", bank.bank)

    async def allowed(who: dict[str, str]) -> set[str]:
        found = set()
        for ability, requests in REQUESTS.items():
            statuses = set()
            for method, path, body in requests:
                async with bank.site.client.stream(method, path, json=body, headers=who) as response:
                    statuses.add(response.status_code)
            assert statuses == {403} or statuses <= {200, 204}, (ability, statuses)
            found |= set() if statuses == {403} else {ability}
        return found

    assert await allowed(bank.bank) == {"talk", "read", "inspect", "manage"}
    assert await allowed(bank.agent) == {"read", "inspect", "desk"}
    assert await allowed(bank.operator) == REQUESTS.keys()
    assert await allowed(bearer(signed("bank", "ana", seconds=60))) == {"talk", "read"}
    returned = f"{ANA}/handoff/return"
    assert (await bank.site.client.post(returned, headers=bank.bank)).status_code == 403
    assert (await bank.site.client.post(returned, headers=bank.agent)).status_code == 200


async def test_a_key_with_another_role_is_told_which_one_it_takes(bank: Bank) -> None:
    refused = (await bank.get("handoffs", bank.bank)).json()
    assert (refused["status"], refused["type"]) == (403, "urn:soni:problem:wrong-role")
    assert refused["detail"] == (
        "this takes an API key with the role 'agent' or 'operator', and this key has the role 'tenant'; "
        "'soni key bank --role agent' makes one"
    )
    address = f"{bank.site.url.replace('http', 'ws')}/v1/conversations/ana/ws"
    with pytest.raises(InvalidStatus) as socket:
        await connect(address, additional_headers=bank.agent, proxy=None)
    assert socket.value.response.status_code == 403
    assert b"role 'tenant' or 'operator'" in socket.value.response.body


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


async def test_a_visitor_gets_a_conversation_of_their_own(bank: Bank) -> None:
    one, two = [(await bank.site.client.post("/v1/visitors")).json() for _ in range(2)]
    assert one["conversation"] != two["conversation"]
    assert (await bank.say("send", bearer(one["token"]), one["conversation"])).status_code == 200
    assert (await bank.say("send", bearer(one["token"]), two["conversation"])).status_code == 403


async def test_visitors_come_only_where_they_are_welcome(tmp_path: Path) -> None:
    async with served(tmp_path, keys=Keys([new_key("bank")[1]]), secret=SECRET) as site:
        refused = await site.client.post("/v1/visitors")
        assert (refused.status_code, refused.json()["type"]) == (403, "urn:soni:problem:no-visitors")


async def test_on_this_machine_alone_nobody_needs_a_key(site: Site) -> None:
    assert (await site.client.post("/v1/visitors")).json()["token"] is None
    assert (await site.client.get("/v1/handoffs")).status_code == 200
    named = await site.client.get("/health", headers={"Host": "evil.example"})
    assert (named.status_code, named.json()["type"]) == (421, "urn:soni:problem:wrong-host")
    for name in ("X-Forwarded-For", "Forwarded", "Via"):
        passed_on = await site.client.get("/v1/models", headers={name: "203.0.113.7"})
        assert (passed_on.status_code, passed_on.json()["type"]) == (403, "urn:soni:problem:needs-keys")
    for host in ("localhost:8000", "127.0.0.1", "[::1]:80"):
        assert (await site.client.get("/health", headers={"Host": host})).status_code == 200


async def test_pages_of_other_sites_are_kept_out(tmp_path: Path) -> None:
    async with served(tmp_path, origins=("https://www.shop.example",)) as site:
        body = {"text": "send"}
        path = "/v1/conversations/ana/messages"
        evil = await site.client.post(path, json=body, headers={"Origin": "https://evil.example"})
        assert (evil.status_code, evil.json()["type"]) == (403, "urn:soni:problem:origin-not-allowed")
        assert (await site.client.get("/v1/conversations/ana/state")).status_code == 404  # and nothing was done
        own = await site.client.post(path, json=body, headers={"Origin": site.url})
        assert own.status_code == 200
        shop = await site.client.post(path, json=body, headers={"Origin": "https://www.shop.example"})
        assert shop.headers["access-control-allow-origin"] == "https://www.shop.example"
        asked = await site.client.options(
            path,
            headers={
                "Origin": "https://www.shop.example",
                "Access-Control-Request-Method": "POST",
                "Access-Control-Request-Headers": "authorization,content-type,last-event-id",
            },
        )
        assert asked.status_code == 200
        assert asked.headers["access-control-allow-origin"] == "https://www.shop.example"
        assert "access-control-allow-credentials" not in asked.headers


async def test_a_form_of_another_site_cannot_be_mistaken_for_json(site: Site) -> None:
    response = await site.client.post(
        "/v1/conversations/ana/messages", content='{"text": "send"}', headers={"Content-Type": "text/plain"}
    )
    assert (response.status_code, response.json()["type"]) == (415, "urn:soni:problem:not-json")


async def test_a_socket_takes_a_token_as_a_subprotocol(bank: Bank) -> None:
    token = signed("bank", "ana", seconds=60)
    address = f"{bank.site.url.replace('http', 'ws')}/v1/conversations/ana/ws"
    protocols = [Subprotocol("soni"), Subprotocol(f"bearer.{token}")]
    async with connect(address, subprotocols=protocols, proxy=None) as socket:
        assert socket.subprotocol == "soni"
    async with connect(address, additional_headers=bank.bank, proxy=None):
        pass
    with pytest.raises(InvalidStatus) as refused:
        await connect(address, proxy=None)
    assert refused.value.response.status_code == 401
    with pytest.raises(InvalidStatus) as refused:
        await connect(address.replace("ana", "luis"), subprotocols=protocols, proxy=None)
    assert refused.value.response.status_code == 403


async def test_a_conversation_may_not_talk_without_end(tmp_path: Path) -> None:
    async with served(tmp_path, rate=6) as site:
        answers = [await site.client.post("/v1/conversations/ana/messages", json={"text": "many"}) for _ in range(4)]
        assert [answer.status_code for answer in answers] == [200, 200, 429, 429]
        assert 0 < int(answers[-1].headers["retry-after"]) <= 11
        assert (await site.client.post("/v1/conversations/luis/messages", json={"text": "many"})).status_code == 200


async def test_keys_cannot_be_tried_without_end(bank: Bank) -> None:
    statuses = [(await bank.get("models", bearer(f"guess-{number}"))).status_code for number in range(12)]
    assert statuses == [401] * 10 + [429] * 2
    assert (await bank.get("models", bank.bank)).status_code == 200


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8::1", "2001:db8::ffff:1:2:3", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("192.0.2.1", "192.0.2.2", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", False),
        ("::1", "::2", True),
        ("testclient", "testclient", True),
    ],
)
def test_a_client_is_one_whichever_address_of_its_network_it_uses(one: str, other: str, same: bool) -> None:
    clients = [client_of(HTTPConnection({"type": "http", "client": (host, 1)})) for host in (one, other)]
    assert (clients[0] == clients[1]) is same


@pytest.mark.parametrize("seconds", ["60", True, 0, -1, 1.5, 31 * DAY, 10**400, None])
async def test_a_token_is_asked_for_with_a_number_of_seconds(bank: Bank, seconds: object) -> None:
    body = {"conversation": "ana", "expires_in": seconds}
    assert (await bank.site.client.post("/v1/tokens", json=body, headers=bank.bank)).status_code == 422


async def test_a_token_that_no_request_could_carry_is_not_given_out(bank: Bank) -> None:
    body = {"conversation": "ana", "slots": {"logged_in": "x" * 20_000}}
    refused = await bank.site.client.post("/v1/tokens", json=body, headers=bank.bank)
    assert (refused.status_code, refused.json()["type"]) == (422, "urn:soni:problem:token-too-large")


def test_a_rate_comes_back_with_time() -> None:
    now = 0.0
    rate = Rate(60, clock=lambda: now)
    for _ in range(20):
        rate.count("ana")
    with pytest.raises(HttpProblem, match="try again in 1 s"):
        rate.count("ana")
    now += 1.0
    rate.count("ana")
    with pytest.raises(HttpProblem):
        rate.count("ana")
    rate.count("luis")


@pytest.mark.parametrize("line", ["soni_abc", "bank:soni_abc", "bank:sha256:short", "Bank:sha256:" + "0" * 64])
def test_a_key_that_is_not_hashed_is_refused_and_not_shown(line: str) -> None:
    with pytest.raises(ConfigError, match="entry 2") as refused:
        Keys([new_key("bank")[1], line])
    assert "abc" not in str(refused.value)


def test_a_line_names_its_tenant_and_role() -> None:
    for role in Role:
        key, line = new_key("bank", role)
        assert line.startswith(f"bank:{role}:sha256:")
        caller = Keys([line]).caller(key)
        assert caller is not None
        assert (caller.tenant, caller.role) == ("bank", role)
    key, line = new_key("bank")
    without_a_role = Keys([line.replace(":tenant:", ":")]).caller(key)
    assert without_a_role == Keys([line]).caller(key)


def test_a_role_that_there_is_not_is_refused_where_keys_are_made_and_read() -> None:
    with pytest.raises(ConfigError, match=r"'agnet', and there is no such role. Did you mean 'agent'\?"):
        new_key("bank", "agnet")
    with pytest.raises(ConfigError, match=r"entry 1 .* 'admin', .* The roles are tenant, agent, operator"):
        Keys(["bank:admin:sha256:" + "0" * 64])


def test_one_key_has_one_role() -> None:
    line = new_key("bank", "agent")[1]
    assert len(Keys([line, line])) == 1
    with pytest.raises(ConfigError, match=r"entry 2 .* the same key as an earlier entry"):
        Keys([line, line.replace("agent", "operator")])


def test_a_tenant_has_a_plain_name() -> None:
    for name in ("", "Bank", "a/b", "a" * 41, "-a", "a b"):
        with pytest.raises(ConfigError):
            new_key(name)
