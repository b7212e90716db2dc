"""SoniDU against a real HTTP server on loopback: what it asks, what it makes of answers, and every way to fail."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import snapshot

from soni import RuntimeLoop, SoniConfig, load_config
from soni.actions import discover_actions
from soni.config.models import LLMConfig
from soni.core.commands import AffirmConfirmation, OutOfScope, SetSlot, StartFlow
from soni.core.pending_task import collect, confirm
from soni.du import SoniDU
from soni.du.context import DialogueContext
from soni.du.llm import Model, ModelFailed
from tests.contracts.test_understandings import context
from tests.du.model_server import MODEL, Answer, Cut, Fault, Garbage, ModelServer, Reply, Slow

BANKING = Path(__file__).parents[2] / "examples" / "banking" / "domain"
CONFIG = load_config(BANKING)


@pytest.fixture(autouse=True)
def _no_other_address(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_BASE", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "test-key")


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


def soni_du(server: ModelServer, **settings: Any) -> SoniDU:
    llm = LLMConfig(model=f"openai/{MODEL}", api_base=server.url, **{"retries": 0, **settings})
    return SoniDU(model=Model.configured(llm))


def commands(*given: dict[str, Any]) -> Reply:
    return Reply(f"[[ ## commands ## ]]\n{json.dumps(list(given))}\n\n[[ ## completed ## ]]")


def found(**values: str) -> Reply:
    told = [{"slot": name, "value": value} for name, value in values.items()]
    return Reply(f"[[ ## found ## ]]\n{json.dumps(told)}\n\n[[ ## completed ## ]]")


OUT_OF_SCOPE = commands({"type": "out_of_scope"})


def prompt(server: ModelServer, number: int = -1) -> str:
    return "\n".join(message["content"] for message in server.requests[number].body["messages"])


async def test_one_call_reads_a_message_and_a_second_one_the_values_of_a_flow_that_starts(server: ModelServer) -> None:
    server.replies(
        commands({"type": "start_flow", "flow": "transfer_funds"}), found(amount="50 euros", recipient="Ana")
    )
    understood = await soni_du(server).understand("wire fifty euros to my friend Ana", context(None))
    assert understood.commands == (
        StartFlow(flow="transfer_funds"),
        SetSlot(slot="amount", value="50 euros"),
        SetSlot(slot="recipient", value="Ana"),
    )
    assert understood.by == "llm"
    assert (understood.usage.calls, understood.usage.prompt_tokens, understood.usage.completion_tokens) == (2, 22, 14)
    assert understood.usage.seconds > 0
    assert server.requests[0].headers["authorization"] == "Bearer test-key"
    assert server.requests[0].body["temperature"] == 0.0


async def test_where_nothing_can_have_been_named_no_second_call_is_made(server: ModelServer) -> None:
    server.replies(commands({"type": "start_flow", "flow": "transfer_funds"}))
    assert (await soni_du(server).understand("transfer please", context(None))).usage.calls == 1
    server.replies(commands({"type": "start_flow", "flow": "check_balance"}))
    assert (await soni_du(server).understand("tell me what I own", context(None))).usage.calls == 1


async def test_a_flow_that_a_model_starts_a_thousand_times_is_read_for_once(server: ModelServer) -> None:
    server.replies(commands(*[{"type": "start_flow", "flow": "transfer_funds"}] * 1_000))
    server.always = lambda body: found(amount="50 euros")
    understood = await soni_du(server).understand("wire fifty euros to my friend Ana", context(None))
    assert understood.usage.calls == len(server.requests) == 2


@pytest.mark.parametrize(
    ("message", "task", "meant"),
    [
        ("yes, please", confirm("Go on?"), AffirmConfirmation()),
        ("50 euros", collect("How much?", "amount"), SetSlot(slot="amount", value="50 euros")),
        ("visa", collect("Which card?", "card"), SetSlot(slot="card", value="visa")),
        ("123456", collect("Code?", "code"), SetSlot(slot="code", value="123456")),
    ],
)
async def test_what_leaves_no_doubt_never_costs_a_call(
    server: ModelServer, message: str, task: Any, meant: object
) -> None:
    understood = await soni_du(server).understand(message, context(task))
    assert understood.commands == (meant,)
    assert (understood.by, understood.usage.calls, server.requests) == ("shortcut", 0, [])


@pytest.mark.parametrize(
    "bad",
    [
        Reply("I think the user wants to send money."),
        Reply('[[ ## commands ## ]]\n[{"type": "start_'),
        commands({"type": "fly_to_the_moon"}),
        commands({"type": "start_flow", "flow": "transfer_everything"}),
        commands({"type": "set_slot", "slot": "transfer_confirmed", "value": True}),
        commands({"type": "set_slot"}),
        commands(),
        Reply(""),
    ],
)
async def test_an_answer_that_cannot_be_used_is_asked_for_once_more(server: ModelServer, bad: Answer) -> None:
    server.replies(bad, commands({"type": "start_flow", "flow": "check_balance"}))
    understood = await soni_du(server).understand("how rich am I?", context(None))
    assert understood.commands == (StartFlow(flow="check_balance"),)
    assert understood.usage.calls == len(server.requests) == 2
    assert "what is wrong with it" in prompt(server)
    server.replies(bad, bad, OUT_OF_SCOPE)
    with pytest.raises(ModelFailed, match="also when asked again"):
        await soni_du(server).understand("how rich am I?", context(None))
    assert len(server.requests) == 4


@pytest.mark.parametrize("kind", ["start_flow", "cancel_flow"])
async def test_the_repair_says_what_was_made_up(server: ModelServer, kind: str) -> None:
    server.replies(commands({"type": kind, "flow": "tranfer_funds"}), OUT_OF_SCOPE)
    await soni_du(server).understand("send it", context(None))
    assert "there is no flow 'tranfer_funds'. Did you mean 'transfer_funds'?" in prompt(server)


@pytest.mark.parametrize(
    "fault",
    [Fault(429), Fault(500), Fault(401), Fault(404), Cut(20), Garbage(b"<html>"), Garbage(b"{}"), Garbage(b"[]")],
)
async def test_a_provider_that_fails_is_a_model_that_failed(server: ModelServer, fault: Answer) -> None:
    server.replies(fault, fault)
    with pytest.raises(ModelFailed):
        await soni_du(server).understand("how rich am I?", context(None))


@pytest.mark.parametrize("fault", [Fault(429), Fault(500), Fault(503)])
async def test_a_passing_fault_is_tried_again(server: ModelServer, fault: Answer) -> None:
    server.replies(fault, OUT_OF_SCOPE)
    understood = await soni_du(server, retries=1).understand("how rich am I?", context(None))
    assert understood.commands == (OutOfScope(),)
    assert len(server.requests) == 2


async def test_a_model_that_does_not_answer_is_given_up_on(server: ModelServer) -> None:
    gate = threading.Event()
    server.replies(Slow(gate))
    with pytest.raises(ModelFailed, match=r"did not answer within 0\.2 seconds"):
        await soni_du(server, timeout="0.2s").understand("how rich am I?", context(None))
    gate.set()


async def test_a_server_that_asks_for_an_hour_is_not_waited_for(server: ModelServer) -> None:
    server.replies(Fault(429, retry_after="3600"))
    with pytest.raises(ModelFailed, match="did not answer within"):
        await soni_du(server, timeout="0.3s", retries=2).understand("how rich am I?", context(None))


async def test_only_so_many_are_asked_at_once(server: ModelServer) -> None:
    gate = threading.Event()
    server.always = lambda body: Slow(gate, OUT_OF_SCOPE)
    reader = soni_du(server, concurrency=2)
    asks = [asyncio.create_task(reader.understand(f"what about {n}?", context(None))) for n in range(6)]
    await server.until(lambda: server.in_flight == 2)
    gate.set()
    assert all(one.commands == (OutOfScope(),) for one in await asyncio.gather(*asks))
    assert server.most_in_flight == 2


async def test_a_cancelled_turn_hangs_up(server: ModelServer) -> None:
    server.replies(Slow(threading.Event()))
    asking = asyncio.create_task(soni_du(server).understand("how rich am I?", context(None)))
    await server.until(lambda: server.in_flight == 1)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    await server.until(lambda: server.in_flight == 0)


async def test_a_conversation_goes_on_offline_while_the_model_is_down_and_with_it_when_it_is_back(
    server: ModelServer,
) -> None:
    server.replies(Fault(500), commands({"type": "set_slot", "slot": "recipient", "value": "Ana"}))
    reader = soni_du(server)
    async with RuntimeLoop(CONFIG, actions=discover_actions(BANKING), understanding=reader) as loop:
        turn = await loop.run_turn("send 50 euros", user_id="b44")
        assert turn.text.endswith("Who should receive it?")
        assert turn.explain.commands[-1].by == "local, instead of one that failed"
        assert turn.usage.calls == 1
        turn = await loop.run_turn("that friend of mine, Ana", user_id="b44")
        assert turn.text.startswith("Send €50.00 to Ana")
        assert (turn.usage.calls, turn.usage.prompt_tokens) == (1, 11)
        assert "asked a model: once, 11 tokens in, 7 out" in str(turn.explain)
        turn = await loop.run_turn("yes", user_id="b44")
        assert turn.text.startswith("Sending…\nDone.")
        assert turn.usage.calls == 0


async def test_a_secret_that_nobody_asked_for_does_not_reach_the_model(server: ModelServer) -> None:
    server.replies(commands({"type": "start_flow", "flow": "transfer_funds"}), found(amount="600", recipient="Ana"))
    understood = await soni_du(server).understand("wire 600 to my friend Ana, my code is 654321", context(None))
    assert understood.usage.calls == 2
    for number in range(2):
        assert "wire 600 to my friend Ana, my code is •••" in prompt(server, number)
        assert "654321" not in prompt(server, number)


async def test_secrets_never_reach_the_model(server: ModelServer) -> None:
    server.always = lambda body: OUT_OF_SCOPE
    async with RuntimeLoop(CONFIG, actions=discover_actions(BANKING), understanding=soni_du(server)) as loop:
        server.replies(
            commands({"type": "start_flow", "flow": "transfer_funds"}), found(amount="2000", recipient="Ana")
        )
        assert "6-digit code" in await loop.process_message("send 2000 euros to Ana now", user_id="secret")
        assert (await loop.process_message("123456", user_id="secret")).startswith("Send €2,000.00")
        await loop.process_message("hmm, what was that about?", user_id="secret")
    assert all("123456" not in json.dumps(request.body) for request in server.requests[:-1])
    last = prompt(server)
    assert "code = •••" in last or "code" not in last.partition("## known ##")[2].partition("## flows ##")[0]
    assert "123456" not in last.replace("In this demo it is 123456", "")


def many_flows(count: int) -> SoniConfig:
    flows: dict[str, Any] = {
        f"topic_{n}": {
            "description": f"Read about topic number {n}",
            "steps": [{"step": "s", "type": "say", "message": "x"}],
        }
        for n in range(count)
    }
    flows["feed_cat"] = {
        "description": "Feed the cat",
        "trigger": {"intents": ["give the cat some food"]},
        "steps": [{"step": "s", "type": "say", "message": "Miau."}],
    }
    return SoniConfig.model_validate({"flows": flows})


async def test_the_prompt_does_not_grow_with_the_number_of_flows(server: ModelServer) -> None:
    server.always = lambda body: OUT_OF_SCOPE
    sizes = []
    for count in (10, 40, 400):
        reader, config = soni_du(server), many_flows(count)
        await reader.understand("the cat is hungry, give it food", context(None, config))
        sizes.append(len(prompt(server)))
        assert "feed_cat: Feed the cat" in prompt(server)
    assert sizes[2] < sizes[0] * 1.1


def running() -> DialogueContext:
    return context(
        collect("Who should receive it?", "recipient"),
        flow="transfer_funds",
        paused=("pay_bill",),
        filled={"amount": "200", "code": "123456"},
        history=[("user", "send 200"), ("assistant", "Who should receive it?")],
    )


async def test_what_the_model_is_shown(server: ModelServer) -> None:
    server.replies(OUT_OF_SCOPE)
    await soni_du(server).understand("the same as last time, but 300", running())
    user = server.requests[0].body["messages"][-1]["content"]
    assert user == snapshot("""\
