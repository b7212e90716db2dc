"""Where a flow stands follows from what was said and done: the hard cases, one by one."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from soni import Actions
from soni.core.commands import (
    AffirmConfirmation,
    ClearSlot,
    Command,
    CorrectSlot,
    DenyConfirmation,
    SetSlot,
    Skip,
    StartFlow,
)
from soni.testing import Conversation
from tests.conftest import Assistant, Talk

CHANGED = "I have changed that."
DONE = "That has already been done, so I cannot change it any more."


def numbers(names: str, flows: str, **options: str) -> str:
    """An assistant whose slots are whole numbers, or answers to confirmations if they begin with 'ok'."""
    slots = []
    for name in names.split():
        kind = "boolean" if name.startswith("ok") else "integer"
        slots.append(f"  {name}: {{type: {kind}, {options.get(name, '')}}}")
    return "\n".join(
        ["settings: {handoff: false}", "slots:", *slots, "flows:", flows, "  other: {steps: [{say: Hi.}]}"]
    )


class Office:
    """Actions that remember what was done."""

    def __init__(self, **look: Callable[..., Any]) -> None:
        self.done: list[tuple[Any, ...]] = []
        self.actions = Actions()
        for name, function in look.items():
            self.actions.register(name, effect="pure")(function)

    def once(self, name: str, *slots: str) -> Office:
        """Something that is done once, with these slots."""

        async def do(**given: int) -> None:
            self.done.append((name, *(given[slot] for slot in slots)))

        parameters = [inspect.Parameter(slot, inspect.Parameter.KEYWORD_ONLY, annotation=int) for slot in slots]
        do.__annotations__ = dict.fromkeys(slots, int)
        do.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        self.actions.register(name)(do)
        return self


def put(**slots: int) -> list[Command]:
    return [SetSlot(slot=slot, value=value) for slot, value in slots.items()]


def correct(**slots: int | None) -> list[Command]:
    return [CorrectSlot(slot=slot, value=value) for slot, value in slots.items()]


async def said(user: Conversation, *turns: list[Command]) -> list[str]:
    """Say these, one after the other; what is answered to the last."""
    answer: list[str] = []
    for commands in turns:
        answer = await user.say(*commands)
        assert user.last is not None
        assert user.last.error is None
    return answer


START: list[Command] = [StartFlow(flow="main")]
YES: list[Command] = [AffirmConfirmation()]
NO: list[Command] = [DenyConfirmation()]


async def main_slots(user: Conversation) -> dict[str, Any]:
    """The slots of the flow that was started first."""
    state = await user.state()
    return state["flow_slots"][state["flow_stack"][0]["flow_id"]]


# A question that is asked again if the answer does not fit


def guard(limit: str) -> str:
    return numbers(
        "day limit n ok",
        f"""
  main:
    steps:
      - {{collect: day, message: "Day?"}}
      - {{step: limited, type: set, compute: {{limit: "{limit}"}}}}
      - {{collect: n, message: "How many?"}}
      - {{step: guard, type: branch, cases: [{{when: "n <= limit", then: sure}}]}}
      - {{step: sorry, type: say, message: "{{n}} is too much."}}
      - {{step: again, type: collect, slot: n, message: "How many then?", ask_always: true}}
      - {{step: sure, type: confirm, slot: ok, message: "{{n}} on {{day}}?"}}
      - {{say: "Noted."}}
""",
        limit="source: system",
    )


SHORT_MONDAYS = "10 if day == 1 else 100"


async def test_b20_the_latest_answer_counts_whichever_question_it_answered(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(guard(SHORT_MONDAYS)))
    assert await said(user, START, put(day=1), put(n=50)) == ["50 is too much.", "How many then?"]
    assert await said(user, put(n=5)) == ["5 on 1?"]
    assert await said(user, correct(day=2)) == [CHANGED, "5 on 2?"]


async def test_b20_both_the_limit_and_what_it_limits_are_corrected(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(guard(SHORT_MONDAYS)))
    await said(user, START, put(day=1), put(n=50), put(n=5))
    assert await said(user, correct(day=2, n=70)) == [CHANGED, "70 on 2?"]


async def test_b20_a_correction_passes_the_guard_again(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(guard("10")))
    await said(user, START, put(day=1), put(n=50), put(n=5))
    assert await said(user, correct(n=30)) == [CHANGED, "30 is too much.", "How many then?"]
    assert await said(user, put(n=7)) == ["7 on 1?"]


async def test_b20_what_answered_the_guards_own_question_is_not_asked_again(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(guard("10")))
    assert (await said(user, START, put(day=1), put(n=50), put(n=60)))[-1] == "60 on 1?"
    assert await said(user, correct(day=2)) == [CHANGED, "60 on 2?"]


async def test_b1_two_questions_for_one_slot_that_are_always_asked_are_asked_once_each(
    assistant: Assistant, talk: Talk
) -> None:
    user = talk(
        assistant(
            numbers(
                "n ok",
                """
  main:
    steps:
      - {collect: n, message: "How many?", ask_always: true}
      - {step: guard, type: branch, cases: [{when: "n <= 10", then: sure}]}
      - {step: again, type: collect, slot: n, message: "How many then?", ask_always: true}
      - {step: sure, type: confirm, slot: ok, message: "{n}?"}
      - {say: "Noted."}
