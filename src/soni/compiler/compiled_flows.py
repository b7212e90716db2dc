"""CompiledFlows: the graphs of an assistant's flows, each compiled when it is first entered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from soni.compiler.subgraph import SubgraphBuilder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from soni.config.models import FlowConfig


class CompiledFlows(Mapping[str, Any]):
    """A graph for each flow; an assistant with many flows starts without compiling any of them."""

    def __init__(self, flows: Mapping[str, FlowConfig]) -> None:
        self._flows = flows
        self._builder = SubgraphBuilder()
        self._compiled: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._compiled:
            self._compiled[name] = self._builder.compile(self._flows[name])
        return self._compiled[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._flows)

    def __len__(self) -> int:
        return len(self._flows)
