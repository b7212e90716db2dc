"""What every store has to do, in memory, in a file and in Postgres."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from bench.postgres import postgres

from soni import ActionContext, Actions, RuntimeLoop
from soni.core.commands import AffirmConfirmation, Command, SetSlot, StartFlow
from soni.core.message_sink import BufferedMessageSink, CallbackMessageSink, Message
from soni.core.state import DialogueState
from soni.dm.orchestrator.commands import CommandHandler
from soni.du.context import DialogueContext
from soni.du.understanding import Understood
from soni.errors import ConfigError, ConversationBusy, ConversationError
from soni.flow.delta import FlowDelta
from soni.runtime.context import RuntimeContext
from soni.store import Store, history, open_store
from soni.store.schema import TABLES, VERSIONS
from tests.conftest import Assistant

SHOP = """
slots:
  item: {type: text}
  card: {type: text, sensitive: true}
  sure: {type: boolean}
  receipt: {type: text, source: system, sensitive: true}
  number: {type: text, source: system}
  vip: {type: boolean, scope: conversation}
flows:
  buy:
    steps:
      - {collect: item, message: "What?"}
      - {collect: card, message: "Which card?"}
      - {step: check, type: confirm, slot: sure, message: "Buy {item}?"}
      - {step: order, type: action, call: order, map_outputs: {number: number, receipt: receipt},
         on_unknown: unsure, on_error: sorry, timeout: 0.2}
      - {step: done, type: say, message: "Ordered {item}: {number}.", jump_to: end}
      - {step: unsure, type: say, message: "Nobody knows.", jump_to: end}
      - {step: sorry, type: say, message: "Not ordered."}
  hello: {steps: [{say: Hello.}]}
"""
SECRETS = ("4111-1111", "RECEIPT-77")


class Words:
    """Takes the asked slot's value from the words."""

    async def understand(self, message: str, context: DialogueContext) -> Understood:
        known: dict[str, Command] = {
            "buy": StartFlow(flow="buy"),
            "hello": StartFlow(flow="hello"),
            "yes": AffirmConfirmation(),
        }
        command = known.get(message) or SetSlot(slot=context.asked or "", value=message)
        return Understood.of([command], by="words")


class Shop:
    """Orders, and what a test wants to happen to them."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self.error: Exception | None = None
        self.hangs = False
        self.found: Any = None
        self.asked = 0
        self.number = "N1"
        self.actions = Actions()
        self.actions.register("order", reconcile=self._find)(self._order)

    async def _order(self, item: str, card: str, context: ActionContext) -> dict[str, str]:
        self.keys.append(context.idempotency_key)
        if self.hangs:
            await asyncio.Event().wait()
        if self.error:
            raise self.error
        return {"number": self.number, "receipt": SECRETS[1]}

    async def _find(self, item: str, context: ActionContext) -> Any:
        assert context.idempotency_key == self.keys[-1]
        self.asked += 1
        if isinstance(self.found, Exception):
            raise self.found
        return self.found


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of an empty store."""
    match request.param:
        case "memory":
            yield "memory:"
        case "sqlite":
            yield f"sqlite:{tmp_path}/c.db"
        case _:
            yield postgres().new_database()


@pytest.fixture
async def store(url: str) -> AsyncIterator[Store]:
    async with open_store(url) as opened:
        yield opened


@asynccontextmanager
async def shop(assistant: Assistant, store: Store, **options: Any) -> AsyncIterator[tuple[RuntimeLoop, Shop]]:
    built = Shop()
    options = {"understanding": Words(), "recover_every": None, **options}
    async with RuntimeLoop(assistant(SHOP), actions=built.actions, store=store, **options) as loop:
        yield loop, built


async def buy(loop: RuntimeLoop, user_id: str = "ana", *, upto: str = "yes") -> str:
    answer = ""
    for text in ("buy", "tea", SECRETS[0], "yes"):
        answer = await loop.process_message(text, user_id=user_id)
        if text == upto:
            break
    return answer


