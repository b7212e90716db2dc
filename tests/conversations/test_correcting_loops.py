"""Corrections around loops: what was said in other rounds stays with its round."""

from __future__ import annotations

import pytest

from soni import Actions
from soni.core.commands import (
    AffirmConfirmation,
    ClearSlot,
    Command,
    CorrectSlot,
    DenyConfirmation,
    SetSlot,
    StartFlow,
)
from soni.testing import Conversation
from tests.conftest import Assistant, Talk

CHANGED = "I have changed that."

SHOP = """
    slots:
      size: {type: integer}
      shop: {type: text}
      item: {type: text}
      n: {type: integer, source: system}
      list: {type: text, source: system}
      note: {type: text}
    flows:
      shop:
        steps:
          - {collect: size, message: "How many?"}
          - {collect: shop, message: "Which shop?"}
          - {step: begin, type: set, slots: {n: 0, list: "-"}}
          - step: again
            type: while
            condition: "n < size"
            do:
              - {collect: item, message: "Item {n}?"}
              - {step: seen, type: say, message: "{item} is fine."}
              - {step: way, type: branch, cases: [{when: "WRAPPED", then: wrap}, {else: add}]}
              - {step: wrap, type: say, message: "{item} is wrapped."}
              - {step: add, type: set, compute: {n: "n + 1", list: "list + item"}}
          - {collect: note, message: "Note?"}
          - {say: "{list} from {shop}."}
      other: {steps: [{say: "Hi."}]}
"""


def shop(wrapped: str = "false") -> str:
    return SHOP.replace("WRAPPED", wrapped)


async def filled(user: Conversation, *items: str, size: int = 3, name: str = "Red") -> list[str]:
    said = await user.say(StartFlow(flow="shop", slots={"size": size, "shop": name}))
    for item in items:
        said = await user.say(SetSlot(slot="item", value=item))
    return said


async def test_b20_a_correction_inside_a_loop_is_about_this_round(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(shop()))
    assert await filled(user, "a", "b", "c") == ["c is fine.", "Note?"]
    assert await user.say(CorrectSlot(slot="item", value="z")) == [CHANGED, "z is fine.", "Note?"]
    assert await user.say(ClearSlot(slot="item")) == ["Item 2?"]
    assert await user.say(SetSlot(slot="item", value="y")) == ["y is fine.", "Note?"]
    assert await user.say(SetSlot(slot="note", value="-")) == ["-aby from Red."]


async def test_b20_a_correction_from_before_a_loop_keeps_what_was_said_in_each_round(
    assistant: Assistant, talk: Talk
) -> None:
    user = talk(assistant(shop()))
    assert await filled(user, "a", "b") == ["b is fine.", "Item 2?"]
    assert await user.say(CorrectSlot(slot="shop", value="Blue")) == [CHANGED, "Item 2?"]
    assert await user.say(SetSlot(slot="item", value="c")) == ["c is fine.", "Note?"]
    assert await user.say(CorrectSlot(slot="shop", value="Green")) == [CHANGED, "Note?"]
    assert await user.say(SetSlot(slot="note", value="-")) == ["-abc from Green."]


async def test_b20_a_loop_that_gets_shorter_or_longer_keeps_its_rounds(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(shop()))
    await filled(user, "a", "b", "c")
    assert await user.say(CorrectSlot(slot="size", value=2)) == [CHANGED, "Note?"]
    assert await user.say(CorrectSlot(slot="size", value=4)) == [CHANGED, "Item 3?"]
    assert await user.say(SetSlot(slot="item", value="d")) == ["d is fine.", "Note?"]
    assert await user.say(SetSlot(slot="note", value="-")) == ["-abcd from Red."]


async def test_b20_a_way_round_in_a_loop_keeps_what_was_said_in_each_round(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(shop("shop == 'Blue'")))
    await filled(user, "a", "b", "c")
    said = await user.say(CorrectSlot(slot="shop", value="Blue"))
    assert said == [CHANGED, "a is wrapped.", "b is wrapped.", "c is wrapped.", "Note?"]
    assert await user.say(SetSlot(slot="note", value="-")) == ["-abc from Blue."]


