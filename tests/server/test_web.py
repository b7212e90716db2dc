"""The web chat, in a real Chromium."""

from __future__ import annotations

import asyncio
import json
import signal
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Page, Route, expect

from soni.server import Keys, new_key, sign, tenant_secret
from tests.server.browser import bank, browser, expect_texts, opened, texts, write
from tests.server.site import served

SECRET = "a secret of many more than the thirty-two characters that are needed"
PHONE: dict[str, Any] = {"viewport": {"width": 360, "height": 640}, "is_mobile": True, "has_touch": True}
HOST = """<!doctype html><html lang="en"><head><title>Host</title><script src="/soni.js" defer></script></head>
<body><soni-chat mode="page" token="%s"></soni-chat></body></html>"""
pytestmark = pytest.mark.timeout(180)
expect.set_options(timeout=40_000)  # a busy machine takes its time


async def visit(page: Page, url: str, body: str) -> None:
    """Open a page of somebody's own that has the chat on it."""

    async def fulfil(route: Route) -> None:
        await route.fulfill(body=body, content_type="text/html")

    await page.route("**/host.html", fulfil)
    await page.goto(f"{url}/host.html")


def books(folder: Path) -> str:
    return (folder / "books.json").read_text(encoding="utf-8")


async def test_a_whole_transfer_with_quick_replies_and_a_reload_in_the_middle(tmp_path: Path) -> None:
    async with bank(tmp_path) as served, opened(served.url) as page:
        await expect(page.get_by_text("Hello, this is your bank's assistant.")).to_be_visible()
        await write(page, "I want to send 20 euros")
        await expect(page.get_by_text("Who should receive it?")).to_be_visible()
        await write(page, "Ana")
        question = page.get_by_text("Send €20.00 to Ana")
        await expect(question).to_be_visible()
        before = await texts(page)
        await page.reload()
        await expect(question).to_be_visible()
        await expect_texts(page, before)
        await page.get_by_role("button", name="Yes", exact=True).click()
        await expect(page.get_by_text("Done. Ana receives €20.00.")).to_be_visible()
        assert await page.get_by_role("button", name="Yes", exact=True).count() == 0
        after = await texts(page)
        assert after[: len(before) + 1] == [*before, "Yes"]
        assert len([text for text in after if text.startswith("Done.")]) == 1
        await page.reload()
        await expect(page.get_by_text("Done. Ana receives €20.00.")).to_be_visible()
        await expect_texts(page, after)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM])
async def test_a_restart_of_the_server_in_the_middle_loses_and_repeats_nothing(
    tmp_path: Path, sign: signal.Signals
) -> None:
    async with bank(tmp_path) as served, opened(served.url) as page:
        await write(page, "send 20 euros to Ana")
        await expect(page.get_by_text("Send €20.00 to Ana")).to_be_visible()
        await served.end(sign)
        await expect(page.get_by_text("No connection.")).to_be_visible()
        await page.get_by_role("button", name="Yes", exact=True).click()  # it waits for the server
        await expect(page.get_by_text("Sending…")).to_be_visible()
        await served.start()
        await expect(page.get_by_text("Done. Ana receives €20.00.")).to_be_visible(timeout=60_000)
        await expect(page.get_by_text("No connection.")).to_be_hidden()
        shown = await texts(page)
        assert shown.count("Yes") == 1
        assert len([text for text in shown if text.startswith(("Done.", "Send €"))]) == 2
    assert books(tmp_path).count("T0004") == 1
    assert "T0005" not in books(tmp_path)


