"""Whatever a file holds, reading it gives an assistant or problems, never another error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from soni.config.loader import read_config
from soni.config.models import Settings, SlotConfig
from soni.config.texts import Texts
from soni.core.values import TYPES
from soni.steps import STEPS
from tests.conftest import examples

if TYPE_CHECKING:
    from pathlib import Path

WORDS = sorted({
    "version", "settings", "slots", "flows", "texts", "steps", "trigger", "intents", "if", "end", "name", "amount",
    "hello", "bye", "en", "es", "label", "synonyms", "when", "is", "then", "else", "{name}", "{amount:long}", "{",
    "amount > 3", "name == 5", "amount = 3", "a.b", "1", "1e999", "no", "5s", "", *STEPS, *TYPES,
    *(name.rstrip("_") for kind in STEPS.values() for name in kind.model_fields),
    *(name.rstrip("_") for kind in (Settings, SlotConfig) for name in kind.model_fields), *list(Texts.model_fields)[:2],
})  # fmt: skip
WORD = st.sampled_from(WORDS)
SCALAR = WORD | st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
TREE: st.SearchStrategy[Any] = st.recursive(
    SCALAR, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORD, inner, max_size=4), max_leaves=20
)
FIELDS = st.sampled_from(sorted({name.rstrip("_") for kind in STEPS.values() for name in kind.model_fields}))
STEP: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.builds(lambda word, value, more: {word: value, **more}, st.sampled_from(sorted(STEPS)), TREE,
                  st.dictionaries(FIELDS, TREE, max_size=3)),
        st.sampled_from(["end", "handoff"]),
        TREE,
    ),
    lambda inner: st.fixed_dictionaries({"while": WORD, "do": st.lists(inner, min_size=1, max_size=3)}),
    max_leaves=6,
)  # fmt: skip
SLOT = st.fixed_dictionaries({"type": st.sampled_from(sorted(TYPES))}, optional={
    "options": TREE, "items": WORD, "validate": WORD, "message": TREE, "error": TREE, "examples": TREE, "scope": WORD,
})  # fmt: skip
FLOW = st.fixed_dictionaries({"steps": st.lists(STEP, max_size=5) | TREE}, optional={"trigger": TREE, "if": WORD})
ASSISTANT = st.fixed_dictionaries(
    {"flows": st.dictionaries(WORD, FLOW | TREE, max_size=3) | TREE},
    optional={"slots": st.dictionaries(WORD, SLOT | TREE, max_size=4), "settings": TREE, "texts": TREE},
)

any_number_of_times = settings(
    max_examples=examples(30),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def read(tmp_path: Path, text: str) -> None:
    file = tmp_path / "bot.yaml"
    file.write_text(text, encoding="utf-8", errors="replace")
    config, problems = read_config(file)
    assert config is not None or problems
    assert all(problem.place and str(problem) for problem in problems)
    assert "Input should" not in " ".join(problem.message for problem in problems)


@any_number_of_times
@given(text=st.text())
@example(text="[" * 100_000)
@example(text="a: " * 5000)
@example(text="flows: {hello: {steps: [{say: x, if: '" + "(" * 500 + "'}]}}")
@example(text="flows: {hello: {steps: [{say: x, if: '" + "not " * 5000 + "x'}]}}")
def test_any_text_is_read_or_refused(tmp_path: Path, text: str) -> None:
    read(tmp_path, text)


@any_number_of_times
@given(
    lines=st.lists(
        st.sampled_from(
            [
                "flows:",
                "  a:",
                "  - ",
                "\t",
                "{",
                "}",
                "[",
                "]",
                ": ",
                "'",
                '"',
                "&x",
                "*x",
                "|",
                ">",
                "%",
                "@",
                "---",
                "...",
                "? ",
                "!!",
                "#",
                "x",
                "\n",
                "\r",
                "\x07",
            ]
        )
    )
)
def test_any_heap_of_yaml_signs_is_read_or_refused(tmp_path: Path, lines: list[str]) -> None:  # fmt: skip
    read(tmp_path, "".join(lines))


@any_number_of_times
@given(tree=ASSISTANT | TREE)
def test_any_tree_is_read_or_refused(tmp_path: Path, tree: Any) -> None:
    read(tmp_path, yaml.safe_dump(tree, allow_unicode=True))


@pytest.mark.parametrize("cut", range(0, 700, 7))
def test_a_file_cut_off_anywhere_is_read_or_refused(tmp_path: Path, cut: int) -> None:
    text = yaml.safe_dump(
        {
            "slots": {"amount": {"type": "money", "validate": "amount > 0"}, "sure": {"type": "boolean"}},
            "flows": {
                "pay": {
                    "trigger": {"intents": ["pay {amount}", "send money"]},
                    "steps": [
                        {"collect": "amount", "message": {"en": "How much?", "es": ["¿Cuánto?", "¿Y bien?"]}},
                        {"confirm": "sure", "message": "Pay {amount}?", "on_deny": "end"},
                        {"while": "amount > 5", "do": [{"set": None, "compute": {"amount": "amount - 1"}}]},
                        {"step": "pay", "type": "action", "call": "pay", "timeout": "5s", "on_error": "end"},
                    ],
                }
            },
        },
        allow_unicode=True,
    )
    read(tmp_path, text[:cut])
