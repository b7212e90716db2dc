"""The assistant that people were talking to when its conversations were stored; it stays as it was then."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

from soni import Actions, SoniConfig, load_config

NOON = datetime(2026, 3, 2, 12)
"""When the conversations were stored."""

YAML = """
version: "1"
settings: {session_timeout: null}
slots:
  payee: {type: text}
  amount: {type: integer, validate: "amount > 0", error: "At least 1."}
  email: {type: text}
  purpose: {type: text}
  fee: {type: integer, source: system}
  ok: {type: boolean}
  reference: {type: text, source: system}
  stars: {type: integer}
  comment: {type: text}
  hour: {type: integer}

  shop: {type: text}
  item: {type: text}
  pieces: {type: integer}
  price: {type: integer, source: system}
  total: {type: integer, source: system}
  basket: {type: text, source: system}
  more: {type: boolean}
  choice: {type: choice, options: [add, leave]}

  friend: {type: text}
  budget: {type: integer}
  proof: {type: text, source: system}
  wrapping: {type: text}
  account: {type: text}
  receipt: {type: text}
  card: {type: text}

  kind: {type: choice, options: [home, abroad]}
  passport: {type: text}
  hotel: {type: text}
  meal: {type: text}
  wish: {type: text}
  name: {type: text}
  guest: {type: text}
  age: {type: integer}

  customer: {type: text}
  address: {type: text}
  phone: {type: text, depends_on: [customer]}
  day: {type: text}

  number: {type: text}
  pin: {type: text, sensitive: true, pattern: "[0-9]{4}"}
  reason: {type: text}

  member: {type: text, scope: conversation}
  n: {type: integer, source: system}
