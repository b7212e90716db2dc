"""Actions: typed arguments, failures with a way of their own, progress while they run."""

from __future__ import annotations

import asyncio
import threading
from datetime import date
from decimal import Decimal
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from soni import ActionContext, Actions, RuntimeLoop
from soni.core.commands import SetSlot, StartFlow
from soni.core.message_sink import BufferedMessageSink, CallbackMessageSink, Message
from soni.core.values.money import Money
from soni.testing import ScriptedUnderstanding
from tests.conftest import Assistant, Talk

RUN = """
    slots:
      amount: {type: money}
      day: {type: date}
      names: {type: list}
      result: {type: integer, source: system}
      nothing: {type: text}
    flows:
      run:
        steps:
          - {collect: amount, message: "How much?"}
          - {step: work, type: action, call: work, map_outputs: {result: result}, OPTIONS}
          - {step: done, type: say, message: "Result {result}."}
          - {step: leave, type: end}
          - {step: sorry, type: say, message: "Sorry."}
      other:
        steps: [{collect: day, message: "Day?"}, {collect: names, message: "Names?"}, {collect: nothing}, {say: "Hi."}]
"""


def run_yaml(options: str = "") -> str:
    text = RUN.replace(", OPTIONS", f", {options}" if options else "")
    return text if "sorry" in options else text.replace('          - {step: sorry, type: say, message: "Sorry."}\n', "")


