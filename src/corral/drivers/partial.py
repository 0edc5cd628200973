"""A file that is there whole or not at all."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO

from corral.model.errors import DeviceError


@asynccontextmanager
async def partial_file(target: Path) -> AsyncIterator[IO[bytes]]:
    """A file to write to, which becomes the target when the block ends well and vanishes when it does not."""
    partial = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        file = await asyncio.to_thread(partial.open, "xb")
    except OSError as error:
        raise DeviceError(f"{target} cannot be written: {error.strerror or error}") from error
    try:
        yield file
        file.close()
        partial.replace(target)
    except OSError as error:
        raise DeviceError(f"{target} cannot be written: {error.strerror or error}") from error
    finally:
        file.close()
        partial.unlink(missing_ok=True)