""",
            )
        )
    )
    assert await said(user, START, put(n=50)) == ["How many then?"]
    assert await said(user, put(n=60)) == ["60?"]
    assert await said(user, correct(n=70)) == [CHANGED, "How many then?"]
    assert await said(user, put(n=5)) == ["5?"]


async def test_b20_a_slot_that_was_emptied_is_asked_for_again_after_a_correction(
    assistant: Assistant, talk: Talk
) -> None:
    user = talk(
        assistant(
            numbers(
                "n ok",
                """
  main:
    steps:
      - {collect: n, message: "How many?"}
      - {step: guard, type: branch, cases: [{when: "n <= 10", then: sure}]}
      - {step: empty, type: set, slots: {n: null}}
      - {step: again, type: collect, slot: n, message: "How many then?"}
      - {step: sure, type: confirm, slot: ok, message: "{n}?"}
      - {say: "Noted."}
""",
            )
        )
    )
    assert await said(user, START, put(n=50)) == ["How many then?"]
    assert await said(user, put(n=60)) == ["60?"]
    assert (await said(user, correct(n=30)))[-1] == "How many then?"
    assert await said(user, put(n=3)) == ["3?"]


# Menus and loops

MENU = numbers(
    "shop choice item total ok",
    """
  main:
    steps:
      - {collect: shop, message: "Shop?"}
      - {step: begin, type: set, slots: {total: 0}}
      - step: menu
        type: while
        condition: "choice != 1"
        keep: true
        do:
          - {collect: choice, message: "0 for more, 1 to end?", ask_always: true}
          - {step: way, type: branch, cases: [{when: "choice == 1", then: over}]}
          - {collect: item, message: "Item?", ask_always: true}
          - {step: add, type: set, compute: {total: "total * 100 + item"}}
          - {step: over, type: set, compute: {total: "total"}}
      - {confirm: ok, message: "{total} from {shop}?"}
      - {say: "Noted."}
""",
    total="source: system",
)


async def test_b20_a_correction_stays_at_the_menu(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(MENU))
    turns = START, put(shop=9), put(choice=0), put(item=11), put(choice=0), put(item=12)
    assert await said(user, *turns) == ["0 for more, 1 to end?"]
    assert await said(user, correct(shop=8)) == [CHANGED, "0 for more, 1 to end?"]
    assert await said(user, correct(item=13)) == [CHANGED, "0 for more, 1 to end?"]
    state = await user.state()
    assert state["flow_stack"][-1]["rounds"] == {"menu": 3}
    assert await said(user, put(choice=1)) == ["1,113 from 8?"]


LIST = numbers(
    "size shop item n total ok",
    """
  main:
    steps:
      - {collect: size, message: "How many?"}
      - {collect: shop, message: "Shop?"}
      - {step: begin, type: set, slots: {n: 0, total: 0}}
      - step: items
        type: while
        condition: "n < size"
        do:
          - {collect: item, message: "Item?"}
          - {step: seen, type: say, message: "{item} it is."}
          - {step: add, type: set, compute: {total: "total * 10 + item"}}
          - {step: count, type: set, compute: {n: "n + 1"}}
      - {confirm: ok, message: "{total} from {shop}?"}
      - {say: "Noted."}
