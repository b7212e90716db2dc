"""Words: what a message says for slots and to questions, as changes of the facts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from soni.core.state import CONVERSATION
from soni.flow.delta import FlowDelta, merge_delta
from soni.flow.derivation.walk import Walk
from soni.flow.memory import START, Change, Refused, at, fact_key, full_name, memories, new_fact, place_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from soni.core.state import Answer, Asked, DialogueState, Fact, FlowContext, Origin
    from soni.flow.world import World


@dataclass(frozen=True, slots=True)
class Word:
    """A value said for a slot; None takes back what was there, or leaves it out."""

    slot: str
    value: Any
    leave_out: bool = False
    otherwise: Any = None


def find(world: World, state: DialogueState, slot: str, roots: Sequence[str]) -> FlowContext | None:
    """The flow a word for this slot belongs to: one of these that has it, or else one that calls such a flow."""
    frames = [frame for root in roots for frame in reversed(Walk(world, state, root).frames)]
    has = [frame for frame in frames if slot in world.flows[frame["flow_name"]].slot_names]
    calls = [frame for frame in frames if slot in world.flows[frame["flow_name"]].reachable]
    return next(iter([*has, *calls]), None)


def said(world: World, state: DialogueState, word: Word, root: str, asking: str | None) -> list[Change]:
    """What a word changes in a chain; `asking` is the flow whose question for this very slot is open."""
    walk = Walk(world, state, root)
    for frame in reversed(walk.frames):
        if frame["flow_id"] == asking and (word.value is not None or word.leave_out):
            return _answering(walk, frame, word)
        name, origin = _known(walk, frame, word.slot)
        if origin is not None:
            same = word.value is not None and word.value == walk.value(name, frame)
            return [] if same else _replacing(walk, frame, name, origin, word)
    if word.slot in world.conversation:
        return _in_conversation(walk, word)
    home = find(world, state, word.slot, [root])
    return [] if home is None else _freely(walk, home, word)


def _known(walk: Walk, frame: FlowContext, slot: str) -> tuple[str, Origin | None]:
    """Where this flow has the slot's value from, or that it is left out; what came from outside is no flow's.

    A finished call may have returned it under another name, which comes first.
    """
    if slot not in walk.world.flows[frame["flow_name"]].slot_names:
        renamed = (n for n, o in frame["origins"].items() if o["slot"] == slot and o["path"] != frame["path"])
        name = next(renamed, slot)
        return name, frame["origins"].get(name)
    origin = walk.origin(slot, frame) or frame["left"].get(slot)
    outside = origin is not None and origin["kind"] == "given" and slot in walk.world.conversation
    return slot, None if outside else origin


def _answering(walk: Walk, frame: FlowContext, word: Word) -> list[Change]:
    """The answer to the open question; one that answers a question for the same thing again answers both."""
    rounds, deeds = frame["rounds"], walk.chain["deeds"]
    key, place = fact_key(word.slot, rounds, deeds), place_of(frame["current_step"] or "", rounds)
    before = walk.memory_of(frame)["facts"].get(key)
    fact = _saying(before or new_fact(word.slot, rounds=rounds, deeds=deeds, place=place), word, walk.turn)
    fact["answers"] = [*(answer for answer in fact["answers"] if answer != place), place]
    held = walk.value(word.slot, frame)
    changes = held is not None and held != word.value
    void = walk.dependents(frame["path"], word.slot, rounds, walk.turn) if changes else []
    return [*void, Change(walk.root, tuple(frame["path"]), key, fact, about=word.slot, otherwise=word.otherwise)]


def _freely(walk: Walk, frame: FlowContext, word: Word) -> list[Change]:
    """Something new, said of one's own accord; it waits for its question."""
    around = walk.world.flows[frame["flow_name"]].loops.get(word.slot, frozenset())
    rounds = {loop: count for loop, count in frame["rounds"].items() if loop in around}
    key = fact_key(word.slot, rounds, walk.chain["deeds"])
    place = place_of(frame["current_step"] or "", frame["rounds"])
    before = walk.memory_of(frame)["facts"].get(key)
    if before is None and word.value is None:
        return []
    fact = before or new_fact(word.slot, rounds=rounds, deeds=walk.chain["deeds"], place=place)
    saying = None if word.value is None else _saying(fact, word, walk.turn)
    is_news = before is not None and saying is not None
    path = tuple(frame["path"])
    return [Change(walk.root, path, key, saying, about=word.slot, is_news=is_news, otherwise=word.otherwise)]


def _saying(fact: Fact, word: Word, turn: int) -> Fact:
    """The fact with this word in it."""
    state: Any = "said" if word.value is not None else "left_out" if word.leave_out else "taken_back"
    return {**fact, "value": word.value, "turn": turn, "state": state}


