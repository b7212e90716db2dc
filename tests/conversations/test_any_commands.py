"""Whatever commands come, in whatever order: no turn fails, and no effect happens that was not confirmed."""

from __future__ import annotations

import asyncio
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from soni import Actions, load_config
from soni.core.commands import (
    Acknowledge,
    AffirmConfirmation,
    CancelFlow,
    Command,
    CorrectSlot,
    DenyConfirmation,
    OutOfScope,
    SetSlot,
    StartFlow,
)
from soni.core.pending_task import PendingTask, requires_input
from soni.testing import Conversation
from tests.conftest import examples

CONFIG = load_config(Path(__file__).with_name("any_commands.yaml"))

slots = st.sampled_from(["amount", "who", "ok", "more", "note", "limit", "ref", "nonsense"])
values: st.SearchStrategy[object] = st.sampled_from(
    [None, 1, 50, 900, 5000, "ten euros", "Ana", "x", "", True, False, [], {"amount": "NaN"}, -1.5]
)
commands: st.SearchStrategy[Command] = st.one_of(
    st.builds(StartFlow, flow=st.sampled_from(["send", "annotate", "balance", "nonsense"])),
    st.builds(StartFlow, flow=st.just("send"), slots=st.dictionaries(slots, values, max_size=3)),
    st.builds(SetSlot, slot=slots, value=values),
    st.builds(CorrectSlot, slot=slots, value=values),
    st.sampled_from([AffirmConfirmation(), AffirmConfirmation(), DenyConfirmation()]),
    st.sampled_from([CancelFlow(), Acknowledge(), OutOfScope()]),
    st.builds(CancelFlow, flow=st.sampled_from(["send", "annotate", "balance", "nonsense"])),
)
GOOD: dict[str, object] = {"amount": 50, "who": "Ana", "more": True, "note": "For you"}
extras = st.lists(st.tuples(st.booleans(), st.lists(commands, max_size=2)), max_size=14)
"""For each turn: whether the open question gets a good answer, and what else is said with it."""


def helpful(task: PendingTask | None) -> Command:
    """What a person would say to get on."""
    match task:
        case {"type": "collect", "slot": slot}:
            return SetSlot(slot=str(slot), value=GOOD[str(slot)])
        case {"type": "confirm"}:
            return AffirmConfirmation()
        case {"type": "inform"}:
            return Acknowledge()
        case _:
            return StartFlow(flow="send")


async def converse(script: list[tuple[bool, list[Command]]]) -> int:
    shown: list[str] = []
    paid: list[str] = []
    actions = Actions()
    actions.register("limits", effect="pure")(lambda: {"limit": 100})

    @actions.register("pay")
    def pay(amount: float, who: str) -> dict[str, str]:
        paid.append(f"Send €{amount:,.2f} to {who}?")
        return {"id": f"T{len(paid)}"}

    user = Conversation(CONFIG, actions=actions)
    for helps, extra in script:
        before = len(paid)
        open_task = (await user.state())["_pending_task"]
        spoken = [helpful(open_task), *extra] if helps else extra
        said = await user.say(*spoken)
        assert user.last is not None
        assert user.last.error is None
        state = await user.state()
        task = state["_pending_task"]
        if state["person"] is not None:
            assert task is None
            return len(paid)
        assert (task is None) == (state["flow_stack"] == [])
        assert task is None or (requires_input(task) and said[-1] == task["prompt"])
        assert len(state["flow_stack"]) <= 9
        assert {frame["flow_id"] for frame in state["flow_stack"]} == set(state["flow_slots"])
        if len(paid) > before:
            assert len(paid) == before + 1, "one yes is good for one payment"
            assert open_task is not None
            assert open_task["type"] == "confirm"
            assert paid[-1] == open_task["prompt"], "what was paid is what was shown"
            assert AffirmConfirmation() in spoken
        shown += said
    assert all("{" not in text for text in shown)
    return len(paid)


@settings(max_examples=examples(25), deadline=None)
@given(extras)
def test_any_commands_in_any_order(script: list[tuple[bool, list[Command]]]) -> None:
    asyncio.run(converse(script))


def test_a_helpful_person_gets_things_done() -> None:
    """Or the test above would never see a payment."""
    assert asyncio.run(converse([(True, [])] * 12)) == 4
