"""RuntimeLoop: many conversations at once, one turn after the other in each, and failures that stay where they are."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from soni import Actions, ConfigError, RuntimeLoop, SoniConfig
from soni.config.models import PersistenceConfig
from soni.core.commands import Acknowledge, AffirmConfirmation, CancelFlow, SetSlot, StartFlow
from soni.core.message_sink import BufferedMessageSink, CallbackMessageSink, Message
from soni.core.state import DialogueState
from soni.dm.orchestrator.commands import CommandHandler
from soni.du.context import DialogueContext
from soni.du.understanding import Understood
from soni.errors import ConversationError
from soni.flow.delta import FlowDelta
from soni.runtime.context import RuntimeContext
from soni.store import history, open_store
from soni.store.sqlite import SqliteStore
from soni.testing import Conversation, ScriptedUnderstanding
from tests.conftest import Assistant, Talk

NAMES = """
    slots: {name: {type: text}, pet: {type: text}}
    flows:
      meet:
        steps:
          - {collect: name, message: "Name?"}
          - {collect: pet, message: "{name}, pet?"}
          - {say: "{name} and {pet}."}
      other: {steps: [{say: "Hi."}]}
"""


class Parrot:
    """Understands 'start', and everything else as the answer to the open question."""

    async def understand(self, message: str, context: DialogueContext) -> Understood:
        await asyncio.sleep(0)
        command = StartFlow(flow="meet") if context.asked is None else SetSlot(slot=context.asked, value=message)
        return Understood.of([command], by="parrot")


async def test_users_at_once_never_see_each_others_text(assistant: Assistant) -> None:
    async with RuntimeLoop(assistant(NAMES), understanding=Parrot()) as loop:
        sinks = {f"user{n}": BufferedMessageSink() for n in range(20)}

        async def converse(user: str) -> None:
            for text in ("start", user, f"pet of {user}"):
                await loop.run_turn(text, user_id=user, sink=sinks[user])

        await asyncio.gather(*(converse(user) for user in sinks))
    for user, sink in sinks.items():
        texts = [message.text for message in sink.messages]
        assert texts == ["Name?", f"{user}, pet?", f"{user} and pet of {user}."]


async def test_messages_at_once_of_one_user_are_answered_one_after_the_other(assistant: Assistant) -> None:
    async with RuntimeLoop(assistant(NAMES), understanding=Parrot()) as loop:
        answers = await asyncio.gather(*(loop.process_message(text, user_id="a") for text in ("start", "Ana", "Rex")))
    assert answers == ["Name?", "Ana, pet?", "Ana and Rex."]


async def test_a_message_in_the_middle_of_a_turn_waits_for_it(assistant: Assistant) -> None:
    config = assistant("""
        slots: {n: {type: integer, source: system}}
        flows:
          slow: {steps: [{action: wait, map_outputs: {n: n}}, {say: "Slow {n}."}]}
          fast: {steps: [{say: "Fast."}]}
    """)
    started, finish = asyncio.Event(), asyncio.Event()
    actions = Actions()

    @actions.register("wait", effect="pure")
    async def wait() -> dict[str, int]:
        started.set()
        await finish.wait()
        return {"n": 1}

    order: list[str] = []
    sink = CallbackMessageSink(lambda message: order.append(message.text))
    understanding = ScriptedUnderstanding({"slow": [StartFlow(flow="slow")], "fast": [StartFlow(flow="fast")]})
    async with RuntimeLoop(config, actions=actions, understanding=understanding) as loop:
        first = asyncio.create_task(loop.run_turn("slow", user_id="a", sink=sink))
        await started.wait()
        second = asyncio.create_task(loop.run_turn("fast", user_id="a", sink=sink))
        other = await loop.run_turn("fast", user_id="b")
        assert other.text == "Fast."
        assert not second.done()
        finish.set()
        await asyncio.gather(first, second)
    assert order == ["Slow 1.", "Fast."]


class Broken:
    """An understanding that fails on demand."""

    def __init__(self) -> None:
        self.fails = False

    async def understand(self, message: str, context: DialogueContext) -> Understood:
        if self.fails:
            raise RuntimeError("provider down")
        return await Parrot().understand(message, context)


async def test_b44_an_understanding_that_fails_costs_one_answer_and_nothing_else(assistant: Assistant) -> None:
    understanding = Broken()
    async with RuntimeLoop(assistant(NAMES), understanding=understanding) as loop:
        await loop.process_message("start", user_id="a")
        understanding.fails = True
        turn = await loop.run_turn("Ana", user_id="a")
        assert turn.text == "Ana, pet?", "the offline understanding takes over"
        assert turn.explain.commands[0].by == "local, instead of one that failed"
        assert await loop.process_message("?!", user_id="a") == (
            "Sorry, I have trouble understanding anything just now. Please say it again in a moment.\nAna, pet?"
        )
        understanding.fails = False
        assert await loop.process_message("Rex", user_id="a") == "Ana and Rex."


class Exploding(CommandHandler[Acknowledge]):
    """A handler with a mistake in it."""

    command = Acknowledge

    async def handle(self, command: Acknowledge, state: DialogueState, context: RuntimeContext) -> FlowDelta:
        raise RuntimeError("a mistake")


@pytest.mark.parametrize("backend", ["memory", "sqlite"])
@pytest.mark.parametrize("new_loop", [False, True])
async def test_g6_a_turn_that_fails_leaves_the_conversation_where_it_was(
    assistant: Assistant, tmp_path: Path, backend: Any, new_loop: bool
) -> None:
    """Also when the very first turn fails, and when several fail in a row."""
    config = assistant(NAMES)
    persistence = PersistenceConfig(backend=backend, path=str(tmp_path / "c.db"))
    async with open_store(persistence.url) as store:
        user = Conversation(config, store=store, fresh=new_loop, command_handlers=[Exploding()])

        async def fail() -> None:
            said = await user.say(Acknowledge())
            assert said == ["Sorry, something went wrong on my side. Please try again."]
            assert user.last is not None
            assert user.last.error

        await fail()
        assert await user.say(StartFlow(flow="meet")) == ["Name?"]
        await fail()
        await fail()
        assert await user.say(SetSlot(slot="name", value="Ana")) == ["Ana, pet?"]
        await fail()
        assert await user.say(SetSlot(slot="pet", value="Rex")) == ["Ana and Rex."]
        assert (await user.state())["turn"] == 7, "a turn that failed has its number"


class Nonsense:
    """An understanding that gives back what no one can use."""

    def __init__(self) -> None:
        self.gives: Any = None

    async def understand(self, message: str, context: DialogueContext) -> Understood:
        return self.gives  # type: ignore[no-any-return]  # nonsense has no type


@pytest.mark.parametrize(
    "nonsense",
    [None, "text", [], Understood.of([SetSlot(slot="name", value=object())], by="x"), 3],
    ids=["nothing", "text", "list", "object", "number"],
)
async def test_b44_nonsense_from_an_understanding_is_out_of_scope(assistant: Assistant, nonsense: Any) -> None:
    understanding = Nonsense()
    async with RuntimeLoop(assistant(NAMES), understanding=understanding) as loop:
        understanding.gives = Understood.of([StartFlow(flow="meet")], by="x")
        assert await loop.process_message("start", user_id="a") == "Name?"
        understanding.gives = nonsense
        turn = await loop.run_turn("…", user_id="a")
        assert turn.error is None
        assert turn.text.endswith("Name?")


@pytest.mark.parametrize("backend", ["memory", "sqlite"])
@pytest.mark.parametrize("ticks", [0, 1, 2, 3, 5, 8, 13, 21])
async def test_g2_a_turn_cancelled_at_any_moment_is_finished_if_it_was_accepted(
    assistant: Assistant, tmp_path: Path, backend: Any, ticks: int
) -> None:
    persistence = PersistenceConfig(backend=backend, path=str(tmp_path / "c.db"))
    async with (
        open_store(persistence.url) as store,
        RuntimeLoop(assistant(NAMES), store=store, understanding=Parrot()) as loop,
    ):
        await loop.process_message("start", user_id="a")
        for name in ("Ana", "Bea"):
            turn = asyncio.create_task(loop.run_turn(f"not {name}", user_id="a"))
            for _ in range(ticks):
                await asyncio.sleep(0)
            turn.cancel()
            with suppress(asyncio.CancelledError):
                await turn
        await loop.recover_all()
        heard = [line["text"] for line in await loop.transcript("a") if line["role"] == "user"]
        assert heard in (["start"], ["start", "not Ana"], ["start", "not Ana", "not Bea"], ["start", "not Bea"])
        names = [name for name in heard if name.startswith("not")]
        last = ["Name?", f"{names[0]}, pet?" if names else "", " and ".join(names) + "."][len(names)]
        assert (await loop.transcript("a"))[-1]["text"] == last
        assert (await loop.run_turn("x", user_id="a")).error is None


async def test_a_sink_that_is_cancelled_does_not_stop_the_turn(assistant: Assistant) -> None:
    async def fail(message: Message) -> None:
        raise asyncio.CancelledError

    async with RuntimeLoop(assistant(NAMES), understanding=Parrot()) as loop:
        assert (await loop.run_turn("start", user_id="a", sink=CallbackMessageSink(fail))).text == "Name?"


async def test_a_sink_that_fails_does_not_stop_the_turn(assistant: Assistant) -> None:
    def fail(message: Message) -> None:
        raise ConnectionResetError

    async with RuntimeLoop(assistant(NAMES), understanding=Parrot()) as loop:
        turn = await loop.run_turn("start", user_id="a", sink=CallbackMessageSink(fail))
        assert turn.text == "Name?"
        assert turn.error is None
        assert await loop.process_message("Ana", user_id="a") == "Ana, pet?"


EDITED = {
    "a step was renamed": ("{collect: pet, message", "{step: ask_pet, type: collect, slot: pet, message"),
    "the flow was renamed": ("      meet:", "      greet:"),
    "a slot became of another type": ("name: {type: text}", "name: {type: date}"),
    "a slot was renamed": ("name", "first_name"),
}


@pytest.mark.parametrize(("old", "new"), EDITED.values(), ids=EDITED.keys())
async def test_an_edited_assistant_does_not_strand_the_conversations_it_had(
    assistant: Assistant, tmp_path: Path, old: str, new: str
) -> None:
    async with open_store(f"sqlite:{tmp_path}/c.db") as store:
        before = Conversation(assistant(NAMES), store=store)
        await before.say(StartFlow(flow="meet"))
        assert await before.say(SetSlot(slot="name", value="Ana")) == ["Ana, pet?"]
        after = Conversation(assistant(NAMES.replace(old, new)), store=store)
        said = await after.say(StartFlow(flow="other"))
        assert after.last is not None
        assert after.last.error is None
        assert "Hi." in said
        flow = "greet" if "greet" in new else "meet"
        assert (await after.say(CancelFlow(), StartFlow(flow=flow)))[-1] == "Name?"


async def test_the_trace_says_what_became_of_a_flow_of_an_older_assistant(assistant: Assistant) -> None:
    for old, new, why in (
        ("Hi.", "Hello.", "it goes on at step 'collect_pet'"),
        (*EDITED["a step was renamed"], "it was closed: step 'collect_pet', or what led to it, is not there any more"),
    ):
        store = SqliteStore()
        before = Conversation(assistant(NAMES), store=store)
        await before.say(StartFlow(flow="meet", slots={"name": "Ana"}))
        after = Conversation(assistant(NAMES.replace(old, new)), store=store)
        await after.say(StartFlow(flow="other"))
        assert after.last is not None
        changes = [event for event in after.last.explain.events if event.event == "assistant_changed"]
        assert [(event.flow, event.why) for event in changes] == [("meet", why)]
        await after.say(StartFlow(flow="other"))
        assert "assistant_changed" not in str(after.last.explain), "told once"


async def test_the_journal_knows_which_assistant_had_each_turn(assistant: Assistant) -> None:
    store = SqliteStore()
    for text in ("Hi.", "Hello.", "Hello."):
        user = Conversation(assistant(NAMES.replace("Hi.", text)), store=store)
        await user.say(StartFlow(flow="other"))
    marks = [record.fingerprint for record in await history.turns(store, "test", last=3)]
    assert marks[0] != marks[1] == marks[2]


CONFIRM = """
    slots: {amount: {type: integer}, kind: {type: choice, options: [fast, slow]}, ok: {type: boolean}}
    flows:
      send:
        steps:
          - {step: ask, type: collect, slot: amount, message: "How much?"}
          - {step: how, type: collect, slot: kind, message: "How?"}
          - {step: review, type: confirm, slot: ok, message: "Send {amount} {kind}?"}
          - {action: pay}
      other: {steps: [{say: "Hi."}]}