""",
    n="source: system",
    total="source: system",
)


async def test_b20_a_loop_becomes_shorter_and_longer(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(LIST))
    await said(user, START, put(size=3, shop=1), put(item=1), put(item=2))
    assert await said(user, correct(shop=2)) == [CHANGED, "Item?"]
    assert (await user.state())["flow_stack"][-1]["rounds"] == {"items": 3}
    assert await said(user, put(item=3)) == ["3 it is.", "123 from 2?"]
    assert await said(user, correct(size=2)) == [CHANGED, "12 from 2?"]
    assert await said(user, correct(size=4)) == [CHANGED, "Item?"]
    assert await said(user, put(item=4)) == ["4 it is.", "1,234 from 2?"]
    assert await said(user, [ClearSlot(slot="item")]) == ["Item?"]
    assert (await user.state())["flow_stack"][-1]["rounds"] == {"items": 4}


async def test_b20_round_one_is_corrected_from_round_three(assistant: Assistant, talk: Talk) -> None:
    user = talk(
        assistant(
            numbers(
                "base more n total ok",
                """
  main:
    steps:
      - {step: begin, type: set, slots: {n: 0, total: 0}}
      - step: rounds
        type: while
        condition: "n < 3"
        keep: true
        do:
          - {collect: base, message: "Base?"}
          - {collect: more, message: "More?", ask_always: true}
          - {step: add, type: set, compute: {total: "total * 10 + base + more"}}
          - {step: count, type: set, compute: {n: "n + 1"}}
      - {confirm: ok, message: "{total}?"}
      - {say: "Noted."}
""",
                n="source: system",
                total="source: system",
            )
        )
    )
    assert await said(user, START, put(base=1), put(more=0), put(more=0)) == ["More?"]
    assert await said(user, correct(base=2)) == [CHANGED, "More?"]
    assert (await user.state())["flow_stack"][-1]["rounds"] == {"rounds": 3}
    assert (await user.slots())["total"] == 22
    assert await said(user, put(more=1)) == ["223?"]


# What was done


async def test_b25_a_word_is_not_seen_before_the_place_where_it_was_said(assistant: Assistant, talk: Talk) -> None:
    office = Office().once("send_code").once("pay", "amount")
    user = talk(
        assistant(
            numbers(
                "amount code extra ok",
                """
  main:
    steps:
      - {collect: amount, message: "How much?"}
      - {step: known, type: branch, cases: [{when: "code is not None", then: further}]}
      - {action: send_code}
      - {collect: code, message: "Code?"}
      - {step: further, type: collect, slot: extra, message: "Extra?"}
      - {confirm: ok, message: "{amount} with {code}?"}
      - {action: pay}
""",
            )
        ),
        office.actions,
    )
    assert await said(user, START, put(amount=5)) == ["Code?"]
    assert await said(user, put(code=99), put(extra=1)) == ["5 with 99?"]
    assert await said(user, correct(amount=6)) == [CHANGED, "6 with 99?"]
    assert office.done == [("send_code",)]
    await said(user, YES)
    assert office.done == [("send_code",), ("pay", 6)]


AFTER = numbers(
    "extra a b total last ok",
    """
  main:
    steps:
      - {collect: extra, message: "Extra?"}
      - {collect: a, message: "A?"}
      - {collect: b, message: "B?"}
      - {step: add, type: set, compute: {total: "a + b"}}
      - {confirm: ok, message: "Pay {total}?"}
      - {action: pay}
      - {step: told, type: say, message: "Extra {extra}."}
      - {step: more, type: collect, slot: a, message: "A again?", ask_always: true}
      - {collect: last, message: "Last?"}
      - {say: "{a} {last}."}
""",
    total="source: system",
)


@pytest.fixture
async def paid(assistant: Assistant, talk: Talk) -> tuple[Conversation, Office]:
    office = Office().once("pay", "total")
    user = talk(assistant(AFTER), office.actions)
    assert await said(user, START, put(extra=1, a=5, b=6)) == ["Pay 11?"]
    assert await said(user, YES) == ["Extra 1.", "A again?"]
    assert office.done == [("pay", 11)]
    return user, office


@pytest.mark.parametrize("value", [7, None])
async def test_b25_what_was_paid_cannot_be_changed(paid: tuple[Conversation, Office], value: int | None) -> None:
    user, office = paid
    before = await user.state()
    assert await said(user, correct(b=value)) == [DONE, "A again?"]
    after = await user.state()
    assert after["flow_slots"] == before["flow_slots"]
    assert after["_pending_task"] == before["_pending_task"]
    assert office.done == [("pay", 11)]


async def test_b25_what_the_payment_did_not_use_can_be_changed(paid: tuple[Conversation, Office]) -> None:
    user, office = paid
    assert await said(user, correct(extra=2)) == [CHANGED, "Extra 2.", "A again?"]
    assert office.done == [("pay", 11)]


async def test_b25_an_answer_counts_beside_a_change_that_cannot_be_made(paid: tuple[Conversation, Office]) -> None:
    user, _ = paid
    assert await said(user, correct(a=4, b=7)) == [DONE, "Last?"]
    slots = await user.slots()
    assert (slots["a"], slots["b"], slots["total"]) == (4, 6, 11)


async def test_b25_what_was_said_after_the_payment_is_corrected_apart_from_it(
    paid: tuple[Conversation, Office],
) -> None:
    user, office = paid
    assert await said(user, put(a=8)) == ["Last?"]
    assert await said(user, correct(a=9)) == [CHANGED, "Last?"]
    assert (await user.slots())["a"] == 9
    assert await said(user, correct(extra=None)) == [DONE, "Last?"]
    assert await said(user, put(last=3)) == ["9 3."]
    assert office.done == [("pay", 11)]


async def test_b25_two_changes_that_leave_what_was_paid_as_it_is_are_made(assistant: Assistant, talk: Talk) -> None:
    office = Office().once("pay", "total")
    yaml = numbers(
        "a b total last ok",
        """
  main:
    steps:
      - {collect: a, message: "A?"}
      - {collect: b, message: "B?"}
      - {step: add, type: set, compute: {total: "a + b"}}
      - {confirm: ok, message: "Pay {total}?"}
      - {action: pay}
      - {collect: last, message: "Last?"}
      - {say: "{a} {b}."}
