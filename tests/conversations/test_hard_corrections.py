"""Corrections that meet what was done, what was denied, paused flows, and a long way."""

from __future__ import annotations

import pytest

from soni import ActionContext, Actions
from soni.core.commands import CancelFlow, OutOfScope
from soni.steps import STEPS, Outcome, Step, StepContext
from tests.conftest import Assistant, Talk
from tests.conversations.saying import CHANGED, DONE, NO, PERSON, YES, correct, put, start, with_slots

TOO_FAR = "That is too far back, so I cannot change it any more."
STOPPED = "All right, I have stopped that."


async def test_b25_a_paused_flow_that_cannot_take_a_change_says_so_and_goes_on(
    assistant: Assistant, talk: Talk
) -> None:
    done: list[str] = []
    actions = Actions()
    actions.register("do")(lambda: done.append("do"))
    flows = """
  p:
    steps:
      - {collect: kind, message: "kind?"}
      - {step: way, type: branch, cases: [{when: "kind == 'a'", then: act}, {else: x}]}
      - {step: act, type: action, call: do}
      - {step: x, type: collect, slot: x, message: "x?"}
      - {confirm: ok, message: "{kind} {x}?"}
      - {say: "End {kind} {x}."}
  q: {steps: [{collect: y, message: "y?"}, {say: "q {y}."}]}
"""
    user = talk(assistant(with_slots("kind x y", flows)), actions)
    assert await user.say(start("p", kind="a")) == ["x?"]
    assert await user.say(start("q")) == ["y?"]
    assert await user.say(correct("kind", "b")) == [CHANGED, "y?"]
    assert await user.say(put("y", "1")) == ["q 1.", DONE, PERSON]
    assert (await user.say(put("x", "5")))[-1] == "a 5?"
    assert await user.say(correct("x", "6")) == [CHANGED, "a 6?"], "nothing that was done has read it"
    assert await user.say(YES) == ["End a 6."]
    assert done == ["do"]


async def test_a_no_in_a_called_flow_is_taken_though_a_paused_flow_has_used_the_old_value(
    assistant: Assistant, talk: Talk
) -> None:
    done: list[str] = []
    actions = Actions()
    actions.register("do")(lambda city: done.append(city))
    flows = """
  p: {steps: [{collect: city, message: "city?"}, {action: do}, {collect: x, message: "x?"}, {say: "p {x}."}]}
  inner:
    steps:
      - {collect: city, ask_always: true, message: "new city?"}
      - {confirm: ok, message: "Move to {city}?"}
      - {say: "Moved."}
  q: {steps: [{call: inner}, {say: "q done."}]}
"""
    user = talk(assistant(with_slots("x", flows, city="type: text, scope: conversation")), actions)
    assert await user.say(start("p", city="Rome")) == ["x?"]
    assert await user.say(start("q")) == ["new city?"]
    assert await user.say(put("city", "Oslo")) == ["Move to Oslo?"]
    said = await user.say(NO)
    assert said == ["All right. Nothing was done.", "Back to where we were: p.", "x?"]
    assert await user.say(put("x", "1")) == ["p 1."]
    assert done == ["Rome"]


async def test_nothing_is_paid_after_a_no_to_a_confirmation_that_is_asked_anew(
    assistant: Assistant, talk: Talk
) -> None:
    done: list[object] = []
    actions = Actions()
    actions.register("reserve")(lambda: done.append("reserve"))
    actions.register("pay")(lambda n: done.append(n))
    flows = """
  f:
    steps:
      - {collect: n, message: "n?"}
      - {step: sure, type: confirm, slot: ok, message: "Pay {n}?", on_deny: fix}
      - {action: reserve}
      - {step: fix, type: collect, slot: n, ask_always: true, message: "Final n?"}
      - {step: pay, type: action, call: pay}
      - {say: "Paid {n}."}
"""
    user = talk(assistant(with_slots("", flows, n="type: integer")), actions)
    assert await user.say(start("f", n=1)) == ["Pay 1?"]
    assert await user.say(YES) == ["Final n?"]
    assert await user.say(put("n", 2)) == ["Pay 2?"]
    assert await user.say(NO) == ["All right, I leave it at that."]
    await user.say(put("n", 3))
    assert done == ["reserve"]


async def test_one_yes_is_one_payment_also_when_it_fails_again(assistant: Assistant, talk: Talk) -> None:
    paid: list[int] = []
    actions = Actions()

    @actions.register("pay")
    def pay(n: int) -> None:
        paid.append(n)
        if n > 10:
            raise ValueError("too much")

    flows = """
  f:
    steps:
      - {collect: n, message: "n?"}
      - {confirm: ok, message: "Pay {n}?"}
      - {step: pay, type: action, call: pay, on_error: sorry}
      - {say: "Paid.", jump_to: end}
      - {step: sorry, type: say, message: "Failed."}
      - {collect: n, ask_always: true, message: "Other n?", jump_to: pay}
"""
    user = talk(assistant(with_slots("", flows, n="type: integer")), actions)
    assert await user.say(start("f", n=50)) == ["Pay 50?"]
    assert await user.say(YES) == ["Failed.", "Other n?"]
    assert await user.say(put("n", 40)) == ["Pay 40?"]
    assert (await user.say(YES))[-1] == "Other n?"
    assert paid == [50, 40]
    assert await user.say(put("n", 5)) == ["Pay 5?"]
    assert await user.say(YES) == ["Paid."]
    assert paid == [50, 40, 5]


