"""Sequences of events that once got through, or would if somebody tidied up too much."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from bench.postgres import postgres

from soni import ActionContext, Actions, Refusal, RuntimeLoop
from soni.core.commands import AffirmConfirmation, Command, HumanHandoff, SetSlot, StartFlow
from soni.core.message_sink import BufferedMessageSink
from soni.du.context import DialogueContext
from soni.du.understanding import Understood
from soni.errors import ActionOutcomeUnknown, ConversationBusy
from soni.store import Store, fail_points, open_store
from soni.store.schema import TABLES
from tests.conftest import Assistant
from tests.faults.assistant import TURNS, USER
from tests.faults.worker import Operation, Place, do, killed

SAID = [Operation("say", text, f"m{number}") for number, text in enumerate(TURNS)]


class Crash(BaseException):
    """The process is gone."""


@pytest.fixture
def crash(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str | None], None]]:
    """Crash at a point from now on, or do not any more."""

    def at(wanted: str | None) -> None:
        def passing(point: str) -> None:
            if point == wanted:
                raise Crash

        monkeypatch.setattr(fail_points, "passing", passing)

    yield at
    monkeypatch.setattr(fail_points, "passing", None)


class Words:
    """The asked slot's value, or what a few words mean."""

    async def understand(self, message: str, context: DialogueContext) -> Understood:
        word, _, rest = message.partition(" ")
        known: dict[str, Command] = {
            "pay": StartFlow(flow="pay", slots={"amount": rest} if rest else {}),
            "other": StartFlow(flow="other"),
            "yes": AffirmConfirmation(),
            "person": HumanHandoff(),
        }
        return Understood.of([known.get(word) or SetSlot(slot=context.asked or "", value=message)], by="words")


PAY = """
slots:
  amount: {type: integer, validate: affordable}
  pin: {type: text, sensitive: true}
  token: {type: text, source: system, sensitive: true}
flows:
  pay:
    steps:
      - {collect: amount, message: "How much?"}
      - {step: pay, type: action, call: pay, timeout: 0.2, on_unknown: unsure, on_error: sorry}
      - {step: done, type: say, message: "Paid {amount}.", jump_to: end}
      - {step: unsure, type: say, message: "Nobody knows.", jump_to: end}
      - {step: sorry, type: say, message: "Not paid."}
  other: {steps: [{collect: pin, message: "PIN?"}, {action: log_in, map_outputs: {token: token}}, {say: "In."}]}
"""


class Bank:
    """A hundred in the account."""

    def __init__(self) -> None:
        self.left = 100
        self.paid: list[int] = []
        self.actions = Actions()
        self.actions.validator("affordable")(lambda amount: amount <= self.left)
        self.actions.register("pay")(self.pay)
        self.actions.register("log_in", effect="idempotent")(self.log_in)

    async def pay(self, amount: int) -> None:
        self.left -= amount
        self.paid.append(amount)

    async def log_in(self, pin: str) -> dict[str, str]:
        return {"token": "TOKEN-99"}


@asynccontextmanager
async def opened(config: Any, bank: Bank, file: Path, **options: Any) -> AsyncIterator[RuntimeLoop]:
    async with (
        open_store(f"sqlite:{file}") as store,
        RuntimeLoop(
            config, actions=bank.actions, store=store, understanding=Words(), **{"recover_every": None, **options}
        ) as loop,
    ):
        yield loop


async def crashed(turn: Awaitable[object]) -> None:
    with pytest.raises(Crash):
        await turn


@pytest.mark.parametrize("point", ["after the result of an action", "before the end of a turn"])
async def test_g3_a_validator_is_not_asked_again_what_it_has_answered(
    assistant: Assistant, tmp_path: Path, crash: Any, point: str
) -> None:
    """After the payment it would refuse what it was paid with, and the person would be asked to pay again."""
    bank, config = Bank(), assistant(PAY)
    async with opened(config, bank, tmp_path / "c.db") as loop:
        await loop.process_message("pay", user_id="ana")
        crash(point)
        await crashed(loop.run_turn("60", user_id="ana"))
    crash(None)
    async with opened(config, bank, tmp_path / "c.db") as loop:
        turn = await loop.recover("ana")
        assert turn is not None
        assert turn.text == "Paid 60."
    assert bank.paid == [60]