"""
EDITS = {
    "the text": ('"Send {amount} {kind}?"', '"Send {amount} {kind} and subscribe?"'),
    "the step's type": ("type: confirm, slot: ok, message", "type: say, wait_for_ack: true, message"),
    "an option": ("[fast, slow]", "[slow, slower]"),
    "a type": ("amount: {type: integer}", "amount: {type: date}"),
    "an earlier step": ("step: ask,", "step: ask_amount,"),
}


@pytest.mark.parametrize(("old", "new"), EDITS.values(), ids=EDITS.keys())
async def test_a_yes_to_what_has_been_edited_meanwhile_does_nothing(assistant: Assistant, old: str, new: str) -> None:
    paid: list[int] = []
    actions = Actions()
    actions.register("pay")(lambda amount: paid.append(amount))
    store = SqliteStore()
    before = Conversation(assistant(CONFIRM), actions=actions, store=store)
    await before.say(StartFlow(flow="send", slots={"amount": 5, "kind": "fast"}))
    after = Conversation(assistant(CONFIRM.replace(old, new)), actions=actions, store=store)
    await after.say(AffirmConfirmation(), Acknowledge())
    assert after.last is not None
    assert after.last.error is None
    assert paid == []


async def test_an_edit_elsewhere_leaves_a_conversation_where_it_was(assistant: Assistant) -> None:
    store = SqliteStore()
    before = Conversation(assistant(NAMES), store=store)
    await before.say(StartFlow(flow="meet"))
    edited = NAMES.replace("Hi.", "Hello.").replace("{name}, pet?", "And the pet, {name}?")
    after = Conversation(assistant(edited), store=store)
    assert await after.say(SetSlot(slot="name", value="Ana")) == ["And the pet, Ana?"]


async def test_reset_and_forget_leave_nothing_behind(assistant: Assistant, tmp_path: Path) -> None:
    path = tmp_path / "c.db"
    async with (
        open_store(f"sqlite:{path}") as store,
        RuntimeLoop(assistant(NAMES), store=store, understanding=Parrot()) as loop,
    ):
        for user in ("a", "b"):
            await loop.process_message("start", user_id=user)
            await loop.process_message(f"Name-{user}", user_id=user)
        await loop.forget("a")
        assert (await loop.get_state("a"))["turn"] == 0
        assert (await loop.get_state("b"))["turn"] == 2
        assert await loop.process_message("start", user_id="a") == "Name?"
        await loop.forget("a")
    dump = _dumped(path)
    assert "Name-a" not in dump
    assert _hex("Name-a") not in dump
    assert _hex("Name-b") in dump, "or this test looks in the wrong place"


def _dumped(path: Path) -> str:
    with closing(sqlite3.connect(path)) as database:
        return "\n".join(database.iterdump())


def _hex(text: str) -> str:
    return text.encode().hex().upper()


async def test_sensitive_answers_are_in_the_flows_slots_and_nowhere_else(assistant: Assistant, tmp_path: Path) -> None:
    config = assistant("""
        slots:
          pin: {type: text, sensitive: true, validate: "len(pin) == 4"}
          name: {type: text}
        flows:
          login:
            steps:
              - {collect: pin, message: "PIN?"}
              - {collect: name, message: "Name of {pin}?"}
              - {say: "Hello."}
          other: {steps: [{say: "Hi."}]}
    """)
    path = tmp_path / "c.db"
    async with open_store(f"sqlite:{path}") as store:
        user = Conversation(config, store=store)
        await user.say(StartFlow(flow="login"))
        await user.say(SetSlot(slot="pin", value="987654"), text="987654")
        assert await user.say(SetSlot(slot="pin", value="quiz"), text="it is quiz") == ["Name of •••?"]
        state = await user.state()
        assert state["flow_slots"]["login#1"] == {"pin": "quiz"}
        rest = {key: value for key, value in state.items() if key not in ("flow_slots", "chains")}
        assert "quiz" not in str(rest)
        assert "987654" not in str(rest)
        assert user.last is not None
        assert "quiz" not in str(user.last.trace)
        await user.say(SetSlot(slot="name", value="Ana"))
        assert "quiz" not in str(await user.state())
    dump = _dumped(path)
    assert "987654" not in dump
    assert _hex("987654") not in dump, "a refused value was never anybody's slot"


async def test_a_branch_on_a_secret_does_not_tell_it(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {level: {type: choice, options: [hush, open], sensitive: true}}
        flows:
          go:
            steps:
              - {collect: level, message: "Level?"}
              - {step: way, type: branch, slot: level, cases: {hush: quiet}}
              - {step: quiet, type: say, message: "Shh."}
          other: {steps: [{say: "Hi."}]}
    """)
    user = talk(config)
    await user.say(StartFlow(flow="go"))
    assert await user.choose("hush") == ["Shh."]
    assert user.last is not None
    assert "hush" not in str(user.last.trace)
    assert "hush" not in str({**await user.state(), "messages": [], "flow_slots": {}})