""",
        total="source: system",
    )
    user = talk(assistant(yaml), office.actions)
    assert await said(user, START, put(a=5, b=6), YES) == ["Last?"]
    assert await said(user, correct(a=6, b=5)) == [CHANGED, "Last?"]
    assert await said(user, put(last=1)) == ["6 5."]
    assert office.done == [("pay", 11)]


async def test_b23_two_values_that_are_right_together_are_taken_and_one_alone_is_not(
    assistant: Assistant, talk: Talk
) -> None:
    yaml = numbers(
        "a b ok",
        '  main: {steps: [{collect: a}, {collect: b}, {confirm: ok, message: "{a} {b}?"}, {say: "Noted."}]}',
        a='validate: "a < b", error: "A is too high."',
        b='validate: "b > a", error: "B is too low."',
    )
    user = talk(assistant(yaml))
    assert await said(user, START, put(a=5, b=6)) == ["5 6?"]
    assert await said(user, correct(a=50, b=60)) == [CHANGED, "50 60?"]
    assert await said(user, correct(a=70)) == ["A is too high.", "50 60?"]


async def test_b11_yes_with_another_value_asks_again(assistant: Assistant, talk: Talk) -> None:
    office = Office().once("pay", "a")
    yaml = numbers("a ok", '  main: {steps: [{collect: a}, {confirm: ok, message: "Pay {a}?"}, {action: pay}]}')
    user = talk(assistant(yaml), office.actions)
    assert await said(user, START, put(a=5)) == ["Pay 5?"]
    assert await said(user, [*YES, *correct(a=6)]) == [CHANGED, "Pay 6?"]
    assert office.done == []
    await said(user, YES)
    assert office.done == [("pay", 6)]


async def test_b12_a_yes_covers_what_it_does_not_show(assistant: Assistant, talk: Talk) -> None:
    office = Office().once("pay", "a", "b")
    yaml = numbers(
        "a b last ok",
        """
  main:
    steps:
      - {collect: a}
      - {collect: b}
      - {confirm: ok, message: "Pay {a}?"}
      - {collect: last, message: "Last?"}
      - {action: pay}
""",
    )
    user = talk(assistant(yaml), office.actions)
    assert await said(user, START, put(a=1, b=2), YES) == ["Last?"]
    assert await said(user, correct(b=3)) == [CHANGED, "Pay 1?"]
    await said(user, YES, put(last=1))
    assert office.done == [("pay", 1, 3)]


async def test_b25_what_was_done_in_the_rounds_of_a_called_flow_stays_done(assistant: Assistant, talk: Talk) -> None:
    office = Office().once("pay", "item")
    yaml = numbers(
        "size extra item n last ok",
        """
  main:
    steps:
      - {collect: size, message: "How many?"}
      - {collect: extra, message: "Extra?"}
      - {call: payments}
      - {collect: last, message: "Last?"}
      - {say: "{extra}."}
  payments:
    steps:
      - {step: begin, type: set, slots: {n: 0}}
      - step: rounds
        type: while
        condition: "n < size"
        do:
          - {collect: item, message: "Item?"}
          - {confirm: ok, message: "Pay {item}?"}
          - {action: pay}
          - {step: count, type: set, compute: {n: "n + 1"}}