DENIED = """
  f:
    steps:
      - {collect: k, message: "k?"}
      - {step: ask, type: collect, slot: n, message: "n?", ask_always: true}
      - {confirm: ok, message: "{k} {n}?", on_deny: ask}
      - {collect: x, message: "x?"}
      - {say: "fin {k} {n}."}
  g:
    steps:
      - {collect: k, message: "k?"}
      - {collect: n, message: "n?"}
      - {step: sure, type: confirm, slot: ok, message: "{k} {n}?", on_deny: fix}
      - {collect: x, message: "x?"}
      - {say: "fin {k} {n}.", jump_to: end}
      - {step: fix, type: collect, slot: n, message: "n?", ask_always: true, jump_to: sure}
"""


@pytest.mark.parametrize("flow", ["f", "g"])
@pytest.mark.parametrize("affirmed", [False, True])
async def test_b20_a_value_that_was_denied_does_not_come_back_with_a_correction(
    assistant: Assistant, talk: Talk, flow: str, affirmed: bool
) -> None:
    user = talk(assistant(with_slots("k x", DENIED, n="type: integer")))
    await user.say(start(flow, k="a"))
    assert await user.say(put("n", 5)) == ["a 5?"]
    assert await user.say(NO) == ["n?"]
    assert await user.say(put("n", 6)) == ["a 6?"]
    if affirmed:
        assert await user.say(YES) == ["x?"]
    assert await user.say(correct("k", "c")) == [CHANGED, "c 6?"]
    assert await user.say(YES) == ["x?"]
    assert await user.say(put("x", "1")) == ["fin c 6."]


async def test_b20_a_confirmation_that_was_given_up_is_not_asked_again(assistant: Assistant, talk: Talk) -> None:
    flows = """
  f:
    steps:
      - {collect: k, message: "k?"}
      - {confirm: ok, message: "{k}?", on_deny: no_way, attempts: 2}
      - {say: "Yes."}
      - {step: no_way, type: collect, slot: n, message: "n?"}
      - {collect: x, message: "x?"}
      - {say: "fin {k} {n} {x}."}
"""
    user = talk(assistant(with_slots("k n x", flows)))
    await user.say(start("f", k="a"))
    await user.say(OutOfScope())
    assert (await user.say(OutOfScope()))[-1] == "n?"
    assert await user.say(put("n", "5")) == ["x?"]
    assert await user.say(correct("n", "6")) == [CHANGED, "x?"]
    assert await user.say(put("x", "1")) == ["fin a 6 1."]


async def test_b25_a_cancelled_call_that_did_something_leaves_the_rest_correctable(
    assistant: Assistant, talk: Talk
) -> None:
    done: list[str] = []
    actions = Actions()
    actions.register("add")(lambda item: done.append(item))
    flows = """
  inner: {steps: [{collect: item, message: "item?"}, {action: add}, {collect: p, message: "p?"}]}
  f:
    steps:
      - {step: c, type: call, target: inner, on_cancel: z}
      - {step: z, type: collect, slot: z, message: "z?"}
      - {confirm: ok, message: "{z}?"}
      - {say: "fin {z}."}
"""
    user = talk(assistant(with_slots("item p z", flows)), actions)
    await user.say(start("f"))
    assert await user.say(put("item", "a")) == ["p?"]
    assert await user.say(CancelFlow()) == [STOPPED, "z?"]
    assert await user.say(put("z", "1")) == ["1?"]
    assert await user.say(correct("z", "2")) == [CHANGED, "2?"]
    assert await user.say(YES) == ["fin 2."]
    assert done == ["a"]


@pytest.mark.parametrize("rounds", [1, 2])
async def test_b25_what_is_answered_after_on_correct_led_out_of_a_loop_is_kept(
    assistant: Assistant, talk: Talk, rounds: int
) -> None:
    done: list[str] = []
    actions = Actions()
    actions.register("add")(lambda item: done.append(item))
    flows = """
  f:
    steps:
      - while: "not stop"
        do:
          - {collect: item, message: "item?"}
          - {step: add, type: action, call: add, on_correct: fix}
          - {collect: stop, message: "stop?"}
      - {say: "fin.", jump_to: end}
      - {step: fix, type: collect, slot: why, message: "why?"}
      - {collect: z, message: "z?"}
      - {confirm: ok, message: "{why} {z}?"}
      - {say: "Fixed."}
"""
    user = talk(assistant(with_slots("item why z", flows, stop="type: boolean")), actions)
    await user.say(start("f"))
    for number in range(1, rounds + 1):
        assert await user.say(put("item", f"item {number}")) == ["stop?"]
        if number < rounds:
            assert await user.say(put("stop", False)) == ["item?"]
    assert await user.say(correct("item", "other")) == [DONE, "why?"]
    assert await user.say(put("why", "w")) == ["z?"]
    assert await user.say(correct("why", "v")) == [CHANGED, "z?"]
    assert await user.say(put("z", "1")) == ["v 1?"]
    assert await user.say(correct("why", "u")) == [CHANGED, "u 1?"]
    assert await user.say(YES) == ["Fixed."]
    assert done == [f"item {number}" for number in range(1, rounds + 1)]


