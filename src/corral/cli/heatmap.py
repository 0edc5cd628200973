"""Many devices in few lines: a symbol and a colour for each, in rows of ten."""

from collections.abc import Mapping, Sequence
from typing import Final

from rich.text import Text

from corral.cli.output import colour_of, symbol_of
from corral.wire.views import NodeTiles

_BLOCK: Final = 10
_NARROWEST: Final = 10


def render_tiles(tiles: Mapping[int, str], *, width: int) -> Text:
    """Devices by their numbers, in blocks of ten, each line led by the number of its first; a gap is a blank."""
    shown = Text()
    if not tiles:
        return shown
    last, lowest = max(tiles), (min(tiles) - 1) // _BLOCK * _BLOCK + 1
    digits = len(str(last))
    columns = max(1, (width - digits - 1) // (_BLOCK + 1)) * _BLOCK
    for first in range(lowest, last + 1, columns):
        if not any(number in tiles for number in range(first, first + columns)):
            continue
        if shown:
            shown.append("\n")
        shown.append(f"{first:>{digits}}", style="dim")
        for number in range(first, min(first + columns, last + 1)):
            if (number - first) % _BLOCK == 0:
                shown.append(" ")
            word = tiles.get(number)
            shown.append(" " if word is None else symbol_of(word), style="" if word is None else colour_of(word))
    return shown


def render_legend(words: Sequence[str], counts: Mapping[str, int]) -> Text:
    """What the symbols mean, and how many there are of each."""
    legend = Text()
    for word in words:
        if counts.get(word):
            legend.append(f"{symbol_of(word)} {word} {counts[word]}  ", style=colour_of(word))
    return legend


def render_node(node: NodeTiles, *, width: int) -> Text:
    """One node: a line about it, and its devices."""
    head = Text(node.name, style="bold")
    state = "draining" if node.draining and node.online else "online" if node.online else "offline"
    head.append(f"  {symbol_of(state)} {state}  ", style=colour_of(state))
    head.append_text(render_legend(("running", "waiting", "idle", "quarantined", "offline"), node.counts))
    tiles = {int(item["index"]): str(item["activity"]) for item in node.items}
    if not tiles:
        return head.append("no devices", style="dim")
    return head.append("\n").append_text(render_tiles(tiles, width=max(_NARROWEST, width)))
