"""Charts as SVG, by hand: bars with whiskers, and ranges on a logarithmic axis; readable in light and dark, without a script."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from xml.sax.saxutils import escape

WIDTH: Final = 860
_LEFT, _RIGHT, _TOP, _ROW, _FOOT = 250, 90, 64, 46, 74
_BAR: Final = 20

_STYLE = """
svg { font-family: system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
.paper { fill: #ffffff; } .text { fill: #1b2430; } .soft { fill: #5a6675; } .grid { stroke: #dfe4ea; } .axis { stroke: #8a95a3; }
.corral { fill: #2b7cd9; } .beside { fill: #8fbce8; } .other { fill: #9aa5b1; } .floor { fill: #e7ebef; stroke: #8a95a3; }
.floor { stroke-dasharray: 4 3; } .whisker { stroke: #1b2430; stroke-width: 1.5; } .strong { font-weight: 600; }
@media (prefers-color-scheme: dark) {
.paper { fill: #14181d; } .text { fill: #e8edf2; } .soft { fill: #9fadbb; } .grid { stroke: #2b333c; } .axis { stroke: #6f7d8b; }
.corral { fill: #4ea1f3; } .beside { fill: #2f5f8f; } .other { fill: #66727e; } .floor { fill: #20262d; stroke: #6f7d8b; }
.whisker { stroke: #e8edf2; }
}
"""


@dataclass(frozen=True)
class Bar:
    """One row: its name and what is said of it, the lowest, middle and highest value, and its kind, which is its colour."""

    name: str
    note: str
    kind: str
    low: float
    middle: float
    high: float
    label: str


def bar_chart(title: str, subtitle: str, bars: Sequence[Bar], *, unit: str, foot: str) -> str:
    """Bars from zero to the middle value, whiskers from the lowest to the highest."""
    step = _nice_step(max(bar.high for bar in bars))
    ticks = [step * number for number in range(math.ceil(max(bar.high for bar in bars) / step) + 1)]

    def place(value: float) -> float:
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * value / ticks[-1]

    rows = []
    for number, bar in enumerate(bars):
        top = _TOP + number * _ROW + (_ROW - _BAR) / 2
        middle = top + _BAR / 2
        rows += [
            _name(bar, middle),
            _rect(bar.kind, _LEFT, top, width=place(bar.middle) - _LEFT, height=_BAR, round_=2),
            _whisker(place(bar.low), place(bar.high), middle),
            _text(place(bar.high) + 8, middle + 4, bar.label, cls=f"text{_strong(bar)}"),
        ]
    axis = [(place(tick), f"{tick:,.0f}") for tick in ticks]
    return _frame(title, subtitle, rows, axis, count=len(bars), unit=unit, foot=foot)


def range_chart(title: str, subtitle: str, bars: Sequence[Bar], *, unit: str, foot: str) -> str:
    """From the low value to the high one on a logarithmic axis, with a mark at the middle value."""
    first = math.floor(math.log10(min(bar.low for bar in bars)) * 3) / 3
    last = math.ceil(math.log10(max(bar.high for bar in bars)) * 3) / 3
    ticks = [10**power * part for power in range(math.floor(first), math.ceil(last) + 1) for part in (1, 2, 5)]

    def place(value: float) -> float:
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * (math.log10(value) - first) / (last - first)

    rows = []
    for number, bar in enumerate(bars):
        middle = _TOP + number * _ROW + _ROW / 2
        start, end = place(bar.low), place(bar.high)
        rows += [
            _name(bar, middle),
            _rect(bar.kind, start, middle - 6, width=max(2.0, end - start), height=12, round_=6),
            _line("whisker", (place(bar.middle), middle - 9), (place(bar.middle), middle + 9)),
            _text(end + 8, middle + 4, bar.label, cls=f"text{_strong(bar)}"),
        ]
    axis = [(place(tick), f"{tick:g}") for tick in ticks if first <= math.log10(tick) <= last]
    return _frame(title, subtitle, rows, axis, count=len(bars), unit=unit, foot=foot)


def _frame(
    title: str, subtitle: str, rows: list[str], axis: list[tuple[float, str]], *, count: int, unit: str, foot: str
) -> str:
    bottom = _TOP + count * _ROW
    height = bottom + _FOOT
    size = f'width="{WIDTH}" height="{height}"'
    grid: list[str] = []
    for place, label in axis:
        grid.append(_line("grid", (place, _TOP), (place, bottom)))
        grid.append(_text(place, bottom + 18, label, cls="soft", anchor="middle"))
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" {size} font-size="13">',
            f"<title>{escape(title)}</title>",
            f"<style>{_STYLE}</style>",
            f'<rect class="paper" width="{WIDTH}" height="{height}" rx="8"/>',
            _text(20, 28, title, cls="text strong", size=16),
            _text(20, 48, subtitle, cls="soft", size=12),
            *grid,
            _line("axis", (_LEFT, _TOP), (_LEFT, bottom)),
            *rows,
            _text((_LEFT + WIDTH - _RIGHT) / 2, bottom + 38, unit, cls="soft", anchor="middle"),
            _text(20, height - 14, foot, cls="soft", size=11),
            "</svg>",
            "",
        ]
    )


def _name(bar: Bar, middle: float) -> str:
    return _text(_LEFT - 12, middle - 1, bar.name, cls=f"text{_strong(bar)}", anchor="end") + _text(
        _LEFT - 12, middle + 14, bar.note, cls="soft", anchor="end", size=11
    )


def _strong(bar: Bar) -> str:
    return " strong" if bar.kind == "corral" else ""


def _whisker(start: float, end: float, middle: float) -> str:
    ends = [_line("whisker", (place, middle - 5), (place, middle + 5)) for place in (start, end)]
    return "".join([*ends, _line("whisker", (start, middle), (end, middle))])


def _line(cls: str, start: tuple[float, float], end: tuple[float, float]) -> str:
    return f'<line class="{cls}" x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}"/>'


def _rect(cls: str, x: float, y: float, *, width: float, height: float, round_: int) -> str:
    return f'<rect class="{cls}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{round_}"/>'


def _text(x: float, y: float, words: str, *, cls: str, anchor: str = "start", size: int | None = None) -> str:
    sized = f' font-size="{size}"' if size else ""
    return f'<text class="{cls}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{sized}>{escape(words)}</text>'


def _nice_step(highest: float, *, most: int = 6) -> float:
    power = float(10 ** math.floor(math.log10(highest / most)))
    return power * next(part for part in (1, 2, 5, 10) if highest / (power * part) <= most)
