"""Validators: what they are given, how they refuse, and what is kept of what they say."""

from __future__ import annotations

import asyncio
import functools
import json
import logging
from collections.abc import Callable, Iterator
from datetime import date, time
from decimal import Decimal
from itertools import count
from typing import Annotated, Any

import pytest
from annotated_types import Ge
from hypothesis import given
from hypothesis import strategies as st

import soni
from soni.actions import ActionContext, Actions, Refusal, Verdict, validators
from soni.core.values.money import Money
from soni.core.verdict import MOST_IN_A_REASON, MOST_IN_AN_OPTION, MOST_OPTIONS, in_language

SUNDAY = date(2026, 5, 3)


async def judged(function: Callable[..., Any], value: Any, **slots: Any) -> Verdict:
    """What a function says as a validator, in a conversation of Ana's in Spanish."""
    actions = Actions()
    actions.validator("it")(function)

    async def inform(text: str) -> None:
        raise AssertionError(text)

    return await actions.verdict("it", value, slots, context=ActionContext(inform, user_id="ana", language="es"))


# What a validator is given


def within_hours(hour: time, day: date, context: ActionContext) -> bool:
    if day.weekday() == 6:
        raise ValueError(f"closed on Sundays, {context.user_id}")
    return hour < time(20)


async def within_hours_too(hour: time, /, *, day: date, context: ActionContext) -> bool:
    return within_hours(hour, day, context)


@pytest.mark.parametrize("function", [within_hours, within_hours_too])
async def test_a_validator_names_the_other_slots_it_looks_at(function: Callable[..., Any]) -> None:
    monday = date(2026, 5, 4)
    assert await judged(function, time(19), day=monday) == Verdict(ok=True)
    assert await judged(function, time(21), day=monday) == Verdict(ok=False)
    assert await judged(function, time(19), day=SUNDAY) == Verdict(ok=False, reason="closed on Sundays, ana")


def test_the_slots_of_a_validator_are_known() -> None:
    actions = Actions()
    actions.validator()(within_hours)

    @actions.validator()
    def even(value: int) -> bool:
        return value % 2 == 0

    @actions.validator()
    def long_enough(value: str, length: int = 3) -> bool:
        return len(value) >= length

    assert actions.validator_slots("within_hours") == {"day": True}
    assert actions.validator_slots("even") == {}
    assert actions.validator_slots("long_enough") == {"length": False}


async def test_what_has_a_default_may_have_no_value() -> None:
    def long_enough(value: str, length: int = 3) -> bool:
        return len(value) >= length

    assert (await judged(long_enough, "abc")).ok
    assert (await judged(long_enough, "abc", length=None)).ok
    assert not (await judged(long_enough, "abc", length=4)).ok


async def test_values_come_in_the_types_of_the_signature() -> None:
    def affordable(amount: Money, balance: Decimal, note: str | None) -> bool:
        return amount.amount <= balance and type(balance) is Decimal and note is None

    def enough(amount: float, least: float) -> bool:
        return type(amount) is float and amount >= least

    assert (await judged(affordable, Money("3", "EUR"), balance=Money("5", "EUR"))).ok
    assert (await judged(enough, Money("3", "EUR"), least="3")).ok
    assert not (await judged(enough, Money("3", "EUR"), least=4)).ok


async def test_a_value_that_does_not_fit_the_signature_is_refused(caplog: pytest.LogCaptureFixture) -> None:
    def grown_up(age: Annotated[int, Ge(18)], since: date) -> bool:
        return True

    assert (await judged(grown_up, 18, since=SUNDAY)).ok
    assert await judged(grown_up, 17, since=SUNDAY) == Verdict(ok=False)
    assert await judged(grown_up, 18, since="secret words") == Verdict(ok=False)
    assert await judged(grown_up, 18) == Verdict(ok=False)
    assert caplog.messages == [
        "validator 'it' cannot take slot 'age'",
        "validator 'it' cannot take slot 'since'",
        "validator 'it' cannot take slot 'since'",
    ]