async def test_a_server_that_dies_in_the_middle_of_a_payment(tmp_path: Path) -> None:
    """The page asks again, under the same name, until somebody answers; the payment is never made twice."""
    async with bank(tmp_path, BANK_SECONDS="30") as served, opened(served.url) as page:
        await write(page, "send 20 euros to Ana")
        await page.get_by_role("button", name="Yes", exact=True).click()
        await expect(page.locator(".progress")).to_be_visible()  # the transfer is under way
        await served.end(signal.SIGKILL)
        await served.start()
        answer = page.get_by_text("I asked the bank").or_(page.get_by_text("not know")).or_(page.get_by_text("Done."))
        await expect(answer.first).to_be_visible(timeout=60_000)
        shown = await texts(page)
        assert len(shown) == len(set(shown)), shown
        await page.reload()
        await expect(answer.first).to_be_visible()
        await expect_texts(page, shown)


async def test_a_reload_in_the_middle_of_a_payment_shows_everything_in_its_order(tmp_path: Path) -> None:
    async with bank(tmp_path, BANK_SECONDS="3") as served, opened(served.url) as page:
        await write(page, "send 20 euros to Ana")
        await page.get_by_role("button", name="Yes", exact=True).click()
        await expect(page.locator(".progress")).to_be_visible()  # the transfer is under way
        await page.reload()
        await expect(page.get_by_text("Done. Ana receives €20.00.")).to_be_visible()
        await expect(page.locator(".user .bubble")).to_have_text(["send 20 euros to Ana", "Yes"])
        shown = await texts(page)
        assert shown.index("Yes") < next(place for place, text in enumerate(shown) if text.startswith("Done.")), shown
        assert len(shown) == len(set(shown)), shown
    assert books(tmp_path).count("T0004") == 1


async def test_what_was_written_and_not_sent_survives_a_reload(tmp_path: Path) -> None:
    async with bank(tmp_path) as served, opened(served.url) as page:
        await expect(page.get_by_text("Hello, this is")).to_be_visible()
        context = page.context
        await context.route("**/messages", lambda route: route.abort())
        await write(page, "how much money do I have?")
        await expect(page.get_by_text("Sending…")).to_be_visible()
        await context.unroute("**/messages")
        await page.reload()
        await expect(page.get_by_text("Your checking account has")).to_be_visible()
        assert (await texts(page)).count("how much money do I have?") == 1


async def test_two_windows_show_the_same_conversation(tmp_path: Path) -> None:
    async with served(tmp_path) as site, browser() as started:
        context = await started.new_context()
        one, two = await context.new_page(), await context.new_page()
        await one.goto(site.url)
        await expect(one.get_by_text("Online")).to_be_visible()
        await write(one, "send")
        await expect(one.get_by_text("How much?")).to_be_visible()
        await two.goto(site.url)
        await expect(two.get_by_text("How much?")).to_be_visible()
        await write(two, "100")
        await expect(one.get_by_role("button", name="Luis")).to_be_visible()
        await expect(one.locator(".user .bubble")).to_have_text(["send", "100"])
        await one.get_by_role("button", name="Luis").click()
        await expect(two.get_by_text("Send 100 to Luis?")).to_be_visible()
        await expect(two.locator(".user .bubble")).to_have_text(["send", "100", "Luis"])
        await expect_texts(one, await texts(two))


async def test_messages_come_as_they_happen_with_a_sign_that_more_is_to_come(tmp_path: Path) -> None:
    async with served(tmp_path) as site, opened(site.url) as page:
        await write(page, "slow")
        await expect(page.get_by_text("One moment.")).to_be_visible()
        await write(page, "many")  # waits for its turn
        await expect(page.get_by_text("Sending…")).to_be_visible()
        site.gate.open.set()
        await expect(page.get_by_text("Three.")).to_be_visible()
        assert await texts(page) == ["slow", "One moment.", "many", "There.", "One.", "Two.", "Three."]


async def test_the_assistant_is_seen_to_write(tmp_path: Path) -> None:
    async with served(tmp_path) as site, opened(site.url) as page:
        held = asyncio.Event()

        async def hold(route: Any) -> None:
            await held.wait()
            await route.continue_()

        await page.context.route("**/messages", hold)
        await write(page, "send")
        await expect(page.locator(".typing")).to_be_visible()
        await expect(page.get_by_text("Test Bank is writing")).to_be_attached()
        held.set()
        await expect(page.get_by_text("How much?")).to_be_visible()
        await expect(page.locator(".typing")).to_be_hidden()


