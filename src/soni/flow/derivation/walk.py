"""Walk: how a chain of flows comes from its first step to where it stands, one step after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from soni.core.state import CONVERSATION, digest
from soni.flow.derivation.standing import Standing
from soni.flow.memory import (
    GONE,
    START,
    Again,
    Change,
    Refused,
    at,
    fact_key,
    full_name,
    given,
    memories,
    new_entry,
    new_memory,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from soni.core.state import Answer, DialogueState, Entry, Fact, FlowContext, Memory, Origin
    from soni.flow.world import World


class Walk(Standing):
    """A chain that moves on: words enter, and what steps do is remembered."""

    def __init__(self, world: World, state: DialogueState, root: str | None = None) -> None:
        super().__init__(world, state, root)
        self._late = 0

    def restart(self) -> None:
        """Go back to the first step; what was said and done is remembered."""
        for frame in self.frames:
            self.memory_of(frame)["visits"] = frame["visits"]
        chain, root = self.chain, self.frames[0]
        shape = self.world.flows[root["flow_name"]]
        chain |= {
            "newest": 0,
            "deeds": 0,
            "entered": [],
            "first": {},
            "confirmed": [],
            "derive": False,
            "walked": 0,
            "failed": 0,
        }
        chain["owed"] = [name for name, _ in self._deeds() if name not in chain["released"]]
        self._take_back_outer()
        self.frames = [cast("FlowContext", {**root, **_at_start(shape.first_step)})]
        self._slots[self.root] = {}
        for slot, value in chain["given"].items():
            self.put(slot, value, given(slot, chain["begun"]))
        self.arrive(START)

    def _deeds(self) -> Iterator[tuple[str, Entry]]:
        """What was done in the flows of the chain."""
        for path, memory in memories(self.chain["memory"]):
            for place, entry in memory["memo"].items():
                if entry["done"]:
                    yield full_name(path, place), entry

    def _take_back_outer(self) -> None:
        """Conversation-wide slots are as they were before this chain changed them, unless somebody else has since."""
        for slot, seen in list(self.chain["outer"].items()):
            if digest(self.value(slot)) != seen["mark"]:
                self._saw(slot, given(slot, self.turn))
                for _, memory in memories(self.chain["memory"]):
                    memory["facts"] = {key: fact for key, fact in memory["facts"].items() if fact["slot"] != slot}
            elif seen["wrote"]:
                del self.chain["outer"][slot]
                self._slots[CONVERSATION][slot] = seen["was"]

    def stay(self) -> None:
        """Go on where the flow stands, whatever has changed; what was changed while it waited is as before."""
        for path, key, fact in reversed(self.chain["undo"]):
            facts = at(self.chain["memory"], path)["facts"]
            facts.pop(key, None)
            facts |= {key: fact} if fact is not None else {}
        self.chain |= {"derive": False, "undo": []}
        for slot, seen in list(self.chain["outer"].items()):
            if digest(self.value(slot)) != seen["mark"]:
                self._saw(slot, given(slot, self.turn))

    def arrive(self, place: str, frame: FlowContext | None = None, *, at_confirmation: bool = False) -> None:
        """What was said while the flow stood here counts from here on; a yes said with it is still a yes."""
        frame = frame or self.frame
        newest = self.chain["newest"]
        names = self.world.flows[frame["flow_name"]].slot_names
        for key, fact in list(self.memory_of(frame)["facts"].items()):
            # What answers the question here is for the question to take, if it is asked.
            if fact["place"] != place or place in fact["answers"] or fact["slot"] not in names:
                continue
            if full_name(frame["path"], key) not in self.chain["entered"]:
                self.take(frame["path"], key, fact, frame)
        if at_confirmation:
            self._late, self.chain["newest"] = self.chain["newest"], newest

    def take(self, path: Sequence[str], key: str, fact: Fact, frame: FlowContext | None = None) -> bool:
        """Let a word count, unless what is there is later."""
        frame = frame or self.frame
        slot = fact["slot"]
        held = self.origin(slot, frame)
        from_here = held is not None and held["kind"] == "fact" and held["path"] == [*path]
        if held is not None and held["turn"] > fact["turn"] and not from_here:
            if held["kind"] == "step":
                del at(self.chain["memory"], path)["facts"][key]  # overruled; it does not come back
            return False
        self.chain["entered"].append(full_name(path, key))
        self.chain["newest"] = max(self.chain["newest"], fact["turn"])
        origin: Origin = {"kind": "fact", "path": [*path], "key": key, "slot": slot, "turn": fact["turn"]}
        if fact["state"] in ("left_out", "taken_back"):
            self.empty(slot, frame)
            frame["left"][slot] = origin
        else:
            self.put(slot, fact["value"], origin, frame)
        return True

    def answer_to(self, slot: str | None, always: bool, optional: bool) -> bool | None:
        """Whether a word fills the slot of the question here, or leaves it empty on purpose (False)."""
        if slot is None:
            return None
        frame, entered = self.frame, self.chain["entered"]
        here = full_name(frame["path"], fact_key(slot, frame["rounds"], self.chain["deeds"]))
        self.chain["first"].setdefault(here, self.place)
        found = self._word_for(slot, always=always, optional=optional)
        if found is None:
            return None
        path, key, fact = found
        held = self.origin(slot)
        is_there = held is not None and held["path"] == [*path] and held["key"] == key
        if not (full_name(path, key) in entered and is_there) and not self.take(path, key, fact):
            return None
        return fact["state"] != "left_out"

    def _word_for(self, slot: str, *, always: bool, optional: bool) -> tuple[list[str], str, Fact] | None:
        """The word for a question: its own flow's first, then one that waits in a caller."""
        unusable = {"taken_back"} if optional else {"taken_back", "left_out"}
        for frame in reversed(self.frames):
            facts = {k: f for k, f in self.memory_of(frame)["facts"].items() if f["slot"] == slot}
            usable = [key for key, fact in facts.items() if fact["state"] not in unusable]
            ranked = [(self._rank(frame, key, facts[key], always=always), facts[key]["turn"], key) for key in usable]
            rank, _, key = max(ranked, default=(0, 0, ""))
            if rank:
                return frame["path"], key, facts[key]
            if self.origin(slot) is not None:
                break
        return None

    def _rank(self, frame: FlowContext, key: str, fact: Fact, *, always: bool) -> int:
        """How well a word fits the question here: 2 if it is meant for it, 1 if it is free, else 0."""
        is_in = full_name(frame["path"], key) in self.chain["entered"]
        if frame is self.frame and self.place in fact["answers"]:
            # What was tried on the way here, and failed, is asked for again.
            return 0 if is_in and self.chain["failed"] == self.turn else 2
        # What was said before a deed may serve after it, not the other way round.
        if always or is_in or fact["deeds"] > self.chain["deeds"]:
            return 0
        if fact["rounds"] == frame["rounds"]:
            return 2
        return int(not fact["answers"] and fact["rounds"].items() <= frame["rounds"].items())

    def entry(self) -> Entry | None:
        """What the step here did when it was last come to."""
        return self.memory["memo"].get(self.place)

    def is_unchanged(self, reads: Mapping[str, str]) -> bool:
        """Whether everything is as it was read."""
        return all(self.mark(slot) == mark for slot, mark in reads.items())

    def is_as_done(self, entry: Entry) -> bool:
        """Whether what something was done with is as it was, but for what others have changed in turns since."""
        outer = self.chain["outer"].items()
        since = {slot for slot, seen in outer if entry["turn"] < seen["origin"]["turn"] < self.turn}
        outside = {slot for slot in since if self.chain["outer"][slot]["origin"]["kind"] == "given"}
        return self.is_unchanged({slot: mark for slot, mark in entry["reads"].items() if slot not in outside})

    def marks(self, slots: Collection[str]) -> dict[str, str]:
        """Digests of slots."""
        return {slot: self.mark(slot) for slot in slots}

    def record(self, reads: Mapping[str, str], writes: Mapping[str, Any], *, done: bool, goto: str | None) -> Entry:
        """Remember what the step here did; what depends on what it decided otherwise before is void."""
        before = self.entry()
        rounds, deeds = self.frame["rounds"], self.chain["deeds"]
        entry: Entry = {**new_entry(reads, writes, rounds, self.turn, deeds), "done": done, "goto": goto}
        self.memory["memo"][self.place] = entry
        if done:
            for path, place, _, shown in self.chain["confirmed"]:
                at(self.chain["memory"], path)["memo"][place] = {**entry, "reads": shown, "writes": {}, "done": False}
        if before is not None:
            changed = [s for s, value in before["writes"].items() if value is not None and value != writes.get(s)]
            cause = max((o["turn"] for o in map(self.origin, reads) if o is not None), default=self.turn)
            if void := [c for s in changed for c in self.dependents(self.frame["path"], s, rounds, cause)]:
                raise Again(void)
        return entry

    def dependents(self, path: Sequence[str], slot: str, rounds: Mapping[str, int], turn: int) -> list[Change]:
        """What was said before this turn for slots that depend on this one, in flows that can see it."""
        depend = self.world.dependents.get(slot, frozenset())
        found: list[Change] = []
        for other, memory in memories(self.chain["memory"]) if depend else ():
            near = other[: len(path)] == tuple(path) or tuple(path[: len(other)]) == other
            for key, fact in memory["facts"].items():
                inside = other != tuple(path) or rounds.items() <= fact["rounds"].items()
                if near and inside and fact["slot"] in depend and fact["turn"] < turn:
                    found.append(Change(self.root, other, key, None, replaces=True, follows=True))
        return found

    def settle(self, entry: Entry, *, empties: bool) -> None:
        """Let what a step decided count, and then what was said over it."""
        for slot, value in entry["writes"].items():
            self._decide(slot, value, entry, empties=empties)
        facts = self.memory["facts"]
        over = [(key, fact) for key, fact in facts.items() if fact["over"] == self.place]
        for key, fact in over:
            if full_name(self.frame["path"], key) in self.chain["entered"]:
                continue
            if fact["turn"] < entry["turn"]:
                del facts[key]  # decided anew, on something else
            else:
                self.take(self.frame["path"], key, fact)
        if entry["done"]:
            self.chain["deeds"] += 1
            name = full_name(self.frame["path"], self.place)
            self.chain["owed"] = [owed for owed in self.chain["owed"] if owed != name]

    def _decide(self, slot: str, value: Any, entry: Entry, *, empties: bool) -> None:
        """Let a decision count, unless a later word is there."""
        held = self.origin(slot)
        if value == GONE:
            self.put(slot, None, self._by_step(slot, entry["turn"]))
        elif value is None:
            if empties or (held is not None and held["kind"] == "step"):
                self.empty(slot)  # an action that finds nothing leaves a person's word alone
        elif slot in entry["reads"] and held is not None:
            self.put(slot, value, held)  # it changes what was said, which is still what was said
        elif held is None or held["kind"] == "step" or held["turn"] <= entry["turn"]:
            self.put(slot, value, self._by_step(slot, entry["turn"]))

    def confirmation(self, *, confirms: bool) -> Answer | None:
        """The answer to the question here, if it still holds; what was shown is for the step to compare."""
        answer = self.memory["answers"].get(self.place)
        settled = self.entry() if confirms else None
        if settled is not None:
            if not self.is_as_done(settled):
                raise Refused("something was done on the strength of this confirmation")
            return None if answer is None else {**answer, "shown": {}}
        return answer if answer is not None and answer["turn"] > self.chain["newest"] else None

    def leave_open(self) -> None:
        """An answer is good for the turn it was given in: a question that is still open is asked again."""
        if self.frame["asked"] is not None:
            self.memory["answers"].pop(self.place, None)

    def has_confirmed(self, step: str, mark: str, shown: Mapping[str, str]) -> None:
        """Note a confirmation on the way."""
        self.chain["confirmed"].append([self.frame["path"], self.place, step, dict(shown)])
        if self.place not in self.memory["answers"]:  # given up: as if the person had said no
            self.memory["answers"][self.place] = {"value": False, "turn": self.turn, "mark": mark, "shown": dict(shown)}
        self.chain["newest"] = max(self.chain["newest"], self._late)

    def has_used(self, slot: str) -> bool:
        """Whether something was done with this slot, or confirmed before something was done."""
        entries = [entry for _, memory in memories(self.chain["memory"]) for entry in memory["memo"].values()]
        return any(entry["done"] for entry in entries) and any(slot in entry["reads"] for entry in entries)

    def unconfirmed(self) -> str | None:
        """The last confirmation's step, if a later word has changed what it showed."""
        if not self.chain["confirmed"]:
            return None
        path, place, step, shown = self.chain["confirmed"][-1]
        frame = next((frame for frame in self.frames if frame["path"] == path), self.frame)
        answer = at(self.chain["memory"], path)["answers"].get(place)
        for slot, mark in shown.items():
            origin = self.origin(slot, frame)
            later = origin is not None and origin["kind"] == "fact" and answer and origin["turn"] > answer["turn"]
            if later and self.mark(slot, frame) != mark:
                return str(step)
        return None

    def call(self, flow: str, names: Mapping[str, str], *, event: str | None, returns: bool = True) -> None:
        """Run another flow; `names` are the slots it is given (theirs: ours). One that does not return takes over."""
        caller, place = self.frame, self.place
        calls = self.memory["calls"]
        if place not in calls or calls[place]["flow"] != flow or event is not None:
            visits = calls[place]["visits"] if place in calls else {}
            calls[place] = {**new_memory(flow), "visits": visits}
        shape = self.world.flows[flow]
        about = {
            "flow_id": f"{caller['flow_id']}>{place}",
            "flow_name": flow,
            "entered_by": "call",
            "event": event or caller["event"],
            "path": [*caller["path"], place],
            "visits": calls[place]["visits"],
        }
        frame = cast("FlowContext", {**caller, **_at_start(shape.first_step), **about})
        self._slots[frame["flow_id"]] = {}
        passed = {theirs: ours for theirs, ours in names.items() if theirs not in self.world.conversation}
        for theirs, ours in passed.items():
            origin = self.origin(ours)
            if origin is not None:
                self.put(theirs, self.value(ours), origin, frame)
        if not returns:
            self.memory["visits"] = caller["visits"]
            self.frames.pop()
        self.frames.append(frame)
        self.arrive(START)

    def give_back(self) -> FlowContext:
        """End the flow that runs; its caller gets its slots."""
        ended = self.frames.pop()
        self._forget_secrets(self.memory_of(ended), None)
        self.memory_of(ended)["visits"] = ended["visits"]
        if self.frames:
            held = self._slots.pop(ended["flow_id"])
            had = sorted(self.world.flows[ended["flow_name"]].slot_names)
            left = ended["left"]
            self.frame["returned"] = {"slots": held, "origins": ended["origins"], "had": had, "left": left}
        return ended

    def take_returned(self, outputs: Mapping[str, str], names: Collection[str]) -> None:
        """Take over what a called flow has left, in those of our slots; what it emptied is empty."""
        returned = self.frame["returned"]
        for theirs in returned["had"] if returned else ():
            ours = outputs.get(theirs, theirs)
            if returned is None or ours not in names or ours in self.world.conversation:
                continue
            if theirs in returned["origins"]:
                self.put(ours, returned["slots"].get(theirs), returned["origins"][theirs])
            elif theirs in returned["left"]:
                self.empty(ours)
                self.frame["left"][ours] = returned["left"][theirs]
            elif ours == theirs:
                self.empty(ours)

    def drop_called(self, frame: FlowContext) -> None:
        """Close the flows that this one has called."""
        while self.frame["flow_id"] != frame["flow_id"]:
            ended = self.frames.pop()
            self.memory_of(ended)["visits"] = ended["visits"]

    def go_around(self, frame: FlowContext, place: str, target: str) -> None:
        """Let a step that was come to before lead to another step from now on; what was done after it stays behind."""
        own, left = full_name(frame["path"], place), self.memory_of(frame)["memo"].get(place)
        deeds = self.chain["deeds"] if left is None else left["deeds"]
        for name, entry in self._deeds():
            if name != own and (name.startswith(f"{own}>") or entry["deeds"] >= deeds):
                self.chain["released"].append(name)
        memory = self.memory_of(frame)
        known = memory["memo"].get(place) or new_entry({}, {}, frame["rounds"], self.turn, self.chain["deeds"])
        memory["memo"][place] = {**known, "goto": target}

    def ends_rounds(self, rounds: Mapping[str, int]) -> None:
        """Secrets of rounds that are over are not kept."""
        self._forget_secrets(self.memory, rounds)

    def _forget_secrets(self, memory: Memory, rounds: Mapping[str, int] | None) -> None:
        secrets = self.world.secrets
        for key, fact in list(memory["facts"].items()) if secrets else ():
            if fact["slot"] in secrets and _is_over(fact["rounds"], rounds) and fact["state"] == "said":
                memory["facts"][key] = {**fact, "value": None, "state": "gone"}
        for place, entry in list(memory["memo"].items()) if secrets else ():
            if secrets & entry["writes"].keys() and _is_over(entry["rounds"], rounds):
                writes = {slot: GONE if slot in secrets and v is not None else v for slot, v in entry["writes"].items()}
                memory["memo"][place] = {**entry, "writes": writes}


def _is_over(rounds: Mapping[str, int], now: Mapping[str, int] | None) -> bool:
    return now is None or not rounds.items() <= now.items()


def _at_start(step: str | None) -> dict[str, Any]:
    return {
        "flow_state": "active",
        "current_step": step,
        "rounds": {},
        "origins": {},
        "left": {},
        "asked": None,
        "answered": False,
        "returned": None,
    }
