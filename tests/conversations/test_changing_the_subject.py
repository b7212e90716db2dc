"""Digressions, cancelling, corrections."""

from __future__ import annotations

from textwrap import dedent

from soni import Actions
from soni.core.commands import (
    Acknowledge,
    AffirmConfirmation,
    CancelFlow,
    CorrectSlot,
    DenyConfirmation,
    OutOfScope,
    ResumeFlow,
    SetSlot,
    StartFlow,
)
from tests.conftest import Assistant, Talk

TRAVEL = """
    slots:
      city: {type: text}
      days: {type: integer, validate: "days > 0", error: "At least one day."}
      price: {type: integer, source: system}
      ok: {type: boolean}
      colour: {type: text}
    flows:
      book:
        steps:
          - {step: ask_city, type: collect, slot: city, message: "Where to?"}
          - {step: ask_days, type: collect, slot: days, message: "How long?"}
          - {step: quote, type: action, call: quote, map_outputs: {price: price}}
          - {step: dear, type: branch, cases: [{when: "price > 500", then: warn}, {else: review}]}
          - {step: warn, type: say, message: "That is dear."}
          - {step: review, type: confirm, slot: ok, message: "{days} days in {city} for {price}?"}
          - {step: done, type: say, message: "Booked."}
      weather: {steps: [{say: "Sunny."}]}
      paint: {steps: [{collect: colour, message: "Colour?"}, {say: "{colour} it is."}]}
"""

THEN, NEXT, BACK = "Then I will take care of this: ", "Now the next thing: ", "Back to where we were: "


def pricing() -> Actions:
    actions = Actions()

    @actions.register("quote", effect="pure")
    def quote(days: int) -> dict[str, int]:
        return {"price": days * 100}

    return actions


async def test_b30_another_flow_pauses_the_current_one_which_then_resumes(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRAVEL), pricing())
    await user.say(StartFlow(flow="book", slots={"city": "Rome"}))
    assert await user.say(StartFlow(flow="weather")) == ["Sunny.", BACK + "book.", "How long?"]
    assert (await user.say(SetSlot(slot="days", value=3)))[-1] == "3 days in Rome for 300?"


