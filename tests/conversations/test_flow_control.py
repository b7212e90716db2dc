"""Order, branches, loops, calls and links."""

from __future__ import annotations

import json
import textwrap

import pytest

from soni import Actions
from soni.core.commands import (
    AffirmConfirmation,
    CancelFlow,
    Command,
    DenyConfirmation,
    OutOfScope,
    SetSlot,
    StartFlow,
)
from tests.conftest import Assistant, Talk

BASKET = """
    slots:
      item: {type: text}
      more: {type: boolean}
      sure: {type: boolean}
      count: {type: integer, source: system}
      items: {type: text, source: system}
    flows:
      shop:
        steps:
          - {step: begin, type: set, slots: {count: 0, items: "Basket:"}}
          - step: again
            type: while
            condition: "more is None or more"
            do:
              - {step: ask_item, type: collect, slot: item, message: "What?"}
              - {step: check, type: confirm, slot: sure, message: "Add {item}?", on_deny: ask_more}
              - {step: add, type: set, compute: {count: "count + 1", items: "items + ' ' + item"}}
              - {step: ask_more, type: collect, slot: more, message: "More?"}
          - {step: done, type: say, message: "{items} ({count})"}
      other: {steps: [{say: "Hi."}]}
"""


async def test_collect_and_confirm_work_inside_a_loop_over_many_turns(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(BASKET))
    assert await user.say(StartFlow(flow="shop")) == ["What?"]
    assert await user.say(SetSlot(slot="item", value="tea")) == ["Add tea?"]
    assert await user.say(AffirmConfirmation()) == ["More?"]
    assert await user.say(SetSlot(slot="more", value=True)) == ["What?"]
    assert await user.say(SetSlot(slot="item", value="salt")) == ["Add salt?"]
    assert await user.say(DenyConfirmation()) == ["More?"]
    assert await user.say(SetSlot(slot="more", value=True)) == ["What?"]
    assert await user.say(SetSlot(slot="item", value="milk")) == ["Add milk?"]
    assert await user.say(AffirmConfirmation()) == ["More?"]
    assert await user.say(SetSlot(slot="more", value=False)) == ["Basket: tea milk (2)"]


async def test_a_first_round_uses_what_was_said_before_it(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(BASKET))
    assert await user.say(StartFlow(flow="shop", slots={"item": "tea"})) == ["Add tea?"]


async def test_a_digression_inside_a_loop_keeps_the_round(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(BASKET))
    await user.say(StartFlow(flow="shop", slots={"item": "tea"}))
    await user.say(AffirmConfirmation())
    await user.say(SetSlot(slot="more", value=True))
    assert await user.say(StartFlow(flow="other")) == ["Hi.", "Back to where we were: shop.", "What?"]
    assert await user.say(SetSlot(slot="item", value="milk")) == ["Add milk?"]


async def test_keep_lets_a_round_see_the_values_of_the_one_before(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {item: {type: text}, n: {type: integer, source: system}}
        flows:
          ask:
            steps:
              - set: {n: 0}
              - step: again
                type: while
                condition: "n < 3"
                keep: true
                do: [{collect: item, message: "What?"}, {say: "{item} {n}"}, {set: {}, compute: {n: "n + 1"}}]
          other: {steps: [{say: "Hi."}]}
    """)
    user = talk(config)
    await user.say(StartFlow(flow="ask"))
    assert await user.say(SetSlot(slot="item", value="tea")) == ["tea 0", "tea 1", "tea 2"]


async def test_a_loop_entered_twice_begins_its_rounds_anew(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {item: {type: text}, n: {type: integer, source: system}, total: {type: integer, source: system}}
        flows:
          ask:
            steps:
              - set: {total: 0}
              - step: outer
                type: while
                condition: "total < 4"
                do:
                  - {step: reset, type: set, slots: {n: 0}}
                  - step: inner
                    type: while
                    condition: "n < 2"
                    limit: 2
                    do: [{step: tick, type: set, compute: {n: "n + 1", total: "total + 1"}}, {say: "{total}.{n}"}]
          other: {steps: [{say: "Hi."}]}
    """)
    assert await talk(config).say(StartFlow(flow="ask")) == ["1.1", "2.2", "3.1", "4.2"]


