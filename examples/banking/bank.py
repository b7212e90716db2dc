"""A small bank: every customer starts with the same accounts. Its books are in memory, or in a file of its own."""

from __future__ import annotations

import fcntl
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

from pydantic import TypeAdapter

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
    references: dict[str, str] = field(default_factory=dict)
    """What was asked for under which key, so that it can be found again."""

    def spend(self, amount: Decimal, what: str, key: str) -> str:
        """Take money out of the checking account and return a reference."""
        if amount > self.checking:
            raise NotEnoughMoney
        self.checking -= amount
        self.transactions.insert(0, (what, -amount))
        self.references[key] = f"T{len(self.transactions):04d}"
        return self.references[key]


_BOOKS = TypeAdapter(dict[str, Customer])


class Bank:
    """Customers by the id under which they talk to the assistant."""

    def __init__(self, books: Path | None = None) -> None:
        self.books = books
        self._customers: dict[str, Customer] = {}

    def customer(self, user_id: str) -> Customer:
        """A customer as the books have them now."""
        return self._read().setdefault(user_id, Customer())

    @contextmanager
    def changing(self, user_id: str) -> Iterator[Customer]:
        """A customer whose changes are written when the block ends well; other processes wait for it."""
        with self._alone():
            customers = self._read()
            yield customers.setdefault(user_id, Customer())
            if self.books is not None:
                draft = self.books.with_suffix(".new")
                draft.write_bytes(_BOOKS.dump_json(customers))
                draft.replace(self.books)

    def _read(self) -> dict[str, Customer]:
        if self.books is None:
            return self._customers
        return _BOOKS.validate_json(self.books.read_bytes()) if self.books.exists() else {}

    @contextmanager
    def _alone(self) -> Iterator[None]:
        if self.books is None:
            yield
            return
        self.books.parent.mkdir(parents=True, exist_ok=True)
        with self.books.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def contact(self, name: str) -> str | None:
        """The IBAN of somebody the customer has paid before, accents and capitals aside."""
        return {_folded(known): iban for known, iban in CONTACTS.items()}.get(_folded(name))

    def bill_due(self, today: date) -> date:
        return today + timedelta(days=12)
