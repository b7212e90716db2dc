"""The models of an assistant; every class the YAML can name is importable from here."""

from __future__ import annotations

import hashlib
import os
import re
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Literal

from babel import localedata
from babel.numbers import is_currency
from phonenumbers import SUPPORTED_REGIONS
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    PrivateAttr,
    ValidationInfo,
    model_validator,
)
from pydantic_core import PydanticCustomError

from soni.config.events import Events, built_in_flows, built_in_slots
from soni.config.flows import MODEL, FlowConfig, Placed, TriggerConfig, named
from soni.config.paths import field_path
from soni.config.slots import ChoiceOption, SlotConfig
from soni.config.texts import Texts
from soni.core.refusal import refusal
from soni.core.timespan import Seconds
from soni.core.values import Reading
from soni.steps.action import ActionStepConfig
from soni.steps.branch import BranchStepConfig
from soni.steps.call import CallStepConfig
from soni.steps.clarify import ClarifyStepConfig
from soni.steps.collect import CollectStepConfig
from soni.steps.confirm import ConfirmStepConfig
from soni.steps.end import EndStepConfig
from soni.steps.handoff import HandoffStepConfig
from soni.steps.link import LinkStepConfig
from soni.steps.say import SayStepConfig
from soni.steps.set import SetStepConfig
from soni.steps.while_loop import WhileStepConfig

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from soni.core.template import Text
    from soni.source import SourceMap
    from soni.steps import Step

__all__ = [
    "ActionStepConfig",
    "BranchStepConfig",
    "CallStepConfig",
    "ChoiceOption",
    "ClarifyStepConfig",
    "CollectStepConfig",
    "ConfirmStepConfig",
    "EndStepConfig",
    "Events",
    "FlowConfig",
    "HandoffStepConfig",
    "LLMConfig",
    "LinkStepConfig",
    "PersistenceConfig",
    "Placed",
    "SayStepConfig",
    "SetStepConfig",
    "Settings",
    "SlotConfig",
    "SoniConfig",
    "Texts",
    "TriggerConfig",
    "WhileStepConfig",
    "named",
]


class PersistenceConfig(BaseModel):
    """Where the command line keeps conversations, and for how long."""

    model_config = MODEL

    backend: Literal["memory", "sqlite", "postgres"] = "memory"
    path: str = ".soni/conversations.db"
    """The file, for sqlite."""
    url_env: str = "DATABASE_URL"
    """The variable of the environment that holds the address of the database, for postgres."""
    retention: Seconds | None = None
    """How long finished turns are kept; `soni prune` deletes those that are older."""

    @property
    def url(self) -> str:
        """The address of the store, as `open_store` takes it."""
        if self.backend == "postgres":
            return os.environ.get(self.url_env, "")
        return "memory:" if self.backend == "memory" else f"sqlite:{self.path}"


def _code(known: Callable[[str], bool], what: str) -> AfterValidator:
    def check(word: str) -> str:
        if not known(word):
            reason = f"'{word}' is not the code of {what}."
            raise PydanticCustomError("setting", "{reason}", {"reason": reason})
        return word

    return AfterValidator(check)


def _is_language(word: str) -> bool:
    return re.fullmatch("[a-z]{2,3}", word) is not None and localedata.exists(word)


class LLMConfig(BaseModel):
    """The language model to understand with: any name DSPy knows. Keys come from the environment, never from here."""

    model_config = MODEL

    model: str
    """As DSPy names it: openai/gpt-4o-mini, anthropic/…, ollama_chat/…; openai/… for any compatible server."""
    api_base: str | None = None
    """The address of an OpenAI-compatible server, if not the provider's own."""
    api_key_env: str = "OPENAI_API_KEY"
    """The variable of the environment that holds the key."""
    timeout: Seconds = 15.0
    retries: int = Field(default=1, ge=0, le=10)
    concurrency: int = Field(default=8, ge=1)
    temperature: float | None = Field(default=0.0, ge=0)
    max_tokens: int | None = Field(default=1000, ge=1)


class Settings(BaseModel):
    """What holds for the whole assistant."""

    model_config = MODEL

    name: str = Field(default="Assistant", min_length=1, max_length=60)
    """What people see it called: in the web page, in traces."""
    language: Annotated[str, _code(_is_language, "a language, such as en or es")] = "en"
    currency: Annotated[str, _code(is_currency, "a currency, such as EUR or USD")] = "EUR"
    region: Annotated[str, _code(SUPPORTED_REGIONS.__contains__, "a country, such as ES or US")] = "ES"
    understanding: Literal["local", "llm", "cascade"] = "local"
    llm: LLMConfig | None = None
    understanding_timeout: Seconds = 30.0
    persistence: PersistenceConfig = PersistenceConfig()
    action_timeout: Seconds = 60.0
    start_flow: str | None = None
    session_timeout: Seconds | None = 86_400.0
    handoff: bool = True
    fallback_after: int = Field(default=3, ge=1)
    max_depth: int = Field(default=8, ge=1)
    max_steps: int = Field(default=500, ge=10)

    @model_validator(mode="after")
    def _names_a_model(self) -> Settings:
        if self.understanding != "local" and self.llm is None:
            raise refusal(
                f"'{self.understanding}' needs a model: write 'llm: {{model: openai/gpt-4o-mini}}', or another "
                "name that DSPy knows.",
                "understanding",
            )
        return self


