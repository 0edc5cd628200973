"""Forget changes that streams were told of: whoever comes back later reads everything anew."""

from datetime import timedelta
from typing import Final

from corral.engine import Engine

_KEPT: Final = timedelta(hours=1)


async def trim_stream(engine: Engine) -> None:
    await engine.upkeep.purge_changes(_KEPT)
