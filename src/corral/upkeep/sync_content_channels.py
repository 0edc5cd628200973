"""Ask YouTube what is new on the channels whose sync is due. One in trouble is written down as such and holds up no other."""

import asyncio

from corral.content import Source, Uploads
from corral.engine import Engine
from corral.model.contents import ClaimedSync
from corral.model.errors import ContentNotFoundError, YouTubeUnavailableError
from corral.model.records import Json
from corral.telemetry import logger
from corral.upkeep.loop import Act

_log = logger(__name__)


def sync_content_channels(source: Source) -> Act:
    """The act, for a way to ask YouTube."""

    async def sync_content_channels(engine: Engine) -> None:
        while claimed := await engine.content_channels.claim_content_channels():
            await asyncio.gather(*(_sync(engine, source, each) for each in claimed))

    return sync_content_channels


async def _sync(engine: Engine, source: Source, claimed: ClaimedSync) -> None:
    channel = claimed.youtube_channel_id
    try:
        told = await source.list_uploads(channel, etag=claimed.etag, last_modified=claimed.last_modified)
    except (ContentNotFoundError, YouTubeUnavailableError) as error:
        if await engine.content_channels.fail_content_sync(claimed, error.message):
            _log.warning("a content channel could not be synced", channel=channel, code=error.code, error=error.message)
        return
    if found := await engine.content_channels.finish_content_sync(claimed, to_result(told)):
        _log.info("a content channel has new videos", channel=channel, count=found)


def to_result(told: Uploads) -> Json:
    """What a sync found, as fn_finish_content_sync takes it."""
    videos = None if told.videos is None else [video.as_row() for video in told.videos]
    return {"title": told.title, "etag": told.etag, "last_modified": told.last_modified, "videos": videos}
