"""The Python side of the banking assistant: arguments are the slots that the signatures name."""

from __future__ import annotations

import asyncio
import os
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from bank import CODE, LARGE, Bank

from soni import ActionContext, Actions
from soni.core.values.money import Money

actions = Actions()
bank = Bank(Path(os.environ["BANK_BOOKS"]) if "BANK_BOOKS" in os.environ else None)
SECONDS = float(os.environ.get("BANK_SECONDS", "0"))  # how long the bank takes to answer a transfer
SENDING = {"en": "Sending…", "es": "Enviando…", "pt": "Enviando…"}


@actions.register("read_balances", effect="pure")
async def read_balances(context: ActionContext) -> dict[str, Decimal]:
    customer = bank.customer(context.user_id)
    return {"checking": customer.checking, "savings": customer.savings}


@actions.register("recent_transactions", effect="pure")
async def recent_transactions(context: ActionContext) -> dict[str, str]:
    latest = bank.customer(context.user_id).transactions[:5]
    return {"lines": "\n".join(f"- {what}: {amount:+.2f} €" for what, amount in latest)}


@actions.register("find_contact", effect="pure")
async def find_contact(recipient: str, iban: str | None = None) -> dict[str, str | None]:
    return {"iban": bank.contact(recipient) or iban}


@actions.register("check_limits", effect="pure")
async def check_limits(amount: Money, context: ActionContext) -> dict[str, Any]:
    available = bank.customer(context.user_id).checking
    return {"within_limit": amount <= available, "available": available, "needs_code": amount >= LARGE}


@actions.validator("in_euros")
def in_euros(amount: Money) -> bool:
    return amount.currency == "EUR"


@actions.register("verify_code", effect="pure")
async def verify_code(code: str) -> dict[str, bool]:
    return {"right": code == CODE}


async def find_transfer(context: ActionContext) -> dict[str, str] | None:
    """Whether a transfer went through that nobody knows about, because everything stopped in the middle of it."""
    reference = bank.customer(context.user_id).references.get(context.idempotency_key)
    if reference is None and bank.books is None:
        raise LookupError("a bank without books does not know what it did before it was started")
    return {"id": reference} if reference else None


@actions.register("execute_transfer", effect="once", reconcile=find_transfer)
async def execute_transfer(amount: Money, recipient: str, iban: str, context: ActionContext) -> dict[str, str]:
    await context.inform(SENDING.get(context.language, SENDING["en"]))
    with bank.changing(context.user_id) as customer:
        reference = customer.spend(amount.amount, f"Transfer to {recipient}", context.idempotency_key)
    await asyncio.sleep(SECONDS)
    return {"id": reference}


@actions.register("block_card", effect="idempotent")
async def block_card(card: str, block_reason: str, context: ActionContext) -> None:
    with bank.changing(context.user_id) as customer:
        customer.blocked_cards.add(card)


@actions.register("find_bill", effect="pure")
async def find_bill(biller: str, context: ActionContext) -> dict[str, Any]:
    return {"amount": bank.customer(context.user_id).bills[biller], "due": bank.bill_due(date.today())}


@actions.register("send_receipt", effect="idempotent")
async def send_receipt(biller: str, receipt_email: str, context: ActionContext) -> None:
    with bank.changing(context.user_id) as customer:
        customer.receipts[biller] = receipt_email


@actions.register("pay_bill", effect="once")
async def pay_bill(biller: str, context: ActionContext) -> None:
    with bank.changing(context.user_id) as customer:
        customer.spend(customer.bills[biller], f"Bill: {biller}", context.idempotency_key)
        customer.bills[biller] = Decimal(0)
