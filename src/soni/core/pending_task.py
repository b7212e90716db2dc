"""What a flow has for the person: a question, a confirmation, or something to tell."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict, TypeGuard


class CollectTask(TypedDict):
    """A question whose answer fills a slot."""

    type: Literal["collect"]
    prompt: str
    slot: str
    id: NotRequired[str]
    token: NotRequired[str]
    options: NotRequired[list[str]]
    values: NotRequired[list[str]]
    metadata: NotRequired[dict[str, Any]]


class ConfirmTask(TypedDict):
    """A yes-or-no question about what is going to happen."""

    type: Literal["confirm"]
    prompt: str
    options: list[str]
    id: NotRequired[str]
    token: NotRequired[str]
    values: NotRequired[list[str]]
    metadata: NotRequired[dict[str, Any]]


class InformTask(TypedDict):
    """Something to tell; it waits for the person only if it says so."""

    type: Literal["inform"]
    prompt: str
    id: NotRequired[str]
    token: NotRequired[str]
    wait_for_ack: NotRequired[bool]
    options: NotRequired[list[str]]
    values: NotRequired[list[str]]
    metadata: NotRequired[dict[str, Any]]


PendingTask = CollectTask | ConfirmTask | InformTask
"""`id` names the step's visit, `token` what was asked of whom; `options` are shown, and `values` are what they mean."""


def collect(
    prompt: str,
    slot: str,
    *,
    options: list[str] | None = None,
    values: list[str] | None = None,
    metadata: dict[str, Any] | None = None,
) -> CollectTask:
    """Ask for the value of a slot."""
    task: CollectTask = {"type": "collect", "prompt": prompt, "slot": slot}
    if options:
        task["options"] = options
    if values:
        task["values"] = values
    if metadata:
        task["metadata"] = metadata
    return task


def confirm(
    prompt: str,
    options: list[str] | None = None,
    *,
    values: list[str] | None = None,
    metadata: dict[str, Any] | None = None,
) -> ConfirmTask:
    """Ask for a yes or a no."""
    task: ConfirmTask = {"type": "confirm", "prompt": prompt, "options": options or ["yes", "no"]}
    if values:
        task["values"] = values
    if metadata:
        task["metadata"] = metadata
    return task


def inform(
    prompt: str,
    *,
    wait_for_ack: bool = False,
    options: list[str] | None = None,
    metadata: dict[str, Any] | None = None,
) -> InformTask:
    """Tell something, and wait for an acknowledgement if asked to."""
    task: InformTask = {"type": "inform", "prompt": prompt}
    if wait_for_ack:
        task["wait_for_ack"] = True
    if options:
        task["options"] = options
    if metadata:
        task["metadata"] = metadata
    return task


def is_collect(task: PendingTask) -> TypeGuard[CollectTask]:
    """Whether the task asks for a slot."""
    return task["type"] == "collect"


def is_confirm(task: PendingTask) -> TypeGuard[ConfirmTask]:
    """Whether the task asks for a yes or a no."""
    return task["type"] == "confirm"


def is_inform(task: PendingTask) -> TypeGuard[InformTask]:
    """Whether the task tells something."""
    return task["type"] == "inform"


def requires_input(task: PendingTask) -> bool:
    """Whether the flow stops here until the person answers."""
    return not is_inform(task) or task.get("wait_for_ack", False)
