"""The assistant's general texts: shipped for every language there is a folder for, each replaceable under `texts:`."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from soni.core.template import Text
from soni.languages import shown_texts

MAY_SHOW: dict[str, set[str]] = {
    "cancelled": {"_flow"},
    "out_of_scope": {"_capabilities"},
    "already_done": {"_flow"},
    "too_long_ago": {"_flow"},
}
"""What some texts can show besides what they show as they are shipped."""


@lru_cache(maxsize=1)
def shipped() -> dict[str, Text]:
    """Each text in every language, as `texts.yaml` has it."""
    by_language = shown_texts("texts")
    names = next(iter(by_language.values()))
    return {name: Text.of({code: texts[name] for code, texts in by_language.items()}) for name in names}


def _shipped(name: str) -> Any:
    return Field(default_factory=lambda: shipped()[name])


class Texts(BaseModel):
    """What the assistant says of itself, outside of any flow."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)

    @field_validator("*", mode="after")
    @classmethod
    def _beside_the_other_languages(cls, text: Text, info: ValidationInfo) -> Text:
        """A text given for one language leaves those of the others as they are."""
        return text if "" in text.variants else Text({**shipped()[str(info.field_name)].variants, **text.variants})

    yes: Text = _shipped("yes")
    no: Text = _shipped("no")
    ask: Text = _shipped("ask")
    invalid: Text = _shipped("invalid")
    stuck: Text = _shipped("stuck")
    too_many_attempts: Text = _shipped("too_many_attempts")
    denied: Text = _shipped("denied")
    stopped: Text = _shipped("stopped")
    already_done: Text = _shipped("already_done")
    too_long_ago: Text = _shipped("too_long_ago")
    changed: Text = _shipped("changed")
    changed_to: Text = _shipped("changed_to")
    change: Text = _shipped("change")
    cancelled: Text = _shipped("cancelled")
    nothing_to_cancel: Text = _shipped("nothing_to_cancel")
    not_available: Text = _shipped("not_available")
    too_deep: Text = _shipped("too_deep")
    queued: Text = _shipped("queued")
    next: Text = _shipped("next")
    resume: Text = _shipped("resume")
    out_of_scope: Text = _shipped("out_of_scope")
    trouble: Text = _shipped("trouble")
    clarify: Text = _shipped("clarify")
    help: Text = _shipped("help")
    greeting: Text = _shipped("greeting")
    thanks: Text = _shipped("thanks")
    goodbye: Text = _shipped("goodbye")
    chit_chat: Text = _shipped("chit_chat")
    wait: Text = _shipped("wait")
    explanation: Text = _shipped("explanation")
    no_details: Text = _shipped("no_details")
    needed: Text = _shipped("needed")
    nothing_to_resume: Text = _shipped("nothing_to_resume")
    restarted: Text = _shipped("restarted")
    timed_out: Text = _shipped("timed_out")
    offer_person: Text = _shipped("offer_person")
    back: Text = _shipped("back")
    done: Text = _shipped("done")
    declined: Text = _shipped("declined")
    no_person: Text = _shipped("no_person")
    assistant_changed: Text = _shipped("assistant_changed")
    stale_option: Text = _shipped("stale_option")
    action_failed: Text = _shipped("action_failed")
    failed_after_effect: Text = _shipped("failed_after_effect")
    failed_after_effect_alone: Text = _shipped("failed_after_effect_alone")
    not_open: Text = _shipped("not_open")
    outcome_unknown: Text = _shipped("outcome_unknown")
    handoff: Text = _shipped("handoff")
    error: Text = _shipped("error")