async def test_b31_digressions_nest_up_to_a_limit(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        settings: {max_depth: 2}
        slots: {a: {type: text}, b: {type: text}, c: {type: text}}
        flows:
          one: {steps: [{collect: a, message: "A?"}]}
          two: {steps: [{collect: b, message: "B?"}]}
          three: {steps: [{collect: c, message: "C?"}]}
    """)
    user = talk(config)
    await user.say(StartFlow(flow="one"))
    assert await user.say(StartFlow(flow="two")) == ["B?"]
    said = await user.say(StartFlow(flow="three"))
    assert said == ["We have a lot open already. Let us finish something first.", "B?"]
    assert await user.say(SetSlot(slot="b", value="x")) == [BACK + "one.", "A?"]


async def test_b32_starting_the_active_flow_updates_it(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRAVEL), pricing())
    await user.say(StartFlow(flow="book"))
    assert await user.say(StartFlow(flow="book", slots={"city": "Oslo"})) == ["How long?"]
    assert len((await user.state())["flow_stack"]) == 1


async def test_b32_a_paused_flow_is_brought_back(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRAVEL), pricing())
    await user.say(StartFlow(flow="book"))
    await user.say(StartFlow(flow="paint"))
    assert (await user.say(StartFlow(flow="book")))[-1] == "Where to?"
    assert [frame["flow_name"] for frame in (await user.state())["flow_stack"]] == ["paint", "book"]


async def test_b33_two_starts_in_one_message_run_in_spoken_order(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRAVEL), pricing())
    assert await user.say(StartFlow(flow="weather"), StartFlow(flow="paint")) == ["Sunny.", "Colour?"]
    said = await user.say(StartFlow(flow="book"), SetSlot(slot="city", value="Rome"), StartFlow(flow="weather"))
    assert said == [THEN + "weather.", "How long?"]
    said = await user.say(SetSlot(slot="days", value=1))
    assert said == ["1 days in Rome for 100?"]
    said = await user.say(AffirmConfirmation())
    assert said == ["Booked.", NEXT + "weather.", "Sunny.", BACK + "paint.", "Colour?"]


async def test_b34_cancel_ends_the_flow_and_resumes_what_it_interrupted(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRAVEL), pricing())
    await user.say(StartFlow(flow="book"))
    await user.say(StartFlow(flow="paint"))
    said = await user.say(CancelFlow())
    assert said == ["All right, I have stopped that.", BACK + "book.", "Where to?"]
    assert await user.say(CancelFlow()) == ["All right, I have stopped that."]
    assert await user.say(CancelFlow()) == ["There is nothing to cancel."]


async def test_b34_cancel_and_start_in_one_message_do_both(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRAVEL), pricing())
    await user.say(StartFlow(flow="book"))
    assert await user.say(CancelFlow(), StartFlow(flow="paint")) == ["All right, I have stopped that.", "Colour?"]


HOUSE = """
    settings: {max_depth: 4}
    slots:
      city: {type: text}
      colour: {type: text}
      size: {type: text}
      ok: {type: boolean}
    flows:
      book:
        description: {en: Book a trip, es: Reservar un viaje}
        steps:
          - {collect: city, message: {en: "Where to?", es: "¿Adónde?"}}
          - {confirm: ok, message: {en: "To {city}?", es: "¿A {city}?"}}
          - {say: {en: "Booked.", es: "Reservado."}}
      paint:
        description: {en: "Paint a wall, a door or a ceiling", es: "Pintar una pared, una puerta o un techo"}
        steps: [{collect: colour, message: {en: "Colour?", es: "¿Color?"}}, {say: "{colour}."}]
      measure:
        description: {en: Measure a room, es: Medir una habitación}
        steps: [{call: ask_size}, {say: "{size}."}]
      ask_size: {if: "false", steps: [{collect: size, message: {en: "Size?", es: "¿Tamaño?"}}]}
      weather: {description: {en: Tell the weather, es: Decir el tiempo}, steps: [{say: {en: "Sunny.", es: "Sol."}}]}
"""
PAINT = "Paint a wall, a door or a ceiling."


async def test_b58_a_second_request_is_announced_before_the_first_question(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(HOUSE))
    said = await user.say(StartFlow(flow="book"), StartFlow(flow="paint"))
    assert said == [THEN + PAINT, "Where to?"]
    assert (await user.say(OutOfScope()))[1:] == ["Where to?"], "it is announced once"
    assert await user.say(SetSlot(slot="city", value="Rome")) == ["To Rome?"]
    assert await user.say(AffirmConfirmation()) == ["Booked.", NEXT + PAINT, "Colour?"]
    assert await user.say(SetSlot(slot="colour", value="red")) == ["red."]


async def test_b58_all_later_requests_are_named_in_one_sentence(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(HOUSE))
    said = await user.say(StartFlow(flow="book"), StartFlow(flow="paint"), StartFlow(flow="measure"))
    assert said == [THEN + "Paint a wall, a door or a ceiling; Measure a room.", "Where to?"]
    assert await user.say(CancelFlow()) == ["All right, I have stopped that.", NEXT + PAINT, "Colour?"]
    assert await user.say(SetSlot(slot="colour", value="red")) == ["red.", NEXT + "Measure a room.", "Size?"]


async def test_b58_in_spanish(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant("settings: {language: es}\n" + dedent(HOUSE).replace("settings: {max_depth: 4}\n", "")))
    said = await user.say(StartFlow(flow="book"), StartFlow(flow="measure"))
    assert said == ["Después me ocupo de esto: Medir una habitación.", "¿Adónde?"]
    said = await user.say(StartFlow(flow="weather"))
    assert said == ["Sol.", "Sigamos donde lo dejamos: Reservar un viaje.", "¿Adónde?"]
    said = await user.say(CancelFlow())
    assert said == ["De acuerdo, lo dejo.", "Ahora, lo siguiente: Medir una habitación.", "¿Tamaño?"]


async def test_b58_what_is_done_in_the_same_turn_needs_no_announcement(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(HOUSE))
    assert await user.say(StartFlow(flow="weather"), StartFlow(flow="paint")) == ["Sunny.", "Colour?"]


async def test_b58_a_request_beside_a_yes_is_announced_if_it_has_to_wait(assistant: Assistant, talk: Talk) -> None:
    asks = HOUSE.replace('{say: {en: "Booked.", es: "Reservado."}}', '{collect: size, message: "Which class?"}')
    for yaml, answer in ((HOUSE, ["Booked.", "Colour?"]), (asks, [THEN + PAINT, "Which class?"])):
        user = talk(assistant(yaml), user_id=answer[0])
        await user.say(StartFlow(flow="book", slots={"city": "Rome"}))
        assert await user.say(AffirmConfirmation(), StartFlow(flow="paint")) == answer


async def test_b58_a_queued_flow_waits_while_something_else_comes_first(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(HOUSE))
    await user.say(StartFlow(flow="book"), StartFlow(flow="paint"))
    assert await user.say(StartFlow(flow="measure")) == ["Size?"]
    said = await user.say(SetSlot(slot="size", value="big"))
    assert said == ["big.", BACK + "Book a trip.", "Where to?"]
    assert await user.say(StartFlow(flow="paint")) == [NEXT + PAINT, "Colour?"], "it can be asked for before its turn"
    assert await user.say(SetSlot(slot="colour", value="red")) == ["red.", BACK + "Book a trip.", "Where to?"]


async def test_b58_a_flow_that_is_brought_back_says_its_name(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(HOUSE))
    await user.say(StartFlow(flow="measure"))
    await user.say(StartFlow(flow="paint"))
    assert await user.say(StartFlow(flow="measure")) == [BACK + "Measure a room.", "Size?"]
    assert await user.say(ResumeFlow()) == [BACK + PAINT, "Colour?"]


async def test_b58_a_confirmation_that_comes_back_is_asked_in_full(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(HOUSE))
    await user.say(StartFlow(flow="book", slots={"city": "Rome"}))
    assert user.last is not None
    asked = user.last.messages[-1]
    await user.say(StartFlow(flow="paint"))
    said = await user.say(SetSlot(slot="colour", value="red"))
    assert said == ["red.", BACK + "Book a trip.", "To Rome?"]
    again = user.last.messages[-1]
    assert (again.kind, again.text) == (asked.kind, asked.text)
    assert [option.label for option in again.options] == [option.label for option in asked.options] == ["Yes", "No"]
    assert await user.choose("Yes") == ["Booked."]


async def test_b58_a_flow_that_a_message_replaces_does_not_come_back(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(HOUSE))
    await user.say(StartFlow(flow="book"))
    said = await user.say(CancelFlow(flow="book"), StartFlow(flow="paint"))
    assert said == ["All right, I have stopped that.", "Colour?"]
    assert await user.say(SetSlot(slot="colour", value="red")) == ["red."]


async def test_b58_b34_a_flow_is_cancelled_by_name_wherever_it_is(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(HOUSE))
    await user.say(StartFlow(flow="measure"))
    await user.say(StartFlow(flow="book"), StartFlow(flow="paint"))
    names = [frame["flow_name"] for frame in (await user.state())["flow_stack"]]
    assert names == ["measure", "ask_size", "paint", "book"]
    for named in ("measure", "paint"):
        said = await user.say(CancelFlow(flow=named))
        assert said == ["All right, I have stopped that.", "Where to?"]
    assert [frame["flow_name"] for frame in (await user.state())["flow_stack"]] == ["book"]
    assert list((await user.state())["flow_slots"]) == [(await user.state())["flow_stack"][0]["flow_id"]]


async def test_b58_b34_cancelling_what_is_not_open_changes_nothing(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(HOUSE))
    assert await user.say(CancelFlow(flow="paint")) == ["We have not begun that."]
    await user.say(StartFlow(flow="book"))
    before = (await user.state())["flow_stack"]
    assert await user.say(CancelFlow(flow="paint")) == ["We have not begun that.", "Where to?"]
    assert [frame["flow_id"] for frame in (await user.state())["flow_stack"]] == [frame["flow_id"] for frame in before]


async def test_b58_b35_a_caller_decides_only_about_the_flow_it_called(assistant: Assistant, talk: Talk) -> None:
    calling = """
          - {call: ask_size, on_cancel: rough}
          - {say: "{size}.", jump_to: end}
          - {step: rough, type: say, message: Roughly.}"""
    yaml = HOUSE.replace('[{call: ask_size}, {say: "{size}."}]', calling)
    user = talk(assistant(yaml))
    for named, end in ((None, "Roughly."), ("ask_size", "Roughly."), ("measure", "All right, I have stopped that.")):
        await user.say(StartFlow(flow="measure"))
        assert (await user.say(CancelFlow(flow=named)))[-1] == end


async def test_b58_an_author_may_leave_the_name_out(assistant: Assistant, talk: Talk) -> None:
    texts = 'texts: {resume: "Where were we?", queued: "One by one.", next: "On we go."}\n'
    user = talk(assistant(texts + dedent(HOUSE)))
    assert await user.say(StartFlow(flow="book"), StartFlow(flow="paint")) == ["One by one.", "Where to?"]
    assert await user.say(StartFlow(flow="weather")) == ["Sunny.", "Where were we?", "Where to?"]
    assert await user.say(CancelFlow()) == ["All right, I have stopped that.", "On we go.", "Colour?"]


async def test_b41_out_of_scope_repeats_the_open_question(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRAVEL), pricing())
    await user.say(StartFlow(flow="book"))
    said = await user.say(OutOfScope())
    assert said[1:] == ["Where to?"]
    assert await user.say() == said, "a message that means nothing is answered, too"


async def test_b20_a_correction_goes_back_to_the_first_step_that_read_the_old_value(
    assistant: Assistant, talk: Talk
) -> None:
    user = talk(assistant(TRAVEL), pricing())
    await user.say(StartFlow(flow="book", slots={"city": "Rome", "days": 3}))
    said = await user.say(CorrectSlot(slot="days", value=9))
    assert said == ["I have changed that.", "That is dear.", "9 days in Rome for 900?"]
    said = await user.say(SetSlot(slot="days", value=2))
    assert said == ["I have changed that.", "2 days in Rome for 200?"]
    assert await user.say(AffirmConfirmation()) == ["Booked."]


async def test_b20_the_same_value_again_is_nothing(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRAVEL), pricing())
    await user.say(StartFlow(flow="book", slots={"city": "Rome", "days": 3}))
    assert await user.say(CorrectSlot(slot="days", value=3)) == ["3 days in Rome for 300?"]


async def test_b21_a_correction_without_a_value_asks_again(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRAVEL), pricing())
    await user.say(StartFlow(flow="book", slots={"city": "Rome", "days": 3}))
    assert (await user.say(CorrectSlot(slot="city")))[-1] == "Where to?"
    assert await user.say(SetSlot(slot="city", value="Oslo")) == ["3 days in Oslo for 300?"]


async def test_b23_an_invalid_correction_keeps_the_old_value_and_says_so(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRAVEL), pricing())
    await user.say(StartFlow(flow="book", slots={"city": "Rome", "days": 3}))
    assert await user.say(CorrectSlot(slot="days", value=-2)) == ["At least one day.", "3 days in Rome for 300?"]


async def test_b25_what_a_once_action_has_done_is_neither_repeated_nor_undone(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {amount: {type: integer}, ok: {type: boolean}, stars: {type: integer}}
        flows:
          pay:
            steps:
              - {collect: amount, message: "How much?"}
              - {confirm: ok, message: "Pay {amount}?"}
              - {action: pay}
              - {collect: stars, message: "How was it?"}
              - {say: "Thanks."}
          other: {steps: [{say: "Hi."}]}
    """)
    paid: list[int] = []
    actions = Actions()
    actions.register("pay")(lambda amount: paid.append(amount))
    user = talk(config, actions)
    await user.say(StartFlow(flow="pay", slots={"amount": 5}))
    assert await user.say(AffirmConfirmation()) == ["How was it?"]
    said = await user.say(CorrectSlot(slot="amount", value=9))
    assert said[0] == "That has already been done, so I cannot change it any more."
    assert said[1:] == ["Would you like to talk to a person?"]
    assert await user.say(DenyConfirmation()) == ["All right.", "How was it?"]
    assert (await user.slots())["amount"] == 5
    assert paid == [5]


