"""The Python side of the restaurant: a diary of tables, kept in memory."""

from __future__ import annotations

from datetime import date, time

from soni import ActionContext, Actions

actions = Actions()
bookings: dict[str, str] = {}
DISHES = {
    "vegetarian": ("spinach with chickpeas", "espinacas con garbanzos"),
    "vegan": ("roasted aubergine", "berenjena asada"),
    "gluten_free": ("grilled sea bass", "lubina a la plancha"),
    "any": ("oxtail stew", "rabo de toro"),
}


@actions.validator("opens")
def opens(hour: time) -> bool:
    return time(13) <= hour <= time(16) or time(20) <= hour <= time(23)


@actions.register("book_table", effect="once")
async def book_table(guest_name: str, guests: int, day: date, hour: time, seating: str) -> dict[str, str]:
    code = f"L{len(bookings) + 101}"
    bookings[guest_name.casefold()] = code
    return {"code": code}


@actions.register("find_booking", effect="pure")
async def find_booking(guest_name: str) -> dict[str, object]:
    code = bookings.get(guest_name.casefold())
    return {"found": code is not None, "code": code}


@actions.register("drop_booking", effect="idempotent")
async def drop_booking(guest_name: str) -> None:
    bookings.pop(guest_name.casefold(), None)


@actions.register("find_dishes", effect="pure")
async def find_dishes(diet: str, context: ActionContext) -> dict[str, str]:
    english, spanish = DISHES[diet]
    return {"dishes": spanish if context.language == "es" else english}


@actions.register("keep_review", effect="idempotent")
async def keep_review(stars: int, comment: str | None = None) -> None:
    """A real kitchen would read it."""
