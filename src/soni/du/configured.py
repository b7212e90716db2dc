"""The understanding that an assistant's settings ask for; each is imported only when it is the one."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from soni.du.cascade import Cascade
from soni.errors import SoniError

if TYPE_CHECKING:
    from soni.config.models import SoniConfig
    from soni.du.understanding import Understanding


def configured_understanding(config: SoniConfig, kind: str | None = None) -> Understanding:
    """`local`, `llm` over the model that the settings name, or `cascade`: the one, and the other where it is unsure."""
    kind = kind or config.settings.understanding
    if kind == "local" or config.settings.llm is None:
        return offline_understanding(config)
    try:
        llm = import_module("soni.du.llm")
    except ModuleNotFoundError as error:
        if error.name != "dspy":
            raise
        raise SoniError(f"understanding '{kind}' needs DSPy. Install it with: pip install 'soni[llm]'") from None
    understanding: Understanding = llm.SoniDU(model=llm.Model.configured(config.settings.llm))
    return Cascade(offline_understanding(config), understanding) if kind == "cascade" else understanding


def offline_understanding(config: SoniConfig) -> Understanding:
    """The one that needs nobody else."""
    local: Understanding = import_module("soni.du.local.understanding").LocalUnderstanding(config)
    return local
