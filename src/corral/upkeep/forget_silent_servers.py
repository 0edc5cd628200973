"""Forget server processes that fell silent, and the tunnels that ended with them."""

from datetime import timedelta
from typing import Final

from corral.engine import Engine

SILENT: Final = timedelta(minutes=1)


async def forget_silent_servers(engine: Engine) -> None:
    await engine.tunnels.forget_silent_servers(SILENT)