async def rows(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    return {table: (await store.read((f"SELECT * FROM {table}", ())))[0] for table in TABLES}  # noqa: S608  # names of ours


async def test_g2_a_message_that_comes_again_gets_the_answer_it_got(assistant: Assistant, store: Store) -> None:
    async with shop(assistant, store) as (loop, _):
        first = await loop.run_turn("buy", user_id="ana", message_id="1")
        sink = BufferedMessageSink()
        again = await loop.run_turn("buy", user_id="ana", message_id="1", sink=sink)
        assert again == first
        assert sink.messages == list(first.messages)
        assert (await loop.get_state("ana"))["turn"] == 1
        other = await loop.run_turn("buy", user_id="bob", message_id="1")
        assert other.turn == 1, "another person's message may have the same name"


async def test_g2_the_same_name_for_another_message_is_an_error(assistant: Assistant, store: Store) -> None:
    async with shop(assistant, store) as (loop, _):
        await loop.run_turn("buy", user_id="ana", message_id="1")
        with pytest.raises(ConversationError, match="has been taken before, with another text"):
            await loop.run_turn("hello", user_id="ana", message_id="1")
        for wrong in ("", 3, "x" * 201):
            with pytest.raises(ConversationError, match="a message_id"):
                await loop.run_turn("hello", user_id="ana", message_id=wrong)  # type: ignore[arg-type]  # a mistake


async def test_g2_the_answer_to_a_secret_is_given_again_too(assistant: Assistant, store: Store) -> None:
    async with shop(assistant, store) as (loop, _):
        await buy(loop, upto="tea")
        first = await loop.run_turn(SECRETS[0], user_id="ana", message_id="secret")
        assert await loop.run_turn(SECRETS[0], user_id="ana", message_id="secret") == first


async def test_g4_messages_can_be_fetched_from_any_point(assistant: Assistant, store: Store) -> None:
    async with shop(assistant, store) as (loop, _):
        await buy(loop)
        everything = await loop.messages_since("ana")
        assert [message.text for message in everything] == ["What?", "Which card?", "Buy tea?", "Ordered tea: N1."]
        assert [message.sequence for message in everything] == [1, 2, 3, 4]
        for place, message in enumerate(everything, start=1):
            assert await loop.messages_since("ana", message.id) == everything[place:]
        with pytest.raises(ConversationError, match="no message 'nonsense' is kept"):
            await loop.messages_since("ana", "nonsense")
        assert await loop.messages_since("bob") == []


async def test_g4_a_sink_that_fails_loses_nothing(assistant: Assistant, store: Store) -> None:
    def fail(message: Message) -> None:
        raise ConnectionResetError

    async with shop(assistant, store) as (loop, _):
        turn = await loop.run_turn("buy", user_id="ana", sink=CallbackMessageSink(fail))
        assert list(turn.messages) == await loop.messages_since("ana")


async def test_g3_what_a_payment_was_called_with_is_known_by_a_key_that_is_its_own(
    assistant: Assistant, store: Store
) -> None:
    async with shop(assistant, store) as (loop, built):
        for user_id in ("ana", "bob", "ana"):
            await buy(loop, user_id)
        await loop.forget("ana")
        await buy(loop, "ana")
        assert len(set(built.keys)) == 4
        assert not any("ana" in key for key in built.keys), "it goes to others"


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ({"number": "N1", "receipt": "R"}, "Ordered tea: N1."),
        (None, "Not ordered."),
        (RuntimeError("down"), "Nobody knows."),
        ({}, "Nobody knows."),
    ],
    ids=["it happened", "it did not", "nobody can tell", "it tells too little"],
)
async def test_g3_the_author_s_function_is_asked_whether_it_happened(
    assistant: Assistant, store: Store, found: Any, said: str
) -> None:
    async with shop(assistant, store) as (loop, built):
        built.hangs, built.found = True, found
        assert await buy(loop) == said
        assert (len(built.keys), built.asked) == (1, 1)


async def test_g3_an_error_of_a_once_action_is_an_error_and_can_be_tried_anew(
    assistant: Assistant, store: Store
) -> None:
    async with shop(assistant, store) as (loop, built):
        built.error = RuntimeError("no such item")
        assert await buy(loop) == "Not ordered."
        built.error = None
        assert await buy(loop) == "Ordered tea: N1."
        assert built.asked == 0
        assert len(set(built.keys)) == 2


async def test_g3_a_turn_that_is_cancelled_in_an_action_leaves_it_unknown(assistant: Assistant, store: Store) -> None:
    async with shop(assistant, store) as (loop, built):
        built.hangs, built.found = True, RuntimeError("down")
        await buy(loop, upto=SECRETS[0])
        turn = asyncio.create_task(loop.run_turn("yes", user_id="ana", message_id="m"))
        while not built.keys:  # noqa: ASYNC110  # the action has nobody to tell
            await asyncio.sleep(0)
        turn.cancel()
        await asyncio.wait([turn])
        assert turn.cancelled()
        assert await loop.interrupted() == ["ana"]
        assert await loop.process_message("yes", user_id="ana", message_id="m") == "Nobody knows."
        assert len(built.keys) == 1


