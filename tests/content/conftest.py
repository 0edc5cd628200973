"""A YouTube of one's own, and a database with a clock that moves."""

from collections.abc import AsyncIterator

import pytest_asyncio

from tests.api.conftest import cluster, http, lines, operator, serving
from tests.content.fake_youtube import FakeYouTube, serving_youtube
from tests.engine.conftest import farm, farm_dsn, kept_database

__all__ = ["cluster", "farm", "farm_dsn", "http", "kept_database", "lines", "operator", "serving"]


@pytest_asyncio.fixture
async def youtube() -> AsyncIterator[FakeYouTube]:
    async with serving_youtube() as fake:
        yield fake
