"""B55: every turn can be explained."""

from __future__ import annotations

import json

from soni import Actions
from soni.core.commands import CancelFlow, CorrectSlot, HumanHandoff, OutOfScope, SetSlot, StartFlow
from soni.du.context import DialogueContext
from soni.du.understanding import Found, Understood
from soni.runtime.explanation import Explanation
from soni.testing import Conversation
from tests.conftest import Assistant, Talk
from tests.conversations.hosts import new_loop

TRIP = """
    settings: {start_flow: welcome}
    slots:
      city: {type: text}
      days: {type: integer, validate: "days > 0", error: "At least one."}
      code: {type: text, sensitive: true}
    flows:
      welcome: {steps: [{say: "Welcome."}]}
      book:
        steps:
          - {collect: city, message: "Where to?"}
          - {collect: days, message: "How long?"}
          - {step: long, type: branch, cases: [{when: "days > 7", then: warn}, {else: code}]}
          - {step: warn, type: say, message: "That is long."}
          - {step: note, type: say, message: "Rome!", if: "city == 'Rome'"}
          - {step: code, type: collect, slot: code, message: "Code?"}
          - {step: secret, type: branch, cases: [{when: "code == 'abc123'", then: yes_}, {else: no_}]}
          - {step: yes_, type: say, message: "Right.", jump_to: end}
          - {step: no_, type: say, message: "Wrong."}
      weather: {steps: [{say: "Sunny."}]}
"""


def explained(user: Conversation) -> Explanation:
    assert user.last is not None
    explanation = user.last.explain
    assert json.loads(json.dumps(explanation.to_json())) == explanation.to_json()
    return explanation


async def test_b55_commands_are_told_with_who_found_them(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRIP))
    await user.say(StartFlow(flow="book"))
    assert [(one.command["type"], one.by) for one in explained(user).commands] == [
        ("start_session", "host"),
        ("start_flow", "scripted"),
    ]
    assert str(explained(user)) == "\n".join(
        [
            "understood start_session(): given by the host (host, 1.00)",
            "understood start_flow(flow='book') (scripted, 1.00)",
            "welcome.say (say) → ends",
            "book.collect_city (collect): city is empty → waits",
        ]
    )


class Torn:
    """An understanding that has weighed two readings."""

    async def understand(self, message: str, context: DialogueContext) -> Understood:
        asked = context.task is not None and context.task["type"] == "collect"
        command = (
            SetSlot(slot="code", value=message) if asked else StartFlow(flow="book", slots={"city": "A", "days": 2})
        )
        found = Found(command, 0.71, runner_up=f"start weather by {message}", runner_up_confidence=0.2345)
        return Understood((found,), by="torn")


async def test_b55_the_reading_that_came_second_is_told(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRIP), understanding=Torn())
    await user.say(text="sun")
    meant = explained(user).commands[-1]
    assert (meant.runner_up, meant.runner_up_confidence) == ("start weather by sun", 0.234)
    assert str(meant).endswith("(torn, 0.71, rather than start weather by sun, 0.23)")
    await user.say(text="zebra")
    assert "zebra" not in str(explained(user)), "it may hold the words of a secret"


def test_b55_a_trace_of_an_earlier_version_can_be_read() -> None:
    stored = {"command": {"type": "help"}, "by": "local", "confidence": 0.5, "evidence": ""}
    assert str(Explanation.of([stored])) == "understood help() (local, 0.50)"


async def test_b55_branches_and_skips_tell_what_they_saw(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRIP))
    await user.say(StartFlow(flow="book", slots={"city": "Oslo"}))
    await user.say(SetSlot(slot="days", value=9))
    steps = explained(user).steps
    assert [(s.step, s.why, s.saw, s.then) for s in steps] == [
        ("collect_days", "days is filled", {}, "long"),
        ("long", "days > 7", {"days": 9}, "warn"),
        ("warn", "", {}, "note"),
        ("note", "skipped: city == 'Rome' is false", {"city": "Oslo"}, "code"),
        ("code", "code is empty", {}, "waits"),
    ]
    assert str(steps[1]) == "book.long (branch): days > 7 [days = 9] → warn"


async def test_b55_secrets_are_not_told(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRIP))
    await user.say(StartFlow(flow="book", slots={"city": "Oslo", "days": 2}))
    assert await user.say(SetSlot(slot="code", value="zebra"), text="zebra") == ["Wrong."]
    told = json.dumps(explained(user).to_json(), ensure_ascii=False) + str(explained(user))
    assert "zebra" not in told
    secret = next(step for step in explained(user).steps if step.step == "secret")
    assert (secret.why, secret.saw) == ("no case held", {"code": "•••"})
    async with new_loop(user) as loop:
        assert "zebra" not in str(await loop.explain("test"))


async def test_b55_a_payload_and_a_refusal_are_told(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRIP))
    await user.say(StartFlow(flow="book", slots={"city": "Oslo"}))
    await user.say(SetSlot(slot="days", value=-1), SetSlot(slot="nonsense", value=1))
    assert [(event.event, event.slot, event.why) for event in explained(user).events] == [
        ("invalid", "days", "'days' is refused by: days > 0"),
        ("ignored", "", "there is no slot 'nonsense'"),
    ]


async def test_b55_a_correction_tells_what_was_passed_over(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRIP))
    await user.say(StartFlow(flow="book", slots={"city": "Oslo", "days": 9}))
    await user.say(CorrectSlot(slot="city", value="Rome"))
    passed = [(step.step, step.passed_over) for step in explained(user).steps]
    assert ("collect_days", True) in passed
    assert ("note", False) in passed
    assert "derived again" in [event.event for event in explained(user).events]


async def test_b55_the_last_turn_can_be_explained_by_another_loop(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRIP))
    async with new_loop(user) as loop:
        assert str(await loop.explain("test")) == "Nothing has been said yet."
    for command in (StartFlow(flow="book"), OutOfScope(), StartFlow(flow="weather"), CancelFlow(), CancelFlow()):
        await user.say(command)
        async with new_loop(user) as loop:
            assert await loop.explain("test") == explained(user)


async def test_b55_a_turn_that_failed_tells_so(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {n: {type: integer, source: system}}
        flows:
          go: {steps: [{action: work, map_outputs: {n: n}}, {say: "{n}"}]}
          other: {steps: [{say: "Hi."}]}
    """)
    actions = Actions()

    @actions.register("work", effect="pure")
    def work() -> dict[str, int]:
        raise ValueError("no luck")

    user = talk(config, actions)
    assert await user.say(StartFlow(flow="go")) == ["Sorry, something went wrong and I could not do that."]
    (step,) = explained(user).steps
    assert step.then == "stops"
    assert "work" in step.why


async def test_b55_turns_around_a_person_can_be_explained(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRIP))
    await user.say(StartFlow(flow="book"))
    await user.say(HumanHandoff(reason="why not"))
    assert [(event.event, event.why) for event in explained(user).events] == [("handoff", "why not")]
    await user.say(text="hello")
    assert explained(user).steps == ()
    async with new_loop(user) as loop:
        turn = await loop.return_to_assistant("test")
    assert [one.command for one in turn.explain.commands] == [{"type": "return_to_assistant"}]
    assert [step.step for step in turn.explain.steps] == ["collect_city"]


async def test_b55_what_was_said_to_a_person_is_not_nothing(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRIP))
    await user.say(HumanHandoff())
    await user.say(text="hello")
    async with new_loop(user) as loop:
        assert str(await loop.explain("test")) != "Nothing has been said yet."