async def test_a_secret_is_typed_unseen_and_not_kept_by_the_page(tmp_path: Path) -> None:
    async with served(tmp_path) as site, opened(site.url) as page:
        await write(page, "card")
        field = page.locator("input[type=password]")
        await expect(field).to_be_visible()
        await expect(field).to_be_focused()
        await page.reload()
        await expect(field).to_be_visible()
        await field.fill("swordfish")
        await page.keyboard.press("Enter")
        await expect(page.get_by_text("Unblocked.")).to_be_visible()
        assert await texts(page) == ["card", "Your PIN?", "•••", "Unblocked."]
        await expect(field).to_be_hidden()
        assert "swordfish" not in await page.content()
        assert "swordfish" not in str(await page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])"))


async def test_words_are_never_taken_for_a_page(tmp_path: Path) -> None:
    async with served(tmp_path) as site, opened(site.url) as page:
        evil = "<img src=x onerror=\"document.title='evil'\"><script>document.title='evil'</script>"
        await write(page, "send")
        await write(page, evil)
        await page.get_by_role("button", name="Ana", exact=True).click()
        await expect(page.locator(".assistant .bubble").last).to_have_text(f"Send {evil} to Ana?")
        assert await page.locator(".log img").count() == 0
        assert await page.title() == "Test Bank"


async def test_what_is_refused_is_told_under_the_message(tmp_path: Path) -> None:
    async with served(tmp_path, rate=100_000) as site, opened(site.url) as page:
        await expect(page.get_by_text("Online")).to_be_visible()
        problem = {"status": 422, "detail": "the message has too many words"}
        body = json.dumps(problem)
        refuse = {"status": 422, "content_type": "application/problem+json", "body": body}
        await page.context.route("**/messages", lambda route: route.fulfill(**refuse))
        await write(page, "send")
        await expect(page.get_by_text("Not sent: the message has too many words")).to_be_visible()
        await page.context.unroute("**/messages")
        await page.get_by_role("button", name="Try again").click()
        await expect(page.get_by_text("How much?")).to_be_visible()


async def test_a_person_speaks_and_the_page_says_so(tmp_path: Path) -> None:
    async with served(tmp_path) as site, opened(site.url) as page:
        await write(page, "a person, please")
        await expect(page.get_by_text("Waiting for a person")).to_be_visible()
        (one,) = (await site.client.get("/v1/handoffs")).json()["conversations"]
        desk = f"/v1/conversations/{one['conversation']}/handoff"
        await site.client.post(f"{desk}/messages", json={"text": "This is Marta."})
        await expect(page.locator(".person .bubble")).to_have_text("This is Marta.")
        await expect(page.get_by_text("A person is with you")).to_be_visible()
        await site.client.post(f"{desk}/return")
        await expect(page.get_by_text("Online")).to_be_visible()


async def test_starting_again(tmp_path: Path) -> None:
    async with served(tmp_path, greets=True) as site, opened(site.url) as page:
        await write(page, "send")
        await expect(page.get_by_text("How much?")).to_be_visible()
        await page.get_by_role("button", name="Start again").click()
        await expect(page.get_by_text("A new conversation")).to_be_visible()
        await expect(page.get_by_text("Hello.")).to_have_count(2)
        await expect(page.get_by_role("textbox")).to_be_focused()
        await write(page, "many")
        await expect(page.get_by_text("Three.")).to_be_visible()
        await expect(page.get_by_text("A new conversation")).to_be_visible()