CALLING = """
    slots: {amount: {type: integer}, ok: {type: boolean}, note: {type: text}, fine: {type: boolean, source: system}}
    flows:
      main:
        steps:
          - {collect: amount, message: "How much?"}
          - {action: limit, map_outputs: {fine: fine}}
          - {step: way, type: branch, cases: [{when: "fine", then: sub}, {else: refuse}]}
          - {step: sub, type: call, target: inner}
          - {collect: note, message: "Note?"}
          - {say: "Done {amount}.", jump_to: end}
          - {step: refuse, type: say, message: "Too much."}
      inner:
        if: "false"
        steps: [INNER]
      other: {steps: [{say: "Hi."}]}
"""


class Calls:
    def __init__(self, fails: bool = False) -> None:
        self.paid: list[int] = []
        self.fails = fails
        self.actions = Actions()
        self.actions.register("limit", effect="pure")(lambda amount: {"fine": amount < 1000})
        self.actions.register("pay")(self.pay)

    def pay(self, amount: int) -> None:
        if self.fails:
            raise ConnectionError
        self.paid.append(amount)


async def test_b22_a_correction_in_a_called_flow_runs_the_callers_checks_again(
    assistant: Assistant, talk: Talk
) -> None:
    bank = Calls()
    inner = '{confirm: ok, message: "Pay {amount}?"}, {action: pay}'
    user = talk(assistant(CALLING.replace("INNER", inner)), bank.actions)
    assert await user.say(StartFlow(flow="main", slots={"amount": 5})) == ["Pay 5?"]
    assert await user.say(CorrectSlot(slot="amount", value=7)) == ["I have changed that.", "Pay 7?"]
    said = await user.say(CorrectSlot(slot="amount", value=5000), AffirmConfirmation())
    assert said == ["I have changed that.", "Too much."]
    assert bank.paid == []