""",
        n="source: system",
    )
    user = talk(assistant(yaml), office.actions)
    assert await said(user, START, put(size=2, extra=1), put(item=5), YES, put(item=6)) == ["Pay 6?"]
    assert await said(user, correct(item=7)) == [CHANGED, "Pay 7?"]
    assert await said(user, correct(size=1)) == [CHANGED, "Last?"], "what was done is still on the way"
    assert await said(user, correct(size=3)) == [CHANGED, "Pay 7?"]
    assert await said(user, YES) == ["Item?"]
    before = await user.state()
    assert await said(user, correct(size=1)) == [DONE, "Item?"]
    assert (await user.state())["flow_slots"] == before["flow_slots"]
    assert await said(user, correct(extra=2)) == [CHANGED, "Item?"]
    assert (await user.state())["flow_stack"][-1]["rounds"] == {"rounds": 3}
    assert office.done == [("pay", 5), ("pay", 7)]


# What steps decide

RING = numbers(
    "name phone ok",
    """
  main:
    steps:
      - {collect: name, message: "Who?"}
      - {action: look_up, map_outputs: {phone: phone}}
      - {step: told, type: say, message: "On {phone}."}
      - {collect: phone, message: "Which number?"}
      - {confirm: ok, message: "Ring {name} on {phone}?"}
      - {say: "Ringing."}
""",
)


def phone_book() -> Actions:
    return Office(look_up=lambda name: {"phone": 100 + name if name % 2 == 0 else None}).actions


async def test_b20_the_later_of_word_and_decision_counts(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(RING), phone_book())
    assert await said(user, START, put(name=2)) == ["On 102.", "Ring 2 on 102?"]
    assert await said(user, correct(phone=999, name=4)) == [CHANGED, "On 999.", "Ring 4 on 999?"]
    assert await said(user, correct(name=2)) == [CHANGED, "On 102.", "Ring 2 on 102?"]
    assert (await said(user, correct(phone=None)))[-1] == "Which number?"
    assert (await said(user, put(phone=7)))[-1] == "Ring 2 on 7?"
    assert (await said(user, correct(name=3)))[-1] == "Which number?", "it was said over what is looked up anew"
    assert (await said(user, put(phone=8)))[-1] == "Ring 3 on 8?"
    assert (await said(user, correct(name=5)))[-1] == "Ring 5 on 8?", "nothing is found, as before"
    assert (await said(user, correct(name=6)))[-1] == "Ring 6 on 106?"
    assert (await said(user, correct(name=3)))[-1] == "Which number?"


ROUND = '{step: rounded, type: set, compute: {a: "a // 10 * 10"}}'


@pytest.mark.parametrize(
    "flows",
    [
        f'  main: {{steps: [{{collect: a}}, {ROUND}, {{confirm: ok, message: "{{a}}?"}}, {{say: "Noted."}}]}}',
        f'  main: {{steps: [{{collect: a}}, {{call: sub}}, {{confirm: ok, message: "{{a}}?"}}, {{say: "Noted."}}]}}\n'
        f"  sub: {{steps: [{ROUND}]}}",
    ],
    ids=["in the flow", "in a called flow"],
)
async def test_b20_a_corrected_value_is_rounded_like_the_first(assistant: Assistant, talk: Talk, flows: str) -> None:
    user = talk(assistant(numbers("a ok", flows)))
    assert await said(user, START, put(a=57)) == ["50?"]
    assert await said(user, correct(a=68)) == [CHANGED, "60?"]


# Called flows

CALL = numbers(
    "low size item high n ok",
    """
  main:
    steps:
      - {collect: low, message: "Low?"}
      - {call: sub}
      - {confirm: ok, message: "{low} and {size}?"}
      - {action: pay}
  sub:
    steps:
      - {collect: size, message: "Size?"}
      - {step: begin, type: set, slots: {n: 0}}
      - step: items
        type: while
        condition: "n < size"
        do:
          - {collect: item, message: "Item?"}
          - {step: count, type: set, compute: {n: "n + 1"}}
      - {collect: high, message: "High?"}