async def test_a_forgotten_user_begins_anew(tmp_path: Path) -> None:
    async with served(tmp_path) as site, opened(site.url) as page:
        await write(page, "send")
        await expect(page.get_by_text("How much?")).to_be_visible()
        session = json.loads(await page.evaluate("Object.values(localStorage)[0]"))
        await site.client.delete(f"/v1/conversations/{session['conversation']}")
        await expect(page.get_by_text("How much?")).to_be_hidden()
        await write(page, "many")
        await expect(page.get_by_text("Three.")).to_be_visible()


async def test_the_keyboard_is_enough(tmp_path: Path) -> None:
    async with served(tmp_path) as site, opened(site.url) as page:
        for text in ("send", "100"):
            await write(page, text)
        await expect(page.get_by_role("button", name="Ana", exact=True)).to_be_visible()
        await page.keyboard.press("Shift+Tab")  # from the field back to the choices, the last one first
        await expect(page.get_by_role("button", name="Luis")).to_be_focused()
        await page.keyboard.press("Enter")
        await expect(page.get_by_text("Send 100 to Luis?")).to_be_visible()
        await expect(page.get_by_role("textbox")).to_be_focused()
        await page.keyboard.type("line one")
        await page.keyboard.press("Shift+Enter")
        await page.keyboard.type("line two")
        assert await page.get_by_role("textbox").input_value() == "line one\nline two"


@pytest.mark.sweep(2)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", ["desktop", "phone"])
async def test_no_barrier_is_found(tmp_path: Path, scheme: Any, size: str) -> None:
    """axe looks at names, roles, contrast and the like; and nothing is wider than the screen."""
    shape = PHONE if size == "phone" else {"viewport": {"width": 1280, "height": 800}}
    async with (
        served(tmp_path) as site,
        opened(site.url, color_scheme=scheme, reduced_motion="reduce", **shape) as page,
    ):
        for text in ("many", "send", "an amount " * 30):
            await write(page, text)
        await expect(page.get_by_role("button", name="Luis")).to_be_visible()
        found = (await Axe().run(page)).response["violations"]
        assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found] == []
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        log = page.get_by_role("log")
        assert await log.get_attribute("aria-label") == "Conversation with Test Bank"
        assert await log.evaluate("log => log.scrollHeight - log.scrollTop - log.clientHeight < 5")


async def test_one_script_tag_puts_it_on_another_site(tmp_path: Path) -> None:
    """Another origin, a user with a token, a page with a style of its own."""
    folder = tmp_path / "shop"
    folder.mkdir()
    handler = partial(SimpleHTTPRequestHandler, directory=str(folder))
    handler.func.log_message = lambda *_: None  # type: ignore[attr-defined]  # not on the terminal
    shop = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    origin = f"http://127.0.0.1:{shop.server_port}"
    thread = threading.Thread(target=shop.serve_forever)
    thread.start()
    try:
        keys = Keys([new_key("shop")[1]])
        async with served(tmp_path, keys=keys, secret=SECRET, origins=(origin,)) as site:
            token = sign(tenant_secret(SECRET, "shop"), "shop", "ana", seconds=600, slots={"logged_in": True})
            tag = f'<script src="{site.url}/soni.js" data-token="{token}" data-name="Shop help" defer></script>'
            head = '<!doctype html><html lang="en"><head><title>Shop</title><style>button { all: unset }</style></head>'
            (folder / "index.html").write_text(f"{head}<body><h1>Shop</h1>{tag}</body></html>", encoding="utf-8")
            async with opened(origin, reduced_motion="reduce") as page:  # a look in the middle of a fade sees grey
                launcher = page.get_by_role("button", name="Chat with Shop help")
                await launcher.click()
                await expect(page.get_by_role("dialog", name="Shop help")).to_be_visible()
                await expect(page.get_by_role("textbox")).to_be_focused()
                await write(page, "vault")
                await expect(page.get_by_text("Open.")).to_be_visible()
                await page.keyboard.press("Escape")
                await expect(launcher).to_be_focused()
                await site.service.loop.run_turn("many", user_id="shop/ana")
                await expect(page.get_by_role("button", name="3 new messages")).to_be_visible()
                await launcher.or_(page.get_by_role("button", name="new messages")).click()
                await expect(page.get_by_text("Three.")).to_be_visible()
                found = (await Axe().run(page, context="soni-chat")).response["violations"]
                assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found] == []
    finally:
        shop.shutdown()
        thread.join()
        shop.server_close()