async def test_conversation_wide_slots_come_from_the_host_and_guard_flows(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {logged_in: {type: boolean, source: system, scope: conversation}}
        flows:
          secret: {if: "logged_in", steps: [{say: "The secret."}]}
          other: {steps: [{say: "Hi."}]}
    """)
    user = talk(config)
    assert await user.say(StartFlow(flow="secret")) == ["I cannot do that right now."]
    assert await user.say(StartFlow(flow="secret"), slots={"logged_in": True}) == ["The secret."]
    assert await user.say(StartFlow(flow="secret")) == ["The secret."]
    assert await user.say(StartFlow(flow="secret"), slots={"logged_in": None}) == ["I cannot do that right now."]


async def test_host_slots_also_arrive_while_a_question_is_open(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots:
          tier: {type: text, source: system, scope: conversation}
          name: {type: text}
        flows:
          meet: {steps: [{collect: name, message: "Name?"}, {say: "{name}, {tier}."}]}
          other: {steps: [{say: "Hi."}]}
    """)
    user = talk(config)
    await user.say(StartFlow(flow="meet"))
    assert await user.say(SetSlot(slot="name", value="Ana"), slots={"tier": "gold"}) == ["Ana, gold."]


@pytest.mark.parametrize("slots", [{"nope": 1}, {"name": "x"}])
async def test_host_slots_that_cannot_be_set_are_refused_with_the_reason(
    assistant: Assistant, slots: dict[str, Any]
) -> None:
    async with RuntimeLoop(assistant(NAMES), understanding=Parrot()) as loop:
        with pytest.raises(ConversationError, match="conversation-wide slot"):
            await loop.run_turn("start", user_id="a", slots=slots)
        assert await loop.process_message("start", user_id="a") == "Name?"