""",
    n="source: system",
    high='validate: "high > low", error: "Too low."',
)


async def test_b22_a_called_flow_is_corrected_inside_and_afterwards(assistant: Assistant, talk: Talk) -> None:
    office = Office().once("pay", "low", "size")
    user = talk(assistant(CALL), office.actions)
    assert await said(user, START, put(size=2), put(low=1)) == ["Item?"], "the size was said before the call"
    assert await said(user, correct(size=1)) == [CHANGED, "Item?"]
    assert await said(user, put(item=5)) == ["High?"]
    assert await said(user, correct(size=3)) == [CHANGED, "Item?"]
    assert (await user.state())["flow_stack"][-1]["rounds"] == {"items": 2}
    assert await said(user, put(item=6), put(item=7)) == ["High?"]
    assert await said(user, put(high=1)) == ["Too low.", "High?"]
    assert await said(user, put(high=9)) == ["1 and 3?"]
    changed_low = await said(user, correct(low=20))
    assert sorted(changed_low[:-1]) == sorted([CHANGED, "Too low."])
    assert changed_low[-1] == "High?", "its question is inside the call"
    assert await said(user, put(high=30)) == ["20 and 3?"]
    assert await said(user, correct(size=1)) == [CHANGED, "20 and 1?"]
    await said(user, YES)
    assert office.done == [("pay", 20, 1)]


async def test_b57_a_value_waits_for_the_call_that_needs_it(assistant: Assistant, talk: Talk) -> None:
    yaml = numbers(
        "who note street city ok",
        """
  main:
    steps:
      - {collect: who, message: "Who?"}
      - {step: first, type: call, target: mid}
      - {collect: note, message: "Note?"}
      - {step: second, type: call, target: mid}
      - {confirm: ok, message: "{who}?"}
      - {say: "Noted."}
  mid: {steps: [{call: address}]}
  address: {steps: [{collect: street, message: "Street?"}, {collect: city, message: "City?"}]}
""",
    )
    user = talk(assistant(yaml))
    assert await said(user, [*START, *put(city=7)]) == ["Who?"]
    assert await said(user, put(who=1)) == ["Street?"]
    assert await said(user, put(street=2)) == ["Note?"]
    assert await said(user, put(street=3)) == ["Note?"]
    assert await said(user, put(note=4)) == ["City?"], "the second call has a city of its own"
    assert (await said(user, correct(street=5, who=6)))[-1] == "City?"
    assert await said(user, put(city=8)) == ["6?"]


async def test_b57_a_callers_answer_serves_a_call_that_a_correction_brings_up(assistant: Assistant, talk: Talk) -> None:
    yaml = numbers(
        "kind street ok",
        """
  main:
    steps:
      - {collect: kind, message: "Kind?"}
      - {step: way, type: branch, cases: [{when: "kind <= 5", then: own}]}
      - {call: address}
      - {step: own, type: collect, slot: street, message: "Street?"}
      - {confirm: ok, message: "{street}?"}
      - {say: "Noted."}
  address: {steps: [{collect: street, message: "Which street?"}]}
""",
    )
    user = talk(assistant(yaml))
    assert await said(user, START, put(kind=1), put(street=2)) == ["2?"]
    assert await said(user, correct(kind=6)) == [CHANGED, "2?"]


# Rules


async def test_b56_a_rule_is_looked_at_again_when_another_slot_is_filled(assistant: Assistant, talk: Talk) -> None:
    yaml = numbers(
        "low high ok",
        """
  main:
    steps:
      - {collect: low, message: "Low?"}
      - {collect: high, message: "High?"}
      - {confirm: ok, message: "{low} to {high}?"}
      - {say: "Noted."}
""",
        high='validate: "high > low", error: "Too low."',
    )
    user = talk(assistant(yaml))
    assert await said(user, START, put(high=20)) == ["Low?"]
    assert await said(user, put(low=50)) == ["Too low.", "High?"]
    assert await said(user, put(high=60)) == ["50 to 60?"]
    assert "Too low." in await said(user, correct(low=70))
    assert (await user.slots()).get("high") is None


CLINIC = numbers(
    "day closes hour ok",
    """
  main:
    steps:
      - {collect: day, message: "Day?"}
      - {action: hours, map_outputs: {closes: closes}}
      - {collect: hour, message: "Hour?"}
      - {confirm: ok, message: "{hour} on {day}?"}
      - {say: "Booked."}