async def test_a_loop_left_by_a_jump_begins_anew_when_it_is_entered_again(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {item: {type: text}, note: {type: text}, n: {type: integer, source: system}}
        flows:
          ask:
            steps:
              - {step: begin, type: set, slots: {n: 0}}
              - step: loop
                type: while
                condition: "n < 4"
                limit: 2
                do:
                  - {step: ask_item, type: collect, slot: item, message: "Item?"}
                  - {step: tick, type: set, compute: {n: "n + 1"}}
                  - {step: out, type: branch, cases: [{when: "n > 0", then: outside}]}
                  - {step: never, type: say, message: "Never."}
              - {step: finish, type: say, message: "{n} {item}.", jump_to: end}
              - {step: outside, type: say, message: "Out {n}.", jump_to: loop}
          other: {steps: [{say: "Hi."}]}
    """)
    user = talk(config)
    assert await user.say(StartFlow(flow="ask")) == ["Item?"]
    assert await user.say(SetSlot(slot="item", value="tea")) == ["Out 1.", "Out 2.", "Out 3.", "Out 4.", "4 tea."]


async def test_a_loop_over_its_limit_ends_the_flow_with_an_apology(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {n: {type: integer, source: system}}
        flows:
          spin:
            steps:
              - set: {n: 0}
              - {while: "n >= 0", limit: 5, do: [{set: {}, compute: {n: "n + 1"}}]}
              - {say: "Never."}
          other: {steps: [{say: "Hi."}]}
    """)
    user = talk(config)
    said = await user.say(StartFlow(flow="spin"))
    assert said == ["Sorry, something went wrong on my side. Please try again."]
    assert await user.say(StartFlow(flow="other")) == ["Hi."]


async def test_a_step_visited_twice_runs_twice(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {n: {type: integer, source: system}, name: {type: text}}
        flows:
          twice:
            steps:
              - {step: start, type: set, slots: {n: 0}}
              - {step: hello, type: say, message: "Hello {n}."}
              - {step: count, type: action, call: count, map_outputs: {n: n}}
              - {step: back, type: branch, cases: [{when: "n < 2", then: hello}]}
              - {step: ask, type: collect, slot: name, message: "Name?"}
              - {step: bye, type: say, message: "Bye {name}."}
          other: {steps: [{say: "Hi."}]}
    """)
    calls: list[int] = []
    actions = Actions()

    @actions.register("count", effect="pure")
    def count(n: int) -> dict[str, int]:
        calls.append(n)
        return {"n": n + 1}

    user = talk(config, actions)
    assert await user.say(StartFlow(flow="twice")) == ["Hello 0.", "Hello 1.", "Name?"]
    assert calls == [0, 1]
    # A finished turn never runs a say or an action again.
    assert await user.say(OutOfScope()) != []
    assert await user.say(SetSlot(slot="name", value="Ana")) == ["Bye Ana."]
    assert calls == [0, 1]


async def test_a_flow_of_twelve_steps_runs_through_in_order(assistant: Assistant, talk: Talk) -> None:
    steps = "\n".join(f"              - {{say: 'line {n}'}}" for n in range(12))
    config = assistant(f"""
        flows:
          long:
            steps:
{steps}
          other: {{steps: [{{say: "Hi."}}]}}
    """)
    assert await talk(config).say(StartFlow(flow="long")) == [f"line {n}" for n in range(12)]


async def test_a_branch_by_value_and_one_without_a_match(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {size: {type: choice, options: [s, m, l]}, gift: {type: boolean}}
        flows:
          buy:
            steps:
              - {collect: size, message: "Size?"}
              - {step: way, type: branch, slot: size, cases: {s: small, l: large}}
              - {step: medium, type: say, message: "Medium.", jump_to: wrap}
              - {step: small, type: say, message: "Small.", jump_to: wrap}
              - {step: large, type: say, message: "Large."}
              - {step: wrap, type: collect, slot: gift, message: "Gift?"}
              - {step: last, type: branch, slot: gift, cases: {true: yes_gift, else: end}}
              - {step: yes_gift, type: say, message: "Wrapped."}
          other: {steps: [{say: "Hi."}]}
    """)
    for size, said in (("s", "Small."), ("m", "Medium."), ("l", "Large.")):
        user = talk(config, user_id=size)
        assert await user.say(StartFlow(flow="buy", slots={"size": size})) == [said, "Gift?"]
        wrapped = await user.say(SetSlot(slot="gift", value=size == "s"))
        assert wrapped == (["Wrapped."] if size == "s" else ["All right."])


