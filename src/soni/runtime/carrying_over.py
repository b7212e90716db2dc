"""Conversations that were stored before there were facts and a memo: what their frames had passed becomes both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from soni.core.state import CONVERSATION, digest
from soni.flow.memory import START, fact_key, full_name, given, memories, new_chain, new_entry, new_fact, new_memory
from soni.flow.memory import place_of as place_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from soni.config.models import FlowConfig, SoniConfig
    from soni.core.state import Chain, DialogueState, Fact, FlowContext, Memory, Origin, Outer

_MOST_PASSED = 200
"""How many steps a trail held: a longer one had been cut."""


def carried_over(state: DialogueState, config: SoniConfig) -> DialogueState:
    """The state as this version stores it; the very same object if it is."""
    frames = cast("list[dict[str, Any]]", state["flow_stack"])
    if all("path" in frame for frame in frames):
        return state
    stack: list[FlowContext] = []
    chains: dict[str, Chain] = {}
    for n, frame in enumerate(frames):
        if "trail" not in frame or not _is_known(frame, config):
            stack.append(cast("FlowContext", frame))  # it will not survive
        elif frame["entered_by"] != "call" or n == 0:
            called = _called(frames[n + 1 :])
            carried = _Carried(state, config, [frame, *called])
            chains[frame["flow_id"]] = carried.chain
            stack += carried.frames
        elif not stack or frame["flow_id"] not in {known["flow_id"] for known in stack}:
            stack.append(cast("FlowContext", frame))
    return cast("DialogueState", {**state, "flow_stack": stack, "chains": {**state["chains"], **chains}})


def _called(frames: list[dict[str, Any]]) -> list[dict[str, Any]]:
    called = []
    for frame in frames:
        if frame["entered_by"] != "call":
            break
        called.append(frame)
    return called


def _is_known(frame: Mapping[str, Any], config: SoniConfig) -> bool:
    """Whether every step that the frame has passed is still there."""
    flow = config.runnable.get(frame["flow_name"])
    passed = [*frame["trail"], *frame["ahead"]]
    return (
        flow is not None and frame["current_step"] in flow.plan and all(_fits(entry, flow, config) for entry in passed)
    )


def _fits(passed: Mapping[str, Any], flow: FlowConfig, config: SoniConfig) -> bool:
    if passed["step"] not in flow.plan:
        return False
    inner = passed["inner"]
    if inner is None:
        return True
    called = config.runnable.get(inner["flow"])
    return called is not None and all(_fits(entry, called, config) for entry in inner["trail"])


class _Laps:
    """The rounds of a trail's steps: those of loops as they were stored, and those of jumps back, counted anew."""

    def __init__(self, flow: FlowConfig) -> None:
        self._flow = flow
        self._counts: dict[str, int] = {}
        self._before: str | None = None

    def rounds(self, step: str, stored: Mapping[str, int]) -> dict[str, int]:
        """The rounds at the next step of the trail."""
        if self._before is not None and self._flow.goes_back(self._before, step):
            self._counts[f"@{step}"] = self._counts.get(f"@{step}", 0) + 1
        around = self._flow.loops_around(step)
        self._counts = {lap: count for lap, count in self._counts.items() if lap in around}
        self._before = step
        known = {**stored, **self._counts}
        return {loop: known[loop] for loop in around if known.get(loop)}


