"""Ways to ask the fake YouTube that do not make a test wait."""

from corral.config import Secret, ServerConfig
from corral.content import Fetcher, Source
from tests.content.fake_youtube import API_KEY, FakeYouTube


async def no_pause(_seconds: float) -> None:
    """A retry at once."""


def make_source(youtube: FakeYouTube, *, has_key: bool = False, deadline_s: float = 20.0) -> Source:
    config = ServerConfig(youtube_url=youtube.url, youtube_api_key=Secret(API_KEY) if has_key else None)
    return Source(config, fetcher=Fetcher(deadline_s=deadline_s, timeout_s=deadline_s, pause=no_pause))
