"""Assistants written by hand, in English and Spanish: domains/*.yaml; sentences to them are templates."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from random import Random
from typing import Any

from training.reader.noise import chatty
from training.reader.samples import FlowSchema, SlotSchema
from training.reader.values import made_up, related, value

LANGUAGES = ("en", "es")
FIELD = re.compile(r"\{(old:)?(\w+)\}")
_FEW = 0.03
"""In how few of an assistant's requests a word stands that may tell something."""
_ARTICLE = re.compile(r"(?:el|la|los|las|the|para el)\s+", re.IGNORECASE)


@dataclass(slots=True)
class Written:
    """A sentence with values put into it, and where they stand."""

    text: str
    spans: dict[str, tuple[int, int]] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)


class Domain:
    """One company's assistant."""

    def __init__(self, told: dict[str, Any]) -> None:
        self.name = str(told["domain"])
        self._told = told
        self._telling: dict[tuple[str, str], set[str]] = {}
        self.slots = {name: _slot(name, slot) for name, slot in told["slots"].items()}
        self.flows = {name: self._flow(name, flow) for name, flow in told["flows"].items()}
        self.owners = {
            slot: [name for name, flow in self.flows.items() if slot in flow.slots] or list(self.flows)
            for slot in self.slots
        }

    def _flow(self, name: str, told: dict[str, Any]) -> FlowSchema:
        texts = {language: _pairs(told[language]) for language in LANGUAGES}
        draw = Random(name)
        examples = {
            language: [(text, self.write(text, draw, language).text) for text in told[language]["starts"]]
            for language in LANGUAGES
        }
        return FlowSchema(f"{self.name}/{name}", self.name, texts, list(told["slots"]), examples)

    def starts(self, flow: str, language: str) -> list[str]:
        return list(self._told["flows"][flow][language]["starts"])

    def requests(self, flow: str, draw: Random) -> list[str]:
        """What people say for a flow in either language, with its names and descriptions."""
        texts = [text for pairs in self.flows[flow].texts.values() for pair in pairs for text in pair]
        starts = [(text, language) for language in LANGUAGES for text in self.starts(flow, language)]
        return list(dict.fromkeys([*texts, *(self.write(text, draw, language).text for text, language in starts * 2)]))

    def said(self, kind: str, language: str) -> list[str]:
        """Sentences of a kind: confirms, corrections, cancels, asides, and beyond, what no flow does."""
        return list(self._told.get(kind, {}).get(language, []))

    def implied(self, slot: str, language: str) -> list[list[str]]:
        """For each option of a choice what means it without naming it."""
        return list(self._told.get("implied", {}).get(slot, {}).get(language, []))

    def may_mean(self, template: str, slot: str, language: str) -> bool:
        """Whether a request that does not name an option of a slot may mean one: nobody labelled that.

        It may where it has a word of what names or means an option, and few other requests have that word.
        """
        if (slot, language) not in self._telling:
            told = [str(word) for option in self._told["slots"][slot]["options"] for word in option[language]]
            told += [str(phrase) for phrases in self.implied(slot, language) for phrase in phrases]
            starts = [_stems(text) for flow in self.flows for text in self.starts(flow, language)]
            common = {
                stem for stem in _stems(" ".join(told)) if sum(stem in one for one in starts) > len(starts) * _FEW
            }
            self._telling[slot, language] = _stems(" ".join(told)) - common
        return bool(self._telling[slot, language] & _stems(template))

    def unclear(self, language: str) -> list[tuple[str, list[str]]]:
        """Vague requests, and the flows that each of them fits."""
        return [(str(one["text"]), list(one["flows"])) for one in self._told.get("unclear", {}).get(language, [])]

    def called(self, slot: str, draw: Random, language: str) -> str:
        """A slot as people call it: 'the amount', 'mi teléfono'."""
        name = str(draw.choice(self._told["slots"][slot][language]["names"]))
        if language == "en":
            return f"{draw.choice(['the', 'the', 'my', 'that'])} {name}"
        feminine = name.split()[0].endswith(("a", "ción", "dad"))
        return f"{draw.choice([['el', 'el', 'mi', 'ese'], ['la', 'la', 'mi', 'esa']][feminine])} {name}"

    def answers(self, slot: str, language: str) -> tuple[list[str], list[str]]:
        """How a slot is asked for, and what people say to that."""
        told = self._told["answers"].get(slot, {}).get(language)
        return (list(told["asks"]), list(told["replies"])) if told else ([], [])

    def write(self, template: str, draw: Random, language: str) -> Written:
        """A template with values made up for it."""
        written = Written("")
        end = 0
        if draw.random() < 0.15:
            template = chatty(template, language, draw)
        for match in FIELD.finditer(template):
            written.text += template[end : match.start()]
            end = match.end()
            is_old, name = bool(match.group(1)), match.group(2)
            words, option = self._value(name, draw, language)
            if self._told["slots"][name]["type"] == "person" and draw.random() < 0.06:
                written.text += related(draw, language)
            start = len(written.text)
            written.text += words
            if is_old or name in written.spans:
                continue
            article = _ARTICLE.match(words) if self.slots[name].kind == "date" else None
            written.spans[name] = (start + (article.end() if article else 0), len(written.text))
            if option is not None:
                written.options[name] = option
        written.text += template[end:]
        return written

    def _value(self, name: str, draw: Random, language: str) -> tuple[str, str | None]:
        told = self._told["slots"][name]
        if told["type"] == "choice":
            number = draw.randrange(len(told["options"]))
            return str(draw.choice(told["options"][number][language])), str(number)
        if told["type"] == "boolean":
            verdict = draw.choice(["yes", "no"])
            return str(draw.choice(told[language][verdict])), verdict
        if "values" in told[language]:
            words = str(draw.choice(told[language]["values"]))
            if draw.random() < 0.15 and len(words.split()) < 3:  # never in place of what somebody tells
                words = made_up(draw, language)
            return (words.lower() if draw.random() < 0.3 else words), None
        return value(told["type"], draw, language), None


def _stems(text: str) -> set[str]:
    """How the longer words of a text begin."""
    return {word[:5] for word in re.findall(r"[^\W\d_]{4,}", FIELD.sub(" ", text.lower()))}


def led(written: Written, lead: str) -> Written:
    """A sentence with something said before it."""
    spans = {name: (start + len(lead), end + len(lead)) for name, (start, end) in written.spans.items()}
    return Written(lead + written.text, spans, written.options)


def _pairs(told: dict[str, Any]) -> list[tuple[str, str]]:
    names, texts = told["names"], told["descriptions"]
    return [(str(name), str(text)) for name in names for text in texts]


def _slot(name: str, told: dict[str, Any]) -> SlotSchema:
    kind = told["type"]
    options: list[str] = []
    texts: dict[str, list[str]] = {}
    if kind == "choice":
        options = [str(number) for number in range(len(told["options"]))]
        texts = {language: [str(option[language][0]) for option in told["options"]] for language in LANGUAGES}
    if kind == "boolean":
        options, texts = ["yes", "no"], {"en": ["yes", "no"], "es": ["sí", "no"]}
    examples = {language: [str(value) for value in told[language].get("values", [])] for language in LANGUAGES}
    pairs = {language: _pairs(told[language]) for language in LANGUAGES}
    return SlotSchema(
        name, kind if kind not in ("person", "city", "place") else "text", pairs, options, texts, examples
    )
