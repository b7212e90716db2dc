"""Who may talk, and to whom."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from starlette.requests import HTTPConnection
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Subprotocol

from soni.errors import ConfigError
from soni.server import Keys, Role, new_key
from soni.server.limits import Rate
from soni.server.problems import HttpProblem
from soni.server.service import client_of
from tests.server.bank import SECRET, Bank, bearer, signed
from tests.server.site import Site, served


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
