"""What the processes of a farm log, in one stream: whose line it is, and the line."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.text import Text

_LOOK_S: Final = 0.2


class Tail:
    """A file that grows: what came since the last look, in whole lines."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = 0
        self._rest = b""

    def read(self) -> list[str]:
        """The lines that were finished since."""
        with self._path.open("rb") as file:
            file.seek(self._offset)
            came = file.read()
        self._offset += len(came)
        *lines, self._rest = (self._rest + came).split(b"\n")
        return [line.decode(errors="replace") for line in lines]


async def follow_logs(logs: Path, console: Console) -> None:
    """Print what is in a farm's logs and what comes, until cancelled."""
    tails: dict[Path, Tail] = {}
    while True:
        for name, line in await asyncio.to_thread(_read_all, logs, tails):
            console.print(Text.assemble((f"{name:>14} ", "dim"), line), soft_wrap=True)
        await asyncio.sleep(_LOOK_S)


def _read_all(logs: Path, tails: dict[Path, Tail]) -> list[tuple[str, str]]:
    paths = sorted(logs.glob("*.log"))
    return [(path.stem, line) for path in paths for line in tails.setdefault(path, Tail(path)).read()]
