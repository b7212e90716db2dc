"""A family of assistants for property-based tests: flows of any shape, over a few slots."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from soni import Actions, SoniConfig
from soni.config.check import check
from soni.config.models import FlowConfig, SlotConfig

FLOWS = ("one", "two", "three")
SLOTS = {
    "n": SlotConfig.model_validate({"type": "integer", "validate": "n > 0 and n < 100"}),
    "word": SlotConfig(type="text"),
    "colour": SlotConfig(type="choice", options={"red": [], "blue": []}),
    "more": SlotConfig(type="boolean"),
    "sure": SlotConfig(type="boolean"),
    "count": SlotConfig(type="integer", source="system"),
    "mood": SlotConfig(type="text"),
    "member": SlotConfig(type="boolean", source="system", scope="conversation", persist=True),
}
ASIDES = {
    "speaks": [{"say": "By the way."}],
    "asks": [{"collect": "mood", "message": "How are you?"}, {"say": "{mood}, I see."}],
}
"""Flows for events."""
EVENTS = ["cancel", "chit_chat", "completion", "error", "fallback", "handoff", "help", "offer_person", "out_of_scope"]
SHOWN = "Do {n} {word}?"
"""What every confirmation shows: exactly what an effect uses."""

Step = dict[str, Any]


def shown(n: int | None, word: str | None) -> str:
    return f"Do {'—' if n is None else n} {'—' if word is None else word}?"


def _collects() -> st.SearchStrategy[Step]:
    return st.fixed_dictionaries(
        {"collect": st.sampled_from(["n", "word", "colour"])},
        optional={"ask_always": st.booleans(), "attempts": st.sampled_from([1, 3])},
    )


EFFECT: list[Step] = [{"collect": "n"}, {"collect": "word"}, {"confirm": "sure", "message": SHOWN}]
"""What goes before an effect."""


def _pieces(later: tuple[str, ...]) -> st.SearchStrategy[list[Step]]:
    optional = st.builds(lambda slot: [{"collect": slot, "optional": True}], st.sampled_from(["colour"]))
    says = st.sampled_from(["Here we are.", "Colour {colour}, count {count}."])
    quiet = st.one_of(
        st.builds(lambda text: [{"say": text}], says),
        st.just([{"say": "Read this.", "wait_for_ack": True}]),
        st.just([{"set": {"count": 1}}]),
        st.just([{"action": "measure", "map_outputs": {"count": "count"}}]),
        st.just([{"say": "Many.", "if": "n is not None and n > 50"}]),
    )
    plain = st.one_of(_collects().map(lambda step: [step]), optional, quiet)
    effects = st.builds(
        lambda between, correct: [
            *EFFECT,
            *between,
            {"action": "act", **({"on_correct": "end"} if correct else {})},
            {"say": "Done {n} {word}."},
        ],
        st.lists(plain, max_size=2).map(lambda lists: [step for steps in lists for step in steps]),
        st.booleans(),
    )
    loops = st.builds(
        lambda body: [{"while": "more is None or more", "limit": 5, "do": [*body, {"collect": "more"}]}],
        plain.filter(lambda steps: "collect" not in steps[0] or steps[0]["collect"] != "more"),
    )
    calls = st.builds(
        lambda flow, cancel: [{"call": flow, **({"on_cancel": "end"} if cancel else {})}],
        st.sampled_from(later or ("one",)),
        st.booleans(),
    )
    ends = st.sampled_from([[{"handoff": "too hard", "if": "n is not None and n > 90"}], [{"say": "Bye."}]])
    pieces = [plain, plain, plain, effects, loops, ends]
    return st.one_of(*pieces, *([calls] if later else []))


def _flow(later: tuple[str, ...]) -> st.SearchStrategy[list[Step]]:
    pieces = st.lists(_pieces(later), min_size=1, max_size=4)
    return pieces.map(lambda lists: [dict(step) for steps in lists for step in steps])


def _branched(steps: list[Step], at: int, target: int) -> list[Step]:
    """The same steps with a choice of ways: over some of them or through them."""
    named = [{"step": f"s{index}", **step} for index, step in enumerate(steps)]
    place, over = sorted((at % (len(named) + 1), target % (len(named) + 1)))
    if over <= place or over >= len(named):
        return named
    skipped = [step for step in named[place:over] if "confirm" in step]
    if skipped and any("action" in step and step["action"] == "act" for step in named[over:]):
        return named  # an effect always has its question before it
    way = {"step": "way", "type": "branch", "cases": [{"when": "n is not None and n > 10", "then": f"s{over}"}]}
    return [*named[:place], way, *named[place:]]


def assistants() -> st.SearchStrategy[SoniConfig]:
    """Assistants that load; an effect is never without a confirmation before it."""

    def build(
        flows: list[list[Step]],
        places: tuple[int, int],
        settings: dict[str, Any],
        events: dict[str, str],
    ) -> SoniConfig:
        steps = {**dict(zip(FLOWS, [_branched(flows[0], *places), *flows[1:]], strict=True)), **ASIDES}
        return SoniConfig.model_validate(
            {
                "settings": {**settings, "session_timeout": 600},
                "events": events,
                "slots": dict(SLOTS),
                "flows": {name: FlowConfig(description=name, steps=own) for name, own in steps.items()},
            }
        )

    bodies = st.tuples(_flow(("two", "three")), _flow(("three",)), _flow(())).map(list)
    places = st.tuples(st.integers(0, 8), st.integers(0, 8))
    aside = st.sampled_from(sorted(ASIDES))
    settings = st.fixed_dictionaries(
        {"max_depth": st.sampled_from([3, 8]), "handoff": st.booleans(), "start_flow": st.none() | aside}
    )
    events = st.dictionaries(st.sampled_from(EVENTS), aside, max_size=3)
    built = st.builds(build, bodies, places, settings, events)
    return built.filter(lambda config: not [p for p in check(config, doing([])) if p.severity == "error"])


def doing(done: list[str]) -> Actions:
    """The actions of these assistants; `done` takes what was done, in the words of its confirmation."""
    actions = Actions()
    actions.register("measure", effect="pure")(lambda n=None: {"count": 7 if n is None else n})
    actions.register("act")(lambda n, word: done.append(shown(n, word)))
    return actions
