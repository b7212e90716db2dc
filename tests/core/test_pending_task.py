"""Tasks as the documents have them."""

from __future__ import annotations

from soni.core.pending_task import (
    PendingTask,
    collect,
    confirm,
    inform,
    is_collect,
    is_confirm,
    is_inform,
    requires_input,
)


def test_constructors_make_the_tasks_the_documents_show() -> None:
    assert collect(prompt="Number?", slot="number", metadata={"digits": 8}) == {
        "type": "collect",
        "prompt": "Number?",
        "slot": "number",
        "metadata": {"digits": 8},
    }
    assert confirm(prompt="Proceed?") == {"type": "confirm", "prompt": "Proceed?", "options": ["yes", "no"]}
    assert confirm("Cancel?", ["yes", "no", "go back"])["options"] == ["yes", "no", "go back"]
    assert inform(prompt="Done.") == {"type": "inform", "prompt": "Done."}
    assert inform("Read.", wait_for_ack=True, options=["OK"]) == {
        "type": "inform",
        "prompt": "Read.",
        "wait_for_ack": True,
        "options": ["OK"],
    }


def test_guards_tell_them_apart_and_which_of_them_wait() -> None:
    tasks: list[PendingTask] = [collect("?", "a"), confirm("?"), inform("!"), inform("!", wait_for_ack=True)]
    assert [is_collect(task) for task in tasks] == [True, False, False, False]
    assert [is_confirm(task) for task in tasks] == [False, True, False, False]
    assert [is_inform(task) for task in tasks] == [False, False, True, True]
    assert [requires_input(task) for task in tasks] == [True, True, False, True]