flows:
  pay:
    description: Pay somebody
    steps:
      - {collect: payee, message: "Who gets the money?"}
      - {collect: amount, message: "How much?"}
      - {action: fee_of, map_outputs: {fee: fee}}
      - {step: told, type: say, message: "The fee is {fee}."}
      - {collect: email, message: "Where does the receipt go?"}
      - {collect: purpose, message: "What is it for?", optional: true}
      - {step: review, type: confirm, slot: ok, message: "Pay {amount} to {payee} for {purpose}, fee {fee}?"}
      - {step: do, type: action, call: pay, map_outputs: {id: reference}, on_unknown: unsure}
      - {step: paid, type: say, message: "Paid: {reference}."}
      - {collect: stars, message: "How many stars?"}
      - {collect: comment, message: "Any comment?"}
      - {step: bye, type: say, message: "{stars} stars, {comment}. The receipt goes to {email}.", jump_to: end}
      - {step: unsure, type: say, message: "I do not know whether that was paid."}
  alarm:
    description: Set an alarm
    steps:
      - {collect: hour, message: "At what hour?"}
      - {say: "It rings at {hour}."}

  order:
    description: Order things
    steps:
      - {collect: shop, message: "Which shop?"}
      - {step: begin, type: set, slots: {total: 0, basket: "-"}}
      - step: again
        type: while
        condition: "more is None or more"
        do:
          - {collect: item, message: "Which item?"}
          - {collect: pieces, message: "How many pieces?"}
          - {action: price_of, map_outputs: {price: price}}
          - {step: add, type: set, compute: {total: "total + price * pieces", basket: "basket + item + '-'"}}
          - {step: sum, type: say, message: "{total} so far."}
          - {collect: more, message: "Anything else?"}
      - {step: review, type: confirm, slot: ok, message: "{basket} from {shop} for {total}?"}
      - {step: do, type: action, call: buy}
      - {say: "Bought."}
  donate:
    description: Give money away
    steps:
      - {collect: account, message: "From which account?"}
      - step: again
        type: while
        condition: "more is None or more"
        do:
          - {collect: payee, message: "Who gets the money?"}
          - {collect: amount, message: "How much?"}
          - {step: review, type: confirm, slot: ok, message: "Give {amount} to {payee} from {account}?"}
          - {step: do, type: action, call: give, map_outputs: {id: reference}}
          - {step: given, type: say, message: "Given: {reference}."}
          - {collect: more, message: "Anything else?"}
      - {say: "Thank you."}
  menu:
    description: Make a list
    steps:
      - {collect: shop, message: "Which shop?"}
      - {step: begin, type: set, slots: {basket: "-"}}
      - {step: top, type: collect, slot: choice, message: "Add or leave?", ask_always: true}
      - {step: way, type: branch, slot: choice, cases: {add: one, else: last}}
      - {step: one, type: collect, slot: item, message: "Which item?", ask_always: true}
      - {step: add, type: set, compute: {basket: "basket + item + '-'"}, jump_to: top}
      - {step: last, type: say, message: "{basket} from {shop}."}

  gift:
    description: Give somebody something
    steps:
      - {collect: friend, message: "Who is it for?"}
      - {step: kind, type: say, message: "Something for {friend}."}
      - {collect: budget, message: "How much?"}
      - {collect: wrapping, message: "Which paper?"}
      - {step: settle, type: call, target: settle, inputs: {amount: budget}, outputs: {reference: proof}}
      - {collect: card, message: "What does the card say?"}
      - {collect: stars, message: "How many stars?"}
      - {say: "For {friend}, in {wrapping}: {card}. {budget} were paid: {proof}."}
  settle:
    if: "false"
    steps:
      - {step: account, type: collect, slot: account, message: "From which account?"}
      - {step: review, type: confirm, slot: ok, message: "Pay {amount} from {account}?"}
      - {step: do, type: action, call: pay_from, map_outputs: {id: reference}}
      - {step: paid, type: say, message: "Paid: {reference}."}
      - {collect: receipt, message: "Where does the receipt go?"}

  trip:
    description: Book a trip
    steps:
      - {call: traveller}
      - {collect: kind, message: "At home or abroad?"}
      - {step: way, type: branch, slot: kind, cases: {abroad: papers, else: where}}
      - {step: papers, type: collect, slot: passport, message: "Which passport?"}
      - {step: where, type: collect, slot: hotel, message: "Which hotel?"}
      - {collect: meal, message: "Which meal?", ask_always: true}
      - {collect: wish, message: "Any wish?", optional: true}
      - {action: trip_price, map_outputs: {price: price}}
      - {step: review, type: confirm, slot: ok, message: "{name}, {kind}, {hotel}, {meal}, {wish}, {price}?"}
      - {step: do, type: action, call: book}
      - {say: "Booked."}
  traveller:
    if: "false"
    steps:
      - {collect: name, message: "Who travels?"}
      - {collect: age, message: "How old?"}
      - {say: "{name} is {age}."}
  party:
    description: Plan a party
    steps:
      - {collect: hotel, message: "Which hotel?"}
      - {step: begin, type: set, slots: {basket: "-"}}
      - step: again
        type: while
        condition: "more is None or more"
        do:
          - {step: who, type: call, target: traveller, outputs: {name: guest}}
          - {step: add, type: set, compute: {basket: "basket + guest + '-'"}}
          - {step: where, type: say, message: "{guest} sleeps at the {hotel}."}
          - {collect: more, message: "Anybody else?"}
      - {say: "{basket} at the {hotel}."}
  terms:
    description: Read the terms
    steps:
      - {collect: name, message: "Who are you?"}
      - {step: read, type: say, message: "These are the terms for {name}.", wait_for_ack: true}
      - {collect: age, message: "How old?"}
      - {say: "{name} is {age}."}

  deliver:
    description: Have something delivered
    steps:
      - {collect: customer, message: "For which customer?"}
      - {action: address_of, map_outputs: {address: address}}
      - {collect: phone, message: "Which phone?"}
      - {collect: day, message: "On which day?"}
      - {step: review, type: confirm, slot: ok, message: "For {customer}, {phone}, to {address} on {day}?"}
      - {step: do, type: action, call: deliver}
      - {say: "On its way to {address}."}

  unlock:
    description: Unlock a card
    steps:
      - {collect: number, message: "Which card?"}
      - {step: review, type: confirm, slot: ok, message: "Unlock {number}?"}
      - {collect: pin, message: "Which PIN?"}
      - {collect: reason, message: "Why?"}
      - {step: do, type: action, call: unlock}
      - {say: "Unlocked."}

  enrol:
    description: Become a member
    steps:
      - {collect: member, message: "Which membership?"}
      - {say: "You are {member}."}
  seat:
    description: Book a seat
    steps:
      - {collect: amount, message: "How many seats?"}
      - {action: seat_price, map_outputs: {price: price}}
      - {collect: day, message: "On which day?"}
      - {step: review, type: confirm, slot: ok, message: "{amount} seats on {day} for {price}, {member}?"}
      - {step: do, type: action, call: reserve}
      - {say: "Reserved."}

  parade:
    description: Pay for a parade
    steps:
      - {collect: amount, message: "How much?"}
      - {step: review, type: confirm, slot: ok, message: "Pay {amount}?"}
      - {step: do, type: action, call: pay_parade, map_outputs: {id: reference}}
      - {step: begin, type: set, slots: {n: 0}}
      - {while: "n < 110", limit: 200, do: [{step: step, type: set, compute: {n: "n + 1"}}]}
      - {collect: stars, message: "How many stars?"}
      - {collect: comment, message: "Any comment?"}
      - {say: "{amount} were paid, {n} steps, {stars} stars, {comment}."}
  walk:
    description: Go for a walk
    steps:
      - {collect: friend, message: "With whom?"}
      - {step: begin, type: set, slots: {n: 0}}
      - {while: "n < 110", limit: 200, do: [{step: step, type: set, compute: {n: "n + 1"}}]}
      - {collect: stars, message: "How many stars?"}
      - {collect: comment, message: "Any comment?"}
      - {say: "{n} steps with {friend}, {stars} stars, {comment}."}
  gala:
    description: Pay for a gala
    steps:
      - {collect: amount, message: "How much?"}
      - {call: settle}
      - {step: begin, type: set, slots: {n: 0}}
      - {while: "n < 98", limit: 200, do: [{step: step, type: set, compute: {n: "n + 1"}}]}
      - {collect: stars, message: "How many stars?"}
      - {collect: comment, message: "Any comment?"}
      - {say: "{amount} were paid, {n} steps, {stars} stars, {comment}."}

  tickets:
    description: Buy tickets
    steps:
      - {collect: amount, message: "How many tickets?"}
      - {step: review, type: confirm, slot: ok, message: "Buy {amount}?"}
      - {step: do, type: action, call: buy_tickets}
      - {link: survey}
  outing:
    description: Go out
    steps:
      - {collect: friend, message: "With whom?"}
      - {collect: amount, message: "How many tickets?"}
      - {call: tickets}
      - {say: "Have fun with {friend}."}
  survey:
    if: "false"
    steps:
      - {collect: stars, message: "How many stars for {amount} tickets?"}
      - {collect: comment, message: "Any comment?"}
      - {say: "{amount} tickets, {stars} stars, {comment}."}
