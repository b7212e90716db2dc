"""Step types: one file each, with its YAML fields and its `run`; importing this package registers all of them."""

from importlib import import_module
from pkgutil import iter_modules

from soni.steps.step import (
    END,
    HANDOFF,
    RESERVED,
    STEPS,
    AnyStep,
    Outcome,
    Step,
    StepContext,
    Transfer,
    read_step,
    register,
)

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

__all__ = [
    "END",
    "HANDOFF",
    "RESERVED",
    "STEPS",
    "AnyStep",
    "Outcome",
    "Step",
    "StepContext",
    "Transfer",
    "read_step",
    "register",
]