""",
    closes="source: system",
    hour='validate: "hour < closes", error: "We are closed then."',
)


def hours() -> Actions:
    return Office(hours=lambda day: {"closes": 14 if day == 6 else 20}).actions


async def test_b56_a_rule_holds_when_an_action_brings_another_value(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(CLINIC), hours())
    assert await said(user, START, put(day=1, hour=18)) == ["18 on 1?"]
    changed = await said(user, correct(day=6))
    assert "We are closed then." in changed
    assert changed[-1] == "Hour?"
    assert await said(user, put(hour=18)) == ["We are closed then.", "Hour?"]
    assert await said(user, put(hour=10)) == ["10 on 6?"]


async def test_b56_a_new_value_that_breaks_its_rule_leaves_the_old_one(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(CLINIC), hours())
    assert await said(user, START, put(day=1, hour=10)) == ["10 on 1?"]
    changed = await said(user, correct(day=6, hour=18))
    assert "We are closed then." in changed
    assert changed[-1] == "10 on 6?"


async def test_b56_a_rule_holds_when_a_set_step_brings_another_value(assistant: Assistant, talk: Talk) -> None:
    yaml = numbers(
        "base low high ok",
        """
  main:
    steps:
      - {collect: high, message: "High?"}
      - {collect: base, message: "Base?"}
      - {step: doubled, type: set, compute: {low: "base * 2"}}
      - {confirm: ok, message: "{low} to {high}?"}
      - {say: "Noted."}
""",
        low="source: system",
        high='validate: "high > low", error: "Too low."',
    )
    user = talk(assistant(yaml))
    assert await said(user, START, put(high=20), put(base=25)) == ["Too low.", "High?"]
    assert await said(user, put(high=51)) == ["50 to 51?"]


async def test_b56_two_rules_that_fight_ask_in_turn(assistant: Assistant, talk: Talk) -> None:
    yaml = numbers(
        "a b ok",
        """
  main:
    steps:
      - {collect: a, message: "A?", attempts: 50}
      - {collect: b, message: "B?", attempts: 50}
      - {confirm: ok, message: "{a} {b}?"}
      - {say: "Noted."}
""",
        a='validate: "a < b", error: "A!"',
        b='validate: "b < a", error: "B!"',
    )
    user = talk(assistant(yaml))
    await said(user, START, put(a=5))
    for n in range(5):
        for turn in (put(a=n), put(b=n)):
            assert (await said(user, turn))[-1] in ("A?", "B?")


async def test_b56_a_called_flow_breaks_the_callers_rule(assistant: Assistant, talk: Talk) -> None:
    yaml = numbers(
        "a b extra ok",
        """
  main:
    steps:
      - {collect: a, message: "A?"}
      - {call: sub}
      - {confirm: ok, message: "{a} {b}?"}
      - {say: "Noted."}
  sub: {steps: [{collect: b, message: "B?"}, {collect: extra, message: "Extra?"}]}
""",
        a='validate: "a > b", error: "Too low."',
    )
    user = talk(assistant(yaml))
    turns = START, put(a=5), put(b=9), put(extra=1)
    assert await said(user, *turns) == ["Too low.", "A?"]
    assert await said(user, put(a=10)) == ["10 9?"]
    assert (await said(user, correct(b=20)))[-1] == "A?"
    assert (await main_slots(user)).get("a") is None


async def test_b56_what_something_was_done_with_cannot_become_void(assistant: Assistant, talk: Talk) -> None:
    office = Office().once("pay", "a")
    yaml = numbers(
        "a b last ok",
        """
  main:
    steps:
      - {collect: a, message: "A?"}
      - {confirm: ok, message: "Pay {a}?"}
      - {action: pay}
      - {collect: b, message: "B?"}
      - {collect: last, message: "Last?"}
      - {say: "{a} {b}."}
""",
        a='validate: "a > b", error: "Too low."',
    )
    user = talk(assistant(yaml), office.actions)
    assert await said(user, START, put(a=5), YES) == ["B?"]
    assert (await said(user, put(b=9)))[-1] == "B?"
    assert (await user.slots()).get("b") is None
    assert await said(user, put(b=3)) == ["Last?"]
    assert office.done == [("pay", 5)]


async def test_b56_a_deed_that_breaks_a_rule_is_not_repeated(assistant: Assistant, talk: Talk) -> None:
    done: list[int] = []
    actions = Actions()

    @actions.register("pay")
    def pay(hour: int) -> dict[str, int]:
        done.append(hour)
        return {"closes": 9}

    yaml = numbers(
        "hour closes last ok",
        """
  main:
    steps:
      - {collect: hour, message: "Hour?"}
      - {confirm: ok, message: "Pay {hour}?"}
      - {action: pay, map_outputs: {closes: closes}}
      - {collect: last, message: "Last?"}
      - {say: "{hour}."}
