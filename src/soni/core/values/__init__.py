"""Slot types: one file each; importing this package registers all of them."""

from importlib import import_module
from pkgutil import iter_modules

from soni.core.values.value import TYPES, Json, Reading, ValueType, register

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

__all__ = ["TYPES", "Json", "Reading", "ValueType", "register"]
