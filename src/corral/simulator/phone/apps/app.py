"""What an app is to the phone, and the pieces that screens are built from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from corral.simulator.phone.identity import Identity
from corral.simulator.phone.packages import Package
from corral.simulator.screen.elements import Box, Element, Grid, View
from corral.simulator.screen.font import BULLET
from corral.simulator.screen.paint import ACCENT, BUTTON, BUTTON_INK, FIELD, PALE

TOP: Final = 3
"""The first row below the status bar and the title."""


@dataclass(slots=True)
class Task:
    """One open screen of an app: what was typed, scrolled and chosen there."""

    package: str
    activity: str
    data: str = ""
    started_s: float = 0.0
    page: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    focus: str = ""
    scroll: int = 0
    message: str = ""
    is_playing: bool = True


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What an app may know of its phone."""

    identity: Identity
    grid: Grid
    packages: Sequence[Package]
    now_s: float
    battery: int


class App(Protocol):
    """An app's screens."""

    @property
    def activities(self) -> Sequence[str]:
        """The activities that may be started, the main one first; full class names."""
        ...

    def show(self, task: Task, around: Surroundings) -> View: ...

    def tap(self, task: Task, element: Element, around: Surroundings) -> str | None:
        """Act on a tap; returns `package/activity` when another screen is to be opened."""
        ...

    def submit(self, task: Task) -> None:
        """What the enter key does."""
        ...

    def rows_to_scroll(self, task: Task) -> int:
        """How far the screen can be scrolled, in rows."""
        ...


def text(row: int, words: str, around: Surroundings, *, id: str = "", is_error: bool = False) -> Element:  # noqa: A002 - Android's word
    """A line of text."""
    box = Box(1, row, around.grid.columns - 1, row + 1)
    return Element(box=box, text=words, id=id, colour=ACCENT if is_error else 0)


def button(row: int, words: str, around: Surroundings, *, id: str) -> Element:  # noqa: A002 - as above
    box = Box(1, row, around.grid.columns - 1, row + 3)
    return Element(box=box, text=words, kind="Button", id=id, is_clickable=True, colour=BUTTON_INK, background=BUTTON)


def entry(row: int, task: Task, around: Surroundings, *, id: str, is_password: bool = False) -> Element:  # noqa: A002
    """A field to type into; a password shows as dots."""
    typed = task.fields.get(id, "")
    return Element(
        box=Box(1, row, around.grid.columns - 1, row + 3),
        text=BULLET * len(typed) if is_password else typed,
        kind="EditText",
        id=id,
        is_clickable=True,
        is_focused=task.focus == id,
        is_password=is_password,
        background=FIELD,
    )


def rows(
    items: Sequence[tuple[str, str]], task: Task, around: Surroundings, *, top: int, height: int = 2
) -> list[Element]:
    """A scrolling list of (id, words), from the item that it was scrolled to."""
    box = Box(0, top, around.grid.columns, around.grid.rows)
    shown = items[task.scroll : task.scroll + (around.grid.rows - top) // height]
    lines = [
        Element(
            box=Box(0, top + number * height, around.grid.columns, top + (number + 1) * height),
            text=words,
            id=id_,
            is_clickable=True,
            background=FIELD if (task.scroll + number) % 2 else 1,
        )
        for number, (id_, words) in enumerate(shown)
    ]
    return [Element(box=box, kind="ListView", id="list", is_scrollable=True, colour=PALE), *lines]
