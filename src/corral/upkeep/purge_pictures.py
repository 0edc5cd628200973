"""Forget live pictures once nobody looks at them any more."""

from datetime import timedelta
from typing import Final

from corral.engine import Engine

UNWATCHED: Final = timedelta(minutes=1)


async def purge_pictures(engine: Engine) -> None:
    await engine.upkeep.purge_pictures(UNWATCHED)