async def test_bad_turns_are_refused_with_the_reason(assistant: Assistant) -> None:
    loop = RuntimeLoop(assistant(NAMES), understanding=None)
    with pytest.raises(ConversationError, match="async with"):
        await loop.process_message("start", user_id="a")
    async with RuntimeLoop(assistant(NAMES), understanding=Parrot()) as loop:
        with pytest.raises(ConversationError, match="user_id"):
            await loop.process_message("start", user_id="")
        with pytest.raises(ConversationError, match="characters"):
            await loop.process_message("x" * 20_000, user_id="a")
        for bad in (None, 3, b"bytes", ["text"]):
            with pytest.raises(ConversationError, match="a message is text"):
                await loop.process_message(bad, user_id="a")  # type: ignore[arg-type]  # on purpose
        for worse in ("abc", [1], 5):
            with pytest.raises(ConversationError, match="a payload is the map"):
                await loop.run_turn("x", user_id="a", payload=worse)  # type: ignore[arg-type]  # on purpose
        with pytest.raises(ConversationError, match="text"):
            await loop.run_turn("x", user_id="a", payload={"task": object()})  # type: ignore[dict-item]  # on purpose
        assert await loop.process_message("half a character: \ud83d", user_id="a") == "Name?"
        assert "?, pet?" in await loop.process_message("\ud83d", user_id="a")