async def test_b20_a_way_taken_in_a_later_round_before_is_not_taken_for_that_round(
    assistant: Assistant, talk: Talk
) -> None:
    user = talk(assistant(shop("n > 0 or shop == 'Blue'")))
    assert await filled(user, "a", "b", "c") == ["c is fine.", "c is wrapped.", "Note?"]
    assert await user.say(CorrectSlot(slot="shop", value="Blue")) == [CHANGED, "a is wrapped.", "Note?"]
    assert await user.say(SetSlot(slot="note", value="-")) == ["-abc from Blue."]


async def test_b20_a_question_that_is_only_asked_sometimes_keeps_its_answers(assistant: Assistant, talk: Talk) -> None:
    yaml = shop().replace('message: "Item {n}?"}', 'message: "Item {n}?", if: "shop != \'None\'"}')
    user = talk(assistant(yaml))
    await filled(user, "a", "b")
    assert await user.say(CorrectSlot(slot="shop", value="Blue")) == [CHANGED, "Item 2?"]


@pytest.mark.parametrize("item_first", [True, False])
async def test_b23_this_round_and_what_came_before_are_corrected_in_one_message(
    assistant: Assistant, talk: Talk, item_first: bool
) -> None:
    user = talk(assistant(shop()))
    await filled(user, "a", "b", "c")
    commands: list[Command] = [CorrectSlot(slot="item", value="z"), CorrectSlot(slot="shop", value="Blue")]
    said = await user.say(*(commands if item_first else reversed(commands)))
    assert said == [CHANGED, "z is fine.", "Note?"]
    assert await user.say(SetSlot(slot="note", value="-")) == ["-abz from Blue."]


async def test_b23_an_answer_in_a_loop_beside_a_correction_belongs_to_its_round(
    assistant: Assistant, talk: Talk
) -> None:
    user = talk(assistant(shop()))
    await filled(user, "a", "b")
    said = await user.say(CorrectSlot(slot="shop", value="Blue"), SetSlot(slot="item", value="c"))
    assert said == [CHANGED, "c is fine.", "Note?"]
    assert await user.say(SetSlot(slot="note", value="-")) == ["-abc from Blue."]


async def test_b23_a_correction_beside_an_answer_in_a_loop_keeps_the_answer(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(shop()))
    await filled(user, "a", "b")
    said = await user.say(SetSlot(slot="item", value="c"), CorrectSlot(slot="shop", value="Blue"))
    assert said == [CHANGED, "c is fine.", "Note?"]
    assert await user.say(SetSlot(slot="note", value="-")) == ["-abc from Blue."]


MENU = """
    slots: {shop: {type: text}, choice: {type: text}, item: {type: text}, list: {type: text, source: system}}
    flows:
      shop:
        steps:
          - {collect: shop, message: "Which shop?"}
          - {step: begin, type: set, slots: {list: "-"}}
          - {step: menu, type: collect, slot: choice, message: "Add or pay?", ask_always: true}
          - {step: way, type: branch, slot: choice, cases: {add: one, else: pay}}
          - {step: one, type: collect, slot: item, message: "Item?", ask_always: true}
          - {step: add, type: set, compute: {list: "list + item"}, jump_to: menu}
          - {step: pay, type: say, message: "{list} from {shop}."}
      other: {steps: [{say: "Hi."}]}
"""


async def at_the_menu_after(user: Conversation, *items: str) -> None:
    await user.say(StartFlow(flow="shop", slots={"shop": "Red"}))
    for item in items:
        assert await user.say(SetSlot(slot="choice", value="add")) == ["Item?"]
        assert await user.say(SetSlot(slot="item", value=item)) == ["Add or pay?"]


async def test_b20_a_menu_that_is_come_back_to_keeps_what_was_chosen(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(MENU))
    await at_the_menu_after(user, "a", "b")
    assert await user.say(CorrectSlot(slot="shop", value="Blue")) == [CHANGED, "Add or pay?"]
    assert await user.say(SetSlot(slot="choice", value="pay")) == ["-ab from Blue."]


async def test_b20_a_question_asked_anew_is_corrected_as_it_was_last_answered(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(MENU))
    await at_the_menu_after(user, "a", "b")
    assert await user.say(CorrectSlot(slot="item", value="z")) == [CHANGED, "Add or pay?"]
    assert await user.say(SetSlot(slot="choice", value="pay")) == ["-az from Red."]


