"""A secret that somebody tells before it is asked for is masked like one that was asked for."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from soni import Actions, RuntimeLoop, load_config
from soni.actions import discover_actions
from soni.core.commands import (
    ChitChat,
    Clarify,
    Command,
    HumanHandoff,
    OutOfScope,
    SetSlot,
    StartFlow,
)
from soni.core.message_sink import BufferedMessageSink
from soni.dm.orchestrator.commands import CommandHandler
from soni.du.local.understanding import LocalUnderstanding
from soni.errors import MessageReused
from soni.flow.delta import FlowDelta
from soni.store import open_store
from soni.testing import ScriptedUnderstanding

if TYPE_CHECKING:
    from soni.core.state import DialogueState
    from soni.du.context import DialogueContext
    from soni.du.understanding import Understood
    from soni.runtime.context import RuntimeContext
    from soni.testing import Conversation
    from tests.conftest import Assistant, Talk

BANKING = Path(__file__).parents[2] / "examples" / "banking" / "domain"
CODE = "654321"

PAY = """
    slots:
      payee: {type: text}
      code: {type: text, sensitive: true, pattern: "[0-9]{6}", error: "Six digits."}
      account: {type: iban, sensitive: true}
      word: {type: text, sensitive: true}
      sure: {type: boolean}
    flows:
      pay:
        steps:
          - {collect: payee, message: "To whom?"}
          - {call: check}
          - {confirm: sure, message: "Pay {payee}?"}
          - {say: "Paid."}
      check: {if: "false", steps: [{collect: code, message: "Code?"}]}
      receive: {steps: [{collect: account, message: "Account?"}, {say: "Noted."}]}
      swear: {steps: [{collect: payee, message: "Who?"}, {collect: word, message: "Word?"}]}
      weather: {steps: [{say: "Sunny."}]}