async def test_anything_that_can_be_called_is_a_validator() -> None:
    class Longer:
        def __call__(self, value: str, least: int) -> bool:
            return len(value) > least

    def among(values: list[str], value: str) -> bool:
        return value in values

    assert (await judged(str.isdigit, "12")).ok
    assert not (await judged(str.isdigit, "x")).ok
    assert (await judged(Longer(), "12", least=1)).ok
    assert (await judged(functools.partial(among, ["a"]), "a")).ok
    assert (await judged(lambda value, other: value == other, 1, other=1)).ok


# How it refuses


@pytest.mark.parametrize("answer", [False, None, 0, ""])
async def test_whatever_is_false_refuses_without_a_reason(answer: object) -> None:
    assert await judged(lambda value: answer, 1) == Verdict(ok=False)


def raising(error: BaseException) -> Callable[[Any], bool]:
    def validator(value: Any) -> bool:
        raise error

    return validator


@pytest.mark.parametrize(
    "error",
    [
        ValueError(),
        ValueError(""),
        ValueError(" \n"),
        ValueError(3),
        ValueError("closed", "on Sundays"),
        UnicodeDecodeError("utf-8", b"x", 0, 1, "for programmers"),
        json.JSONDecodeError("for programmers", "x", 0),
    ],
)
async def test_a_value_error_without_a_text_for_people_gives_no_reason(
    error: ValueError, caplog: pytest.LogCaptureFixture
) -> None:
    assert await judged(raising(error), 1) == Verdict(ok=False)
    assert caplog.messages == []


async def test_a_refusal_has_a_reason_by_language_and_options() -> None:
    reason = {"en": "We close at eight.", "es": "Cerramos a las ocho."}
    verdict = await judged(raising(Refusal(reason, options=["19:00", "19:30"])), 1)
    assert verdict == Verdict(ok=False, reason=reason, options=("19:00", "19:30"))
    assert await judged(raising(Refusal("Closed.")), 1) == Verdict(ok=False, reason="Closed.")
    assert await judged(raising(Refusal(options=["a"])), 1) == Verdict(ok=False, options=("a",))
    assert soni.Refusal is Refusal


