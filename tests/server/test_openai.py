"""The OpenAI protocol, with OpenAI's own client."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import openai
import pytest

from soni.server import Keys, new_key
from tests.server.site import Site, served


@pytest.fixture
async def client(site: Site) -> AsyncIterator[openai.AsyncOpenAI]:
    async with openai.AsyncOpenAI(base_url=f"{site.url}/v1", api_key="none", max_retries=0) as client:
        yield client


async def test_a_conversation(client: openai.AsyncOpenAI) -> None:
    async def say(text: str) -> str:
        messages: list[openai.types.chat.ChatCompletionMessageParam] = [
            {"role": "system", "content": "You are a pirate."},
            {"role": "user", "content": "an older message"},
            {"role": "assistant", "content": "an older answer"},
            {"role": "user", "content": text},
        ]
        answer = await client.chat.completions.create(model="soni", user="ana", messages=messages, temperature=0.3)
        assert answer.choices[0].finish_reason == "stop"
        return answer.choices[0].message.content or ""

    assert await say("send") == "How much?"
    assert await say("100") == "To whom?\n- Ana\n- Luis"
    assert await say("Ana") == "Send 100 to Ana?\n- Yes\n- No"
    assert await say("yes") == "Sending…\nDone: T1."


async def test_streaming_with_usage(client: openai.AsyncOpenAI) -> None:
    stream = await client.chat.completions.create(
        model="soni",
        messages=[{"role": "user", "content": [{"type": "text", "text": "many"}]}],
        stream=True,
        stream_options={"include_usage": True},
        extra_headers={"X-Conversation-Id": "ana"},
    )
    chunks = [chunk async for chunk in stream]
    texts = [chunk.choices[0].delta.content for chunk in chunks if chunk.choices]
    assert texts == ["", "One.", "\nTwo.", "\nThree.", None]
    assert chunks[-2].choices[0].finish_reason == "stop"
    usage = chunks[-1].usage
    assert usage is not None
    assert (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens) == (30, 5, 35)


async def test_the_models(client: openai.AsyncOpenAI) -> None:
    assert [(model.id, model.owned_by) async for model in client.models.list()] == [("soni", "Test Bank")]
    assert (await client.models.retrieve("soni")).id == "soni"
    with pytest.raises(openai.NotFoundError, match="'soni'"):
        await client.models.retrieve("gpt-4o")


async def test_without_a_conversation_the_reason_is_told(client: openai.AsyncOpenAI) -> None:
    with pytest.raises(openai.BadRequestError, match="which conversation is it"):
        await client.chat.completions.create(model="soni", messages=[{"role": "user", "content": "hi"}])


async def test_what_cannot_be_served_is_told(client: openai.AsyncOpenAI) -> None:
    ask = client.chat.completions.create
    with pytest.raises(openai.NotFoundError, match="there is no model 'gpt-4o'"):
        await ask(model="gpt-4o", user="ana", messages=[{"role": "user", "content": "hi"}])
    with pytest.raises(openai.BadRequestError, match="no message with the role 'user'"):
        await ask(model="soni", user="ana", messages=[{"role": "system", "content": "hi"}])
    picture: openai.types.chat.ChatCompletionContentPartImageParam = {
        "type": "image_url",
        "image_url": {"url": "data:,"},
    }
    with pytest.raises(openai.BadRequestError, match="reads text, not image_url"):
        await ask(model="soni", user="ana", messages=[{"role": "user", "content": [picture]}])
    with pytest.raises(openai.BadRequestError, match="one answer"):
        await ask(model="soni", user="ana", n=2, messages=[{"role": "user", "content": "hi"}])
    with pytest.raises(openai.BadRequestError, match="named with"):
        await ask(model="soni", user="a/b", messages=[{"role": "user", "content": "hi"}])
    with pytest.raises(openai.UnprocessableEntityError, match="10000"):
        await ask(model="soni", user="ana", messages=[{"role": "user", "content": "x" * 10_001}])


async def test_a_repeated_request_is_processed_once(site: Site, client: openai.AsyncOpenAI) -> None:
    for text in ("send", "100", "Ana"):
        await site.say(text)
    for _ in range(2):
        answer = await client.chat.completions.create(
            model="soni",
            user="ana",
            messages=[{"role": "user", "content": "yes"}],
            extra_headers={"Idempotency-Key": "pay"},
        )
        assert answer.choices[0].message.content == "Sending…\nDone: T1."
    assert site.witness.lines() == ["paid 100 ana"]


async def test_the_key_is_the_api_key(tmp_path: Path) -> None:
    key, line = new_key("shop")
    async with served(tmp_path, keys=Keys([line])) as site:
        async with openai.AsyncOpenAI(base_url=f"{site.url}/v1", api_key=key, max_retries=0) as client:
            answer = await client.chat.completions.create(
                model="soni", user="ana", messages=[{"role": "user", "content": "send"}]
            )
            assert answer.choices[0].message.content == "How much?"
        async with openai.AsyncOpenAI(base_url=f"{site.url}/v1", api_key="wrong", max_retries=0) as client:
            with pytest.raises(openai.AuthenticationError, match="not good"):
                await client.models.list()


async def test_while_a_person_has_the_conversation_no_answer_is_empty(client: openai.AsyncOpenAI) -> None:
    async def say(text: str) -> str:
        answer = await client.chat.completions.create(
            model="soni", user="ana", messages=[{"role": "user", "content": text}]
        )
        return answer.choices[0].message.content or ""

    await say("a person, please")
    assert "passed on" in await say("hello?")
    stream = await client.chat.completions.create(
        model="soni", user="ana", messages=[{"role": "user", "content": "hello?"}], stream=True
    )
    said = "".join([chunk.choices[0].delta.content or "" async for chunk in stream])
    assert "passed on" in said