async def test_g3_a_refusal_is_told_as_it_was_said_before_the_crash(
    assistant: Assistant, tmp_path: Path, crash: Any
) -> None:
    """The person's way stays the one that was begun, though by now there would be money enough."""
    bank, config = Bank(), assistant(PAY)
    bank.actions = Actions()
    bank.actions.register("pay")(bank.pay)
    bank.actions.register("log_in", effect="idempotent")(bank.log_in)

    @bank.actions.validator("affordable")
    def affordable(amount: int) -> bool:
        if amount > bank.left:
            raise Refusal({"en": f"There are {bank.left} left."}, options=[f"{bank.left}"])
        return True

    async with opened(config, bank, tmp_path / "c.db") as loop:
        await loop.process_message("pay", user_id="ana")
        crash("before the end of a turn")
        await crashed(loop.run_turn("600", user_id="ana", sink=BufferedMessageSink()))
    crash(None)
    bank.left = 1000
    async with opened(config, bank, tmp_path / "c.db") as loop:
        turn = await loop.recover("ana")
        assert turn is not None
        assert turn.text == "There are 100 left.\nHow much?"
    assert bank.paid == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("step: pay, type: action, call: pay,", "step: execute, type: action, call: pay,"),
        ("step: pay, type: action, call: pay,", "step: pay, type: action, call: log_in,"),
        (
            "{step: pay, type: action, call: pay,",
            "{step: stop, type: branch, cases: [{when: 'amount > 50', then: sorry}, {else: pay}]}\n"
            "      - {step: pay, type: action, call: pay,",
        ),
    ],
    ids=["the step was renamed", "it calls another action", "the way to it is closed"],
)
async def test_g3_an_assistant_edited_between_a_crash_and_its_recovery_does_not_pay_again(
    assistant: Assistant, tmp_path: Path, crash: Any, old: str, new: str
) -> None:
    bank = Bank()
    async with opened(assistant(PAY), bank, tmp_path / "c.db") as loop:
        crash("after the result of an action")
        await crashed(loop.run_turn("pay 60", user_id="ana"))
    crash(None)
    heard = BufferedMessageSink()
    async with opened(assistant(PAY.replace(old, new)), bank, tmp_path / "c.db", person=heard) as loop:
        turn = await loop.recover("ana")
        assert turn is not None
        assert turn.text == "That was done, but something went wrong afterwards. A person will look into it."
        assert turn.handoff is not None
        assert [message.kind for message in heard.messages] == ["handoff"], "the person is told"
    assert bank.paid == [60]


async def test_g3_after_a_turn_was_given_up_a_new_payment_is_a_new_one(
    assistant: Assistant, tmp_path: Path, crash: Any
) -> None:
    bank, config = Bank(), assistant(PAY)
    for _ in range(3):
        async with opened(config, bank, tmp_path / "c.db") as loop:
            crash("before the end of a turn")
            await crashed(loop.run_turn("pay 5", user_id="ana", message_id="m"))
    crash(None)
    async with opened(config, bank, tmp_path / "c.db") as loop:
        given_up = await loop.run_turn("pay 5", user_id="ana", message_id="m")
        assert given_up.handoff is not None
        assert await loop.run_turn("pay 5", user_id="ana", message_id="m") == given_up
        await loop.return_to_assistant("ana")
        assert await loop.process_message("pay 7", user_id="ana") == "Paid 7."
    assert bank.paid == [5, 7]


def test_g3_a_yes_does_not_answer_a_confirmation_that_nobody_has_heard(place: Place) -> None:
    for operation in SAID[:2]:
        asyncio.run(do(place, operation))
    assert killed(place, SAID[2], "before a message #1")
    pressed = place.copy()
    turn = asyncio.run(do(place, Operation("say", "yes")))
    assert turn is not None
    assert [message.text for message in turn.recovered] == ["Send 100 to Ana?"]
    assert turn.messages[-1].text == "Send 100 to Ana?"
    assert place.witness.lines("paid") == []
    again = asyncio.run(do(place, Operation("say", "yes")))
    assert again is not None
    assert again.text == "Sent…\nDone: T1."

    async def button() -> str:
        async with pressed.loop() as loop:
            (question,) = (await loop.messages_since(USER))[-1:]
            return (await loop.run_turn("Yes", user_id=USER, payload=question.options[0].payload)).text

    asyncio.run(do(pressed, Operation("recover")))
    assert asyncio.run(button()).endswith("Done: T1.")