async def test_if_skips_a_step_and_its_jump(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {vip: {type: boolean}}
        flows:
          greet:
            steps:
              - {collect: vip, message: "VIP?"}
              - {say: "Welcome back.", if: "vip", jump_to: end}
              - {say: "Welcome."}
          other: {steps: [{say: "Hi."}]}
    """)
    assert await talk(config, user_id="a").say(StartFlow(flow="greet", slots={"vip": True})) == ["Welcome back."]
    assert await talk(config, user_id="b").say(StartFlow(flow="greet", slots={"vip": False})) == ["Welcome."]


NESTED = """
    slots:
      city: {type: text}
      street: {type: text}
      zip: {type: integer}
      town: {type: text}
      done: {type: boolean}
    flows:
      order:
        steps:
          - {call: address, outputs: {city: town}}
          - {say: "To {street}, {zip} {town}."}
      address:
        if: "false"
        steps:
          - {collect: street, message: "Street?"}
          - {call: place, outputs: {zip: zip}}
          - {say: "So {city}."}
      place:
        if: "false"
        steps:
          - {collect: zip, message: "ZIP?"}
          - {call: ask_city}
          - {say: "In {city}."}
      ask_city:
        if: "false"
        steps: [{collect: city, message: "City?"}]
      balance: {steps: [{say: "Plenty."}]}
"""


async def test_calls_nested_three_deep_return_with_what_they_found_out(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(NESTED))
    assert await user.say(StartFlow(flow="order")) == ["Street?"]
    assert await user.say(SetSlot(slot="street", value="Elm")) == ["ZIP?"]
    assert await user.say(SetSlot(slot="zip", value=123)) == ["City?"]
    assert len((await user.state())["flow_stack"]) == 4
    assert await user.say(SetSlot(slot="city", value="Rome")) == ["In Rome.", "So Rome.", "To Elm, 123 Rome."]
    assert (await user.state())["flow_slots"] == {}


async def test_cancelling_a_called_flow_cancels_what_the_person_started(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(NESTED))
    await user.say(StartFlow(flow="order"))
    await user.say(SetSlot(slot="street", value="Elm"))
    assert await user.say(CancelFlow()) == ["All right, I have stopped that."]
    assert (await user.state())["flow_stack"] == []


async def test_a_digression_from_a_called_flow_comes_back_into_it(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(NESTED))
    await user.say(StartFlow(flow="order"))
    await user.say(SetSlot(slot="street", value="Elm"))
    assert await user.say(StartFlow(flow="balance")) == ["Plenty.", "Back to where we were: order.", "ZIP?"]


async def test_inputs_and_outputs_map_slots_of_other_names(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {a: {type: integer}, b: {type: integer}, x: {type: integer}, y: {type: integer, source: system}}
        flows:
          main:
            steps:
              - {collect: a, message: "A?"}
              - {call: double, inputs: {x: a}, outputs: {y: b}}
              - {say: "{a} {b}"}
          double: {if: "false", steps: [{set: {}, compute: {y: "x * 2"}}]}
          other: {steps: [{say: "Hi."}]}
    """)
    assert await talk(config).say(StartFlow(flow="main", slots={"a": 21})) == ["21 42"]


