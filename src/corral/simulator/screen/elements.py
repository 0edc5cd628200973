"""What is on a screen: elements in boxes of character cells. Both the picture and the XML are made from these."""

from __future__ import annotations

from msgspec import Struct


class Box(Struct, frozen=True):
    """From the left upper cell to the right lower one, the latter excluded."""

    left: int
    top: int
    right: int
    bottom: int

    def holds(self, column: int, row: int) -> bool:
        return self.left <= column < self.right and self.top <= row < self.bottom


class Element(Struct, frozen=True, kw_only=True):
    """One thing on the screen."""

    box: Box
    text: str = ""
    kind: str = "TextView"
    """The class within android.widget."""

    id: str = ""
    """The resource id, without its package."""

    description: str = ""
    is_clickable: bool = False
    is_focused: bool = False
    is_password: bool = False
    is_scrollable: bool = False
    is_checked: bool | None = None
    colour: int = 0
    background: int | None = None


class View(Struct, frozen=True, kw_only=True):
    """A whole screen: whose it is, its title, and its elements from back to front."""

    package: str
    activity: str
    title: str
    elements: tuple[Element, ...]

    def clickable_at(self, column: int, row: int) -> Element | None:
        """What a tap on this cell means: the frontmost clickable element there."""
        hit = [element for element in self.elements if element.is_clickable and element.box.holds(column, row)]
        return hit[-1] if hit else None


class Grid(Struct, frozen=True):
    """How a screen of pixels is divided into cells of six by ten dots, each dot some pixels wide."""

    width: int
    height: int

    @property
    def scale(self) -> int:
        return max(1, self.width // 180)

    @property
    def cell_width(self) -> int:
        return 6 * self.scale

    @property
    def cell_height(self) -> int:
        return 10 * self.scale

    @property
    def columns(self) -> int:
        return self.width // self.cell_width

    @property
    def rows(self) -> int:
        return self.height // self.cell_height

    def cell(self, x: float, y: float) -> tuple[int, int]:
        """The cell of a pixel."""
        return int(x) // self.cell_width, int(y) // self.cell_height

    def pixels(self, box: Box) -> tuple[int, int, int, int]:
        """A box in pixels: left, top, right, bottom."""
        across, down = self.cell_width, self.cell_height
        return box.left * across, box.top * down, box.right * across, box.bottom * down