"""


class World:
    """What the actions do, written down in `calls`; `deeds` are the calls of those that must not happen twice."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.deeds: list[tuple[Any, ...]] = []
        self.actions = Actions()
        for look_up in (self.fee_of, self.price_of, self.address_of, self.seat_price):
            self.actions.register(look_up.__name__, effect="pure")(look_up)
        self.actions.register("trip_price", effect="idempotent")(self.trip_price)
        for deed in (
            self.pay,
            self.pay_from,
            self.pay_parade,
            self.give,
            self.buy,
            self.book,
            self.deliver,
            self.unlock,
            self.reserve,
            self.buy_tickets,
        ):
            self.actions.register(deed.__name__, effect="once")(deed)

    def fee_of(self, amount: int) -> dict[str, int]:
        self.calls.append(("fee_of", amount))
        return {"fee": amount // 10}

    def price_of(self, shop: str, item: str) -> dict[str, int]:
        self.calls.append(("price_of", shop, item))
        return {"price": len(shop) + len(item)}

    def trip_price(self, kind: str, hotel: str) -> dict[str, int]:
        self.calls.append(("trip_price", kind, hotel))
        return {"price": 100 * len(kind) + len(hotel)}

    def address_of(self, customer: str) -> dict[str, str]:
        self.calls.append(("address_of", customer))
        return {"address": f"{customer} Street"}

    def seat_price(self, amount: int, member: str) -> dict[str, int]:
        self.calls.append(("seat_price", amount, member))
        return {"price": amount * (5 if member == "gold" else 10)}

    def pay(self, amount: int, payee: str, purpose: str | None = None) -> dict[str, str]:
        self.deeds.append(("pay", amount, payee, purpose))
        return {"id": f"P{amount}"}

    def pay_from(self, amount: int, account: str) -> dict[str, str]:
        self.deeds.append(("pay_from", amount, account))
        return {"id": f"F{amount}"}

    def pay_parade(self, amount: int) -> dict[str, str]:
        self.deeds.append(("pay_parade", amount))
        return {"id": f"R{amount}"}

    def give(self, amount: int, payee: str, account: str) -> dict[str, str]:
        self.deeds.append(("give", amount, payee, account))
        return {"id": f"G{amount}"}

    def buy(self, basket: str, total: int) -> None:
        self.deeds.append(("buy", basket, total))

    def book(self, name: str, kind: str, hotel: str, meal: str, price: int) -> None:
        self.deeds.append(("book", name, kind, hotel, meal, price))

    def deliver(self, address: str, day: str) -> None:
        self.deeds.append(("deliver", address, day))

    def unlock(self, number: str, pin: str, reason: str) -> None:
        self.deeds.append(("unlock", number, pin, reason))

    def reserve(self, amount: int, day: str, price: int) -> None:
        self.deeds.append(("reserve", amount, day, price))

    def buy_tickets(self, amount: int) -> None:
        self.deeds.append(("buy_tickets", amount))


def config(folder: Path) -> SoniConfig:
    """The assistant, from a file in this folder."""
    file = folder / "assistant.yaml"
    file.write_text(YAML, encoding="utf-8")
    return load_config(file)