async def test_a_page_that_may_not_talk_says_so(tmp_path: Path) -> None:
    async with served(tmp_path, keys=Keys([new_key("shop")[1]]), secret=SECRET) as site, opened(site.url) as page:
        await expect(page.get_by_text("This chat is not available right now.")).to_be_visible()
        await expect(page.get_by_role("textbox")).to_be_disabled()


async def test_a_visitor_whose_token_has_run_out_gets_another(tmp_path: Path) -> None:
    async with (
        served(tmp_path, keys=Keys([new_key("shop")[1]]), secret=SECRET, visitors=True) as site,
        opened(site.url) as page,
    ):
        await write(page, "send")
        await expect(page.get_by_text("How much?")).to_be_visible()
        old = sign(tenant_secret(SECRET, "visitors"), "visitors", "somebody", seconds=-60)
        stored = json.dumps({"token": old, "conversation": "somebody"})
        await page.evaluate("value => localStorage.setItem(Object.keys(localStorage)[0], value)", stored)
        await page.reload()
        await write(page, "many")
        await expect(page.get_by_text("Three.")).to_be_visible()
        assert await texts(page) == ["many", "One.", "Two.", "Three."]


async def test_another_users_token_shows_and_sends_nothing_of_the_first(tmp_path: Path) -> None:
    """A host page that logs one user out and another in changes the token, and nothing else."""
    async with served(tmp_path, keys=Keys([new_key("shop")[1]]), secret=SECRET) as site:
        ana, luis = (sign(tenant_secret(SECRET, "shop"), "shop", name, seconds=600) for name in ("ana", "luis"))
        await site.service.loop.run_turn("send", user_id="shop/luis")
        async with opened(f"{site.url}/soni.js") as page:  # a page of this origin, without a chat yet
            await visit(page, site.url, HOST % ana)
            await write(page, "many")
            await expect(page.get_by_text("Three.")).to_be_visible()
            await page.context.route("**/ana/messages", lambda route: route.abort())
            await write(page, "ana's secret")
            await expect(page.get_by_text("Sending…")).to_be_visible()
            await page.evaluate("token => document.querySelector('soni-chat').setAttribute('token', token)", luis)
            await expect(page.get_by_text("How much?")).to_be_visible()
            await site.service.loop.run_turn("card", user_id="shop/ana")
            await write(page, "100")
            await expect(page.get_by_role("button", name="Luis")).to_be_visible()
            assert await texts(page) == ["send", "How much?", "100", "To whom?"]
        said = [line["text"] for line in await site.service.loop.transcript("shop/luis")]
        assert said == ["send", "How much?", "100", "To whom?"]
        assert "ana's secret" not in str(await site.service.loop.transcript("shop/ana"))


async def test_words_that_come_while_the_page_catches_up_stay_on_it(tmp_path: Path) -> None:
    async with served(tmp_path) as site, opened(site.url) as page:
        await write(page, "a person, please")
        await expect(page.get_by_text("Waiting for a person")).to_be_visible()
        conversation = (await site.client.get("/v1/handoffs")).json()["conversations"][0]["conversation"]
        written, said = asyncio.Event(), asyncio.Event()

        async def late(route: Any) -> None:
            """The transcript as it was before the second message, which comes before the transcript does."""
            response = await route.fetch()
            written.set()
            await said.wait()
            await route.fulfill(response=response)

        await page.route("**/transcript", late, times=1)
        await site.service.loop.say(f"local/{conversation}", "This is Marta.")
        await written.wait()
        await site.service.loop.say(f"local/{conversation}", "Your card is blocked.")
        await expect(page.get_by_text("Your card is blocked.")).to_be_visible()
        said.set()
        await expect(page.locator(".person .bubble")).to_have_text(["This is Marta.", "Your card is blocked."])