async def test_link_does_not_return_and_carries_slots_over(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {name: {type: text}, pet: {type: text}}
        flows:
          first:
            steps: [{collect: name, message: "Name?"}, {link: second}]
          second:
            steps: [{collect: pet, message: "{name}, your pet?"}, {say: "{name} and {pet}."}]
          other: {steps: [{say: "Hi."}]}
    """)
    user = talk(config)
    await user.say(StartFlow(flow="first"))
    assert await user.say(SetSlot(slot="name", value="Ana")) == ["Ana, your pet?"]
    assert [frame["flow_name"] for frame in (await user.state())["flow_stack"]] == ["second"]
    assert await user.say(SetSlot(slot="pet", value="Rex")) == ["Ana and Rex."]


async def test_a_called_flow_that_links_still_returns_to_the_caller(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        flows:
          main: {steps: [{say: "A"}, {call: middle}, {say: "D"}]}
          middle: {steps: [{say: "B"}, {link: last}]}
          last: {steps: [{say: "C"}]}
    """)
    assert await talk(config).say(StartFlow(flow="main")) == ["A", "B", "C", "D"]


CALLED = """
    slots: {sure: {type: boolean}, n: {type: integer, error: "A number."}, out: {type: text, source: system}}
    flows:
      pay:
        steps: [{call: ask}, {action: pay}, {say: "Paid."}]
      ask:
        if: "false"
        steps: [STEP]
      other: {steps: [{say: "Hi."}]}
"""


@pytest.mark.parametrize(
    ("step", "commands", "said"),
    [
        ('{confirm: sure, message: "Sure?"}', [DenyConfirmation()], "All right. Nothing was done."),
        ('{confirm: sure, message: "Sure?", on_deny: end}', [DenyConfirmation()], "All right. Nothing was done."),
        ('{collect: n, message: "N?", attempts: 1}', [SetSlot(slot="n", value="x")], "I could not make use"),
        ('{collect: n, message: "N?"}, {action: fail}', [SetSlot(slot="n", value=1)], "Sorry, something went wrong"),
        ('{collect: n, message: "N?"}, {handoff: help}', [SetSlot(slot="n", value=1)], "I am afraid there is nobody"),
        (
            '{collect: n, message: "N?"}, {set: {}, compute: {n: "n // (n - 1)"}}',
            [SetSlot(slot="n", value=1)],
            "Sorry, something went wrong on my side",
        ),
    ],
)
async def test_a_called_flow_that_does_not_come_to_its_end_does_not_return(
    assistant: Assistant, talk: Talk, step: str, commands: list[Command], said: str
) -> None:
    """The caller would go on as if it had; what the person started ends instead."""
    text = "settings: {handoff: false}\n" + textwrap.dedent(CALLED.replace("STEP", step))
    paid: list[int] = []
    actions = Actions()
    actions.register("pay")(lambda: paid.append(1))

    @actions.register("fail")
    def fail() -> None:
        raise RuntimeError

    user = talk(assistant(text), actions)
    await user.say(StartFlow(flow="pay"))
    assert (await user.say(*commands))[-1].startswith(said)
    assert paid == []
    assert (await user.state())["flow_stack"] == []
    assert (await user.state())["flow_slots"] == {}


async def test_flows_that_call_themselves_without_end_are_stopped(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {n: {type: integer}}
        flows:
          deep: {steps: [{collect: n, message: "N?"}, {call: deep}]}
          other: {steps: [{say: "Hi."}]}
    """)
    user = talk(config)
    await user.say(StartFlow(flow="deep"))
    said = await user.say(SetSlot(slot="n", value=1))
    assert said == ["Sorry, something went wrong on my side. Please try again."]
    assert await user.say(StartFlow(flow="other")) == ["Hi."]


async def test_handoff_tells_the_host_and_ends_the_flow(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        flows:
          help: {steps: [{say: "One moment."}, {handoff: complaint}]}
          other: {steps: [{say: "Hi."}]}
    """)
    user = talk(config)
    assert await user.say(StartFlow(flow="help")) == ["One moment.", "A person will take it from here."]
    assert user.last is not None
    assert user.last.messages[-1].kind == "handoff"
    assert user.last.messages[-1].data == {"reason": "complaint"}