async def test_g3_a_yes_does_not_answer_a_confirmation_on_another_screen(place: Place) -> None:
    for operation in SAID[:3]:
        await do(place, operation)
    async with place.loop() as loop:
        *_, before, question = await loop.messages_since(USER)
        turn = await loop.run_turn("yes", user_id=USER, seen=before.id)
        assert [message.text for message in turn.recovered] == ["Send 100 to Ana?"]
        assert place.witness.lines("paid") == []
        assert turn.messages[-1].text == question.text
        turn = await loop.run_turn("yes", user_id=USER, seen=turn.messages[-1].id)
        assert turn.text == "Sent…\nDone: T1."


@pytest.mark.parametrize(("found", "said"), [({}, "Paid 5."), (None, "Not paid.")])
async def test_g3_an_action_can_say_that_it_does_not_know(assistant: Assistant, found: Any, said: str) -> None:
    actions = Actions()
    actions.validator("affordable")(lambda amount: True)
    actions.register("log_in")(lambda pin: {"token": ""})

    async def cut_off(amount: int) -> None:
        raise ActionOutcomeUnknown("the connection broke after the request")

    async def find() -> Any:
        return found

    actions.register("pay", reconcile=find)(cut_off)
    async with RuntimeLoop(assistant(PAY), actions=actions, understanding=Words()) as loop:
        assert await loop.process_message("pay 5", user_id="ana") == said


@pytest.mark.parametrize("how", ["a plain function that goes on", "a time-out of its own"])
async def test_g3_a_payment_that_may_still_happen_is_unknown_whatever_is_found(assistant: Assistant, how: str) -> None:
    asked: list[str] = []
    actions = Actions()
    actions.validator("affordable")(lambda amount: True)
    actions.register("log_in")(lambda pin: {"token": ""})

    def slow(amount: int) -> None:
        time.sleep(0.4)

    async def gives_up(amount: int) -> None:
        raise TimeoutError

    async def find(context: ActionContext) -> None:
        asked.append(context.idempotency_key)

    actions.register("pay", reconcile=find)(slow if "plain" in how else gives_up)
    async with RuntimeLoop(assistant(PAY), actions=actions, understanding=Words()) as loop:
        said = await loop.process_message("pay 5", user_id="ana")
    assert (said, len(asked)) == (("Nobody knows.", 0) if "plain" in how else ("Not paid.", 1))


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return f"sqlite:{tmp_path}/c.db" if request.param == "sqlite" else postgres().new_database()


async def test_g1_a_turn_cancelled_at_any_moment_leaves_no_lock_behind(assistant: Assistant, url: str) -> None:
    config = assistant(PAY)
    async with open_store(url) as store, open_store(url) as other:
        options: dict[str, Any] = {"understanding": Words(), "recover_every": None}
        async with RuntimeLoop(config, actions=Bank().actions, store=store, **options) as loop:
            for ticks in range(0, 60, 2):
                turn = asyncio.create_task(loop.run_turn("pay 5", user_id=f"u{ticks}"))
                for _ in range(ticks):
                    await asyncio.sleep(0)
                turn.cancel()
                await asyncio.wait([turn])
            await store.read(("SELECT 1", ()))  # whatever was begun on the writer's thread has ended
            for ticks in range(0, 60, 2):
                async with other.hold(f"u{ticks}", wait=2):
                    pass


async def test_g1_one_file_under_two_names_has_one_lock(tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "c.db")
    async with (
        open_store(f"sqlite:{tmp_path}/c.db") as store,
        open_store(f"sqlite:{tmp_path}/link.db") as other,
        store.hold("ana", wait=0),
    ):
        with pytest.raises(ConversationBusy):
            async with other.hold("ana", wait=0.01):
                raise AssertionError("both have it")


async def everything(store: Store) -> str:
    return repr([(await store.read((f"SELECT * FROM {table}", ())))[0] for table in TABLES])  # noqa: S608  # names of ours


async def test_a_secret_result_is_masked_also_by_who_only_finished_the_turn(
    assistant: Assistant, tmp_path: Path, crash: Any
) -> None:
    config = assistant(PAY)
    async with opened(config, Bank(), tmp_path / "c.db") as loop:
        await loop.process_message("other", user_id="ana")
        await loop.run_turn("1234", user_id="ana")
        await loop.process_message("other", user_id="bob")
        crash("before the end of a turn")
        sink = BufferedMessageSink()
        await crashed(loop.run_turn("1234", user_id="bob", sink=sink))
        assert "TOKEN-99" in await everything(loop._store)
    crash(None)
    async with opened(config, Bank(), tmp_path / "c.db") as loop:
        await loop.recover("bob")
        assert "TOKEN-99" not in await everything(loop._store)