class SoniConfig(BaseModel):
    """An assistant. Slots that are not declared here are text; in YAML every slot must be declared."""

    model_config = MODEL

    version: Annotated[Literal["1"], BeforeValidator(lambda version: "1" if version == 1 else version)] = "1"
    settings: Settings = Settings()
    slots: dict[str, SlotConfig] = {}
    flows: dict[str, FlowConfig]
    events: Events = Events()
    texts: Texts = Field(default_factory=Texts)

    _source: SourceMap | None = PrivateAttr(default=None)
    _damaged: frozenset[tuple[str | int, ...]] = PrivateAttr(default=frozenset())
    """The slots and flows that the loader had to mend to read on; what depends on them cannot be judged."""

    @model_validator(mode="after")
    def _declare_the_rest(self, info: ValidationInfo) -> SoniConfig:
        for name, slot in built_in_slots().items():
            self.slots.setdefault(name, slot)
        if info.context and info.context.get("from_yaml"):
            return self
        for flow in self.flows.values():
            for used in sorted(flow.slot_names):
                kind = "boolean" if used in self.confirm_slots else "text"
                self.slots.setdefault(used, SlotConfig(type=kind))
        return self

    @cached_property
    def runnable(self) -> dict[str, FlowConfig]:
        """The flows of the author, and those the assistant has of itself."""
        return {**built_in_flows(self.texts, self.languages, handoff=self.settings.handoff), **self.flows}

    @cached_property
    def own_slots(self) -> dict[str, SlotConfig]:
        """The slots of the author, without those the assistant has of itself."""
        return {name: slot for name, slot in self.slots.items() if name not in built_in_slots()}

    @cached_property
    def event_flows(self) -> dict[str, str]:
        """The flow for each event that has one, the author's or a built-in one."""
        return {name.removeprefix("_"): name for name in self.runnable if name.startswith("_")} | self.events.named()

    @cached_property
    def for_people(self) -> dict[str, FlowConfig]:
        """The flows that people can ask for: one that is for an event only if it says how it is asked for."""
        events = {*self.event_flows.values(), self.settings.start_flow}
        return {name: flow for name, flow in self.flows.items() if name not in events or flow.trigger.intents}

    @cached_property
    def callers(self) -> dict[str, list[tuple[FlowConfig, Step]]]:
        """For each flow that others go to, those others with the steps that do."""
        found: dict[str, list[tuple[FlowConfig, Step]]] = {}
        for flow in self.flows.values():
            for placed in flow.placed:
                if placed.step.flow is not None:
                    found.setdefault(placed.step.flow, []).append((flow, placed.step))
        return found

    @cached_property
    def confirm_slots(self) -> frozenset[str]:
        """Slots that only a confirm step may write."""
        steps = (placed.step for flow in self.runnable.values() for placed in flow.placed)
        return frozenset(step.slot for step in steps if isinstance(step, ConfirmStepConfig))

    @cached_property
    def conversation_slots(self) -> frozenset[str]:
        """Slots that belong to the conversation, not to a flow."""
        return frozenset(name for name, slot in self.slots.items() if slot.scope == "conversation")

    @cached_property
    def secrets_of(self) -> dict[str, frozenset[str]]:
        """The sensitive slots that people fill, of each flow and of the flows it calls or links to."""
        return {name: self._secrets_from(name) for name in self.runnable}

    def _secrets_from(self, flow: str) -> frozenset[str]:
        reached, waiting = set[str](), [flow]
        while waiting:
            name = waiting.pop()
            if name in self.runnable and name not in reached:
                reached.add(name)
                waiting += [placed.step.flow for placed in self.runnable[name].placed if placed.step.flow is not None]
        slots = {slot for name in reached for slot in self.runnable[name].slot_names if slot in self.slots}
        return frozenset(slot for slot in slots if self.slots[slot].sensitive and self.slots[slot].source == "user")

    def is_secret(self, slot: str) -> bool:
        """Whether a value must not be shown; one of a slot that is not there any more may have been a secret."""
        return slot not in self.slots or self.slots[slot].sensitive

    @cached_property
    def fingerprint(self) -> str:
        """A mark of everything a conversation can depend on; it changes when the assistant does."""
        told = repr((self.slots, self.flows, self.events, self.texts))
        return hashlib.blake2b(told.encode(), digest_size=8).hexdigest()

    @cached_property
    def languages(self) -> frozenset[str]:
        """The languages the author wrote texts or phrases for, and the default one."""
        texts = (text.languages for _, text in self.written())
        phrases = {phrase.language for flow in self.flows.values() for phrase in flow.trigger.phrases}
        return frozenset({self.settings.language}.union(*texts, phrases - {""}))

    def reading(self, language: str, now: datetime) -> Reading:
        """What the reading of words in a conversation depends on."""
        return Reading(language, now, self.settings.currency, self.settings.region, self.spoken)

    @cached_property
    def spoken(self) -> tuple[str, ...]:
        """The same in order, for what reads messages."""
        return tuple(sorted(self.languages))

    def written(self) -> Iterator[tuple[tuple[str | int, ...], Text]]:
        """Every text of the author's slots and flows, with its path; general texts are not among them."""
        for name, slot in self.slots.items():
            fields = {
                "label": slot.label,
                "description": slot.description,
                "message": slot.message,
                "error": slot.error,
            }
            yield from ((("slots", name, field), text) for field, text in fields.items() if text)
            for value, option in slot.options.items():
                if option.label:
                    yield ("slots", name, "options", value, "label"), option.label
                if option.description:
                    yield ("slots", name, "options", value, "description"), option.description
        for name, flow in self.flows.items():
            if flow.description:
                yield ("flows", name, "description"), flow.description
            for placed in flow.placed:
                for field, text in placed.step.texts.items():
                    yield ("flows", name, *placed.path, *field_path(field)), text