LONG = """
    slots:
      amount: {type: integer}
      fee: {type: integer, source: system}
      n: {type: integer, source: system}
      ok: {type: boolean}
      stars: {type: integer}
    flows:
      pay:
        steps:
          - {collect: amount, message: "How much?"}
          - {action: DO}
          - {step: begin, type: set, slots: {n: 0}}
          - {while: "n < 110", limit: 200, do: [{step: more, type: set, compute: {n: "n + 1"}}]}
          - {collect: stars, message: "Stars?"}
          - {say: "LAST"}
      other: {steps: [{say: "Hi."}]}
"""


async def test_b25_a_long_way_in_the_same_flow_does_not_make_it_undone(assistant: Assistant, talk: Talk) -> None:
    paid: list[int] = []
    actions = Actions()
    actions.register("pay")(lambda amount: paid.append(amount))
    user = talk(assistant(LONG.replace("DO", "pay").replace("LAST", "Paid {amount}.")), actions)
    assert await user.say(StartFlow(flow="pay", slots={"amount": 5})) == ["Stars?"]
    assert CHANGED not in await user.say(CorrectSlot(slot="amount", value=9))
    assert paid == [5]


async def test_b20_a_long_way_does_not_leave_a_stale_value_behind(assistant: Assistant, talk: Talk) -> None:
    actions = Actions()
    actions.register("fee_of", effect="pure")(lambda amount: {"fee": amount // 10})
    yaml = LONG.replace("DO", "fee_of, map_outputs: {fee: fee}").replace("LAST", "{amount}, fee {fee}.")
    user = talk(assistant(yaml), actions)
    assert await user.say(StartFlow(flow="pay", slots={"amount": 50})) == ["Stars?"]
    said = await user.say(CorrectSlot(slot="amount", value=90))
    said += await user.say(SetSlot(slot="stars", value=1))
    assert "90, fee 5." not in said


async def test_b20_once_a_correction_is_gone_over_what_comes_next_is_new(assistant: Assistant, talk: Talk) -> None:
    """What lay on a way no longer taken does not swallow what is said when that way is taken later."""
    config = assistant("""
        slots: {city: {type: text}, choice: {type: choice, options: [look, leave]}}
        flows:
          trip:
            steps:
              - {collect: city, message: "Where?"}
              - {step: way, type: branch, slot: city, cases: {Rome: tell, else: menu}}
              - {step: tell, type: say, message: "Look around."}
              - {step: menu, type: collect, slot: choice, ask_always: true, message: "Look or leave?"}
              - {step: chosen, type: branch, slot: choice, cases: {look: tell, else: end}}
          other: {steps: [{say: "Hi."}]}
    """)
    user = talk(config)
    assert await user.say(StartFlow(flow="trip", slots={"city": "Rome"})) == ["Look around.", "Look or leave?"]
    assert await user.say(CorrectSlot(slot="city", value="Oslo")) == [CHANGED, "Look or leave?"]
    assert await user.say(SetSlot(slot="choice", value="look")) == ["Look around.", "Look or leave?"]


EARLY = """
    slots: {shop: {type: text}, item: {type: text}, colour: {type: text}, n: {type: integer, source: system}}
    flows:
      buy:
        steps:
          - {collect: shop, message: "Shop?"}
          - {step: begin, type: set, slots: {n: 0}}
          - step: again
            type: while
            condition: "n < 2"
            do:
              - {collect: item, message: "Item {n}?"}
              - {collect: colour, message: "Colour?"}
              - {step: count, type: set, compute: {n: "n + 1"}}
              - {say: "{item} in {colour} from {shop}."}
      calls:
        steps:
          - {collect: shop, message: "Shop?"}
          - {call: ask}
          - {say: "{shop}: {item} in {colour}."}
      ask:
        steps: [{collect: item, message: "Item?"}, {collect: colour, message: "Colour?"}]
"""


async def test_b20_what_was_said_early_in_this_round_is_kept(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(EARLY))
    await user.say(StartFlow(flow="buy", slots={"shop": "Red", "item": "a", "colour": "blue"}))
    assert await user.say(SetSlot(slot="colour", value="green")) == ["Item 1?"]
    assert await user.say(CorrectSlot(slot="shop", value="Big")) == [CHANGED, "a in blue from Big.", "Item 1?"]
    assert await user.say(SetSlot(slot="item", value="b")) == ["b in green from Big."]


async def test_b20_what_was_said_early_in_a_called_flow_is_kept(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(EARLY))
    assert await user.say(StartFlow(flow="calls", slots={"shop": "Red"})) == ["Item?"]
    assert await user.say(SetSlot(slot="colour", value="green")) == ["Item?"]
    assert await user.say(CorrectSlot(slot="shop", value="Big")) == [CHANGED, "Item?"]
    assert await user.say(SetSlot(slot="item", value="a")) == ["Big: a in green."]


async def test_b25_what_the_deed_did_not_use_can_still_be_corrected(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {email: {type: text}, amount: {type: integer}, sure: {type: boolean}, stars: {type: integer}}
        flows:
          pay:
            steps:
              - {collect: email, message: "Email?"}
              - {collect: amount, message: "How much?"}
              - {confirm: sure, message: "Pay {amount}?"}
              - {action: pay}
              - {say: "Paid. The receipt goes to {email}."}
              - {collect: stars, message: "How was it?"}
              - {say: "{stars} stars from {email}."}
          other: {steps: [{say: "Hi."}]}
    """)
    paid: list[int] = []
    actions = Actions()
    actions.register("pay")(lambda amount: paid.append(amount))
    user = talk(config, actions)
    await user.say(StartFlow(flow="pay", slots={"email": "a@b", "amount": 5}))
    assert await user.say(AffirmConfirmation()) == ["Paid. The receipt goes to a@b.", "How was it?"]
    said = await user.say(CorrectSlot(slot="email", value="c@d"))
    assert said == [CHANGED, "Paid. The receipt goes to c@d.", "How was it?"], "nothing is confirmed or paid again"
    said = await user.say(CorrectSlot(slot="amount", value=6))
    assert said[0] == "That has already been done, so I cannot change it any more."
    await user.say(DenyConfirmation())
    assert await user.say(SetSlot(slot="stars", value=4)) == ["4 stars from c@d."]
    assert paid == [5]


async def test_b23_what_is_said_now_outdoes_what_is_looked_up_now(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {name: {type: text}, phone: {type: text}, sure: {type: boolean}}
        flows:
          ring:
            steps:
              - {collect: name, message: "Whom?"}
              - {action: look_up, map_outputs: {phone: phone}}
              - {confirm: sure, message: "Ring {name} on {phone}?"}
          other: {steps: [{say: "Hi."}]}
    """)
    actions = Actions()
    actions.register("look_up", effect="pure")(lambda name: {"phone": {"Ana": "111", "Bo": "222"}[name]})
    user = talk(config, actions)
    assert await user.say(StartFlow(flow="ring", slots={"name": "Ana"})) == ["Ring Ana on 111?"]
    said = await user.say(CorrectSlot(slot="phone", value="999"), CorrectSlot(slot="name", value="Bo"))
    assert said == [CHANGED, "Ring Bo on 999?"]
    assert await user.say(CorrectSlot(slot="name", value="Ana")) == [CHANGED, "Ring Ana on 111?"], (
        "it is looked up anew"
    )


async def test_b20_a_question_that_a_correction_brings_into_every_round_takes_its_answers(
    assistant: Assistant, talk: Talk
) -> None:
    config = assistant("""
        slots: {gift: {type: boolean}, item: {type: text}, card: {type: text}, more: {type: boolean}}
        flows:
          shop:
            steps:
              - {collect: gift, message: "A gift?"}
              - step: again
                type: while
                condition: "more is None or more"
                do:
                  - {collect: item, message: "Item?"}
                  - {collect: card, if: "gift", message: "Card for {item}?"}
                  - {say: "{item} with {card}."}
                  - {collect: more, message: "More?"}
              - {say: "That is all."}
          other: {steps: [{say: "Hi."}]}
    """)
    user = talk(config)
    await user.say(StartFlow(flow="shop", slots={"gift": False, "item": "a", "more": True}))
    assert await user.say(SetSlot(slot="item", value="b")) == ["b with —.", "More?"]
    assert await user.say(CorrectSlot(slot="gift", value=True)) == [CHANGED, "Card for a?"]
    assert await user.say(SetSlot(slot="card", value="x")) == ["a with x.", "Card for b?"]
    assert await user.say(SetSlot(slot="card", value="y")) == ["b with y.", "More?"]
    assert await user.say(SetSlot(slot="more", value=False)) == ["That is all."]
