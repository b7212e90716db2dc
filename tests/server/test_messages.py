"""Saying something over HTTP."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest

from soni.server import ServerSettings
from tests.server.site import Site, read_events, served


async def test_a_whole_transfer_as_json(tmp_path: Path, store: str) -> None:
    async with served(tmp_path, store) as site:
        assert await site.texts("send") == ["How much?"]
        asked = await site.say("100")
        assert asked["pending"] == {"type": "collect", "slot": "recipient", "private": False}
        (question,) = asked["messages"]
        assert [option["label"] for option in question["options"]] == ["Ana", "Luis"]
        chosen = await site.say("Ana", payload=question["options"][0]["payload"])
        (confirm,) = chosen["messages"]
        assert (confirm["kind"], confirm["text"]) == ("confirm", "Send 100 to Ana?")
        done = await site.say("Yes", payload=confirm["options"][0]["payload"])
        assert [message["text"] for message in done["messages"]] == ["Sending…", "Done: T1."]
        assert (done["pending"], done["failed"], done["with_person"]) == (None, False, False)
        assert [message["sequence"] for message in done["messages"]] == [4, 5]
        assert site.witness.lines() == ["paid 100 ana"]


async def test_a_conversation_that_is_opened_begins_with_the_greeting(tmp_path: Path) -> None:
    async with served(tmp_path, greets=True) as site:
        started = await site.client.post("/v1/conversations/ana/start")
        assert [message["text"] for message in started.json()["messages"]] == ["Hello."]
        again = await site.client.post("/v1/conversations/ana/start", json={"slots": {"logged_in": True}})
        assert again.json()["messages"] == []
        for language, said in (
            ("es-MX", "Hola."),
            ("EN", "Hello."),
            ("fr", "Hello."),
            ("", "Hello."),
            ("\0", "Hello."),
        ):
            name = f"u{len(said)}{len(language)}{ord((language or 'x')[0])}"
            begun = await site.client.post(f"/v1/conversations/{name}/start", json={"language": language})
            assert [message["text"] for message in begun.json()["messages"]] == [said]


async def stream(site: Site, text: str, **more: Any) -> list[tuple[str, Any]]:
    headers = {"Accept": "text/event-stream"}
    body = {"text": text, **more}
    async with site.client.stream("POST", "/v1/conversations/ana/messages", json=body, headers=headers) as response:
        assert response.status_code == 200
        assert response.headers["content-type"].startswith("text/event-stream")
        return [(event.kind, event.data) async for event in read_events(response)]


async def test_messages_are_streamed_as_they_happen(site: Site) -> None:
    url = "/v1/conversations/ana/messages"
    headers = {"Accept": "text/event-stream"}
    async with site.client.stream("POST", url, json={"text": "slow", "message_id": "m"}, headers=headers) as response:
        events = read_events(response)
        assert (await anext(events)).kind == "accepted"
        first = await anext(events)
        assert (first.data["text"], first.id) == ("One moment.", first.data["id"])
        assert not site.gate.open.is_set()  # it came while the action was still running
        site.gate.open.set()
        rest = [event async for event in events]
    assert [event.kind for event in rest] == ["message", "done"]
    assert rest[-1].data["message_id"] == "m"
    assert [message["text"] for message in rest[-1].data["messages"]] == ["One moment.", "There."]


async def test_a_message_that_comes_again_gets_the_answer_it_got(site: Site) -> None:
    first = await site.say("send", message_id="m-1")
    assert await site.say("send", message_id="m-1") == first
    header = await site.client.post(
        "/v1/conversations/ana/messages", json={"text": "send"}, headers={"Idempotency-Key": "m-1"}
    )
    assert header.json() == first
    assert [kind for kind, _ in await stream(site, "send", message_id="m-1")] == ["message", "done"]


async def test_a_message_id_is_good_for_one_text(site: Site) -> None:
    await site.say("send", message_id="m-1")
    for accept in ("application/json", "text/event-stream"):
        response = await site.client.post(
            "/v1/conversations/ana/messages", json={"text": "card", "message_id": "m-1"}, headers={"Accept": accept}
        )
        assert response.status_code == 422
        assert response.headers["content-type"] == "application/problem+json"
        assert response.json()["type"] == "urn:soni:problem:message-reused"


async def test_the_same_message_posted_three_times_at_once_is_processed_once(tmp_path: Path, store: str) -> None:
    async with served(tmp_path, store) as site:
        for text in ("send", "100", "Ana"):
            await site.say(text)
        answers = await asyncio.gather(*(site.say("yes", message_id="pay") for _ in range(3)))
        assert answers[0] == answers[1] == answers[2]
        assert site.witness.lines() == ["paid 100 ana"]
        state = (await site.client.get("/v1/conversations/ana/state")).json()
        assert state["turn"] == 4


async def test_a_client_that_goes_away_does_not_take_its_turn_with_it(site: Site) -> None:
    with pytest.raises(httpx.ReadTimeout):
        await site.client.post(
            "/v1/conversations/ana/messages",
            json={"text": "slow", "message_id": "m"},
            timeout=httpx.Timeout(30, read=0.3),
        )
    site.gate.open.set()
    assert await site.texts("slow", message_id="m") == ["One moment.", "There."]


async def test_a_turn_that_takes_too_long_goes_on_and_can_be_asked_for_again(tmp_path: Path) -> None:
    async with served(tmp_path, turn_limit=0.2) as site:
        body = {"text": "slow", "message_id": "m"}
        late = await site.client.post("/v1/conversations/ana/messages", json=body)
        assert (late.status_code, late.json()["message_id"]) == (504, "m")
        assert "goes on" in late.json()["detail"]
        site.gate.open.set()
        again = await site.client.post("/v1/conversations/ana/messages", json=body)
        assert [message["text"] for message in again.json()["messages"]] == ["One moment.", "There."]


async def test_a_failed_turn_is_told_and_is_no_error_of_http(site: Site) -> None:
    answer = await site.say("broken")
    assert answer["messages"][-1]["text"]
    explained = (await site.client.get("/v1/conversations/ana/explain")).json()
    assert any(entry.get("step") == "fail" for entry in explained["entries"])


async def test_a_secret_is_asked_for_as_one_and_shown_nowhere(site: Site) -> None:
    asked = await site.say("card")
    assert asked["pending"] == {"type": "collect", "slot": "pin", "private": True}
    transcript = (await site.client.get("/v1/conversations/ana/transcript")).json()
    assert transcript["pending"]["private"] is True
    assert (await site.texts("swordfish")) == ["Unblocked."]
    for what in ("transcript", "state", "explain"):
        response = await site.client.get(f"/v1/conversations/ana/{what}")
        assert response.status_code == 200
        assert "swordfish" not in response.text


async def test_the_host_sets_slots(site: Site) -> None:
    assert "Open." not in await site.texts("vault", "eve")
    assert await site.texts("vault", "eve", slots={"logged_in": True}) == ["Open."]
    wrong = await site.client.post(
        "/v1/conversations/eve/messages", json={"text": "vault", "slots": {"loged_in": True}}
    )
    assert wrong.status_code == 422
    assert "loged_in" in wrong.json()["detail"]


async def test_transcript_state_reset_and_forget(site: Site) -> None:
    await site.say("send", message_id="m-1")
    transcript = (await site.client.get("/v1/conversations/ana/transcript")).json()
    user, assistant = transcript["lines"][-2:]
    assert (user["role"], user["text"], user["message_id"]) == ("user", "send", "m-1")
    assert (assistant["role"], assistant["message"]["kind"]) == ("assistant", "collect")
    state = (await site.client.get("/v1/conversations/ana/state")).json()
    assert (state["waiting_for"], state["flows"][0]["flow"]) == ("amount", "transfer")
    assert (await site.client.post("/v1/conversations/ana/reset")).status_code == 204
    assert (await site.client.get("/v1/conversations/ana/state")).json()["flows"] == []
    assert (await site.client.delete("/v1/conversations/ana")).status_code == 204
    gone = await site.client.get("/v1/conversations/ana/state")
    assert (gone.status_code, gone.json()["type"]) == (404, "urn:soni:problem:no-such-conversation")
    assert (await site.client.delete("/v1/conversations/ana")).status_code == 204


async def test_explain_tells_of_each_turn(site: Site) -> None:
    await site.say("send")
    await site.say("100")
    first = (await site.client.get("/v1/conversations/ana/explain", params={"turn": 1})).json()
    assert any(entry.get("command", {}).get("type") == "start_flow" for entry in first["entries"])
    never = await site.client.get("/v1/conversations/ana/explain", params={"turn": 99})
    assert (never.status_code, never.json()["type"]) == (404, "urn:soni:problem:not-kept")


async def test_one_conversation_does_not_keep_another_waiting(tmp_path: Path) -> None:
    async with served(tmp_path, turns=2) as site:
        slow = [asyncio.create_task(site.say("slow", "eve")) for _ in range(5)]
        await site.gate.reached.wait()
        assert await site.texts("send", "ana") == ["How much?"]  # one place is taken, by the first of the five
        site.gate.open.set()
        await asyncio.gather(*slow)


async def test_too_many_at_once_are_told_to_come_back(tmp_path: Path) -> None:
    async with served(tmp_path, turns=1, waiting=2) as site:
        tasks = [asyncio.create_task(site.say("slow", "u0"))]
        await site.gate.reached.wait()
        tasks += [asyncio.create_task(site.say("many", f"u{number}")) for number in (1, 2)]
        while site.service.turns.waiting < 2:  # noqa: ASYNC110  # nobody tells
            await asyncio.sleep(0)
        full = await site.client.post("/v1/conversations/u9/messages", json={"text": "many"})
        assert (full.status_code, full.json()["type"]) == (503, "urn:soni:problem:too-busy")
        assert int(full.headers["retry-after"]) > 0
        site.gate.open.set()
        await asyncio.gather(*tasks)


def test_settings_that_cannot_be_meant_are_refused() -> None:
    from soni.errors import ConfigError

    with pytest.raises(ConfigError, match="no keys"):
        ServerSettings(host="0.0.0.0")  # noqa: S104  # it must not be served on
    with pytest.raises(ConfigError, match="at least 32"):
        ServerSettings(secret="short")
    with pytest.raises(ConfigError, match="every web site"):
        ServerSettings(origins=("*",))
    with pytest.raises(ConfigError, match="no origin"):
        ServerSettings(origins=("www.example.com",))