async def test_g6_an_understanding_that_fails_costs_one_answer(assistant: Assistant, store: Store) -> None:
    class Failing(Words):
        fails = False

        async def understand(self, message: str, context: DialogueContext) -> Understood:
            if self.fails:
                raise RuntimeError("no answer")
            return await super().understand(message, context)

    understanding = Failing()
    async with shop(assistant, store, understanding=understanding) as (loop, _):
        await buy(loop, upto="tea")
        understanding.fails = True
        turn = await loop.run_turn("?!", user_id="ana", message_id="m")
        assert turn.error is None
        understanding.fails = False
        assert (await loop.run_turn("?!", user_id="ana", message_id="m")) == turn, "G2: also what came of a failure"
        assert await loop.process_message(SECRETS[0], user_id="ana") == "Buy tea?"


async def test_g6_what_a_broken_handler_raised_is_told_without_secrets(assistant: Assistant, store: Store) -> None:
    class Broken(CommandHandler[AffirmConfirmation]):
        command = AffirmConfirmation

        async def handle(self, command: AffirmConfirmation, state: DialogueState, context: RuntimeContext) -> FlowDelta:
            raise RuntimeError(f"cannot charge {SECRETS[0]}")

    async with shop(assistant, store, command_handlers=[Broken()]) as (loop, _):
        await buy(loop, upto=SECRETS[0])
        turn = await loop.run_turn("yes", user_id="ana")
        assert turn.error == "RuntimeError('cannot charge •••')"
        assert SECRETS[0] not in repr(await rows(store))


async def test_g8_nothing_of_one_user_is_visible_to_another(assistant: Assistant, store: Store) -> None:
    async with shop(assistant, store) as (loop, _):
        await loop.run_turn("buy", user_id="ana", slots={"vip": True})
        await loop.run_turn("buy", user_id="bob")
        await loop.process_message("tea", user_id="ana")
        bob = repr([await loop.get_state("bob"), await loop.transcript("bob"), await loop.messages_since("bob")])
        assert "tea" not in bob
        assert "vip" not in bob
        await loop.forget("bob")
        assert await loop.process_message(SECRETS[0], user_id="ana") == "Buy tea?"


async def test_secrets_are_nowhere_in_the_journal_once_their_turn_has_ended(assistant: Assistant, store: Store) -> None:
    async with shop(assistant, store) as (loop, _):
        await buy(loop)
        kept = repr(await rows(store))
        assert not [secret for secret in SECRETS if secret in kept]
        assert "•••" in kept
        assert "N1" in kept


async def test_forgetting_leaves_nothing(assistant: Assistant, url: str) -> None:
    async with open_store(url) as store, shop(assistant, store) as (loop, _):
        await buy(loop, "ana-the-first")
        await buy(loop, "ana-the-second", upto="tea")
        await buy(loop, "bob", upto="tea")
        for user_id in ("ana-the-first", "ana-the-second"):
            await loop.forget(user_id)
        assert "ana-the" not in repr(await rows(store))
        assert await store.checkpoint("ana-the-first", None) is None
        assert await loop.process_message(SECRETS[0], user_id="bob") == "Buy tea?"
        if url.startswith("sqlite"):
            files = Path(url.removeprefix("sqlite:")).parent.glob("c.db*")
            assert not any(b"ana-the" in file.read_bytes() for file in files), "not even in a corner of the file"
        await loop.forget("nobody")


async def test_g7_only_what_recovery_needs_stays_of_the_checkpoints(assistant: Assistant, store: Store) -> None:
    async with shop(assistant, store) as (loop, _):
        for _ in range(20):
            await loop.process_message("hello", user_id="ana")
        await buy(loop, upto="tea")
        assert (await store.read(("SELECT count(*) FROM checkpoints", ())))[0] == [(1,)]
        tables = await store.read(("SELECT count(*) FROM checkpoints WHERE parent_checkpoint_id IS NOT NULL", ()))
        assert tables[0] == [(1,)]


async def test_pruning_deletes_what_is_old_and_nothing_that_is_needed(assistant: Assistant, store: Store) -> None:
    now = datetime(2026, 3, 2, 12)
    async with shop(assistant, store, clock=lambda: now) as (loop, _):
        await buy(loop, "ana")
        await buy(loop, "bob", upto="tea")
        now += timedelta(hours=20)
        await loop.process_message(SECRETS[0], user_id="bob")
        assert await history.prune(store, (now - timedelta(hours=10)).timestamp()) == (1, 2)
        assert await loop.transcript("ana") == []
        assert (await loop.get_state("ana"))["turn"] == 0
        assert len(await loop.messages_since("bob")) == 1
        assert await loop.process_message("yes", user_id="bob") == "Ordered tea: N1."
        assert await history.prune(store, 0.0) == (0, 0)


async def test_g1_a_conversation_is_held_by_one_at_a_time(url: str, store: Store) -> None:
    async with AsyncExitStack() as stack:
        other = store if url == "memory:" else await stack.enter_async_context(open_store(url))
        async with store.hold("ana", wait=1):
            with pytest.raises(ConversationBusy, match=r"'ana' is still being worked on"):
                async with other.hold("ana", wait=0.05):
                    raise AssertionError("nobody else gets in")
            async with other.hold("bob", wait=0):
                pass
        async with other.hold("ana", wait=0):
            pass


