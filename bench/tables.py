"""Tables of figures, as the benchmarks print them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable


def table(title: str, columns: dict[str, Callable[[dict[str, Any]], str]], rows: list[dict[str, Any]]) -> Table:
    """A row for each contestant; a column is its head and how its figure is shown."""
    made = Table(title=title, title_justify="left")
    for column in columns:
        made.add_column(column, justify="right")
    for row in rows:
        made.add_row(*(show(row) for show in columns.values()))
    return made