def _replacing(walk: Walk, frame: FlowContext, name: str, origin: Origin, word: Word) -> list[Change]:
    """A word for a slot that has a value, or was left out: it takes the place of what was said or decided."""
    if walk.chain["cut"]:
        raise Refused("nobody knows any more what read it")
    path, slot = tuple(origin["path"]), origin["slot"]
    fact = _saying(_in_place(walk, origin), word, walk.turn)
    had = walk.value(name, frame) is not None
    void = walk.dependents(path, slot, fact["rounds"], walk.turn) if had else []
    is_news = had and (word.value is not None or word.leave_out) and bool(frame["visits"])
    unsaid = fact["state"] == "taken_back" and origin["kind"] == "fact"
    change = Change(
        walk.root,
        path,
        fact_key(slot, fact["rounds"], fact["deeds"]),
        None if unsaid else fact,
        replaces=True,
        about=word.slot,
        is_news=is_news,
        otherwise=word.otherwise,
    )
    return [*void, change]


def _in_place(walk: Walk, origin: Origin) -> Fact:
    """The fact that a word takes the place of, or one that is said over a decision, or over what came from outside."""
    memory, slot = at(walk.chain["memory"], origin["path"]), origin["slot"]
    if origin["kind"] == "given":
        return new_fact(slot, place=START)
    if origin["kind"] == "step":
        entry = memory["memo"][origin["key"]]
        key = fact_key(slot, entry["rounds"], entry["deeds"])
        before = memory["facts"].get(key) or new_fact(slot, rounds=entry["rounds"], deeds=entry["deeds"], place=None)
        return {**before, "over": origin["key"]}
    said_before = memory["facts"][origin["key"]]
    first = walk.chain["first"].get(full_name(origin["path"], origin["key"]))
    return said_before if first is None else {**said_before, "answers": [first]}


def _in_conversation(walk: Walk, word: Word) -> list[Change]:
    """A word for a slot that belongs to the conversation, and that no running flow has asked for."""
    before = walk.value(word.slot)
    if before == word.value:
        return []
    void = walk.dependents((), word.slot, {}, walk.turn) if before is not None else []
    if word.value is None:  # what a flow had heard for it does not come back
        for path, memory in memories(walk.chain["memory"]):
            keys = [key for key, fact in memory["facts"].items() if fact["slot"] == word.slot]
            void += [Change(walk.root, path, key, None, replaces=True, about=word.slot) for key in keys]
    fact = None if word.value is None else _saying(new_fact(word.slot, place=None), word, walk.turn)
    is_news = before is not None and word.value is not None
    change = Change(CONVERSATION, (), word.slot, fact, before is not None, about=word.slot, is_news=is_news)
    return [*void, replace(change, otherwise=word.otherwise)]


def answered(state: DialogueState, root: str, frame: FlowContext, asked: Asked, value: bool) -> Change:
    """A yes or no to what a flow has asked, or that it was seen."""
    answer: Answer = {"value": value, "turn": state["turn"] + 1, "mark": asked["mark"], "shown": asked["shown"]}
    place = place_of(asked["step"], frame["rounds"])
    return Change(root, tuple(frame["path"]), place, None, answer=answer)


def apply(world: World, state: DialogueState, changes: Sequence[Change]) -> DialogueState:
    """The state with these facts; new words enter where the flows stand, changed ones when they are derived again."""
    # What depends on a change goes, unless this message says it, too.
    ordered = sorted(changes, key=lambda change: change.fact is not None or change.answer is not None)
    for change in (change for change in ordered if change.chain == CONVERSATION):
        value = change.fact["value"] if change.fact else None
        state = merge_delta(state, FlowDelta(flow_slots={CONVERSATION: {change.key: value}}))
    for root in dict.fromkeys(change.chain for change in ordered if change.chain in state["chains"]):
        walk = Walk(world, state, root)
        for change in (change for change in ordered if change.chain == root):
            _enter(walk, change)
        state = merge_delta(state, walk.delta())
    return state


def _enter(walk: Walk, change: Change) -> None:
    memory = at(walk.chain["memory"], change.path)
    if change.in_memo:
        memory["memo"].pop(change.key, None)
        walk.chain["derive"] = True
        return
    if change.answer is not None:
        memory["answers"][change.key] = change.answer
        return
    name = full_name(change.path, change.key)
    if name in walk.chain["entered"] and walk.chain["cut"]:
        walk.chain["entered"].remove(name)  # nothing can be derived again: it counts from here on
    walk.chain["derive"] |= change.replaces or name in walk.chain["entered"] or change.fact is None
    if walk.waits and change.replaces:
        walk.chain["undo"].append([[*change.path], change.key, memory["facts"].get(change.key)])
    if change.fact is None:
        memory["facts"].pop(change.key, None)
        return
    memory["facts"][change.key] = change.fact
    below = [frame for frame in walk.frames[:-1] if tuple(frame["path"]) == change.path]
    if below and not walk.chain["derive"]:
        walk.arrive(place_of(below[0]["current_step"] or "", below[0]["rounds"]), below[0])