[[ ## message ## ]]
the same as last time, but 300

[[ ## open_question ## ]]
Who should receive it?

[[ ## open_slot ## ]]
recipient

[[ ## active_flow ## ]]
transfer_funds

[[ ## paused_flows ## ]]
["pay_bill"]

[[ ## known ## ]]
["amount = 200", "code = •••"]

[[ ## flows ## ]]
["check_balance: Tell how much money is in the accounts; for example: 'check my balance', 'how much do I have?'", "list_transactions: List the latest movements of the account; for example: 'show my transactions', 'what did I spend lately?'", "pay_bill: Pay an electricity, water or phone bill; for example: 'pay a bill', 'pay my {biller} bill'", "block_card: Block a card that was lost or stolen; for example: 'block my card', 'I lost my card'", "transfer_funds: Send money to another person; for example: 'send money', 'make a transfer'"]

[[ ## slots ## ]]
["amount (money): How much to send", "recipient (text): Who receives the money", "iban (iban): The recipient's IBAN"]

[[ ## history ## ]]
["user: send 200", "assistant: Who should receive it?"]

[[ ## today ## ]]
Sunday 2026-11-15

[[ ## language ## ]]
en

Respond with the corresponding output fields, starting with the field `[[ ## commands ## ]]` (must be formatted as a valid Python list[Union[StartFlow, CancelFlow, SetSlot, CorrectSlot, ClearSlot, AffirmConfirmation, DenyConfirmation, Acknowledge, Skip, Repeat, Wait, Explain, Clarify, ChitChat, Help, OutOfScope, HumanHandoff, ResumeFlow, Restart]]), and then ending with the marker for `[[ ## completed ## ]]`.\
""")


async def test_what_the_model_is_told_to_do(server: ModelServer) -> None:
    server.replies(OUT_OF_SCOPE)
    await soni_du(server).understand("the same as last time, but 300", running())
    assert server.requests[0].body["messages"][0]["content"] == snapshot("""\
Your input fields are:
1. `message` (str): what the user just said
2. `open_question` (str): what the assistant has asked, if anything
3. `open_slot` (str): the slot that question fills; 'confirmation' for a yes or no
4. `active_flow` (str): the flow that is running
5. `paused_flows` (list[str]): flows that were left open and can be resumed
6. `known` (list[str]): slots that have a value
7. `flows` (list[str]): flows that can be started
8. `slots` (list[str]): slots of the running flow
9. `history` (list[str]): the last messages of both sides
10. `today` (str): the day on which this is said
11. `language` (str): the language of the conversation
Your output fields are:
1. `commands` (list[Union[StartFlow, CancelFlow, SetSlot, CorrectSlot, ClearSlot, AffirmConfirmation, DenyConfirmation, Acknowledge, Skip, Repeat, Wait, Explain, Clarify, ChitChat, Help, OutOfScope, HumanHandoff, ResumeFlow, Restart]]): what the message means
All interactions will be structured in the following way, with the appropriate values filled in.

[[ ## message ## ]]
{message}

[[ ## open_question ## ]]
{open_question}

[[ ## open_slot ## ]]
{open_slot}

[[ ## active_flow ## ]]
{active_flow}

[[ ## paused_flows ## ]]
{paused_flows}

[[ ## known ## ]]
{known}

[[ ## flows ## ]]
{flows}

[[ ## slots ## ]]
{slots}

[[ ## history ## ]]
{history}

[[ ## today ## ]]
{today}

[[ ## language ## ]]
{language}

[[ ## commands ## ]]
{commands}        # note: the value you produce must adhere to the JSON schema: {"type": "array", "$defs": {"Acknowledge": {"type": "object", "additionalProperties": false, "description": "Go on: seen what was told.", "properties": {"type": {"type": "string", "const": "acknowledge", "title": "Type"}}, "required": ["type"], "title": "Acknowledge"}, "AffirmConfirmation": {"type": "object", "additionalProperties": false, "description": "Yes to the confirmation that is open.", "properties": {"type": {"type": "string", "const": "affirm_confirmation", "title": "Type"}}, "required": ["type"], "title": "AffirmConfirmation"}, "CancelFlow": {"type": "object", "additionalProperties": false, "description": "Stop what is being done, or another flow that is open, by name.", "properties": {"type": {"type": "string", "const": "cancel_flow", "title": "Type"}, "flow": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": null, "title": "Flow"}}, "required": ["type"], "title": "CancelFlow"}, "ChitChat": {"type": "object", "additionalProperties": false, "description": "Small talk: a greeting, thanks, goodbye (the topic), or anything else said in passing.", "properties": {"type": {"type": "string", "const": "chit_chat", "title": "Type"}, "topic": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": null, "title": "Topic"}}, "required": ["type"], "title": "ChitChat"}, "Clarify": {"type": "object", "additionalProperties": false, "description": "The message fits several flows; the person is to say which.", "properties": {"type": {"type": "string", "const": "clarify", "title": "Type"}, "options": {"type": "array", "items": {"type": "string"}, "title": "Options"}}, "required": ["options", "type"], "title": "Clarify"}, "ClearSlot": {"type": "object", "additionalProperties": false, "description": "Forget a value; a slot that may stay empty is not asked for again.", "properties": {"type": {"type": "string", "const": "clear_slot", "title": "Type"}, "slot": {"type": "string", "title": "Slot"}}, "required": ["slot", "type"], "title": "ClearSlot"}, "CorrectSlot": {"type": "object", "additionalProperties": false, "description": "Replace a value given earlier, or take it back when no new one is said.", "properties": {"type": {"type": "string", "const": "correct_slot", "title": "Type"}, "slot": {"type": "string", "title": "Slot"}, "value": {"default": null, "title": "Value"}}, "required": ["slot", "type"], "title": "CorrectSlot"}, "DenyConfirmation": {"type": "object", "additionalProperties": false, "description": "No to the confirmation that is open.", "properties": {"type": {"type": "string", "const": "deny_confirmation", "title": "Type"}}, "required": ["type"], "title": "DenyConfirmation"}, "Explain": {"type": "object", "additionalProperties": false, "description": "Tell me more about the open question.\\n\\nThe topic is why (it is asked), where (to find the answer), meaning (of it) or difference (between its options).", "properties": {"type": {"type": "string", "const": "explain", "title": "Type"}, "topic": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": null, "title": "Topic"}}, "required": ["type"], "title": "Explain"}, "Help": {"type": "object", "additionalProperties": false, "description": "Tell me what you can do.", "properties": {"type": {"type": "string", "const": "help", "title": "Type"}}, "required": ["type"], "title": "Help"}, "HumanHandoff": {"type": "object", "additionalProperties": false, "description": "Let me talk to a person.", "properties": {"type": {"type": "string", "const": "human_handoff", "title": "Type"}, "reason": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": null, "title": "Reason"}}, "required": ["type"], "title": "HumanHandoff"}, "OutOfScope": {"type": "object", "additionalProperties": false, "description": "Something this assistant has no flow for.", "properties": {"type": {"type": "string", "const": "out_of_scope", "title": "Type"}}, "required": ["type"], "title": "OutOfScope"}, "Repeat": {"type": "object", "additionalProperties": false, "description": "Say the last question again.", "properties": {"type": {"type": "string", "const": "repeat", "title": "Type"}}, "required": ["type"], "title": "Repeat"}, "Restart": {"type": "object", "additionalProperties": false, "description": "Forget everything that is open, and begin anew.", "properties": {"type": {"type": "string", "const": "restart", "title": "Type"}}, "required": ["type"], "title": "Restart"}, "ResumeFlow": {"type": "object", "additionalProperties": false, "description": "Go on with something that was left open: a flow by name, or the last one.", "properties": {"type": {"type": "string", "const": "resume_flow", "title": "Type"}, "flow": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": null, "title": "Flow"}}, "required": ["type"], "title": "ResumeFlow"}, "SetSlot": {"type": "object", "additionalProperties": false, "description": "Give a slot its value, as words or as a value.", "properties": {"type": {"type": "string", "const": "set_slot", "title": "Type"}, "slot": {"type": "string", "title": "Slot"}, "value": {"title": "Value"}}, "required": ["slot", "value", "type"], "title": "SetSlot"}, "Skip": {"type": "object", "additionalProperties": false, "description": "Leave the question that is open unanswered, and go on.", "properties": {"type": {"type": "string", "const": "skip", "title": "Type"}}, "required": ["type"], "title": "Skip"}, "StartFlow": {"type": "object", "additionalProperties": false, "description": "Begin a flow, perhaps with values that were said in the same breath.", "properties": {"type": {"type": "string", "const": "start_flow", "title": "Type"}, "flow": {"type": "string", "title": "Flow"}, "slots": {"type": "object", "additionalProperties": true, "default": {}, "title": "Slots"}}, "required": ["flow", "type"], "title": "StartFlow"}, "Wait": {"type": "object", "additionalProperties": false, "description": "The person needs a moment before they answer.", "properties": {"type": {"type": "string", "const": "wait", "title": "Type"}}, "required": ["type"], "title": "Wait"}}, "items": {"anyOf": [{"$ref": "#/$defs/StartFlow"}, {"$ref": "#/$defs/CancelFlow"}, {"$ref": "#/$defs/SetSlot"}, {"$ref": "#/$defs/CorrectSlot"}, {"$ref": "#/$defs/ClearSlot"}, {"$ref": "#/$defs/AffirmConfirmation"}, {"$ref": "#/$defs/DenyConfirmation"}, {"$ref": "#/$defs/Acknowledge"}, {"$ref": "#/$defs/Skip"}, {"$ref": "#/$defs/Repeat"}, {"$ref": "#/$defs/Wait"}, {"$ref": "#/$defs/Explain"}, {"$ref": "#/$defs/Clarify"}, {"$ref": "#/$defs/ChitChat"}, {"$ref": "#/$defs/Help"}, {"$ref": "#/$defs/OutOfScope"}, {"$ref": "#/$defs/HumanHandoff"}, {"$ref": "#/$defs/ResumeFlow"}, {"$ref": "#/$defs/Restart"}]}}

[[ ## completed ## ]]
In adhering to this structure, your objective is: \n\
        Read what the user wants from a task-oriented assistant. Give the commands the message means, in spoken order. Use only the flows and slots listed. Copy values from the user's words. An answer to the open question sets its slot; a new value for a known slot corrects it. A yes or a no answers a confirmation only if one is open. If nothing fits, the message is out of scope.\
""")


async def test_what_the_model_is_shown_to_find_values(server: ModelServer) -> None:
    server.replies(commands({"type": "start_flow", "flow": "pay_bill"}), found(biller="water"))
    await soni_du(server).understand("the water needs paying", context(None))
    assert prompt(server) == snapshot("""\
Your input fields are:
1. `message` (str): what the user said
2. `slots` (list[str]): the slots whose values may have been said
Your output fields are:
1. `found` (list[SlotValue]): only values that the message holds
All interactions will be structured in the following way, with the appropriate values filled in.

[[ ## message ## ]]
{message}

[[ ## slots ## ]]
{slots}

[[ ## found ## ]]
{found}        # note: the value you produce must adhere to the JSON schema: {"type": "array", "$defs": {"SlotValue": {"type": "object", "description": "A slot and the user's words for its value.", "properties": {"slot": {"type": "string", "title": "Slot"}, "value": {"type": "string", "title": "Value"}}, "required": ["slot", "value"], "title": "SlotValue"}}, "items": {"$ref": "#/$defs/SlotValue"}}

[[ ## completed ## ]]
In adhering to this structure, your objective is: \n\
        Copy the values of these slots out of the user's message. Leave out what was not said.
[[ ## message ## ]]
the water needs paying

[[ ## slots ## ]]
["biller (choice): Which bill; one of electricity, water, phone", "receipt_email (email): Where to send the receipt"]

Respond with the corresponding output fields, starting with the field `[[ ## found ## ]]` (must be formatted as a valid Python list[SlotValue]), and then ending with the marker for `[[ ## completed ## ]]`.\
""")
