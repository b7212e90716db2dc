"""A person who takes conversations over."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.server.site import Site, first, served


async def test_a_conversation_goes_to_a_person_and_back(tmp_path: Path, store: str) -> None:
    async with served(tmp_path, store) as site:
        await site.say("send")
        handed = await site.say("a person, please")
        assert handed["with_person"] is True
        (one,) = (await site.client.get("/v1/handoffs")).json()["conversations"]
        assert (one["conversation"], one["flow"], one["waiting"]) == ("ana", "transfer", True)
        packet = (await site.client.get("/v1/conversations/ana/handoff")).json()
        assert [line["text"] for line in packet["transcript"]][:2] == ["send", "How much?"]
        assert "user_id" not in packet
        async with site.events(after=handed["messages"][-1]["id"]) as events:
            listening = asyncio.create_task(first(events, 3))
            said = await site.client.post(
                "/v1/conversations/ana/handoff/messages", json={"text": "This is Marta.", "message_id": "d-1"}
            )
            again = await site.client.post(
                "/v1/conversations/ana/handoff/messages", json={"text": "This is Marta.", "message_id": "d-1"}
            )
            assert said.json() == again.json()
            assert said.json()["kind"] == "person"
            assert (await site.client.get("/v1/handoffs")).json()["conversations"][0]["waiting"] is False
            assert await site.texts("thank you") == []
            since = (await site.client.get("/v1/handoffs")).json()["conversations"][0]
            assert (since["waiting"], since["since"] == one["since"]) == (True, True)
            back = await site.client.post("/v1/conversations/ana/handoff/return")
            assert back.json()["with_person"] is False
            heard = [event.data for event in await listening]
        assert heard[0]["text"] == "This is Marta."
        assert heard[-1]["text"] == "How much?"  # asked again where it was
        assert (await site.client.get("/v1/handoffs")).json() == {"conversations": []}
        assert await site.texts("100") == ["To whom?"]


async def test_a_reset_gives_a_conversation_back(site: Site) -> None:
    await site.say("a person, please")
    assert len((await site.client.get("/v1/handoffs")).json()["conversations"]) == 1
    await site.client.post("/v1/conversations/ana/reset")
    assert (await site.client.get("/v1/handoffs")).json() == {"conversations": []}


async def test_nobody_speaks_where_the_assistant_has_the_conversation(site: Site) -> None:
    await site.say("send")
    for path, body in (("messages", {"text": "hi"}), ("return", None)):
        refused = await site.client.post(f"/v1/conversations/ana/handoff/{path}", json=body)
        assert (refused.status_code, refused.json()["type"]) == (409, "urn:soni:problem:not-handed-over")
    assert (await site.client.get("/v1/conversations/ana/handoff")).status_code == 404
    unknown = await site.client.post("/v1/conversations/nobody/handoff/messages", json={"text": "hi"})
    assert (unknown.status_code, unknown.json()["type"]) == (404, "urn:soni:problem:no-such-conversation")
