"""Fetch the pictures of contents that have none yet: the web UI shows what this server has, and nothing from elsewhere."""

import asyncio

from corral.content import Source
from corral.engine import Engine
from corral.model.errors import ContentNotFoundError, YouTubeUnavailableError
from corral.telemetry import logger
from corral.upkeep.loop import Act

_log = logger(__name__)


def fetch_thumbnails(source: Source) -> Act:
    """The act, for a way to ask YouTube."""

    async def fetch_thumbnails(engine: Engine) -> None:
        while claimed := await engine.contents.claim_thumbnails():
            await asyncio.gather(*(_fetch(engine, source, each) for each in claimed))

    return fetch_thumbnails


async def _fetch(engine: Engine, source: Source, video_id: str) -> None:
    try:
        picture = await source.fetch_thumbnail(video_id)
    except (ContentNotFoundError, YouTubeUnavailableError) as error:  # tried again, a few times
        _log.info("a picture could not be fetched", video=video_id, error=error.message)
        return
    await engine.contents.store_thumbnail(video_id, content_type=picture.content_type, content=picture.content)
