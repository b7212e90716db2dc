"""What holds for each slot type, whatever its grammar."""

import json
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soni.core.values import TYPES, Reading, ValueType
from soni.core.values.money import Money

NOW = datetime(2026, 11, 11, 10, 0)
READINGS = st.builds(
    Reading,
    language=st.sampled_from(["en", "es", "en-GB", "es-MX", "de", "xx", ""]),
    now=st.sampled_from([NOW, datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59), datetime(2028, 2, 29)]),
    currency=st.sampled_from(["EUR", "JPY", "MXN"]),
    region=st.sampled_from(["ES", "US", "ZZ"]),
)
OPTIONS = {"checking": ["current", "corriente"], "savings": ["ahorro"]}
KINDS: dict[str, ValueType[Any]] = {name: kind() for name, kind in TYPES.items() if name not in ("choice", "list")}
KINDS["choice"] = TYPES["choice"](options=OPTIONS)  # type: ignore[call-arg]
KINDS["list"] = TYPES["list"](item=KINDS["money"])  # type: ignore[call-arg]

CENTURY = timedelta(days=36525)
AMOUNTS = st.builds(Money, st.decimals(-(10**14), 10**14, places=2), st.sampled_from(["EUR", "USD", "JPY", "KWD"]))
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "text": st.text(min_size=1).map(str.strip).filter(bool),
    "integer": st.integers(-(10**15) + 1, 10**15 - 1),
    "number": st.floats(-1e14, 1e14),
    "money": AMOUNTS,
    "boolean": st.booleans(),
    "date": st.dates(),
    "time": st.times(),
    "datetime": st.datetimes(),
    "duration": st.timedeltas(-CENTURY, CENTURY),
    "choice": st.sampled_from(sorted(OPTIONS)),
    "email": st.sampled_from(["ana@example.com", "Ana.Ruiz+x@mail.example.com"]),
    "phone": st.sampled_from(["+34600123456", "+14155552671"]),
    "iban": st.sampled_from(["ES9121000418450200051332", "GB82WEST12345698765432"]),
    "list": st.lists(AMOUNTS),
}
VOCABULARY = """
    a an the el la las un una y and de en in at on to half media quarter cuarto past menos one two twenty
    cien mil hundred thousand million millones point coma 1 2 31 0 99999 1.234 1,5 12:30 3/4 -5 € $ euros
    pounds con cents k hours minutos weeks years meses days monday lunes next que viene from ago hace april
    abril mayo 2026 9999 0001 pm noche mañana tomorrow today now ahora noon option second segundo last por
    favor please P1D @ . , ; : / + ( ) ' ½ ² ٣ İ ß
"""
WORDS = st.lists(st.sampled_from([*VOCABULARY.split(), "\u00a0", "\ud800"]), max_size=8).map(" ".join)
JSON_LIKE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.decimals() | st.dates(),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(st.text(), children, max_size=3),
    max_leaves=6,
)
every_type = pytest.mark.parametrize("name", sorted(TYPES))


def test_every_registered_type_is_covered_here() -> None:
    assert KINDS.keys() == VALUES.keys() == TYPES.keys()
    assert sorted(TYPES) == [
        "boolean", "choice", "date", "datetime", "duration", "email", "iban", "integer", "list", "money",
        "number", "phone", "text", "time",
    ]  # fmt: skip


@every_type
def test_a_type_is_named_after_its_file(name: str) -> None:
    assert TYPES[name].__module__ == f"soni.core.values.{name}"
    assert TYPES[name].name == name


@every_type
@given(data=st.data())
def test_a_stored_value_comes_back_the_same_through_json(name: str, data: st.DataObject) -> None:
    kind, value = KINDS[name], data.draw(VALUES[name])
    assert kind.load(json.loads(json.dumps(kind.dump(value)))) == value


@every_type
@given(data=st.data(), reading=READINGS)
def test_a_value_of_the_type_is_taken_as_it_is(name: str, data: st.DataObject, reading: Reading) -> None:
    value = data.draw(VALUES[name])
    assert KINDS[name].coerce(value, reading) == value


@every_type
@given(text=st.text() | WORDS, reading=READINGS)
def test_any_text_is_a_value_or_a_value_error(name: str, text: str, reading: Reading) -> None:
    kind = KINDS[name]
    try:
        value = kind.parse(text, reading)
    except ValueError:
        return
    assert kind.load(json.loads(json.dumps(kind.dump(value)))) == value
    assert kind.coerce(value, reading) == value


@every_type
@given(value=JSON_LIKE | st.times() | st.datetimes() | st.timedeltas() | st.binary(), reading=READINGS)
def test_any_python_value_is_a_value_or_a_value_error(name: str, value: object, reading: Reading) -> None:
    kind = KINDS[name]
    try:
        taken = kind.coerce(value, reading)
    except ValueError:
        return
    assert kind.load(json.loads(json.dumps(kind.dump(taken)))) == taken


@every_type
@given(value=JSON_LIKE)
def test_loading_what_was_never_stored_is_a_value_error_at_worst(name: str, value: Any) -> None:
    try:
        KINDS[name].load(value)
    except ValueError:
        return


@every_type
@given(data=st.data(), language=st.sampled_from(["en", "es", "es-MX", "de", "ar", "zh", "xx", "", "not a tag"]))
def test_every_value_can_be_written_in_every_format_and_language(name: str, data: st.DataObject, language: str) -> None:
    kind, value = KINDS[name], data.draw(VALUES[name])
    for spec in (None, *kind.formats):
        written = kind.format(value, language, spec)
        assert name == "text" or not {"\u00a0", "\u202f"} & set(written)


@every_type
def test_a_very_long_text_is_refused_or_taken_at_once(name: str) -> None:
    for text in ("9" * 100_000, "a " * 50_000, "1, " * 50_000, " " * 100_000 + "x"):
        try:
            KINDS[name].parse(text, Reading(language="en", now=NOW, languages=("en", "es")))
        except ValueError:
            continue
