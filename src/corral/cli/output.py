"""Printing: tables for people, lines for pipes, the API's JSON for programs. One palette, safe for the colour-blind."""

import os
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

# Okabe and Ito's colours, told apart by everybody; the symbols say the same without any.
LOOKS: Final[dict[str, tuple[str, str]]] = {
    "done": ("✓", "#009e73"),
    "succeeded": ("✓", "#009e73"),
    "passed": ("✓", "#009e73"),
    "ok": ("✓", "#009e73"),
    "online": ("✓", "#009e73"),
    "idle": ("□", "#009e73"),
    "running": ("▶", "#56b4e9"),
    "active": ("▶", "#56b4e9"),
    "leased": ("▶", "#56b4e9"),
    "waiting": ("·", "#a0a0a0"),
    "queued": ("·", "#a0a0a0"),
    "ready": ("·", "#a0a0a0"),
    "pending": ("·", "#a0a0a0"),
    "error": ("✗", "#d55e00"),
    "failed": ("✗", "#d55e00"),
    "errored": ("!", "#d55e00"),
    "flaky": ("~", "#e69f00"),
    "completed_with_errors": ("✗", "#d55e00"),
    "suspect": ("?", "#e69f00"),
    "quarantined": ("!", "#e69f00"),
    "draining": ("↓", "#e69f00"),
    "offline": ("○", "#808080"),
    "skipped": ("○", "#808080"),
    "ended": ("○", "#808080"),
    "skipped_offline": ("○", "#808080"),
    "cancelled": ("-", "#cc79a7"),
    "revoked": ("-", "#cc79a7"),
}
_PIPE_WIDTH: Final = 240
_MINUTE, _HOUR, _DAY = 60, 3600, 86400


def make_console() -> Console:
    """Standard output: a terminal as it is, or a pipe with room for long lines."""
    is_terminal = sys.stdout.isatty()
    width = None if is_terminal or "COLUMNS" in os.environ else _PIPE_WIDTH
    return Console(highlight=False, width=width, emoji=False, markup=False)


def print_json(value: object) -> None:
    """Print records as the API spells them, indented for people who look, too."""
    text = msgspec.json.format(msgspec.json.encode(value), indent=2)
    sys.stdout.write(text.decode() + "\n")


def print_page(name: str, items: Iterable[object]) -> None:
    """Print a whole list as one page of the API's, of which there is no next."""
    print_json({name: list(items), "next": None})


def make_table(*columns: str, right: Sequence[str] = ()) -> Table:
    """A table without frames: columns of these names, some of them numbers."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left", overflow="fold", no_wrap=False)
    return table


def print_table(table: Table, *, nothing: str) -> None:
    """Print a table, or say that there is nothing."""
    console = make_console()
    if table.row_count:
        console.print(table)
    else:
        console.print(nothing, style="dim")


def look(word: object, text: str | None = None) -> Text:
    """A state with its symbol, in its colour."""
    symbol, colour = LOOKS.get(str(word), ("", "default"))
    return Text(f"{symbol} {text or str(word).replace('_', ' ')}".strip(), style=colour)


def colour_of(word: str) -> str:
    return LOOKS.get(word, ("", "default"))[1]


def symbol_of(word: str) -> str:
    return LOOKS.get(word, ("■", ""))[0]


def age(at: datetime | None, *, now: datetime | None = None) -> str:
    """How long ago, in one unit."""
    if at is None:
        return "-"
    return duration((now or datetime.now(UTC)) - at)


def duration(span: timedelta) -> str:
    """A length of time, in one unit or two."""
    seconds = max(0, int(span.total_seconds()))
    if seconds < _MINUTE:
        return f"{seconds}s"
    if seconds < _HOUR:
        return f"{seconds // _MINUTE}m{seconds % _MINUTE:02d}s"
    if seconds < _DAY:
        return f"{seconds // _HOUR}h{seconds % _HOUR // _MINUTE:02d}m"
    return f"{seconds // _DAY}d"


def text_or_dash(value: Any) -> str:  # noqa: ANN401 - whatever a record holds
    """A value for a cell."""
    return "-" if value is None or value == "" else str(value)


def size(size_bytes: int | None) -> str:
    """Bytes as people say them."""
    if size_bytes is None:
        return "-"
    amount = float(size_bytes)
    for unit in ("B", "KB", "MB", "GB"):
        if amount < 1000 or unit == "GB":  # noqa: PLR2004 - the next unit
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    raise AssertionError  # pragma: no cover - GB returns


def short(run_id: object) -> str:
    """A run's id as tables show it: the millisecond it was made in, which is an abbreviation that `show` takes."""
    return str(run_id)[:13]
