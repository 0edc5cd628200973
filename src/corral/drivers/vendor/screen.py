"""Pictures by the program's own `screen`, for phones that cannot encode theirs. It answers first and writes later."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Final

from corral.drivers.png import check_png
from corral.drivers.vendor.client import VendorClient
from corral.model.errors import DeviceError

_APPEARS_WITHIN_S: Final = 15.0
_POLL_S: Final = 0.1


async def take_by_screen(client: VendorClient, handle: str, *, within_s: float = _APPEARS_WITHIN_S) -> bytes:
    """Have the program save a picture into a directory of its own, and wait until it is whole."""
    with tempfile.TemporaryDirectory(prefix="corral-screen-") as directory:
        await client.ask("screen", devices=handle, data={"savePath": directory})
        found = "no file appeared"
        try:
            async with asyncio.timeout(within_s):
                while True:
                    for data in await asyncio.to_thread(_read_all, Path(directory)):
                        try:
                            return check_png(data)
                        except DeviceError as error:
                            found = error.message
                    await asyncio.sleep(_POLL_S)
        except TimeoutError as error:
            raise DeviceError(f"the vendor program saved no picture within {within_s:g} s: {found}") from error


def _read_all(directory: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted(directory.rglob("*")) if path.is_file()]
