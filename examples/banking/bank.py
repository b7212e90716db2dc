"""A bank small enough to keep in memory: every customer starts with the same accounts."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal

CODE = "123456"
LARGE = Decimal(1000)
CONTACTS = {
    "ana": "ES9121000418450200051332",
    "juan pérez": "ES7921000813610123456789",
    "maría": "ES6621000418401234567891",
}


def _folded(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name.strip().casefold())
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


class NotEnoughMoney(Exception):
    """The account does not hold what should leave it."""


@dataclass
class Customer:
    checking: Decimal = Decimal("2345.67")
    savings: Decimal = Decimal("10000.00")
    transactions: list[tuple[str, Decimal]] = field(
        default_factory=lambda: [
            ("Supermarket", Decimal("-54.20")),
            ("Salary", Decimal("1850.00")),
            ("Cinema", Decimal("-17.00")),
        ]
    )
    bills: dict[str, Decimal] = field(
        default_factory=lambda: {"electricity": Decimal("63.40"), "water": Decimal("28.15"), "phone": Decimal("35.00")}
    )
    blocked_cards: set[str] = field(default_factory=set)
    receipts: dict[str, str] = field(default_factory=dict)

    def spend(self, amount: Decimal, what: str) -> str:
        """Take money out of the checking account and return a reference."""
        if amount > self.checking:
            raise NotEnoughMoney
        self.checking -= amount
        self.transactions.insert(0, (what, -amount))
        return f"T{len(self.transactions):04d}"


class Bank:
    """Customers by the id under which they talk to the assistant."""

    def __init__(self) -> None:
        self._customers: dict[str, Customer] = {}

    def customer(self, user_id: str) -> Customer:
        return self._customers.setdefault(user_id, Customer())

    def contact(self, name: str) -> str | None:
        """The IBAN of somebody the customer has paid before, accents and capitals aside."""
        return {_folded(known): iban for known, iban in CONTACTS.items()}.get(_folded(name))

    def bill_due(self, today: date) -> date:
        return today + timedelta(days=12)