class Charge(Step):
    """A step of another package that does something."""

    main = "call"
    call: str

    async def run(self, ctx: StepContext) -> Outcome:
        await ctx.call_action(self.call, outputs={}, timeout=None, retry=0)
        return Outcome(why="charged")


async def test_b25_what_a_step_of_another_type_has_done_is_not_done_again(
    assistant: Assistant, talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(STEPS, "charge", Charge)
    done: list[int] = []
    actions = Actions()
    actions.register("bill")(lambda n: done.append(n))
    flows = """
  f: {steps: [{collect: n, message: "n?"}, {charge: bill}, {collect: x, message: "x?"}, {confirm: ok, message: "{x}?"}]}
"""
    user = talk(assistant(with_slots("x", flows, n="type: integer")), actions)
    assert await user.say(start("f", n=1)) == ["x?"]
    assert await user.say(put("x", "a")) == ["a?"]
    assert await user.say(correct("x", "b")) == [CHANGED, "b?"]
    assert await user.say(correct("n", 4)) == [DONE, PERSON]
    assert done == [1]


async def test_b20_a_long_way_that_is_only_passed_over_can_be_gone_again(assistant: Assistant, talk: Talk) -> None:
    skipped = "".join(
        f"""
          - {{step: s{n}, type: say, message: "Never.", if: "item == 'never'"}}"""
        for n in range(40)
    )
    flows = f"""
  f:
    steps:
      - {{collect: note, message: "note?"}}
      - while: "not stop"
        do:{skipped}
          - {{collect: item, message: "item?"}}
          - {{collect: stop, message: "stop?"}}
      - {{confirm: ok, message: "{{note}}?"}}
"""
    user = talk(assistant(with_slots("note item", flows, stop="type: boolean")))
    await user.say(start("f", note="a"))
    for number in range(15):
        said = await user.say(put("item", f"item {number}"), put("stop", number == 14))
    assert said == ["a?"]
    assert await user.say(correct("note", "b")) == [CHANGED, "b?"]


async def test_b20_what_is_too_far_back_cannot_be_changed_and_answers_still_count(
    assistant: Assistant, talk: Talk
) -> None:
    flows = """
  f:
    steps:
      - {collect: note, message: "note?"}
      - {step: limit, type: set, slots: {lim: 10, i: 0}}
      - {while: "i < 210", limit: 300, do: [{step: more, type: set, compute: {i: "i + 1"}}]}
      - {collect: x, message: "x?"}
      - {while: "i < 420", limit: 300, do: [{step: most, type: set, compute: {i: "i + 1"}}]}
      - {collect: n, message: "n?"}
      - {step: way, type: branch, cases: [{when: "n > lim", then: again}, {else: sure}]}
      - {step: again, type: collect, slot: n, ask_always: true, message: "Too many, n?"}
      - {step: sure, type: confirm, slot: ok, message: "{note} {n}?"}
      - {say: "fin {note} {n}."}
"""
    number = "type: integer"
    user = talk(assistant(with_slots("note x", flows, lim=number, i=number, n=number)))
    assert await user.say(start("f", note="a")) == ["x?"]
    assert await user.say(put("x", "1")) == ["n?"]
    assert await user.say(put("n", 50)) == ["Too many, n?"]
    assert await user.say(put("n", 5)) == ["a 5?"]
    for slot, value in (("note", "b"), ("lim", 3)):
        assert await user.say(correct(slot, value)) == [TOO_FAR, PERSON]
        assert (await user.say(NO))[-1] == "a 5?"
    assert await user.say(YES) == ["fin a 5."]


async def test_b25_progress_is_told_after_what_was_said_before_it(assistant: Assistant, talk: Talk) -> None:
    actions = Actions()
    actions.register("do")(lambda: None)

    @actions.register("look", effect="pure")
    async def look(n: int, context: ActionContext) -> dict[str, int]:
        await context.inform(f"Looking for {n}.")
        return {"m": n + 1}

    flows = """
  f:
    steps:
      - {collect: n, message: "n?"}
      - {say: "n is {n}."}
      - {action: look, map_outputs: {m: m}}
      - {say: "m is {m}."}
      - {action: do}
      - {collect: x, message: "x?"}
      - {say: "fin {x}."}
"""
    user = talk(assistant(with_slots("x", flows, n="type: integer", m="type: integer, source: system")), actions)
    assert await user.say(start("f", n=1)) == ["n is 1.", "Looking for 1.", "m is 2.", "x?"]
    assert await user.say(correct("n", 3)) == [CHANGED, "n is 3.", "Looking for 3.", "m is 4.", "x?"]