""",
        closes="source: system",
        hour='validate: "hour < closes", error: "Too late."',
    )
    user = talk(assistant(yaml.replace("handoff: false", "handoff: true")), actions)
    assert await said(user, START, put(hour=18)) == ["Pay 18?"]
    await said(user, YES)
    assert done == [18]
    assert user.last is not None
    assert user.last.handoff is not None, "a person is needed"


# What depends on something else, and what may be left out


async def test_b20_what_depends_on_a_changed_value_is_asked_for_again(assistant: Assistant, talk: Talk) -> None:
    yaml = numbers(
        "city street number last",
        """
  main:
    steps:
      - {collect: city, message: "City?"}
      - {collect: street, message: "Street?"}
      - {collect: number, message: "Number?"}
      - {collect: last, message: "Last?"}
      - {say: "{city} {street} {number}."}
""",
        street="depends_on: [city]",
        number="depends_on: [street]",
    )
    user = talk(assistant(yaml))
    await said(user, START, put(city=1, street=2, number=3))
    assert await said(user, correct(city=4)) == [CHANGED, "Street?"]
    assert {name for name, value in (await user.slots()).items() if value is not None} == {"city"}
    other = talk(assistant(yaml), user_id="other")
    await said(other, START, put(city=1, street=2, number=3))
    assert await said(other, correct(number=5, street=6, city=4)) == [CHANGED, "Last?"]
    assert await said(other, put(last=1)) == ["4 6 5."]


async def test_b20_what_was_said_with_the_change_of_a_decision_stays(assistant: Assistant, talk: Talk) -> None:
    yaml = numbers(
        "a b c n last",
        """
  main:
    steps:
      - {collect: a, message: "A?"}
      - {collect: b, message: "B?"}
      - {step: next, type: set, compute: {c: "a + 1"}}
      - {collect: n, message: "N?"}
      - {collect: last, message: "Last?"}
      - {say: "{a} {b} {c} {n}."}
""",
        c="source: system",
        n="depends_on: [c]",
    )
    user = talk(assistant(yaml))
    assert await said(user, START, put(a=1, b=2), put(n=3)) == ["Last?"]
    assert (await said(user, correct(a=5, b=None, n=4)))[-1] == "B?"
    assert await said(user, put(b=6)) == ["Last?"], "said together with what changed the decision"
    assert (await said(user, correct(a=7)))[-1] == "N?"


async def test_b21_what_was_left_out_is_filled_and_left_out_again(assistant: Assistant, talk: Talk) -> None:
    yaml = numbers(
        "a note ok",
        """
  main:
    steps:
      - {collect: a, message: "A?"}
      - {collect: note, message: "Note?", optional: true}
      - {confirm: ok, message: "{a} {note}?"}
      - {say: "Noted."}
""",
    )
    user = talk(assistant(yaml))
    assert await said(user, START, put(a=1), [Skip()]) == ["1 —?"]
    assert await said(user, correct(a=2)) == [CHANGED, "2 —?"]
    assert (await said(user, put(note=5)))[-1] == "2 5?"
    assert await said(user, [ClearSlot(slot="note")]) == [CHANGED, "2 —?"]
    assert (await user.slots()).get("note") is None
    assert (await said(user, correct(note=6)))[-1] == "2 6?"
    assert (await said(user, correct(note=None)))[-1] == "Note?"


# As people said it


async def test_b57_a_card_that_comes_with_the_order_is_not_asked_for_again(assistant: Assistant, talk: Talk) -> None:
    user = talk(
        assistant("""
            slots:
              flower: {type: text}
              card_text: {type: text}
              signed: {type: text}
              ok: {type: boolean}
            flows:
              order:
                steps:
                  - {collect: flower, message: "Which flowers?"}
                  - {call: gift_card}
                  - {confirm: ok, message: "{flower} with “{card_text}” from {signed}?"}
                  - {say: "Ordered."}
              gift_card:
                steps:
                  - {collect: card_text, message: "What does the card say?"}
                  - {collect: signed, message: "From whom?"}
        """)
    )
    told = {"flower": "Roses", "card_text": "Happy birthday", "signed": "Eve"}
    start = StartFlow(flow="order", slots=told)
    assert await user.say(start) == ["Roses with “Happy birthday” from Eve?"]


async def test_b57_a_card_that_is_described_while_the_flowers_are_chosen_is_kept(
    assistant: Assistant, talk: Talk
) -> None:
    yaml = numbers(
        "flower card ok",
        """
  main:
    steps: [{collect: flower, message: "Flower?"}, {call: gift}, {confirm: ok, message: "{flower}?"}, {say: "Done."}]
  gift: {steps: [{collect: card, message: "Card?"}, {say: "Card {card}."}]}
""",
    )
    user = talk(assistant(yaml))
    assert await said(user, START, put(card=3)) == ["Flower?"]
    assert await said(user, put(flower=1)) == ["Card 3.", "1?"]