class _Carried:
    """A chain of frames on its way to the new shape."""

    def __init__(self, state: DialogueState, config: SoniConfig, frames: list[dict[str, Any]]) -> None:
        self._state = state
        self._config = config
        self._entered: list[str] = []
        self._first: dict[str, str] = {}
        self._confirmed: list[list[Any]] = []
        self._deeds = 0
        self.chain = new_chain(frames[0]["flow_name"], {}, state["turn"])
        self.frames = self._carry(frames)
        done = [e for _, m in memories(self.chain["memory"]) for e in m["memo"].values() if e["done"]]
        acted = any(frame["acted"] for frame in frames)
        attempts = {self._question(frame): frame["attempts"] for frame in frames if frame["attempts"]}
        self.chain |= {
            "deeds": self._deeds,
            "entered": self._entered,
            "first": self._first,
            "confirmed": self._confirmed,
            "attempts": attempts,
            "outer": self._outer(),
            "acted": acted and not done,
            # What was done and is not known any more cannot be protected: nothing is derived again.
            "cut": self._is_cut(frames) or (acted and not done),
        }

    def _outer(self) -> dict[str, Outer]:
        """The conversation-wide slots that were read, as they are now."""
        held = self._state["flow_slots"].get(CONVERSATION, {})
        entries = [e for _, memory in memories(self.chain["memory"]) for e in memory["memo"].values()]
        read = {slot for entry in entries for slot in entry["reads"]} & self._config.conversation_slots
        return {s: {"mark": digest(held.get(s)), "origin": given(s, 0), "wrote": False, "was": None} for s in read}

    def _question(self, frame: Mapping[str, Any]) -> str:
        step = self._config.runnable[frame["flow_name"]].plan[frame["current_step"]].step
        return step.asks if step.asks and not step.confirms else place_in(step.step, frame["rounds"])

    def _is_cut(self, frames: list[dict[str, Any]]) -> bool:
        """Whether something is missing: a trail that was too long, or a call that did something nobody knows of."""
        if any(len(frame["trail"]) >= _MOST_PASSED for frame in frames):
            return True
        return any(_lost(passed) for frame in frames for passed in (*frame["trail"], *frame["ahead"]))

    def _carry(self, frames: list[dict[str, Any]]) -> list[FlowContext]:
        carried: list[FlowContext] = []
        path: list[str] = []
        memory = self.chain["memory"]
        for frame in frames:
            flow = self._config.runnable[frame["flow_name"]]
            slots = self._state["flow_slots"].get(frame["flow_id"], {})
            laps = _Laps(flow)
            self._remember(memory, path, frame["trail"], slots, laps, is_way=True)
            rounds = laps.rounds(frame["current_step"], frame["rounds"])
            self._remember(memory, path, frame["ahead"], {}, laps, is_way=False)
            memory["visits"] = frame["visits"]
            below = carried[-1] if carried else None
            origins = {slot: self._origin(memory, path, slot, value, below, rounds) for slot, value in slots.items()}
            carried.append(self._frame(frame, path, rounds, origins, memory))
            place = place_in(frame["current_step"], rounds)
            if len(carried) < len(frames):
                memory["calls"][place] = new_memory(frames[len(carried)]["flow_name"])
                memory, path = memory["calls"][place], [*path, place]
        return carried

    def _frame(
        self,
        frame: Mapping[str, Any],
        path: list[str],
        rounds: dict[str, int],
        origins: dict[str, Origin],
        memory: Memory,
    ) -> FlowContext:
        kept = ("flow_id", "flow_name", "flow_state", "current_step", "entered_by", "event", "visits")
        asked = frame["asked"]
        if asked is not None:
            asked = {**asked, "shown": self._reads(asked["shown"])}
        left = {
            fact["slot"]: _from_fact(path, key, fact)
            for key, fact in memory["facts"].items()
            if fact["state"] == "left_out" and fact["slot"] not in origins
        }
        new = {"path": path, "rounds": rounds, "origins": origins, "left": left, "asked": asked}
        return cast("FlowContext", {**{k: frame[k] for k in kept}, **new, "answered": False, "returned": None})

    def _reads(self, reads: Mapping[str, str]) -> dict[str, str]:
        """Digests as they are taken now: a secret's tells only when it was said."""
        secret = {slot for slot in reads if slot in self._config.slots and self._config.slots[slot].sensitive}
        return {
            s: "turn 0" if s in secret and m != digest(None) else m
            for s, m in reads.items()
            if s and m not in ("", "-")
        }

    def _remember(
        self,
        memory: Memory,
        path: list[str],
        trail: list[dict[str, Any]],
        slots: Mapping[str, Any],
        laps: _Laps,
        *,
        is_way: bool,
    ) -> None:
        """What was passed becomes facts and memo; `slots` hold what may not be kept beside them."""
        flow = self._config.runnable[memory["flow"]]
        for passed in trail:
            placed = flow.plan[passed["step"]]
            step, rounds = placed.step, laps.rounds(passed["step"], passed["rounds"])
            place = place_in(step.step, rounds)
            if step.confirms:
                self._confirm(memory, path, place, passed, step.step, step.mark, step.asks or "", is_way=is_way)
            elif step.asks is not None:
                self._say(memory, path, place, passed, step.asks, rounds, slots, is_way=is_way)
            elif passed["inner"] is not None:
                memory["calls"][place] = new_memory(passed["inner"]["flow"])
                inner = _Laps(self._config.runnable[passed["inner"]["flow"]])
                there = [*path, place]
                self._remember(memory["calls"][place], there, passed["inner"]["trail"], {}, inner, is_way=is_way)
            elif passed["visit"] and not step.body and (step.remembers or passed["left"] or passed["acted"]):
                ordinary = passed["goto"] in (placed.next, step.jump_to)
                overruled = {slot: value for slot, (value, _) in passed["overruled"].items()}
                entry = new_entry(self._reads(passed["reads"]), passed["left"] | overruled, rounds, 0, self._deeds)
                goto = "" if ordinary else passed["goto"]
                memory["memo"][place] = {**entry, "done": passed["acted"], "goto": goto}
                for slot, (_, turn) in passed["overruled"].items():
                    said = slots.get(slot)
                    fact = new_fact(slot, rounds=rounds, deeds=self._deeds, place=None, over=place)
                    state: Any = "taken_back" if said is None else "said"
                    self._keep(memory, path, {**fact, "value": said, "turn": turn, "state": state}, is_way=is_way)
                if passed["acted"]:
                    self._settle()
                    self._deeds += is_way

    def _say(
        self,
        memory: Memory,
        path: list[str],
        place: str,
        passed: Mapping[str, Any],
        slot: str,
        rounds: dict[str, int],
        slots: Mapping[str, Any],
        *,
        is_way: bool,
    ) -> None:
        """A question that was answered, or left out."""
        known = slot in passed["left"]
        value = passed["left"][slot] if known else slots.get(slot)
        if value is None and not known:
            return
        before = memory["facts"].get(fact_key(slot, rounds, self._deeds))
        fact = before or new_fact(slot, rounds=rounds, deeds=self._deeds, place=place)
        state = "left_out" if value is None else "said"
        fact = cast("Fact", {**fact, "value": value, "state": state, "answers": [*fact["answers"], place]})
        self._keep(memory, path, fact, is_way=is_way)
        self._first.setdefault(full_name(path, fact_key(slot, rounds, self._deeds)), place)

    def _keep(self, memory: Memory, path: list[str], fact: Fact, *, is_way: bool) -> None:
        key = fact_key(fact["slot"], fact["rounds"], fact["deeds"])
        memory["facts"][key] = fact
        if is_way and full_name(path, key) not in self._entered:
            self._entered.append(full_name(path, key))

    def _confirm(
        self,
        memory: Memory,
        path: list[str],
        place: str,
        passed: Mapping[str, Any],
        step: str,
        mark: str,
        slot: str,
        *,
        is_way: bool,
    ) -> None:
        if not passed["confirmed"]:
            return
        shown = {name: mark for name, mark in self._reads(passed["reads"]).items() if name != slot}
        value = bool(passed["left"].get(slot, True))
        memory["answers"][place] = {"value": value, "turn": self._state["turn"], "mark": mark, "shown": shown}
        if is_way:
            self._confirmed.append([path, place, step, shown])

    def _settle(self) -> None:
        """What was confirmed before something was done is not asked again."""
        for path, place, _, shown in self._confirmed:
            memory = self.chain["memory"]
            for call in path:
                memory = memory["calls"][call]
            memory["memo"][place] = new_entry(shown, {}, {}, 0, self._deeds)

    def _name_in(self, caller: FlowContext, slot: str) -> str:
        """What a caller calls the slot that it passes down."""
        step = self._config.runnable[caller["flow_name"]].plan[caller["current_step"] or ""].step
        return str(getattr(step, "inputs", {}).get(slot, slot))

    def _origin(
        self,
        memory: Memory,
        path: list[str],
        slot: str,
        value: Any,
        caller: FlowContext | None,
        rounds: dict[str, int],
    ) -> Origin:
        """Where the value of a slot came from; what nobody knows of was said early, or came from outside."""
        for there, inner in [(tuple(path), memory), *list(memories(memory, tuple(path)))[1:]]:
            for key, fact in reversed(inner["facts"].items()):
                if fact["slot"] == slot and fact["value"] == value:
                    return _from_fact(there, key, fact)
            for place, entry in reversed(inner["memo"].items()):
                if slot in entry["writes"] and entry["writes"][slot] == value:
                    return {"kind": "step", "path": [*there], "key": place, "slot": slot, "turn": 0}
        ours = slot if caller is None else self._name_in(caller, slot)
        if caller is not None and ours in caller["origins"]:
            return caller["origins"][ours]
        declared = self._config.slots.get(slot)
        if declared is None or declared.source == "system" or slot in self._config.confirm_slots:
            self.chain["given"] |= {} if path else {slot: value}
            return given(slot, 0)
        early: Fact = {**new_fact(slot, place=START), "value": value, "state": "said"}
        self._keep(memory, path, early, is_way=True)
        return _from_fact(path, fact_key(slot, {}, 0), early)


def _from_fact(path: Any, key: str, fact: Fact) -> Origin:
    return {"kind": "fact", "path": [*path], "key": key, "slot": fact["slot"], "turn": fact["turn"]}


def _lost(passed: Mapping[str, Any]) -> bool:
    """Whether a call did something that is not in its trail any more."""
    inner = passed["inner"]
    if inner is None:
        return False
    if any(_lost(entry) for entry in inner["trail"]):
        return True
    return bool(passed["acted"]) and not any(entry["acted"] for entry in inner["trail"])