async def test_arguments_are_typed_by_the_signature(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {amount: {type: money}, day: {type: date}, names: {type: list}, n: {type: integer}, out: {type: text}}
        flows:
          run:
            steps:
              - {collect: amount, message: "?"}
              - {collect: day, message: "?"}
              - {collect: names, message: "?"}
              - {collect: n, message: "?"}
              - {action: work, map_outputs: {out: out}}
              - {say: "{out}"}
          other: {steps: [{say: "Hi."}]}
    """)
    seen: dict[str, Any] = {}
    actions = Actions()

    @actions.register("work", effect="pure")
    def work(
        amount: Decimal, day: date, names: list[str], n: float, context: ActionContext, missing: str = "default"
    ) -> dict[str, str]:
        seen.update(amount=amount, day=day, names=names, n=n, missing=missing, user=context.user_id)
        return {"out": "ok", "extra": "dropped"}

    slots = {"amount": "100 euros", "day": "2026-03-01", "names": "Ana and Bo", "n": 3}
    assert await talk(config, actions).say(StartFlow(flow="run", slots=slots)) == ["ok"]
    assert seen == {
        "amount": Decimal("100.00"),
        "day": date(2026, 3, 1),
        "names": ["Ana", "Bo"],
        "n": 3.0,
        "missing": "default",
        "user": "test",
    }
    assert isinstance(seen["n"], float)


class Result(BaseModel):
    result: int


@pytest.mark.parametrize("value", [{"result": 7}, {"result": "seven"}, {"result": 7.0}, Result(result=7)])
async def test_outputs_are_coerced_into_their_slots(assistant: Assistant, talk: Talk, value: Any) -> None:
    actions = Actions()
    actions.register("work", effect="pure")(lambda: value)
    user = talk(assistant(run_yaml()), actions)
    assert await user.say(StartFlow(flow="run", slots={"amount": 1})) == ["Result 7."]


BAD_RESULTS = [None, 3, "text", [1], {}, {"other": 1}]


@pytest.mark.parametrize("value", BAD_RESULTS, ids=repr)
@pytest.mark.parametrize("options", ["", "on_error: sorry"])
async def test_b45_a_result_of_the_wrong_shape_is_a_failure(
    assistant: Assistant, talk: Talk, value: Any, options: str
) -> None:
    actions = Actions()
    actions.register("work", effect="pure")(lambda: value)
    user = talk(assistant(run_yaml(options)), actions)
    expected = "Sorry." if options else "Sorry, something went wrong and I could not do that."
    assert await user.say(StartFlow(flow="run", slots={"amount": 1})) == [expected]
    assert (await user.state())["flow_stack"] == []


async def test_b45_an_output_its_slot_cannot_hold_is_a_failure(assistant: Assistant, talk: Talk) -> None:
    actions = Actions()
    actions.register("work", effect="pure")(lambda: {"result": "not a number"})
    user = talk(assistant(run_yaml("on_error: sorry")), actions)
    assert await user.say(StartFlow(flow="run", slots={"amount": 1})) == ["Sorry."]


@pytest.mark.parametrize("error", [ValueError("x"), KeyError("y"), OSError(), RuntimeError("z")])
async def test_b45_an_action_that_raises_takes_on_error(assistant: Assistant, talk: Talk, error: Exception) -> None:
    actions = Actions()

    @actions.register("work")
    async def work() -> None:
        raise error

    user = talk(assistant(run_yaml("on_error: sorry")), actions)
    assert await user.say(StartFlow(flow="run", slots={"amount": 1})) == ["Sorry."]
    assert await user.say(StartFlow(flow="other")) == ["Day?"]


async def test_a_pure_action_that_takes_too_long_fails(assistant: Assistant, talk: Talk) -> None:
    actions = Actions()

    @actions.register("work", effect="pure")
    async def work() -> None:
        await asyncio.Event().wait()

    user = talk(assistant(run_yaml("timeout: 10ms, on_error: sorry")), actions)
    assert await user.say(StartFlow(flow="run", slots={"amount": 1})) == ["Sorry."]


@pytest.mark.parametrize("options", ["timeout: 10ms", "timeout: 10ms, on_unknown: handoff"])
async def test_g3_a_once_action_that_takes_too_long_is_unknown_and_never_retried(
    assistant: Assistant, talk: Talk, options: str
) -> None:
    calls = 0
    actions = Actions()

    @actions.register("work")
    async def work() -> None:
        nonlocal calls
        calls += 1
        await asyncio.Event().wait()

    user = talk(assistant(run_yaml(options)), actions)
    said = await user.say(StartFlow(flow="run", slots={"amount": 1}))
    assert said[-1] == "A person will take it from here."
    assert ("do not know" in said[0]) == ("on_unknown" not in options)
    assert calls == 1


async def test_pure_actions_are_retried_as_often_as_asked(assistant: Assistant, talk: Talk) -> None:
    calls = 0
    actions = Actions()

    @actions.register("work", effect="idempotent")
    def work() -> dict[str, int]:
        nonlocal calls
        calls += 1
        if calls < 3:
            raise ConnectionError
        return {"result": calls}

    user = talk(assistant(run_yaml("retry: 2")), actions)
    assert await user.say(StartFlow(flow="run", slots={"amount": 1})) == ["Result 3."]


async def test_informs_reach_the_sink_while_a_slow_action_is_still_running(assistant: Assistant) -> None:
    config = assistant("""
        slots: {result: {type: text, source: system}}
        flows:
          run:
            steps:
              - {say: "Let me see."}
              - {action: work, map_outputs: {result: result}}
              - {say: "{result}"}
          other: {steps: [{say: "Hi."}]}
    """)
    seen: list[str] = []
    reached = asyncio.Event()
    finish = asyncio.Event()
    actions = Actions()

    async def receive(message: Message) -> None:
        seen.append(message.text)
        if message.text == "Halfway.":
            reached.set()

    @actions.register("work", effect="pure")
    async def work(context: ActionContext) -> dict[str, str]:
        await context.inform("Working.")
        await context.inform("Halfway.")
        await finish.wait()
        return {"result": "Done."}

    understanding = ScriptedUnderstanding({"go": [StartFlow(flow="run")]})
    async with RuntimeLoop(config, actions=actions, understanding=understanding) as loop:
        turn = asyncio.create_task(loop.run_turn("go", user_id="a", sink=CallbackMessageSink(receive)))
        await reached.wait()
        assert seen == ["Let me see.", "Working.", "Halfway."]
        assert not turn.done()
        finish.set()
        result = await turn
    assert seen == ["Let me see.", "Working.", "Halfway.", "Done."]
    assert [message.text for message in result.messages] == seen
    assert len({message.id for message in result.messages}) == 4


async def test_a_plain_function_can_report_progress_too_and_does_not_block_others(assistant: Assistant) -> None:
    config = assistant("""
        flows:
          run: {steps: [{action: work}, {say: "Done."}]}
          other: {steps: [{say: "Hi."}]}
    """)
    release = threading.Event()
    actions = Actions()

    @actions.register("work", effect="pure")
    def work(context: ActionContext) -> None:
        context.inform_sync("Working.")
        release.wait()

    understanding = ScriptedUnderstanding({"go": [StartFlow(flow="run")], "hi": [StartFlow(flow="other")]})
    async with RuntimeLoop(config, actions=actions, understanding=understanding) as loop:
        slow = asyncio.create_task(loop.process_message("go", user_id="a"))
        assert await loop.process_message("hi", user_id="b") == "Hi."
        release.set()
        assert await slow == "Working.\nDone."


async def test_what_an_action_tells_after_it_was_given_up_on_comes_too_late(assistant: Assistant) -> None:
    config = assistant("""
        flows:
          run: {steps: [{action: work, timeout: 10ms, on_error: sorry}, {step: sorry, type: say, message: "Sorry."}]}
          other: {steps: [{say: "Hi."}]}
    """)
    release, finished = threading.Event(), asyncio.Event()
    loop_ = asyncio.get_running_loop()
    actions = Actions()

    @actions.register("work", effect="pure")
    def work(context: ActionContext) -> None:
        release.wait()
        context.inform_sync("Late.")
        loop_.call_soon_threadsafe(finished.set)

    sink = BufferedMessageSink()
    understanding = ScriptedUnderstanding({"go": [StartFlow(flow="run")]})
    async with RuntimeLoop(config, actions=actions, understanding=understanding) as loop:
        assert await loop.process_message("go", user_id="a", sink=sink) == "Sorry."
        release.set()
        await finished.wait()
    assert [message.text for message in sink.messages] == ["Sorry."]


async def test_the_time_a_sink_takes_is_not_the_actions_time(assistant: Assistant) -> None:
    config = assistant("""
        flows:
          run: {steps: [{action: work, timeout: 1s}, {say: "Done."}]}
          other: {steps: [{say: "Hi."}]}
    """)
    actions = Actions()

    @actions.register("work", effect="pure")
    async def work(context: ActionContext) -> None:
        await context.inform("Working.")

    async def slow(message: Message) -> None:
        await asyncio.sleep(1.5)

    understanding = ScriptedUnderstanding({"go": [StartFlow(flow="run")]})
    async with RuntimeLoop(config, actions=actions, understanding=understanding) as loop:
        said = await loop.process_message("go", user_id="a", sink=CallbackMessageSink(slow))
    assert said == "Working.\nDone."


async def test_inform_sync_in_a_coroutine_fails_instead_of_hanging(assistant: Assistant, talk: Talk) -> None:
    actions = Actions()

    @actions.register("work", effect="pure")
    async def work(context: ActionContext) -> None:
        context.inform_sync("Hangs?")

    user = talk(assistant(run_yaml("on_error: sorry")), actions)
    assert await user.say(StartFlow(flow="run", slots={"amount": 1})) == ["Sorry."]


async def test_outputs_that_belong_together_are_looked_at_together(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots:
          low: {type: integer}
          high: {type: integer, validate: "high > low"}
        flows:
          run:
            steps:
              - {collect: low, message: "From?"}
              - {collect: high, message: "To?"}
              - {action: work, map_outputs: {high: high, low: low}}
              - {say: "{low}-{high}"}
          other: {steps: [{say: "Hi."}]}
    """)
    actions = Actions()
    actions.register("work", effect="pure")(lambda: {"high": 2, "low": 1})
    assert await talk(config, actions).say(StartFlow(flow="run", slots={"low": 50, "high": 60})) == ["1-2"]


