"""Standing: where a chain of flows stands, with its slots and where their values came from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from soni.core.state import CONVERSATION, digest
from soni.flow.delta import FlowDelta
from soni.flow.memory import START, Change, Refused, at, bounded, copied_chain, fact_key, given, new_fact, place_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from soni.core.state import DialogueState, FlowContext, Memory, Origin
    from soni.flow.world import World


class Standing:
    """One chain on a copy of its state: its frames, what they know, and their slots."""

    def __init__(self, world: World, state: DialogueState, root: str | None = None) -> None:
        self.world = world
        self.turn = state["turn"] + 1
        self._state = state
        self._before, self.frames, self._after = _cut_out(state["flow_stack"], root)
        self.root = self.frames[0]["flow_id"]
        self.chain = copied_chain(state["chains"][self.root])
        owners = [CONVERSATION, *(frame["flow_id"] for frame in self.frames)]
        self._slots = {owner: dict(state["flow_slots"].get(owner, {})) for owner in owners}

    @property
    def frame(self) -> FlowContext:
        """The flow that runs."""
        return self.frames[-1]

    @property
    def waits(self) -> bool:
        """Whether another chain runs on top of it."""
        return bool(self._after)

    @property
    def place(self) -> str:
        """Where it stands."""
        return place_of(self.frame["current_step"] or START, self.frame["rounds"])

    @property
    def memory(self) -> Memory:
        """What is known in the flow that runs."""
        return self.memory_of(self.frame)

    def memory_of(self, frame: FlowContext) -> Memory:
        """What is known in a flow of the chain."""
        return at(self.chain["memory"], frame["path"])

    def delta(self) -> FlowDelta:
        """The change of the state that has come of it."""
        slots: dict[str, dict[str, Any]] = {}
        for owner, held in self._slots.items():
            before = self._state["flow_slots"].get(owner, {})
            changed = {name: held.get(name) for name in {*before, *held} if before.get(name) != held.get(name)}
            if changed or (owner != CONVERSATION and owner not in self._state["flow_slots"]):
                slots[owner] = changed
        running = {frame["flow_id"] for frame in self.frames}
        was = {frame["flow_id"] for frame in _cut_out(self._state["flow_stack"], self.root)[1]}
        return FlowDelta(
            flow_stack=[*self._before, *self.frames, *self._after],
            forgotten=frozenset(was - running),
            flow_slots={owner: held for owner, held in slots.items() if owner in running or owner == CONVERSATION},
            chains={self.root: bounded(self.chain, [frame["path"] for frame in self.frames])},
        )

    # Slots, and where their values came from.

    def _owner(self, slot: str, frame: FlowContext | None) -> str:
        return CONVERSATION if slot in self.world.conversation else (frame or self.frame)["flow_id"]

    def value(self, slot: str, frame: FlowContext | None = None) -> Any:
        """What a slot holds, as it is stored."""
        return self._slots[self._owner(slot, frame)].get(slot)

    def values(self, frame: FlowContext | None = None) -> dict[str, Any]:
        """All slots that the flow can see, as they are stored."""
        return {**self._slots[CONVERSATION], **self._slots[(frame or self.frame)["flow_id"]]}

    def attempts_at(self, question: str) -> int:
        """How many answers were refused, for a slot or at a place."""
        return self.chain["attempts"].get(question, 0)

    def origin(self, slot: str, frame: FlowContext | None = None) -> Origin | None:
        """Where the value of a slot came from; None if it has none."""
        if slot not in self.world.conversation:
            held = (frame or self.frame)["origins"].get(slot)
            return held if held or self.value(slot, frame) is None else given(slot, self.chain["begun"])
        if self.value(slot) is None:
            return None
        outer = self.chain["outer"].get(slot)
        if outer is not None and outer["mark"] == digest(self.value(slot)):
            return outer["origin"]
        return given(slot, 0 if outer is None else self.turn)

    def mark(self, slot: str, frame: FlowContext | None = None) -> str:
        """A digest of a slot; a secret's tells only when it was said."""
        if slot in self.world.secrets:
            origin = self.origin(slot, frame)
            return digest(None) if origin is None else f"turn {origin['turn']}"
        return digest(self.value(slot, frame))

    def is_gone(self, slot: str) -> bool:
        """Whether a secret was said here that is not kept any more."""
        return self.value(slot) is None and self.origin(slot) is not None

    def put(self, slot: str, value: Any, origin: Origin, frame: FlowContext | None = None) -> None:
        """Fill a slot; with None, it was filled by a secret that is gone."""
        frame = frame or self.frame
        before = self.value(slot, frame)
        self._slots[self._owner(slot, frame)][slot] = value
        frame["left"].pop(slot, None)
        if slot in self.world.conversation:
            self._note(slot, origin, before)
        else:
            frame["origins"][slot] = origin

    def empty(self, slot: str, frame: FlowContext | None = None) -> None:
        """Empty a slot."""
        frame = frame or self.frame
        before = self._slots[self._owner(slot, frame)].pop(slot, None)
        frame["origins"].pop(slot, None)
        if slot in self.world.secrets:
            self.chain["given"] = {name: held for name, held in self.chain["given"].items() if name != slot}
        if slot in self.world.conversation and before is not None:
            self._note(slot, given(slot, self.turn), before)

    def give(self, slot: str, value: Any) -> None:
        """Fill a slot from outside."""
        self.put(slot, value, given(slot, self.turn))

    def write(self, values: Mapping[str, Any]) -> None:
        """Fill slots with what the step here says."""
        for slot, value in values.items():
            self.put(slot, value, self._by_step(slot, self.turn))

    def _by_step(self, slot: str, turn: int) -> Origin:
        return {"kind": "step", "path": self.frame["path"], "key": self.place, "slot": slot, "turn": turn}

    def forget(self, slot: str) -> None:
        """Empty a slot that is asked for anew."""
        self.empty(slot)
        self.frame["left"].pop(slot, None)

    def void(self, slot: str, frame: FlowContext | None = None) -> Change:
        """What takes the value of a slot away for good: what was said is unsaid, what was decided is overruled."""
        origin = self.origin(slot, frame) or given(slot, 0)
        path, key = tuple(origin["path"]), origin["key"]
        if origin["kind"] == "fact":
            # What was changed while the flow waited is as it was before.
            before = next((old for p, k, old in self.chain["undo"] if (tuple(p), k) == (path, key)), None)
            return Change(self.root, path, key, before, replaces=True)
        if slot in self.world.conversation:
            return Change(CONVERSATION, (), slot, None, replaces=True)
        fact = new_fact(origin["slot"], place=START)
        if self.chain["cut"]:
            raise Refused("nobody knows any more what read it")
        if origin["kind"] == "step":
            entry = at(self.chain["memory"], path)["memo"][key]
            if self.is_gone(slot):
                if entry["done"]:
                    raise Refused("what it returned is not kept")
                return Change(self.root, path, key, None, replaces=True, in_memo=True)
            fact = new_fact(origin["slot"], rounds=entry["rounds"], deeds=entry["deeds"], place=None, over=key)
        key = fact_key(origin["slot"], fact["rounds"], fact["deeds"])
        return Change(self.root, path, key, {**fact, "turn": self.turn}, replaces=True)

    def _note(self, slot: str, origin: Origin, before: Any) -> None:
        known = self.chain["outer"].get(slot)
        was = known["was"] if known is not None and known["wrote"] else before
        mark = digest(self.value(slot))
        self.chain["outer"][slot] = {"mark": mark, "origin": origin, "wrote": True, "was": was}

    def has_read(self, slots: Collection[str]) -> None:
        """Note which conversation-wide slots the way depends on."""
        for slot in self.world.conversation.intersection(slots):
            origin = self.origin(slot) or given(slot, 0)
            known = self.chain["outer"].get(slot)
            if known is None or not known["wrote"]:
                self._saw(slot, origin)

    def _saw(self, slot: str, origin: Origin) -> None:
        mark = digest(self.value(slot))
        self.chain["outer"][slot] = {"mark": mark, "origin": origin, "wrote": False, "was": None}

    @property
    def is_stale(self) -> bool:
        """Whether something that was read has changed from outside, or a word was said anew."""
        outer = self.chain["outer"].items()
        return self.chain["derive"] or any(digest(self.value(slot)) != seen["mark"] for slot, seen in outer)


def _cut_out(
    stack: list[FlowContext], root: str | None
) -> tuple[list[FlowContext], list[FlowContext], list[FlowContext]]:
    """What is below a chain, the frames of the chain, and what is on top of it; the uppermost if none is named."""
    roots = [n for n, frame in enumerate(stack) if frame["entered_by"] != "call" or n == 0]
    ids = [stack[n]["flow_id"] for n in roots]
    which = len(roots) - 1 if root is None else ids.index(root)
    begin, end = roots[which], [*roots, len(stack)][which + 1]
    own = [
        cast("FlowContext", {**frame, "origins": dict(frame["origins"]), "left": dict(frame["left"])})
        for frame in stack[begin:end]
    ]
    return stack[:begin], own, stack[end:]