@pytest.mark.parametrize(
    "arguments",
    [
        {"reason": 3},
        {"reason": {}},
        {"reason": {"English": "Closed."}},
        {"reason": {1: "Closed."}},
        {"reason": {"en": ["Closed."]}},
        {"options": "10:00"},
        {"options": [10]},
        {"options": None},
    ],
)
async def test_a_refusal_that_says_nothing_to_people_refuses_all_the_same(
    arguments: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(TypeError):
        Refusal(**arguments)

    def validator(value: Any) -> bool:
        raise Refusal(**arguments)

    assert await judged(validator, 1) == Verdict(ok=False)
    assert caplog.messages == ["validator 'it' raised TypeError"]


@pytest.mark.parametrize("error", [KeyError("secret"), StopIteration("secret"), asyncio.CancelledError("secret")])
async def test_any_other_error_refuses_and_is_logged_without_its_text(
    error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    async def validator(value: Any) -> bool:
        raise error

    caplog.set_level(logging.DEBUG)
    assert await judged(raising(error) if isinstance(error, Exception) else validator, 1) == Verdict(ok=False)
    assert len(caplog.messages) == 1
    assert "validator 'it' raised" in caplog.text
    assert "secret" not in caplog.text


async def test_an_answer_that_is_neither_true_nor_false_refuses() -> None:
    class Unclear:
        def __bool__(self) -> bool:
            raise ValueError("for programmers")

    assert await judged(lambda value: Unclear(), 1) == Verdict(ok=False)


async def test_a_validator_that_takes_too_long_refuses(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(validators, "LIMIT", 0.01)

    async def hangs(value: Any) -> bool:
        return await asyncio.Event().wait()

    assert await judged(hangs, 1) == Verdict(ok=False)
    assert caplog.messages == ["validator 'it' raised TimeoutError"]


async def test_who_waits_for_a_validator_can_be_cancelled() -> None:
    begun = asyncio.Event()

    async def hangs(value: Any) -> bool:
        begun.set()
        return await asyncio.Event().wait()

    waiting = asyncio.ensure_future(judged(hangs, 1))
    await begun.wait()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


# What is kept


async def test_what_a_validator_says_is_bounded_and_can_be_stored() -> None:
    many = [f"{n}" for n in range(1000)]
    said = await judged(raising(Refusal("x" * 10_000_000, options=many)), 1)
    assert isinstance(said.reason, str)
    assert len(said.reason) == MOST_IN_A_REASON
    assert said.reason.endswith("x…")
    assert said.options == tuple(many[:MOST_OPTIONS])
    said = await judged(raising(Refusal(" a\0b\ud800 ", options=["a" * 101, " 1 \n 2", "1 2", "\x07", "\ud800"])), 1)
    assert said == Verdict(ok=False, reason="a\ufffdb?", options=("1 2", "?"))


async def test_options_that_never_end_are_cut_off() -> None:
    def endless() -> Iterator[str]:
        return (f"{n}" for n in count())

    def validator(value: Any) -> bool:
        raise Refusal(options=endless())

    assert len((await judged(validator, 1)).options) == MOST_OPTIONS


async def test_a_language_without_words_is_left_out() -> None:
    assert (await judged(raising(Refusal({"en": " ", "es": "Cerrado."})), 1)).reason == {"es": "Cerrado."}
    assert (await judged(raising(Refusal({"en": " "})), 1)).reason is None


@given(st.text() | st.dictionaries(st.sampled_from(["en", "es", "de"]), st.text(), min_size=1), st.lists(st.text()))
def test_every_verdict_survives_the_journal(reason: str | dict[str, str], options: list[str]) -> None:
    verdict = Verdict.refused(reason, options)
    written = json.dumps(verdict.to_json()).encode("utf-8").decode()
    assert Verdict.from_json(json.loads(written)) == verdict
    texts = verdict.reason.values() if isinstance(verdict.reason, dict) else [verdict.reason or ""]
    for text in [*texts, *verdict.options]:
        assert "\0" not in text
        assert len(text.encode("utf-8").decode()) <= MOST_IN_A_REASON
    assert all(0 < len(option) <= MOST_IN_AN_OPTION for option in verdict.options)


def test_verdicts_of_older_journals_are_read() -> None:
    assert Verdict.from_json(True) == Verdict(ok=True)
    assert Verdict.from_json(False) == Verdict(ok=False)


def test_a_reason_is_told_in_the_language_there_is() -> None:
    assert in_language("Closed.", "es", "en") == "Closed."
    assert in_language({"en": "Closed.", "es": "Cerrado."}, "es", "en") == "Cerrado."
    assert in_language({"en": "Closed.", "es": "Cerrado."}, "de", "en") == "Closed."
    assert in_language({"es": "Cerrado."}, "de", "en") == "Cerrado."


# What cannot be a validator


def no_value() -> bool:
    return True


def only_named(*, value: int) -> bool:
    return True


def context_first(context: ActionContext, value: int) -> bool:
    return True


def by_position(value: int, *others: int) -> bool:
    return True


def everything(value: int, **slots: Any) -> bool:
    return True


def nothing_back(value: int) -> None: ...


def unreadable(value: Nonsense) -> bool:  # type: ignore[name-defined]  # noqa: F821  # on purpose
    return True


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (no_value, "must take the value as its first parameter"),
        (only_named, "must take the value as its first parameter"),
        (context_first, "must take the value as its first parameter"),
        (by_position, "takes 'others' by position; slots are passed by name"),
        (everything, "takes every slot; name the slots it looks at"),
        (nothing_back, "returns nothing; return True where the value is good"),
        (unreadable, "the annotations of validator 'unreadable' cannot be read"),
    ],
)
def test_a_function_that_cannot_be_a_validator_is_told_at_once(function: Callable[..., Any], why: str) -> None:
    with pytest.raises(TypeError, match=why) as told:
        Actions().validator()(function)
    assert f"validator '{function.__name__}'" in str(told.value)


def test_a_type_that_no_slot_has_is_told_at_once() -> None:
    class Bank:
        pass

    def solvent(value: int, bank: Bank) -> bool:
        return True

    solvent.__annotations__["bank"] = Bank
    with pytest.raises(TypeError, match="validator 'solvent' takes 'bank' of a type that slots cannot have"):
        Actions().validator()(solvent)