def test_what_does_not_fit_together_fails_at_the_start(assistant: Assistant) -> None:
    config = assistant("flows: {a: {steps: [{action: pay}]}}")
    with pytest.raises(ConfigError, match=r"assistant\.yaml:1:\d+: .*'pay', which is not registered"):
        RuntimeLoop(config)


async def test_a_single_flow_starts_with_whatever_is_said_but_only_once(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant("flows: {hello: {steps: [{say: Hello!}]}}"))
    assert await user.say() == ["Hello!"]
    assert (await user.say())[0].startswith("Sorry, I did not understand")


async def test_the_state_stays_small_however_long_the_conversation(assistant: Assistant) -> None:
    store = SqliteStore()
    user = Conversation(assistant(NAMES), store=store)
    sizes = []
    for _ in range(30):
        await user.say(StartFlow(flow="meet"))
        await user.say(SetSlot(slot="name", value="Ana"))
        await user.say(SetSlot(slot="pet", value="Rex"))
        sizes.append(len(str(await user.state())))
        assert (await user.state())["flow_slots"] == {}
    assert sizes[-1] <= sizes[10] + 20


async def test_a_turn_result_tells_what_was_understood_and_which_steps_ran(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(NAMES))
    await user.say(StartFlow(flow="meet", slots={"name": "Ana"}))
    assert user.last is not None
    assert user.last.commands == (StartFlow(flow="meet", slots={"name": "Ana"}),)
    assert user.last.pending is not None
    assert user.last.pending["type"] == "collect"
    steps = [(entry["step"], entry.get("why")) for entry in user.last.trace if "step" in entry]
    assert steps == [("collect_name", "name is filled"), ("collect_pet", "pet is empty")]
    assert user.last.trace[0]["by"] == "scripted"


async def test_yes_is_ignored_where_nothing_is_asked(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(NAMES))
    await user.say(StartFlow(flow="meet"))
    assert await user.say(AffirmConfirmation()) == ["Name?"]


def test_config_is_checked_again_with_the_actions(assistant: Assistant) -> None:
    config: SoniConfig = assistant("slots: {a: {type: text, validate: nope}}\nflows: {f: {steps: [{collect: a}]}}")
    with pytest.raises(ConfigError, match="validator 'nope'"):
        RuntimeLoop(config, actions=Actions())