async def test_b25_what_a_called_flow_has_done_is_not_done_again(assistant: Assistant, talk: Talk) -> None:
    for inner in ("{action: pay}", '{action: pay}, {collect: note, message: "Inner note?"}'):
        bank = Calls()
        user = talk(assistant(CALLING.replace("INNER", inner)), bank.actions, user_id=inner)
        await user.say(StartFlow(flow="main", slots={"amount": 5}))
        said = await user.say(CorrectSlot(slot="amount", value=6))
        assert said[0] == "That has already been done, so I cannot change it any more."
        assert bank.paid == [5]


async def test_a_once_action_that_failed_can_be_tried_with_another_value(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {amount: {type: integer}, note: {type: text}}
        flows:
          pay:
            steps:
              - {collect: amount, message: "How much?"}
              - {action: pay, on_error: declined}
              - {say: "Paid {amount}.", jump_to: end}
              - {step: declined, type: collect, slot: note, message: "Declined. Change the amount?"}
          other: {steps: [{say: "Hi."}]}
    """)
    bank = Calls(fails=True)
    user = talk(config, bank.actions)
    assert await user.say(StartFlow(flow="pay", slots={"amount": 5})) == ["Declined. Change the amount?"]
    bank.fails = False
    assert await user.say(CorrectSlot(slot="amount", value=4)) == ["I have changed that.", "Paid 4."]


async def test_after_something_was_done_a_failure_does_not_ask_to_try_again(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {amount: {type: integer}, n: {type: integer, source: system}}
        flows:
          pay:
            steps:
              - {collect: amount, message: "How much?"}
              - {action: pay}
              - {set: {}, compute: {n: "amount // (amount - 5)"}}
          other: {steps: [{say: "Hi."}]}
    """)
    bank = Calls()
    user = talk(config, bank.actions)
    said = await user.say(StartFlow(flow="pay", slots={"amount": 5}))
    assert said == ["That was done, but something went wrong afterwards. A person will look into it."]
    assert user.last is not None
    assert user.last.messages[-1].kind == "handoff"