async def test_a_message_on_a_dead_connection_is_sent_again(tmp_path: Path) -> None:
    """No answer and no end: after a while without a sign of life the page asks again, under the same name."""
    async with served(tmp_path) as site, opened(site.url) as page:
        await expect(page.get_by_text("Online")).to_be_visible()
        asked = asyncio.Event()
        forever = asyncio.Event()

        async def swallow(route: Any) -> None:
            asked.set()
            await forever.wait()

        await page.clock.install()
        await page.route("**/messages", swallow, times=1)
        await write(page, "send")
        await asked.wait()
        await page.clock.fast_forward(45_000)
        await page.clock.resume()
        await expect(page.get_by_text("How much?")).to_be_visible()
        forever.set()


async def test_a_refused_new_beginning_is_told_as_such(tmp_path: Path) -> None:
    async with served(tmp_path) as site, opened(site.url) as page:
        await expect(page.get_by_text("Online")).to_be_visible()
        refuse = {"status": 429, "body": '{"detail": "too many requests"}'}
        await page.context.route("**/reset", lambda route: route.fulfill(**refuse))
        await page.get_by_role("button", name="Start again").click()
        await expect(page.get_by_text("too many requests")).to_be_visible()
        await expect(page.get_by_text("Online")).to_be_visible()


async def test_who_speaks_spanish_is_greeted_in_spanish(tmp_path: Path) -> None:
    async with bank(tmp_path) as served, opened(served.url, locale="es-MX") as page:
        await expect(page.get_by_text("Hola, soy el asistente de tu banco.")).to_be_visible()
        await expect(page.get_by_role("textbox", name="Escribe un mensaje")).to_be_visible()


@pytest.mark.sweep(4)
@pytest.mark.parametrize("accent", ["#ffe600", "#7a1f5c", "white", "tomatoo"])
async def test_any_accent_can_be_read(tmp_path: Path, accent: str) -> None:
    host = HOST.replace("token", f'accent="{accent}" data-nothing')
    for scheme in ("light", "dark"):
        async with (
            served(tmp_path) as site,
            opened(f"{site.url}/soni.js", reduced_motion="reduce", color_scheme=scheme) as page,
        ):
            await visit(page, site.url, host % "")
            for text in ("send", "100"):
                await write(page, text)
            await expect(page.get_by_role("button", name="Luis")).to_be_visible()
            found = (await Axe().run(page, context="soni-chat")).response["violations"]
            assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found] == []


async def test_a_token_that_runs_out_is_told_once_and_another_goes_on(tmp_path: Path) -> None:
    async with served(tmp_path, keys=Keys([new_key("shop")[1]]), secret=SECRET) as site:
        good, bad = (
            sign(tenant_secret(SECRET, "shop"), "shop", "ana", seconds=600),
            sign(tenant_secret(SECRET, "shop"), "shop", "ana", seconds=-600),
        )
        for token in (bad, "not a token"):
            async with opened(f"{site.url}/soni.js") as page:
                await page.add_init_script(
                    "addEventListener('soni-unauthorized', () => { told = (window.told || 0) + 1 })"
                )
                await visit(page, site.url, HOST % token)
                await page.wait_for_function("window.told")
                await page.wait_for_timeout(1500)
                assert await page.evaluate("window.told") == 1
                await page.evaluate("token => document.querySelector('soni-chat').setAttribute('token', token)", good)
                await write(page, "many")
                await expect(page.get_by_text("Three.").last).to_be_visible()
