"""Reads the text back from a simulated phone's screenshot, by its pixels alone."""

from __future__ import annotations

from typing import Final

from corral.simulator.screen.elements import Grid
from corral.simulator.screen.font import COLUMNS, GLYPHS, ROWS
from corral.simulator.screen.png import Picture, read_png

_UNREADABLE: Final = "\ufffd"
_BY_DOTS: Final = {"".join(rows): char for char, rows in GLYPHS.items()}


def read_screen(png: bytes) -> list[str]:
    """The lines on the screen, from the top, without trailing blanks. Raises PictureError when it is no whole picture."""
    picture = read_png(png)
    grid = Grid(picture.width, picture.height)
    return [
        "".join(_char(picture, grid, column, row) for column in range(grid.columns)).rstrip()
        for row in range(grid.rows)
    ]


def _char(picture: Picture, grid: Grid, column: int, row: int) -> str:
    left, top, scale = column * grid.cell_width, row * grid.cell_height, grid.scale
    paper = picture.pixels[top * picture.width + left]
    dots: list[str] = []
    for line in range(1, ROWS + 1):
        start = (top + line * scale) * picture.width + left
        sampled = picture.pixels[start : start + COLUMNS * scale : scale]
        dots.extend("." if pixel == paper else "#" for pixel in sampled)
    return _BY_DOTS.get("".join(dots), _UNREADABLE)