async def test_a_secret_result_is_masked_also_in_a_turn_that_is_given_up(
    assistant: Assistant, tmp_path: Path, crash: Any
) -> None:
    config = assistant(PAY)
    async with opened(config, Bank(), tmp_path / "c.db") as loop:
        await loop.process_message("other", user_id="ana")
        crash("before the end of a turn")
        await crashed(loop.run_turn("1234", user_id="ana", sink=BufferedMessageSink()))
        for _ in range(2):
            await crashed(loop.recover("ana"))
        assert "TOKEN-99" in await everything(loop._store)
        crash(None)
        given_up = await loop.recover("ana")
        assert given_up is not None
        assert given_up.error
        assert "TOKEN-99" not in await everything(loop._store)


async def test_a_secret_typed_to_a_question_that_has_timed_out_is_masked_as_well(
    assistant: Assistant, tmp_path: Path
) -> None:
    now = datetime(2026, 3, 2, 12)
    async with opened(assistant(PAY), Bank(), tmp_path / "c.db", clock=lambda: now) as loop:
        await loop.process_message("other", user_id="ana")
        now += timedelta(days=2)
        await loop.process_message("987654", user_id="ana")
        assert "987654" not in await everything(loop._store)
        assert "987654" not in repr(await loop.get_state("ana"))


async def test_g6_a_slot_whose_type_has_changed_beyond_recognition_does_not_strand_anybody(
    assistant: Assistant, tmp_path: Path
) -> None:
    bill = """
        slots: {due: {type: money}, n: {type: text}}
        flows: {f: {steps: [{collect: due}, {collect: n}]}, g: {steps: [{say: Hi.}]}}
    """
    async with opened(assistant(bill), Bank(), tmp_path / "c.db") as loop:
        loop._turns.understanding = Fixed(StartFlow(flow="f", slots={"due": "5 euros"}))
        assert (await loop.run_turn("f", user_id="ana")).error is None
    edited = assistant(bill.replace("{type: money}", "{type: choice, options: [a, b]}"))
    async with opened(edited, Bank(), tmp_path / "c.db") as loop:
        loop._turns.understanding = Fixed(StartFlow(flow="g"))
        assert "Hi." in (await loop.run_turn("g", user_id="ana")).text


class Fixed:
    """Everything means the same."""

    def __init__(self, command: Command) -> None:
        self._command = command

    async def understand(self, message: str, context: DialogueContext) -> Understood:
        return Understood.of([self._command], by="fixed")


async def test_g4_an_action_may_tell_anything(assistant: Assistant, url: str) -> None:
    actions = Actions()

    @actions.register("tell", effect="pure")
    async def tell(context: ActionContext) -> None:
        await context.inform("a\0b \ud800 c")

    config = assistant("flows: {f: {steps: [{action: tell}, {say: Done.}]}, g: {steps: [{say: Hi.}]}}")
    async with (
        open_store(url) as store,
        RuntimeLoop(
            config, actions=actions, store=store, understanding=Fixed(StartFlow(flow="f")), recover_every=None
        ) as loop,
    ):
        turn = await loop.run_turn("f", user_id="ana")
        assert turn.error is None
        assert await loop.messages_since("ana") == list(turn.messages)


async def test_what_a_person_says_is_not_announced_to_them_as_a_handoff(assistant: Assistant, tmp_path: Path) -> None:
    desk = BufferedMessageSink()
    async with opened(assistant(PAY), Bank(), tmp_path / "c.db", person=desk) as loop:
        await loop.process_message("person", user_id="ana")
        await loop.say("ana", "Hello, this is Eve.")
        assert [message.kind for message in desk.messages] == ["handoff"]


async def test_a_plain_action_that_hangs_takes_nobody_elses_time(assistant: Assistant) -> None:
    """LangGraph runs plain functions of its own on the threads that asyncio has for everybody."""
    actions = Actions()
    read, write = os.pipe()
    actions.register("hang")(lambda: os.read(read, 1))
    config = assistant("flows: {f: {steps: [{action: hang, timeout: 50ms}, {say: Done.}]}, g: {steps: [{say: Hi.}]}}")
    understanding = Fixed(StartFlow(flow="f"))
    async with RuntimeLoop(config, actions=actions, understanding=understanding) as loop:
        hanging = (os.cpu_count() or 1) + 4
        await asyncio.gather(*(loop.run_turn("f", user_id=f"u{number}") for number in range(hanging)))
        understanding._command = StartFlow(flow="g")
        async with asyncio.timeout(20):
            assert await loop.process_message("g", user_id="other") == "Hi."
    os.write(write, b"." * hanging)