async def test_conversation_slots_are_never_hidden_by_a_copy(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots:
          city: {type: text, source: system, scope: conversation}
          name: {type: text}
        flows:
          a: {steps: [{set: {city: Rome}}, {call: b}, {say: "A in {city}."}]}
          b:
            if: "false"
            steps: [{set: {city: Oslo}}, {collect: name, message: "{city}. Name?"}, {say: "B in {city}."}]
    """)
    user = talk(config)
    assert await user.say(StartFlow(flow="a")) == ["Oslo. Name?"]
    said = await user.say(SetSlot(slot="name", value="Ana"), slots={"city": "Lima"})
    assert said == ["B in Lima.", "A in Lima."]


async def test_a_call_that_was_begun_comes_back_whatever_its_condition_says_now(
    assistant: Assistant, talk: Talk
) -> None:
    config = assistant(
        """
        slots: {in: {type: boolean, source: system, scope: conversation}, who: {type: text}}
        flows:
          main: {steps: [{call: login, if: "not in_"}, {say: "Hello {who}."}]}
          login: {if: "false", steps: [{collect: who, message: "Who?"}, {set: {in_: true}}]}
          other: {steps: [{say: "Hi."}]}
    """.replace("{in: {", "{in_: {")
    )
    user = talk(config)
    await user.say(StartFlow(flow="main"))
    assert await user.say(SetSlot(slot="who", value="Ana")) == ["Hello Ana."]


async def test_links_that_never_wait_are_stopped(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        settings: {max_steps: 50}
        slots: {name: {type: text}}
        flows:
          a: {steps: [{collect: name, message: "Name?"}, {link: a}]}
          other: {steps: [{say: "Hi."}]}
    """)
    user = talk(config)
    await user.say(StartFlow(flow="a"))
    said = await user.say(SetSlot(slot="name", value="Ana"))
    assert said == ["Sorry, something went wrong on my side. Please try again."]
    assert await user.say(StartFlow(flow="other")) == ["Hi."]


async def test_a_menu_that_goes_round_does_not_make_the_state_grow(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {choice: {type: text}}
        flows:
          menu:
            steps:
              - {step: ask, type: collect, slot: choice, message: "?", ask_always: true}
              - {say: "{choice}", jump_to: ask}
          other: {steps: [{say: "Hi."}]}
    """)
    user = talk(config)
    await user.say(StartFlow(flow="menu"))
    sizes = []
    for _ in range(260):
        await user.say(SetSlot(slot="choice", value="x"))
        sizes.append(len(json.dumps(await user.state())))
    assert max(sizes) < 100_000


async def test_flows_that_go_on_and_on_are_stopped(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        settings: {max_steps: 20}
        slots: {n: {type: integer, source: system}}
        flows:
          spin:
            steps:
              - {step: zero, type: set, slots: {n: 0}}
              - {step: tick, type: set, compute: {n: "n + 1"}}
              - {step: back, type: branch, cases: [{when: "n < 100", then: tick}]}
          ask: {steps: [{say: "Hi."}]}
    """)
    user = talk(config)
    assert await user.say(StartFlow(flow="spin")) == ["Sorry, something went wrong on my side. Please try again."]
    assert await user.say(StartFlow(flow="ask")) == ["Hi."]


async def test_a_text_that_doubles_in_every_round_ends_its_flow_and_nothing_else(
    assistant: Assistant, talk: Talk
) -> None:
    config = assistant("""
        slots: {note: {type: text}}
        flows:
          echo:
            steps:
              - {collect: note, message: "Note?"}
              - {while: "len(note) > 1", do: [{set: {}, compute: {note: "note + note"}}], limit: 100}
              - {say: "Noted."}
    """)
    user = talk(config)
    await user.say(StartFlow(flow="echo"))
    assert await user.say(SetSlot(slot="note", value="ab")) == [
        "Sorry, something went wrong on my side. Please try again."
    ]
    assert user.last is not None
    assert "'note + note' cannot be evaluated: the value becomes too large" in str(user.last.explain)
    assert await user.say(StartFlow(flow="echo", slots={"note": "a"})) == ["Noted."]
