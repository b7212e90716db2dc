"""What anybody can see of a conversation, and whom they talk to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Protocol

from soni.core.commands import Command
from soni.core.state import DialogueState
from soni.testing import Conversation
from tests.conversations.form import Form

Done = tuple[str, tuple[tuple[str, int], ...]]
"""An action that was done once, and the slots it was done with."""


class Different(AssertionError):
    """A conversation did not go as it should."""


class Talk(Protocol):
    """One conversation with an assistant."""

    done: list[Done]

    async def say(self, *commands: Command) -> list[str]:
        """Run a turn; the texts of the answers."""

    async def state(self) -> DialogueState:
        """Where it stands."""


class Desk:
    """An assistant that several people talk to, one after the other."""

    def __init__(self, form: Form) -> None:
        self.form = form
        self._people = 0
        self._done: list[Done] = []
        self._user = Conversation(form.config, actions=form.actions(self._record))

    def _record(self, name: str, slots: dict[str, int]) -> None:
        self._done.append((name, tuple(sorted(slots.items()))))

    def somebody_new(self) -> Talk:
        """A new conversation; those before are over."""
        self._people += 1
        self._done = []
        self._user.user_id = f"person {self._people}"
        return _Talk(self._user, self._done)


class _Talk:
    def __init__(self, user: Conversation, done: list[Done]) -> None:
        self._user, self.done = user, done

    async def say(self, *commands: Command) -> list[str]:
        said = await self._user.say(*commands)
        assert self._user.last is not None
        if self._user.last.error is not None:
            raise Different(f"the turn failed: {self._user.last.error}")
        return said

    async def state(self) -> DialogueState:
        return await self._user.state()


@dataclass
class Standing:
    """Where a conversation stands, as far as anybody can see."""

    frames: list[tuple[str, str, dict[str, int], dict[str, Any]]]
    """Flow, step, rounds and slots of every flow that is open."""
    kind: str
    """collect or confirm, if something is asked."""
    slot: str
    prompt: str

    @classmethod
    def of(cls, state: DialogueState) -> Standing:
        """Where this conversation stands."""
        slots = state["flow_slots"]
        frames = [
            (
                frame["flow_name"],
                frame["current_step"] or "",
                dict(frame["rounds"]),
                {name: value for name, value in slots.get(frame["flow_id"], {}).items() if value is not None},
            )
            for frame in state["flow_stack"]
        ]
        task = state["_pending_task"]
        if task is None:
            return cls(frames, "", "", "")
        return cls(frames, task["type"], task["slot"] if task["type"] == "collect" else "", task["prompt"])

    @property
    def flow(self) -> str:
        """The flow that asks."""
        return self.frames[-1][0] if self.frames else ""

    @property
    def step(self) -> str:
        """The step that asks."""
        return self.frames[-1][1] if self.frames else ""

    @property
    def main(self) -> dict[str, Any]:
        """The slots of the main flow."""
        return self.frames[0][3] if self.frames else {}

    @property
    def values(self) -> dict[str, Any]:
        """Every value there is, the innermost flow's first."""
        return {name: value for frame in self.frames for name, value in frame[3].items()}


def shown_in(prompt: str) -> dict[str, int]:
    """The values that a confirmation shows."""
    found = re.findall(r"(\w+)=(-?[\d,]+)", prompt)
    return {name: int(value.strip(",").replace(",", "")) for name, value in found}


def check_rules(form: Form, now: Standing) -> None:
    """Whatever is asked, every rule is kept by the values there are."""
    for flow, _, _, slots in now.frames:
        for rule in form.rules:
            if not rule.holds(slots):
                raise Different(f"broken in {flow}: {rule.own} with {rule.expr}")
