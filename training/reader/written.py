"""Samples out of what was written by hand: messages to the domains, and what people say to any assistant."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from soni.du.local.packing import ACTS, FLOW, FLOW_ACTIVE, FLOW_PAUSED, SLOT, SLOT_ASKED, SLOT_FILLED, FlowText
from training.reader.domains import FIELD, LANGUAGES, Domain, Written, led
from training.reader.noise import as_written
from training.reader.samples import ANY, UNKNOWN, VALUE, FlowSchema, Sample, SlotLabel, written_in

if TYPE_CHECKING:
    from random import Random

    from soni.du.local.packing import SlotText

HERE = Path(__file__).parent
MOST_SLOTS = 14
_OFTEN = {
    "cancel": 14, "here": 10, "aside": 12, "skip": 14, "human": 8, "help": 8, "repeat": 6, "thank": 6, "bye": 5,
    "greet": 6, "resume": 6, "chat": 8, "odd": 8, "restart": 6, "beyond": 18,
}  # fmt: skip
"""How often which act is drawn: 'here' calls off in the words of the domain, an 'aside' is about it, 'beyond' asks for
what none of its flows does."""
_IMPLIED = 0.5
"""How often a choice that is asked for is answered without naming an option."""
_BESIDE = 0.15
"""How often an answer also means an option of another slot: 'the credit one, it got nicked'."""
_NAMED = 0.2
"""How often a slot is named where no value is given for it: 'the amount is wrong', 'no need for my number'."""
_BESIDES: dict[str, set[str]] = {
    "cancel": {"negate", "thank"},
    "here": {"negate", "thank"},
    "aside": {"request", "chat", "help"},
    "beyond": {"request"},
    "skip": {"negate", "affirm"},
    "thank": {"bye", "affirm"},
    "bye": {"thank", "negate"},
    "greet": set(),
    "chat": {"outside", "greet", "request", "help"},
    "odd": {"chat", "request"},
    "other": {"inform", "request", "cancel", "alternatives", "help", "start", "chat", "select", "repeat", "correct"},
}
"""What a phrase of an act may do besides; nobody labelled that."""


class Domains:
    """All domains written by hand, and what people say to any assistant."""

    def __init__(self, folder: Path = HERE) -> None:
        self.domains = [Domain(written_in(path)) for path in sorted((folder / "domains").glob("*.yaml"))]
        self.acts = {language: written_in(folder / "acts" / f"{language}.yaml") for language in LANGUAGES}
        self.flows = [flow for domain in self.domains for flow in domain.flows.values()]

    def sample(self, draw: Random, others: list[FlowSchema], language: str) -> Sample:
        """A message to one of the domains: a request, an answer, a correction, a yes, small talk."""
        domain = draw.choice(self.domains)
        others = [flow for flow in others if flow.domain != domain.name]
        way = draw.random()
        make = (
            self._start if way < 0.37
            else self._answer if way < 0.56
            else self._correct if way < 0.64
            else self._reply if way < 0.75
            else self._boolean if way < 0.77
            else self._unclear if way < 0.82
            else self._leave
        )  # fmt: skip
        return make(draw, domain, others, language)

    def _start(self, draw: Random, domain: Domain, others: list[FlowSchema], language: str) -> Sample:
        """A request, at the beginning or in the middle of something else."""
        name = draw.choice(list(domain.flows))
        template = draw.choice(domain.starts(name, language))
        written = domain.write(template, draw, language)
        hinted = [one for one in domain.flows[name].slots if one not in written.spans and domain.implied(one, language)]
        maybe = {one for one in hinted if domain.may_mean(template, one, language)}
        if hinted and draw.random() < 0.25:
            one, other = draw.sample([written, self._hint(draw, domain, draw.choice(hinted), language)], 2)
            written = self._with(one, other, draw, language)
        if draw.random() < 0.06:
            return self._two(draw, domain, others, language, name, written)
        bot, task, active, asked = draw.choice(self.acts[language]["hello"]), None, None, None
        acts = {"start"} | ({"inform"} if written.spans else set())
        if draw.random() < 0.3:
            asked = draw.choice(list(domain.slots))
            asks, _ = domain.answers(asked, language)
            active = draw.choice([flow for flow in domain.owners[asked] if flow != name] or [None])
            bot, task = (draw.choice(asks), "collect") if asks and active else (bot, None)
            asked = asked if active else None
        if draw.random() < 0.12:
            written, bot = self._after(draw, written, domain, language, acts)
            active, asked, task = draw.choice([flow for flow in domain.flows if flow != name]), None, "confirm"
        elif task and draw.random() < 0.6:
            is_dropped = draw.random() < 0.3
            written = led(written, str(draw.choice(self.acts[language]["drops" if is_dropped else "interrupts"])))
            acts |= {"cancel"} if is_dropped else set()
        else:
            written = self._around(draw, written, language, acts)
        is_gone = draw.random() < 0.1
        if is_gone:
            acts = (acts - {"start"}) | {"outside"}
        return self._made(
            draw, domain, others, language, written, bot, task,
            wanted=None if is_gone else name, active=active, asked=asked, flow=name, acts=acts,
            gone=name if is_gone else None, source=template, maybe=maybe,
        )  # fmt: skip

    def _two(
        self, draw: Random, domain: Domain, others: list[FlowSchema], language: str, first: str, written: Written
    ) -> Sample:
        """Two requests in one message."""
        second = draw.choice([flow for flow in domain.flows if flow != first])
        behind = domain.write(draw.choice(domain.starts(second, language)), draw, language)
        return self._made(
            draw, domain, others, language, self._with(written, behind, draw, language),
            draw.choice(self.acts[language]["hello"]), None,
            wanted=first, active=None, asked=None, flow=None, acts={"start"},
            unknown={"inform", "greet", "thank", "help"}, shared=[first, second], maybe=set(domain.slots),
        )  # fmt: skip

    def _answer(self, draw: Random, domain: Domain, others: list[FlowSchema], language: str) -> Sample:
        slot = draw.choice(list(domain.slots))
        asks, replies = domain.answers(slot, language)
        if not replies:
            return self._start(draw, domain, others, language)
        flow = draw.choice(domain.owners[slot])
        if domain.implied(slot, language) and draw.random() < _IMPLIED:
            written = self._hint(draw, domain, slot, language)
        else:
            written = domain.write(draw.choice(replies), draw, language)
        acts = {"inform"} if written.spans else set()
        changed = set(written.spans) - {slot} if draw.random() < 0.3 else set()
        acts |= {"correct"} if changed else set()
        if draw.random() < 0.12:
            change = domain.write(draw.choice(domain.said("corrections", language)), draw, language)
            if change.spans and not set(change.spans) & {slot, *written.spans}:
                changed, acts = changed | set(change.spans), acts | {"correct"}
                one, other = draw.sample([written, change], 2)
                written = self._with(one, other, draw, language)
        meant = [one for one in domain.flows[flow].slots if one not in written.spans and domain.implied(one, language)]
        if meant and slot in written.spans and draw.random() < _BESIDE:
            one, other = draw.sample([written, self._hint(draw, domain, draw.choice(meant), language)], 2)
            written, acts = self._with(one, other, draw, language), acts | {"inform"}
        if domain.slots[slot].kind == "boolean":
            acts |= {"affirm"} if written.options.get(slot) == "yes" else {"negate"}
        written = self._around(draw, written, language, acts)
        return self._made(
            draw, domain, others, language, written, draw.choice(asks), "collect",
            wanted=None, active=flow, asked=slot, flow=flow, acts=acts, unknown={"affirm", "negate"}, filled=changed,
        )  # fmt: skip

    def _hint(self, draw: Random, domain: Domain, slot: str, language: str) -> Written:
        """What means one of the options of a slot without naming it."""
        options = domain.implied(slot, language)
        number = draw.randrange(len(options))
        text = str(draw.choice(options[number]))
        return Written(text, {slot: (0, len(text))}, {slot: str(number)})

    def _with(self, first: Written, second: Written, draw: Random, language: str) -> Written:
        """Two sentences in one."""
        join = draw.choice(self.acts[language]["joins"])
        behind = led(second, first.text + join)
        return Written(behind.text, {**behind.spans, **first.spans}, {**behind.options, **first.options})

    def _unclear(self, draw: Random, domain: Domain, others: list[FlowSchema], language: str) -> Sample:
        """A request that fits several flows alike."""
        told = domain.unclear(language)
        if not told:
            return self._start(draw, domain, others, language)
        text, flows = draw.choice(told)
        return self._made(
            draw, domain, others, language, self._around(draw, Written(text), language, set()),
            draw.choice(self.acts[language]["hello"]), None,
            wanted=flows[0], active=None, asked=None, flow=flows[0], acts={"start"}, unknown={"greet", "thank", "help"},
            shared=flows,
        )  # fmt: skip

    def _boolean(self, draw: Random, domain: Domain, others: list[FlowSchema], language: str) -> Sample:
        """A plain yes or no to a question of yes or no."""
        slots = [name for name, slot in domain.slots.items() if slot.kind == "boolean"]
        if not slots:
            return self._reply(draw, domain, others, language)
        slot = draw.choice(slots)
        asks, _ = domain.answers(slot, language)
        flow = draw.choice(domain.owners[slot])
        verdict = draw.choice(["yes", "no"])
        text = str(draw.choice(self.acts[language]["replies"][0][verdict]))
        written = Written(text, {slot: (0, len(text))}, {slot: verdict})
        acts = {"affirm" if verdict == "yes" else "negate"}
        return self._made(
            draw, domain, others, language, written, draw.choice(asks or [""]), "collect",
            wanted=None, active=flow, asked=slot, flow=flow, acts=acts, unknown={"inform", "thank"},
        )  # fmt: skip

    def _about(self, draw: Random, domain: Domain, slot: str, kind: str, language: str) -> str:
        """What is said of a slot by its name, with no value for it."""
        return str(draw.choice(self.acts[language][kind])).format(domain.called(slot, draw, language))

    def _correct(self, draw: Random, domain: Domain, others: list[FlowSchema], language: str) -> Sample:
        written = domain.write(draw.choice(domain.said("corrections", language)), draw, language)
        wrong = draw.choice(list(domain.slots)) if draw.random() < _NAMED else None
        if wrong is not None:
            written = Written(self._about(draw, domain, wrong, "changes", language))
        elif draw.random() < 0.25:
            written = led(written, draw.choice(self.acts[language]["nearly"]))
        slot = wrong or next(iter(written.spans), None) or draw.choice(list(domain.slots))
        flow = draw.choice(domain.owners[slot])
        if draw.random() < 0.5:
            bot, task, asked = (
                domain.write(draw.choice(domain.said("confirms", language)), draw, language).text,
                "confirm",
                None,
            )
        else:
            others_of = [name for name in domain.flows[flow].slots if name not in {slot, *written.spans}]
            asked = draw.choice(others_of or [slot])
            bot, task = draw.choice(domain.answers(asked, language)[0] or [""]), "collect"
        return self._made(
            draw, domain, others, language, written, bot, task,
            wanted=None, active=flow, asked=asked, flow=flow, unknown={"negate"}, filled={slot, *written.spans},
            acts={"correct", "inform"} if written.spans else {"correct"},
        )  # fmt: skip

    def _reply(self, draw: Random, domain: Domain, others: list[FlowSchema], language: str) -> Sample:
        """Yes, no, neither, or what only begins like a yes, to what the bot showed or offered."""
        group = self.acts[language]["replies"][0 if draw.random() < 0.8 else 1]
        kinds = {"yes": 0.38, "no": 0.3, "other": 0.2, "hedged": 0.12 if "hedged" in group else 0.0}
        kind = draw.choices(list(kinds), list(kinds.values()))[0]
        text = str(draw.choice(group[kind]))
        bot = str(draw.choice(group["bot"]))
        if group is self.acts[language]["replies"][0] and draw.random() < 0.5:
            bot = domain.write(draw.choice(domain.said("confirms", language)), draw, language).text
        acts = {"yes": {"affirm"}, "no": {"negate"}}.get(kind, set())
        unknown = {"other": _BESIDES["other"], "hedged": set(ACTS) - {"affirm"}}.get(kind, {"thank", "bye"})
        return self._made(
            draw, domain, others, language, Written(text), bot, "confirm",
            wanted=None, active=draw.choice(list(domain.flows)), asked=None, flow=None, acts=acts,
            unknown=unknown, is_open=kind in ("yes", "no"), filled=set(domain.slots),
        )  # fmt: skip

    def _leave(self, draw: Random, domain: Domain, others: list[FlowSchema], language: str) -> Sample:
        """What people say to any assistant, and what this one cannot do."""
        said = self.acts[language]["said"]
        act = draw.choices(list(_OFTEN), list(_OFTEN.values()))[0]
        slot = draw.choice(list(domain.slots))
        flow = draw.choice(domain.owners[slot])
        if act == "here":
            text, acts = draw.choice(domain.said("cancels", language)), {"cancel"}
        elif act == "aside" or (act == "beyond" and not domain.said("beyond", language)):
            text, acts = draw.choice(domain.said("asides", language)), {"outside"}
        elif act == "beyond":
            text, acts = draw.choice(domain.said("beyond", language)), {"outside"}
        elif act == "skip" and draw.random() < _NAMED:
            text, acts = self._about(draw, domain, slot, "withheld", language), {act}
        else:
            text = str(draw.choice(said[act]))
            acts = {"outside"} if act == "odd" else {act}
        written = Written(FIELD.sub("", str(text)))
        is_open = draw.random() < 0.7 or act in ("cancel", "here", "skip", "repeat")
        bot, task = draw.choice(self.acts[language]["hello"]), None
        if is_open:
            asks = domain.answers(slot, language)[0]
            bot, task = (draw.choice(asks), "collect") if asks else (bot, None)
            if act in ("cancel", "here") and draw.random() < 0.4:
                bot, task = domain.write(draw.choice(domain.said("confirms", language)), draw, language).text, "confirm"
        if act in ("human", "bye") and is_open and draw.random() < 0.12:
            written = led(written, str(draw.choice(self.acts[language]["drops"])))
            acts |= {"cancel"}
        if act in ("thank", "bye", "greet") and draw.random() < 0.2:
            other = draw.choice(["thank", "bye"])
            written = Written(f"{written.text}, {draw.choice(said[other])}")
            acts |= {other}
        return self._made(
            draw, domain, others, language, written, bot, task,
            wanted=None, active=flow if is_open else None, flow=flow, acts=acts,
            asked=slot if task == "collect" else None,
            unknown=_BESIDES.get(act, {"request"}),
            skipped=slot if act == "skip" and task == "collect" else None,
        )  # fmt: skip

    def _after(
        self, draw: Random, written: Written, domain: Domain, language: str, acts: set[str]
    ) -> tuple[Written, str]:
        """The request behind a yes, a no or a cancellation, and what the bot had shown."""
        act = draw.choice(["yes", "no", "cancel"])
        said = self.acts[language]
        phrases = said["said"]["cancel"] if act == "cancel" else said["replies"][0][act]
        short = [str(phrase).rstrip(".!") for phrase in phrases if len(str(phrase).split()) <= 3]
        acts.add({"yes": "affirm", "no": "negate", "cancel": "cancel"}[act])
        lead = draw.choice(short) + draw.choice(said["then"])
        bot = domain.write(draw.choice(domain.said("confirms", language)), draw, language).text
        return led(written, lead), bot

    def _around(self, draw: Random, written: Written, language: str, acts: set[str]) -> Written:
        """The sentence with a greeting before it or thanks behind it."""
        said = self.acts[language]["said"]
        if draw.random() < 0.08:
            written = led(written, f"{draw.choice(said['greet'])}{draw.choice([', ', ' ', '. '])}")
            acts.add("greet")
        if draw.random() < 0.05:
            written.text += f"{draw.choice([', ', '. ', ' '])}{draw.choice(said['thank'])}"
            acts.add("thank")
        return written

    def _made(
        self,
        draw: Random,
        domain: Domain,
        others: list[FlowSchema],
        language: str,
        written: Written,
        bot: str,
        task: str | None,
        *,
        wanted: str | None,
        active: str | None,
        asked: str | None,
        flow: str | None,
        acts: set[str],
        unknown: set[str] | None = None,
        is_open: bool = True,
        filled: set[str] | None = None,
        gone: str | None = None,
        skipped: str | None = None,
        source: str = "",
        shared: list[str] | None = None,
        maybe: set[str] | None = None,
    ) -> Sample:
        tongue = language if draw.random() < 0.75 else "en" if language == "es" or draw.random() < 0.8 else "es"
        keep = [one for name, one in domain.flows.items() if name != gone]
        candidates = [*keep, *others]
        draw.shuffle(candidates)
        paused = draw.choice(list(domain.flows)) if draw.random() < 0.1 else None
        states = {f"{domain.name}/{paused}": FLOW_PAUSED, f"{domain.name}/{active}": FLOW_ACTIVE}
        flows = [FlowText(one.told(draw, tongue, source), states.get(one.key, FLOW)) for one in candidates]
        keys = [one.key for one in candidates]
        names = _shown(draw, domain, flow, active, asked)
        slots, labels = self._slots(
            draw, domain, tongue, written, names, asked, filled or set(), task, skipped, maybe or set()
        )
        number = -1 if is_open else UNKNOWN
        soft = None
        if shared is not None:
            number, likely = UNKNOWN, {f"{domain.name}/{name}" for name in shared}
            soft = [1 / len(likely) if key in likely else 0.0 for key in keys]
        elif wanted is not None:
            number = keys.index(f"{domain.name}/{wanted}")
        return Sample(
            message=as_written(written.text, draw),
            bot=bot,
            task=task,
            flows=flows,
            flow=number,
            slots=slots,
            labels=labels,
            acts=frozenset(acts),
            unknown_acts=frozenset((unknown or set()) - acts),
            soft=soft,
        )

    def _slots(
        self,
        draw: Random,
        domain: Domain,
        language: str,
        written: Written,
        names: list[str],
        asked: str | None,
        filled: set[str],
        task: str | None,
        skipped: str | None,
        maybe: set[str],
    ) -> tuple[list[SlotText], list[SlotLabel]]:
        tells = draw.random() < 0.85
        slots, labels = [], []
        for name in names:
            may_be = name not in written.spans and (task == "confirm" or (task == "collect" and draw.random() < 0.3))
            is_filled = name != asked and (name in filled or may_be)
            state = SLOT_ASKED if name == asked else SLOT_FILLED if is_filled else SLOT
            option = written.options.get(name)
            slot, options = domain.slots[name].told(draw, language, kept=option, state=state if tells else SLOT)
            slots.append(slot)
            if name == skipped:
                labels.append(SlotLabel(ANY))
            elif name not in written.spans:
                labels.append(SlotLabel(UNKNOWN) if name in maybe else SlotLabel())
            elif options:
                labels.append(
                    SlotLabel(VALUE, option=options.index(option)) if option in options else SlotLabel(UNKNOWN)
                )
            else:
                labels.append(SlotLabel(VALUE, span=written.spans[name]))
        return slots, labels


def _shown(draw: Random, domain: Domain, flow: str | None, active: str | None, asked: str | None) -> list[str]:
    """The slots that are told, in any order.

    The product tells those of what runs and those of the flow that seems nearest, which need not be the right one: if
    they were always those of the right one, they alone would tell it.
    """
    ways = {"right": 0.45, "other": 0.15, "both": 0.1, "none": 0.05, "all": 0.25}
    way = draw.choices(list(ways), list(ways.values()))[0]
    near = {
        "right": [flow],
        "other": [draw.choice(list(domain.flows))],
        "both": [flow, draw.choice(list(domain.flows))],
        "none": [],
        "all": list(domain.flows),
    }[way if flow else "all"]
    names = {slot: None for one in [active, *near] if one for slot in domain.flows[one].slots}
    told = [name for name in names if name != asked]
    draw.shuffle(told)
    told = [*([asked] if asked else []), *told][:MOST_SLOTS]
    draw.shuffle(told)
    return told