@pytest.mark.parametrize("wrong", [3, None, b"x"])
async def test_telling_what_is_no_text_is_a_failed_action(assistant: Assistant, talk: Talk, wrong: Any) -> None:
    actions = Actions()

    @actions.register("work", effect="pure")
    async def work(context: ActionContext) -> None:
        await context.inform(wrong)

    user = talk(assistant(run_yaml("on_error: sorry")), actions)
    assert await user.say(StartFlow(flow="run", slots={"amount": 1})) == ["Sorry."]


async def test_g3_a_once_action_cancelled_from_inside_is_unknown(assistant: Assistant, talk: Talk) -> None:
    actions = Actions()

    @actions.register("work")
    async def work() -> None:
        raise asyncio.CancelledError

    user = talk(assistant(run_yaml()), actions)
    said = await user.say(StartFlow(flow="run", slots={"amount": 1}))
    assert "do not know whether" in said[0]


def test_mistakes_in_registering_are_told_at_once() -> None:
    actions = Actions()
    with pytest.raises(ValueError, match="no effect 'twice'"):
        actions.register("work", effect="twice")  # type: ignore[arg-type]  # on purpose
    with pytest.raises(TypeError, match="must take the value"):
        actions.validator("none")(lambda: True)
    with pytest.raises(TypeError, match="by position"):
        actions.register("work")(lambda *slots: None)


def test_a_name_registered_twice_is_refused() -> None:
    actions = Actions()
    actions.register("work")(lambda: None)
    with pytest.raises(ValueError, match="'work' is registered twice"):
        actions.register("work")(lambda: None)


async def test_constraints_in_a_signature_hold(assistant: Assistant, talk: Talk) -> None:
    actions = Actions()

    @actions.register("work", effect="pure")
    def work(amount: Annotated[float, Field(gt=10)]) -> dict[str, int]:
        return {"result": int(amount)}

    for amount, said in ((3, "Sorry."), (30, "Result 30.")):
        user = talk(assistant(run_yaml("on_error: sorry")), actions, user_id=str(amount))
        assert await user.say(StartFlow(flow="run", slots={"amount": amount})) == [said]


async def test_an_action_may_empty_a_slot(assistant: Assistant, talk: Talk) -> None:
    actions = Actions()
    actions.register("work", effect="pure")(lambda: {"result": None})
    user = talk(assistant(run_yaml()), actions)
    assert await user.say(StartFlow(flow="run", slots={"amount": 1})) == ["Result —."]


async def test_money_reaches_actions_as_money_or_as_a_number(assistant: Assistant, talk: Talk) -> None:
    seen: list[Any] = []
    actions = Actions()

    @actions.register("work", effect="pure")
    def work(amount: Money) -> dict[str, int]:
        seen.append(amount)
        return {"result": int(amount)}

    user = talk(assistant(run_yaml()), actions)
    await user.say(StartFlow(flow="run"))
    assert await user.say(SetSlot(slot="amount", value="$20")) == ["Result 20."]
    assert seen == [Money(20, "USD")]