async def test_a_correction_inside_a_loop_is_about_this_round(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots:
          item: {type: text}
          more: {type: boolean}
          items: {type: text, source: system}
        flows:
          shop:
            steps:
              - set: {items: "Basket:"}
              - step: again
                type: while
                condition: "more is None or more"
                do:
                  - {collect: item, message: "Item?"}
                  - {step: add, type: set, compute: {items: "items + ' ' + item"}}
                  - {collect: more, message: "More?"}
              - {say: "{items}"}
          other: {steps: [{say: "Hi."}]}
    """)
    user = talk(config)
    await user.say(StartFlow(flow="shop", slots={"item": "a"}))
    await user.say(SetSlot(slot="more", value=True))
    await user.say(SetSlot(slot="item", value="b"))
    assert await user.say(CorrectSlot(slot="item", value="c")) == ["I have changed that.", "More?"]
    assert await user.say(SetSlot(slot="more", value=False)) == ["Basket: a c"]


async def test_a_correction_of_what_came_before_a_loop_begins_the_loop_anew(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {size: {type: text}, item: {type: text}, n: {type: integer, source: system}}
        flows:
          shop:
            steps:
              - {collect: size, message: "Size?"}
              - {step: begin, type: set, slots: {n: 0}, if: "size is not None"}
              - step: again
                type: while
                condition: "n < 2"
                limit: 2
                do: [{collect: item, message: "{size} {n}?"}, {set: {}, compute: {n: "n + 1"}}]
              - {say: "{size} {n}."}
          other: {steps: [{say: "Hi."}]}
    """)
    user = talk(config)
    assert await user.say(StartFlow(flow="shop", slots={"size": "S"})) == ["S 0?"]
    assert await user.say(SetSlot(slot="item", value="a")) == ["S 1?"]
    # The first round is gone through again with what was said in it; the second is asked for.
    assert await user.say(CorrectSlot(slot="size", value="L")) == ["I have changed that.", "L 1?"]
    assert await user.say(SetSlot(slot="item", value="b")) == ["L 2."]


