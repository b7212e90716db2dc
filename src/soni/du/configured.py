"""The understanding that an assistant's settings ask for; each is imported only when it is the one."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from soni.config.models import SoniConfig
    from soni.du.understanding import Understanding


def configured_understanding(config: SoniConfig) -> Understanding:
    """`local`, or `llm` over the model that the settings name; its key comes from the environment."""
    llm = config.settings.llm
    if config.settings.understanding == "llm" and llm is not None:
        soni_du = import_module("soni.du.dspy")
        understanding: Understanding = soni_du.SoniDU(soni_du.dspy.LM(llm.model, cache=False))
        return understanding
    return offline_understanding(config)


def offline_understanding(config: SoniConfig) -> Understanding:
    """The one that needs nobody else."""
    local: Understanding = import_module("soni.du.local.understanding").LocalUnderstanding(config)
    return local