@pytest.mark.parametrize("user_id", ["", "a\0b", "\ud800", "x" * 501], ids=["empty", "NUL", "half", "long"])
async def test_a_user_id_that_cannot_be_kept_is_refused(store: Store, assistant: Assistant, user_id: str) -> None:
    async with shop(assistant, store) as (loop, _):
        with pytest.raises(ConversationError, match="user_id"):
            await loop.run_turn("hello", user_id=user_id)


@pytest.mark.parametrize("text", ["a\0b", "\ud800", "x" * 10_000, "'; DROP TABLE soni_turns; --", "%s ? {item}"])
async def test_anything_a_person_types_can_be_kept(store: Store, assistant: Assistant, text: str) -> None:
    async with shop(assistant, store) as (loop, _):
        await loop.process_message("buy", user_id=text[:500].replace("\0", "").replace("\ud800", "") or "u")
        await loop.process_message("buy", user_id="ana")
        assert await loop.process_message(text, user_id="ana", message_id="x") == "Which card?"
        assert (await loop.run_turn(text, user_id="ana", message_id="x")).turn == 2


async def test_anything_an_action_returns_can_be_kept(store: Store, assistant: Assistant) -> None:
    async with shop(assistant, store) as (loop, built):
        built.number = "N\0\U0001f600é"
        assert (await buy(loop)).startswith("Ordered tea: N")
        assert (await loop.run_turn("hello", user_id="ana")).error is None


@pytest.mark.parametrize("url", ["sqlite", "postgres"], indirect=True)
async def test_a_store_from_the_future_is_left_alone(url: str) -> None:
    async with open_store(url) as store:
        await store.commit("a newer version", [("UPDATE soni_schema SET version = ?", (len(VERSIONS) + 1,))])
    with pytest.raises(ConfigError, match="written by a newer Soni"):
        async with open_store(url):
            raise AssertionError("it opens")


async def test_several_can_open_a_new_store_at_once(url: str) -> None:
    async def opened() -> None:
        async with open_store(url) as store:
            await store.read(("SELECT * FROM soni_turns", ()))

    await asyncio.gather(*(opened() for _ in range(4)))


async def test_what_a_person_is_told_reaches_back_further_than_the_state_does(
    assistant: Assistant, store: Store
) -> None:
    async with shop(assistant, store) as (loop, _):
        for _ in range(30):
            await loop.process_message("hello", user_id="ana")
        lines = await loop.transcript("ana")
        assert len(lines) == 60
        assert lines[:2] == [{"role": "user", "text": "hello"}, {"role": "assistant", "text": "Hello."}]
        assert len((await loop.get_state("ana"))["messages"]) == 20


async def test_every_turn_can_be_explained_later(assistant: Assistant, store: Store) -> None:
    async with shop(assistant, store) as (loop, _):
        await loop.process_message("hello", user_id="ana")
        await buy(loop)
        assert [step.step for step in (await loop.explain("ana", 1)).steps] == ["say"]
        assert [step.step for step in (await loop.explain("ana", 5)).steps] == ["check", "order", "done"]
        with pytest.raises(ConversationError, match="turn 9 of 'ana' is not kept"):
            await loop.explain("ana", 9)


@pytest.mark.parametrize("wrong", ["mysql://me:secret@host/db", "nonsense", "sqlite:", ""])
async def test_an_address_that_is_none_is_told_without_its_secrets(wrong: str) -> None:
    with pytest.raises(ConfigError, match="is no address of a store") as error:
        async with open_store(wrong):
            raise AssertionError("it opens")
    assert "secret" not in str(error.value)


async def test_a_postgres_that_is_not_there_is_told_without_its_password() -> None:
    with pytest.raises(ConfigError, match="cannot be kept in Postgres") as error:
        async with open_store("postgresql://me:secret@127.0.0.1:1/db?connect_timeout=1"):
            raise AssertionError("it opens")
    assert "secret" not in str(error.value)


async def test_a_store_and_a_checkpointer_do_not_go_together(assistant: Assistant, store: Store) -> None:
    from langgraph.checkpoint.memory import InMemorySaver

    with pytest.raises(ValueError, match="not both"):
        RuntimeLoop(assistant(SHOP), actions=Shop().actions, store=store, checkpointer=InMemorySaver())


async def test_a_check_writes_and_changes_nothing(store: Store) -> None:
    version = await store.read(("SELECT version FROM soni_schema", ()))
    await store.check()
    assert await store.read(("SELECT version FROM soni_schema", ())) == version
