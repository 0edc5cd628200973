"""Paints a view as a PNG. Rows of cells are kept once painted, for the whole fleet: most screens differ in few."""

from __future__ import annotations

import functools
from typing import Final

from corral.simulator.screen.elements import Element, Grid, View
from corral.simulator.screen.font import COLUMNS, GLYPHS, ROWS, UNKNOWN
from corral.simulator.screen.png import write_png

INK, PAPER, BAR, BAR_INK, FIELD, BUTTON, BUTTON_INK, ACCENT, NIGHT, PALE = range(10)
_PALETTE: Final = bytes.fromhex("202124 ffffff 1a3c5e ffffff eef2f6 1a73e8 ffffff c5221f 000000 9aa0a6")

Cell = tuple[str, int, int]
"""A character, its colour, its background."""


def paint(view: View, grid: Grid, *, status: str) -> bytes:
    """The screen: a line of status, the title, and the elements."""
    cells = [[(" ", INK, PAPER)] * grid.columns for _ in range(grid.rows)]
    _write(cells, 0, 0, f"{status:<{grid.columns}}", (BAR_INK, BAR))
    _write(cells, 1, 0, f" {view.title}".ljust(grid.columns), (BAR_INK, BAR))
    for element in view.elements:
        _draw(cells, element)
    return _encode(cells, grid)


def blank(grid: Grid) -> bytes:
    """A screen that is off."""
    return _encode([[(" ", NIGHT, NIGHT)] * grid.columns for _ in range(grid.rows)], grid)


def _draw(cells: list[list[Cell]], element: Element) -> None:
    box, background = element.box, element.background
    if background is not None:
        for row in range(box.top, min(box.bottom, len(cells))):
            _write(cells, row, box.left, " " * (box.right - box.left), (element.colour, background))
    if element.text and box.bottom > box.top:
        room = max(0, box.right - box.left - (1 if background is not None else 0))
        middle = box.top + (box.bottom - box.top - 1) // 2
        start = box.left + (1 if background is not None else 0)
        paper = PAPER if background is None else background
        _write(cells, middle, start, element.text[:room], (element.colour, paper))


def _write(cells: list[list[Cell]], row: int, column: int, text: str, colours: tuple[int, int]) -> None:
    if not 0 <= row < len(cells):
        return
    line = cells[row]
    for at, char in enumerate(text, column):
        if 0 <= at < len(line):
            line[at] = (char if char in GLYPHS else UNKNOWN, *colours)


def _encode(cells: list[list[Cell]], grid: Grid) -> bytes:
    body = b"".join(_paint_row(tuple(line), grid.width, grid.scale) for line in cells)
    missing = grid.height - len(cells) * grid.cell_height
    last = cells[-1][-1][2]
    body += (b"\0" + bytes([last]) * grid.width) * missing
    return write_png(grid.width, grid.height, rows=body, palette=_PALETTE)


@functools.lru_cache(maxsize=512)
def _paint_row(line: tuple[Cell, ...], width: int, scale: int) -> bytes:
    """The pixel rows of one row of cells, each with its leading filter byte."""
    painted = [_paint_cell(cell, scale) for cell in line]
    rest = bytes([line[-1][2]]) * (width - len(line) * (COLUMNS + 1) * scale)
    return b"".join(
        (b"\0" + b"".join([cell[row] for cell in painted]) + rest) * scale for row in range(len(painted[0]))
    )


@functools.lru_cache(maxsize=4096)
def _paint_cell(cell: Cell, scale: int) -> tuple[bytes, ...]:
    """Ten rows of a cell: a blank one, the eight of the glyph, a blank one; one blank column on its right."""
    char, ink, paper = cell
    empty = bytes([paper]) * ((COLUMNS + 1) * scale)
    rows = [
        b"".join(bytes([ink if dot == "#" else paper]) * scale for dot in row) + bytes([paper]) * scale
        for row in GLYPHS[char]
    ]
    return (empty, *rows[:ROWS], empty)