async def test_going_back_into_an_earlier_round_goes_back_in_the_count_too(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {size: {type: text}, item: {type: text}, n: {type: integer, source: system}}
        flows:
          shop:
            trigger: {intents: ["a basket of size {size}"]}
            steps:
              - set: {n: 0}
              - step: again
                type: while
                condition: "n < 2"
                limit: 2
                do: [{say: "{size} {n}."}, {collect: item, message: "Item?"}, {set: {}, compute: {n: "n + 1"}}]
              - {say: "Done {n}."}
          other: {steps: [{say: "Hi."}]}
    """)
    user = talk(config)
    assert await user.say(StartFlow(flow="shop", slots={"size": "S"})) == ["S 0.", "Item?"]
    assert await user.say(SetSlot(slot="item", value="a")) == ["S 1.", "Item?"]
    assert await user.say(CorrectSlot(slot="size", value="L")) == ["I have changed that.", "L 0.", "L 1.", "Item?"]
    assert await user.say(SetSlot(slot="item", value="b")) == ["Done 2."]


async def test_values_given_with_a_start_go_to_the_flow_that_is_started(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        slots: {x: {type: integer}}
        flows:
          a: {steps: [{collect: x, message: "A?"}, {say: "a {x}"}]}
          b: {steps: [{collect: x, message: "B?"}, {say: "b {x}"}]}
    """)
    user = talk(config)
    said = await user.say(StartFlow(flow="a", slots={"x": 1}), StartFlow(flow="b", slots={"x": 2}))
    assert said == ["a 1", "b 2"]


async def test_a_value_for_a_paused_flow_reaches_it(assistant: Assistant, talk: Talk) -> None:
    user = talk(assistant(TRAVEL), pricing())
    await user.say(StartFlow(flow="book"))
    await user.say(StartFlow(flow="paint"))
    assert await user.say(SetSlot(slot="city", value="Rome")) == ["Colour?"]
    assert await user.say(SetSlot(slot="colour", value="red")) == [
        "red it is.",
        BACK + "book.",
        "How long?",
    ]


async def test_a_say_that_waits_goes_on_when_it_is_acknowledged(assistant: Assistant, talk: Talk) -> None:
    config = assistant("""
        flows:
          terms:
            steps:
              - {say: "Fees apply.", wait_for_ack: true, options: ["Got it"]}
              - {say: "Thanks."}
          other: {steps: [{say: "Hi."}]}
    """)
    user = talk(config)
    assert await user.say(StartFlow(flow="terms")) == ["Fees apply."]
    assert (await user.say(OutOfScope()))[-1] == "Fees apply."
    assert await user.say(Acknowledge()) == ["Thanks."]
    await user.say(StartFlow(flow="terms"))
    assert await user.choose("Got it") == ["Thanks."]
