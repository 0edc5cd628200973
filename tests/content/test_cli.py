"""`corral content`, as a process, against a server that is another, whose YouTube is on loopback."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from tests.api.client import OPERATOR_TOKEN
from tests.api.process import running
from tests.cli.conftest import Cli
from tests.content.fake_youtube import CHANNEL_ID, HANDLE, FakeYouTube


@pytest_asyncio.fixture
async def cli(farm_dsn: str, youtube: FakeYouTube, tmp_path: Path) -> AsyncIterator[Cli]:
    async with running("--database-url", farm_dsn, env={"CORRAL_YOUTUBE_URL": youtube.url}) as server:
        yield Cli(tmp_path, CORRAL_URL=server.url, CORRAL_TOKEN=OPERATOR_TOKEN)


async def test_videos_are_added_listed_and_shown(cli: Cli, youtube: FakeYouTube) -> None:
    first, second = youtube.upload(2)

    added = await cli.run("content", "add", f"https://youtu.be/{first}", second)
    assert (added.status, added.out.count("Playback reel")) == (0, 2), added.err
    listed = await cli.run("content", "list", "reel 2", "--json")
    assert [each["youtube_video_id"] for each in listed.json["contents"]] == [second]
    shown = await cli.run("content", "show", first)
    assert "Playback reel 1" in shown.out
    assert "no runs on it yet" in shown.out


async def test_a_hostile_address_is_said_to_be_one(cli: Cli) -> None:
    told = await cli.run("content", "add", "https://evil.example/watch?v=dQw4w9WgXcQ")

    assert told.status != 0
    assert "evil.example is not a host of YouTube's" in told.err


async def test_a_channel_is_added_and_listed(cli: Cli, youtube: FakeYouTube) -> None:
    added = await cli.run("content", "channel", "add", f"@{HANDLE}", "--every", 600)
    assert (added.status, CHANNEL_ID in added.out) == (0, True), added.err

    listed = await cli.run("content", "channel", "list")
    assert "Signage Lab" in listed.out
    (channel,) = (await cli.run("content", "channel", "list", "--json")).json["content_channels"]
    assert (channel["youtube_channel_id"], channel["sync_every_s"], channel["run"]) == (CHANNEL_ID, 600, None)