"""


async def everything(user: Conversation) -> str:
    """All that is kept and told of a conversation, but not the values of running flows."""
    state: dict[str, Any] = dict(await user.state())
    state.pop("flow_slots")
    state.pop("flow_stack")
    state.pop("chains")
    assert user.last is not None
    loop = user._loop
    kept = [await loop.transcript(user.user_id), await loop.messages_since(user.user_id), user.last, user.sink.messages]
    return repr([state, *kept, str(await loop.explain(user.user_id))])


def stored(folder: Path) -> bytes:
    """Every byte of the files of a store."""
    files = list(folder.glob("c.db*"))
    assert files
    return b"".join(file.read_bytes() for file in files)


def heard(lines: list[Any]) -> list[str]:
    return [line["text"] for line in lines if line["role"] == "user"]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("pay Ana, my code is 654321", "pay Ana, my code is •••"),
        ("pay Ana (654321)!", "pay Ana (•••)!"),
        ("654321 is my code, pay Ana", "••• is my code, pay Ana"),
        ("pay Ana, code:654321", "pay Ana, code:•••"),
        ("pay Ana, the code is 654 321", "pay Ana, the code is •••"),
        ("pay Ana, it is 65-43-21, yes 654321", "pay Ana, it is •••, yes •••"),
        ("pay Ana 600 on the 12th", "pay Ana 600 on the 12th"),
        ("pay Ana 1654321 or A654321", "pay Ana 1654321 or A654321"),
    ],
)
async def test_only_the_words_that_look_like_the_secret_are_masked(
    assistant: Assistant, talk: Talk, said: str, kept: str
) -> None:
    user = talk(assistant(PAY))
    start, payee = StartFlow(flow="pay"), SetSlot(slot="payee", value="Ana")
    assert await user.say(start, payee, text=said) == ["Code?"]
    assert (await user.state())["user_message"] == kept
    assert heard((await user.state())["messages"]) == [kept]
    assert heard(await user._loop.transcript("test")) == [kept]
    assert user.last is not None
    assert user.last.commands == (start, payee), "the rest of what was understood stays readable"


async def test_a_secret_that_was_read_fills_its_slot_and_is_nowhere_else(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(PAY))
    commands = [StartFlow(flow="pay", slots={"code": CODE}), SetSlot(slot="payee", value="Ana")]
    await user.say(*commands, SetSlot(slot="code", value=CODE), text=f"pay Ana, code {CODE}")
    assert CODE not in await everything(user)
    state = await user.state()
    assert state["user_message"] == "pay Ana, code •••"
    assert state["commands"][0] == {"type": "start_flow", "flow": "pay", "slots": {"code": "•••"}}
    assert state["commands"][1] == {"type": "set_slot", "slot": "payee", "value": "Ana"}


async def test_a_secret_that_was_read_from_other_words_masks_the_whole_message(
    assistant: Assistant, talk: Talk
) -> None:
    user = talk(assistant(PAY))
    said = "pay Ana, six five four three two one"
    await user.say(StartFlow(flow="pay"), SetSlot(slot="code", value=CODE), text=said)
    assert (await user.state())["user_message"] == "•••"
    assert "three" not in await everything(user)


@pytest.mark.parametrize(
    "commands",
    [
        [OutOfScope()],
        [Clarify(options=["pay", "weather"])],
        [ChitChat(topic=f"the number {CODE}")],
        [HumanHandoff(reason=f"{CODE} does not work")],
    ],
)
async def test_a_secret_is_masked_whatever_the_message_is_taken_for(
    assistant: Assistant, talk: Talk, commands: list[Command]
) -> None:
    user = talk(assistant(PAY))
    await user.say(*commands, text=f"my code is {CODE}")
    assert CODE not in await everything(user)
    assert (await user.state())["user_message"] == "my code is •••"


async def test_a_message_about_another_flow_stays_as_it_is(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(PAY))
    await user.say(StartFlow(flow="weather"), text="weather for order 654321")
    assert (await user.state())["user_message"] == "weather for order 654321"


async def test_a_value_of_a_sensitive_type_is_masked(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(PAY))
    iban = "ES91 2100 0418 4502 0005 1332"
    await user.say(StartFlow(flow="receive"), SetSlot(slot="account", value=iban), text=f"my account is {iban}, thanks")
    assert "2100" not in await everything(user)
    assert (await user.state())["user_message"] == "my account is •••, thanks"


async def test_a_secret_without_a_form_cannot_be_recognised_unless_it_was_read(
    assistant: Assistant, talk: Talk
) -> None:
    user = talk(assistant(PAY))
    await user.say(StartFlow(flow="swear"), text="the word is hush")
    assert (await user.state())["user_message"] == "the word is hush"
    await user.say(SetSlot(slot="word", value="hush"), text="I said hush")
    assert (await user.state())["user_message"] == "•••"


async def test_a_pattern_is_a_rule_with_the_slots_error(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(PAY))
    await user.say(StartFlow(flow="pay", slots={"payee": "Ana"}))
    for wrong in ("12345", "1234567", "12345x", "1" * 5_000):
        assert await user.say(SetSlot(slot="code", value=wrong), text=wrong) == ["Six digits.", "Code?"]
        user = talk(assistant(PAY), user_id=wrong[:20])
        await user.say(StartFlow(flow="pay", slots={"payee": "Ana"}))
    assert await user.say(SetSlot(slot="code", value=CODE), text=CODE) == ["Pay Ana?"]


async def test_while_a_person_has_the_conversation_a_secret_is_masked(assistant: Assistant, talk: Talk) -> None:
    agent = BufferedMessageSink()
    user = talk(assistant(PAY), person=agent)
    await user.say(StartFlow(flow="pay"))
    await user.say(HumanHandoff())
    await user.say(text=f"my code is {CODE}, help")
    assert CODE not in await everything(user)
    assert CODE not in repr(agent.messages)
    assert agent.messages[-1].text == "my code is •••, help"


async def test_the_same_message_gets_the_same_answer_though_its_secret_is_forgotten(assistant: Assistant) -> None:
    async with RuntimeLoop(assistant(PAY), understanding=ScriptedUnderstanding()) as loop:
        said = f"pay, my code is {CODE} and not {CODE[::-1]}, thanks"
        first = await loop.run_turn(said, user_id="ana", message_id="1")
        assert await loop.run_turn(said, user_id="ana", message_id="1") == first
        for other in ("pay, my code is", "pay", "and not", said + "!", "x" + said, ""):
            with pytest.raises(MessageReused):
                await loop.run_turn(other, user_id="ana", message_id="1")


class Exploding(CommandHandler[OutOfScope]):
    """A handler whose mistake quotes the message."""

    command = OutOfScope

    async def handle(self, command: OutOfScope, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        raise RuntimeError(f"cannot handle {state['user_message']}")


async def test_a_turn_that_is_given_up_tells_no_secret(
    assistant: Assistant, talk: Talk, caplog: pytest.LogCaptureFixture
) -> None:
    user = talk(assistant(PAY), command_handlers=[Exploding()])
    await user.say(OutOfScope(), text=f"my code is {CODE}")
    assert CODE not in await everything(user)
    assert user.last is not None
    assert user.last.error == "RuntimeError('cannot handle my code is •••')"
    assert CODE not in caplog.text
    assert "cannot handle my code is •••" in caplog.text
    await user.say(StartFlow(flow="pay", slots={"payee": "Ana"}))
    await user.say(OutOfScope(), text=CODE)
    assert CODE not in caplog.text, "nor one that was asked for"


class Quoting:
    """An understanding that fails with the message in its error."""

    async def understand(self, message: str, context: DialogueContext) -> Understood:
        raise RuntimeError(f"cannot read {message}{'.' * 10_000}")


async def test_an_understanding_that_fails_logs_no_secret(
    assistant: Assistant, talk: Talk, caplog: pytest.LogCaptureFixture
) -> None:
    user = talk(assistant(PAY), understanding=Quoting())
    await user.say(text=f"my code is {CODE}")
    assert CODE not in caplog.text
    assert "cannot read my code is •••" in caplog.text
    assert len(caplog.text) < 2_000


async def test_in_the_bank_a_code_in_the_first_message_is_nowhere_in_the_file(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="soni")
    config, path = load_config(BANKING), tmp_path / "c.db"
    understanding = LocalUnderstanding(config)
    async with open_store(f"sqlite:{path}") as store:
        loop = RuntimeLoop(config, actions=discover_actions(BANKING), store=store, understanding=understanding)
        async with loop:
            turn = await loop.run_turn(f"send 600 to Ana, my code is {CODE}", user_id="ana")
            assert turn.text.endswith("Send €600.00 to Ana (ES91 2100 0418 4502 0005 1332)?")
            lines = await loop.transcript("ana")
            assert lines[0] == {"role": "user", "text": "send 600 to Ana, my code is •••"}
            told = [turn, lines, await loop.get_state("ana"), str(await loop.explain("ana")), caplog.text]
            assert CODE not in repr(told)
            await loop.run_turn(f"the code is {CODE}, I want a person", user_id="ana")
            assert CODE not in repr([await loop.get_handoff("ana"), await loop.get_state("ana"), caplog.text])
    assert CODE.encode() not in stored(tmp_path)


async def test_a_turn_that_was_cut_off_is_run_again_with_the_secret_and_then_masked(
    assistant: Assistant, tmp_path: Path
) -> None:
    codes: list[str] = []
    reached, actions = asyncio.Event(), Actions()

    @actions.register("use", effect="pure")
    async def use(code: str) -> dict[str, Any]:
        codes.append(code)
        if len(codes) == 1:
            reached.set()
            await asyncio.Event().wait()
        return {}

    config = assistant("""
        slots: {code: {type: text, sensitive: true, pattern: "[0-9]{6}"}}
        flows:
          pay: {steps: [{collect: code, message: "Code?"}, {action: use}, {say: "Used."}]}
    """)
    said = f"pay with {CODE}"
    scripted = ScriptedUnderstanding({said: [StartFlow(flow="pay", slots={"code": CODE})]})
    async with open_store(f"sqlite:{tmp_path}/c.db") as store:
        loop = RuntimeLoop(config, actions=actions, store=store, understanding=scripted, recover_every=None)
        turn = asyncio.create_task(loop.run_turn(said, user_id="ana"))
        await reached.wait()
        assert await loop.transcript("ana") == [], "nothing is told of a turn that has not ended"
        turn.cancel()
        with suppress(asyncio.CancelledError):
            await turn
        await loop.recover("ana")
        assert codes == [CODE, CODE]
        assert await loop.transcript("ana") == [
            {"role": "user", "text": "pay with •••"},
            {"role": "assistant", "text": "Used."},
        ]
    assert CODE.encode() not in stored(tmp_path)


@pytest.mark.parametrize("text", ["1" * 9_000, "1 " * 4_500, "a1-" * 3_000, "ES91 " * 1_800, "a" * 9_000, "• " * 4_500])
async def test_a_long_message_is_looked_through_in_no_time(assistant: Assistant, talk: Talk, text: str) -> None:
    user = talk(assistant(PAY))
    await user.say(StartFlow(flow="pay"))
    await user.say(StartFlow(flow="receive"), text=f"{text} {CODE}")
    assert CODE not in await everything(user)
